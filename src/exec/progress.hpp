// How a thread of the program waits for operations that go on beside it.
#pragma once

#include <chrono>

#include "exec/bell.hpp"

namespace tutti {

// Local. Lets the host MPI, and operations whose MPI calls the program's threads make, go on a
// step.
void progress();

// Local. Returns when done() holds, which the process's bell announces. Other ranks may need the
// host's progress of this process meanwhile: the sleep is cut into short ones.
template <class Done>
void wait_until(const Done& done) {
  constexpr std::chrono::microseconds kLongest{200};
  std::chrono::microseconds pause{5};
  while (true) {
    const std::uint64_t seen = process_bell().rings();
    if (done()) return;
    progress();
    process_bell().wait(seen, pause);
    if (pause < kLongest) pause *= 2;
  }
}

}  // namespace tutti
