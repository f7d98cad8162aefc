// Runs the plans of all ranks in one process: real bytes, vectors as memory and file, no MPI. Slow
// and plain on purpose; it shares no code with check_plans but the meaning of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "pattern/blocks.hpp"
#include "plan/coverage.hpp"
#include "plan/plan.hpp"

namespace tutti::test {

using Bytes = std::vector<std::uint8_t>;

// A file that grows when written.
struct ByteFile {
  Bytes bytes;

  std::uint8_t read(std::int64_t offset) const {
    return offset < std::ssize(bytes) ? bytes[static_cast<std::size_t>(offset)] : 0;
  }
  void write(std::int64_t offset, std::uint8_t byte) {
    if (offset >= std::ssize(bytes)) bytes.resize(static_cast<std::size_t>(offset) + 1);
    bytes[static_cast<std::size_t>(offset)] = byte;
  }
};

// Each stream byte's place, in order: visit(index from 0, file offset).
template <class Visit>
void for_each_byte(const FileRange& access, const Visit& visit) {
  std::int64_t index = 0;
  for_each_run(access.stream, access.first, access.first + access.bytes, [&](Extent run) {
    for (std::int64_t i = 0; i < run.bytes; ++i) visit(index++, run.offset + i);
    return true;
  });
}

// The reference: rank after rank, byte after byte.
inline void write_naively(std::span<const FileRange> accesses, const std::vector<Bytes>& memory,
                          ByteFile& file) {
  for (std::size_t rank = 0; rank < accesses.size(); ++rank)
    for_each_byte(accesses[rank], [&](std::int64_t index, std::int64_t offset) {
      file.write(offset, memory[rank][static_cast<std::size_t>(index)]);
    });
}
inline std::vector<Bytes> read_naively(std::span<const FileRange> accesses, const ByteFile& file) {
  std::vector<Bytes> memory;
  for (const FileRange& access : accesses) {
    memory.emplace_back(static_cast<std::size_t>(access.bytes));
    for_each_byte(access, [&](std::int64_t index, std::int64_t offset) {
      memory.back()[static_cast<std::size_t>(index)] = file.read(offset);
    });
  }
  return memory;
}

class PlanRun {
 public:
  PlanRun(std::span<const FileRange> accesses, std::span<const Plan> plans)
      : accesses_(accesses), plans_(plans), held_(plans.size()) {}

  void write(const std::vector<Bytes>& memory, ByteFile& file) {
    if (plans_[0].independent) return write_naively(accesses_, memory, file);
    for (std::size_t rank = 0; rank < accesses_.size(); ++rank)
      for_each_byte(accesses_[rank], [&](std::int64_t index, std::int64_t offset) {
        held_[rank][{rank, offset}] = memory[rank][static_cast<std::size_t>(index)];
      });
    for (std::int64_t round = 0; round < plans_[0].rounds; ++round) {
      for (std::size_t phase = 0; phase < plans_[0].phases.size(); ++phase)
        exchange(round, phase, false);
      for (std::size_t rank = 0; rank < plans_.size(); ++rank) write_window(round, rank, file);
    }
  }

  std::vector<Bytes> read(const ByteFile& file) {
    if (plans_[0].independent) return read_naively(accesses_, file);
    for (std::int64_t round = 0; round < plans_[0].rounds; ++round) {
      for (std::size_t rank = 0; rank < plans_.size(); ++rank) read_window(round, rank, file);
      for (std::size_t phase = plans_[0].phases.size(); phase-- > 0;) exchange(round, phase, true);
    }
    std::vector<Bytes> memory;
    for (std::size_t rank = 0; rank < accesses_.size(); ++rank) {
      memory.emplace_back(static_cast<std::size_t>(accesses_[rank].bytes), kNobodys);
      for_each_byte(accesses_[rank], [&](std::int64_t index, std::int64_t offset) {
        if (const auto found = held_[rank].find({rank, offset}); found != held_[rank].end())
          memory[rank][static_cast<std::size_t>(index)] = found->second;
      });
    }
    return memory;
  }

 private:
  static constexpr std::uint8_t kNobodys = 0xEE;  // never written by a test
  // Bytes in a rank's hands, by origin and file offset.
  using Held = std::map<std::pair<std::size_t, std::int64_t>, std::uint8_t>;

  // Moves the bytes of `origin` in the window from one rank to the other.
  static void move(Held& from, Held& to, std::size_t origin, Extent interval) {
    const auto begin = from.lower_bound({origin, interval.offset});
    const auto end = from.lower_bound({origin, interval.end()});
    to.insert(begin, end);
    from.erase(begin, end);
  }

  // Of a pair, the one that lands the bytes looks at its own plan only.
  void exchange(std::int64_t round, std::size_t phase, bool backwards) {
    std::vector<Held> arriving(plans_.size());
    for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
      const Phase& mine = plans_[rank].phases[phase];
      for (const Piece& piece : backwards ? mine.ships : mine.lands)
        for_each_interval(piece.window, round, [&](Extent interval) {
          move(held_[static_cast<std::size_t>(piece.peer)], arriving[rank],
               static_cast<std::size_t>(piece.origin), interval);
          return true;
        });
    }
    for (std::size_t rank = 0; rank < plans_.size(); ++rank)
      held_[rank].insert(arriving[rank].begin(), arriving[rank].end());
  }

  // As an owner would: a window without holes is written without being read.
  void write_window(std::int64_t round, std::size_t rank, ByteFile& file) {
    for_each_interval(plans_[rank].owned, round, [&](Extent interval) {
      Bytes staging(static_cast<std::size_t>(interval.bytes), kNobodys);
      if (!union_covers(accesses_, interval))
        for (std::int64_t i = 0; i < interval.bytes; ++i)
          staging[static_cast<std::size_t>(i)] = file.read(interval.offset + i);
      Held landed;
      for (std::size_t origin = 0; origin < plans_.size(); ++origin) {
        move(held_[rank], landed, origin, interval);
        for (const auto& [place, byte] : landed)
          if (place.first == origin)
            staging[static_cast<std::size_t>(place.second - interval.offset)] = byte;
      }
      for (std::int64_t i = 0; i < interval.bytes; ++i)
        file.write(interval.offset + i, staging[static_cast<std::size_t>(i)]);
      return true;
    });
  }

  void read_window(std::int64_t round, std::size_t rank, const ByteFile& file) {
    for_each_interval(plans_[rank].owned, round, [&](Extent interval) {
      for (std::size_t origin = 0; origin < plans_.size(); ++origin) {
        const FileRange& access = accesses_[origin];
        const StreamRange wanted = stream_in(access, interval);
        for_each_byte({access.stream, wanted.begin, wanted.bytes()},
                      [&](std::int64_t, std::int64_t offset) {
                        held_[rank][{origin, offset}] = file.read(offset);
                      });
      }
      return true;
    });
  }

  std::span<const FileRange> accesses_;
  std::span<const Plan> plans_;
  std::vector<Held> held_;
};

}  // namespace tutti::test
