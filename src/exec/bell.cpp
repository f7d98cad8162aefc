#include "exec/bell.hpp"

namespace tutti {

Bell& process_bell() {
  static Bell& bell = *new Bell;  // helper threads may outlive exit handlers
  return bell;
}

}  // namespace tutti
