#include "layout/lustre_layout.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "layout/byte_reader.hpp"

namespace tutti {

namespace {

// lustre_user.h
constexpr std::uint32_t kMagicV1 = 0x0BD10BD0;
constexpr std::uint32_t kMagicV3 = 0x0BD30BD0;
constexpr std::uint32_t kMagicSpecific = 0x0BD50BD0;  // like v3
constexpr std::uint32_t kMagicComposite = 0x0BD60BD0;
constexpr std::uint32_t kPatternRaid0 = 0x001;
constexpr std::uint32_t kPatternMetadata = 0x100;
constexpr std::uint32_t kPatternOverstriping = 0x200;
constexpr std::uint32_t kPatternReleased = 0x80000000;
constexpr std::uint32_t kPatternFlags = 0xffff0000;
constexpr std::size_t kPatternAt = 4;
constexpr std::size_t kStripeSizeAt = 24;
constexpr std::size_t kStripeCountAt = 28;
constexpr std::size_t kObjectsAtV1 = 32;
constexpr std::size_t kObjectsAtV3 = 48;
constexpr std::size_t kObjectBytes = 24;
constexpr std::size_t kOstAt = 20;  // in an object

constexpr std::size_t kEntryCountAt = 14;
constexpr std::size_t kEntriesAt = 32;
constexpr std::size_t kEntryBytes = 48;
constexpr std::uint32_t kEntryStale = 0x01;
constexpr std::uint32_t kEntryInit = 0x10;
constexpr std::uint32_t kEntryParity = 0x80;
constexpr std::uint32_t kMirrorMask = 0x7fff0000;

constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMetadataServer = -1;  // among OST numbers

tl::unexpected<Error> not_lustre(const std::string& what) {
  return fail(ErrorKind::invalid_argument, "Lustre's striping attribute " + what);
}

// The stripes of one component; nothing placed where `osts` is empty.
struct Component {
  std::int64_t unit_bytes = 0;
  std::vector<std::int64_t> osts;
  Extent range{0, kNoEnd};
};

Result<Component> decode_plain(std::span<const std::byte> bytes) {
  const auto magic = number_at<std::uint32_t>(bytes, 0);
  const auto pattern = number_at<std::uint32_t>(bytes, kPatternAt);
  const auto unit = number_at<std::uint32_t>(bytes, kStripeSizeAt);
  const auto count = number_at<std::uint16_t>(bytes, kStripeCountAt);
  if (!magic || !pattern || !unit || !count) return not_lustre("ends too early");
  std::size_t objects_at = kObjectsAtV1;
  if (*magic == kMagicV3 || *magic == kMagicSpecific)
    objects_at = kObjectsAtV3;
  else if (*magic != kMagicV1)
    return not_lustre("has an unknown form");
  if ((*pattern & kPatternReleased) != 0)
    return fail(ErrorKind::unsupported_operation, "Lustre has released the file to an archive");
  const std::uint32_t kind = *pattern & ~kPatternFlags;
  if (*unit == 0) return not_lustre("has stripes of no bytes");
  Component found;
  found.unit_bytes = *unit;
  if (kind == kPatternMetadata) {
    found.osts = {kMetadataServer};
    return found;
  }
  if (kind != kPatternRaid0 && kind != (kPatternRaid0 | kPatternOverstriping))
    return fail(
        ErrorKind::unsupported_operation,
        "Lustre's striping pattern " + std::to_string(kind) + " places bytes nowhere known");
  if (bytes.size() < objects_at || (bytes.size() - objects_at) / kObjectBytes < *count)
    return not_lustre("names more stripes than it lists");
  for (std::size_t i = 0; i < *count; ++i) {
    const auto ost = number_at<std::uint32_t>(bytes, objects_at + i * kObjectBytes + kOstAt);
    if (!ost) return not_lustre("ends too early");
    found.osts.push_back(*ost);
  }
  return found;
}

// Nothing for components without bytes of the file: not used yet, outdated or parity.
Result<std::optional<Component>> decode_entry(std::span<const std::byte> bytes, std::size_t at,
                                              std::uint32_t& mirror) {
  const auto id = number_at<std::uint32_t>(bytes, at);
  const auto flags = number_at<std::uint32_t>(bytes, at + 4);
  const auto start = number_at<std::uint64_t>(bytes, at + 8);
  const auto end = number_at<std::uint64_t>(bytes, at + 16);
  const auto blob_at = number_at<std::uint32_t>(bytes, at + 24);
  const auto blob_bytes = number_at<std::uint32_t>(bytes, at + 28);
  if (!id || !flags || !start || !end || !blob_at || !blob_bytes)
    return not_lustre("names more components than it lists");
  mirror = *id & kMirrorMask;
  if ((*flags & kEntryInit) == 0 || (*flags & (kEntryStale | kEntryParity)) != 0)
    return std::optional<Component>();
  if (*blob_at > bytes.size() || bytes.size() - *blob_at < *blob_bytes)
    return not_lustre("has a component beyond its end");
  auto found = decode_plain(bytes.subspan(*blob_at, *blob_bytes));
  if (!found) return tl::make_unexpected(found.error());
  const auto limit = static_cast<std::uint64_t>(kNoEnd);
  if (*start >= limit || *end <= *start) return not_lustre("has a component of no bytes");
  const auto first = static_cast<std::int64_t>(*start);
  found->range = {first, static_cast<std::int64_t>(std::min(*end, limit)) - first};
  return std::optional(std::move(*found));
}

// The components of the first mirror that is up to date.
Result<std::vector<Component>> decode_composite(std::span<const std::byte> bytes) {
  const auto count = number_at<std::uint16_t>(bytes, kEntryCountAt);
  if (!count) return not_lustre("ends too early");
  std::vector<Component> components;
  std::optional<std::uint32_t> chosen;
  for (std::size_t i = 0; i < *count; ++i) {
    std::uint32_t mirror = 0;
    auto component = decode_entry(bytes, kEntriesAt + i * kEntryBytes, mirror);
    if (!component) return tl::make_unexpected(component.error());
    if (!*component || (*component)->osts.empty() || mirror != chosen.value_or(mirror)) continue;
    chosen = mirror;
    components.push_back(std::move(**component));
  }
  std::sort(components.begin(), components.end(),
            [](const Component& a, const Component& b) { return a.range.offset < b.range.offset; });
  return components;
}

// OSTs in the order of their first mention.
class NodeNumbers {
 public:
  std::int32_t of(std::int64_t ost) {
    const auto number = std::find(osts_.begin(), osts_.end(), ost) - osts_.begin();
    if (number == std::ssize(osts_)) osts_.push_back(ost);
    return static_cast<std::int32_t>(number);
  }

 private:
  std::vector<std::int64_t> osts_;
};

Result<StripeLayout> layout_of(const std::vector<Component>& components) {
  NodeNumbers numbers;
  std::vector<PlacementPart> parts;
  for (const Component& component : components) {
    PlacementPart part;
    part.range = component.range;
    part.block_bytes = component.unit_bytes;
    part.columns = static_cast<std::int32_t>(component.osts.size());
    for (const std::int64_t ost : component.osts) part.nodes.push_back(numbers.of(ost));
    parts.push_back(std::move(part));
  }
  auto table = PlacementTable::make(parts);
  if (!table) return not_lustre("has components that overlap");
  const bool everywhere = parts.size() == 1 && parts[0].range == Extent{0, kNoEnd};
  if (everywhere && (*table)->highest_node() + 1 == parts[0].columns)
    return StripeLayout{parts[0].block_bytes, parts[0].columns, 0};
  return layout_by_table(std::move(*table));
}

}  // namespace

Result<FoundLayout> decode_lustre(std::span<const std::byte> attribute) {
  const auto magic = number_at<std::uint32_t>(attribute, 0);
  if (!magic) return not_lustre("ends too early");
  std::vector<Component> components;
  if (*magic == kMagicComposite) {
    auto found = decode_composite(attribute);
    if (!found) return tl::make_unexpected(found.error());
    components = std::move(*found);
  } else {
    auto found = decode_plain(attribute);
    if (!found) return tl::make_unexpected(found.error());
    if (!found->osts.empty()) components.push_back(std::move(*found));
  }
  if (components.empty()) return FoundLayout();
  auto layout = layout_of(components);
  if (!layout) return tl::make_unexpected(layout.error());
  const Component& last = components.back();
  return FoundLayout{
      std::move(*layout),
      {last.unit_bytes, std::ssize(last.osts), std::max<std::int64_t>(last.osts.front(), 0)}};
}

std::vector<std::byte> encode_lustre(const Striping& wish) {
  constexpr std::int64_t kGranule = 64 * 1024;
  constexpr std::int64_t kLargestUnit = 0xffff0000;
  constexpr std::int64_t kMostStripes = 2000;
  constexpr std::uint16_t kAnywhere = 0xffff;
  const std::int64_t unit = std::clamp<std::int64_t>(wish.unit_bytes, 0, kLargestUnit);
  const std::int64_t whole = (unit + kGranule - 1) / kGranule * kGranule;
  const std::int64_t count = std::clamp<std::int64_t>(wish.factor, 0, kMostStripes);
  const bool placed = wish.first_device > 0 && wish.first_device < kAnywhere;
  std::vector<std::byte> bytes;
  append_number(bytes, kMagicV1);
  append_number(bytes, kPatternRaid0);
  append_number(bytes, std::uint64_t{0});
  append_number(bytes, std::uint64_t{0});
  append_number(bytes, static_cast<std::uint32_t>(whole));
  append_number(bytes, static_cast<std::uint16_t>(count));
  append_number(bytes, placed ? static_cast<std::uint16_t>(wish.first_device) : kAnywhere);
  return bytes;
}

}  // namespace tutti
