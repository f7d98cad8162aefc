// Seeds of randomised tests: fixed unless TUTTI_TEST_SEED is set, and always printed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace tutti::test {

// The seed called `name`, for test code that draws from std::mt19937_64.
inline std::uint64_t test_seed(const char* name, std::uint64_t fallback, bool print = true) {
  const char* const chosen = std::getenv("TUTTI_TEST_SEED");
  const std::uint64_t seed = chosen != nullptr ? std::stoull(chosen) : fallback;
  if (print)
    std::printf("%s: seed %llu (TUTTI_TEST_SEED replaces it)\n", name,
                static_cast<unsigned long long>(seed));
  return seed;
}

}  // namespace tutti::test
