// A stretch of a local file in the address space, for reading straight from the page cache. Mapping
// a file excludes everybody else who maps it for that moment, so one view serves many looks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/extent.hpp"
#include "base/result.hpp"

namespace tutti {

class PageView {
 public:
  PageView() = default;
  // Local. Fails where the system maps no more. `name` is for messages. REQUIRES: range.bytes > 0.
  static Result<PageView> open(int descriptor, const std::string& name, Extent range);

  PageView(PageView&& other) noexcept { *this = std::move(other); }
  PageView& operator=(PageView&& other) noexcept {
    std::swap(mapped_, other.mapped_);
    std::swap(covered_, other.covered_);
    std::swap(name_, other.name_);
    std::swap(shown_, other.shown_);
    return *this;
  }
  ~PageView();

  bool covers(Extent range) const {
    return covered_.offset <= range.offset && range.end() <= covered_.end();
  }

  // Local. Shows the bytes of `range` to `use`. Its pages count as this process's memory until the
  // view is gone. Where the file is cut short meanwhile, `use` is left in the middle, without
  // destructors being run, and io is returned: it must own nothing. REQUIRES: covers(range),
  // range.bytes > 0, a range within the file.
  Status look(Extent range, const std::function<void(const std::byte*)>& use);
  // Bytes of pages looked at so far.
  std::int64_t shown() const { return shown_; }

 private:
  std::byte* mapped_ = nullptr;  // of the first byte of covered_, which begins with a page
  Extent covered_{};
  std::int64_t shown_ = 0;
  std::string name_;
};

}  // namespace tutti
