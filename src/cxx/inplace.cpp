#include "tutti/inplace.hpp"

#include <algorithm>
#include <optional>

#include "base/scratch.hpp"
#include "cxx/file_state.hpp"
#include "cxx/values.hpp"
#include "exec/inplace_inspect.hpp"
#include "exec/inplace_run.hpp"
#include "mpi/agree.hpp"
#include "mpi/call.hpp"
#include "request/access.hpp"
#include "strategy/inplace_regular.hpp"

namespace tutti::io {

namespace detail {

struct InplaceState {
  inplace::InplacePlan plan;
  inplace::ByteSchedule schedule;
  std::int64_t element_bytes = 1;
  Buffer region;
  inplace::StageTimes times;
  tutti::Counters counters;
  std::string text;  // made when it is asked for
};

}  // namespace detail

namespace {

using StatePtr = std::shared_ptr<detail::InplaceState>;

Status check_comm(MPI_Comm comm) {
  if (!mpi_is_running()) return fail(tutti::ErrorKind::invalid_comm, "MPI is not running");
  if (comm == MPI_COMM_NULL)
    return fail(tutti::ErrorKind::invalid_comm, "the communicator is null");
  return {};
}

// Local. What a plan needs before it can run.
Status equip(detail::InplaceState& state) {
  auto schedule = inplace::make_schedule(state.plan, state.element_bytes);
  if (!schedule) return tl::make_unexpected(schedule.error());
  state.schedule = std::move(*schedule);
  state.region = allocate_buffer(std::max<std::int64_t>(state.schedule.region_bytes, 1));
  if (!state.region)
    return fail(tutti::ErrorKind::no_memory, "no memory for the region of an in-place vector");
  return {};
}

// Collective. All ranks have their vector, or all have the same error.
Result<StatePtr> finish(MPI_Comm comm, StatePtr state, Status inspected) {
  if (inspected) inspected = equip(*state);
  const std::optional<tutti::Error> failure =
      inspected ? std::nullopt : std::optional(inspected.error());
  if (auto agreed = agree(comm, failure); !agreed) return tl::make_unexpected(agreed.error());
  return state;
}

using Runner = Status (*)(const inplace::InplaceCall&, const std::optional<tutti::Error>&,
                          inplace::StageTimes&);

// Collective over the file's communicator.
Outcome<void> move_vector(const StatePtr& state, const File& file, std::int64_t position,
                          Direction direction) {
  OpenFile* const engine = idle_engine_of(file.state());
  if (engine == nullptr) return public_error(closed_error());
  const bool reading = direction == Direction::read;
  std::optional<tutti::Error> refusal;
  if (reading && !engine->mode.read)
    refusal = tutti::Error{tutti::ErrorKind::access_denied,
                           engine->name + ": opened for writing only, cannot be read"};
  if (!reading && !engine->mode.write)
    refusal = tutti::Error{tutti::ErrorKind::read_only,
                           engine->name + ": opened for reading only, cannot be written"};
  const Runner run = reading ? inplace::read_inplace : inplace::write_inplace;
  return public_outcome(
      run({*engine, state->schedule, state->region.get(), position}, refusal, state->times));
}

}  // namespace

Outcome<InplaceVector> InplaceVector::block_cyclic(MPI_Comm comm, const CyclicVector& vector) {
  if (const auto usable = check_comm(comm); !usable) return public_error(usable.error());
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  auto state = std::make_shared<detail::InplaceState>();
  state->element_bytes = vector.element_bytes;
  const double began = PMPI_Wtime();
  auto plan = inplace::inspect_regular({vector.elements, ranks, vector.block}, rank);
  state->counters.inspect_s = PMPI_Wtime() - began;
  Status inspected;
  if (plan)
    state->plan = std::move(*plan);
  else
    inspected = tl::make_unexpected(plan.error());
  auto finished = finish(comm, std::move(state), inspected);
  if (!finished) return public_error(finished.error());
  return InplaceVector(std::move(*finished));
}

Outcome<InplaceVector> InplaceVector::tuples(MPI_Comm comm, std::span<const Tuple> mine,
                                             std::int64_t element_bytes) {
  if (const auto usable = check_comm(comm); !usable) return public_error(usable.error());
  const auto own = duplicate_comm(comm);  // its messages must not meet the application's
  if (!own) return public_error(own.error());
  auto state = std::make_shared<detail::InplaceState>();
  state->element_bytes = element_bytes;
  inplace::Tuples distribution;
  distribution.reserve(mine.size());
  for (const Tuple& tuple : mine) distribution.push_back({tuple.offset, tuple.length});
  auto plan = inplace::inspect_tuples(own->get(), distribution, std::nullopt, state->counters);
  if (!plan) return public_error(plan.error());
  state->plan = std::move(*plan);
  auto finished = finish(own->get(), std::move(state), {});
  if (!finished) return public_error(finished.error());
  return InplaceVector(std::move(*finished));
}

std::byte* InplaceVector::data() const { return state_->region.get(); }
std::int64_t InplaceVector::region_elements() const { return state_->plan.region.elements; }
std::int64_t InplaceVector::alloc_offset() const { return state_->plan.region.alloc_offset; }
std::int64_t InplaceVector::own_elements() const { return state_->plan.region.own_elements; }
std::int64_t InplaceVector::element_bytes() const { return state_->element_bytes; }

Outcome<void> InplaceVector::write(File& file, std::int64_t position) {
  return move_vector(state_, file, position, Direction::write);
}

Outcome<void> InplaceVector::read(File& file, std::int64_t position) {
  return move_vector(state_, file, position, Direction::read);
}

InplaceVector::Times InplaceVector::times() const {
  const inplace::StageTimes& times = state_->times;
  return {times.phases_s, times.pack_s, times.access_s, times.agree_s};
}

Counters InplaceVector::counters() const { return public_counters(state_->counters); }

const char* InplaceVector::text_data() const {
  if (state_->text.empty()) state_->text = inplace::inplace_plan_text(state_->plan);
  return state_->text.c_str();
}

}  // namespace tutti::io
