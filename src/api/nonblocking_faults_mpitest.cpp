// ranks: 1 3
// What goes wrong while an access goes on beside the program: the error comes at the right call, on
// the file's handler, on every rank of a collective access; nothing crashes and nothing hangs.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "mpi/owned.hpp"
#include "support/engine.hpp"
#include "support/interrupted_transfers.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::class_of;
using test::Engine;
using test::is_error;
using test::SharedFile;
using test::text_of;
using test::world_rank;
using test::world_size;

struct Raised {
  int times = 0;
  int code = MPI_SUCCESS;
  MPI_File file = MPI_FILE_NULL;
};
Raised raised;  // NOLINT: MPI calls handlers without a context

void note_error(MPI_File* file, int* code, ...) {  // NOLINT: MPI's own prototype
  ++raised.times;
  raised.code = *code;
  raised.file = *file;
}

enum class Flavour { alone, together, split };
enum class Way { contiguous, strided };  // in large blocks, or in pieces that alternate by rank

struct Case {
  Engine engine;
  Flavour flavour;
  Way way;
};

std::string name_of(const Case& c) {
  constexpr const char* kFlavours[] = {"alone", "together", "split"};
  return std::string(test::name_of(c.engine)) + "_" + kFlavours[static_cast<int>(c.flavour)] +
         (c.way == Way::strided ? "_strided" : "_contiguous");
}

constexpr int kBytes = 200'000;  // of each rank, more than the smallest file system here
constexpr int kPiece = 8;

class Faults : public testing::TestWithParam<Case> {
 protected:
  void TearDown() override {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
  }

  void open(const std::string& path, int mode) {
    raised = {};
    path_ = path;
    const OwnedInfo info = test::hints_for(GetParam().engine);
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

std::string letters() {
  std::string data(kBytes, ' ');
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<char>('a' + (i * 7 + static_cast<std::size_t>(world_rank())) % 26);
  return data;
}

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

// Somebody else cuts the file short again and again, also under a mapping.
TEST_P(Faults, AFileThatOthersCutShort) {
  open(file_.path(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  const std::string data = letters();
  std::atomic<bool> ending = false;
  std::thread cutter([&] {
    if (world_rank() != 0) return;
    for (int i = 0; !ending; ++i) (void)!::truncate(path_.c_str(), i % 2 == 0 ? 1000 : 2 * kBytes);
  });
  std::string found(kBytes, '?');
  for (int i = 0; i < 40; ++i) {
    raised = {};
    const int wrote = write(data);
    EXPECT_TRUE(wrote == MPI_SUCCESS || class_of(wrote) == MPI_ERR_IO) << text_of(wrote);
    EXPECT_EQ(raised.times, wrote == MPI_SUCCESS ? 0 : 1);
    raised = {};
    const int got = read(found);
    EXPECT_TRUE(got == MPI_SUCCESS || class_of(got) == MPI_ERR_IO) << text_of(got);
    EXPECT_LE(counted(), kBytes);
  }
  ending = true;
  cutter.join();
  MPI_Barrier(MPI_COMM_WORLD);
  raised = {};
  EXPECT_EQ(write(data), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(read(found), MPI_SUCCESS);
  EXPECT_EQ(found, data);
}

// Every other transfer of the helper threads is interrupted, and the rest move a part only.
TEST_P(Faults, TransfersThatAreInterrupted) {
  open(file_.path(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  OwnedInfo info;
  MPI_Info_create(info.fill());
  MPI_Info_set(info.get(), "tutti_access", "list");  // nothing through a mapping
  TUTTI_OK(MPI_File_set_info(handle_, info.get()));
  const std::string data = letters();
  std::string found(kBytes, '?');
  test::interruptions = 0;
  test::interrupting = true;
  EXPECT_EQ(write(data), MPI_SUCCESS);
  EXPECT_EQ(counted(), kBytes);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(read(found), MPI_SUCCESS);
  EXPECT_EQ(counted(), kBytes);
  test::interrupting = false;
  EXPECT_EQ(found, data);
  int most = 0;
  const int mine = test::interruptions;
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_GT(most, 0);
}

// A timer every millisecond, whose handler does not restart system calls.
std::atomic<int> ticks = 0;  // NOLINT: signal handlers have no context
void tick(int) { ++ticks; }

TEST_P(Faults, SystemCallsThatAreInterrupted) {
  open(file_.path(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  ticks = 0;
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = tick;
  sigaction(SIGALRM, &action, &before);
  const itimerval often{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  const std::string data = letters();
  std::string found(kBytes, '?');
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(write(data), MPI_SUCCESS);
    EXPECT_EQ(counted(), kBytes);
    MPI_Barrier(MPI_COMM_WORLD);
    found.assign(kBytes, '?');
    EXPECT_EQ(read(found), MPI_SUCCESS);
    EXPECT_EQ(found, data);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  while (ticks < 3) std::this_thread::yield();
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Engine engine : {Engine::shared, Engine::threaded, Engine::polled})
    for (const Flavour flavour : {Flavour::alone, Flavour::together, Flavour::split})
      for (const Way way : {Way::contiguous, Way::strided})
        if (flavour != Flavour::alone || engine == Engine::shared)  // one rank needs no engine
          cases.push_back({engine, flavour, way});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::ValuesIn(all_cases()),
                         [](const auto& chosen) { return name_of(chosen.param); });

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
