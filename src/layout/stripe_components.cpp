#include "layout/stripe_components.hpp"

namespace tutti {

namespace {

// Which of every io_nodes consecutive stripes lies on `node`.
std::int64_t turn_of(const StripeLayout& layout, std::int32_t node) {
  return (node - layout.first_node + layout.io_nodes) % layout.io_nodes;
}

}  // namespace

std::int64_t component_offset(const StripeLayout& layout, std::int64_t offset) {
  const std::int64_t stripe = offset / layout.unit_bytes;
  return stripe / layout.io_nodes * layout.unit_bytes + offset % layout.unit_bytes;
}

std::int64_t component_bytes(const StripeLayout& layout, std::int32_t node,
                             std::int64_t file_bytes) {
  const std::int64_t whole_stripes = file_bytes / layout.unit_bytes;
  const std::int64_t whole_rounds = whole_stripes / layout.io_nodes;
  const std::int64_t turns_left = whole_stripes % layout.io_nodes;
  const std::int64_t turn = turn_of(layout, node);
  std::int64_t bytes = whole_rounds * layout.unit_bytes;
  if (turn < turns_left) bytes += layout.unit_bytes;
  if (turn == turns_left) bytes += file_bytes % layout.unit_bytes;
  return bytes;
}

std::optional<std::int64_t> file_bytes_for(const StripeLayout& layout, std::int32_t node,
                                           std::int64_t bytes) {
  if (bytes == 0) return 0;
  const std::int64_t round = (bytes - 1) / layout.unit_bytes;
  std::int64_t stripe = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  if (__builtin_mul_overflow(round, layout.io_nodes, &stripe) ||
      __builtin_add_overflow(stripe, turn_of(layout, node), &stripe) ||
      __builtin_mul_overflow(stripe, layout.unit_bytes, &start) ||
      __builtin_add_overflow(start, (bytes - 1) % layout.unit_bytes + 1, &end)) {
    return std::nullopt;
  }
  return end;
}

}  // namespace tutti
