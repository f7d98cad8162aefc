// Opening, closing, deleting: every access mode and every way to fail.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::is_error;
using test::SharedFile;

int open_world(const SharedFile& file, int amode, MPI_File* handle) {
  return MPI_File_open(MPI_COMM_WORLD, file.c_str(), amode, MPI_INFO_NULL, handle);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

TEST(FileOpen, CreatesReadsBackAndCloses) {
  const SharedFile file("open");
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(open_world(file, MPI_MODE_CREATE | MPI_MODE_RDWR, &handle));
  ASSERT_NE(handle, MPI_FILE_NULL);
  int amode = 0;
  TUTTI_OK(MPI_File_get_amode(handle, &amode));
  EXPECT_EQ(amode, MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Group group = MPI_GROUP_NULL;
  TUTTI_OK(MPI_File_get_group(handle, &group));
  int members = 0;
  MPI_Group_size(group, &members);
  EXPECT_EQ(members, test::world_size());
  MPI_Group_free(&group);
  const char mine = static_cast<char>('a' + test::world_rank());
  TUTTI_OK(MPI_File_write_at(handle, test::world_rank(), &mine, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_close(&handle));
  EXPECT_EQ(handle, MPI_FILE_NULL);
  EXPECT_EQ(file.content(),
            std::string("abcd").substr(0, static_cast<std::size_t>(test::world_size())));
}

TEST(FileOpen, WrongModesAreRefused) {
  const SharedFile file("amode");
  const std::vector<int> wrong{
      0,
      MPI_MODE_CREATE,
      MPI_MODE_RDONLY | MPI_MODE_WRONLY,
      MPI_MODE_RDONLY | MPI_MODE_RDWR,
      MPI_MODE_RDONLY | MPI_MODE_CREATE,
      MPI_MODE_RDONLY | MPI_MODE_EXCL,
      MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
      MPI_MODE_RDWR | MPI_MODE_CREATE | (1 << 20),
  };
  for (const int amode : wrong) {
    MPI_File handle = MPI_FILE_NULL;
    EXPECT_TRUE(is_error(open_world(file, amode, &handle), MPI_ERR_AMODE, file.path()));
    EXPECT_EQ(handle, MPI_FILE_NULL);
    EXPECT_FALSE(exists(file.path()));
  }
}

TEST(FileOpen, ExclusiveSucceedsOnce) {
  const SharedFile file("excl");
  constexpr int kMode = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY;
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(open_world(file, kMode, &handle));
  TUTTI_OK(MPI_File_close(&handle));
  EXPECT_TRUE(is_error(open_world(file, kMode, &handle), MPI_ERR_FILE_EXISTS, file.path()));
}

TEST(FileOpen, AMissingFileIsReportedAndNotCreated) {
  const SharedFile file("missing");
  MPI_File handle = MPI_FILE_NULL;
  for (const int amode : {MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR})
    EXPECT_TRUE(is_error(open_world(file, amode, &handle), MPI_ERR_NO_SUCH_FILE, file.path()));
  EXPECT_FALSE(exists(file.path()));
}

TEST(FileOpen, DeletesOnClose) {
  const SharedFile file("delete_on_close");
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(open_world(file, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, &handle));
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(exists(file.path()));
  MPI_Barrier(MPI_COMM_WORLD);
  TUTTI_OK(MPI_File_close(&handle));
  EXPECT_FALSE(exists(file.path()));
}

TEST(FileOpen, AppendStartsAtTheEnd) {
  const SharedFile file("append");
  file.fill("0123456789");
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(open_world(file, MPI_MODE_WRONLY | MPI_MODE_APPEND, &handle));
  MPI_Offset position = 0;
  TUTTI_OK(MPI_File_get_position(handle, &position));
  EXPECT_EQ(position, 10);
  MPI_Barrier(MPI_COMM_WORLD);
  if (test::world_rank() == 0) {
    TUTTI_OK(MPI_File_write(handle, "ab", 2, MPI_CHAR, MPI_STATUS_IGNORE));
  }
  TUTTI_OK(MPI_File_close(&handle));
  EXPECT_EQ(file.content(), "0123456789ab");
}

TEST(FileOpen, UniqueOpenAndSequentialAreAccepted) {
  const SharedFile file("modes");
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(open_world(
      file, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN,
      &handle));
  char byte = 'x';
  EXPECT_TRUE(is_error(MPI_File_write(handle, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE),
                       MPI_ERR_UNSUPPORTED_OPERATION, file.path()));
  EXPECT_TRUE(
      is_error(MPI_File_seek(handle, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION, file.path()));
  EXPECT_TRUE(is_error(MPI_File_set_view(handle, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
                       MPI_ERR_ARG, file.path()));
  TUTTI_OK(MPI_File_set_view(handle, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native",
                             MPI_INFO_NULL));
  TUTTI_OK(MPI_File_close(&handle));
}

TEST(FileOpen, NamesAndModesMustAgree) {
  if (test::world_size() == 1) return;
  const SharedFile file("not_same");
  MPI_File handle = MPI_FILE_NULL;
  const bool odd = test::world_rank() % 2 == 1;
  EXPECT_TRUE(is_error(open_world(file,
                                  odd ? MPI_MODE_CREATE | MPI_MODE_RDWR
                                      : MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_APPEND,
                                  &handle),
                       MPI_ERR_NOT_SAME, file.path()));
  EXPECT_FALSE(exists(file.path()));
  const std::string name = file.path() + (odd ? "odd" : "even");
  EXPECT_TRUE(is_error(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                     MPI_INFO_NULL, &handle),
                       MPI_ERR_NOT_SAME, file.path()));
  EXPECT_FALSE(exists(name));
}

TEST(FileOpen, OneRankWithAWrongModeStopsAll) {
  if (test::world_size() == 1) return;
  const SharedFile file("one_wrong");
  MPI_File handle = MPI_FILE_NULL;
  const bool last = test::world_rank() == test::world_size() - 1;
  const int code = open_world(file, last ? 0 : MPI_MODE_CREATE | MPI_MODE_RDWR, &handle);
  EXPECT_TRUE(is_error(code, MPI_ERR_AMODE, file.path()));
}

TEST(FileOpen, ADirectoryIsABadFile) {
  MPI_File handle = MPI_FILE_NULL;
  for (const int amode : {MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_CREATE | MPI_MODE_WRONLY})
    EXPECT_TRUE(is_error(MPI_File_open(MPI_COMM_WORLD, "/tmp", amode, MPI_INFO_NULL, &handle),
                         MPI_ERR_BAD_FILE, "/tmp"));
  EXPECT_TRUE(is_error(
      MPI_File_open(MPI_COMM_WORLD, "/dev/null/x", MPI_MODE_RDONLY, MPI_INFO_NULL, &handle),
      MPI_ERR_BAD_FILE, "/dev/null/x"));
}

TEST(FileOpen, PermissionIsNeeded) {
  const SharedFile file("permission", "/tmp");
  file.fill("secret");
  if (test::world_rank() == 0) ::chmod(file.c_str(), 0400);
  MPI_Barrier(MPI_COMM_WORLD);
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  MPI_File handle = MPI_FILE_NULL;
  const int code = open_world(file, MPI_MODE_RDWR, &handle);
  const int in_folder = MPI_File_open(MPI_COMM_WORLD, "/root/nothing_here",
                                      MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &handle);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_TRUE(is_error(code, MPI_ERR_ACCESS, file.path()));
  EXPECT_TRUE(is_error(in_folder, MPI_ERR_ACCESS, "/root/nothing_here"));
  EXPECT_EQ(file.content(), "secret");
}

TEST(FileOpen, WrongCommunicatorsAreRefused) {
  const SharedFile file("comm");
  MPI_File handle = MPI_FILE_NULL;
  EXPECT_EQ(test::class_of(MPI_File_open(MPI_COMM_NULL, file.c_str(),
                                         MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &handle)),
            MPI_ERR_COMM);
  EXPECT_EQ(test::class_of(MPI_File_open(MPI_COMM_WORLD, nullptr, MPI_MODE_CREATE | MPI_MODE_RDWR,
                                         MPI_INFO_NULL, &handle)),
            MPI_ERR_ARG);
}

TEST(FileDelete, DeletesAndReports) {
  const SharedFile file("delete");
  file.fill("x");
  if (test::world_rank() == 0) {
    TUTTI_OK(MPI_File_delete(file.c_str(), MPI_INFO_NULL));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(exists(file.path()));
  EXPECT_TRUE(
      is_error(MPI_File_delete(file.c_str(), MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE, file.path()));
}

TEST(FileOpen, ManyFilesAtOnceEachWithItsOwnState) {
  constexpr int kFiles = 40;
  std::vector<MPI_File> handles(kFiles, MPI_FILE_NULL);
  std::vector<std::string> names;
  const SharedFile base("many");
  for (int i = 0; i < kFiles; ++i) {
    names.push_back(base.path() + "." + std::to_string(i) + "." +
                    std::to_string(test::world_rank()));
    TUTTI_OK(MPI_File_open(MPI_COMM_SELF, names.back().c_str(),
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &handles[static_cast<std::size_t>(i)]));
  }
  for (int i = 0; i < kFiles; ++i)
    TUTTI_OK(MPI_File_seek(handles[static_cast<std::size_t>(i)], i, MPI_SEEK_SET));
  for (int i = 0; i < kFiles; ++i) {
    MPI_Offset position = -1;
    TUTTI_OK(MPI_File_get_position(handles[static_cast<std::size_t>(i)], &position));
    EXPECT_EQ(position, i);
  }
  for (MPI_File& handle : handles) TUTTI_OK(MPI_File_close(&handle));
}

// Every rank would have bytes of its own.
TEST(FileOpen, MemoryFilesAreForOneProcess) {
  const std::string name = "mem:open_test";
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_SELF, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file));
  const char mine = static_cast<char>('a' + test::world_rank());
  TUTTI_OK(MPI_File_write_at(file, 0, &mine, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  if (test::world_size() > 1) {
    for (const std::string& each : {name, std::string("mem:none"), "faulty:short=1:" + name})
      for (const int amode : {MPI_MODE_RDONLY, MPI_MODE_CREATE | MPI_MODE_RDWR}) {
        MPI_File together = MPI_FILE_NULL;
        EXPECT_TRUE(
            is_error(MPI_File_open(MPI_COMM_WORLD, each.c_str(), amode, MPI_INFO_NULL, &together),
                     MPI_ERR_UNSUPPORTED_OPERATION, each.substr(each.rfind("mem:"))));
        EXPECT_EQ(together, MPI_FILE_NULL);
      }
    EXPECT_TRUE(is_error(MPI_File_delete("mem:none", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE, "none"))
        << "a refused file was made";
  }
  char found = '?';
  TUTTI_OK(MPI_File_read_at(file, 0, &found, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT_EQ(found, mine);
  TUTTI_OK(MPI_File_close(&file));
  TUTTI_OK(MPI_File_delete(name.c_str(), MPI_INFO_NULL));
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
