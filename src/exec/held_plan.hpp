// A plan that the caller keeps: inspected once, run at any file position without a descriptor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "exec/open_file.hpp"
#include "exec/progress.hpp"
#include "inspect/inspection.hpp"
#include "request/access.hpp"

namespace tutti {

// One rank's part; every rank of the file's communicator holds its own.
struct HeldPlan {
  std::int64_t id = 0;  // the caller's name for it: the same on all ranks, another for each plan
  Direction direction = Direction::read;
  Pattern shape;  // this rank's file bytes, relative to the position of a run
  std::shared_ptr<const Inspection> inspection;
  std::int64_t shift = 0;  // from the inspection's file offsets to those of the shape
};

// Collective. Plans an access to the bytes of `shape`; nothing is read or written. A rank that
// cannot take part passes its `refusal`: all ranks fail with the same error then.
Result<HeldPlan> hold_plan(OpenFile& file, Direction direction, const Pattern& shape,
                           const std::optional<Error>& refusal);

// Collective. Moves the bytes of the plan, moved by `position` in the file, between the file and
// `memory`, and returns how many this rank moved. All ranks run the same plan at the same position,
// otherwise all fail with not_same. REQUIRES: memory.pattern.size() >= plan.shape.size().
struct HeldRun {
  MemoryRange memory;
  std::int64_t position = 0;
  std::optional<Error> refusal;
};
Result<std::int64_t> run_held(OpenFile& file, const HeldPlan& plan, const HeldRun& run,
                              MpiCaller& caller = program_caller());

}  // namespace tutti
