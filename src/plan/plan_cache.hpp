// Finds the plan of an earlier call with the same shape. Every rank keeps the same entries in the
// same order, because entries are added, used and evicted only by what all ranks agreed on.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "request/access.hpp"

namespace tutti {

// How far `now` lies above `then` in the file, where both are the same bytes otherwise: every byte
// of the one moved by that distance is a byte of the other, in the same stream order.
std::optional<std::int64_t> shift_between(const FileRange& then, const FileRange& now);

template <class Value>
class PlanCache {
 public:
  explicit PlanCache(std::size_t capacity) : capacity_(capacity) {}

  // What this rank proposes to use: an entry and a shift; entry 0 means none fits. A rank without
  // bytes goes along with any shift.
  struct Proposal {
    std::int64_t entry = 0;
    std::int64_t shift = 0;
    bool any_shift = false;
  };

  // Local. The most recently used entry whose access of this rank has the shape of `range`, moved
  // by a multiple of `period_bytes` (0: not moved).
  Proposal propose(Direction direction, const FileRange& range,
                   std::int64_t period_bytes = 1) const {
    for (const Entry& entry : entries_) {
      if (entry.direction != direction) continue;
      if (range.bytes == 0 && entry.range.bytes == 0) return {entry.id, 0, true};
      if (range.bytes == 0 || entry.range.bytes == 0) continue;
      const auto shift = shift_between(entry.range, range);
      if (!shift) continue;
      const bool same_phase = period_bytes == 0 ? *shift == 0 : *shift % period_bytes == 0;
      if (same_phase) return {entry.id, *shift, false};
    }
    return {};
  }

  // Local. The agreed entry, now the most recently used. Null when it is not there.
  std::shared_ptr<const Value> use(std::int64_t id) {
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->id != id) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return entries_.front().value;
    }
    return nullptr;
  }

  // Local, at the same call on every rank. Returns how many entries had to go.
  std::int64_t insert(Direction direction, const FileRange& range,
                      std::shared_ptr<const Value> value) {
    entries_.push_front({next_id_++, direction, range, std::move(value)});
    std::int64_t evicted = 0;
    for (; entries_.size() > capacity_; ++evicted) entries_.pop_back();
    return evicted;
  }

  // Local, at the same call on every rank: hints changed.
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::int64_t id;
    Direction direction;
    FileRange range;  // this rank's
    std::shared_ptr<const Value> value;
  };

  std::size_t capacity_;
  std::int64_t next_id_ = 1;
  std::list<Entry> entries_;
};

}  // namespace tutti
