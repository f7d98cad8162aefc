// ranks: 1 3
// What goes wrong while an access goes on beside the program: the error comes at the right call, on
// the file's handler, on every rank of a collective access; nothing crashes and nothing hangs.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "support/faults.hpp"

namespace tutti {
namespace {

using test::all_fault_cases;
using test::Faults;
using test::Flavour;
using test::is_error;
using test::kBytes;
using test::letters;
using test::raised;
using test::world_rank;

TEST_P(Faults, AFullDevice) {
  open("/dev/full", MPI_MODE_RDWR);
  expect_raised(write(letters()), MPI_ERR_NO_SPACE);
}

TEST_P(Faults, ALimitOfFileSizes) {
  open(file_.path(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  void (*const handler)(int) = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const int code = write(letters());
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  expect_raised(code, MPI_ERR_QUOTA);
  MPI_Barrier(MPI_COMM_WORLD);  // what others write makes the file long enough
  raised = {};
  EXPECT_EQ(write(letters()), MPI_SUCCESS);
}

// Collective. A file system of 64 KiB in a folder of its own, where this system lets us mount one.
class SmallFileSystem {
 public:
  explicit SmallFileSystem(std::string folder) : folder_(std::move(folder)) {
    int mounted = 0;
    if (world_rank() == 0) {
      ::mkdir(folder_.c_str(), 0700);
      mounted = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") == 0 ? 1 : 0;
    }
    MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
    mounted_ = mounted != 0;
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;
  ~SmallFileSystem() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() != 0) return;
    if (mounted_) {
      EXPECT_EQ(::umount(folder_.c_str()), 0);
    }
    ::rmdir(folder_.c_str());
  }

  bool mounted() const { return mounted_; }
  std::string file() const { return folder_ + "/file"; }
  // Collective. Whether the file system takes no more writes now.
  bool stop_writes() const {
    int done = 0;
    if (world_rank() == 0)
      done = ::mount(nullptr, folder_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
    MPI_Bcast(&done, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return done != 0;
  }

 private:
  std::string folder_;
  bool mounted_ = false;
};

TEST_P(Faults, AFullFileSystem) {
  const SmallFileSystem small(file_.path() + ".mount");
  if (!small.mounted()) GTEST_SKIP() << "this system lets us mount nothing";
  open(small.file(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  expect_raised(write(letters()), MPI_ERR_NO_SPACE);
  TUTTI_OK(MPI_File_set_size(handle_, 0));
  raised = {};
  EXPECT_EQ(write("small"), MPI_SUCCESS);
  TUTTI_OK(MPI_File_close(&handle_));
}

// Opening for writing says so; what is open for reading goes on.
TEST_P(Faults, AReadOnlyFileSystem) {
  const SmallFileSystem small(file_.path() + ".mount");
  if (!small.mounted()) GTEST_SKIP() << "this system lets us mount nothing";
  open(small.file(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  EXPECT_EQ(write("small"), MPI_SUCCESS);
  TUTTI_OK(MPI_File_close(&handle_));
  ASSERT_TRUE(small.stop_writes());
  EXPECT_TRUE(is_error(
      MPI_File_open(MPI_COMM_WORLD, small.file().c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &handle_),
      MPI_ERR_READ_ONLY, small.file()));
  open(small.file(), MPI_MODE_RDONLY);
  std::string found(5, '?');
  EXPECT_EQ(read(found), MPI_SUCCESS);
  EXPECT_EQ(found, "small");
  TUTTI_OK(MPI_File_close(&handle_));
}

// What the system says about a write that was under way.
TEST_P(Faults, WhatTheStorageSays) {
  const struct {
    const char* name;
    int error_class;
  } kinds[] = {{"EDQUOT", MPI_ERR_QUOTA},
               {"EROFS", MPI_ERR_READ_ONLY},
               {"ENOSPC", MPI_ERR_NO_SPACE},
               {"EIO", MPI_ERR_IO}};
  for (const auto& kind : kinds) {
    open(std::string("faulty:fail-write-after=0,errno=") + kind.name + ":" + file_.path(),
         MPI_MODE_CREATE | MPI_MODE_RDWR);
    path_ = file_.path();
    expect_raised(write(letters()), kind.error_class);
    TUTTI_OK(MPI_File_close(&handle_));
  }
}

// The starting call of one rank alone, and of a split collective, refuses; a nonblocking collective
// tells every rank when it completes.
TEST_P(Faults, AFileOpenedForReadingOnly) {
  file_.fill(std::string(1000, 'x'));
  open(file_.path(), MPI_MODE_RDONLY);
  const std::string data = letters();
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (GetParam().flavour == Flavour::alone)
    code = MPI_File_iwrite_at(handle_, 0, data.data(), kBytes, MPI_CHAR, &request);
  if (GetParam().flavour == Flavour::split)
    code = MPI_File_write_at_all_begin(handle_, 0, data.data(), kBytes, MPI_CHAR);
  if (GetParam().flavour == Flavour::together) {
    EXPECT_EQ(MPI_File_iwrite_at_all(handle_, 0, data.data(), kBytes, MPI_CHAR, &request),
              MPI_SUCCESS);
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  expect_raised(code, MPI_ERR_READ_ONLY);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  std::string found(100, '?');
  EXPECT_EQ(read(found), MPI_SUCCESS);
}

// An open file outlives its name; deleting it on close fails then.
TEST_P(Faults, ADirectoryThatIsGone) {
  const std::string folder = file_.path() + ".folder";
  if (world_rank() == 0) ::mkdir(folder.c_str(), 0700);
  MPI_Barrier(MPI_COMM_WORLD);
  open(folder + "/file", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) std::filesystem::remove_all(folder);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string data = letters();
  EXPECT_EQ(write(data), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  std::string found(kBytes, '?');
  EXPECT_EQ(read(found), MPI_SUCCESS);
  EXPECT_EQ(counted(), kBytes);
  EXPECT_EQ(found, data);
  const int code = MPI_File_close(&handle_);
  EXPECT_TRUE(is_error(code, MPI_ERR_NO_SUCH_FILE, path_));
  EXPECT_EQ(raised.times, 1);
  EXPECT_TRUE(is_error(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                     MPI_INFO_NULL, &handle_),
                       MPI_ERR_NO_SUCH_FILE, path_));
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::ValuesIn(all_fault_cases()),
                         [](const auto& chosen) { return test::name_of(chosen.param); });

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
