// The judge itself on trial: sound plans spoilt in every way must meet an objection.
#include "plan/check_plans.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "plan/plan_text.hpp"
#include "support/accesses.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

using Plans = std::vector<Plan>;

// A rank that ships in every phase of every strategy.
constexpr std::int32_t kActor = 2;

// Seven ranks, every piece of every round carries bytes.
Accesses dense() {
  return block_cyclic({.ranks = 7, .elements = 980, .block = 2, .element_bytes = 4});
}

CallFacts dense_facts() {
  CallFacts facts = facts_for(dense());
  facts.hints.cb_buffer_size = 400;
  return facts;
}

class Spoilt : public ::testing::TestWithParam<const char*> {
 protected:
  Plans sound() const { return plan_all(*find_strategy(GetParam()), dense_facts()); }

  void expect_objection(const char* what, const std::function<void(Plans&)>& spoil,
                        std::int64_t bound = 400) const {
    Plans plans = sound();
    ASSERT_EQ(check_plans(dense(), plans, 400), Verdict::sound());
    spoil(plans);
    const Verdict verdict = check_plans(dense(), plans, bound);
    EXPECT_NE(verdict, Verdict::sound()) << what;
    EXPECT_FALSE(verdict.objection.empty()) << what;
  }
};

Phase& last_phase(Plan& plan) { return plan.phases.back(); }

// Both ends of the first piece that the actor ships in its last phase.
struct BothEnds {
  Piece* ship = nullptr;
  Piece* land = nullptr;
};
BothEnds both_ends(Plans& plans) {
  Piece& ship = last_phase(plans[kActor]).ships.at(0);
  for (Piece& land : last_phase(plans[static_cast<std::size_t>(ship.peer)]).lands)
    if (land.peer == kActor && land.origin == ship.origin && land.window == ship.window)
      return {&ship, &land};
  ADD_FAILURE() << "a piece without its other end";
  return {&ship, &ship};
}

void erase_piece(std::vector<Piece>& pieces, const Piece* piece) {
  pieces.erase(pieces.begin() + (piece - pieces.data()));
}

TEST_P(Spoilt, PieceNotShipped) {
  expect_objection("not shipped", [](Plans& plans) {
    last_phase(plans[kActor]).ships.erase(last_phase(plans[kActor]).ships.begin());
  });
}

TEST_P(Spoilt, PieceNotLanded) {
  expect_objection("not landed", [](Plans& plans) {
    const Piece ship = *both_ends(plans).ship;
    erase_piece(last_phase(plans[static_cast<std::size_t>(ship.peer)]).lands,
                both_ends(plans).land);
  });
}

TEST_P(Spoilt, PieceForgottenByBoth) {
  expect_objection("forgotten", [](Plans& plans) {
    const auto [ship, land] = both_ends(plans);
    erase_piece(last_phase(plans[static_cast<std::size_t>(ship->peer)]).lands, land);
    erase_piece(last_phase(plans[kActor]).ships, ship);
  });
}

TEST_P(Spoilt, PieceTwice) {
  expect_objection("shipped twice", [](Plans& plans) {
    last_phase(plans[kActor]).ships.push_back(Piece(last_phase(plans[kActor]).ships[0]));
  });
  expect_objection("landed twice", [](Plans& plans) {
    const auto [ship, land] = both_ends(plans);
    last_phase(plans[static_cast<std::size_t>(ship->peer)]).lands.push_back(Piece(*land));
  });
  expect_objection("twice on both sides", [](Plans& plans) {
    const auto [ship, land] = both_ends(plans);
    last_phase(plans[static_cast<std::size_t>(ship->peer)]).lands.push_back(Piece(*land));
    last_phase(plans[kActor]).ships.push_back(Piece(*ship));
  });
}

TEST_P(Spoilt, WindowShifted) {
  // Every rank has bytes in each so long a stretch: a shorter shift could be harmless.
  constexpr std::int64_t kCycleBytes = 7 * 2 * 4;
  const std::vector<std::function<void(MovingWindow&)>> shifts{
      [](MovingWindow& window) { window.start += kCycleBytes; },
      [](MovingWindow& window) { window.start -= kCycleBytes; },
      [](MovingWindow& window) { window.bytes -= kCycleBytes; },
      [](MovingWindow& window) { window.bytes += kCycleBytes; },
      [](MovingWindow& window) { window.step += kCycleBytes; },
      [](MovingWindow& window) { window.end -= window.end / 2; },
      [](MovingWindow& window) { window.bytes = 0; },
  };
  for (const auto& shift : shifts) {
    expect_objection("ship", [&](Plans& plans) { shift(both_ends(plans).ship->window); });
    expect_objection("land", [&](Plans& plans) { shift(both_ends(plans).land->window); });
    expect_objection("both", [&](Plans& plans) {
      const auto [ship, land] = both_ends(plans);
      shift(ship->window);
      shift(land->window);
    });
    expect_objection("owned", [&](Plans& plans) { shift(plans[kActor].owned.at(0)); });
  }
}

TEST_P(Spoilt, WrongPeer) {
  expect_objection("ship", [](Plans& plans) {
    Piece& ship = *both_ends(plans).ship;
    ship.peer = ship.peer == 0 ? 1 : 0;
  });
  expect_objection("land", [](Plans& plans) { both_ends(plans).land->peer = 5; });
  for (const std::int32_t nobody : {-1, 7, kActor})
    expect_objection("nobody", [&](Plans& plans) { both_ends(plans).ship->peer = nobody; });
  // Consistent, but to a rank that does not own the window.
  expect_objection("moved", [](Plans& plans) {
    const auto [ship, land] = both_ends(plans);
    const auto old_peer = static_cast<std::size_t>(ship->peer);
    const Piece moved = *land;
    erase_piece(last_phase(plans[old_peer]).lands, land);
    const std::int32_t other = ship->peer == 6 ? 5 : 6;
    ship->peer = other;
    last_phase(plans[static_cast<std::size_t>(other)]).lands.push_back(moved);
  });
}

TEST_P(Spoilt, WrongOrigin) {
  expect_objection("ship", [](Plans& plans) {
    Piece& ship = *both_ends(plans).ship;
    ship.origin = (ship.origin + 1) % 7;
  });
  expect_objection("both", [](Plans& plans) {
    const auto [ship, land] = both_ends(plans);
    ship->origin = land->origin = (ship->origin + 1) % 7;
  });
  expect_objection("nobody", [](Plans& plans) {
    const auto [ship, land] = both_ends(plans);
    ship->origin = land->origin = 7;
  });
}

TEST_P(Spoilt, Counts) {
  expect_objection("a round more", [](Plans& plans) { ++plans[2].rounds; });
  expect_objection("a round less", [](Plans& plans) { --plans[2].rounds; });
  expect_objection("all a round less", [](Plans& plans) {
    for (Plan& plan : plans) --plan.rounds;
  });
  expect_objection("no round", [](Plans& plans) {
    for (Plan& plan : plans) plan.rounds = 0;
  });
  expect_objection("a phase more", [](Plans& plans) { plans[2].phases.emplace_back(); });
  expect_objection("a phase less", [](Plans& plans) { plans[2].phases.pop_back(); });
  expect_objection("a plan less", [](Plans& plans) { plans.pop_back(); });
  expect_objection("no plan", [](Plans& plans) { plans.clear(); });
}

TEST_P(Spoilt, Owners) {
  expect_objection("nobody owns", [](Plans& plans) { plans[4].owned.clear(); });
  expect_objection("two own", [](Plans& plans) { plans[4].owned = plans[2].owned; });
  expect_objection("overlap in a hole of the data", [](Plans& plans) {
    plans[4].owned.at(0).bytes += 1;
    plans[4].staging_bytes += 1;
  });
  expect_objection("small staging", [](Plans& plans) { --plans[4].staging_bytes; });
  expect_objection(
      "staging bound", [](Plans&) {}, 50);
}

TEST_P(Spoilt, Outline) {
  expect_objection("alone", [](Plans& plans) {
    plans[1] = find_strategy("list")->plan(dense_facts(), 1);
    plans[1].strategy = plans[0].strategy;
  });
  expect_objection("says alone", [](Plans& plans) {
    for (Plan& plan : plans) plan.independent = true;
  });
  expect_objection("rank", [](Plans& plans) { std::swap(plans[1], plans[2]); });
  expect_objection("ranks", [](Plans& plans) { plans[1].ranks = 8; });
  expect_objection("direction", [](Plans& plans) { plans[1].direction = Direction::read; });
  expect_objection("strategy", [](Plans& plans) { plans[1].strategy = "other"; });
}

INSTANTIATE_TEST_SUITE_P(Exchanging, Spoilt, ::testing::Values("two-phase", "multi-phase"),
                         [](const auto& row) {
                           return std::string(row.param).substr(0, row.param[0] == 't' ? 3 : 5);
                         });

TEST(CheckPlans, WindowBeyondTheBytesAskedFor) {
  // Nobody's bytes: the data moves rightly, but a write would lengthen the file.
  const auto accesses = dense();
  auto plans = plan_all(*find_strategy("two-phase"), accesses);
  plans[6].owned.at(0).end += 8;
  plans[6].owned.at(0).bytes += 8;
  plans[6].staging_bytes += 8;
  EXPECT_NE(check_plans(accesses, plans), Verdict::sound());
}

TEST(CheckPlans, OverlapOfWindowsInAHole) {
  // Both windows hold all their bytes; they share one that nobody asked for.
  const Accesses accesses{whole(Pattern::run(10)), whole(Pattern::run(10, 20))};
  auto plans = plan_all(*find_strategy("two-phase"), accesses);
  ASSERT_EQ(check_plans(accesses, plans), Verdict::sound());
  ASSERT_EQ(plans[0].owned.at(0), moving_interval(0, 15, 15, 15));
  plans[0].owned = {moving_interval(0, 16, 16, 16)};
  plans[0].staging_bytes = 16;
  EXPECT_NE(check_plans(accesses, plans), Verdict::sound());
}

TEST(CheckPlans, BytesLeftBetweenRounds) {
  // Rank 0 passes bytes to rank 1 one round before rank 1 owns their place.
  const Accesses accesses{whole(Pattern::run(4)), {}};
  Plans plans(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    Plan& plan = plans[static_cast<std::size_t>(rank)];
    plan.rank = rank;
    plan.ranks = 2;
    plan.rounds = 2;
    plan.direction = Direction::write;
    plan.phases.resize(1);
  }
  const MovingWindow early = moving_interval(0, 4, 100, 4);
  plans[0].phases[0].ships = {{1, 0, early}};
  plans[1].phases[0].lands = {{0, 0, early}};
  plans[1].owned = {moving_interval(-100, 4, 100, 4)};
  plans[1].staging_bytes = 4;
  const Verdict verdict = check_plans(accesses, plans);
  EXPECT_NE(verdict.objection.find("stay with a rank between"), std::string::npos) << verdict;
}

TEST(CheckPlans, SaysWhetherHolesAreRewritten) {
  const Strategy& two_phase = *find_strategy("two-phase");
  const auto full = dense();
  EXPECT_FALSE(check_plans(full, plan_all(two_phase, full)).rewrites_holes);
  const Accesses holed{whole(Pattern::repeat(10, 4, Pattern::run(2))),
                       whole(Pattern::repeat(10, 4, Pattern::run(1, 2)))};
  EXPECT_TRUE(check_plans(holed, plan_all(two_phase, holed)).rewrites_holes);
  const auto reads = plan_all(two_phase, facts_for(holed, Direction::read));
  EXPECT_FALSE(check_plans(holed, reads).rewrites_holes);
}

TEST(CheckPlans, StreamsWithoutRankOnlyGoAlone) {
  const Accesses accesses{whole(Pattern::repeat(3, -8, Pattern::run(4, 100))),
                          whole(Pattern::run(10))};
  const CallFacts facts = facts_for(accesses);
  EXPECT_FALSE(find_strategy("two-phase")->accepts(facts));
  EXPECT_FALSE(find_strategy("multi-phase")->accepts(facts));
  EXPECT_EQ(check_plans(accesses, plan_all(*find_strategy("naive"), facts)), Verdict::sound());
  EXPECT_NE(check_plans(accesses, plan_all(*find_strategy("two-phase"), facts)), Verdict::sound());
}

// Any one number of any plan changed: either an objection or plans that are as good as before.
TEST(CheckPlans, RandomDamageIsSeen) {
  std::mt19937_64 random(test_seed("RandomDamage", 21));
  const auto accesses = dense();
  for (const char* name : {"two-phase", "multi-phase"}) {
    const Plans sound = plan_all(*find_strategy(name), dense_facts());
    for (int i = 0; i < 2000; ++i) {
      Plans plans = sound;
      Plan& plan = plans[random() % 7];
      Phase& phase = plan.phases[random() % plan.phases.size()];
      std::vector<Piece>& pieces = random() % 2 == 0 ? phase.ships : phase.lands;
      if (pieces.empty()) continue;
      Piece& piece = pieces[random() % pieces.size()];
      const std::int64_t change = random() % 2 == 0 ? 1 : -1;
      switch (random() % 5) {
        case 0:
          piece.peer += static_cast<std::int32_t>(change);
          break;
        case 1:
          piece.origin += static_cast<std::int32_t>(change);
          break;
        case 2:
          piece.window.start += change;
          break;
        case 3:
          piece.window.bytes += change;
          break;
        default:
          piece.window.step += change;
      }
      ASSERT_NE(check_plans(accesses, plans, 400), Verdict::sound()) << i << plan_text(plan);
    }
  }
}

}  // namespace
}  // namespace tutti::test
