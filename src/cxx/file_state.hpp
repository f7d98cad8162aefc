// An open file behind the public handle; plans keep it alive, closing empties it.
#pragma once

#include <cstdint>
#include <memory>

#include "exec/nonblocking.hpp"
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

// The same when every run that was started has ended: before ranks meet in any other way.
inline OpenFile* idle_engine_of(const std::shared_ptr<detail::FileState>& state) {
  OpenFile* const file = engine_of(state);
  if (file != nullptr) file->nonblocking->finish_together();
  return file;
}

}  // namespace tutti::io
