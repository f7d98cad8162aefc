#include "base/counters.hpp"

namespace tutti {

std::vector<std::pair<std::string, std::string>> list_counters(const Counters& counters) {
  std::vector<std::pair<std::string, std::string>> listed;
  const auto count = [&](const char* name, std::int64_t value) {
    listed.emplace_back(std::string("tutti_stat_") + name, std::to_string(value));
  };
  const auto time = [&](const char* name, double seconds) {
    listed.emplace_back(std::string("tutti_stat_") + name, std::to_string(seconds * 1e6));
  };
  count("collective_calls", counters.collective_calls);
  count("independent_calls", counters.independent_calls);
  count("arena_calls", counters.arena_calls);
  count("nonblocking_calls", counters.nonblocking_calls);
  count("nonblocking_shared", counters.nonblocking_shared);
  count("nonblocking_threaded", counters.nonblocking_threaded);
  count("nonblocking_polled", counters.nonblocking_polled);
  count("plan_hits", counters.plan_hits);
  count("plan_misses", counters.plan_misses);
  count("plan_evictions", counters.plan_evictions);
  count("plan_bytes", counters.plan_bytes);
  count("descriptors_sent", counters.descriptors_sent);
  count("descriptor_bytes", counters.descriptor_bytes);
  count("messages_sent", counters.messages_sent);
  count("bytes_sent", counters.bytes_sent);
  count("bytes_pulled", counters.bytes_pulled);
  count("device_operations", counters.device_operations);
  count("device_bytes", counters.device_bytes);
  time("inspect_us", counters.inspect_s);
  time("inspect_cpu_us", counters.inspect_cpu_s);
  time("agree_us", counters.agree_s);
  time("exchange_us", counters.exchange_s);
  time("access_us", counters.access_s);
  time("call_us", counters.call_s);
  return listed;
}

}  // namespace tutti
