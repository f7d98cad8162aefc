// ranks: 1 2 4
// Views, hints and the facts of an open file.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::is_error;
using test::SharedFile;

class FileView : public testing::Test {
 protected:
  void SetUp() override { open(MPI_MODE_CREATE | MPI_MODE_RDWR); }
  void TearDown() override {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
  }
  void open(int amode) {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, file_.c_str(), amode, MPI_INFO_NULL, &handle_),
              MPI_SUCCESS);
  }
  int set_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
               const char* datarep = "native") {
    return MPI_File_set_view(handle_, displacement, etype, filetype, datarep, MPI_INFO_NULL);
  }
  std::map<std::string, std::string> info() {
    MPI_Info used = MPI_INFO_NULL;
    EXPECT_EQ(MPI_File_get_info(handle_, &used), MPI_SUCCESS);
    std::map<std::string, std::string> found;
    int keys = 0;
    MPI_Info_get_nkeys(used, &keys);
    for (int i = 0; i < keys; ++i) {
      char key[MPI_MAX_INFO_KEY + 1] = {};
      char value[MPI_MAX_INFO_VAL + 1] = {};
      int there = 0;
      MPI_Info_get_nthkey(used, i, key);
      MPI_Info_get(used, key, MPI_MAX_INFO_VAL, value, &there);
      found[key] = value;
    }
    MPI_Info_free(&used);
    return found;
  }

  SharedFile file_{"view"};
  MPI_File handle_ = MPI_FILE_NULL;
};

OwnedType committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return OwnedType(type);
}

OwnedType vector_of(int count, int length, int stride, MPI_Datatype old) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, length, stride, old, &type);
  return committed(type);
}

OwnedType resized(MPI_Datatype old, MPI_Aint extent) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(old, 0, extent, &type);
  return committed(type);
}

int combiner(MPI_Datatype type) {
  int counts[3] = {};
  int which = 0;
  MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &which);
  return which;
}

TEST_F(FileView, StartsAsBytes) {
  MPI_Offset displacement = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  char datarep[MPI_MAX_DATAREP_STRING] = {};
  TUTTI_OK(MPI_File_get_view(handle_, &displacement, &etype, &filetype, datarep));
  EXPECT_EQ(displacement, 0);
  EXPECT_EQ(etype, MPI_BYTE);
  EXPECT_EQ(filetype, MPI_BYTE);
  EXPECT_STREQ(datarep, "native");
}

TEST_F(FileView, ReturnsWhatWasSetAlsoAfterTheTypesAreFreed) {
  {
    const OwnedType strided = vector_of(3, 1, 2, MPI_INT);
    TUTTI_OK(set_view(12, MPI_INT, strided.get(), "internal"));
  }
  MPI_Offset displacement = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  char datarep[MPI_MAX_DATAREP_STRING] = {};
  TUTTI_OK(MPI_File_get_view(handle_, &displacement, &etype, &filetype, datarep));
  EXPECT_EQ(displacement, 12);
  EXPECT_EQ(etype, MPI_INT);
  EXPECT_STREQ(datarep, "internal");
  EXPECT_NE(combiner(filetype), MPI_COMBINER_NAMED);
  int size = 0;
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  MPI_Type_size(filetype, &size);
  MPI_Type_get_extent(filetype, &lb, &extent);
  EXPECT_EQ(size, 12);
  EXPECT_EQ(extent, 20);
  // It can be used again: it is committed.
  TUTTI_OK(set_view(0, etype, filetype));
  MPI_Type_free(&filetype);
}

TEST_F(FileView, PlacesBytesAndPointers) {
  const int ranks = test::world_size();
  const int rank = test::world_rank();
  const OwnedType block = vector_of(1, 2, 2, MPI_INT);
  const OwnedType tile = resized(block.get(), 8 * ranks);
  TUTTI_OK(set_view(4 + 8 * rank, MPI_INT, tile.get()));
  MPI_Offset where = 0;
  TUTTI_OK(MPI_File_get_byte_offset(handle_, 0, &where));
  EXPECT_EQ(where, 4 + 8 * rank);
  TUTTI_OK(MPI_File_get_byte_offset(handle_, 5, &where));
  EXPECT_EQ(where, 4 + 8 * rank + 2 * 8 * ranks + 4);
  TUTTI_OK(MPI_File_seek(handle_, 3, MPI_SEEK_SET));
  TUTTI_OK(set_view(4 + 8 * rank, MPI_INT, tile.get()));
  MPI_Offset position = -1;
  TUTTI_OK(MPI_File_get_position(handle_, &position));
  EXPECT_EQ(position, 0) << "a new view resets the pointer";
  const int numbers[4] = {rank, rank + 10, rank + 20, rank + 30};
  TUTTI_OK(MPI_File_write_all(handle_, numbers, 4, MPI_INT, MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_get_position(handle_, &position));
  EXPECT_EQ(position, 4);
  TUTTI_OK(MPI_File_sync(handle_));
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string content = file_.content();
  ASSERT_EQ(content.size(), static_cast<std::size_t>(4 + 16 * ranks));
  for (int r = 0; r < ranks; ++r) {
    int seen[2] = {};
    std::memcpy(seen, content.data() + 4 + 8 * r, 8);
    EXPECT_EQ(seen[0], r);
    EXPECT_EQ(seen[1], r + 10);
  }
}

TEST_F(FileView, SeekingFromTheEndCountsEtypesOfTheView) {
  if (test::world_size() > 1) return;
  // Bytes 0-3 and 8-11 of every 16; the file ends at different places of the tile.
  const OwnedType pair = vector_of(2, 1, 2, MPI_INT);
  const OwnedType tile = resized(pair.get(), 16);
  const std::map<MPI_Offset, MPI_Offset> end_at{{0, 0}, {1, 1},  {4, 1},  {5, 1},  {8, 1},
                                                {9, 2}, {12, 2}, {16, 2}, {17, 3}, {32, 4}};
  TUTTI_OK(set_view(0, MPI_INT, tile.get()));
  for (const auto& [bytes, etypes] : end_at) {
    TUTTI_OK(MPI_File_set_size(handle_, bytes));
    TUTTI_OK(MPI_File_seek(handle_, 0, MPI_SEEK_END));
    MPI_Offset position = -1;
    TUTTI_OK(MPI_File_get_position(handle_, &position));
    EXPECT_EQ(position, etypes) << bytes;
  }
  TUTTI_OK(MPI_File_seek(handle_, -2, MPI_SEEK_END));
  TUTTI_OK(MPI_File_seek(handle_, 1, MPI_SEEK_CUR));
  MPI_Offset position = -1;
  TUTTI_OK(MPI_File_get_position(handle_, &position));
  EXPECT_EQ(position, 3);
  EXPECT_TRUE(is_error(MPI_File_seek(handle_, -5, MPI_SEEK_END), MPI_ERR_ARG, file_.path()));
  EXPECT_TRUE(is_error(MPI_File_seek(handle_, 0, 12345), MPI_ERR_ARG, file_.path()));
  constexpr MPI_Offset kHuge = 0x7fff'ffff'ffff'ffff;
  EXPECT_TRUE(is_error(MPI_File_seek(handle_, kHuge, MPI_SEEK_SET), MPI_ERR_ARG, file_.path()));
  EXPECT_TRUE(is_error(MPI_File_seek(handle_, kHuge, MPI_SEEK_CUR), MPI_ERR_ARG, file_.path()));
  TUTTI_OK(MPI_File_get_position(handle_, &position));
  EXPECT_EQ(position, 3) << "a refused seek moves nothing";
}

TEST_F(FileView, WrongViewsAreRefusedAndTheOldOneStays) {
  const OwnedType pair = vector_of(1, 2, 2, MPI_INT);
  TUTTI_OK(set_view(8, MPI_INT, pair.get()));
  EXPECT_TRUE(is_error(set_view(-1, MPI_BYTE, MPI_BYTE), MPI_ERR_ARG, file_.path()));
  EXPECT_TRUE(
      is_error(set_view(MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE), MPI_ERR_ARG, file_.path()));
  EXPECT_TRUE(is_error(set_view(0, MPI_DATATYPE_NULL, MPI_BYTE), MPI_ERR_TYPE, file_.path()));
  EXPECT_TRUE(is_error(set_view(0, MPI_BYTE, MPI_DATATYPE_NULL), MPI_ERR_TYPE, file_.path()));
  EXPECT_TRUE(is_error(set_view(0, MPI_DOUBLE, MPI_INT), MPI_ERR_TYPE, file_.path()))
      << "an etype that does not divide";
  for (const char* datarep : {"external64", "whatever", ""})
    EXPECT_TRUE(is_error(set_view(0, MPI_BYTE, MPI_BYTE, datarep), MPI_ERR_UNSUPPORTED_DATAREP,
                         file_.path()));
  EXPECT_TRUE(is_error(set_view(0, MPI_BYTE, MPI_BYTE, nullptr), MPI_ERR_ARG, file_.path()));

  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
  EXPECT_TRUE(is_error(set_view(0, MPI_INT, uncommitted), MPI_ERR_TYPE, file_.path()));
  MPI_Type_free(&uncommitted);

  const int lengths[2] = {1, 1};
  const int decreasing[2] = {4, 0};
  MPI_Datatype backwards = MPI_DATATYPE_NULL;
  MPI_Type_indexed(2, lengths, decreasing, MPI_INT, &backwards);
  const OwnedType backward_tile = committed(backwards);
  EXPECT_TRUE(is_error(set_view(0, MPI_INT, backward_tile.get()), MPI_ERR_TYPE, file_.path()));

  const int negative[2] = {-1, 0};
  MPI_Datatype below = MPI_DATATYPE_NULL;
  MPI_Type_indexed(2, lengths, negative, MPI_INT, &below);
  const OwnedType below_zero = committed(below);
  EXPECT_TRUE(is_error(set_view(0, MPI_INT, below_zero.get()), MPI_ERR_TYPE, file_.path()));

  const MPI_Aint overlapping[2] = {0, 2};
  MPI_Datatype doubled = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(2, lengths, overlapping, MPI_INT, &doubled);
  const OwnedType overlap = committed(doubled);
  EXPECT_TRUE(is_error(set_view(0, MPI_INT, overlap.get()), MPI_ERR_TYPE, file_.path()))
      << "overlap in a file that is written";

  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  char datarep[MPI_MAX_DATAREP_STRING] = {};
  TUTTI_OK(MPI_File_get_view(handle_, &displacement, &etype, &filetype, datarep));
  EXPECT_EQ(displacement, 8);
  EXPECT_EQ(etype, MPI_INT);
  MPI_Type_free(&filetype);
  EXPECT_TRUE(file_.content().empty());

  open(MPI_MODE_RDONLY);
  TUTTI_OK(set_view(0, MPI_INT, overlap.get()));
}

TEST_F(FileView, OneRanksWrongViewIsEverybodys) {
  const bool last = test::world_rank() == test::world_size() - 1;
  EXPECT_TRUE(is_error(set_view(last ? -1 : 0, MPI_INT, MPI_INT), MPI_ERR_ARG, file_.path()));
  if (test::world_size() == 1) return;
  const MPI_Datatype type = last ? MPI_INT : MPI_DOUBLE;
  EXPECT_TRUE(is_error(set_view(0, type, type), MPI_ERR_NOT_SAME, file_.path()));
  EXPECT_TRUE(is_error(set_view(0, MPI_INT, MPI_INT, last ? "internal" : "native"),
                       MPI_ERR_NOT_SAME, file_.path()));
  TUTTI_OK(set_view(test::world_rank(), MPI_BYTE, MPI_BYTE));
}

TEST_F(FileView, SizesAreSetTogether) {
  MPI_Offset size = -1;
  TUTTI_OK(MPI_File_set_size(handle_, 100));
  TUTTI_OK(MPI_File_get_size(handle_, &size));
  EXPECT_EQ(size, 100);
  TUTTI_OK(MPI_File_preallocate(handle_, 5000));
  TUTTI_OK(MPI_File_get_size(handle_, &size));
  EXPECT_EQ(size, 5000);
  TUTTI_OK(MPI_File_preallocate(handle_, 10));
  TUTTI_OK(MPI_File_get_size(handle_, &size));
  EXPECT_EQ(size, 5000) << "preallocate never shrinks";
  TUTTI_OK(MPI_File_set_size(handle_, 7));
  TUTTI_OK(MPI_File_get_size(handle_, &size));
  EXPECT_EQ(size, 7);
  EXPECT_TRUE(is_error(MPI_File_set_size(handle_, -1), MPI_ERR_ARG, file_.path()));
  EXPECT_TRUE(is_error(MPI_File_preallocate(handle_, -1), MPI_ERR_ARG, file_.path()));
  if (test::world_size() > 1) {
    EXPECT_TRUE(is_error(MPI_File_set_size(handle_, 10 + test::world_rank()), MPI_ERR_NOT_SAME,
                         file_.path()));
    EXPECT_TRUE(is_error(MPI_File_preallocate(handle_, 10 + test::world_rank()), MPI_ERR_NOT_SAME,
                         file_.path()));
    EXPECT_TRUE(is_error(MPI_File_set_atomicity(handle_, test::world_rank() % 2), MPI_ERR_NOT_SAME,
                         file_.path()));
  }
  TUTTI_OK(MPI_File_get_size(handle_, &size));
  EXPECT_EQ(size, 7);
  open(MPI_MODE_RDONLY);
  EXPECT_TRUE(is_error(MPI_File_set_size(handle_, 0), MPI_ERR_READ_ONLY, file_.path()));
  EXPECT_TRUE(is_error(MPI_File_preallocate(handle_, 50), MPI_ERR_READ_ONLY, file_.path()));
  TUTTI_OK(MPI_File_get_size(handle_, &size));
  EXPECT_EQ(size, 7);
}

TEST_F(FileView, AtomicityAndExtents) {
  int flag = -1;
  TUTTI_OK(MPI_File_get_atomicity(handle_, &flag));
  EXPECT_EQ(flag, 0);
  TUTTI_OK(MPI_File_set_atomicity(handle_, 1 + test::world_rank()));
  TUTTI_OK(MPI_File_get_atomicity(handle_, &flag));
  EXPECT_EQ(flag, 1);
  const OwnedType strided = vector_of(3, 1, 2, MPI_INT);
  MPI_Aint extent = 0;
  TUTTI_OK(MPI_File_get_type_extent(handle_, strided.get(), &extent));
  EXPECT_EQ(extent, 20);
  EXPECT_TRUE(is_error(MPI_File_get_type_extent(handle_, MPI_DATATYPE_NULL, &extent), MPI_ERR_TYPE,
                       file_.path()));
#if defined(TUTTI_HOST_MPICH)
  MPI_Count large = 0;
  TUTTI_OK(MPI_File_get_type_extent_c(handle_, strided.get(), &large));
  EXPECT_EQ(large, 20);
#endif
}

TEST_F(FileView, HintsAreTakenReportedAndTheSameEverywhere) {
  auto before = info();
  EXPECT_EQ(before["cb_buffer_size"], std::to_string(16 << 20));
  EXPECT_EQ(before["romio_visibility_immediate"], "true");
  EXPECT_FALSE(before["tutti_version"].empty());
  OwnedInfo wishes;
  MPI_Info_create(wishes.fill());
  MPI_Info_set(wishes.get(), "cb_buffer_size", "1048576");
  MPI_Info_set(wishes.get(), "ind_rd_buffer_size", "65536");
  MPI_Info_set(wishes.get(), "somebody_elses_hint", "42");
  // Ranks that disagree get rank 0's.
  MPI_Info_set(wishes.get(), "cb_nodes", std::to_string(1 + test::world_rank()).c_str());
  TUTTI_OK(MPI_File_set_info(handle_, wishes.get()));
  auto after = info();
  EXPECT_EQ(after["cb_buffer_size"], "1048576");
  EXPECT_EQ(after["ind_rd_buffer_size"], "65536");
  EXPECT_EQ(after["cb_nodes"], "1");
  EXPECT_EQ(after.count("somebody_elses_hint"), 0U);

  MPI_Info_set(wishes.get(), "cb_buffer_size", "many");
  testing::internal::CaptureStderr();
  TUTTI_OK(MPI_File_set_view(handle_, 0, MPI_BYTE, MPI_BYTE, "native", wishes.get()));
  const std::string said = testing::internal::GetCapturedStderr();
  if (test::world_rank() == 0) {
    EXPECT_NE(said.find("cb_buffer_size"), std::string::npos) << said;
  } else {
    EXPECT_TRUE(said.empty()) << said;
  }
  EXPECT_EQ(info()["cb_buffer_size"], "1048576") << "a bad value changes nothing";
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
