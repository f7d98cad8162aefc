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

void SeenPages::begin(Extent range) {
  keeps_ = range.bytes > 0 && range == range_ && range.bytes <= kKeptBytes;
  range_ = range;
  state_ = State::unknown;
}

void SeenPages::end() {
  if (!keeps_) view_ = PageView{};
}

bool SeenPages::see(Device& device, Extent wanted) {
  if (state_ == State::unknown) state_ = device->is_dense() ? State::visible : State::refused;
  if (state_ == State::refused) {
    view_ = PageView{};
    return false;
  }
  if (!keeps_ && view_.shown() >= kShownBytes) view_.forget();
  if (!view_.covers(wanted)) {
    const std::int64_t from = range_.bytes <= kViewBytes ? range_.offset : wanted.offset;
    const std::int64_t upto = std::max(std::min(range_.end(), from + kViewBytes), wanted.end());
    auto opened = device->view({from, upto - from});
    if (!opened) {
      state_ = State::refused;
      return false;
    }
    view_ = std::move(*opened);
  }
  if (keeps_) view_.show(wanted);
  return true;
}

}  // namespace tutti
