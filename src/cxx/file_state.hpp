// An open file behind the public handle; plans keep it alive, closing empties it.
#pragma once

#include <cstdint>
#include <memory>

#include "exec/open_file.hpp"
#include "tutti/file.hpp"

namespace tutti::io::detail {

struct FileState {
  std::unique_ptr<OpenFile> engine;  // null once closed
  std::int64_t plans_made = 0;       // the same on all ranks
  tutti::Counters last_counters;     // of the closed file
};

}  // namespace tutti::io::detail

namespace tutti::io {

inline tutti::Error closed_error() {
  return {tutti::ErrorKind::invalid_handle, "the file is closed"};
}

// The engine's file, null if it is closed or was moved from.
inline OpenFile* engine_of(const std::shared_ptr<detail::FileState>& state) {
  return state ? state->engine.get() : nullptr;
}

}  // namespace tutti::io
