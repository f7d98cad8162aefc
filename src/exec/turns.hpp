// The words by which ranks of a timed plan let each other go on.
#pragma once

#include <cstdint>

#include "exec/round_access.hpp"

namespace tutti {

class Turns {
 public:
  explicit Turns(RunningCall& call) : call_(call), turn_(call.plan().turn) {}

  // Blocks until the ranks before this one have given their word. A rank that failed waits and
  // passes like everybody else.
  void await(std::int64_t round);

  // Lets the ranks behind this one go: `issued` says that storage has the requests but has not
  // done them, so they get a start of delay_us.
  void pass(std::int64_t round, bool issued);

 private:
  // Whether words are synchronous: they have left when the receiver has taken them. Agents that go
  // on with an exchange after their word would wait for each other.
  bool answers() const { return call_.plan().independent; }

  RunningCall& call_;
  const Turn& turn_;
};

}  // namespace tutti
