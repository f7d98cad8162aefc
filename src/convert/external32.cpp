#include "convert/external32.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "convert/swap_bytes.hpp"

namespace tutti {

namespace {

constexpr bool kBigEndian = std::endian::native == std::endian::big;
constexpr int kQuadBytes = 16;

#if defined(__x86_64__)
__extension__ using Quad = __float128;
#else
using Quad = long double;
static_assert(std::numeric_limits<Quad>::digits == 113);
#endif
static_assert(sizeof(Quad) == kQuadBytes);

void reorder(std::int64_t width, std::int64_t count, const std::byte* from, std::byte* to) {
  swap_bytes(kBigEndian ? 1 : width, kBigEndian ? count * width : count, from, to);
}

void long_doubles_to_quads(std::int64_t count, const std::byte* memory, std::byte* file) {
  for (std::int64_t i = 0; i < count; ++i) {
    long double value = 0;
    std::memcpy(&value, memory + i * static_cast<std::int64_t>(sizeof value), sizeof value);
    const auto quad = static_cast<Quad>(value);
    std::memcpy(file + i * kQuadBytes, &quad, kQuadBytes);
  }
  reorder(kQuadBytes, count, file, file);
}

void quads_to_long_doubles(std::int64_t count, const std::byte* file, std::byte* memory) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(long double));
  for (std::int64_t i = 0; i < count; ++i) {
    Quad quad = 0;
    reorder(kQuadBytes, 1, file + i * kQuadBytes, reinterpret_cast<std::byte*>(&quad));
    const auto value = static_cast<long double>(quad);
    constexpr std::size_t kValueBytes = std::numeric_limits<long double>::digits == 64
                                            ? 10  // x87: the rest is padding
                                            : sizeof value;
    std::memset(memory + i * kBytes, 0, sizeof value);
    std::memcpy(memory + i * kBytes, &value, kValueBytes);
  }
}

Status narrow_characters(std::int64_t count, const std::byte* memory, std::byte* file) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t character = 0;
    std::memcpy(&character, memory + i * 4, 4);
    if (character > 0xffff)
      return fail(ErrorKind::conversion,
                  "the wide character " + std::to_string(character) +
                      " needs more than the two bytes that external32 has for it");
    file[i * 2] = static_cast<std::byte>(character >> 8);
    file[i * 2 + 1] = static_cast<std::byte>(character & 0xff);
  }
  return {};
}

void widen_characters(std::int64_t count, const std::byte* file, std::byte* memory) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t character = std::to_integer<std::uint32_t>(file[i * 2]) << 8 |
                                    std::to_integer<std::uint32_t>(file[i * 2 + 1]);
    std::memcpy(memory + i * 4, &character, 4);
  }
}

void copy_bytes(std::int64_t bytes, const std::byte* from, std::byte* to) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

Result<ElementKind> external32_kind(Meaning meaning, std::int64_t memory_bytes) {
  const auto bytes = static_cast<std::int32_t>(memory_bytes);
  if (meaning == Meaning::bytes) return ElementKind{Encoding::copy, 1, 1};
  if (meaning == Meaning::wide_character && bytes == 4)
    return ElementKind{Encoding::wide_character, 4, 2};
  if (meaning == Meaning::long_double && bytes == sizeof(long double))
    return ElementKind{Encoding::long_double, bytes, kQuadBytes};
  if (bytes == 1) return ElementKind{Encoding::copy, 1, 1};
  const bool usual = bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  if (usual && meaning != Meaning::long_double) return ElementKind{Encoding::swap, bytes, bytes};
  return fail(ErrorKind::invalid_type, "external32 has no form for a predefined type of " +
                                           std::to_string(memory_bytes) + " bytes");
}

Status to_external32(ElementKind kind, std::int64_t count, const std::byte* memory,
                     std::byte* file) {
  switch (kind.encoding) {
    case Encoding::swap:
      reorder(kind.memory_bytes, count, memory, file);
      return {};
    case Encoding::wide_character:
      return narrow_characters(count, memory, file);
    case Encoding::long_double:
      long_doubles_to_quads(count, memory, file);
      return {};
    case Encoding::copy:
    case Encoding::by_function:
      copy_bytes(count * kind.memory_bytes, memory, file);
  }
  return {};
}

void from_external32(ElementKind kind, std::int64_t count, const std::byte* file,
                     std::byte* memory) {
  switch (kind.encoding) {
    case Encoding::swap:
      return reorder(kind.memory_bytes, count, file, memory);
    case Encoding::wide_character:
      return widen_characters(count, file, memory);
    case Encoding::long_double:
      return quads_to_long_doubles(count, file, memory);
    case Encoding::copy:
    case Encoding::by_function:
      copy_bytes(count * kind.memory_bytes, file, memory);
  }
}

}  // namespace tutti
