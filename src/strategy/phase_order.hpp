// Who exchanges with whom in which phase of a multi-phase exchange, for any number of ranks.
//
// Ranks stand in an order; the digits of a rank's position in a mixed radix k0, k1, … decide. With
// m0 = 1 and m(ph+1) = m(ph) · k(ph), the positions that are equal modulo m(ph) form a group at the
// start of phase ph. A group owns one run of consecutive parts of the file, as many as it has
// members; in the phase it splits into subgroups by the digit, in ascending order. At the end every
// group is one rank with one part: for radix 2 and powers of two the bit-reversed position.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/facts.hpp"

namespace tutti {

// Half-open.
struct PartRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  friend bool operator==(const PartRange&, const PartRange&) = default;
};

class PhaseOrder {
 public:
  // REQUIRES: at least one rank in `ranks`, which are in order of position; radices >= 2 whose
  // product is at least their number.
  PhaseOrder(std::vector<std::int32_t> ranks, std::vector<std::int32_t> radices);

  std::int32_t ranks() const { return static_cast<std::int32_t>(rank_at_.size()); }
  std::int32_t phases() const { return static_cast<std::int32_t>(radices_.size()); }
  std::int32_t radix(std::int32_t phase) const { return radices_[static_cast<std::size_t>(phase)]; }
  std::int32_t rank_at(std::int32_t position) const {
    return rank_at_[static_cast<std::size_t>(position)];
  }
  std::int32_t position_of(std::int32_t rank) const {
    return position_of_[static_cast<std::size_t>(rank)];
  }
  std::int32_t digit(std::int32_t position, std::int32_t phase) const;

  // The parts of the group of `position` at the start of `phase`; at phases() its own part.
  PartRange parts(std::int32_t position, std::int32_t phase) const;
  // The parts of subgroup `digit` of that group in `phase`; empty where it has no member.
  PartRange subgroup_parts(std::int32_t position, std::int32_t phase, std::int32_t digit) const;

  // To whom `position` sends what belongs to subgroup `digit`, which is not its own: to the member
  // whose other digits are its own, or where there is none to one that several share. None: the
  // subgroup has no member.
  std::optional<std::int32_t> target(std::int32_t position, std::int32_t phase,
                                     std::int32_t digit) const;
  // Who sends to `position` in `phase`: all with it as a target.
  std::vector<std::int32_t> sources(std::int32_t position, std::int32_t phase) const;

  // Whose bytes `position` holds at the start of `phase`, as positions.
  std::vector<std::int32_t> origins(std::int32_t position, std::int32_t phase) const;

 private:
  // A position's place in its group: member `index` of `size`, `distance` positions apart.
  struct Place {
    std::int32_t group = 0;
    std::int32_t distance = 1;
    std::int32_t index = 0;
    std::int32_t size = 1;

    std::int32_t position(std::int32_t member) const { return group + member * distance; }
  };
  Place place(std::int32_t position, std::int32_t phase) const;

  std::vector<std::int32_t> rank_at_;
  std::vector<std::int32_t> position_of_;
  std::vector<std::int32_t> radices_;
  std::vector<std::int32_t> distances_;  // m(ph); one more than phases
};

// The order and the radices for a call: ranks of one node stand together. tutti_radix decides the
// radix; where several nodes have the same number of ranks, more than one, the first phase stays
// inside the nodes. A radix of at least the number of ranks makes one phase of direct exchange.
PhaseOrder phase_order(const CallFacts& facts);

}  // namespace tutti
