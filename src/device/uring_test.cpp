#include "device/uring.hpp"

#include <gtest/gtest.h>
#include <liburing.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <thread>

#include "device/posix.hpp"
#include "device/test_scratch.hpp"

namespace tutti {
namespace {

constexpr OpenOptions kReadWrite{.read = true, .write = true};
constexpr OpenOptions kCreate{.read = true, .write = true, .create = true};

std::vector<Transfer> pieces_of(std::vector<std::byte>& bytes, std::int64_t piece,
                                TransferKind kind) {
  std::vector<Transfer> batch;
  const auto end = static_cast<std::int64_t>(bytes.size());
  for (std::int64_t offset = 0; offset < end; offset += piece) {
    batch.push_back({.kind = kind,
                     .offset = offset,
                     .memory = bytes.data() + offset,
                     .bytes = std::min(piece, end - offset)});
  }
  return batch;
}

// Through the ring in any case, which Device::transfer avoids where a plain call is cheaper.
Status through_ring(Device& device, std::span<Transfer> batch) {
  const auto ticket = device->submit(batch);
  if (!ticket) return tl::make_unexpected(ticket.error());
  return device->wait(*ticket);
}

TEST(Uring, IsAsynchronousWhereTheKernelAllowsIt) {
  const Scratch scratch;
  io_uring ring{};
  const bool allowed = io_uring_queue_init(8, &ring, 0) == 0;
  if (allowed) io_uring_queue_exit(&ring);
  auto device = open_uring(scratch.file(), kCreate);
  ASSERT_TRUE(device.has_value());
  EXPECT_EQ((*device)->facts().asynchronous, allowed);
}

// More pieces than slots, and calls too small for a piece: refill and continuation together.
TEST(Uring, SmallRingsAndSmallCallsMoveTheSameBytes) {
  const Scratch scratch;
  std::mt19937_64 random(2);
  for (const unsigned in_flight : {1u, 3u, 16u}) {
    for (const std::int64_t call_bytes : {std::int64_t{5}, std::int64_t{64}, kMaxCallBytes}) {
      auto device = open_uring(scratch.file(), kCreate, in_flight, {.call_bytes = call_bytes});
      ASSERT_TRUE(device.has_value());
      auto bytes = random_bytes(random, 4001);
      auto batch = pieces_of(bytes, 17, TransferKind::write);
      ASSERT_TRUE(through_ring(*device, batch).has_value());
      std::vector<std::byte> found(4001 + 100);
      batch = pieces_of(found, 23, TransferKind::read);
      ASSERT_TRUE(through_ring(*device, batch).has_value());
      EXPECT_EQ(batch[4001 / 23].done, 4001 % 23);
      EXPECT_EQ(batch.back().done, 0);
      found.resize(4001);
      EXPECT_TRUE(found == bytes) << in_flight << " " << call_bytes;
    }
  }
}

TEST(Uring, ErrorsShowWhenWaitedFor) {
  auto device = open_uring("/dev/full", kReadWrite, 8, {});
  ASSERT_TRUE(device.has_value());
  std::vector<std::byte> bytes(3000);
  auto batch = pieces_of(bytes, 30, TransferKind::write);
  const Status moved = through_ring(*device, batch);
  ASSERT_FALSE(moved.has_value());
  EXPECT_EQ(moved.error(),
            (Error{ErrorKind::no_space,
                   "/dev/full: no space left on device (writing 30 bytes at offset 0)"}));
  for (const Transfer& transfer : batch) EXPECT_EQ(transfer.done, 0);
  auto reading = pieces_of(bytes, 30, TransferKind::read);
  EXPECT_TRUE(through_ring(*device, reading).has_value()) << "one failed batch spoils no other";
}

TEST(Uring, TicketsAreWaitedForOnce) {
  const Scratch scratch;
  auto device = open_uring(scratch.file(), kCreate);
  ASSERT_TRUE(device.has_value());
  ASSERT_TRUE((*device)->facts().asynchronous);
  std::vector<std::byte> bytes(100);
  auto batch = pieces_of(bytes, 10, TransferKind::write);
  const auto ticket = (*device)->submit(batch);
  ASSERT_TRUE(ticket.has_value());
  while (!(*device)->test(*ticket).value()) std::this_thread::yield();
  EXPECT_TRUE((*device)->test(*ticket).value());
  EXPECT_TRUE((*device)->wait(*ticket).has_value());
  EXPECT_EQ((*device)->wait(*ticket).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ((*device)->test(*ticket).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ((*device)->wait(123456).error().kind, ErrorKind::invalid_argument);
}

TEST(Uring, ManyThreadsWaitOnASmallRing) {
  const Scratch scratch("/tmp");  // a disk: completions come from the kernel's threads
  auto device = open_uring(scratch.file(), kCreate, 4, {});
  ASSERT_TRUE(device.has_value());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      for (int round = 0; round < 30; ++round) {
        auto bytes = random_bytes(random, 3000);
        auto batch = pieces_of(bytes, 200, TransferKind::write);
        for (Transfer& transfer : batch) transfer.offset += t * 1'000'000 + round * 3000;
        if (!through_ring(*device, batch)) ++wrong;
        std::vector<std::byte> found(3000);
        auto reading = pieces_of(found, 100, TransferKind::read);
        for (Transfer& transfer : reading) transfer.offset += t * 1'000'000 + round * 3000;
        if (!through_ring(*device, reading) || found != bytes) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// The kernel may cancel what a thread left behind when it exited.
TEST(Uring, BatchesOutliveTheThreadThatSubmittedThem) {
  const Scratch scratch("/tmp");
  auto device = open_uring(scratch.file(), kCreate);
  ASSERT_TRUE(device.has_value());
  std::mt19937_64 random(9);
  auto bytes = random_bytes(random, 4 << 20);
  auto batch = pieces_of(bytes, 64 << 10, TransferKind::write);
  std::uint64_t ticket = 0;
  std::thread([&] { ticket = (*device)->submit(batch).value(); }).join();
  ASSERT_TRUE((*device)->wait(ticket).has_value());
  std::vector<std::byte> found(bytes.size());
  EXPECT_EQ(device->read(0, found), static_cast<std::int64_t>(found.size()));
  EXPECT_TRUE(found == bytes);
}

TEST(Uring, BlockingBatchesMoveTheSameBytes) {
  const Scratch scratch;
  auto device = open_uring(scratch.file(), kCreate);
  ASSERT_TRUE(device.has_value());
  std::mt19937_64 random(10);
  for (const std::int64_t piece : {100, 64 << 10, 100'000}) {
    auto bytes = random_bytes(random, 1'000'000);
    auto batch = pieces_of(bytes, piece, TransferKind::write);
    ASSERT_TRUE(device->transfer(batch).has_value());
    std::vector<std::byte> found(bytes.size());
    batch = pieces_of(found, piece, TransferKind::read);
    ASSERT_TRUE(device->transfer(batch).has_value());
    EXPECT_TRUE(found == bytes);
  }
}

TEST(Uring, ClosingWaitsForWhatTheKernelHolds) {
  const Scratch scratch;
  std::vector<std::byte> bytes(16 << 20, std::byte{1});
  ASSERT_EQ(open_posix(scratch.file(), kCreate)->write(0, bytes), 16 << 20);
  for (int turn = 0; turn < 10; ++turn) {
    auto device = open_uring(scratch.file(), kCreate, 8, {});
    ASSERT_TRUE(device.has_value());
    auto batch = pieces_of(bytes, 2 << 20, TransferKind::read);
    ASSERT_TRUE((*device)->submit(batch).has_value());
    *device = Device();  // eight pieces, eight slots: all of them are with the kernel
    for (const Transfer& transfer : batch) {
      EXPECT_EQ(transfer.memory[transfer.bytes - 1], std::byte{1}) << "closed before it was read";
    }
    std::fill(bytes.begin(), bytes.end(), std::byte{2});
  }
}

// Filters io_uring_setup away, as container runtimes do.
bool forbid_io_uring(unsigned code) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{4, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(Uring, FallsBackWhereTheKernelRefuses) {
  const Scratch scratch;
  for (const unsigned code : {EPERM, ENOSYS, ENOMEM}) {
    const pid_t child = fork();
    if (child == 0) {
      if (!forbid_io_uring(code)) _exit(1);
      auto device = open_device("uring:" + scratch.file(), kCreate);
      if (!device) _exit(2);
      if ((*device)->facts().asynchronous || !(*device)->facts().has_locks) _exit(3);
      std::vector<std::byte> bytes(1000, std::byte{7});
      auto batch = pieces_of(bytes, 100, TransferKind::write);
      const auto ticket = (*device)->submit(batch);
      if (!ticket || !(*device)->wait(*ticket)) _exit(4);
      _exit((*device)->size() == 1000 ? 0 : 5);
    }
    int state = 0;
    waitpid(child, &state, 0);
    EXPECT_EQ(state, 0) << "child's answer " << WEXITSTATUS(state);
  }
}

}  // namespace
}  // namespace tutti
