#include "plan/plan_text.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace tutti {

namespace {

std::string counted(std::int64_t count, const std::string& thing) {
  return std::to_string(count) + ' ' + thing + (count == 1 ? "" : "s");
}

const char* access_name(AccessMethod method) {
  switch (method) {
    case AccessMethod::automatic:
      return "as fits";
    case AccessMethod::naive:
      return "piece by piece";
    case AccessMethod::list:
      return "in lists";
    case AccessMethod::sieve:
      return "sieved";
    case AccessMethod::mapped:
      return "mapped";
  }
  return "";
}

std::string origins_text(std::span<const Piece> pieces, std::int32_t rank) {
  if (pieces.size() == 1 && pieces[0].origin == rank) return "own bytes";
  std::string text = pieces.size() == 1 ? "bytes of rank" : "bytes of ranks";
  for (const Piece& piece : pieces) text += ' ' + std::to_string(piece.origin);
  return text;
}

void append_turn(std::string& text, const Turn& turn) {
  const auto line = [&](const std::string& what, const std::vector<std::int32_t>& ranks) {
    if (ranks.empty()) return;
    text += "  " + what + (ranks.size() == 1 ? " rank" : " ranks");
    for (const std::int32_t rank : ranks) text += ' ' + std::to_string(rank);
    text += '\n';
  };
  line("begins after", turn.after);
  line("lets go", turn.before);
  line("begins a round after the last of", turn.after_last_round);
  line("ends a round before the next of", turn.before_next_round);
}

// One line for all origins that go the same way.
void append_pieces(std::string& text, std::span<const Piece> pieces, std::int32_t rank,
                   const std::string& way) {
  while (!pieces.empty()) {
    const auto alike = [&](const Piece& piece) {
      return piece.peer == pieces[0].peer && piece.window == pieces[0].window;
    };
    const auto end = std::find_if_not(pieces.begin(), pieces.end(), alike);
    const auto count = static_cast<std::size_t>(end - pieces.begin());
    text += "    " + way + " rank " + std::to_string(pieces[0].peer) + ": " +
            origins_text(pieces.first(count), rank) + " in " + window_text(pieces[0].window) + '\n';
    pieces = pieces.subspan(count);
  }
}

}  // namespace

std::string window_text(const MovingWindow& window) {
  const std::int64_t last = window.end - 1;
  if (window.bytes <= 0 || window.start > last) return "nothing";
  const std::int64_t end = std::min(window.start + window.bytes - 1, last);
  std::string text = std::to_string(window.start) + ".." + std::to_string(end);
  if (window.step > 0 && window.start + window.step <= last)
    text += " and on by " + std::to_string(window.step) + " up to " + std::to_string(last);
  const Stripes& stripes = window.stripes;
  if (stripes.unit == 0) return text;
  text += ", of it " + std::to_string(stripes.unit);
  if (stripes.stride > 0) text += " every " + std::to_string(stripes.stride);
  return text + " from " + std::to_string(stripes.offset);
}

std::string plan_text(const Plan& plan) {
  const bool reading = plan.direction == Direction::read;
  std::string text = plan.strategy + (reading ? " read" : " write") + ", rank " +
                     std::to_string(plan.rank) + " of " + std::to_string(plan.ranks) + ": ";
  if (plan.independent) {
    text += std::string("independent, own bytes ") + access_name(plan.access) + '\n';
    append_turn(text, plan.turn);
    return text;
  }
  text += counted(plan.rounds, "round") + ", " + counted(std::ssize(plan.phases), "phase") +
          ", staging " + counted(plan.staging_bytes, "byte") + '\n';
  text += "  owns " + (plan.owned.empty() ? std::string("nothing") : window_text(plan.owned[0]));
  for (std::size_t i = 1; i < plan.owned.size(); ++i)
    text += "\n  and  " + window_text(plan.owned[i]);
  if (plan.access != AccessMethod::automatic) text += std::string(", ") + access_name(plan.access);
  text += plan.prefetch ? ", reads ahead\n" : "\n";
  append_turn(text, plan.turn);
  const auto count = std::ssize(plan.phases);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    // A read goes through the phases backwards, and the bytes flow the other way.
    const std::ptrdiff_t phase = reading ? count - 1 - i : i;
    const Phase& exchange = plan.phases[static_cast<std::size_t>(phase)];
    text += "  phase " + std::to_string(phase) + '\n';
    append_pieces(text, reading ? exchange.lands : exchange.ships, plan.rank, "ships to");
    append_pieces(text, reading ? exchange.ships : exchange.lands, plan.rank, "lands from");
  }
  return text;
}

}  // namespace tutti
