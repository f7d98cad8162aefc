// What the engine did for one rank, in calls, bytes and seconds.
#pragma once

#include <cstdint>

namespace tutti::io {

struct Counters {
  std::int64_t collective_calls = 0;
  std::int64_t independent_calls = 0;  // collective calls that needed no exchange
  std::int64_t plan_hits = 0;          // calls that were served by an earlier inspection
  std::int64_t plan_misses = 0;        // inspections
  std::int64_t descriptors_sent = 0;   // descriptions of access patterns sent to other ranks
  std::int64_t descriptor_bytes = 0;
  std::int64_t messages_sent = 0;
  std::int64_t bytes_sent = 0;    // by messages
  std::int64_t bytes_pulled = 0;  // from other ranks' memory
  std::int64_t device_operations = 0;
  std::int64_t device_bytes = 0;
  double inspect_s = 0;
  double agree_s = 0;  // waiting for slower ranks included
  double exchange_s = 0;
  double access_s = 0;  // in the file system
  double call_s = 0;
};

}  // namespace tutti::io
