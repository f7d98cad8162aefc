// ranks: 1
#include "api/handle_table.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "api/file.hpp"
#include "support/mpi_main.hpp"

namespace tutti {
namespace {

std::unique_ptr<File> named(const char* name) {
  auto file = std::make_unique<File>();
  file->name = name;
  return file;
}

TEST(HandleTable, FindsWhatWasAddedUntilItIsRemoved) {
  HandleTable& table = open_files();
  const MPI_File a = *table.add(named("a"));
  const MPI_File b = *table.add(named("b"));
  EXPECT_NE(a, b);
  EXPECT_NE(a, MPI_FILE_NULL);
  EXPECT_EQ(table.find(a)->name, "a");
  EXPECT_EQ(table.find(b)->name, "b");
  EXPECT_EQ(table.remove(a)->name, "a");
  EXPECT_EQ(table.find(a), nullptr);
  EXPECT_EQ(table.remove(a), nullptr) << "closed twice";
  EXPECT_EQ(table.find(b)->name, "b");
  table.remove(b);
}

TEST(HandleTable, AnOldHandleDoesNotReachTheNextFileInItsSlot) {
  HandleTable& table = open_files();
  const MPI_File old = *table.add(named("old"));
  table.remove(old);
  for (int i = 0; i < 100; ++i) {
    const MPI_File next = *table.add(named("next"));
    EXPECT_EQ(table.find(old), nullptr);
    EXPECT_NE(table.find(next), nullptr);
    table.remove(next);
  }
}

TEST(HandleTable, AnyOtherValueIsFoundOut) {
  HandleTable& table = open_files();
  const MPI_File good = *table.add(named("good"));
  const auto bits = reinterpret_cast<std::uintptr_t>(good);
  EXPECT_EQ(table.find(MPI_FILE_NULL), nullptr);
  EXPECT_EQ(table.find(nullptr), nullptr);
  int local = 0;
  EXPECT_EQ(table.find(reinterpret_cast<MPI_File>(&local)), nullptr);
  for (unsigned bit = 0; bit < 64; ++bit)
    EXPECT_EQ(table.find(reinterpret_cast<MPI_File>(bits ^ (std::uintptr_t{1} << bit))), nullptr)
        << "bit " << bit;
  table.remove(good);
}

TEST(HandleTable, FortranValuesAreTheLowHalf) {
  HandleTable& table = open_files();
  MPI_File file = *table.add(named("file"));
  const MPI_Fint value = table.to_fortran(file);
  EXPECT_GT(value, 0);
  EXPECT_EQ(table.from_fortran(value), file);
  MPI_Fint seen = 0;
  std::memcpy(&seen, &file, sizeof seen);
  EXPECT_EQ(seen, value) << "what a Fortran error handler reads from a handle's address";
  EXPECT_EQ(table.to_fortran(MPI_FILE_NULL), 0);
  EXPECT_EQ(table.from_fortran(0), MPI_FILE_NULL);
  EXPECT_EQ(table.from_fortran(-1), MPI_FILE_NULL);
  table.remove(file);
  EXPECT_EQ(table.from_fortran(value), MPI_FILE_NULL);
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
