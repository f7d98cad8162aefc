#include "exec/turns.hpp"

#include <chrono>
#include <thread>

#include "exec/mailbag.hpp"

namespace tutti {

namespace {

constexpr int kTurnTag = 5;

}  // namespace

void Turns::await(std::int64_t round) {
  std::byte word{};
  Mailbag bag(call_.file.comm.get(), kTurnTag, call_.counters(), {}, call_.talk.caller());
  for (const std::int32_t rank : turn_.after) bag.receive(rank, &word, 1);
  if (round > 0)
    for (const std::int32_t rank : turn_.after_last_round) bag.receive(rank, &word, 1);
  bag.wait();
  if (!answers()) return;
  Mailbag answer(call_.file.comm.get(), kTurnTag, call_.counters(), {}, call_.talk.caller());
  for (const std::int32_t rank : turn_.after) answer.send(rank, &word, 1);
  answer.wait();
}

void Turns::pass(std::int64_t round, bool issued) {
  const bool more = round + 1 < call_.plan().rounds && !turn_.before_next_round.empty();
  if (turn_.before.empty() && !more) return;
  if (issued) std::this_thread::sleep_for(std::chrono::microseconds(turn_.delay_us));
  const std::byte word{};
  Mailbag bag(call_.file.comm.get(), kTurnTag, call_.counters(), {}, call_.talk.caller());
  for (const std::int32_t rank : turn_.before) bag.send(rank, &word, 1);
  std::byte answer{};
  if (answers())
    for (const std::int32_t rank : turn_.before) bag.receive(rank, &answer, 1);
  if (more)
    for (const std::int32_t rank : turn_.before_next_round) bag.send(rank, &word, 1);
  bag.wait();
}

}  // namespace tutti
