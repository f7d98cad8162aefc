#include "exec/staged_memory.hpp"

#include "pattern/copy.hpp"

namespace tutti {

std::optional<Error> StagedMemory::open_round(std::int64_t round) {
  const auto half = static_cast<std::size_t>(round % 2);
  const int me = call_.file.rank;
  auto& layout = layout_[half];
  layout.clear();
  leases_[half].clear();
  std::int64_t total = 0;
  std::vector<int> owners;
  const auto add = [&](int owner, const MovingWindow& window) {
    for_each_owned(window, round, [&](Extent interval) {
      const PackedRange range = call_.range_of(me, interval);
      layout.push_back({range, total});
      owners.push_back(owner);
      total += range.bytes();
    });
  };
  for (const Phase& phase : call_.plan().phases)
    for (const Piece& piece : phase.ships) add(piece.peer, piece.window);
  for (const MovingWindow& window : call_.plan().owned) add(me, window);
  if (total == 0) return std::nullopt;

  leases_[half].push_back(call_.state.staging[half].borrow(total));
  std::byte* memory = leases_[half][0].data();
  if (memory == nullptr) return Error{ErrorKind::no_memory, "no memory for staging"};
  for (std::size_t i = 0; i < layout.size(); ++i) {
    std::byte* slot = memory + layout[i].at;
    // What an owner gets lies together, in the order of its windows: it is told the beginning.
    if (i == 0 || owners[i] != owners[i - 1])
      call_.state.table->slot(round, owners[i]) = reinterpret_cast<std::uint64_t>(slot);
    if (!call_.reading())
      pack(call_.access.memory.pattern, call_.access.memory.base, layout[i].range.begin,
           layout[i].range.end, slot);
  }
  return std::nullopt;
}

void StagedMemory::close_round(std::int64_t round) {
  const auto half = static_cast<std::size_t>(round % 2);
  if (leases_[half].empty() || !call_.reading()) return;
  for (const Slot& slot : layout_[half])
    unpack(call_.access.memory.pattern, call_.access.memory.base, slot.range.begin, slot.range.end,
           leases_[half][0].data() + slot.at);
}

}  // namespace tutti
