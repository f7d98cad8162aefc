// Every way to spoil a plan is noticed.
#include "strategy/inplace_plan.hpp"

#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "strategy/inplace_regular.hpp"

namespace tutti::inplace {
namespace {

std::vector<InplacePlan> sound_plans() {
  std::vector<InplacePlan> plans;
  for (int rank = 0; rank < 5; ++rank) plans.push_back(*inspect_regular({103, 5, 2}, rank));
  return plans;
}

TEST(InplacePlan, SoundPlansPass) { EXPECT_TRUE(check_inplace_plans(sound_plans())); }

TEST(InplacePlan, SpoiltPlansDoNot) {
  const std::vector<std::function<void(std::vector<InplacePlan>&)>> spoilers{
      [](auto& plans) { std::swap(plans[0], plans[1]); },
      [](auto& plans) { plans.pop_back(); },
      [](auto& plans) { plans[2].phases.pop_back(); },
      [](auto& plans) { plans[2].phases[0][0].send[0].length -= 1; },
      [](auto& plans) { plans[2].phases[0][0].send[0].offset = 1000; },
      [](auto& plans) { plans[2].phases[0][0].send[0].offset = -1; },
      [](auto& plans) { plans[1].phases[0][0].receive_offset += 1; },
      [](auto& plans) { plans[1].phases[0][0].receive_count -= 1; },
      [](auto& plans) { plans[1].phases[0][0].peer = 4; },
      [](auto& plans) { plans[1].phases[0][0].peer = 5; },
      [](auto& plans) { plans[3].region.alloc_offset += 1; },
      [](auto& plans) { plans[3].region.elements -= 1; },
      [](auto& plans) { plans[3].region.slots[0].count += 1; },
      [](auto& plans) { plans[4].pack[0].tuples[0].length += 1; },
      [](auto& plans) { plans[4].pack.back().tuples.back().offset = 500; },
      [](auto& plans) { plans[4].file[0].offset -= 1; },
      [](auto& plans) { plans[4].domain.first -= 1; },
  };
  for (std::size_t i = 0; i < spoilers.size(); ++i) {
    auto plans = sound_plans();
    spoilers[i](plans);
    EXPECT_FALSE(check_inplace_plans(plans)) << "spoiler " << i;
  }
}

TEST(InplacePlan, TextNamesPhasesAndTuples) {
  EXPECT_EQ(inplace_plan_text(*inspect_regular({32, 4, 1}, 0)),
            "rank 0 of 4: region of 16, own 8 at 0\n"
            "  phase 0 with 1: send {4,4}, receive 4 at 8\n"
            "  phase 1 with 2: send {2,2}{10,2}, receive 4 at 12\n"
            "  pack {0,1}{8,1}{12,1}{14,1} x2 by 1 to file {0,8}\n");
}

}  // namespace
}  // namespace tutti::inplace
