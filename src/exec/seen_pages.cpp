#include "exec/seen_pages.hpp"

#include <algorithm>
#include <utility>

namespace tutti {

namespace {

// So much of the address space is taken at once.
constexpr std::int64_t kViewBytes = std::int64_t{1} << 30;
// So much of what was seen stays in this process's memory before it is forgotten; of a range that
// is accessed again, all of it if it has no more bytes than kKeptBytes.
constexpr std::int64_t kShownBytes = 2 << 20;
constexpr std::int64_t kKeptBytes = 64 << 20;

}  // namespace

void SeenPages::begin(Direction direction, Extent range) {
  const bool again = std::find(last_.begin(), last_.end(), range) != last_.end();
  keeps_ = again && range.bytes <= kKeptBytes;
  range_ = range;
  refused_ = false;
  last_[direction == Direction::read ? 0 : 1] = range;
}

void SeenPages::end() {
  if (!keeps_) view_ = PageView{};
}

bool SeenPages::see(Device& device, Extent wanted) {
  if (refused_) return false;
  if (!keeps_ && view_.shown() >= kShownBytes) view_.forget();
  if (!view_.covers(wanted)) {
    const std::int64_t from = range_.bytes <= kViewBytes ? range_.offset : wanted.offset;
    const std::int64_t upto = std::max(std::min(range_.end(), from + kViewBytes), wanted.end());
    refused_ = !device->is_dense();
    if (refused_) return false;
    auto opened = device->view({from, upto - from});
    refused_ = !opened;
    if (refused_) return false;
    view_ = std::move(*opened);
  }
  if (keeps_) view_.show(wanted);
  return true;
}

}  // namespace tutti
