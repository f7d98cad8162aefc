// How bytes get from rank to rank on one node, where two ways are open. What is written: owners
// fetch it from the memory of other ranks, or ranks put it into the arena. What is read in short
// pieces: owners deal it out by the arena, or every rank picks its own out of the file's pages,
// each of which it looks at whole. Which is quicker depends on what the system charges for reaching
// into another process, on how far cores are from each other, and on their memory; it is learnt by
// doing. All ranks go the way that rank 0 votes for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/quickest_way.hpp"

namespace tutti {

enum CarryingWay : int {
  kUsual = 0,  // writes are fetched, reads go by the arena
  kOther = 1,  // writes go by the arena, reads are picked out of pages
};

// Calls that are told apart, because what is quicker for one is not for the other.
struct CarryingKind {
  bool reading = false;
  bool staged = false;       // the memory of some rank is not contiguous
  bool keeps_pages = false;  // see SeenPages::keeps()
};

class Carrying {
 public:
  // A call with fewer bytes, of all ranks, says nothing about how to carry many.
  static constexpr std::int64_t kLeastBytes = 1 << 20;

  // Local. The way this rank votes for, as a bit for each kind of call.
  std::int64_t votes() const {
    std::int64_t bits = 0;
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (known_[i].ways.next() == kOther) bits |= std::int64_t{1} << i;
    return bits;
  }

  // The way that `votes` says for calls of `kind`.
  static CarryingWay voted(std::int64_t votes, CarryingKind kind) {
    return (votes >> index(kind) & 1) != 0 ? kOther : kUsual;
  }

  // Local. What a call that went that way cost, in any unit for a byte. The first one of each way
  // does not count: it makes what later ones use.
  void went(CarryingKind kind, CarryingWay way, double cost) {
    Known& known = known_[index(kind)];
    bool& warm = known.warm[static_cast<std::size_t>(way)];
    if (warm) known.ways.went(way, cost);
    warm = true;
  }

 private:
  struct Known {
    QuickestWay ways;
    std::array<bool, 2> warm{};
  };

  static std::size_t index(CarryingKind kind) {
    return (kind.staged ? 1U : 0U) + (kind.keeps_pages ? 2U : 0U) + (kind.reading ? 4U : 0U);
  }

  std::array<Known, 8> known_;
};

}  // namespace tutti
