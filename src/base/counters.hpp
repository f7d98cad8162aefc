// What the engine did on one open file: read by MPI_File_get_info, the C++ interface and the
// benchmarks.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti {

// A sum that one thread at a time adds to while any other may look: as cheap as a plain number.
template <class Number>
class Tally {
 public:
  Tally() = default;
  Tally(const Tally& other) : value_(other.get()) {}
  Tally& operator=(const Tally& other) {
    value_.store(other.get(), std::memory_order_relaxed);
    return *this;
  }
  Tally& operator=(Number value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  operator Number() const { return get(); }
  void operator+=(Number more) { value_.store(get() + more, std::memory_order_relaxed); }
  void operator++() { *this += 1; }
  // For threads that add at the same time.
  void add(Number more) { value_.fetch_add(more, std::memory_order_relaxed); }

 private:
  Number get() const { return value_.load(std::memory_order_relaxed); }

  std::atomic<Number> value_ = 0;
};

struct Counters {
  Tally<std::int64_t> collective_calls;
  Tally<std::int64_t> independent_calls;     // collective calls that went independent
  Tally<std::int64_t> arena_calls;           // whose bytes went through memory that all ranks map
  Tally<std::int64_t> nonblocking_calls;     // of one rank alone
  Tally<std::int64_t> nonblocking_shared;    // collective ones that needed no MPI call
  Tally<std::int64_t> nonblocking_threaded;  // whose MPI calls a helper thread made
  Tally<std::int64_t> nonblocking_polled;    // whose MPI calls the program's threads made
  Tally<std::int64_t> plan_hits;
  Tally<std::int64_t> plan_misses;
  Tally<std::int64_t> plan_evictions;
  Tally<std::int64_t> plan_bytes;  // memory that the newest plan takes
  Tally<std::int64_t> descriptors_sent;
  Tally<std::int64_t> descriptor_bytes;
  Tally<std::int64_t> messages_sent;
  Tally<std::int64_t> bytes_sent;    // by messages
  Tally<std::int64_t> bytes_pulled;  // through shared memory
  Tally<std::int64_t> device_operations;
  Tally<std::int64_t> device_bytes;
  // Seconds of this rank, summed over calls.
  Tally<double> inspect_s;      // planning: everything on a miss, the look-up on a hit
  Tally<double> inspect_cpu_s;  // what this rank computed on misses: not what it slept meanwhile
  Tally<double> agree_s;        // the two small reductions, including waiting for slower ranks
  Tally<double> exchange_s;     // packing, shipping, landing
  Tally<double> access_s;       // in the device
  Tally<double> call_s;
};

// All counters with their names, times in microseconds: `tutti_stat_…` in MPI_File_get_info.
std::vector<std::pair<std::string, std::string>> list_counters(const Counters& counters);

}  // namespace tutti
