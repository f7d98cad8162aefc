// A test on one file whose views have a data representation other than native.
#pragma once

#include <string>
#include <utility>

#include "support/shared_file.hpp"

namespace tutti::test {

class RepresentationFile : public testing::Test {
 protected:
  // `name`: of the representation, and part of the file's.
  explicit RepresentationFile(std::string name) : name_(std::move(name)), file_(name_) {}

  void SetUp() override {
    TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, file_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                           MPI_INFO_NULL, &handle_));
  }
  void TearDown() override { MPI_File_close(&handle_); }

  int set_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype) {
    return set_view(displacement, etype, filetype, name_.c_str());
  }
  int set_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
               const char* representation) {
    return MPI_File_set_view(handle_, displacement, etype, filetype, representation, MPI_INFO_NULL);
  }
  // Collective.
  std::string content() {
    MPI_File_sync(handle_);
    MPI_Barrier(MPI_COMM_WORLD);
    std::string bytes = file_.content();
    MPI_Barrier(MPI_COMM_WORLD);
    return bytes;
  }

  std::string name_;
  SharedFile file_;
  MPI_File handle_ = MPI_FILE_NULL;
};

}  // namespace tutti::test
