// The datatypes of in-place multi-phase I/O: lists of {offset, length} tuples, and such lists
// repeated at a constant distance. Everything here counts elements, not bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti::inplace {

// `length` consecutive elements from element `offset` on, of a region, of the vector or of the
// file.
struct Tuple {
  std::int64_t offset = 0;
  std::int64_t length = 0;

  constexpr std::int64_t end() const { return offset + length; }
  friend constexpr bool operator==(const Tuple&, const Tuple&) = default;
};
using Tuples = std::vector<Tuple>;  // MPI_Type_indexed: the order of the list is the order of data

// Adds a tuple: nothing if it is empty, a longer last tuple if it is adjacent, else a new one.
void append(Tuples& tuples, Tuple tuple);

std::int64_t total_length(std::span<const Tuple> tuples);

// Phy2Log: the offset of the `physical`-th element that the tuples select, none outside of them.
std::optional<std::int64_t> phy_to_log(std::span<const Tuple> tuples, std::int64_t physical);

// Phy2Log of the elements [first, last) at once, as far as the tuples have them.
Tuples slice(std::span<const Tuple> tuples, std::int64_t first, std::int64_t last);

// `tuples`, `count` times, each time moved by `stride`: MPI_Type_hvector of MPI_Type_indexed.
struct Repeat {
  Tuples tuples;
  std::int64_t count = 1;
  std::int64_t stride = 0;  // 0 if count is 1

  friend bool operator==(const Repeat&, const Repeat&) = default;
};
using Repeats = std::vector<Repeat>;

std::int64_t total_length(std::span<const Repeat> repeats);

// How many tuples describe the selection, replicas not counted.
std::int64_t tuple_count(std::span<const Repeat> repeats);

// The same elements in the same order without repetition.
Tuples expand(std::span<const Repeat> repeats);

}  // namespace tutti::inplace
