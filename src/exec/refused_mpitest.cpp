// ranks: 2 3
// A system that forbids reaching into another process, as many containers do: bytes still change
// hands in shared memory, not by messages.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "exec/collective.hpp"
#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

// process_vm_readv and its twin fail with EPERM from now on, in this process.
bool forbid_peer_memory() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(Refused, BytesGoThroughMemoryThatAllMap) {
  ASSERT_TRUE(forbid_peer_memory());
  char byte = 0;
  iovec here{&byte, 1};
  ASSERT_EQ(process_vm_readv(getpid(), &here, 1, &here, 1, 0), -1);
  std::int64_t id = getpid();
  MPI_Bcast(&id, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  auto file = open_file(MPI_COMM_WORLD, "/dev/shm/tutti-refused-" + std::to_string(id),
                        {.read = true, .write = true, .create = true, .delete_on_close = true}, {});
  ASSERT_TRUE(file.has_value());
  const Pattern stream = Pattern::repeat(5000, 8 * world_size(), Pattern::run(8, 8 * world_rank()));
  std::vector<std::byte> out(static_cast<std::size_t>(stream.size()));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>(i * 3 + static_cast<std::size_t>(world_rank()));
  std::vector<std::byte> back(out.size());
  const Pattern memory = Pattern::run(stream.size());
  const FileRange range{stream, 0, stream.size()};
  const Access write{Direction::write, range, {memory, out.data()}};
  const Access read{Direction::read, range, {memory, back.data()}};
  ASSERT_TRUE(transfer_collective(**file, write, std::nullopt).has_value());
  ASSERT_TRUE(transfer_collective(**file, read, std::nullopt).has_value());
  EXPECT_TRUE(back == out);
  EXPECT_EQ((*file)->counters.messages_sent, 0);
  EXPECT_GT((*file)->counters.bytes_pulled, 0);
  EXPECT_TRUE(close_file(std::move(*file)).has_value());
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
