// A rank's own pieces of the file, read straight out of memory that holds the file's bytes: a slot
// of the arena, or the file's pages.
#pragma once

#include <cstddef>
#include <optional>

#include "exec/round_access.hpp"

namespace tutti {

// Local. Whether what this rank reads goes past its caches: it is a MiB and more.
bool streams_own(const RunningCall& call);

// Local. This rank's packed bytes `range`, found at `packed`, to where the program wants them.
void deliver_own(const RunningCall& call, PackedRange range, const std::byte* packed);

// Local. This rank's packed bytes `range` to where the program wants them. Stream offsets count
// from `base`. `room` holds range.bytes() where memory is not contiguous; nothing is allocated.
void pick_own(const RunningCall& call, PackedRange range, const std::byte* base, std::byte* room);

// Whether the ranks keep the file's pages in view and read most of them, in pieces of a cache line
// and more: then everybody reads its own there, and nobody waits for anybody. The same on all
// ranks.
bool reads_own_pages(const RunningCall& call);
// Local.
std::optional<Error> read_own_pages(RunningCall& call);

}  // namespace tutti
