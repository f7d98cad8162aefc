// Makes the bytes that file systems answer with, for tests: right ones and spoilt ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "layout/byte_reader.hpp"
#include "layout/stripe_layout.hpp"

namespace tutti::testing_blobs {

using Blob = std::vector<std::byte>;

struct LustreStripes {
  std::uint32_t magic = 0;
  std::uint32_t pattern = 1;
  std::int64_t unit_bytes = 0;
  std::vector<std::uint32_t> osts;
};

inline Blob lustre_plain(const LustreStripes& stripes) {
  Blob blob;
  append_number(blob, stripes.magic);
  append_number(blob, stripes.pattern);
  append_number(blob, std::uint64_t{0x1234});
  append_number(blob, std::uint64_t{0x5678});
  append_number(blob, static_cast<std::uint32_t>(stripes.unit_bytes));
  append_number(blob, static_cast<std::uint16_t>(stripes.osts.size()));
  append_number(blob, std::uint16_t{3});
  if (stripes.magic != 0x0BD10BD0) blob.resize(blob.size() + 16, std::byte{'p'});
  for (const std::uint32_t ost : stripes.osts) {
    append_number(blob, std::uint64_t{ost} + 1000);
    append_number(blob, std::uint64_t{0});
    append_number(blob, std::uint32_t{0});
    append_number(blob, ost);
  }
  return blob;
}

struct LustreComponent {
  std::uint32_t id = 1;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t flags = 0x10;
  LustreStripes stripes;
};

inline Blob lustre_composite(const std::vector<LustreComponent>& components) {
  constexpr std::size_t kHead = 32;
  constexpr std::size_t kEntry = 48;
  Blob bodies;
  Blob blob;
  append_number(blob, std::uint32_t{0x0BD60BD0});
  append_number(blob, std::uint32_t{0});
  append_number(blob, std::uint32_t{1});
  append_number(blob, std::uint16_t{0});
  append_number(blob, static_cast<std::uint16_t>(components.size()));
  blob.resize(kHead);
  for (const LustreComponent& component : components) {
    const Blob body = lustre_plain(component.stripes);
    append_number(blob, component.id);
    append_number(blob, component.flags);
    append_number(blob, component.start);
    append_number(blob, component.end);
    append_number(blob,
                  static_cast<std::uint32_t>(kHead + components.size() * kEntry + bodies.size()));
    append_number(blob, static_cast<std::uint32_t>(body.size()));
    blob.resize(blob.size() + 16);
    bodies.insert(bodies.end(), body.begin(), body.end());
  }
  blob.insert(blob.end(), bodies.begin(), bodies.end());
  return blob;
}

// A few bytes changed, cut off or added; now and then nothing but noise.
inline Blob mutated(Blob blob, std::mt19937_64& random) {
  if (random() % 20 == 0) {
    blob.resize(random() % 200);
    for (std::byte& byte : blob) byte = static_cast<std::byte>(random());
    return blob;
  }
  for (auto changes = 1 + random() % 3; changes > 0; --changes) {
    if (blob.empty()) return blob;
    const std::size_t at = random() % blob.size();
    switch (random() % 6) {
      case 0:
        blob.resize(at);
        break;
      case 1:
        blob.push_back(static_cast<std::byte>(random()));
        break;
      case 2:
        blob[at] = std::byte{0};
        break;
      case 3:
        blob[at] = std::byte{0xff};
        break;
      default:
        blob[at] = static_cast<std::byte>(random());
    }
  }
  return blob;
}

// Whether a decoded layout answers every question without nonsense.
inline bool sound(const StripeLayout& layout, std::mt19937_64& random) {
  if (layout.unit_bytes < 0 || layout.io_nodes < 1 || layout.period_bytes() < 0) return false;
  if (layout.unit_bytes == 0) return !layout.striped();
  for (int i = 0; i < 20; ++i) {
    const auto offset = static_cast<std::int64_t>(random() >> (1 + random() % 60));
    const std::int32_t node = layout.node_of(offset);
    if (node < 0 || node >= layout.io_nodes) return false;
  }
  return true;
}

}  // namespace tutti::testing_blobs
