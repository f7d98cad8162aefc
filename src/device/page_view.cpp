#include "device/page_view.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "device/bus_guard.hpp"
#include "device/errno_error.hpp"

namespace tutti {

namespace {

std::int64_t page_bytes() { return sysconf(_SC_PAGESIZE); }

std::int64_t page_start(std::int64_t offset) { return offset / page_bytes() * page_bytes(); }

}  // namespace

Result<PageView> PageView::open(int descriptor, const std::string& name, Extent range,
                                bool stores) {
  const std::int64_t start = page_start(range.offset);
  PageView view;
  view.name_ = name;
  view.covered_ = {start, range.end() - start};
  void* mapped = mmap(nullptr, static_cast<std::size_t>(view.covered_.bytes),
                      stores ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, start);
  if (mapped == MAP_FAILED)
    return tl::make_unexpected(
        transfer_error(errno, name, {TransferKind::read, range.offset, nullptr, range.bytes, 0}));
  view.mapped_ = static_cast<std::byte*>(mapped);
  view.is_shown_.resize(
      static_cast<std::size_t>((view.covered_.bytes + page_bytes() - 1) / page_bytes()));
  return view;
}

PageView::~PageView() {
  if (mapped_ != nullptr) munmap(mapped_, static_cast<std::size_t>(covered_.bytes));
}

void PageView::show(Extent range) {
  const std::int64_t page = page_bytes();
  auto at = static_cast<std::size_t>((range.offset - covered_.offset) / page);
  const auto end = static_cast<std::size_t>((range.end() - covered_.offset + page - 1) / page);
  while (at < end) {
    const std::size_t begin = at;
    while (at < end && !is_shown_[at]) is_shown_[at++] = true;
    const std::int64_t bytes = static_cast<std::int64_t>(at - begin) * page;
    // Systems that cannot fill in the pages at once do it one fault after the other.
    if (bytes > 0)
      madvise(mapped_ + static_cast<std::int64_t>(begin) * page, static_cast<std::size_t>(bytes),
              MADV_POPULATE_READ);
    shown_ += bytes;
    while (at < end && is_shown_[at]) ++at;
  }
}

void PageView::forget() {
  if (shown_ == 0) return;
  madvise(mapped_, static_cast<std::size_t>(covered_.bytes), MADV_DONTNEED);
  is_shown_.assign(is_shown_.size(), false);
  shown_ = 0;
}

bool PageView::touch(Extent range, const std::function<void(std::byte*)>& use) {
  show(range);
  const std::int64_t start = page_start(range.offset);
  const std::span<std::byte> pages(mapped_ + (start - covered_.offset),
                                   static_cast<std::size_t>(range.end() - start));
  return run_guarded(pages, [&] { use(pages.data() + (range.offset - start)); });
}

Status PageView::look(Extent range, const std::function<void(const std::byte*)>& use) {
  if (touch(range, use)) return {};
  return fail(ErrorKind::io, name_ + ": the file was cut short while it was read");
}

bool PageView::change(Extent range, const std::function<void(std::byte*)>& use) {
  return touch(range, use);
}

}  // namespace tutti
