// A file that all ranks of a test share; it does not exist at first and is gone afterwards.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tutti::io {

class TestFile {
 public:
  // Collective over MPI_COMM_WORLD, as is the destructor.
  explicit TestFile(const std::string& name) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    int id = static_cast<int>(getpid());
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    path_ = "/dev/shm/tutti-cxx-" + name + "-" + std::to_string(id);
    remove();
  }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  ~TestFile() { remove(); }

  const std::string& path() const { return path_; }

  // Local.
  std::vector<std::byte> content() const {
    std::ifstream in(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
  }

 private:
  void remove() const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) ::unlink(path_.c_str());
    MPI_Barrier(MPI_COMM_WORLD);
  }

  int rank_ = 0;
  std::string path_;
};

}  // namespace tutti::io
