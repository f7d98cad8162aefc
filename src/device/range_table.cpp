#include "device/range_table.hpp"

#include <algorithm>
#include <string>

namespace tutti {

namespace {

bool overlap(Extent a, Extent b) { return a.offset < b.end() && b.offset < a.end(); }

// The parts of `pieces` outside `hole`.
std::vector<Extent> without(const std::vector<Extent>& pieces, Extent hole) {
  std::vector<Extent> rest;
  for (const Extent piece : pieces) {
    if (!overlap(piece, hole)) {
      rest.push_back(piece);
      continue;
    }
    if (piece.offset < hole.offset) rest.push_back({piece.offset, hole.offset - piece.offset});
    if (hole.end() < piece.end()) rest.push_back({hole.end(), piece.end() - hole.end()});
  }
  return rest;
}

}  // namespace

const RangeTable::Held* RangeTable::conflict(Extent range, LockMode mode) const {
  for (const Held& held : held_) {
    const bool both_shared = mode == LockMode::shared && held.mode == LockMode::shared;
    if (!both_shared && overlap(held.range, range)) return &held;
  }
  return nullptr;
}

Status RangeTable::acquire(std::string_view file, const void* owner, Extent range, LockMode mode) {
  const std::thread::id self = std::this_thread::get_id();
  std::unique_lock guard(mutex_);
  while (const Held* other = conflict(range, mode)) {
    if (other->thread == self) {
      return fail(ErrorKind::file_in_use,
                  std::string(file) + ": this thread already holds a lock on " +
                      std::to_string(other->range.bytes) + " bytes at offset " +
                      std::to_string(other->range.offset));
    }
    released_.wait(guard);
  }
  held_.push_back({owner, range, mode, self});
  return {};
}

void RangeTable::release(const void* owner, Extent range,
                         const std::function<void(Extent)>& unlock) {
  const std::lock_guard guard(mutex_);
  const auto same = [&](const Held& held) { return held.owner == owner && held.range == range; };
  const std::thread::id self = std::this_thread::get_id();
  auto found = std::find_if(held_.begin(), held_.end(),
                            [&](const Held& held) { return same(held) && held.thread == self; });
  if (found == held_.end()) found = std::find_if(held_.begin(), held_.end(), same);
  if (found == held_.end()) return;
  held_.erase(found);
  std::vector<Extent> free_parts{range};
  for (const Held& held : held_) free_parts = without(free_parts, held.range);
  // Under the mutex: a later holder must not have its fresh system lock taken away here.
  for (const Extent part : free_parts) unlock(part);
  released_.notify_all();
}

void RangeTable::release_all(const void* owner) {
  const std::lock_guard guard(mutex_);
  std::erase_if(held_, [&](const Held& held) { return held.owner == owner; });
  released_.notify_all();
}

}  // namespace tutti
