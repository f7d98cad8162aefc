#include "device/posix.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "device/test_scratch.hpp"

namespace tutti {
namespace {

constexpr OpenOptions kReadWrite{.read = true, .write = true};
constexpr OpenOptions kCreate{.read = true, .write = true, .create = true};

// Runs `body` in a process of its own and returns its answer (0…99), or 100 + signal.
template <class Body>
int in_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : 100 + WTERMSIG(state);
}

TEST(Posix, SmallCallLimitsMoveTheSameBytes) {
  const Scratch scratch;
  std::mt19937_64 random(1);
  for (const std::int64_t call_bytes : {1, 7, 64, 1000}) {
    for (const std::int32_t call_pieces : {1, 2, 5, 5000}) {
      auto file = PosixFile::open(scratch.file(), kCreate,
                                  {.call_bytes = call_bytes, .call_pieces = call_pieces});
      ASSERT_TRUE(file.has_value());
      auto bytes = random_bytes(random, 3000);
      std::vector<Transfer> batch;
      for (std::int64_t offset = 0; offset < 3000;) {
        const auto piece =
            std::min<std::int64_t>(3000 - offset, static_cast<std::int64_t>(random() % 40));
        const std::int64_t gap = random() % 4 == 0 ? 100'000 : 0;
        batch.push_back({.kind = TransferKind::write,
                         .offset = offset + gap,
                         .memory = bytes.data() + offset,
                         .bytes = piece});
        offset += piece;
      }
      ASSERT_TRUE(file->transfer(batch).has_value());
      std::vector<std::byte> found(3000);
      for (Transfer& transfer : batch) {
        EXPECT_EQ(transfer.done, transfer.bytes);
        transfer.kind = TransferKind::read;
        transfer.memory = found.data() + (transfer.memory - bytes.data());
      }
      ASSERT_TRUE(file->transfer(batch).has_value());
      EXPECT_TRUE(found == bytes) << call_bytes << " " << call_pieces;
    }
  }
}

TEST(Posix, TransfersBeyondTheKernelsLimit) {
  constexpr std::size_t kBytes = std::size_t{5} << 30;
  void* memory =
      mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto device = open_posix("/dev/null", kReadWrite);
  ASSERT_TRUE(device.has_value());
  auto* bytes = static_cast<std::byte*>(memory);
  EXPECT_EQ(device->write(0, {bytes, kBytes}), static_cast<std::int64_t>(kBytes));
  Transfer batch[3] = {{.kind = TransferKind::write, .memory = bytes, .bytes = 100}};
  for (int i = 1; i < 3; ++i) {
    batch[i] = {.kind = TransferKind::write,
                .offset = batch[i - 1].offset + batch[i - 1].bytes,
                .memory = bytes,
                .bytes = std::int64_t{5} << 29};
  }
  ASSERT_TRUE(device->transfer(batch).has_value());
  EXPECT_EQ(batch[2].done, std::int64_t{5} << 29);
  munmap(memory, kBytes);
}

TEST(Posix, FullDevice) {
  auto device = open_posix("/dev/full", kReadWrite);
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ((*device)->size(), 0);
  std::vector<std::byte> bytes(4096, std::byte{1});
  const auto moved = device->write(0, bytes);
  ASSERT_FALSE(moved.has_value());
  EXPECT_EQ(moved.error(), (Error{ErrorKind::no_space,
                                  "/dev/full: no space left on device (writing 4096 bytes at "
                                  "offset 0)"}));
  Transfer batch[2] = {
      {.kind = TransferKind::write, .memory = bytes.data(), .bytes = 10, .done = 3},
      {.kind = TransferKind::write, .offset = 10, .memory = bytes.data(), .bytes = 10, .done = 3}};
  const Status failed = device->transfer(batch);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, ErrorKind::no_space);
  EXPECT_EQ(batch[0].done, 0);
  EXPECT_EQ(batch[1].done, 0);
  EXPECT_EQ(device->read(0, bytes), 4096);
  EXPECT_EQ(bytes, std::vector<std::byte>(4096));
}

TEST(Posix, DevicesWithoutSize) {
  auto device = open_posix("/dev/null", kReadWrite);
  ASSERT_TRUE(device.has_value());
  std::vector<std::byte> bytes(10);
  EXPECT_EQ((*device)->size(), 0);
  EXPECT_EQ(device->write(12345, bytes), 10);
  EXPECT_EQ(device->read(0, bytes), 0);
  EXPECT_TRUE((*device)->sync().has_value());
  EXPECT_EQ((*device)->resize(5).error().kind, ErrorKind::unsupported_operation);
  EXPECT_EQ((*device)->preallocate(5).error().kind, ErrorKind::unsupported_operation);
}

TEST(Posix, WhatIsNotAFile) {
  const Scratch scratch;
  for (const OpenOptions& options : {OpenOptions{}, kReadWrite, kCreate}) {
    const auto directory = open_posix(scratch.directory(), options);
    ASSERT_FALSE(directory.has_value());
    EXPECT_EQ(directory.error().kind, ErrorKind::bad_file_name);
    EXPECT_NE(directory.error().message.find(scratch.directory() + ": is a directory"),
              std::string::npos)
        << directory.error().message;
  }
  ASSERT_EQ(mkfifo(scratch.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(open_posix(scratch.file("pipe"), kReadWrite).error().kind, ErrorKind::bad_file_name);
  ASSERT_TRUE(open_posix(scratch.file("plain"), kCreate).has_value());
  EXPECT_EQ(open_posix(scratch.file("plain") + "/x", kCreate).error().kind,
            ErrorKind::bad_file_name);
  EXPECT_EQ(open_posix(scratch.file(std::string(5000, 'x')), kCreate).error().kind,
            ErrorKind::bad_file_name);
  EXPECT_EQ(open_posix(scratch.file("missing/x"), kCreate).error().kind, ErrorKind::no_such_file);
  EXPECT_EQ(remove_posix(scratch.directory()).error().kind, ErrorKind::bad_file_name);
}

TEST(Posix, FilesOfOthers) {
  const Scratch scratch;
  std::filesystem::permissions(scratch.directory(), std::filesystem::perms(0755));
  ASSERT_TRUE(open_posix(scratch.file("secret"), kCreate).has_value());
  chmod(scratch.file("secret").c_str(), 0000);
  ASSERT_TRUE(open_posix(scratch.file("public"), kCreate).has_value());
  chmod(scratch.file("public").c_str(), 0444);
  const int answer = in_child([&] {
    if (geteuid() == 0 && seteuid(65534) != 0) return 1;  // root is let in everywhere
    const auto secret = open_posix(scratch.file("secret"), {});
    if (secret || secret.error().kind != ErrorKind::access_denied) return 2;
    if (!open_posix(scratch.file("public"), {})) return 3;
    const auto writing = open_posix(scratch.file("public"), kReadWrite);
    if (writing || writing.error().kind != ErrorKind::access_denied) return 4;
    return 0;
  });
  EXPECT_EQ(answer, 0);
}

TEST(Posix, AFullFileSystem) {
  const Scratch scratch;
  auto device = open_posix(scratch.file(), kCreate);
  ASSERT_TRUE(device.has_value());
  const Status grown = (*device)->preallocate(std::int64_t{1} << 50);
  ASSERT_FALSE(grown.has_value());
  EXPECT_EQ(grown.error().kind, ErrorKind::no_space) << grown.error().message;
  EXPECT_EQ((*device)->size(), 0);
}

// The kernel writes up to the size limit and says so; the next call fails.
TEST(Posix, ShortWritesAreContinuedUntilTheErrorShows) {
  const Scratch scratch;
  const int answer = in_child([&] {
    const rlimit limit{10'000, 10'000};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    auto device = open_posix(scratch.file(), kCreate);
    if (!device) return 2;
    std::vector<std::byte> bytes(20'000, std::byte{5});
    for (const std::size_t pieces : {1u, 2u}) {
      std::vector<Transfer> batch;
      for (std::size_t i = 0; i < pieces; ++i) {
        batch.push_back({.kind = TransferKind::write,
                         .offset = static_cast<std::int64_t>(i) * 9000,
                         .memory = bytes.data(),
                         .bytes = pieces == 1 ? 20'000 : 9000});
      }
      const Status moved = device->transfer(batch);
      if (moved || moved.error().kind != ErrorKind::quota_exceeded) return 3;
      if (batch.back().done != (pieces == 1 ? 10'000 : 1000)) return 4;
      if (moved.error().message.find("at offset 10000)") == std::string::npos) return 5;
    }
    return (*device)->size() == 10'000 ? 0 : 6;
  });
  EXPECT_EQ(answer, 0);
}

TEST(Posix, DescriptorsDoNotLeakIntoOtherPrograms) {
  const Scratch scratch;
  const auto file = PosixFile::open(scratch.file(), kCreate);
  ASSERT_TRUE(file.has_value());
  EXPECT_NE(fcntl(file->descriptor(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Posix, LocksExcludeOtherProcesses) {
  const Scratch scratch;
  auto device = open_posix(scratch.file(), kCreate);
  ASSERT_TRUE(device.has_value());
  ASSERT_TRUE((*device)->lock({10, 10}, LockMode::exclusive).has_value());
  int news[2];
  ASSERT_EQ(pipe(news), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto mine = open_posix(scratch.file(), kReadWrite);
    const bool apart = mine && (*mine)->lock({0, 10}, LockMode::exclusive).has_value();
    const bool over = mine && (*mine)->lock({19, 1}, LockMode::exclusive).has_value();
    (void)!write(news[1], "L", 1);
    _exit(apart && over ? 0 : 1);
  }
  pollfd watched{news[0], POLLIN, 0};
  EXPECT_EQ(poll(&watched, 1, 150), 0) << "granted while the parent held it";
  ASSERT_TRUE((*device)->unlock({10, 10}).has_value());
  EXPECT_EQ(poll(&watched, 1, 10'000), 1) << "never granted";
  int state = 0;
  waitpid(child, &state, 0);
  EXPECT_EQ(state, 0);
  close(news[0]);
  close(news[1]);
}

int interruptions = 0;
int let_go = -1;

// The holder lets go when the waiter has been interrupted five times.
TEST(Posix, SignalsDoNotBreakAWaitForALock) {
  const Scratch scratch;
  ASSERT_TRUE(open_posix(scratch.file(), kCreate).has_value());
  int held[2];
  int release[2];
  ASSERT_EQ(pipe(held), 0);
  ASSERT_EQ(pipe(release), 0);
  const pid_t holder = fork();
  char letter = 0;
  if (holder == 0) {
    auto mine = open_posix(scratch.file(), kReadWrite);
    if (!(*mine)->lock({0, 10}, LockMode::exclusive)) _exit(1);
    (void)!write(held[1], "L", 1);
    _exit(read(release[0], &letter, 1) == 1 ? 0 : 2);
  }
  ASSERT_EQ(read(held[0], &letter, 1), 1);
  const int answer = in_child([&] {
    let_go = release[1];
    struct sigaction action {};
    action.sa_handler = [](int) {  // without SA_RESTART
      if (++interruptions == 5) (void)!write(let_go, "x", 1);
    };
    sigaction(SIGALRM, &action, nullptr);
    const itimerval every{{0, 5000}, {0, 5000}};
    auto mine = open_posix(scratch.file(), kReadWrite);
    setitimer(ITIMER_REAL, &every, nullptr);
    if (!(*mine)->lock({0, 10}, LockMode::exclusive)) return 1;
    return interruptions >= 5 ? 0 : 2;
  });
  EXPECT_EQ(answer, 0);
  (void)!write(release[1], "x", 1);  // if nobody has: it must not stay
  int state = 0;
  waitpid(holder, &state, 0);
  EXPECT_EQ(state, 0);
  for (const int end : {held[0], held[1], release[0], release[1]}) close(end);
}

// System calls that `body` makes, counted by tracing a child between two marks.
template <class Body>
int system_calls(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    syscall(SYS_getppid);
    body();
    syscall(SYS_getppid);
    _exit(0);
  }
  int state = 0;
  waitpid(child, &state, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  int marks = 0;
  int counted = 0;
  while (ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0 &&
         waitpid(child, &state, 0) == child && WIFSTOPPED(state)) {
    if (WSTOPSIG(state) != (SIGTRAP | 0x80)) continue;
    __ptrace_syscall_info call{};
    ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof call, &call);
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
    if (call.entry.nr == SYS_getppid) {
      ++marks;
    } else if (marks == 1) {
      ++counted;
    }
  }
  EXPECT_EQ(marks, 2) << "the child could not be traced";
  return counted;
}

TEST(Posix, ASmallTransferIsOneSystemCall) {
  const Scratch scratch;
  for (const char* prefix : {"posix:", "uring:"}) {
    auto device = open_device(prefix + scratch.file(), kCreate);
    ASSERT_TRUE(device.has_value());
    std::vector<std::byte> bytes(4096, std::byte{1});
    EXPECT_EQ(system_calls([&] { (void)device->write(0, bytes); }), 1) << prefix;
    EXPECT_EQ(system_calls([&] { (void)device->read(0, bytes); }), 1) << prefix;
  }
}

TEST(Posix, NeighboursInABatchGoInOneSystemCall) {
  const Scratch scratch;
  auto device = open_posix(scratch.file(), kCreate);
  ASSERT_TRUE(device.has_value());
  std::vector<std::byte> bytes(4000, std::byte{1});
  std::vector<Transfer> batch;
  for (std::int64_t i = 0; i < 2000; ++i) {
    batch.push_back(
        {.kind = TransferKind::write, .offset = i * 2, .memory = bytes.data() + i * 2, .bytes = 2});
  }
  EXPECT_EQ(system_calls([&] { (void)device->transfer(batch); }), 2) << "1024 pieces each";
  EXPECT_EQ((*device)->size(), 4000);
  batch.resize(1000);
  for (std::size_t i = 500; i < 1000; ++i) batch[i].offset += 10;
  EXPECT_EQ(system_calls([&] { (void)device->transfer(batch); }), 2);
}

}  // namespace
}  // namespace tutti
