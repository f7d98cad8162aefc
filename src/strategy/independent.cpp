#include "strategy/independent.hpp"

namespace tutti {

namespace {

Plan alone(const char* strategy, const CallFacts& facts, std::int32_t rank, AccessMethod access) {
  Plan plan;
  plan.strategy = strategy;
  plan.direction = facts.direction;
  plan.rank = rank;
  plan.ranks = static_cast<std::int32_t>(facts.ranks.size());
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
