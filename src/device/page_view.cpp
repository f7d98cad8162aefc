#include "device/page_view.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "device/bus_guard.hpp"
#include "device/errno_error.hpp"

namespace tutti {

namespace {

std::int64_t page_start(std::int64_t offset) {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return offset / page * page;
}

}  // namespace

Result<PageView> PageView::open(int descriptor, const std::string& name, Extent range) {
  const std::int64_t start = page_start(range.offset);
  PageView view;
  view.name_ = name;
  view.covered_ = {start, range.end() - start};
  void* mapped = mmap(nullptr, static_cast<std::size_t>(view.covered_.bytes), PROT_READ, MAP_SHARED,
                      descriptor, start);
  if (mapped == MAP_FAILED)
    return tl::make_unexpected(
        transfer_error(errno, name, {TransferKind::read, range.offset, nullptr, range.bytes, 0}));
  view.mapped_ = static_cast<std::byte*>(mapped);
  return view;
}

PageView::~PageView() {
  if (mapped_ != nullptr) munmap(mapped_, static_cast<std::size_t>(covered_.bytes));
}

Status PageView::look(Extent range, const std::function<void(const std::byte*)>& use) {
  const std::int64_t start = page_start(range.offset);
  const std::span<std::byte> pages(mapped_ + (start - covered_.offset),
                                   static_cast<std::size_t>(range.end() - start));
  // Systems that cannot fill in the pages at once do it one fault after the other.
  madvise(pages.data(), pages.size(), MADV_POPULATE_READ);
  const bool whole = run_guarded(pages, [&] { use(pages.data() + (range.offset - start)); });
  shown_ += std::ssize(pages);

  if (whole) return {};
  return fail(ErrorKind::io, name_ + ": the file was cut short while it was read");
}

}  // namespace tutti
