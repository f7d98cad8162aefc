#include "cxx/open_hints.hpp"

#include <string>

#include "exec/starting_hints.hpp"

namespace tutti::io {

Result<Hints> hints_from(std::span<const Hint> given, bool first_rank) {
  Hints hints = starting_hints(first_rank);
  for (const Hint& hint : given) {
    switch (set_hint(hints, hint.key, hint.value)) {
      case HintOutcome::applied:
        break;
      case HintOutcome::unknown_key:
        return fail(tutti::ErrorKind::invalid_info, "there is no hint " + std::string(hint.key));
      case HintOutcome::bad_value:
        return fail(tutti::ErrorKind::invalid_info, bad_hint_message(hints, hint.key, hint.value));
    }
  }
  return hints;
}

}  // namespace tutti::io
