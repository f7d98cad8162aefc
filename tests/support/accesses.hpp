// What all ranks of a made-up call ask for, and their plans.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "pattern/shapes.hpp"
#include "plan/facts.hpp"
#include "plan/node_bytes.hpp"
#include "strategy/strategy.hpp"
#include "support/random_pattern.hpp"

namespace tutti::test {

using Accesses = std::vector<FileRange>;

inline FileRange whole(const Pattern& stream) { return {stream, 0, stream.size()}; }

// A vector dealt out in blocks, at `displacement` of the file.
struct CyclicVector {
  std::int64_t ranks = 1;
  std::int64_t elements = 0;
  std::int64_t block = 1;
  std::int64_t element_bytes = 1;
  std::int64_t displacement = 0;
};
inline Accesses block_cyclic(const CyclicVector& vector) {
  Accesses accesses;
  for (std::int64_t rank = 0; rank < vector.ranks; ++rank)
    accesses.push_back(whole(tutti::block_cyclic({.ranks = vector.ranks,
                                                  .rank = rank,
                                                  .elements = vector.elements,
                                                  .block = vector.block,
                                                  .element_bytes = vector.element_bytes})
                                 .shifted(vector.displacement)));
  return accesses;
}

inline CallFacts facts_for(std::span<const FileRange> accesses,
                           Direction direction = Direction::write) {
  CallFacts facts;
  facts.direction = direction;
  for (const FileRange& access : accesses) facts.ranks.push_back(facts_of(access));
  return facts;
}

// Sets the layout and what follows from it.
inline void set_layout(CallFacts& facts, std::span<const FileRange> accesses,
                       const StripeLayout& layout) {
  facts.layout = layout;
  for (std::size_t rank = 0; rank < accesses.size(); ++rank)
    facts.ranks[rank].on_node = bytes_on_nodes(accesses[rank], layout);
}

inline std::vector<Plan> plan_all(const Strategy& strategy, const CallFacts& facts) {
  std::vector<Plan> plans;
  for (std::size_t rank = 0; rank < facts.ranks.size(); ++rank)
    plans.push_back(strategy.plan(facts, static_cast<std::int32_t>(rank)));
  return plans;
}
inline std::vector<Plan> plan_all(const Strategy& strategy, std::span<const FileRange> accesses) {
  return plan_all(strategy, facts_for(accesses));
}

struct RandomCall {
  Accesses accesses;
  CallFacts facts;
};

// Calls of every kind that strategies must cope with; small, so that bytes can be followed.
class CallMaker {
 public:
  explicit CallMaker(std::uint64_t seed) : random_(seed), patterns_(random_()) {}

  // `striped`: always with a striped layout, otherwise now and then.
  RandomCall call(std::int64_t most_ranks, bool striped = false) {
    RandomCall made;
    const std::int64_t ranks =
        chance(75) ? 1 + below(std::min<std::int64_t>(most_ranks, 9)) : 1 + below(most_ranks);
    made.accesses = accesses(ranks);
    if (chance(30))
      for (FileRange& access : made.accesses)
        if (chance(30)) access = {};
    made.facts = facts_for(made.accesses, chance(50) ? Direction::read : Direction::write);
    set_hints(made.facts);
    if (striped || chance(20)) set_layout(made.facts, made.accesses, layout());
    made.facts.server_cache = chance(20);
    return made;
  }

  std::int64_t below(std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_);
  }
  bool chance(int percent) { return below(100) < percent; }

 private:
  Accesses accesses(std::int64_t ranks) {
    switch (below(7)) {
      case 0:
        return block_cyclic({ranks, below(400), 1 + below(9), 1 + below(8), below(20)});
      case 1:
        return grid(ranks);
      case 2:
        return dealt(ranks);
      case 3:
        return overlapping(ranks);
      case 4:
        return one_holds_all(ranks);
      case 5:
        return tiled_views(ranks);
      default:
        return one_after_another(ranks);
    }
  }

  // Rows and columns of boxes; the box grid is larger than the array now and then.
  Accesses grid(std::int64_t ranks) {
    const std::int64_t columns = 1 + below(4);
    const std::int64_t rows = (ranks + columns - 1) / columns;
    const std::int64_t width = 1 + below(6);
    const std::int64_t height = 1 + below(5);
    const std::int64_t full[] = {rows * height, columns * width};
    const std::int64_t sizes[] = {height, width};
    const std::int64_t element_bytes = 1 + below(4);
    Accesses made;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t starts[] = {rank / columns * height, rank % columns * width};
      made.push_back(
          whole(subarray({full, sizes, starts}, Pattern::run(element_bytes), element_bytes)));
    }
    return made;
  }

  // Irregular pieces dealt to random ranks, holes between some.
  Accesses dealt(std::int64_t ranks) {
    std::vector<std::vector<Extent>> runs(static_cast<std::size_t>(ranks));
    std::int64_t at = below(30);
    const int holes = chance(50) ? 0 : 30;
    for (std::int64_t pieces = below(120); pieces > 0; --pieces) {
      const std::int64_t bytes = 1 + below(12);
      runs[static_cast<std::size_t>(below(ranks))].push_back({at, bytes});
      at += bytes + (chance(holes) ? below(40) : 0);
    }
    Accesses made;
    for (const auto& list : runs) made.push_back(whole(Pattern::tuples(list)));
    return made;
  }

  Accesses overlapping(std::int64_t ranks) {
    Accesses made;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
      made.push_back(whole(patterns_.ascending(2).pattern.shifted(below(40))));
    return made;
  }

  Accesses one_holds_all(std::int64_t ranks) {
    Accesses made(static_cast<std::size_t>(ranks));
    const Pattern run = Pattern::run(1 + below(900), below(50));
    const Pattern strided = Pattern::repeat(1 + below(90), 9, Pattern::run(1 + below(9)));
    made[static_cast<std::size_t>(below(ranks))] = whole(chance(50) ? run : strided);
    return made;
  }

  // Endless streams of which each rank takes a part somewhere.
  Accesses tiled_views(std::int64_t ranks) {
    const std::int64_t block = 1 + below(8);
    const std::int64_t gap = chance(50) ? 0 : below(5);
    Accesses made;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const Pattern tile = Pattern::run(block, rank * block);
      const Pattern stream = Pattern::tiled(tile, ranks * block + gap);
      made.push_back({stream, chance(60) ? 0 : below(50), chance(60) ? 60 : below(200)});
    }
    return made;
  }

  Accesses one_after_another(std::int64_t ranks) {
    Accesses made;
    std::int64_t at = below(100);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t bytes = below(90);
      made.push_back(whole(Pattern::run(bytes, at)));
      at += bytes + (chance(20) ? below(20) : 0);
    }
    return made;
  }

  void set_hints(CallFacts& facts) {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    for (const RankFacts& rank : facts.ranks) upper = std::max(upper, rank.upper);
    const auto ranks = std::ssize(facts.ranks);
    Hints& hints = facts.hints;
    // Mostly so that the whole range takes a few rounds, sometimes one or a great many.
    if (chance(70))
      hints.cb_buffer_size =
          std::max<std::int64_t>(2 * (upper - lower) / (ranks * (1 + below(4))), 1);
    else if (chance(10))
      hints.cb_buffer_size = 1 + below(64);
    if (chance(30)) hints.cb_nodes = 1 + below(ranks + 2);
    if (chance(20)) hints.cb_config_list = chance(50) ? "*:1" : "*:*";
    hints.radix = chance(50) ? 2 : 2 + below(ranks + 2);
    const std::int64_t node_ranks = 1 + below(ranks);
    const bool scattered = chance(30);
    for (std::int64_t rank = 0; rank < ranks; ++rank)
      facts.ranks[static_cast<std::size_t>(rank)].node =
          static_cast<std::int32_t>(scattered ? below(4) : rank / node_ranks);
    if (chance(30)) hints.strategy = "resonant";  // which some strategies heed
  }

  StripeLayout layout() {
    const auto nodes = static_cast<std::int32_t>(2 + below(chance(80) ? 4 : 16));
    if (chance(80)) return {1 + below(64), nodes, static_cast<std::int32_t>(below(nodes)), nullptr};
    // Objects wherever it pleased; the table ends inside the file now and then.
    PlacementPart part;
    part.block_bytes = 1 + below(64);
    part.columns = static_cast<std::int32_t>(1 + below(3));
    part.object_blocks = 1 + below(3);
    const std::int64_t set_bytes = part.block_bytes * part.columns * part.object_blocks;
    const std::int64_t sets = 1 + below(3000 / set_bytes + 1);
    part.range = {0, sets * set_bytes};
    for (std::int64_t i = 0; i < sets * part.columns; ++i)
      part.nodes.push_back(static_cast<std::int32_t>(below(nodes)));
    return layout_by_table(*PlacementTable::make({part}), part.block_bytes, nodes);
  }

  std::mt19937_64 random_;
  testing::PatternMaker patterns_;
};

}  // namespace tutti::test
