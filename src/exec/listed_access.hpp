// How an owner touches storage where its window consists of several pieces, such as the stripes of
// an I/O node: all pieces lie end to end in one staging buffer and travel in lists, ascending.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "exec/round_access.hpp"
#include "exec/window_access.hpp"
#include "transfer/transfer_lists.hpp"

namespace tutti {

// One piece of the window. shares.span begins at byte `at` of the staging buffer.
struct ListedPart {
  Shares shares;
  std::int64_t at = 0;
  bool by_runs = false;   // so little of the span is asked for that only that travels
  bool continues = true;  // on the I/O node of the part before it: may share a list with it
};

class ListedParts {
 public:
  void clear();
  // Local. Adds what all origins have in `interval`; nothing where they have nothing.
  void add(const RunningCall& call, Extent interval, bool continues);

  const std::vector<ListedPart>& list() const { return parts_; }
  bool empty() const { return parts_.empty(); }
  std::int64_t staging_bytes() const { return staging_bytes_; }
  std::int64_t asked_bytes() const { return asked_bytes_; }

 private:
  std::vector<ListedPart> parts_;
  std::int64_t staging_bytes_ = 0;
  std::int64_t asked_bytes_ = 0;
};

// Local. Everything of this rank's windows in a round.
void add_owned(const RunningCall& call, std::int64_t round, ListedParts& parts);

// Local. The requests for the parts, with the staging buffer as their memory.
TransferLists lists_of(const RunningCall& call, const ListedParts& parts, std::byte* staging);

// Local. Makes the buffer ready to be overlaid with the shares: reads what a hole keeps.
Status prepare_parts(RunningCall& call, const ListedParts& parts, std::byte* staging);
// Local. In the call's direction. A read fails where the file has shrunk.
Status access_parts(RunningCall& call, const ListedParts& parts, std::byte* staging);

// Local. The same, started in a slot of the file's background and concluded later.
// Returns the bytes that are to move, which finish_parts() wants to know.
std::int64_t start_parts(RunningCall& call, const ListedParts& parts, std::byte* staging, int slot);
Status finish_parts(RunningCall& call, std::int64_t wanted, int slot);

}  // namespace tutti
