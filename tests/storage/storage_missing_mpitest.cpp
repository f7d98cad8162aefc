// Files of a cluster that is not there: every rank gets the same error, in time.
// ranks: 1 2 4
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "storage/storage_file.hpp"

namespace tutti::test {
namespace {

class MissingCluster : public ::testing::Test {
 protected:
  void SetUp() override {
    conf_ = "/tmp/tutti_missing_" + std::to_string(getpid()) + ".conf";
    std::ofstream(conf_) << "[global]\nfsid = 2f1c9f2e-0000-4000-8000-000000000000\n"
                            "mon host = [v2:127.0.0.1:9/0,v1:127.0.0.1:19/0]\n"
                            "auth client required = none\nlog file =\nadmin socket =\n";
    setenv("TUTTI_CEPH_TIMEOUT", "2", 1);
  }
  void TearDown() override { unlink(conf_.c_str()); }

  // Collective. Opening fails everywhere, with one class.
  static void expect_one_error(int mode) {
    const double began = MPI_Wtime();
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(MPI_COMM_WORLD, "ceph:/nowhere", mode, MPI_INFO_NULL, &file);
    EXPECT_LT(MPI_Wtime() - began, 20);
    ASSERT_NE(code, MPI_SUCCESS);
    int mine = 0;
    MPI_Error_class(code, &mine);
    int least = 0;
    int most = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(least, most);
    std::vector<char> text(MPI_MAX_ERROR_STRING + 1);
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    EXPECT_NE(std::string(text.data()).find("/nowhere"), std::string::npos) << text.data();
  }

  std::string conf_;
};

TEST_F(MissingCluster, MonitorsThatDoNotAnswer) {
  setenv("CEPH_CONF", conf_.c_str(), 1);
  expect_one_error(MPI_MODE_RDWR | MPI_MODE_CREATE);
  expect_one_error(MPI_MODE_RDONLY);
}

TEST_F(MissingCluster, NoConfiguration) {
  setenv("CEPH_CONF", (conf_ + ".not").c_str(), 1);
  expect_one_error(MPI_MODE_RDWR | MPI_MODE_CREATE);
  expect_one_error(MPI_MODE_RDONLY);
}

// Of some ranks only.
TEST_F(MissingCluster, ConfigurationsThatDiffer) {
  setenv("CEPH_CONF", (world_rank() % 2 == 0 ? conf_ : conf_ + ".not").c_str(), 1);
  expect_one_error(MPI_MODE_RDONLY);
}

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
