// Whose threads run the kernels of a run: its session's, the caller's or an application's; and who goes first there.
#include <gmock/gmock.h>

#include <mutex>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "actors/ask.h"
#include "actors/runtime_impl.h"
#include "devices/thread_pool.h"
#include "proto/config.pb.h"
#include "tests/actors/session_fixture.h"
#include "tests/actors/two_threads.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Does each job where it comes from.
class NoThreads final : public ThreadPool {
 public:
  int num_threads() const override { return 0; }
  void schedule(std::function<void()> job) override { job(); }
};

class BrokenThreads final : public ThreadPool {
 public:
  int num_threads() const override { return 4; }
  void schedule(std::function<void()>) override { throw std::runtime_error("no more threads"); }
};

const OpRow kRows[] = {{"TestWhere", "x:float", "z:float", "", ""},
                       {"TestLoop", "x:float", "z:float", "", ""}};

/// "both" needs two kernels that tell their thread and their name; "loop" one whose loop does.
class LentThreads : public SessionTest {
 protected:
  LentThreads() {
    ran.clear();
    names.clear();
    EXPECT_TRUE(ops_->add(kRows).ok());
    kernels_->add(KernelDef("TestWhere").fn(where));
    kernels_->add(KernelDef("TestLoop").fn(loop));
    company = false;
    x_ = placeholder("x");
    y_ = placeholder("y");
    add_both("both");
    add("loop", "TestLoop", {}, {{x_, 0}});
  }
  /// The sum of two expensive kernels, which go to other threads as one alone does not. Of different inputs: they are not the same.
  void add_both(const std::string& name, const char* op = "TestWhere") {
    const int a = add(name + "/a", op, {}, {{x_, 0}});
    const int b = add(name + "/b", op, {}, {{y_, 0}});
    add(name, "TestAdd", {}, {{a, 0}, {b, 0}});
  }
  static void note(const std::string& name) {
    std::lock_guard lock(mu);
    ran.insert(std::this_thread::get_id());
    names.push_back(name);
  }
  static size_t threads_so_far() {
    std::lock_guard lock(mu);
    return ran.size();
  }
  static absl::Status where(KernelContext& c) {
    note(c.node().name);
    // What takes no time is not worth another thread.
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    c.forward_input(0, 0);
    return absl::OkStatus();
  }
  static absl::Status loop(KernelContext& c) {
    c.parallel().parallel_for(64, 1'000'000, [&](int64_t, int64_t) {
      note("loop");
      const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (company && threads_so_far() < 2 && std::chrono::steady_clock::now() < patience)
        std::this_thread::yield();
    });
    c.forward_input(0, 0);
    return absl::OkStatus();
  }
  static std::vector<NamedTensor> feeds() {
    return {{"x", Tensor::scalar<float>(3)}, {"y", Tensor::scalar<float>(3)}};
  }
  static absl::StatusOr<std::vector<Tensor>> run(Session& s, const std::string& fetch,
                                                 const RunOptions& options = {}) {
    return s.run(feeds(), {fetch}, {}, options);
  }
  static void expect_both(Session& s, const RunOptions& options) {
    const auto out = run(s, "both", options);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].value<float>(), 6);
  }
  static bool ran_on(const TwoThreads& threads) {
    std::lock_guard lock(mu);
    return !ran.empty() && std::all_of(ran.begin(), ran.end(), [&](auto id) { return threads.is_mine(id); });
  }
  /// Until so many kernels wait for threads.
  void await_waiting(int64_t kernels) {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int64_t last = -1;
    while (std::chrono::steady_clock::now() < patience) {
      const auto status =
          ask<RuntimeStatus>(runtime_->system(), runtime_actor(*runtime_), RuntimeStatusRequest{});
      if (status.ok() && status->kernels_waiting == kernels) return;
      last = status.ok() ? status->kernels_waiting : -1;
      std::this_thread::yield();
    }
    ADD_FAILURE() << "there were never " << kernels << " kernels waiting, but " << last;
  }

  static inline std::mutex mu;
  // Guarded by mu.
  static inline std::set<std::thread::id> ran;
  static inline std::vector<std::string> names;
  /// Whether a loop waits until it runs on two threads.
  static inline std::atomic<bool> company{false};
  int x_ = -1;
  int y_ = -1;
};

TEST_F(LentThreads, run_the_kernels_of_a_run) {
  Session& s = open();
  TwoThreads threads;
  RunOptions options;
  options.inter_op_threads = &threads;
  for (int i = 0; i < 20; ++i) expect_both(s, options);
  EXPECT_TRUE(ran_on(threads));
  EXPECT_EQ(threads.num_jobs(), 40);
}

TEST_F(LentThreads, may_be_gone_after_the_run) {
  Session& s = open();
  {
    TwoThreads threads;
    RunOptions options;
    options.inter_op_threads = &threads;
    options.intra_op_threads = &threads;
    expect_both(s, options);
    ASSERT_TRUE(run(s, "loop", options).ok());
  }
  expect_both(s, {});
  EXPECT_TRUE(run(s, "loop").ok());
  session_.reset();
}

TEST_F(LentThreads, go_before_the_number_of_a_pool_but_not_before_the_callers) {
  Session& s = open();
  TwoThreads threads;
  RunOptions options;
  options.inter_op_threads = &threads;
  options.inter_op_pool = 7;
  expect_both(s, options);
  EXPECT_TRUE(ran_on(threads)) << "nobody looks at the number";
  options.inter_op_pool = -1;
  ran.clear();
  expect_both(s, options);
  EXPECT_EQ(ran, std::set<std::thread::id>{std::this_thread::get_id()});
  EXPECT_EQ(threads.num_jobs(), 2);
}

TEST_F(LentThreads, that_are_null_are_the_sessions_own) {
  SessionOptions own;
  own.use_per_session_threads = true;
  Session& s = open(own);
  RunOptions options;
  options.inter_op_threads = nullptr;
  options.intra_op_threads = nullptr;
  expect_both(s, options);
  EXPECT_FALSE(ran.contains(std::this_thread::get_id()));
}

TEST_F(LentThreads, are_those_of_a_callable_and_of_runs_that_nobody_waits_for) {
  Session& s = open();
  TwoThreads threads;
  CallableOptions callable;
  callable.feeds = {"x", "y"};
  callable.fetches = {"both"};
  callable.run_options.inter_op_threads = &threads;
  const auto handle = s.make_callable(callable);
  ASSERT_TRUE(handle.ok()) << handle.status();
  std::vector<Tensor> values{feeds()[0].second, feeds()[1].second}, out(1);
  ASSERT_EQ(s.run_callable(*handle, values, out), absl::OkStatus());
  EXPECT_TRUE(s.run_async(feeds(), {"both"}, {}, callable.run_options).get().ok());
  EXPECT_TRUE(ran_on(threads));
  EXPECT_EQ(threads.num_jobs(), 4);
}

TEST_F(LentThreads, may_be_none_or_refuse) {
  Session& s = open();
  NoThreads none;
  BrokenThreads broken;
  for (ThreadPool* threads : std::initializer_list<ThreadPool*>{&none, &broken}) {
    RunOptions options;
    options.inter_op_threads = threads;
    options.intra_op_threads = threads;
    for (int i = 0; i < 20; ++i) expect_both(s, options);
    EXPECT_EQ(ran, std::set<std::thread::id>{std::this_thread::get_id()}) << "that of their EXECUTOR";
    ASSERT_TRUE(run(s, "loop", options).ok());
    EXPECT_EQ(ran, std::set<std::thread::id>{std::this_thread::get_id()});
  }
}

TEST_F(LentThreads, that_come_too_late_find_nothing_to_do) {
  Session& s = open();
  TwoThreads threads(/*held=*/true);
  RunOptions options;
  options.inter_op_threads = &threads;
  options.timeout = std::chrono::milliseconds(30);
  EXPECT_EQ(run(s, "both", options).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(threads.num_jobs(), 2);
  session_.reset();
  threads.let_go();
  EXPECT_TRUE(names.empty());
}

TEST_F(LentThreads, take_the_loops_inside_kernels) {
  Session& s = open();
  TwoThreads threads;
  RunOptions options;
  options.intra_op_threads = &threads;
  company = true;
  const auto out = run(s, "loop", options);
  ASSERT_TRUE(out.ok()) << out.status();
  company = false;
  EXPECT_GT(threads.num_jobs(), 0);
  // The thread of the kernel works, too: there is one, which is the caller's.
  ran.erase(std::this_thread::get_id());
  EXPECT_TRUE(ran_on(threads));
  ran.clear();
  ASSERT_TRUE(run(s, "loop").ok());
  EXPECT_EQ(ran, std::set<std::thread::id>{std::this_thread::get_id()}) << "the runtime has one such thread";
}

// --- priorities ---

TEST_F(LentThreads, s027_serve_runs_with_a_run_handler_pool) {
  tensorflow::RunOptions proto;
  proto.mutable_experimental()->set_use_run_handler_pool(true);
  proto.mutable_experimental()->mutable_run_handler_pool_options()->set_priority(3);
  const auto options = RunOptions::from_bytes(proto.SerializeAsString());
  ASSERT_TRUE(options.ok());
  EXPECT_TRUE(options->use_run_handler_pool);
  EXPECT_EQ(options->priority, 3);
  expect_both(open(), *options);
}

TEST_F(LentThreads, serve_the_run_of_the_highest_priority_first) {
  for (const char* name : {"low", "high", "unasked"}) add_both(name);
  add_both("hold", "TestHold");
  SessionOptions one_thread;
  one_thread.inter_op_pools = {{1, ""}};
  Session& s = open(one_thread);
  auto in_thread = [&](const std::string& fetch, bool handler, int64_t priority) {
    RunOptions options;
    options.use_run_handler_pool = handler;
    options.priority = priority;
    return std::jthread([&s, fetch, options] { EXPECT_TRUE(run(s, fetch, options).ok()); });
  };
  std::jthread hold = in_thread("hold", true, 9);
  while (held == 0) std::this_thread::yield();
  await_waiting(1);
  std::jthread low = in_thread("low", true, 1);
  await_waiting(3);
  // Priorities count only among runs that ask for it.
  std::jthread unasked = in_thread("unasked", false, 8);
  await_waiting(5);
  std::jthread high = in_thread("high", true, 2);
  await_waiting(7);
  let_go = true;
  for (std::jthread* t : {&hold, &low, &unasked, &high}) t->join();
  EXPECT_THAT(names, ElementsAre("high/a", "high/b", "low/a", "low/b", "unasked/a", "unasked/b"));
}

// --- pools of sessions ---

TEST_F(LentThreads, s059_of_a_global_pool_are_as_many_as_its_first_session_asked_for) {
  const absl::Status refused = absl::InvalidArgumentError(
      "Pool foo configured previously with num_threads=0; cannot re-configure with num_threads=1");
  auto created = [&](int num_threads) {
    SessionOptions options;
    options.inter_op_pools = {{num_threads, "foo"}};
    auto session = Session::open(*runtime_, options);
    EXPECT_TRUE(session.ok()) << session.status();
    const absl::Status first = (*session)->create(graph_.clone());
    EXPECT_EQ((*session)->create(Graph(ops_.get())).ok(), first.ok()) << "a graph without nodes, too";
    EXPECT_EQ(run(**session, "both").ok(), first.ok());
    return first;
  };
  EXPECT_EQ(created(0), absl::OkStatus());
  EXPECT_EQ(created(0), absl::OkStatus());
  EXPECT_EQ(created(1), refused);
  for (int n = 2; n < 128; ++n) {
    const absl::Status status = created(n);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("num_threads=", n)));
  }
  EXPECT_TRUE(runtime_->impl().live_sessions().empty());
  EXPECT_EQ(created(1), refused) << "after all its sessions have ended";
}

TEST_F(LentThreads, of_a_pool_that_is_not_there_are_refused) {
  Session& s = open();
  for (int pool : {-2, 1}) {
    RunOptions options;
    options.inter_op_pool = pool;
    EXPECT_EQ(run(s, "both", options).status(),
              absl::InvalidArgumentError(absl::StrCat("Invalid inter_op_thread_pool: ", pool)));
  }
}

}  // namespace
}  // namespace troupe::test
