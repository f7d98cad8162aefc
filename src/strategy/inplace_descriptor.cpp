#include "strategy/inplace_descriptor.hpp"

#include <algorithm>

namespace tutti::inplace {

void append(Tuples& tuples, Tuple tuple) {
  if (tuple.length == 0) return;
  if (!tuples.empty() && tuples.back().end() == tuple.offset) {
    tuples.back().length += tuple.length;
  } else {
    tuples.push_back(tuple);
  }
}

std::int64_t total_length(std::span<const Tuple> tuples) {
  std::int64_t length = 0;
  for (const Tuple& tuple : tuples) length += tuple.length;
  return length;
}

std::optional<std::int64_t> phy_to_log(std::span<const Tuple> tuples, std::int64_t physical) {
  if (physical < 0) return std::nullopt;
  for (const Tuple& tuple : tuples) {
    if (physical < tuple.length) return tuple.offset + physical;
    physical -= tuple.length;
  }
  return std::nullopt;
}

Tuples slice(std::span<const Tuple> tuples, std::int64_t first, std::int64_t last) {
  Tuples result;
  std::int64_t items = 0;
  for (const Tuple& tuple : tuples) {
    const std::int64_t from = std::max<std::int64_t>(first - items, 0);
    const std::int64_t to = std::min(last - items, tuple.length);
    if (from < to) append(result, {tuple.offset + from, to - from});
    items += tuple.length;
    if (items >= last) break;
  }
  return result;
}

std::int64_t total_length(std::span<const Repeat> repeats) {
  std::int64_t length = 0;
  for (const Repeat& repeat : repeats) length += repeat.count * total_length(repeat.tuples);
  return length;
}

std::int64_t tuple_count(std::span<const Repeat> repeats) {
  std::int64_t count = 0;
  for (const Repeat& repeat : repeats) count += static_cast<std::int64_t>(repeat.tuples.size());
  return count;
}

Tuples expand(std::span<const Repeat> repeats) {
  Tuples result;
  for (const Repeat& repeat : repeats) {
    for (std::int64_t replica = 0; replica < repeat.count; ++replica) {
      for (const Tuple& tuple : repeat.tuples) {
        append(result, {tuple.offset + replica * repeat.stride, tuple.length});
      }
    }
  }
  return result;
}

}  // namespace tutti::inplace
