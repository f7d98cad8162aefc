// Runs in-place plans with MPI: phases exchange inside the region, the result is packed and
// written at one file interval per process; reading goes the other way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "exec/open_file.hpp"
#include "pattern/pattern.hpp"
#include "strategy/inplace_plan.hpp"

namespace tutti::inplace {

// A plan for elements of one size, in bytes. As large as the plan.
struct ByteSchedule {
  struct Step {
    int peer = 0;
    Pattern send;    // bytes of the region, in the order of sending
    Extent receive;  // bytes of the region
  };
  int rank = 0;
  int ranks = 1;
  std::int64_t region_bytes = 0;
  std::vector<std::vector<Step>> phases;
  Pattern pack;  // the region's bytes in file order
  Pattern file;  // where they lie in the file, relative to the vector's position
};

// Local, pure. Fails with invalid_argument if the element size is not positive or sizes in bytes
// exceed 61 bits.
Result<ByteSchedule> make_schedule(const InplacePlan& plan, std::int64_t element_bytes);

// Where this rank's last call spent its time.
struct StageTimes {
  std::vector<double> phases_s;  // as many as the plan has phases
  double pack_s = 0;
  double access_s = 0;
  double agree_s = 0;  // waiting for slower ranks included
};

// One rank's part of one call.
struct InplaceCall {
  OpenFile& file;
  const ByteSchedule& schedule;
  std::byte* region = nullptr;
  std::int64_t position = 0;  // of the vector's element 0, in bytes; the same on all ranks
};

// Collective over the file's communicator, in which every rank is schedule.rank. The own elements
// of the region are unchanged by a write and filled by a read; the rest of the region is lost.
// A read fails with io if the file ends before the vector does. A rank that cannot take part passes
// its `refusal`. All ranks fail with the same error, or none does.
Status write_inplace(const InplaceCall& call, const std::optional<Error>& refusal,
                     StageTimes& times);
Status read_inplace(const InplaceCall& call, const std::optional<Error>& refusal,
                    StageTimes& times);

}  // namespace tutti::inplace
