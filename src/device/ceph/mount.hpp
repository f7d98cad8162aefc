// One connection to the cluster for all files of a process, and a bound on how long its calls take.
#pragma once

#include <cephfs/libcephfs.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.hpp"

namespace tutti {

class CephMount {
 public:
  // The process's connection, made where there is none. It goes with its last user. Fails within
  // the bound, naming the configuration, where the cluster or a daemon of it does not answer.
  static Result<std::shared_ptr<CephMount>> shared();
  ~CephMount();
  CephMount(const CephMount&) = delete;
  CephMount& operator=(const CephMount&) = delete;

  // Answers as libcephfs does: negative for an errno.
  using Call = std::function<std::int64_t(ceph_mount_info*)>;

  // Makes the call on a helper thread: libcephfs waits for daemons that are gone for ever. A call
  // that takes longer than the bound is left behind, with its thread, and costs all users the
  // connection: it and all later ones answer ETIMEDOUT. REQUIRES: `call` owns what it touches.
  std::int64_t bounded(Call call);

  // All later calls answer ETIMEDOUT.
  void give_up();
  bool lost() const;

 private:
  struct State;
  explicit CephMount(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // also of helper threads, which may outlive this object
};

}  // namespace tutti
