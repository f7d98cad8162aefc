// What the ranks of a file say to each other around a collective access: how it gets there is a
// matter of where they are and of which thread speaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace tutti {

using Bytes = std::vector<std::byte>;

// Something for one other rank.
struct Letter {
  int peer = 0;
  Bytes body;
};

class Exchange {
 public:
  virtual ~Exchange() = default;

  // Collective. Every rank's `mine` to every rank, in rank order. REQUIRES: one small size on all.
  virtual Status tell_all(std::span<const std::byte> mine, std::byte* all) = 0;

  // Collective. The same where sizes differ: `sizes` has one for each rank and is known to all.
  virtual Status gather(std::span<const std::byte> mine, std::span<const std::int64_t> sizes,
                        std::byte* all) = 0;

  // Collective. Every letter to its rank, at most one to each; returns the letters of the ranks
  // `from`, in that order. REQUIRES: `from` names all ranks, and no other, that write to this one.
  virtual Result<std::vector<Bytes>> deliver(std::span<const Letter> letters,
                                             std::span<const int> from) = 0;

  // Collective. As agree() in mpi/agree.hpp.
  virtual Status agree(const std::optional<Error>& failure) = 0;

  // Collective.
  virtual void barrier() = 0;
};

}  // namespace tutti
