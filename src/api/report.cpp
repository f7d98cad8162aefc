#include "api/report.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tutti {

void report_file(const File& file) {
  const char* const asked = std::getenv("TUTTI_REPORT");
  if (asked == nullptr || std::string_view(asked) == "0" || file.engine->rank != 0) return;
  const Counters& counters = file.engine->counters;
  std::fprintf(
      stderr, "tutti: %s: rank 0 of %d made %lld collective and %lld independent accesses\n",
      file.name.c_str(), file.engine->ranks, static_cast<long long>(counters.collective_calls),
      static_cast<long long>(file.independent_accesses.load(std::memory_order_relaxed)));
}

}  // namespace tutti
