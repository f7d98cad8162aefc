#include "inspect/agreed_layout.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "layout/layout_words.hpp"

namespace tutti {

namespace {

// What a rank says about the layout it found for this call.
struct LayoutCard {
  LayoutPrint print{};
  std::int64_t words = 0;
};

// Collective. Rank 0's layout; no striping where it cannot be understood, which is the same on all
// ranks because all read the same words.
Result<StripeLayout> layout_of_first(const InspectCall& call,
                                     const std::vector<std::int64_t>& words,
                                     std::int64_t first_words) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(call.ranks), 0);
  sizes[0] = first_words * static_cast<std::int64_t>(sizeof(std::int64_t));
  std::vector<std::int64_t> told(static_cast<std::size_t>(first_words));
  std::span<const std::int64_t> mine;
  if (call.rank == 0) mine = words;
  if (auto done = call.exchange.gather(std::as_bytes(mine), sizes,
                                       reinterpret_cast<std::byte*>(told.data()));
      !done)
    return tl::make_unexpected(done.error());
  return layout_from_words(told).value_or(StripeLayout());
}

}  // namespace

Result<StripeLayout> agreed_layout(const InspectCall& call, const std::vector<CallCard>& cards) {
  InspectorState& state = call.state;
  const bool alike = std::all_of(cards.begin(), cards.end(), [&](const CallCard& card) {
    return card.layout == cards[0].layout;
  });
  if (alike && state.layout.complete()) return state.layout;

  StripeLayout mine = alike ? state.layout_for(accessed_range(cards)) : state.layout;
  const std::vector<std::int64_t> words = layout_words(mine);
  const LayoutCard card{mine.print(), std::ssize(words)};
  std::vector<LayoutCard> all(static_cast<std::size_t>(call.ranks));
  if (auto told = call.exchange.tell_all(std::as_bytes(std::span(&card, 1)),
                                         reinterpret_cast<std::byte*>(all.data()));
      !told)
    return tl::make_unexpected(told.error());
  const bool same = std::all_of(
      all.begin(), all.end(), [&](const LayoutCard& other) { return other.print == all[0].print; });
  if (same) return mine;
  auto first = layout_of_first(call, words, all[0].words);
  if (first && !alike) {
    state.layout = *first;
    state.layout_print = first->print();
  }
  return first;
}

}  // namespace tutti
