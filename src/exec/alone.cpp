#include "exec/alone.hpp"

#include "transfer/independent.hpp"

namespace tutti {

Result<std::int64_t> transfer_alone(OpenFile& file, const Access& access, const Hints& hints,
                                    bool atomic) {
  if (access.file.bytes == 0) return 0;
  const auto transfer = atomic ? transfer_atomic : transfer_independent;
  return transfer(file.device, access, hints, file.scratch);
}

}  // namespace tutti
