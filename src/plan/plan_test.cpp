#include "plan/plan.hpp"

#include <random>

#include <gtest/gtest.h>

#include "plan/plan_text.hpp"
#include "plan/stream_set.hpp"
#include "support/seed.hpp"

namespace tutti {
namespace {

std::vector<Extent> intervals(const MovingWindow& moving, std::int64_t round) {
  std::vector<Extent> found;
  for_each_interval(moving, round, [&](Extent interval) {
    found.push_back(interval);
    return true;
  });
  return found;
}

// Whether the stripes hold the byte, by walking to it.
bool holds(const MovingWindow& moving, std::int64_t at) {
  const Stripes& stripes = moving.stripes;
  if (stripes.unit == 0) return true;
  std::int64_t distance = at - stripes.offset;
  if (stripes.stride > 0) {
    while (distance < 0) distance += stripes.stride;
    while (distance >= stripes.stride) distance -= stripes.stride;
  }
  return distance >= 0 && distance < stripes.unit;
}

TEST(MovingWindow, OneIntervalIsCutAtItsEnd) {
  const MovingWindow moving = moving_interval(200, 100, 300, 1050);
  EXPECT_EQ(interval_in_round(moving, 0), (Extent{200, 100}));
  EXPECT_EQ(interval_in_round(moving, 2), (Extent{800, 100}));
  EXPECT_EQ(interval_in_round(moving, 3), Extent{});
  EXPECT_EQ(interval_in_round(moving_interval(200, 100, 300, 850), 2), (Extent{800, 50}));
  EXPECT_EQ(bytes_in_round(moving_interval(200, 100, 300, 850), 2), 50);
  EXPECT_EQ(bytes_in_round(moving, 3), 0);
}

TEST(MovingWindow, StripesAreCutAtBothEnds) {
  const MovingWindow stripes{0, 1024, 1024, 1400, {0, 64, 256}};
  EXPECT_EQ(intervals(stripes, 0), (std::vector<Extent>{{0, 64}, {256, 64}, {512, 64}, {768, 64}}));
  EXPECT_EQ(intervals(stripes, 1), (std::vector<Extent>{{1024, 64}, {1280, 64}}));
  EXPECT_EQ(intervals({0, 1024, 1024, 1300, {0, 64, 256}}, 1),
            (std::vector<Extent>{{1024, 64}, {1280, 20}}));
  EXPECT_EQ(bytes_in_round({0, 1024, 1024, 1300, {0, 64, 256}}, 1), 84);
  // The first stripe may lie anywhere: the same set of bytes.
  EXPECT_EQ(intervals({100, 500, 500, 1400, {832, 64, 256}}, 0),
            (std::vector<Extent>{{100, 28}, {320, 64}, {576, 24}}));
  EXPECT_EQ(intervals({100, 500, 500, 1400, {64, 64, 0}}, 0), (std::vector<Extent>{{100, 28}}));
  EXPECT_EQ(intervals({100, 500, 500, 1400, {64, 64, 0}}, 1), std::vector<Extent>{});
  EXPECT_EQ(intervals(stripes, 2), std::vector<Extent>{});
  EXPECT_EQ(intervals({}, 0), std::vector<Extent>{});
}

TEST(MovingWindow, VisitingStopsWhenAsked) {
  int visited = 0;
  EXPECT_FALSE(for_each_interval(MovingWindow{0, 100, 0, 100, {0, 1, 2}}, 0,
                                 [&](Extent) { return ++visited < 3; }));
  EXPECT_EQ(visited, 3);
}

TEST(MovingWindow, TouchesExactlyWhatItsIntervalsTouch) {
  std::mt19937_64 random(test::test_seed("TouchesExactly", 11));
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < 20'000; ++i) {
    MovingWindow moving = moving_interval(below(20), below(8), below(12), below(90));
    const bool striped = below(2) == 0;
    if (striped) {
      moving.stripes = {below(90), 1 + below(5), 0};
      if (below(4) > 0) moving.stripes.stride = moving.stripes.unit + below(9);
    }
    const bool leaves_out = moving.step > moving.bytes;
    const Extent bytes{below(90), below(6)};
    bool touches = false;
    std::int64_t total = 0;
    for (std::int64_t round = 0; round < 100; ++round) {
      std::int64_t expected = 0;
      const Extent whole = interval_in_round(moving, round);
      for (std::int64_t at = whole.offset; at < whole.end(); ++at) expected += holds(moving, at);
      std::int64_t found = 0;
      for (const Extent interval : intervals(moving, round)) {
        EXPECT_GT(interval.bytes, 0);
        EXPECT_TRUE(holds(moving, interval.offset) && holds(moving, interval.end() - 1));
        found += interval.bytes;
        touches = touches || (bytes.bytes > 0 && interval.offset < bytes.end() &&
                              bytes.offset < interval.end());
      }
      ASSERT_EQ(found, expected) << window_text(moving) << " in round " << round;
      ASSERT_EQ(bytes_in_round(moving, round), expected);
      total += found;
    }
    if (striped && leaves_out)
      ASSERT_TRUE(ever_touches(moving, bytes) || !touches);
    else
      ASSERT_EQ(ever_touches(moving, bytes), touches)
          << window_text(moving) << " and " << bytes.offset << ' ' << bytes.bytes;
    ASSERT_TRUE(total == 0 || hull_of({&moving, 1}).bytes > 0);
  }
}

TEST(MovingWindow, HullOfSeveral) {
  const std::vector<MovingWindow> windows{
      moving_interval(50, 10, 100, 300), {}, moving_interval(20, 10, 0, 300)};
  EXPECT_EQ(hull_of(windows), (Extent{20, 280}));
  EXPECT_EQ(hull_of({}), Extent{});
}

TEST(StreamIn, IsThePartOfTheRangeInTheInterval) {
  const FileRange range{Pattern::repeat(100, 10, Pattern::run(4)), 6, 20};
  EXPECT_EQ(stream_in(range, {0, 1000}), (StreamRange{6, 26}));
  EXPECT_EQ(stream_in(range, {20, 20}), (StreamRange{8, 16}));
  EXPECT_EQ(stream_in(range, {21, 11}), (StreamRange{9, 14}));
  EXPECT_EQ(stream_in(range, {34, 6}).bytes(), 0);
  EXPECT_EQ(stream_in(range, {500, 100}).bytes(), 0);
  EXPECT_EQ(stream_in({}, {500, 100}).bytes(), 0);
}

TEST(StreamSet, TakesOnlyWhatItHasAndAddsOnlyWhatItLacks) {
  std::mt19937_64 random(test::test_seed("TakesOnly", 12));
  StreamSet set;
  std::vector<bool> expected(60);
  for (int i = 0; i < 20'000; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % 60);
    const std::int64_t end = begin + static_cast<std::int64_t>(random() % 8 % (61 - begin));
    const bool adds = random() % 2 == 0;
    bool possible = true;
    for (std::int64_t at = begin; at < end; ++at)
      possible = possible && expected[static_cast<std::size_t>(at)] != adds;
    ASSERT_EQ(adds ? set.add({begin, end}) : set.take({begin, end}), possible);
    for (std::int64_t at = begin; possible && at < end; ++at)
      expected[static_cast<std::size_t>(at)] = adds;
    ASSERT_EQ(set.empty(), std::find(expected.begin(), expected.end(), true) == expected.end());
  }
}

TEST(Plan, BytesCountThePieces) {
  Plan plan;
  const std::int64_t none = plan_bytes(plan);
  plan.phases.resize(2);
  plan.phases[1].ships.resize(10);
  EXPECT_EQ(plan_bytes(plan),
            none + static_cast<std::int64_t>(2 * sizeof(Phase) + 10 * sizeof(Piece)));
}

}  // namespace
}  // namespace tutti
