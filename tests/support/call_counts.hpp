// Counts what a piece of code costs: this executable's own versions of a few functions stand in
// front of the C library's and the MPI's. To be included by one file of a test.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>

namespace tutti::test {

struct CallCounts {
  std::int64_t allocations = 0;
  std::int64_t transfers = 0;  // pread, pwrite
  std::int64_t others = 0;     // other system calls on files
  std::int64_t locks = 0;      // of mutexes
  std::int64_t messages = 0;   // sends and collective calls of MPI
};

// Sanitizers bring an allocator of their own.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kCountsAllocations = false;
#else
inline constexpr bool kCountsAllocations = true;
#endif

// Counts only while this is true, and only in the thread that made it so.
inline thread_local bool counting = false;
inline CallCounts counts;

inline void note(std::int64_t CallCounts::*which) {
  if (counting) ++(counts.*which);
}

template <class Body>
CallCounts count_calls(Body&& body) {
  counts = {};
  counting = true;
  body();
  counting = false;
  return counts;
}

template <class Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace tutti::test

#pragma GCC visibility push(default)
extern "C" {

#if !defined(__SANITIZE_ADDRESS__)
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  tutti::test::note(&tutti::test::CallCounts::allocations);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  tutti::test::note(&tutti::test::CallCounts::allocations);
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  tutti::test::note(&tutti::test::CallCounts::allocations);
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  tutti::test::note(&tutti::test::CallCounts::allocations);
  return __libc_memalign(alignment, bytes);
}
#endif

ssize_t pread(int descriptor, void* memory, std::size_t bytes, off_t offset) {
  tutti::test::note(&tutti::test::CallCounts::transfers);
  return syscall(SYS_pread64, descriptor, memory, bytes, offset);
}
ssize_t pwrite(int descriptor, const void* memory, std::size_t bytes, off_t offset) {
  tutti::test::note(&tutti::test::CallCounts::transfers);
  return syscall(SYS_pwrite64, descriptor, memory, bytes, offset);
}
int fcntl(int descriptor, int command, ...) {
  tutti::test::note(&tutti::test::CallCounts::others);
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return static_cast<int>(syscall(SYS_fcntl, descriptor, command, argument));
}
int ftruncate(int descriptor, off_t bytes) noexcept {
  tutti::test::note(&tutti::test::CallCounts::others);
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const next = tutti::test::next_function<int(pthread_mutex_t*)>("pthread_mutex_lock");
  tutti::test::note(&tutti::test::CallCounts::locks);
  return next(mutex);
}

int PMPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  static auto* const next = tutti::test::next_function<decltype(PMPI_Send)>("PMPI_Send");
  tutti::test::note(&tutti::test::CallCounts::messages);
  return next(buffer, count, type, to, tag, comm);
}
int PMPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  static auto* const next = tutti::test::next_function<decltype(PMPI_Allreduce)>("PMPI_Allreduce");
  tutti::test::note(&tutti::test::CallCounts::messages);
  return next(mine, all, count, type, op, comm);
}
int PMPI_Barrier(MPI_Comm comm) {
  static auto* const next = tutti::test::next_function<decltype(PMPI_Barrier)>("PMPI_Barrier");
  tutti::test::note(&tutti::test::CallCounts::messages);
  return next(comm);
}

}  // extern "C"
#pragma GCC visibility pop
