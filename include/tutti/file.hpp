// Files and the plans of accesses to them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tutti/counters.hpp"
#include "tutti/outcome.hpp"
#include "tutti/shape.hpp"

namespace tutti::io {

namespace detail {
struct FileState;
struct PlanState;
}  // namespace detail

struct Mode {
  bool read = false;
  bool write = false;
  bool create = false;     // needs write
  bool exclusive = false;  // fails if the file exists
  bool delete_on_close = false;
};

// A hint by its name in docs/hints.md, e.g. {"tutti_strategy", "multi-phase"}.
struct Hint {
  std::string_view key;
  std::string_view value;
};

// One direction and one shape per rank, inspected once and run as often as needed, at any file
// position: later runs send no description of the access to anybody. All ranks make a plan together
// and run it together, in the same order as other collective calls on the file.
class TUTTI_PUBLIC Plan {
 public:
  Plan(Plan&&) noexcept = default;
  Plan& operator=(Plan&&) noexcept = default;

  // Collective. Ends what start() began and returns the bytes this rank moved: all of the shape's,
  // or fewer where a read meets the end of the file. All ranks fail with the same error, or none;
  // but that it was started twice only the rank hears which did so.
  Outcome<std::int64_t> wait();

  // Local. The bytes that a run moves on this rank.
  std::int64_t bytes() const;

  // Local. What this rank does in a run, for people: strategy, rounds, who ships which file bytes
  // to whom.
  std::string text() const { return text_data(); }

 protected:
  explicit Plan(std::shared_ptr<detail::PlanState> state) : state_(std::move(state)) {}
  void start_with(const void* buffer, std::int64_t position);
  Outcome<std::int64_t> run_with(const void* buffer, std::int64_t position);

 private:
  const char* text_data() const;
  std::shared_ptr<detail::PlanState> state_;
};

class TUTTI_PUBLIC WritePlan : public Plan {
 public:
  // Local. Begins a write of the bytes at `buffer` to the plan's shape, moved by `position` bytes
  // in the file; the position is the same on all ranks, and so is the order of starts. It goes on
  // beside the program (docs/nonblocking.md). The buffer is left alone until wait(), which also
  // reports what is wrong with the arguments, and which every rank has to call.
  void start(const void* buffer, std::int64_t position) { start_with(buffer, position); }

  // Collective, and another way than start and wait: all ranks go the same one.
  Outcome<std::int64_t> run(const void* buffer, std::int64_t position) {
    return run_with(buffer, position);
  }

 private:
  friend class File;
  explicit WritePlan(std::shared_ptr<detail::PlanState> state) : Plan(std::move(state)) {}
};

class TUTTI_PUBLIC ReadPlan : public Plan {
 public:
  // Local. Begins a read; the bytes are at `buffer` after wait(). Otherwise as for a write.
  void start(void* buffer, std::int64_t position) { start_with(buffer, position); }

  // Collective, and another way than start and wait: all ranks go the same one.
  Outcome<std::int64_t> run(void* buffer, std::int64_t position) {
    return run_with(buffer, position);
  }

 private:
  friend class File;
  explicit ReadPlan(std::shared_ptr<detail::PlanState> state) : Plan(std::move(state)) {}
};

// A file that all ranks of a communicator have open.
class TUTTI_PUBLIC File {
 public:
  // Collective over `comm`. All ranks pass the same name and mode; rank 0's hints hold for all.
  // TUTTI_* variables of the environment apply where no hint is given. Names are those of
  // MPI_File_open: "path" or "device:path".
  static Outcome<File> open(MPI_Comm comm, std::string_view name, const Mode& mode,
                            std::span<const Hint> hints);
  static Outcome<File> open(MPI_Comm comm, std::string_view name, const Mode& mode,
                            std::initializer_list<Hint> hints = {}) {
    return open(comm, name, mode, std::span<const Hint>(hints.begin(), hints.size()));
  }

  File(File&&) noexcept = default;
  File& operator=(File&& other) noexcept;
  // Collective if the file is still open: closes it and tells nobody of errors.
  ~File();

  // Collective. Plans for the bytes `file`, relative to the position of a run, from or to the bytes
  // `memory`, relative to its buffer; without `memory` the buffer is contiguous. Ranks may pass
  // different shapes, also empty ones.
  Outcome<WritePlan> plan_write(const Shape& file);
  Outcome<WritePlan> plan_write(const Shape& file, const Shape& memory);
  Outcome<ReadPlan> plan_read(const Shape& file);
  Outcome<ReadPlan> plan_read(const Shape& file, const Shape& memory);

  // Local.
  Outcome<std::int64_t> size() const;
  Counters counters() const;

  // Collective.
  Outcome<void> resize(std::int64_t bytes);
  Outcome<void> sync();
  // Plans of the file fail with invalid_handle afterwards.
  Outcome<void> close();

  // For the library.
  const std::shared_ptr<detail::FileState>& state() const { return state_; }

 private:
  explicit File(std::shared_ptr<detail::FileState> state) : state_(std::move(state)) {}

  std::shared_ptr<detail::FileState> state_;
};

}  // namespace tutti::io
