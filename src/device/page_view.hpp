// A stretch of a local file in the address space, for access straight to the page cache. Mapping
// a file excludes everybody else who maps it for that moment, so one view serves many looks; and
// the system charges for every page it shows, so what has been looked at is kept until forget().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/extent.hpp"
#include "base/result.hpp"

namespace tutti {

class PageView {
 public:
  PageView() = default;
  // Local. Fails where the system maps no more. `name` is for messages. REQUIRES: range.bytes > 0,
  // can_view(); can_map() where `stores`, for change().
  static Result<PageView> open(int descriptor, const std::string& name, Extent range, bool stores);

  PageView(PageView&& other) noexcept { *this = std::move(other); }
  PageView& operator=(PageView&& other) noexcept {
    std::swap(mapped_, other.mapped_);
    std::swap(covered_, other.covered_);
    std::swap(name_, other.name_);
    std::swap(shown_, other.shown_);
    std::swap(is_shown_, other.is_shown_);
    return *this;
  }
  ~PageView();

  bool covers(Extent range) const {
    return covered_.offset <= range.offset && range.end() <= covered_.end();
  }

  // Local. Lets `use` see the bytes of `range`. Its pages count as this process's memory until they
  // are forgotten. Where the file is cut short meanwhile, `use` is left in the middle, without
  // destructors being run, and io is returned: it must own nothing. REQUIRES: covers(range),
  // range.bytes > 0, a range within the file.
  Status look(Extent range, const std::function<void(const std::byte*)>& use);
  // Local. Lets `use` store into the bytes of `range`, as look(); false where the file was cut
  // short or has no space for them: then some may be stored, others not. Storing may leave the
  // file's times as they are. REQUIRES: as look(), opened for stores.
  bool change(Extent range, const std::function<void(std::byte*)>& use);
  // Local. Takes in the pages of `range`, at once where the system can do that, and keeps them.
  // REQUIRES: covers(range).
  void show(Extent range);
  // Bytes of pages this process has of it.
  std::int64_t shown() const { return shown_; }
  // Local. Gives them back; the view goes on.
  void forget();

 private:
  bool touch(Extent range, const std::function<void(std::byte*)>& use);

  std::byte* mapped_ = nullptr;  // of the first byte of covered_, which begins with a page
  Extent covered_{};
  std::int64_t shown_ = 0;
  std::vector<bool> is_shown_;  // for each page of covered_
  std::string name_;
};

}  // namespace tutti
