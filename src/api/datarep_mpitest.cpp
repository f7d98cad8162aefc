// Data representations of the program's own.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/representation_file.hpp"

namespace tutti {
namespace {

using test::is_error;
using test::world_rank;
using test::world_size;

// Doubles as text of 24 characters, integers as text of 12. What it saw is in the extra state.
constexpr int kDoubleText = 24;
constexpr int kIntText = 12;

struct Seen {
  int calls = 0;
  long long elements = 0;
  MPI_Offset last_position = -1;
  bool in_order = true;
  int fail_with = MPI_SUCCESS;

  void note(int count, MPI_Offset position) {
    ++calls;
    in_order = in_order && (position == 0 || position == elements);
    if (position == 0) elements = 0;
    elements += count;
    last_position = position;
  }
};

int text_extent(MPI_Datatype type, MPI_Aint* extent, void*) {
  if (type != MPI_DOUBLE && type != MPI_INT) return MPI_ERR_TYPE;
  *extent = type == MPI_DOUBLE ? kDoubleText : kIntText;
  return MPI_SUCCESS;
}

// Where typemap entry `position` of tiled { double, int } or of a plain type lies.
struct Entry {
  char* at;
  bool is_double;
};
Entry entry_of(void* buffer, MPI_Datatype type, MPI_Offset position) {
  char* const base = static_cast<char*>(buffer);
  if (type == MPI_DOUBLE) return {base + 8 * position, true};
  if (type == MPI_INT) return {base + 4 * position, false};
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lb, &extent);
  return {base + position / 2 * extent + (position % 2 == 0 ? 0 : 8), position % 2 == 0};
}

int write_text(void* buffer, MPI_Datatype type, int count, void* file, MPI_Offset position,
               void* state) {
  Seen& seen = *static_cast<Seen*>(state);
  if (seen.fail_with != MPI_SUCCESS) return seen.fail_with;
  seen.note(count, position);
  char* out = static_cast<char*>(file);
  for (int i = 0; i < count; ++i) {
    const Entry entry = entry_of(buffer, type, position + i);
    std::array<char, 64> text{};
    double number = 0;
    int whole = 0;
    std::memcpy(entry.is_double ? static_cast<void*>(&number) : &whole, entry.at,
                entry.is_double ? 8 : 4);
    if (entry.is_double)
      std::snprintf(text.data(), text.size(), "%23.16e\n", number);
    else
      std::snprintf(text.data(), text.size(), "%11d\n", whole);
    const int bytes = entry.is_double ? kDoubleText : kIntText;
    std::memcpy(out, text.data(), static_cast<std::size_t>(bytes));
    out += bytes;
  }
  return MPI_SUCCESS;
}

int read_text(void* buffer, MPI_Datatype type, int count, void* file, MPI_Offset position,
              void* state) {
  Seen& seen = *static_cast<Seen*>(state);
  if (seen.fail_with != MPI_SUCCESS) return seen.fail_with;
  seen.note(count, position);
  const char* in = static_cast<const char*>(file);
  for (int i = 0; i < count; ++i) {
    const Entry entry = entry_of(buffer, type, position + i);
    const int bytes = entry.is_double ? kDoubleText : kIntText;
    const std::string text(in, static_cast<std::size_t>(bytes));
    const double number = std::strtod(text.c_str(), nullptr);
    const int whole = static_cast<int>(std::strtol(text.c_str(), nullptr, 10));
    std::memcpy(entry.at, entry.is_double ? static_cast<const void*>(&number) : &whole,
                entry.is_double ? 8 : 4);
    in += bytes;
  }
  return MPI_SUCCESS;
}

// Registered once per process: representations stay until MPI_Finalize.
Seen& text_state() {
  static Seen seen;
  static const int registered =
      MPI_Register_datarep("text", read_text, write_text, text_extent, &seen);
  EXPECT_EQ(registered, MPI_SUCCESS);
  return seen;
}

class Datarep : public test::RepresentationFile {
 protected:
  Datarep() : RepresentationFile("text") {}
  void SetUp() override {
    seen_ = &text_state();
    *seen_ = {};
    RepresentationFile::SetUp();
  }
  int set_view(MPI_Datatype etype, MPI_Datatype filetype, const char* name = "text",
               MPI_Offset displacement = 0) {
    return RepresentationFile::set_view(displacement, etype, filetype, name);
  }

  Seen* seen_ = nullptr;
};

TEST_F(Datarep, NumbersAsText) {
  TUTTI_OK(set_view(MPI_DOUBLE, MPI_DOUBLE));
  char name[MPI_MAX_DATAREP_STRING] = {};
  MPI_Offset displacement = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  TUTTI_OK(MPI_File_get_view(handle_, &displacement, &etype, &filetype, name));
  EXPECT_STREQ(name, "text");
  EXPECT_EQ(etype, MPI_DOUBLE);
  MPI_Aint extent = 0;
  TUTTI_OK(MPI_File_get_type_extent(handle_, MPI_INT, &extent));
  EXPECT_EQ(extent, kIntText);

  const double numbers[] = {1.5 + world_rank(), -2e10};
  TUTTI_OK(
      MPI_File_write_at_all(handle_, 2 * world_rank(), numbers, 2, MPI_DOUBLE, MPI_STATUS_IGNORE));
  std::array<char, 64> line{};
  std::snprintf(line.data(), line.size(), "%23.16e\n%23.16e\n", numbers[0], numbers[1]);
  const std::string whole = content();
  EXPECT_EQ(whole.size(), static_cast<std::size_t>(2 * kDoubleText * world_size()));
  EXPECT_EQ(whole.substr(static_cast<std::size_t>(2 * kDoubleText * world_rank()), 2 * kDoubleText),
            line.data());
  MPI_Offset place = 0;
  TUTTI_OK(MPI_File_get_byte_offset(handle_, 3, &place));
  EXPECT_EQ(place, 3 * kDoubleText);

  double back[2] = {};
  MPI_Status status;
  TUTTI_OK(MPI_File_read_at(handle_, 2 * world_rank(), back, 2, MPI_DOUBLE, &status));
  EXPECT_EQ(back[0], numbers[0]);
  EXPECT_EQ(back[1], numbers[1]);
  int count = 0;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  EXPECT_EQ(count, 2);
}

// { double; int } with the extent 16 of C.
OwnedType record_type() {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  OwnedType packed;
  MPI_Type_create_struct(2, lengths, places, types, packed.fill());
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(packed.get(), 0, 16, &made);
  MPI_Type_commit(&made);
  return OwnedType(made);
}

TEST_F(Datarep, BytesOfUnknownSizeAreAConversionError) {
  EXPECT_TRUE(is_error(set_view(MPI_BYTE, MPI_BYTE), MPI_ERR_CONVERSION, "extent function"));
}

TEST_F(Datarep, ManyPiecesGoOnWhereTheLastEnded) {
  TUTTI_OK(set_view(MPI_DOUBLE, MPI_DOUBLE));
  constexpr int kCount = 250'000;  // 6 MB of text: two pieces
  std::vector<double> numbers(kCount);
  for (int i = 0; i < kCount; ++i) numbers[static_cast<std::size_t>(i)] = i + 0.25 * world_rank();
  const MPI_Offset at = static_cast<MPI_Offset>(kCount) * world_rank();
  TUTTI_OK(MPI_File_write_at(handle_, at, numbers.data(), kCount, MPI_DOUBLE, MPI_STATUS_IGNORE));
  EXPECT_EQ(seen_->calls, 2);
  EXPECT_EQ(seen_->elements, kCount);
  EXPECT_TRUE(seen_->in_order);
  EXPECT_GT(seen_->last_position, 0);
  std::vector<double> back(numbers.size());
  TUTTI_OK(MPI_File_seek(handle_, at, MPI_SEEK_SET));
  TUTTI_OK(MPI_File_read(handle_, back.data(), kCount, MPI_DOUBLE, MPI_STATUS_IGNORE));
  EXPECT_TRUE(back == numbers);
  EXPECT_TRUE(seen_->in_order);
}

TEST_F(Datarep, RecordsAndFiletypesOfScaledElements) {
  struct Record {
    double value;
    int index;
  };
  const OwnedType record = record_type();
  // In the file: 24 characters and 12 right behind them, ranks one after the other.
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, kDoubleText};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  constexpr int kRecord = kDoubleText + kIntText;
  OwnedType etype;
  OwnedType packed;
  OwnedType filetype;
  MPI_Type_create_struct(2, lengths, places, types, packed.fill());
  MPI_Type_create_resized(packed.get(), 0, kRecord, etype.fill());
  MPI_Type_create_resized(packed.get(), 0, kRecord * world_size(), filetype.fill());
  for (const OwnedType* type : {&etype, &filetype}) {
    MPI_Datatype handle = type->get();
    MPI_Type_commit(&handle);
  }
  TUTTI_OK(set_view(etype.get(), filetype.get(), "text", kRecord * world_rank()));
  MPI_Aint extent = 0;
  TUTTI_OK(MPI_File_get_type_extent(handle_, etype.get(), &extent));
  EXPECT_EQ(extent, kRecord);
  const Record records[] = {{0.5, world_rank()}, {1.5, world_rank() + 100}, {2.5, 7}};
  TUTTI_OK(MPI_File_write_all(handle_, records, 3, record.get(), MPI_STATUS_IGNORE));
  MPI_Offset position = 0;
  TUTTI_OK(MPI_File_get_position(handle_, &position));
  EXPECT_EQ(position, 3);
  const std::string whole = content();
  ASSERT_EQ(whole.size(), static_cast<std::size_t>(3 * kRecord * world_size()));
  std::array<char, 64> line{};
  std::snprintf(line.data(), line.size(), "%23.16e\n%11d\n", 1.5, world_rank() + 100);
  EXPECT_EQ(
      whole.substr(static_cast<std::size_t>(kRecord * (world_size() + world_rank())), kRecord),
      line.data());
  Record back[3] = {};
  TUTTI_OK(MPI_File_read_at_all(handle_, 0, back, 3, record.get(), MPI_STATUS_IGNORE));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(back[i].value, records[i].value);
    EXPECT_EQ(back[i].index, records[i].index);
  }
}

TEST_F(Datarep, AFunctionThatFailsIsAConversionError) {
  TUTTI_OK(set_view(MPI_INT, MPI_INT));
  int number = world_rank();
  TUTTI_OK(MPI_File_write_at_all(handle_, world_rank(), &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  if (world_rank() == 0) seen_->fail_with = MPI_ERR_OTHER;
  // Every rank fails with the one whose function did.
  EXPECT_TRUE(
      is_error(MPI_File_write_at_all(handle_, world_rank(), &number, 1, MPI_INT, MPI_STATUS_IGNORE),
               MPI_ERR_CONVERSION, "write conversion function of 'text'"));
  const int code = MPI_File_read_at(handle_, world_rank(), &number, 1, MPI_INT, MPI_STATUS_IGNORE);
  if (world_rank() == 0)
    EXPECT_TRUE(is_error(code, MPI_ERR_CONVERSION, "read conversion function of 'text'"));
  else
    EXPECT_EQ(code, MPI_SUCCESS);
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_OK(MPI_File_iread_at(handle_, world_rank(), &number, 1, MPI_INT, &request));
  const int later = MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (world_rank() == 0)
    EXPECT_TRUE(is_error(later, MPI_ERR_CONVERSION, "'text'"));
  else
    EXPECT_EQ(later, MPI_SUCCESS);
}

int native_extent(MPI_Datatype type, MPI_Aint* extent, void*) {
  MPI_Aint lb = 0;
  return MPI_Type_get_extent(type, &lb, extent);
}

int broken_extent(MPI_Datatype, MPI_Aint*, void*) { return MPI_ERR_OTHER; }

TEST_F(Datarep, RegisteringNamesOnceOnly) {
  const auto again = [&](const char* name) {
    return MPI_Register_datarep(name, read_text, write_text, text_extent, seen_);
  };
  for (const char* name : {"text", "native", "internal", "external32"})
    EXPECT_TRUE(is_error(again(name), MPI_ERR_DUP_DATAREP, name));
  EXPECT_TRUE(is_error(again(""), MPI_ERR_ARG, "empty"));
  EXPECT_TRUE(is_error(again(nullptr), MPI_ERR_ARG, "null"));
  EXPECT_TRUE(
      is_error(again(std::string(MPI_MAX_DATAREP_STRING, 'x').c_str()), MPI_ERR_ARG, "longer"));
  EXPECT_TRUE(is_error(MPI_Register_datarep("lacking", read_text, write_text, nullptr, nullptr),
                       MPI_ERR_ARG, "extent function"));
  EXPECT_TRUE(
      is_error(set_view(MPI_INT, MPI_INT, "lacking"), MPI_ERR_UNSUPPORTED_DATAREP, "lacking"));
  TUTTI_OK(MPI_Register_datarep("broken", read_text, write_text, broken_extent, nullptr));
  EXPECT_TRUE(is_error(set_view(MPI_INT, MPI_INT, "broken"), MPI_ERR_CONVERSION, "'broken'"));
}

TEST_F(Datarep, WithoutFunctionsDataAreCopied) {
  TUTTI_OK(MPI_Register_datarep("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
                                native_extent, nullptr));
  TUTTI_OK(set_view(MPI_INT, MPI_INT, "plain"));
  const int number = 0x01020304 + world_rank();
  TUTTI_OK(MPI_File_write_ordered(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  const std::string whole = content();
  int stored = 0;
  ASSERT_EQ(whole.size(), 4U * static_cast<unsigned>(world_size()));
  std::memcpy(&stored, whole.data() + 4 * world_rank(), 4);
  EXPECT_EQ(stored, number);
  int back = 0;
  TUTTI_OK(MPI_File_read_at(handle_, world_rank(), &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(back, number);

  TUTTI_OK(MPI_Register_datarep("half", MPI_CONVERSION_FN_NULL, write_text, text_extent, seen_));
  TUTTI_OK(set_view(MPI_INT, MPI_INT, "half"));
  TUTTI_OK(MPI_File_write_at(handle_, world_rank(), &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_TRUE(
      is_error(MPI_File_read_at(handle_, world_rank(), &back, 1, MPI_INT, MPI_STATUS_IGNORE),
               MPI_ERR_CONVERSION, "no read conversion function"));
}

#if defined(TUTTI_HOST_MPICH)

int flip(void* to, const void* from, MPI_Count bytes) {
  for (MPI_Count i = 0; i < bytes; ++i)
    static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i] ^ 0xff;
  return MPI_SUCCESS;
}
int read_flipped(void* buffer, MPI_Datatype, MPI_Count count, void* file, MPI_Offset position,
                 void*) {
  return flip(static_cast<int*>(buffer) + position, file, 4 * count);
}
int write_flipped(void* buffer, MPI_Datatype, MPI_Count count, void* file, MPI_Offset position,
                  void*) {
  return flip(file, static_cast<int*>(buffer) + position, 4 * count);
}

TEST_F(Datarep, FunctionsWithLargeCounts) {
  TUTTI_OK(MPI_Register_datarep_c("flipped", read_flipped, write_flipped, native_extent, nullptr));
  TUTTI_OK(set_view(MPI_INT, MPI_INT, "flipped"));
  const int numbers[] = {world_rank(), 17};
  TUTTI_OK(
      MPI_File_write_at_all(handle_, 2 * world_rank(), numbers, 2, MPI_INT, MPI_STATUS_IGNORE));
  const std::string whole = content();
  int stored = 0;
  std::memcpy(&stored, whole.data() + 8 * world_rank(), 4);
  EXPECT_EQ(stored, ~world_rank());
  int back[2] = {};
  TUTTI_OK(MPI_File_read_at_all(handle_, 2 * world_rank(), back, 2, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(back[1], 17);
}

#endif

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
