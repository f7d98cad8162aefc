// A file in atomic mode, and shapes of access that show whether an access was torn.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "mpi/owned.hpp"

namespace tutti::test {

// All shapes contain the core: kPieces pieces of kPiece bytes, kPitch apart. Whoever writes, writes
// one value everywhere, so that a core with two values was torn.
inline constexpr int kPieces = 200;
inline constexpr int kPiece = 24;
inline constexpr int kPitch = 96;
inline constexpr int kSpan = kPieces * kPitch;

struct Shape {
  int before = 0;  // bytes of a piece in front of the core's
  int length = kPiece;

  OwnedType type() const {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_vector(kPieces, length, kPitch, MPI_BYTE, &made);
    MPI_Type_commit(&made);
    return OwnedType(made);
  }
  MPI_Offset displacement() const { return kPitch - before; }
  int bytes() const { return kPieces * length; }
  bool core_is_uniform(const std::string& stream) const {
    for (int piece = 0; piece < kPieces; ++piece)
      for (int i = 0; i < kPiece; ++i)
        if (stream[static_cast<std::size_t>(piece * length + before + i)] !=
            stream[static_cast<std::size_t>(before)])
          return false;
    return true;
  }
};

inline constexpr Shape kShapes[] = {{0, kPiece}, {30, kPitch}, {5, kPiece + 20}, {0, kPitch}};

// An open file in atomic mode with one of the shapes as its view.
class AtomicFile {
 public:
  AtomicFile(MPI_Comm comm, const std::string& path, MPI_Info info) {
    EXPECT_EQ(MPI_File_open(comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file_),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_File_set_atomicity(file_, 1), MPI_SUCCESS);
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() { MPI_File_close(&file_); }
  MPI_File get() const { return file_; }
  const Shape& shape() const { return shape_; }

  // Collective over the file's processes; shapes may differ.
  void look_at(const Shape& shape) {
    shape_ = shape;
    const OwnedType type = shape.type();
    EXPECT_EQ(MPI_File_set_view(file_, shape.displacement(), MPI_BYTE, type.get(), "native",
                                MPI_INFO_NULL),
              MPI_SUCCESS);
  }
  void write(char value, bool together) {
    const std::string stream(static_cast<std::size_t>(shape_.bytes()), value);
    const auto call = together ? MPI_File_write_at_all : MPI_File_write_at;
    EXPECT_EQ(call(file_, 0, stream.data(), shape_.bytes(), MPI_BYTE, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
  }
  // The core's value; 0 where it is torn.
  char read(bool together) {
    std::string stream(static_cast<std::size_t>(shape_.bytes()), '?');
    const auto call = together ? MPI_File_read_at_all : MPI_File_read_at;
    MPI_Status status;
    EXPECT_EQ(call(file_, 0, stream.data(), shape_.bytes(), MPI_BYTE, &status), MPI_SUCCESS);
    return value_in(stream);
  }
  // The same of what a read has brought.
  char value_in(const std::string& stream) const {
    const bool whole = shape_.core_is_uniform(stream);
    EXPECT_TRUE(whole);
    return whole ? stream[static_cast<std::size_t>(shape_.before)] : '\0';
  }

 private:
  MPI_File file_ = MPI_FILE_NULL;
  Shape shape_;
};

}  // namespace tutti::test
