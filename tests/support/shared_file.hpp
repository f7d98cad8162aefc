// A file name that all ranks of a test agree on, and checks of what calls on it return.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/mpi_main.hpp"

namespace tutti::test {

// Collective over MPI_COMM_WORLD. The file does not exist at first and is removed with the object.
class SharedFile {
 public:
  explicit SharedFile(const std::string& name, const std::string& folder = "/dev/shm") {
    int id = static_cast<int>(getpid());
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    path_ = folder + "/tutti_" + name + "_" + std::to_string(id);
    remove();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile() {
    MPI_Barrier(MPI_COMM_WORLD);
    remove();
  }

  const std::string& path() const { return path_; }
  const char* c_str() const { return path_.c_str(); }
  void remove() const {
    if (world_rank() == 0) ::unlink(path_.c_str());
  }

  // Local, without MPI.
  std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  // Collective: rank 0 writes.
  void fill(const std::string& content) const {
    if (world_rank() == 0) {
      std::ofstream out(path_, std::ios::binary | std::ios::trunc);
      out << content;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  std::string path_;
};

inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

// The code is of the class, and its text names the file.
inline testing::AssertionResult is_error(int code, int error_class, const std::string& named) {
  if (class_of(code) != error_class)
    return testing::AssertionFailure()
           << "class " << class_of(code) << " instead of " << error_class << ": " << text_of(code);
  if (text_of(code).find(named) == std::string::npos)
    return testing::AssertionFailure() << "'" << text_of(code) << "' does not name " << named;
  return testing::AssertionSuccess();
}

#define TUTTI_OK(call) ASSERT_EQ(call, MPI_SUCCESS) << #call

}  // namespace tutti::test
