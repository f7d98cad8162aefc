#include "device/uring.hpp"

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "device/errno_error.hpp"
#include "device/posix.hpp"

namespace tutti {

namespace {

constexpr unsigned kInFlight = 256;
// The kernel copies what it finds cached inside submit(); pieces of this size go to its threads.
constexpr std::int64_t kOffloadBytes = 64 * 1024;
constexpr auto kRetryPause = std::chrono::microseconds(100);

bool passing(int code) { return code == EINTR || code == EAGAIN || code == EBUSY; }

// Owner of a ring that knows positional reads and writes.
class Ring {
 public:
  Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { shut(); }

  bool start(unsigned entries) {
    if (io_uring_queue_init(entries, &ring_, 0) != 0) return false;
    live_ = true;
    io_uring_probe* probe = io_uring_get_probe_ring(&ring_);
    if (probe == nullptr) return false;
    const bool able = io_uring_opcode_supported(probe, IORING_OP_READ) != 0 &&
                      io_uring_opcode_supported(probe, IORING_OP_WRITE) != 0;
    io_uring_free_probe(probe);
    return able;
  }
  void shut() {
    if (std::exchange(live_, false)) io_uring_queue_exit(&ring_);
  }
  io_uring* operator*() { return &ring_; }

 private:
  io_uring ring_{};
  bool live_ = false;
};

// Submissions, completions and all counters change under mutex_. To sleep for completions one
// thread becomes the reaper: it leaves the mutex, and until it is back nobody else touches the
// completion side.
class UringBackend final : public PosixBackend {
 public:
  UringBackend(PosixFile file, std::unique_ptr<Ring> ring, unsigned in_flight);
  ~UringBackend() override { (void)close(); }

  DeviceFacts facts() const override;
  Result<std::uint64_t> submit(std::span<Transfer> batch) override;
  Status wait(std::uint64_t ticket) override;
  Result<bool> test(std::uint64_t ticket) override;
  Status run(std::span<Transfer> batch) override;
  Status close() override;

 private:
  struct Batch {
    std::span<Transfer> transfers;
    std::size_t next = 0;       // first transfer not yet given to a slot
    std::size_t in_flight = 0;  // slots at work for it
    std::size_t failed_at = 0;
    std::optional<Error> error;

    bool finished() const { return in_flight == 0 && next == transfers.size(); }
    void fail_at(std::size_t index, Error reason);
  };
  struct Slot {
    Batch* batch = nullptr;
    std::size_t index = 0;
  };

  Transfer& transfer_of(const Slot& slot) { return slot.batch->transfers[slot.index]; }
  void enqueue(Slot& slot);
  void fill();
  void push();
  void land(Slot& slot, int answer);
  bool drain();
  void sleep_for_completions(std::unique_lock<std::mutex>& guard);
  void give_up(int code);
  Batch* find(std::uint64_t ticket);

  std::unique_ptr<Ring> ring_;
  std::mutex mutex_;
  std::condition_variable reaped_;
  bool reaping_ = false;
  int broken_ = 0;             // errno after which the ring takes nothing any more
  std::size_t in_kernel_ = 0;  // entries the kernel took and has not answered
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, Batch> batches_;
  std::deque<Batch*> unfilled_;  // batches with transfers not yet given to a slot, oldest first
  std::vector<Slot> slots_;
  std::vector<Slot*> free_slots_;
};

UringBackend::UringBackend(PosixFile file, std::unique_ptr<Ring> ring, unsigned in_flight)
    : PosixBackend(std::move(file)), ring_(std::move(ring)), slots_(in_flight) {
  for (Slot& slot : slots_) free_slots_.push_back(&slot);
}

DeviceFacts UringBackend::facts() const {
  DeviceFacts facts = PosixBackend::facts();
  facts.asynchronous = true;
  return facts;
}

void UringBackend::Batch::fail_at(std::size_t index, Error reason) {
  if (error && failed_at < index) return;
  failed_at = index;
  error = std::move(reason);
}

// REQUIRES: the submission queue has room; it holds as many entries as there are slots.
void UringBackend::enqueue(Slot& slot) {
  const Transfer rest = rest_of(transfer_of(slot), file_.limits().call_bytes);
  io_uring_sqe* entry = io_uring_get_sqe(**ring_);
  const auto bytes = static_cast<unsigned>(rest.bytes);
  const auto offset = static_cast<std::uint64_t>(rest.offset);
  if (rest.kind == TransferKind::read) {
    io_uring_prep_read(entry, file_.descriptor(), rest.memory, bytes, offset);
  } else {
    io_uring_prep_write(entry, file_.descriptor(), rest.memory, bytes, offset);
  }
  if (rest.bytes >= kOffloadBytes) entry->flags |= IOSQE_ASYNC;
  io_uring_sqe_set_data(entry, &slot);
}

void UringBackend::fill() {
  while (!unfilled_.empty() && broken_ == 0) {
    Batch& batch = *unfilled_.front();
    while (batch.next < batch.transfers.size() && !free_slots_.empty()) {
      const std::size_t index = batch.next++;
      if (batch.transfers[index].bytes == 0) continue;
      Slot* slot = free_slots_.back();
      free_slots_.pop_back();
      *slot = {&batch, index};
      ++batch.in_flight;
      enqueue(*slot);
    }
    if (batch.next < batch.transfers.size()) return;
    unfilled_.pop_front();
  }
}

// Hands everything that is ready to the kernel. What it does not take now stays queued.
void UringBackend::push() {
  fill();
  while (broken_ == 0 && io_uring_sq_ready(**ring_) > 0) {
    const int taken = io_uring_submit(**ring_);
    if (taken == -EINTR) continue;
    if (taken < 0 && !passing(-taken)) broken_ = -taken;
    if (taken <= 0) return;
    in_kernel_ += static_cast<std::size_t>(taken);
  }
}

void UringBackend::land(Slot& slot, int answer) {
  Batch& batch = *slot.batch;
  Transfer& transfer = transfer_of(slot);
  // ECANCELED: the thread that submitted it has exited.
  const bool again = answer == -EINTR || answer == -EAGAIN || answer == -ECANCELED;
  if (answer > 0) transfer.done += answer;
  if (again || (answer > 0 && transfer.done < transfer.bytes)) {
    enqueue(slot);
    return;
  }
  const Transfer rest = rest_of(transfer, file_.limits().call_bytes);
  if (answer < 0) batch.fail_at(slot.index, transfer_error(-answer, file_.path(), rest));
  if (answer == 0 && transfer.kind == TransferKind::write) {
    batch.fail_at(slot.index, stuck_error(file_.path(), rest));
  }
  if (batch.error) batch.next = batch.transfers.size();
  --batch.in_flight;
  free_slots_.push_back(&slot);
}

// Takes every completion that is there; true if there was one. REQUIRES: nobody is reaping.
bool UringBackend::drain() {
  bool any = false;
  io_uring_cqe* completion = nullptr;
  while (io_uring_peek_cqe(**ring_, &completion) == 0 && completion != nullptr) {
    Slot& slot = *static_cast<Slot*>(io_uring_cqe_get_data(completion));
    const int answer = completion->res;
    io_uring_cqe_seen(**ring_, completion);
    --in_kernel_;
    any = true;
    land(slot, answer);
  }
  return any;
}

// The ring is unusable and the kernel holds nothing of it: all that is left fails.
void UringBackend::give_up(int code) {
  for (auto& [ticket, batch] : batches_) {
    if (batch.finished()) continue;
    const std::size_t index = std::min(batch.next, batch.transfers.size() - 1);
    batch.fail_at(index, transfer_error(code, file_.path(), batch.transfers[index]));
    batch.next = batch.transfers.size();
    batch.in_flight = 0;
  }
  unfilled_.clear();
}

void UringBackend::sleep_for_completions(std::unique_lock<std::mutex>& guard) {
  push();
  if (drain()) return;
  if (in_kernel_ == 0) {
    if (broken_ != 0) return give_up(broken_);
    guard.unlock();
    std::this_thread::sleep_for(kRetryPause);
    guard.lock();
    return;
  }
  reaping_ = true;
  guard.unlock();
  io_uring_cqe* completion = nullptr;
  (void)io_uring_wait_cqe(**ring_, &completion);  // interrupted or not: drain() tells
  guard.lock();
  reaping_ = false;
  drain();
  push();
  reaped_.notify_all();
}

UringBackend::Batch* UringBackend::find(std::uint64_t ticket) {
  const auto found = batches_.find(ticket);
  return found == batches_.end() ? nullptr : &found->second;
}

Result<std::uint64_t> UringBackend::submit(std::span<Transfer> batch) {
  if (!file_.is_open()) return tl::make_unexpected(closed_error(file_.path()));
  if (Status sound = check_batch(file_.path(), file_.rights(), batch); !sound) {
    return tl::make_unexpected(sound.error());
  }
  const std::lock_guard guard(mutex_);
  if (broken_ != 0) {
    return tl::make_unexpected(errno_error(broken_, file_.path(), "submitting a batch"));
  }
  const std::uint64_t ticket = ++last_ticket_;
  Batch& entry = batches_[ticket];
  entry.transfers = batch;
  unfilled_.push_back(&entry);
  push();
  return ticket;
}

Status UringBackend::wait(std::uint64_t ticket) {
  std::unique_lock guard(mutex_);
  Batch* batch = find(ticket);
  if (batch == nullptr) {
    return fail(ErrorKind::invalid_argument, file_.path() + ": no such batch is in flight");
  }
  while (!batch->finished()) {
    if (reaping_) {
      reaped_.wait(guard);
    } else {
      sleep_for_completions(guard);
    }
  }
  std::erase(unfilled_, batch);  // a failed batch may still be listed
  const std::optional<Error> error = std::move(batch->error);
  batches_.erase(ticket);
  if (error) return tl::make_unexpected(*error);
  return {};
}

Result<bool> UringBackend::test(std::uint64_t ticket) {
  const std::lock_guard guard(mutex_);
  Batch* batch = find(ticket);
  if (batch == nullptr) {
    return fail(ErrorKind::invalid_argument, file_.path() + ": no such batch is in flight");
  }
  if (!batch->finished() && !reaping_) {
    drain();
    push();
    drain();
  }
  return batch->finished();
}

// The ring pays where pieces wait for storage side by side. Small writes end in the page cache, and
// handing them to the kernel's threads costs several times the plain call.
Status UringBackend::run(std::span<Transfer> batch) {
  const bool plain = std::all_of(batch.begin(), batch.end(), [](const Transfer& transfer) {
    return transfer.kind == TransferKind::write && transfer.bytes < kOffloadBytes;
  });
  if (batch.size() <= 1 || plain) return file_.transfer(batch);
  return DeviceBackend::run(batch);
}

Status UringBackend::close() {
  if (!file_.is_open()) return {};
  std::unique_lock guard(mutex_);
  // The kernel may still write to memory of batches nobody waited for.
  while (in_kernel_ > 0) {
    if (drain()) continue;
    io_uring_cqe* completion = nullptr;
    (void)io_uring_wait_cqe(**ring_, &completion);
  }
  batches_.clear();
  unfilled_.clear();
  ring_->shut();
  return file_.close();
}

}  // namespace

Result<Device> open_uring(const std::string& path, const OpenOptions& options) {
  return open_uring(path, options, kInFlight, {});
}

Result<Device> open_uring(const std::string& path, const OpenOptions& options, unsigned in_flight,
                          PosixLimits limits) {
  Result<PosixFile> file = open_with_striping(path, options, limits);
  if (!file) return tl::make_unexpected(file.error());
  auto ring = std::make_unique<Ring>();
  if (!ring->start(in_flight)) return Device(std::make_unique<PosixBackend>(std::move(*file)));
  return Device(std::make_unique<UringBackend>(std::move(*file), std::move(ring), in_flight));
}

}  // namespace tutti
