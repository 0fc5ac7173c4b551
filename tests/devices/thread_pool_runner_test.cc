#include "devices/cpu/thread_pool_runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "devices/cpu/intra_op_pool.h"
#include "devices/lent_runner.h"

namespace troupe {
namespace {

constexpr int64_t kUnits = 100'000;
constexpr int64_t kCost = 1000;

/// A thread for each job, joined at the end.
class ThreadPerJob final : public ThreadPool {
 public:
  int num_threads() const override { return 3; }
  void schedule(std::function<void()> job) override {
    std::lock_guard lock(mu_);
    threads_.emplace_back(std::move(job));
  }
  size_t num_jobs() const {
    std::lock_guard lock(mu_);
    return threads_.size();
  }

 private:
  mutable std::mutex mu_;
  std::vector<std::jthread> threads_;  // guarded by mu_
};

void expect_covered_once(ParallelRunner& runner) {
  std::vector<int> counts(kUnits);
  runner.parallel_for(kUnits, kCost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++counts[i];
  });
  for (int count : counts) ASSERT_EQ(count, 1);
}

TEST(ThreadPoolRunner, covers_the_range_once_on_the_threads_that_it_is_given) {
  ThreadPerJob threads;
  ThreadPoolRunner runner(&threads);
  EXPECT_EQ(runner.num_threads(), 3);
  expect_covered_once(runner);
  EXPECT_EQ(threads.num_jobs(), 3u);
}

TEST(ThreadPoolRunner, leaves_small_loops_to_the_caller) {
  ThreadPerJob threads;
  ThreadPoolRunner runner(&threads);
  int64_t covered = 0;
  runner.parallel_for(10, 1, [&](int64_t begin, int64_t end) { covered += end - begin; });
  runner.parallel_for(0, kCost, [&](int64_t, int64_t) { ADD_FAILURE() << "there is nothing to do"; });
  EXPECT_EQ(covered, 10);
  EXPECT_EQ(threads.num_jobs(), 0u);
}

TEST(ThreadPoolRunner, throws_what_a_block_threw_at_the_caller) {
  ThreadPerJob threads;
  ThreadPoolRunner runner(&threads);
  EXPECT_THROW(
      runner.parallel_for(kUnits, kCost, [](int64_t, int64_t) { throw std::runtime_error("a block failed"); }),
      std::runtime_error);
  expect_covered_once(runner);
}

TEST(LentRunner, takes_the_loops_of_its_thread_while_it_lives) {
  IntraOpPool pool(1);
  ThreadPerJob threads;
  ThreadPoolRunner runner(&threads);
  {
    const LentRunner lent(&runner);
    const LentRunner nothing(nullptr);
    expect_covered_once(pool);
    std::thread([&] { expect_covered_once(pool); }).join();
  }
  EXPECT_EQ(threads.num_jobs(), 3u) << "once, and not for the other thread";
  EXPECT_EQ(LentRunner::of_this_thread(), nullptr);
  expect_covered_once(pool);
  EXPECT_EQ(threads.num_jobs(), 3u);
}

TEST(LentRunner, takes_loops_inside_loops) {
  IntraOpPool pool(1);
  ThreadPerJob threads;
  ThreadPoolRunner runner(&threads);
  std::atomic<int> not_lent{0};
  const LentRunner lent(&runner);
  pool.parallel_for(kUnits, kCost, [&](int64_t, int64_t) {
    if (LentRunner::of_this_thread() != &runner) ++not_lent;
  });
  EXPECT_EQ(not_lent, 0);
}

}  // namespace
}  // namespace troupe
