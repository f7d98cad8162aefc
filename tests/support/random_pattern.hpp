// Random patterns together with the plain list of offsets they stand for.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "pattern/pattern.hpp"

namespace tutti::testing {

struct RandomPattern {
  Pattern pattern;
  std::vector<std::int64_t> bytes;  // offset of each stream byte: the reference
};

class PatternMaker {
 public:
  explicit PatternMaker(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_);
  }
  bool chance(int percent) { return below(100) < percent; }

  // Any pattern: overlaps, negative strides, any order.
  RandomPattern any(int depth) { return make(depth, false); }

  // Strictly ascending bytes, offsets >= 0.
  RandomPattern ascending(int depth) {
    RandomPattern made = make(depth, true);
    return move(std::move(made), made.pattern.empty() ? 0 : below(9) - made.pattern.lower());
  }

 private:
  static RandomPattern move(RandomPattern made, std::int64_t by) {
    for (std::int64_t& offset : made.bytes) offset += by;
    made.pattern = made.pattern.shifted(by);
    return made;
  }

  static std::int64_t span_of(const RandomPattern& made) {
    return made.pattern.upper() - made.pattern.lower();
  }

  RandomPattern make(int depth, bool ascending) {
    const std::int64_t pick = depth == 0 ? 0 : below(4);
    if (pick == 0) return run(ascending);
    if (pick == 1) return tuples(ascending);
    if (pick == 2) return repeat(depth, ascending);
    return sequence(depth, ascending);
  }

  RandomPattern run(bool) {
    const std::int64_t bytes = chance(5) ? 0 : 1 + below(12);
    const std::int64_t at = below(7) - 3;
    RandomPattern made{Pattern::run(bytes, at), {}};
    for (std::int64_t i = 0; i < bytes; ++i) made.bytes.push_back(at + i);
    return made;
  }

  RandomPattern tuples(bool ascending) {
    std::vector<Extent> runs;
    RandomPattern made;
    std::int64_t at = below(9) - 4;
    const bool regular = chance(50);
    const std::int64_t bytes = 1 + below(5);
    const std::int64_t gap = below(6);
    for (std::int64_t n = below(40); n > 0; --n) {
      const std::int64_t length = regular ? bytes : below(6);
      runs.push_back({at, length});
      for (std::int64_t i = 0; i < length; ++i) made.bytes.push_back(at + i);
      at += ascending ? length + (regular && !chance(4) ? gap : below(6)) : below(20) - 8;
    }
    made.pattern = Pattern::tuples(runs);
    return made;
  }

  RandomPattern repeat(int depth, bool ascending) {
    const RandomPattern child = make(depth - 1, ascending);
    const std::int64_t count = below(6);
    const std::int64_t span = span_of(child);
    const std::int64_t stride = ascending ? span + below(8) : below(41) - 20;
    RandomPattern made{Pattern::repeat(count, stride, child.pattern), {}};
    for (std::int64_t i = 0; i < count; ++i)
      for (const std::int64_t offset : child.bytes) made.bytes.push_back(offset + i * stride);
    return made;
  }

  RandomPattern sequence(int depth, bool ascending) {
    std::vector<Pattern::Placed> placed;
    RandomPattern made;
    std::int64_t end = 0;
    const RandomPattern again = make(depth - 1, ascending);
    for (std::int64_t n = below(6); n > 0; --n) {
      const RandomPattern child = chance(50) ? again : make(depth - 1, ascending);
      const std::int64_t at =
          ascending ? end - child.pattern.lower() + (chance(50) ? 3 : below(8)) : below(60) - 30;
      placed.push_back({at, child.pattern});
      for (const std::int64_t offset : child.bytes) made.bytes.push_back(offset + at);
      if (!child.pattern.empty()) end = at + child.pattern.upper();
    }
    made.pattern = Pattern::sequence(placed);
    return made;
  }

  std::mt19937_64 random_;
};

}  // namespace tutti::testing
