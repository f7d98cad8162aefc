// ranks: 1 2
#include "mpi/real_mpi.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "support/mpi_main.hpp"

// This program owns two names of the host, as Tutti does.
extern "C" {
double PMPI_Wtick() { return -1.0; }
double MPI_Wtick() { return -2.0; }
}

namespace tutti {
namespace {

TEST(RealMpi, FindsTheHostBehindNamesOfOurOwn) {
  EXPECT_EQ(MPI_Wtick(), -2.0);
  const auto tick = host_function<&PMPI_Wtick>("PMPI_Wtick");
  ASSERT_NE(tick, nullptr);
  EXPECT_GT(tick(), 0.0);
  const auto profiled = host_function<&MPI_Wtick>("MPI_Wtick");
  ASSERT_NE(profiled, nullptr);
  EXPECT_GT(profiled(), 0.0);
}

TEST(RealMpi, WhatItFindsLiesInTheHostLibrary) {
  Dl_info where{};
  ASSERT_NE(dladdr(host_symbol("PMPI_File_open"), &where), 0);
  EXPECT_NE(std::string(where.dli_fname).find("libmpi"), std::string::npos) << where.dli_fname;
}

TEST(RealMpi, UnknownNamesGiveNothing) {
  EXPECT_EQ(host_symbol("PMPI_No_such_function"), nullptr);
  EXPECT_EQ(host_symbol("strlen"), nullptr) << "a symbol of a dependency is not the host's";
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
