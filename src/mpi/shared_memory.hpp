// Memory that the ranks of one node map together.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>

#include "base/result.hpp"

namespace tutti {

class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SharedMemory();

  // Collective over `comm`, whose ranks are all on one node; `bytes` agree. The memory is zero and
  // takes room only where it is touched; it has no name that could outlive the ranks. available()
  // is the same on all ranks; it is false where the system refuses.
  static Result<SharedMemory> create(MPI_Comm comm, std::size_t bytes);

  bool available() const { return data_ != nullptr; }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tutti
