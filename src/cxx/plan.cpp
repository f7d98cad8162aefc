#include <optional>
#include <string>
#include <utility>

#include "cxx/file_state.hpp"
#include "cxx/values.hpp"
#include "exec/held_plan.hpp"
#include "exec/operation.hpp"
#include "plan/plan_text.hpp"
#include "tutti/file.hpp"

namespace tutti::io {

namespace detail {

struct PlanState {
  std::shared_ptr<FileState> file;
  HeldPlan held;
  Pattern memory;
  std::string text;  // made when it is asked for
  // Between start and wait.
  std::shared_ptr<Operation> operation;
  std::optional<tutti::Error> misuse;
};

}  // namespace detail

namespace {

std::optional<tutti::Error> plan_problem(const OpenFile& file, Direction direction,
                                         const Shape& shape, const Shape* memory) {
  const auto problem = [&](tutti::ErrorKind kind, const char* what) {
    return tutti::Error{kind, file.name + ": " + what};
  };
  using tutti::ErrorKind;
  if (direction == Direction::read && !file.mode.read)
    return problem(ErrorKind::access_denied, "opened for writing only, cannot be read");
  if (direction == Direction::write && !file.mode.write)
    return problem(ErrorKind::read_only, "opened for reading only, cannot be written");
  if (auto wrong = shape_error(shape, file.name + ": the shape in the file")) return wrong;
  if (shape.lower() < 0)
    return problem(ErrorKind::invalid_argument, "the shape in the file has negative offsets");
  if (memory == nullptr) return std::nullopt;
  if (auto wrong = shape_error(*memory, file.name + ": the shape in memory")) return wrong;
  if (memory->bytes() != shape.bytes())
    return problem(ErrorKind::invalid_argument,
                   "the shapes in the file and in memory have different sizes");
  return std::nullopt;
}

// Collective. Makes a plan of either direction.
Outcome<std::shared_ptr<detail::PlanState>> make_plan(
    const std::shared_ptr<detail::FileState>& state, Direction direction, const Shape& shape,
    const Shape* memory) {
  OpenFile* const file = idle_engine_of(state);
  if (file == nullptr) return public_error(closed_error());
  const auto problem = plan_problem(*file, direction, shape, memory);
  const Pattern pattern = problem ? Pattern{} : pattern_of(shape);
  auto held = hold_plan(*file, direction, pattern, problem);
  if (!held) return public_error(held.error());
  auto plan = std::make_shared<detail::PlanState>();
  plan->file = state;
  plan->held = std::move(*held);
  plan->held.id = ++state->plans_made;
  plan->memory = memory == nullptr ? Pattern::run(pattern.size()) : pattern_of(*memory);
  return plan;
}

tutti::Error wrong_use(const OpenFile& file, tutti::ErrorKind kind, const char* what) {
  return {kind, file.name + ": " + what};
}

tutti::Error started_twice(const OpenFile& file) {
  return wrong_use(file, tutti::ErrorKind::invalid_argument,
                   "a plan was started twice without waiting in between");
}

HeldRun run_of(const OpenFile& file, const detail::PlanState& plan, const void* buffer,
               std::int64_t position) {
  using tutti::ErrorKind;
  constexpr std::int64_t kLimit = std::int64_t{1} << 61;
  // The engine's memory ranges serve both directions; a write does not change the buffer.
  HeldRun run{{plan.memory, static_cast<std::byte*>(const_cast<void*>(buffer))}, position, {}};
  if (buffer == nullptr && plan.held.shape.size() > 0)
    run.refusal = wrong_use(file, ErrorKind::invalid_buffer, "the buffer is null");
  else if (position < 0 || position > kLimit)
    run.refusal =
        wrong_use(file, ErrorKind::invalid_argument, "the position is negative or too large");
  if (run.refusal) run.position = 0;
  return run;
}

// Local, in the same order on all ranks. The run goes on beside the program.
void begin(OpenFile& file, const std::shared_ptr<detail::PlanState>& plan, HeldRun run) {
  plan->operation = std::make_shared<Operation>();
  file.nonblocking->start_together(plan->operation,
                                   [plan, run = std::move(run)](OpenFile& on, MpiCaller& caller) {
                                     return run_held(on, plan->held, run, caller);
                                   });
}

}  // namespace

void Plan::start_with(const void* buffer, std::int64_t position) {
  OpenFile* const file = engine_of(state_->file);
  if (file == nullptr) return;
  if (state_->operation != nullptr)
    state_->misuse = started_twice(*file);
  else
    begin(*file, state_, run_of(*file, *state_, buffer, position));
}

Outcome<std::int64_t> Plan::wait() {
  OpenFile* const file = engine_of(state_->file);
  if (file == nullptr) return public_error(closed_error());
  if (state_->operation == nullptr)
    begin(*file, state_,
          {{},
           0,
           wrong_use(*file, tutti::ErrorKind::invalid_argument,
                     "a plan was waited for that was not started")});
  state_->operation->help();
  wait_until([&] { return state_->operation->finished(); });
  const Result<std::int64_t> moved = std::exchange(state_->operation, nullptr)->outcome();
  const auto misuse = std::exchange(state_->misuse, std::nullopt);
  if (!moved) return public_error(moved.error());
  if (misuse) return public_error(*misuse);
  return *moved;
}

Outcome<std::int64_t> Plan::run_with(const void* buffer, std::int64_t position) {
  OpenFile* const file = idle_engine_of(state_->file);
  if (file == nullptr) return public_error(closed_error());
  HeldRun run = run_of(*file, *state_, buffer, position);
  if (state_->operation != nullptr) run.refusal = started_twice(*file);
  const auto moved = run_held(*file, state_->held, run);
  if (!moved) return public_error(moved.error());
  return *moved;
}

std::int64_t Plan::bytes() const { return state_->held.shape.size(); }

const char* Plan::text_data() const {
  if (state_->text.empty()) {
    state_->text = "file offsets as of a run at position " + std::to_string(-state_->held.shift) +
                   "\n" + plan_text(state_->held.inspection->plan);
  }
  return state_->text.c_str();
}

Outcome<WritePlan> File::plan_write(const Shape& file) {
  auto made = make_plan(state_, Direction::write, file, nullptr);
  if (!made) return made.error();
  return WritePlan(std::move(*made));
}

Outcome<WritePlan> File::plan_write(const Shape& file, const Shape& memory) {
  auto made = make_plan(state_, Direction::write, file, &memory);
  if (!made) return made.error();
  return WritePlan(std::move(*made));
}

Outcome<ReadPlan> File::plan_read(const Shape& file) {
  auto made = make_plan(state_, Direction::read, file, nullptr);
  if (!made) return made.error();
  return ReadPlan(std::move(*made));
}

Outcome<ReadPlan> File::plan_read(const Shape& file, const Shape& memory) {
  auto made = make_plan(state_, Direction::read, file, &memory);
  if (!made) return made.error();
  return ReadPlan(std::move(*made));
}

}  // namespace tutti::io
