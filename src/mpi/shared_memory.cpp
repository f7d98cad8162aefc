#include "mpi/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>

#include "mpi/meeting.hpp"

namespace tutti {

namespace {

// Where the other ranks find the file behind the memory.
struct Where {
  std::int64_t pid = 0;
  std::int64_t descriptor = -1;
};

std::byte* map_shared(int descriptor, std::size_t bytes) {
  if (descriptor < 0) return nullptr;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

int make_memory(std::size_t bytes) {
  const int descriptor = memfd_create("tutti", MFD_CLOEXEC);
  if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

int open_memory_of(const Where& where) {
  const std::string path =
      "/proc/" + std::to_string(where.pid) + "/fd/" + std::to_string(where.descriptor);
  return open(path.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

Result<SharedMemory> SharedMemory::create(MPI_Comm comm, std::size_t bytes) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  Where where;
  int descriptor = -1;
  if (rank == 0) {
    descriptor = make_memory(bytes);
    where = {getpid(), descriptor};
  }
  if (auto told = tell_from_first(comm, std::as_writable_bytes(std::span(&where, 1))); !told)
    return tl::make_unexpected(told.error());
  if (rank != 0 && where.descriptor >= 0) descriptor = open_memory_of(where);
  SharedMemory memory;
  memory.data_ = map_shared(descriptor, bytes);
  memory.bytes_ = bytes;
  std::int64_t worked = memory.available() ? 1 : 0;
  // Also keeps rank 0's descriptor open until everybody has opened it.
  const Status agreed = least_of_all(comm, {&worked, 1});
  if (descriptor >= 0) close(descriptor);
  if (!agreed) return tl::make_unexpected(agreed.error());
  if (worked == 0) return SharedMemory();
  return memory;
}

}  // namespace tutti
