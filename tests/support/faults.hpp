// A file on which nonblocking and split access goes wrong, in every way in which it can be made.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/engine.hpp"
#include "support/shared_file.hpp"

namespace tutti::test {

struct Raised {
  int times = 0;
  int code = MPI_SUCCESS;
  MPI_File file = MPI_FILE_NULL;
};
inline Raised raised;  // NOLINT: MPI calls handlers without a context

inline void note_error(MPI_File* file, int* code, ...) {  // NOLINT: MPI's own prototype
  ++raised.times;
  raised.code = *code;
  raised.file = *file;
}

enum class Flavour { alone, together, split };
enum class Way { contiguous, strided };  // in large blocks, or in pieces that alternate by rank

struct FaultCase {
  Engine engine;
  Flavour flavour;
  Way way;
};

inline std::string name_of(const FaultCase& c) {
  constexpr const char* kFlavours[] = {"alone", "together", "split"};
  return std::string(name_of(c.engine)) + "_" + kFlavours[static_cast<int>(c.flavour)] +
         (c.way == Way::strided ? "_strided" : "_contiguous");
}

inline constexpr int kBytes = 200'000;  // of each rank, more than the smallest file system here
inline constexpr int kPiece = 8;

class Faults : public testing::TestWithParam<FaultCase> {
 protected:
  void TearDown() override {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
  }

  void open(const std::string& path, int mode) {
    raised = {};
    path_ = path;
    const OwnedInfo info = hints_for(GetParam().engine);
    TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, info.get(), &handle_));
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_File_create_errhandler(note_error, &handler);
    MPI_File_set_errhandler(handle_, handler);
    MPI_Errhandler_free(&handler);
    const int block = GetParam().way == Way::strided ? kPiece : kBytes;
    MPI_Datatype piece = MPI_DATATYPE_NULL;
    OwnedType tile;
    MPI_Type_contiguous(block, MPI_CHAR, &piece);
    MPI_Type_create_resized(piece, 0, static_cast<MPI_Aint>(block) * world_size(), tile.fill());
    MPI_Datatype made = tile.get();
    MPI_Type_commit(&made);
    MPI_Type_free(&piece);
    TUTTI_OK(MPI_File_set_view(handle_, static_cast<MPI_Offset>(block) * world_rank(), MPI_CHAR,
                               tile.get(), "native", MPI_INFO_NULL));
  }

  // Where the call that starts an access raises nothing; what completes it returns the code.
  int write(const std::string& data) {
    const int count = static_cast<int>(data.size());
    if (GetParam().flavour == Flavour::split) {
      EXPECT_EQ(MPI_File_write_at_all_begin(handle_, 0, data.data(), count, MPI_CHAR), MPI_SUCCESS);
      EXPECT_EQ(raised.times, 0);
      return MPI_File_write_at_all_end(handle_, data.data(), &status_);
    }
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(GetParam().flavour == Flavour::alone
                  ? MPI_File_iwrite_at(handle_, 0, data.data(), count, MPI_CHAR, &request)
                  : MPI_File_iwrite_at_all(handle_, 0, data.data(), count, MPI_CHAR, &request),
              MPI_SUCCESS);
    EXPECT_EQ(raised.times, 0);
    return MPI_Wait(&request, &status_);
  }

  int read(std::string& data) {
    const int count = static_cast<int>(data.size());
    if (GetParam().flavour == Flavour::split) {
      EXPECT_EQ(MPI_File_read_at_all_begin(handle_, 0, data.data(), count, MPI_CHAR), MPI_SUCCESS);
      return MPI_File_read_at_all_end(handle_, data.data(), &status_);
    }
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(GetParam().flavour == Flavour::alone
                  ? MPI_File_iread_at(handle_, 0, data.data(), count, MPI_CHAR, &request)
                  : MPI_File_iread_at_all(handle_, 0, data.data(), count, MPI_CHAR, &request),
              MPI_SUCCESS);
    return MPI_Wait(&request, &status_);
  }

  int counted() const {
    int count = -1;
    MPI_Get_count(&status_, MPI_CHAR, &count);
    return count;
  }

  // One error on the file's handler, which names the file.
  void expect_raised(int code, int error_class) {
    EXPECT_TRUE(is_error(code, error_class, path_));
    EXPECT_EQ(raised.times, 1);
    EXPECT_EQ(class_of(raised.code), error_class);
    EXPECT_EQ(raised.file, handle_);
  }

  SharedFile file_{"faults"};
  std::string path_;
  MPI_File handle_ = MPI_FILE_NULL;
  MPI_Status status_{};
};

inline std::string letters() {
  std::string data(kBytes, ' ');
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<char>('a' + (i * 7 + static_cast<std::size_t>(world_rank())) % 26);
  return data;
}

inline std::vector<FaultCase> all_fault_cases() {
  std::vector<FaultCase> cases;
  for (const Engine engine : {Engine::shared, Engine::threaded, Engine::polled})
    for (const Flavour flavour : {Flavour::alone, Flavour::together, Flavour::split})
      for (const Way way : {Way::contiguous, Way::strided})
        if (flavour != Flavour::alone || engine == Engine::shared)  // one rank needs no engine
          cases.push_back({engine, flavour, way});
  return cases;
}

}  // namespace tutti::test
