#include "layout/beegfs_layout.hpp"

#include <string>

#include "layout/byte_reader.hpp"

namespace tutti {

namespace {

constexpr std::uint32_t kRaid0 = 1;
constexpr std::uint32_t kBuddyMirror = 3;

}  // namespace

Result<FoundLayout> decode_beegfs(std::span<const std::byte> info) {
  const auto pattern = number_at<std::uint32_t>(info, 0);
  const auto chunk = number_at<std::uint32_t>(info, 4);
  const auto targets = number_at<std::uint16_t>(info, 8);
  if (!pattern || !chunk || !targets || *chunk == 0 || *targets == 0)
    return fail(ErrorKind::invalid_argument, "BeeGFS's stripe information is no layout");
  if (*pattern != kRaid0 && *pattern != kBuddyMirror)
    return fail(ErrorKind::unsupported_operation,
                "BeeGFS's stripe pattern " + std::to_string(*pattern) + " is not known");
  return FoundLayout{StripeLayout{*chunk, *targets, 0}, {*chunk, *targets, 0}};
}

}  // namespace tutti
