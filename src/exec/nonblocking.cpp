#include "exec/nonblocking.hpp"

#include <exception>
#include <utility>

#include "exec/alone.hpp"
#include "exec/collective.hpp"
#include "exec/collective_state.hpp"
#include "exec/open_file.hpp"
#include "exec/progress.hpp"

namespace tutti {

namespace {

// Nothing leaves a helper thread but an outcome.
template <class Move>
Result<std::int64_t> guarded_move(const Move& move) noexcept {
  try {
    return move();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::no_memory, "no memory");
  } catch (...) {
    return fail(ErrorKind::internal, {});
  }
}

// A program that waits for more bytes of its own, or for a lock, must serve the host meanwhile.
constexpr std::int64_t kQuickBytes = 1 << 20;

enum class Engine { shared, threaded, polled };

bool any_thread_may_call_mpi() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

// Local, with the same answer on every rank but for the thread level, which only decides who calls.
Engine choose_engine(const OpenFile& file) {
  // Plans of several phases, and timed ones, need messages.
  const bool direct = file.hints.strategy != "multi-phase" && file.hints.strategy != "resonant";
  if (file.collective->talks_without_mpi() && direct) return Engine::shared;
  const bool threaded =
      file.hints.nonblocking != NonblockingChoice::polled && any_thread_may_call_mpi();
  return threaded ? Engine::threaded : Engine::polled;
}

Tally<std::int64_t>& counter_of(Counters& counters, Engine engine) {
  switch (engine) {
    case Engine::shared:
      return counters.nonblocking_shared;
    case Engine::threaded:
      return counters.nonblocking_threaded;
    case Engine::polled:
      break;
  }
  return counters.nonblocking_polled;
}

}  // namespace

Nonblocking::~Nonblocking() { finish_all(); }

bool Nonblocking::may_lock(const Access& access) const {
  return file_.atomic || (access.direction == Direction::write && writers_lock(file_.hints));
}

void Nonblocking::start_alone(std::shared_ptr<Operation> operation, Access access) {
  const bool quick = access.file.bytes <= kQuickBytes && !may_lock(access);
  start_alone(
      std::move(operation),
      [access = std::move(access)](OpenFile& file, const Hints& hints, bool atomic) {
        return transfer_alone(file, access, hints, atomic);
      },
      quick ? Worker::Runner::anybody : Worker::Runner::helper_thread);
}

void Nonblocking::start_alone(std::shared_ptr<Operation> operation, AloneMove move,
                              Worker::Runner runner) {
  ++alone_under_way_;
  file_.counters.nonblocking_calls.add(1);
  operation->set_worker(alone_);
  auto task = [this, operation = std::move(operation), move = std::move(move), hints = file_.hints,
               atomic = file_.atomic] {
    auto moved = guarded_move([&] { return move(file_, hints, atomic); });
    operation->finish(std::move(moved));
    --alone_under_way_;
    process_progress().bell.ring();
  };
  alone_->add(std::move(task), runner);
}

void Nonblocking::start_together(std::shared_ptr<Operation> operation, Access access,
                                 std::optional<Error> refusal) {
  start_together(std::move(operation), [access = std::move(access), refusal = std::move(refusal)](
                                           OpenFile& file, MpiCaller& caller) {
    return transfer_collective(file, access, refusal, caller);
  });
}

void Nonblocking::start_together(std::shared_ptr<Operation> operation, TogetherMove move) {
  const Engine engine = choose_engine(file_);
  ++together_under_way_;
  if (engine == Engine::polled) process_progress().add_polled(1);
  operation->set_worker(together_);
  auto task = [this, engine, operation = std::move(operation), move = std::move(move)] {
    ++counter_of(file_.counters, engine);
    MpiCaller& caller = engine == Engine::threaded ? thread_caller() : polled_caller();
    auto moved = guarded_move([&] { return move(file_, caller); });
    if (engine == Engine::polled) process_progress().add_polled(-1);
    operation->finish(std::move(moved));
    --together_under_way_;
    process_progress().bell.ring();
  };
  // A thread that makes the calls of polled operations must be free for those of other files; and
  // nobody serves the host while it waits for a lock.
  const bool helper_only = engine == Engine::polled || file_.atomic;
  together_->add(std::move(task),
                 helper_only ? Worker::Runner::helper_thread : Worker::Runner::anybody);
}

void Nonblocking::finish_together() {
  if (together_under_way_ == 0) return;
  while (together_->run_next()) {
  }
  wait_until([&] { return together_under_way_ == 0; });
}

void Nonblocking::finish_all() {
  finish_together();
  if (alone_under_way_ == 0) return;
  while (alone_->run_next()) {
  }
  wait_until([&] { return alone_under_way_ == 0; });
}

bool Nonblocking::finish_within(std::chrono::seconds patience) {
  const auto over = [&] { return together_under_way_ == 0 && alone_under_way_ == 0; };
  const auto end = std::chrono::steady_clock::now() + patience;
  if (!over()) wait_until([&] { return over() || std::chrono::steady_clock::now() >= end; });
  return over();
}

}  // namespace tutti
