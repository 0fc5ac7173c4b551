#include "actors/run_gate.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace troupe::test {
namespace {

using namespace std::chrono_literals;

TEST(RunGate, counts_runs_in_and_out) {
  RunGate gate;
  RunGate::Place first = gate.enter(1);
  RunGate::Place second = gate.enter(2);
  EXPECT_TRUE(first);
  EXPECT_EQ(gate.running(), 2);
  EXPECT_FALSE(gate.wait_idle(1ms));
  RunGate::Place moved = std::move(first);
  EXPECT_FALSE(first);
  EXPECT_EQ(gate.running(), 2);
  first.leave();
  second = std::move(moved);
  EXPECT_EQ(gate.running(), 1) << "who gets another place gives back his own";
  second.leave();
  second.leave();
  EXPECT_EQ(gate.running(), 0) << "once";
  EXPECT_TRUE(gate.wait_idle(0ms));
}

TEST(RunGate, counts_those_who_came_before_runs_met_and_after) {
  RunGate gate;
  std::set<int64_t> ids;
  RunGate::Place alone = gate.enter(5);
  gate.count_run(5);
  ids.insert(gate.new_step_id(5));
  // The second meets the first, the third finds a stripe of its own.
  RunGate::Place second = gate.enter(6);
  RunGate::Place third = gate.enter(5);
  for (int stripe : {0, 5, 6}) {
    gate.count_run(stripe);
    ids.insert(gate.new_step_id(stripe));
  }
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(gate.runs(), 4);
  EXPECT_EQ(gate.running(), 3);
  alone.leave();
  second.leave();
  EXPECT_EQ(gate.running(), 1);
  third.leave();
  EXPECT_TRUE(gate.wait_idle(0ms));
}

TEST(RunGate, lets_nobody_in_once_it_is_shut) {
  RunGate gate;
  {
    const RunGate::Place place = gate.enter(0);
    gate.shut();
    EXPECT_TRUE(gate.is_shut());
    EXPECT_FALSE(gate.enter(0));
    EXPECT_EQ(gate.running(), 1) << "who was refused is not counted";
  }
  EXPECT_TRUE(gate.wait_idle(0ms));
}

TEST(RunGate, gives_every_step_an_id_that_no_other_gate_gives) {
  constexpr int kThreads = 4, kIds = 1000;
  RunGate gates[2];
  std::vector<std::vector<int64_t>> ids(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&gates, &mine = ids[static_cast<size_t>(t)]] {
      // Two stripes, so that threads meet in each.
      for (int i = 0; i < kIds; ++i) mine.push_back(gates[i % 2].new_step_id(i / 2 % 2));
    });
  }
  for (std::thread& t : threads) t.join();
  std::set<int64_t> all;
  for (const auto& mine : ids) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), size_t{kThreads * kIds});
  EXPECT_GT(*all.begin(), 0);
}

/// Who waits for the last run frees the gate at once: that run must be through with it. Thread and address sanitizers see it.
TEST(RunGate, may_be_freed_as_soon_as_nothing_runs) {
  for (int round = 0; round < 500; ++round) {
    auto gate = std::make_unique<RunGate>();
    std::vector<std::thread> runs;
    for (int i = 0; i < 3; ++i) {
      runs.emplace_back([place = gate->enter(i), round]() mutable {
        if (round % 2 == 0) std::this_thread::yield();
        place.leave();
      });
    }
    gate->shut();
    ASSERT_TRUE(gate->wait_idle(10s));
    gate = nullptr;
    for (std::thread& r : runs) r.join();
  }
}

TEST(RunGate, wakes_who_waits) {
  RunGate gate;
  std::thread run([place = gate.enter(3)]() mutable {
    std::this_thread::sleep_for(20ms);
    place.leave();
  });
  EXPECT_TRUE(gate.wait_idle(10s));
  run.join();
}

}  // namespace
}  // namespace troupe::test
