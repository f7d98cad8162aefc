// ranks: 1 2 3
// Hints: what is accepted, what acts, what is reported, hint files.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "mpi/owned.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::SharedFile;
using Pairs = std::map<std::string, std::string>;

OwnedInfo info_with(const Pairs& pairs) {
  OwnedInfo info;
  MPI_Info_create(info.fill());
  for (const auto& [key, value] : pairs) MPI_Info_set(info.get(), key.c_str(), value.c_str());
  return info;
}

// Opens with the hints, returns what MPI_File_get_info says, closes.
Pairs open_and_ask(const std::string& name, const Pairs& hints) {
  const OwnedInfo info = hints.empty() ? OwnedInfo() : info_with(hints);
  MPI_File file = MPI_FILE_NULL;
  EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info.get(),
                          &file),
            MPI_SUCCESS);
  OwnedInfo used;
  EXPECT_EQ(MPI_File_get_info(file, used.fill()), MPI_SUCCESS);
  Pairs found;
  int keys = 0;
  MPI_Info_get_nkeys(used.get(), &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    char value[MPI_MAX_INFO_VAL + 1] = {};
    int there = 0;
    MPI_Info_get_nthkey(used.get(), i, key);
    MPI_Info_get(used.get(), key, MPI_MAX_INFO_VAL, value, &there);
    found[key] = value;
  }
  MPI_File_close(&file);
  return found;
}

TEST(FileInfo, EveryHintOfTheStandardAndOfRomioIsAcceptedAndReadable) {
  const SharedFile file("info");
  const Pairs hints{{"access_style", "write_once,sequential"},
                    {"collective_buffering", "true"},
                    {"cb_block_size", "65536"},
                    {"cb_buffer_size", "1048576"},
                    {"cb_nodes", "1"},
                    {"chunked", "100,100"},
                    {"chunked_item", "8"},
                    {"chunked_size", "10,10"},
                    {"file_perm", "600"},
                    {"io_node_list", "one,two"},
                    {"nb_proc", "64"},
                    {"num_io_nodes", "8"},
                    {"striping_factor", "2"},
                    {"striping_unit", "65536"},
                    {"romio_cb_alltoall", "automatic"},
                    {"romio_cb_ds_threshold", "0"},
                    {"romio_cb_fr_alignment", "1"},
                    {"romio_cb_fr_types", "aar"},
                    {"romio_cb_pfr", "disable"},
                    {"romio_ds_read", "disable"},
                    {"romio_ds_write", "disable"},
                    {"ind_rd_buffer_size", "8192"},
                    {"ind_wr_buffer_size", "8192"}};
  Pairs found = open_and_ask(file.path(), hints);
  for (const auto& [key, value] : hints) EXPECT_EQ(found[key], value) << key;
  EXPECT_EQ(found["filename"], file.path());
  EXPECT_EQ(found["romio_cb_read"], "enable") << "the standard's name stands for both";
  EXPECT_EQ(found["romio_cb_write"], "enable");
}

TEST(FileInfo, DefaultsAreReported) {
  const SharedFile file("info");
  Pairs found = open_and_ask(file.path(), {});
  EXPECT_EQ(found["cb_nodes"], std::to_string(test::world_size()));
  EXPECT_EQ(found["ind_rd_buffer_size"], "4194304");
  EXPECT_EQ(found["ind_wr_buffer_size"], "4194304");
  EXPECT_EQ(found["romio_cb_write"], "automatic");
  EXPECT_EQ(found["romio_ds_read"], "automatic");
  EXPECT_EQ(found.count("file_perm"), 0U) << "what nobody said is not reported";
  EXPECT_EQ(found.count("no_such_hint"), 0U);
}

TEST(FileInfo, PermissionsOfNewFiles) {
  const mode_t mask = ::umask(0);
  for (const char* const wish : {"0640", "600", ""}) {
    const SharedFile file("perm");
    open_and_ask(file.path(), *wish == '\0' ? Pairs{} : Pairs{{"file_perm", wish}});
    struct stat facts {};
    ASSERT_EQ(::stat(file.c_str(), &facts), 0);
    const int expected = *wish == '\0' ? 0666 : std::stoi(wish, nullptr, 8);
    EXPECT_EQ(static_cast<int>(facts.st_mode & 0777), expected) << "file_perm=" << wish;
  }
  ::umask(mask);
}

TEST(FileInfo, StripesAreReportedAsTheyAre) {
  const SharedFile file("striped");
  Pairs found =
      open_and_ask("striped:" + file.path(),
                   {{"striping_unit", "4096"}, {"striping_factor", "3"}, {"start_iodevice", "2"}});
  EXPECT_EQ(found["striping_unit"], "4096");
  EXPECT_EQ(found["striping_factor"], "3");
  EXPECT_EQ(found["start_iodevice"], "2");
  // The file has its stripes; a later wish does not change them.
  found =
      open_and_ask("striped:" + file.path(), {{"striping_unit", "8192"}, {"striping_factor", "5"}});
  EXPECT_EQ(found["striping_unit"], "4096");
  EXPECT_EQ(found["striping_factor"], "3");
  EXPECT_EQ(found["start_iodevice"], "2");
  EXPECT_EQ(found["num_io_nodes"], "3");
  MPI_Barrier(MPI_COMM_WORLD);
  if (test::world_rank() == 0) {
    EXPECT_EQ(MPI_File_delete(("striped:" + file.path()).c_str(), MPI_INFO_NULL), MPI_SUCCESS);
  }
}

TEST(FileInfo, PrefixesOfFileSystemsAreAccepted) {
  for (const char* const prefix :
       {"ufs:", "nfs:", "xfs:", "gpfs:", "lustre:", "panfs:", "testfs:"}) {
    const SharedFile file("prefix");
    Pairs found = open_and_ask(prefix + file.path(), {});
    EXPECT_EQ(found["filename"], prefix + file.path());
    EXPECT_TRUE(std::filesystem::exists(file.path())) << prefix;
  }
}

class HintFile : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* const name : {"TUTTI_HINTS", "ROMIO_HINTS", "TUTTI_CB_BUFFER_SIZE"})
      ::unsetenv(name);
  }
  const SharedFile hints_{"hints"};
  const SharedFile file_{"data"};
};

TEST_F(HintFile, SetsHintsBelowTheEnvironmentAndTheProgram) {
  hints_.fill("cb_nodes 1\ncb_buffer_size 4096\nind_rd_buffer_size 8192\n# nothing\n");
  ::setenv("TUTTI_HINTS", hints_.c_str(), 1);
  ::setenv("TUTTI_CB_BUFFER_SIZE", "16384", 1);
  Pairs found = open_and_ask(file_.path(), {{"ind_rd_buffer_size", "12345"}});
  EXPECT_EQ(found["cb_nodes"], "1");
  EXPECT_EQ(found["cb_buffer_size"], "16384");
  EXPECT_EQ(found["ind_rd_buffer_size"], "12345");
}

TEST_F(HintFile, RomiosNameIsReadWhereOursIsNotSet) {
  hints_.fill("romio_ds_write disable\n");
  ::setenv("ROMIO_HINTS", hints_.c_str(), 1);
  EXPECT_EQ(open_and_ask(file_.path(), {})["romio_ds_write"], "disable");
  ::setenv("TUTTI_HINTS", "/dev/null", 1);
  EXPECT_EQ(open_and_ask(file_.path(), {})["romio_ds_write"], "automatic");
}

TEST_F(HintFile, OnlyTheFirstRankNeedsIt) {
  hints_.fill("cb_nodes 1\n");
  if (test::world_rank() == 0) ::setenv("TUTTI_HINTS", hints_.c_str(), 1);
  EXPECT_EQ(open_and_ask(file_.path(), {})["cb_nodes"], "1");
}

TEST_F(HintFile, LinesThatCannotBeUsedAreReportedOnce) {
  hints_.fill("cb_nodes few\nno_such_hint 1\nromio_cb_read enable\n");
  ::setenv("TUTTI_HINTS", hints_.c_str(), 1);
  testing::internal::CaptureStderr();
  Pairs found = open_and_ask(file_.path(), {});
  ::setenv("TUTTI_HINTS", "/no/such/file", 1);
  open_and_ask(file_.path(), {});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(found["romio_cb_read"], "enable");
  const auto times = [&](const std::string& words) {
    int count = 0;
    for (std::size_t at = said.find(words); at != std::string::npos; at = said.find(words, at + 1))
      ++count;
    return count;
  };
  const int expected = test::world_rank() == 0 ? 1 : 0;
  EXPECT_EQ(times("line 1: hint cb_nodes"), expected) << said;
  EXPECT_EQ(times("line 2: hint no_such_hint"), expected) << said;
  EXPECT_EQ(times("TUTTI_HINTS: /no/such/file cannot be read"), expected) << said;
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
