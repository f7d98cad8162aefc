// Threads of ours inside somebody else's program: they take none of its signals, and run wherever
// its launcher may.
#pragma once

#include <functional>
#include <optional>
#include <thread>

namespace tutti {

// Local. Empty where the system has no thread to give. The thread takes no signals but faults of
// its own making. A launcher that binds each process to one core leaves no room beside the program,
// so the thread may use every processor that the launcher itself may use.
std::optional<std::thread> start_helper_thread(std::function<void()> body);

}  // namespace tutti
