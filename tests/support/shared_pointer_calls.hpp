// A test on one file with its shared pointer; the parameter is the transport.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/shared_file.hpp"

namespace tutti::test {

class SharedPointerCalls : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    MPI_Info_create(hints_.fill());
    MPI_Info_set(hints_.get(), "tutti_transport", GetParam());
    open(MPI_MODE_CREATE | MPI_MODE_RDWR);
  }
  void TearDown() override { close(); }
  void open(int amode) {
    close();
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, file_.c_str(), amode, hints_.get(), &handle_),
              MPI_SUCCESS);
  }
  void close() {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Offset position() {
    MPI_Offset at = -1;
    EXPECT_EQ(MPI_File_get_position_shared(handle_, &at), MPI_SUCCESS);
    return at;
  }
  // Collective: nobody moves the pointer while everybody looks at it.
  void expect_position(MPI_Offset expected) {
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(position(), expected);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  std::vector<int> numbers_in_file() {
    MPI_Barrier(MPI_COMM_WORLD);
    const std::string bytes = file_.content();
    std::vector<int> numbers(bytes.size() / sizeof(int));
    std::copy_n(bytes.data(), numbers.size() * sizeof(int),
                reinterpret_cast<char*>(numbers.data()));
    MPI_Barrier(MPI_COMM_WORLD);
    return numbers;
  }
  int view_of_ints(MPI_Offset displacement = 0, MPI_Datatype filetype = MPI_INT) {
    return MPI_File_set_view(handle_, displacement, MPI_INT, filetype, "native", MPI_INFO_NULL);
  }

  const int rank_ = world_rank();
  const int ranks_ = world_size();
  SharedFile file_{"shared"};
  OwnedInfo hints_;
  MPI_File handle_ = MPI_FILE_NULL;
};

}  // namespace tutti::test
