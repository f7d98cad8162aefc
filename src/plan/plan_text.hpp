// A plan as text for people: who ships which window to whom, in how many rounds, who owns what.
#pragma once

#include <string>

#include "plan/plan.hpp"

namespace tutti {

std::string plan_text(const Plan& plan);

// "200..299", "200..299 and on by 300 up to 1199", "4 x 65536 every 262144 from 0, …", "nothing".
std::string window_text(const MovingWindow& window);

}  // namespace tutti
