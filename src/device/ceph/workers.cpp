#include "device/ceph/workers.hpp"

#include <new>
#include <utility>

#include "base/helper_thread.hpp"

namespace tutti {

namespace {

tl::unexpected<Error> no_batch() {
  return fail(ErrorKind::invalid_argument, "no such batch is in flight");
}

// Nothing leaves the device but an outcome.
Status guarded(const Workers::Move& move, Workers::Job job) noexcept {
  try {
    return move(job);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::no_memory, "no memory");
  } catch (...) {
    return fail(ErrorKind::internal, {});
  }
}

}  // namespace

Status Workers::run_here(Job job) noexcept { return guarded(move_, job); }

Workers::~Workers() {
  {
    const std::lock_guard guard(mutex_);
    ending_ = true;
  }
  queued_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::uint64_t Workers::submit(std::span<const Job> jobs) {
  std::unique_lock guard(mutex_);
  while (std::ssize(threads_) < threads_wanted_) {
    auto started = start_helper_thread([this] { work(); });
    if (!started) break;
    threads_.push_back(std::move(*started));
  }
  const std::uint64_t ticket = next_ticket_++;
  batches_[ticket].left = jobs.size();
  for (const Job job : jobs) jobs_.push_back({ticket, job});
  queued_.notify_all();
  if (threads_.empty()) take_jobs(guard);
  return ticket;
}

Status Workers::wait(std::uint64_t ticket) {
  std::unique_lock guard(mutex_);
  const auto batch = batches_.find(ticket);
  if (batch == batches_.end()) return no_batch();
  finished_.wait(guard, [&] { return batch->second.left == 0; });
  const std::optional<Error> failure = std::move(batch->second.failure);
  batches_.erase(batch);
  if (failure) return tl::make_unexpected(*failure);
  return {};
}

Result<bool> Workers::test(std::uint64_t ticket) {
  const std::lock_guard guard(mutex_);
  const auto batch = batches_.find(ticket);
  if (batch == batches_.end()) return no_batch();
  return batch->second.left == 0;
}

void Workers::work() {
  std::unique_lock guard(mutex_);
  for (;;) {
    queued_.wait(guard, [&] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    take_jobs(guard);
  }
}

// REQUIRES: the mutex, which is free while bytes move.
void Workers::take_jobs(std::unique_lock<std::mutex>& guard) {
  while (!jobs_.empty()) {
    const Queued next = jobs_.front();
    jobs_.pop_front();
    Batch& batch = batches_[next.ticket];
    Status moved;
    if (!batch.failure) {
      guard.unlock();
      moved = guarded(move_, next.job);
      guard.lock();
    }
    if (!moved && !batch.failure) batch.failure = moved.error();
    if (--batch.left == 0) finished_.notify_all();
  }
}

}  // namespace tutti
