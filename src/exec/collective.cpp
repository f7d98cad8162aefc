#include "exec/collective.hpp"

#include "exec/collective_state.hpp"
#include "mpi/agree.hpp"
#include "transfer/independent.hpp"

namespace tutti {

Result<std::int64_t> transfer_collective(OpenFile& file, const Access& access,
                                         const std::optional<Error>& refusal) {
  std::optional<Error> failure = refusal;
  std::int64_t moved = 0;
  if (!failure) {
    const auto done = transfer_independent(file.device, access, file.hints, file.scratch);
    if (done)
      moved = *done;
    else
      failure = done.error();
  }
  if (auto agreed = agree(file.comm.get(), failure); !agreed)
    return tl::make_unexpected(agreed.error());
  return moved;
}

}  // namespace tutti
