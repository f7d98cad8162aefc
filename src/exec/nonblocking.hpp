// The operations of one open file that go on beside the program.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "exec/operation.hpp"
#include "exec/worker.hpp"
#include "mpi/mpi_caller.hpp"
#include "request/access.hpp"
#include "request/hints.hpp"

namespace tutti {

struct OpenFile;

class Nonblocking {
 public:
  explicit Nonblocking(OpenFile& file) : file_(file) {}
  // Waits for every operation.
  ~Nonblocking();

  // Local. Moves this rank's bytes, with no MPI call, on a helper thread or by Operation::help().
  // Mode and hints are those of now; the access keeps what it needs of datatypes.
  void start_alone(std::shared_ptr<Operation> operation, Access access);

  // The same for what moves the bytes in another way.
  using AloneMove = std::function<Result<std::int64_t>(OpenFile&, const Hints&, bool atomic)>;
  void start_alone(std::shared_ptr<Operation> operation, AloneMove move,
                   Worker::Runner runner = Worker::Runner::helper_thread);

  // Local, in the same order on every rank. Moves the bytes as a collective call does, on a helper
  // thread or by Operation::help(); a rank that cannot take part passes its refusal. Operations run
  // one after another. REQUIRES: the file's collective state.
  void start_together(std::shared_ptr<Operation> operation, Access access,
                      std::optional<Error> refusal);

  using TogetherMove = std::function<Result<std::int64_t>(OpenFile&, MpiCaller&)>;
  void start_together(std::shared_ptr<Operation> operation, TogetherMove move);

  // Local. Blocks until every collective operation of the file has finished: before its ranks meet
  // in any other way. Those of other files go on meanwhile, but nobody waits for them: their ranks
  // may be here before they are there.
  void finish_together();

  // Local. Blocks until every operation has finished.
  void finish_all();

  // Local. The same for at most `patience`. Whether every operation has finished.
  bool finish_within(std::chrono::seconds patience);

 private:
  bool may_lock(const Access& access) const;

  OpenFile& file_;
  std::atomic<std::int64_t> alone_under_way_ = 0;
  std::atomic<std::int64_t> together_under_way_ = 0;
  const std::shared_ptr<Worker> alone_ = std::make_shared<Worker>();
  // Others may keep it waiting, so it is not the one above.
  const std::shared_ptr<Worker> together_ = std::make_shared<Worker>();
};

}  // namespace tutti
