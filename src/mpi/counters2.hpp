// Two counters that several threads or processes add to.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace tutti {

using Counters2 = std::array<std::atomic<std::int64_t>, 2>;

}  // namespace tutti
