// ranks: 1
// Tasks of a helper thread, some of which the program's thread runs itself.
#include "exec/worker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "exec/operation.hpp"
#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using Runner = Worker::Runner;

template <class Done>
void wait_for(const Done& done) {
  while (!done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(Worker, RunsTasksInTheirOrderWhoeverRunsThem) {
  constexpr int kTasks = 2000;
  std::vector<int> ran;  // by one thread at a time
  std::atomic<int> done = 0;
  int here = 0;
  {
    Worker worker;
    for (int i = 0; i < kTasks; ++i) {
      worker.add([&, i] { ran.push_back(i), ++done; },
                 i % 7 == 3 ? Runner::helper_thread : Runner::anybody);
      if (i % 3 == 0) here += worker.run_next() ? 1 : 0;
    }
  }
  ASSERT_EQ(ran.size(), static_cast<std::size_t>(kTasks));
  for (int i = 0; i < kTasks; ++i) EXPECT_EQ(ran[static_cast<std::size_t>(i)], i);
  EXPECT_GE(here, 1);
}

TEST(Worker, WhatIsWaitedForAtOnceRunsHere) {
  constexpr int kTasks = 100;
  int here = 0;
  Worker worker;
  for (int i = 0; i < kTasks; ++i) {
    std::atomic<bool> done = false;
    worker.add(
        [&, mine = std::this_thread::get_id()] {
          here += std::this_thread::get_id() == mine ? 1 : 0;
          done = true;
        },
        Runner::anybody);
    worker.run_next();
    wait_for([&] { return done.load(); });
  }
  EXPECT_GE(here, kTasks / 2);  // but for turns that this thread had to give up
}

TEST(Worker, WhatIsNotWaitedForRunsBeside) {
  std::atomic<bool> done = false;
  std::thread::id ran;
  Worker worker;
  worker.add([&] { ran = std::this_thread::get_id(), done = true; }, Runner::anybody);
  wait_for([&] { return done.load(); });
  EXPECT_NE(ran, std::this_thread::get_id());
}

TEST(Worker, WhatOnlyTheHelperMayRunIsLeftToIt) {
  std::atomic<bool> go = false;
  std::atomic<bool> done = false;
  Worker worker;
  worker.add([&] { wait_for([&] { return go.load(); }); }, Runner::helper_thread);
  worker.add([&] { done = true; }, Runner::anybody);
  EXPECT_FALSE(worker.run_next());  // neither before its turn
  go = true;
  wait_for([&] { return done.load(); });
  EXPECT_FALSE(worker.run_next());
}

TEST(Operation, HelpingRunsWhatComesBeforeAndEndsWithItsFile) {
  auto worker = std::make_shared<Worker>();
  std::vector<std::shared_ptr<Operation>> operations;
  for (int i = 0; i < 5; ++i) {
    operations.push_back(std::make_shared<Operation>());
    operations.back()->set_worker(worker);
    worker->add([operation = operations.back(), i] { operation->finish(std::int64_t{i}); },
                Runner::anybody);
  }
  operations.back()->help();
  worker.reset();  // waits for what the helper thread has begun meanwhile
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(operations[static_cast<std::size_t>(i)]->outcome().value_or(-1), i);
  const Operation never;
  never.help();
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
