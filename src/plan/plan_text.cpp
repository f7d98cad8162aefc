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
  const Window& first = window.first;
  if (first.bytes() <= 0 || first.start >= window.end) return "nothing";
  const std::int64_t last = window.end - 1;
  std::string text;
  if (first.count == 1) {
    const std::int64_t end = std::min(first.start + first.unit - 1, last);
    text = std::to_string(first.start) + ".." + std::to_string(end);
    if (window.step <= 0 || first.start + window.step > last) return text;
  } else {
    text = std::to_string(first.count) + " x " + std::to_string(first.unit) + " every " +
           std::to_string(first.stride) + " from " + std::to_string(first.start);
  }
  if (window.step > 0) text += " and on by " + std::to_string(window.step);
  return text + " up to " + std::to_string(last);
}

std::string plan_text(const Plan& plan) {
  const bool reading = plan.direction == Direction::read;
  std::string text = plan.strategy + (reading ? " read" : " write") + ", rank " +
                     std::to_string(plan.rank) + " of " + std::to_string(plan.ranks) + ": ";
  if (plan.independent) return text + "independent, own bytes " + access_name(plan.access) + '\n';
  text += counted(plan.rounds, "round") + ", " + counted(std::ssize(plan.phases), "phase") +
          ", staging " + counted(plan.staging_bytes, "byte") + '\n';
  text += "  owns " + (plan.owned ? window_text(*plan.owned) : std::string("nothing"));
  if (plan.access != AccessMethod::automatic) text += std::string(", ") + access_name(plan.access);
  text += '\n';
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
