// The operations of one open file that go on beside the program.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "exec/operation.hpp"
#include "exec/worker.hpp"
#include "request/access.hpp"

namespace tutti {

struct OpenFile;

class Nonblocking {
 public:
  explicit Nonblocking(OpenFile& file) : file_(file) {}
  // Waits for every operation.
  ~Nonblocking();

  // Local. Moves this rank's bytes on a helper thread that makes no MPI call. Mode and hints are
  // those of now; the access keeps what it needs of datatypes.
  void start_alone(std::shared_ptr<Operation> operation, Access access);

  // Local. Blocks until every operation has finished.
  void finish_all();

 private:
  OpenFile& file_;
  std::atomic<std::int64_t> alone_under_way_ = 0;
  Worker alone_;
};

}  // namespace tutti
