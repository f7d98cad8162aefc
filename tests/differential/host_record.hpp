// Where the host's own MPI-IO differs from the reference: counted by kind, with a case to repeat.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "support/mpi_main.hpp"

namespace tutti::test {

class HostRecord {
 public:
  void agreed() { ++agreements_; }
  // A call that the host was not asked for, and why.
  void left_out(const std::string& reason, std::size_t calls) {
    left_out_[reason] += static_cast<long long>(calls);
  }
  void differed(const std::string& kind, std::uint64_t seed, const std::string& text) {
    Difference& known = differences_[kind];
    if (known.cases++ == 0) known.example = "seed " + std::to_string(seed) + ", " + text;
  }

  ~HostRecord() {
    if (world_rank() != 0) return;
    std::printf("host MPI-IO: %lld calls as the reference\n", agreements_);
    for (const auto& [reason, cases] : left_out_)
      std::printf("  not asked, %s: %lld calls\n", reason.c_str(), cases);
    for (const auto& [kind, difference] : differences_)
      std::printf("  DIFFERS %s: %lld cases; first: %s\n", kind.c_str(), difference.cases,
                  difference.example.c_str());
    std::fflush(stdout);
  }

 private:
  struct Difference {
    long long cases = 0;
    std::string example;
  };
  long long agreements_ = 0;
  std::map<std::string, long long> left_out_;
  std::map<std::string, Difference> differences_;
};

}  // namespace tutti::test
