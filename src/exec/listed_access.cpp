#include "exec/listed_access.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/wall_clock.hpp"
#include "pattern/blocks.hpp"

namespace tutti {

namespace {

// What the shares of a part hold, joined where pieces touch or overlap; ascending.
std::vector<Extent> runs_of(const Shares& shares) {
  std::vector<Extent> runs;
  for (const Share& share : shares.list)
    for_each_run(*share.pattern, share.begin, share.end, [&](Extent run) {
      runs.push_back(run);
      return true;
    });
  std::sort(runs.begin(), runs.end(),
            [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].offset <= runs[last].end())
      runs[last].bytes = std::max(runs[last].end(), runs[i].end()) - runs[last].offset;
    else
      runs[++last] = runs[i];
  }
  runs.resize(std::min(runs.size(), last + 1));
  return runs;
}

Status shrunk(const RunningCall& call) {
  return fail(ErrorKind::io, call.file.name + ": the file became shorter while it was read");
}

}  // namespace

void ListedParts::clear() {
  parts_.clear();
  staging_bytes_ = 0;
  asked_bytes_ = 0;
}

void ListedParts::add(const RunningCall& call, Extent interval, bool continues) {
  Shares shares = shares_in(call, interval);
  if (shares.list.empty()) return;
  const bool by_runs = std::exchange(shares.sparse, false);
  const std::int64_t bytes = shares.span.bytes;
  asked_bytes_ += shares.bytes;
  parts_.push_back({std::move(shares), staging_bytes_, by_runs, continues});
  staging_bytes_ += bytes;
}

void add_owned(const RunningCall& call, std::int64_t round, ListedParts& parts) {
  for (const MovingWindow& window : call.plan().owned) {
    bool first = true;
    for_each_owned(window, round, [&](Extent interval) {
      parts.add(call, interval, !std::exchange(first, false));
    });
  }
}

TransferLists lists_of(const RunningCall& call, const ListedParts& parts, std::byte* staging) {
  const TransferKind kind = call.reading() ? TransferKind::read : TransferKind::write;
  TransferLists lists(most_list_segments(call.file.hints));
  for (const ListedPart& part : parts.list()) {
    const Extent span = part.shares.span;
    bool apart = !part.continues;
    const auto add = [&](Extent run) {
      lists.add({kind, run.offset + call.outlook.shift,
                 staging + part.at + run.offset - span.offset, run.bytes, 0},
                std::exchange(apart, false));
    };
    if (!part.by_runs)
      add(span);
    else
      for (const Extent run : runs_of(part.shares)) add(run);
  }
  return lists;
}

Status prepare_parts(RunningCall& call, const ListedParts& parts, std::byte* staging) {
  TransferLists lists(most_list_segments(call.file.hints));
  for (const ListedPart& part : parts.list())
    if (!part.shares.full && !part.by_runs)
      lists.add({TransferKind::read, part.shares.span.offset + call.outlook.shift,
                 staging + part.at, part.shares.span.bytes, 0},
                !part.continues);
  call.counters().device_operations += lists.lists();
  if (Status done = lists.run(call.file.device); !done) return done;
  // Beyond the end of the file a hole reads as zeros.
  for (const Transfer& kept : lists.all())
    std::memset(kept.memory + kept.done, 0, static_cast<std::size_t>(kept.bytes - kept.done));
  return {};
}

Status access_parts(RunningCall& call, const ListedParts& parts, std::byte* staging) {
  const double began = wall_seconds();
  TransferLists lists = lists_of(call, parts, staging);
  call.counters().device_operations += lists.lists();
  Status done = lists.run(call.file.device);
  call.counters().access_s += wall_seconds() - began;
  call.counters().device_bytes += lists.done();
  return done && call.reading() && lists.done() < lists.bytes() ? shrunk(call) : done;
}

std::int64_t start_parts(RunningCall& call, const ListedParts& parts, std::byte* staging,
                         int slot) {
  TransferLists lists = lists_of(call, parts, staging);
  const std::int64_t wanted = lists.bytes();
  call.counters().device_operations += lists.lists();
  call.state.background(call.file.device).start(slot, std::move(lists));
  return wanted;
}

Status finish_parts(RunningCall& call, std::int64_t wanted, int slot) {
  const double began = wall_seconds();
  const auto moved = call.state.background(call.file.device).finish(slot);
  call.counters().access_s += wall_seconds() - began;
  if (!moved) return tl::make_unexpected(moved.error());
  call.counters().device_bytes += *moved;
  return *moved < wanted ? shrunk(call) : Status();
}

}  // namespace tutti
