// Noncontiguous user memory on the shared transport: packed for the owners, round by round.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exec/round_access.hpp"

namespace tutti {

class StagedMemory {
 public:
  explicit StagedMemory(RunningCall& call) : call_(call) {}

  // Local. Lays out this rank's bytes of `round` for every owner and publishes where they are; for
  // a write the bytes are there too. REQUIRES: the half's last round is over for every owner.
  std::optional<Error> open_round(std::int64_t round);

  // Local. Reads: moves what the owners delivered in `round` to the user's memory.
  void close_round(std::int64_t round);

 private:
  struct Slot {
    PackedRange range;
    std::int64_t at = 0;
  };
  RunningCall& call_;
  std::vector<Slot> layout_[2];
  std::vector<Scratch::Lease> leases_[2];
};

}  // namespace tutti
