// Random views, memory types and operations, with what the reference needs to know about them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "differential/file_api.hpp"
#include "differential/reference_file.hpp"
#include "mpi/owned.hpp"
#include "support/random_types.hpp"

namespace tutti::test {

// Bytes of memory around a base address that may lie anywhere in them.
class MemoryArea {
 public:
  MemoryArea(const std::vector<std::int64_t>& type_bytes, std::int64_t extent, int count,
             std::uint64_t seed) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (int i = 0; i < count; ++i)
      for (const std::int64_t offset : type_bytes) {
        low = std::min(low, offset + i * extent);
        high = std::max(high, offset + i * extent + 1);
      }
    constexpr std::int64_t kGuard = 64;
    bytes_.resize(static_cast<std::size_t>(high - low + 2 * kGuard));
    base_ = static_cast<std::size_t>(kGuard - low);
    std::mt19937_64 random(seed);
    for (unsigned char& byte : bytes_) byte = static_cast<unsigned char>(random() >> 32);
    for (int i = 0; i < count; ++i)
      for (const std::int64_t offset : type_bytes)
        places_.push_back(base_ + static_cast<std::size_t>(offset + i * extent));
  }
  void* base() { return bytes_.data() + base_; }
  std::vector<unsigned char*> places() {
    std::vector<unsigned char*> all;
    all.reserve(places_.size());
    for (const std::size_t place : places_) all.push_back(bytes_.data() + place);
    return all;
  }
  const std::vector<unsigned char>& bytes() const { return bytes_; }
  // Relative to the base; 0 where no byte is moved.
  std::int64_t first_place() const {
    return places_.empty() ? 0 : static_cast<std::int64_t>(places_.front() - base_);
  }
  bool has_byte_twice() const {
    std::vector<std::size_t> sorted = places_;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  }

 private:
  std::vector<unsigned char> bytes_;
  std::size_t base_ = 0;
  std::vector<std::size_t> places_;
};

struct RandomView {
  MPI_Datatype etype = MPI_BYTE;
  MPI_Datatype filetype = MPI_BYTE;
  OwnedType own_etype;
  OwnedType own_filetype;
  ReferenceView reference;
  std::string kind;  // of the case, for the table of host differences
  std::string text;

  std::int64_t tile_bytes() const { return static_cast<std::int64_t>(reference.tile.size()); }
};

// tame: what a host's own MPI-IO should master too. Leaves out types made by large-count
// constructors, empty parts, long doubles, views that overlap or interleave their tiles, and views
// without bytes.
enum class Temper { tame, wild };

class RandomAccess {
 public:
  RandomAccess(std::uint64_t seed, Temper temper) : random_(seed), temper_(temper) {}

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, std::max(low, high))(random_);
  }
  bool chance(int percent) { return draw(1, 100) <= percent; }
  std::uint64_t seed() { return random_(); }

  // A view for reading only may overlap itself.
  RandomView view(bool writable) {
    const std::int64_t roll = draw(1, tame() ? 80 : 100);
    RandomView made = roll <= 12   ? plain()
                      : roll <= 60 ? nested(writable)
                      : roll <= 80 ? of_derived_etype(writable)
                      : roll <= 88 ? narrow_tile(writable)
                      : roll <= 95 ? (writable ? nested(true) : overlapping())
                                   : without_bytes();
    made.reference.displacement = chance(50) ? 0 : draw(1, 200);
    return made;
  }

  struct Memory {
    RandomType type;
    int count = 0;
  };
  // A memory type and a count that make a whole number of etypes; count 0 where nothing fits.
  Memory memory(bool is_read_into, std::int64_t etype_bytes) {
    Memory made{random_type({.use = is_read_into ? TypeUse::receive : TypeUse::send,
                             .max_bytes = draw(1, 300),
                             .max_depth = static_cast<int>(draw(0, 3))}),
                0};
    const auto size = static_cast<std::int64_t>(made.type.bytes.size());
    if (size == 0) {
      made.count = static_cast<int>(draw(0, 3));
      return made;
    }
    const std::int64_t unit = etype_bytes / std::gcd(etype_bytes, size);
    if (unit * size > 6000) return made;
    made.count = static_cast<int>(
        unit * draw(chance(6) ? 0 : 1, std::max<std::int64_t>(1, 1500 / (unit * size))));
    if (is_read_into &&
        MemoryArea(made.type.bytes, made.type.extent, made.count, 0).has_byte_twice())
      made.count = unit == 1 ? 1 : 0;
    return made;
  }

  // Plain elements of a basic type, one after the other.
  Memory plain_memory(std::int64_t etype_bytes) {
    const MPI_Datatype basic = basic_etype(8);
    const std::int64_t bytes = size_of(basic);
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    MPI_Type_dup(basic, &copy);
    Memory made;
    made.type.type = OwnedType(copy);
    made.type.bytes.resize(static_cast<std::size_t>(bytes));
    std::iota(made.type.bytes.begin(), made.type.bytes.end(), 0);
    made.type.extent = bytes;
    made.type.text = "basic type of " + std::to_string(bytes) + " bytes";
    const std::int64_t unit = etype_bytes / std::gcd(etype_bytes, bytes);
    made.count = static_cast<int>(unit * draw(0, 1500 / (unit * bytes)));
    return made;
  }

 private:
  bool tame() const { return temper_ == Temper::tame; }

  RandomType random_type(RandomTypeLimits limits) {
    if (!tame()) return RandomTypes(seed(), limits).next();
    limits.empty_parts = false;
    RandomTypes types(seed(), limits);
    for (;;) {
      RandomType made = types.next();
      if (made.bytes.empty() || made.extent <= 0) continue;
      const auto holds = [&](const char* part) {
        return made.text.find(part) != std::string::npos;
      };
      if (holds("_c(") || holds("LONG_DOUBLE") || holds("_INT")) continue;
      return made;
    }
  }

  static OwnedType committed(MPI_Datatype type) {
    MPI_Type_commit(&type);
    return OwnedType(type);
  }

  MPI_Datatype basic_etype(std::int64_t dividing) {
    const std::vector<std::pair<MPI_Datatype, std::int64_t>> choices{
        {MPI_BYTE, 1}, {MPI_SHORT, 2}, {MPI_INT, 4}, {MPI_DOUBLE, 8}, {MPI_CHAR, 1}};
    for (int attempt = 0; attempt < 8; ++attempt) {
      const auto& [type, bytes] = choices[static_cast<std::size_t>(draw(0, 4))];
      if (dividing % bytes == 0) return type;
    }
    return MPI_BYTE;
  }
  static std::int64_t size_of(MPI_Datatype type) {
    int size = 0;
    MPI_Type_size(type, &size);
    return size;
  }

  TypeUse file_use(bool writable) const {
    return writable || tame() ? TypeUse::file_write : TypeUse::file_read;
  }

  RandomView plain() {
    RandomView made;
    made.etype = basic_etype(8);
    made.filetype = made.etype;
    made.reference.etype_bytes = size_of(made.etype);
    made.reference.extent = made.reference.etype_bytes;
    made.reference.tile.resize(static_cast<std::size_t>(made.reference.etype_bytes));
    std::iota(made.reference.tile.begin(), made.reference.tile.end(), 0);
    made.kind = "contiguous view";
    made.text = "basic type of " + std::to_string(made.reference.extent) + " bytes";
    return made;
  }

  static bool ascends(const std::vector<std::int64_t>& bytes) {
    return std::is_sorted(bytes.begin(), bytes.end(), std::less_equal<>());
  }

  RandomView from(RandomType&& type, const std::string& kind) {
    RandomView made;
    made.reference.tile = type.bytes;
    made.reference.extent = type.extent;
    made.text = type.text;
    made.kind = type.bytes.empty() ? "filetype without bytes"
                : ascends(type.bytes)
                    ? (type.bytes.back() - type.bytes.front() < type.extent ? kind : "narrow tile")
                    : "filetype that overlaps itself";
    made.own_filetype = std::move(type.type);
    made.filetype = made.own_filetype.get();
    made.etype = basic_etype(made.tile_bytes());
    made.reference.etype_bytes = size_of(made.etype);
    return made;
  }

  RandomView nested(bool writable) {
    return from(random_type({.use = file_use(writable),
                             .max_bytes = draw(1, 400),
                             .max_depth = static_cast<int>(draw(1, 4))}),
                "nested filetype");
  }

  // An etype with holes or several members, and a filetype made of it.
  RandomView of_derived_etype(bool writable) {
    RandomType etype = random_type(
        {.use = file_use(writable), .max_bytes = 24, .max_depth = 2, .empty_parts = false});
    if (etype.bytes.empty() || etype.extent <= 0) return plain();
    const int count = static_cast<int>(draw(1, 5));
    const int length = static_cast<int>(draw(1, 3));
    const int stride = static_cast<int>(draw(length, length + 3));
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, length, stride, etype.type.get(), &vector);
    RandomType filetype;
    filetype.type = committed(vector);
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < length; ++j)
        for (const std::int64_t offset : etype.bytes)
          filetype.bytes.push_back((i * stride + j) * etype.extent + offset);
    MPI_Aint lb = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(vector, &lb, &extent);
    filetype.extent = extent;
    filetype.text = "vector(" + std::to_string(count) + "," + std::to_string(length) + "," +
                    std::to_string(stride) + "," + etype.text + ")";
    if (!std::is_sorted(filetype.bytes.begin(), filetype.bytes.end())) return plain();
    RandomView made = from(std::move(filetype), "derived etype");
    made.reference.etype_bytes = static_cast<std::int64_t>(etype.bytes.size());
    made.own_etype = std::move(etype.type);
    made.etype = made.own_etype.get();
    return made;
  }

  // Tiles closer together than they are wide: interleaved for writing, any for reading.
  RandomView narrow_tile(bool writable) {
    const int count = static_cast<int>(draw(2, 5));
    const int length = static_cast<int>(draw(1, 6));
    const int gap = static_cast<int>(draw(1, 4)) * length;
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, length, length + gap, MPI_BYTE, &vector);
    MPI_Datatype narrow = MPI_DATATYPE_NULL;
    const MPI_Aint extent = writable ? length : draw(0, count * (length + gap) - gap - 1);
    MPI_Type_create_resized(vector, 0, extent, &narrow);
    MPI_Type_free(&vector);
    RandomType type;
    type.type = committed(narrow);
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < length; ++j) type.bytes.push_back(i * (length + gap) + j);
    type.extent = extent;
    type.text = "resized(vector(" + std::to_string(count) + "," + std::to_string(length) + "," +
                std::to_string(length + gap) + ",BYTE),0," + std::to_string(extent) + ")";
    return from(std::move(type), "narrow tile");
  }

  // Elements that lie on each other, in the order MPI asks for.
  RandomView overlapping() {
    const MPI_Datatype element = std::vector<MPI_Datatype>{
        MPI_SHORT, MPI_INT, MPI_DOUBLE}[static_cast<std::size_t>(draw(0, 2))];
    const std::int64_t bytes = size_of(element);
    const std::int64_t count = draw(2, 9);
    std::vector<MPI_Aint> places{draw(0, 5)};
    while (static_cast<std::int64_t>(places.size()) < count)
      places.push_back(places.back() + draw(0, bytes + 2));
    MPI_Datatype elements = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(static_cast<int>(count), 1, places.data(), element, &elements);
    RandomType type;
    type.text = "hindexed_block(1 [";
    for (const MPI_Aint place : places) {
      type.text += std::to_string(place) + " ";
      for (std::int64_t i = 0; i < bytes; ++i) type.bytes.push_back(place + i);
    }
    type.text += "], element of " + std::to_string(bytes) + " bytes)";
    MPI_Aint lb = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(elements, &lb, &extent);
    type.extent = extent;
    type.type = committed(elements);
    return from(std::move(type), "nested filetype");
  }

  RandomView without_bytes() {
    MPI_Datatype empty = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    RandomType type;
    type.type = committed(empty);
    type.text = "contiguous(0,INT)";
    return from(std::move(type), "filetype without bytes");
  }

  std::mt19937_64 random_;
  Temper temper_;
};

}  // namespace tutti::test
