// Ranks that come to the calls of two files in different orders. What goes on beside the program on
// one file neither holds up the other nor is held up by it. Also where ranks take each other for
// ranks of other nodes, whose messages they wait for asleep.
// ranks: 2 3 4
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "api/file.hpp"
#include "api/handle_table.hpp"
#include "mpi/owned.hpp"
#include "support/engine.hpp"
#include "support/pretended_nodes.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::Engine;
using test::SharedFile;
using test::world_rank;

constexpr int kBytes = 64;

MPI_Offset own_place() { return static_cast<MPI_Offset>(kBytes) * world_rank(); }

// A collective call on a file that ends when every rank has come to it.
struct Meeting {
  const char* name;
  std::function<int(MPI_File&)> call;
};

const std::vector<Meeting>& meetings() {
  static const std::string data(kBytes, 'm');
  static std::string place(kBytes, '-');
  static const std::vector<Meeting> all{
      {"write_at_all",
       [](MPI_File& file) {
         return MPI_File_write_at_all(file, own_place(), data.data(), kBytes, MPI_BYTE,
                                      MPI_STATUS_IGNORE);
       }},
      {"read_at_all",
       [](MPI_File& file) {
         return MPI_File_read_at_all(file, own_place(), place.data(), kBytes, MPI_BYTE,
                                     MPI_STATUS_IGNORE);
       }},
      {"write_ordered",
       [](MPI_File& file) {
         return MPI_File_write_ordered(file, data.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE);
       }},
      {"split",
       [](MPI_File& file) {
         const int begun =
             MPI_File_write_at_all_begin(file, own_place(), data.data(), kBytes, MPI_BYTE);
         const int ended = MPI_File_write_at_all_end(file, data.data(), MPI_STATUS_IGNORE);
         return begun != MPI_SUCCESS ? begun : ended;
       }},
      {"seek_shared", [](MPI_File& file) { return MPI_File_seek_shared(file, 0, MPI_SEEK_SET); }},
      {"set_view",
       [](MPI_File& file) {
         return MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
       }},
      {"set_info", [](MPI_File& file) { return MPI_File_set_info(file, MPI_INFO_NULL); }},
      {"set_size", [](MPI_File& file) { return MPI_File_set_size(file, 4096); }},
      {"preallocate", [](MPI_File& file) { return MPI_File_preallocate(file, 4096); }},
      {"set_atomicity", [](MPI_File& file) { return MPI_File_set_atomicity(file, 0); }},
      {"sync", [](MPI_File& file) { return MPI_File_sync(file); }},
      {"close", [](MPI_File& file) { return MPI_File_close(&file); }},
  };
  return all;
}

struct Case {
  Engine engine;
  bool distant;  // every rank on a node of its own
  const Meeting* meeting;
};

class CrossedFiles : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    for (int i = 0; i < 2; ++i) files_[i] = open(i);
  }
  void TearDown() override {
    for (MPI_File& file : files_)
      if (file != MPI_FILE_NULL) MPI_File_close(&file);
  }
  MPI_File open(int which) const {
    MPI_File file = MPI_FILE_NULL;
    const OwnedInfo info = test::hints_for(GetParam().engine);
    EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, names_[which].c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                            info.get(), &file),
              MPI_SUCCESS);
    if (GetParam().distant) test::pretend_nodes(*open_files().find(file)->engine, 1);
    return file;
  }
  void start_on_first() {
    TUTTI_OK(
        MPI_File_iwrite_at_all(files_[0], own_place(), data_.data(), kBytes, MPI_BYTE, &request_));
  }
  void wait_for_first() { TUTTI_OK(MPI_Wait(&request_, MPI_STATUS_IGNORE)); }
  void meet_on_second() { TUTTI_OK(GetParam().meeting->call(files_[1])); }

  const SharedFile names_[2] = {SharedFile{"crossed_a"}, SharedFile{"crossed_b"}};
  const std::string data_ = std::string(kBytes, 'n');
  MPI_File files_[2] = {MPI_FILE_NULL, MPI_FILE_NULL};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// Half of the ranks start on the first file only after the second one's call has returned.
TEST_P(CrossedFiles, ACallDoesNotWaitForWhatOthersHaveNotStarted) {
  if (world_rank() % 2 == 0) start_on_first();
  meet_on_second();
  if (world_rank() % 2 == 1) start_on_first();
  wait_for_first();
}

// Half of the ranks come to the second file only when the first one's access is complete.
TEST_P(CrossedFiles, ACallLetsWhatOthersWaitForGoOn) {
  start_on_first();
  if (world_rank() % 2 == 1) wait_for_first();
  meet_on_second();
  wait_for_first();
}

// The same for ranks that are opening the second file.
TEST_P(CrossedFiles, OpeningLetsWhatOthersWaitForGoOn) {
  TUTTI_OK(MPI_File_close(&files_[1]));
  start_on_first();
  if (world_rank() % 2 == 1) wait_for_first();
  files_[1] = open(1);
  meet_on_second();
  wait_for_first();
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Meeting& meeting : meetings()) {
    for (const Engine engine : {Engine::shared, Engine::threaded, Engine::polled})
      cases.push_back({engine, false, &meeting});
    for (const Engine engine : {Engine::threaded, Engine::polled})
      cases.push_back({engine, true, &meeting});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Each, CrossedFiles, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<Case>& chosen) {
                           return std::string(test::name_of(chosen.param.engine)) +
                                  (chosen.param.distant ? "_distant_" : "_") +
                                  chosen.param.meeting->name;
                         });

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
