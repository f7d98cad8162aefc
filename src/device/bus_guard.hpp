// Touching a mapped page that has lost its file raises SIGBUS. This guard turns it into a result.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace tutti {

// Local. Runs `touch`; false when it met a page of `range` that is gone. It is then left where it
// stood, without destructors being run. Faults elsewhere go to whoever handled them before.
bool run_guarded(std::span<std::byte> range, const std::function<void()>& touch);

}  // namespace tutti
