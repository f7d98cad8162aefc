// What the engine did on one open file: read by MPI_File_get_info, the C++ interface and the
// benchmarks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti {

struct Counters {
  std::int64_t collective_calls = 0;
  std::int64_t independent_calls = 0;     // collective calls that went independent
  std::int64_t nonblocking_calls = 0;     // of one rank alone
  std::int64_t nonblocking_shared = 0;    // collective ones that needed no MPI call
  std::int64_t nonblocking_threaded = 0;  // whose MPI calls a helper thread made
  std::int64_t nonblocking_polled = 0;    // whose MPI calls the program's threads made
  std::int64_t plan_hits = 0;
  std::int64_t plan_misses = 0;
  std::int64_t plan_evictions = 0;
  std::int64_t descriptors_sent = 0;
  std::int64_t descriptor_bytes = 0;
  std::int64_t messages_sent = 0;
  std::int64_t bytes_sent = 0;    // by messages
  std::int64_t bytes_pulled = 0;  // through shared memory
  std::int64_t device_operations = 0;
  std::int64_t device_bytes = 0;
  // Seconds of this rank, summed over calls.
  double inspect_s = 0;   // planning: everything on a miss, the look-up on a hit
  double agree_s = 0;     // the two small reductions, including waiting for slower ranks
  double exchange_s = 0;  // packing, shipping, landing
  double access_s = 0;    // in the device
  double call_s = 0;
};

// All counters with their names, times in microseconds: `tutti_stat_…` in MPI_File_get_info.
std::vector<std::pair<std::string, std::string>> list_counters(const Counters& counters);

}  // namespace tutti
