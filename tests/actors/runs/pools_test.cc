// On which threads the kernels of a run are.
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/actors/runs/runs_fixture.h"

namespace troupe::test {
namespace {

using testing::Contains;
using testing::Each;
using testing::Not;
using testing::SizeIs;

constexpr int kKernels = 8;

/// t0 ... t7 of "in", none of which waits for another.
class PoolsTest : public RunsTest {
 protected:
  PoolsTest() { names_ = add_threads(kKernels, {placeholder("in"), 0}); }

  /// Where the kernels of such a run were.
  std::vector<std::thread::id> threads_of_run(Session& s, const RunOptions& options = {}) {
    take_threads();
    auto out = s.run({{"in", Tensor::scalar<float>(1)}}, names_, {}, options);
    EXPECT_TRUE(out.ok()) << out.status();
    auto threads = take_threads();
    EXPECT_THAT(threads, SizeIs(kKernels));
    return threads;
  }
  static RunOptions in_pool(int index) {
    RunOptions options;
    options.inter_op_pool = index;
    return options;
  }

  std::vector<std::string> names_;
};

TEST_F(PoolsTest, s021_are_a_sessions_own_where_it_asks_for_its_own) {
  add_network({1, 2, 3, 4});
  SessionOptions options = from_text("use_per_session_threads: true");
  options.device_count["CPU"] = 2;
  const auto other = *Session::open(*runtime_, options);
  ASSERT_TRUE(other->create(graph_.clone()).ok());
  Session& s = open(options);
  const auto here = threads_of_run(s), there = threads_of_run(*other);
  EXPECT_THAT(here, Not(Contains(std::this_thread::get_id())));
  for (const std::thread::id& t : there) EXPECT_THAT(here, Not(Contains(t)));
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        auto out = s.run({}, {"y:0"});
        right += out.ok() && floats((*out)[0])[0] == 3;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 4000);
}

TEST_F(PoolsTest, s040_are_none_for_a_run_that_asks_for_its_callers_thread) {
  // The pool of all sessions takes its caller's thread in, too.
  Session& s = open(from_text("use_per_session_threads: true"));
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(threads_of_run(s, in_pool(-1)), Each(std::this_thread::get_id()));
    EXPECT_THAT(threads_of_run(s), Not(Contains(std::this_thread::get_id())));
  }
}

TEST_F(PoolsTest, s042_are_none_for_any_run_of_a_session_that_wants_none) {
  Session& s = open(from_text("inter_op_parallelism_threads: -1"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(threads_of_run(s), Each(std::this_thread::get_id()));
    std::thread([&] { EXPECT_THAT(threads_of_run(s), Each(std::this_thread::get_id())); }).join();
  }
}

TEST_F(PoolsTest, have_as_many_threads_as_was_asked_for) {
  Session& s =
      open(from_text("session_inter_op_thread_pool { num_threads: 3 } "
                     "session_inter_op_thread_pool { num_threads: 1 }"));
  std::set<std::thread::id> many, one;
  for (int i = 0; i < 5; ++i) {
    for (const std::thread::id& t : threads_of_run(s, in_pool(0))) many.insert(t);
    for (const std::thread::id& t : threads_of_run(s, in_pool(1))) one.insert(t);
  }
  EXPECT_LE(many.size(), 3u);
  EXPECT_THAT(one, SizeIs(1));
  EXPECT_THAT(many, Not(Contains(*one.begin())));
  EXPECT_THAT(many, Not(Contains(std::this_thread::get_id())));
}

constexpr int kMeeting = 3;
/// Kernels that have come in this round.
std::atomic<int> come{0};

/// Waits for the others, and stays a while, so that it is worth another thread next time, too.
absl::Status meet(KernelContext& c) {
  using Clock = std::chrono::steady_clock;
  ++come;
  const auto begin = Clock::now();
  while (Clock::now() < begin + std::chrono::microseconds(100) ||
         (come < kMeeting && Clock::now() < begin + std::chrono::seconds(10))) {
    std::this_thread::yield();
  }
  c.set_output(0, c.input(0));
  return come < kMeeting ? absl::DeadlineExceededError("nobody came") : absl::OkStatus();
}

TEST_F(PoolsTest, run_as_many_kernels_at_once_as_they_have_threads) {
  constexpr OpRow kOps[] = {{"TestMeet", "x:float", "z:float", "i:int", ""}};
  ASSERT_TRUE(ops_->add(kOps).ok());
  kernels_->add(KernelDef("TestMeet").fn(meet));
  std::vector<std::string> names;
  for (int i = 0; i < kMeeting; ++i) {
    names.push_back(absl::StrCat("meet", i));
    add(names.back(), "TestMeet", {{"i", i}}, {{graph_.find("in")->id, 0}});
  }
  Session& s = open(from_text("session_inter_op_thread_pool { num_threads: 3 }"));
  for (int round = 0; round < 20; ++round) {
    come = 0;
    const auto out = s.run({{"in", Tensor::scalar<float>(1)}}, names, {}, in_pool(0));
    ASSERT_TRUE(out.ok()) << out.status() << " in round " << round;
  }
}

TEST_F(PoolsTest, s058_are_refused_where_there_are_none) {
  Session& s = open(from_text("session_inter_op_thread_pool { num_threads: 1 }"));
  for (int pool : {-2, 1}) {
    const auto wrong = absl::InvalidArgumentError(absl::StrCat("Invalid inter_op_thread_pool: ", pool));
    EXPECT_EQ(s.run({{"in", Tensor::scalar<float>(1)}}, {"t0"}, {}, in_pool(pool)).status(), wrong);
    CallableOptions options;
    options.feeds = {"in"};
    options.fetches = {"t0"};
    options.run_options = in_pool(pool);
    auto handle = s.make_callable(options);
    std::vector<Tensor> feeds{Tensor::scalar<float>(1)}, out(1);
    EXPECT_EQ(handle.ok() ? s.run_callable(*handle, feeds, std::span<Tensor>(out)) : handle.status(), wrong);
  }
  EXPECT_THAT(take_threads(), SizeIs(0));
}

TEST_F(RunsTest, s041_a_deep_graph_on_the_callers_thread_takes_no_more_stack_than_a_flat_one) {
  constexpr int kDepth = 10'000;
  int last = placeholder("x");
  for (int i = 0; i < kDepth; ++i) {
    // Two that are ready at once, of which one leads on.
    add(absl::StrCat("side", i), "TestDepth", {{"i", 0}}, {{last, 0}});
    last = add(absl::StrCat("on", i), "TestDepth", {{"i", 1}}, {{last, 0}});
  }
  std::vector<std::string> sides;
  for (int i = 0; i < kDepth; ++i) sides.push_back(absl::StrCat("side", i));
  Session& s = open();
  RunOptions here;
  here.inter_op_pool = -1;
  RunStats stats;
  auto out = s.run({{"x", Tensor::scalar<float>(4)}}, {graph_.node(last).name}, sides, here, &stats);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), 4);
  EXPECT_GE(stats.nodes_run, 2 * kDepth);
  EXPECT_LT(stack_spread(), 16 << 10) << "less than two bytes a node";
}

}  // namespace
}  // namespace troupe::test
