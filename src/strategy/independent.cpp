#include "strategy/independent.hpp"

#include "strategy/call_shape.hpp"

namespace tutti {

namespace {

Plan alone(const char* strategy, const CallFacts& facts, std::int32_t rank, AccessMethod access) {
  Plan plan = begin_plan(strategy, facts, rank);
  plan.independent = true;
  plan.access = access;
  return plan;
}

}  // namespace

bool accepts_any(const CallFacts&) { return true; }

Plan plan_independent(const CallFacts& facts, std::int32_t rank) {
  return alone("independent", facts, rank, facts.hints.access);
}

Plan plan_naive(const CallFacts& facts, std::int32_t rank) {
  return alone("naive", facts, rank, AccessMethod::naive);
}

Plan plan_list(const CallFacts& facts, std::int32_t rank) {
  return alone("list", facts, rank, AccessMethod::list);
}

Plan plan_sieve(const CallFacts& facts, std::int32_t rank) {
  return alone("sieve", facts, rank, AccessMethod::sieve);
}

}  // namespace tutti
