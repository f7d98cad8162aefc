// One collective read or write: every rank of the file's communicator calls it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "exec/open_file.hpp"
#include "exec/progress.hpp"
#include "exec/ranks_talk.hpp"
#include "inspect/inspector.hpp"
#include "request/access.hpp"

namespace tutti {

// Collective. Returns the bytes this rank moved (a read may meet the end of the file). A rank that
// cannot take part (bad arguments) passes its error as `refusal` with an empty access: it stays in
// step. All ranks fail with the same kind of error, or none does. `caller` is the thread's.
Result<std::int64_t> transfer_collective(OpenFile& file, const Access& access,
                                         const std::optional<Error>& refusal,
                                         MpiCaller& caller = program_caller());

// Local. What `refusal` says or, without one, why the storage does not take what this rank has
// written on its own: the owners of this call must find it there.
std::optional<Error> publish_own(OpenFile& file, const std::optional<Error>& refusal);

// The part behind the inspection, for callers that keep an inspection themselves.
// Local. Adds to a card what an executor must know of this rank's memory and of the file's end.
void describe_memory(CallCard& card, OpenFile& file, const Access& access);

// Collective. Runs what `outlook` says and agrees on the outcome; an outlook without inspection
// means that somebody failed before, `failure` says who and why.
Result<std::int64_t> execute_agreed(OpenFile& file, const Access& access, const Outlook& outlook,
                                    std::optional<Error> failure, RanksTalk& talk);

}  // namespace tutti
