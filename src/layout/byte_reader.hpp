// Little-endian numbers out of bytes that nobody vouches for.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti {

// Nothing where the bytes end before the number does.
template <std::unsigned_integral Number>
std::optional<Number> number_at(std::span<const std::byte> bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(Number)) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return static_cast<Number>(value);
}

template <std::unsigned_integral Number>
void append_number(std::vector<std::byte>& bytes, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    bytes.push_back(static_cast<std::byte>(std::uint64_t{value} >> (8 * i)));
}

}  // namespace tutti
