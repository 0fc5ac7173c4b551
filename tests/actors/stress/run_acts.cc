// Runs of every kind: waited for or not, in turns of their fetches, on lent threads, of functions and callables.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <mutex>

#include "tests/actors/stress/questions.h"
#include "tests/actors/two_threads.h"

namespace troupe::test {
namespace {

using std::chrono::milliseconds;

void run(Player& p) {
  const Asking a = any_question(p);
  a.check(p.answers(), Asked::kRun, p.shared()->mark.get(), p.session().run(a.feeds(), {a.question->fetch}));
}

void run_without_a_feed(Player& p) {
  auto fetched = p.session().run({{"twice", scalar(p.number())}}, {"beside"});
  EXPECT_FALSE(p.good(Asked::kHungryRun, fetched.status())) << "far needs x";
}

void run_that_hangs(Player& p) {
  RunOptions options;
  options.timeout = milliseconds(1 + p.below(20));
  auto fetched = p.session().run({{"x", scalar(1)}}, {"hang"}, {}, options);
  EXPECT_FALSE(p.good(Asked::kTimedRun, fetched.status()));
}

void begin_run(Player& p) {
  const Asking a = any_question(p);
  using Ended = std::promise<absl::StatusOr<std::vector<Tensor>>>;
  auto ended = std::make_shared<Ended>();
  AsyncRun run =
      p.session().run_async(a.feeds(), {a.question->fetch}, {}, {},
                            [ended, prop = std::make_shared<Prop>()](auto fetched, const RunStats&) {
                              ended->set_value(std::move(fetched));
                            });
  if (p.once_in(5)) run.cancel("a player's whim");
  p.wait_later([a, run, answer = ended->get_future().share(), shared = p.shared(), answers = &p.answers()] {
    a.check(*answers, Asked::kRun, shared->mark.get(), answer.get());
    EXPECT_TRUE(run.over());
  });
}

/// What is heard of a streamed run: each fetch once, and the end last.
class Heard : public Prop {
 public:
  Heard(float x, float y, std::vector<std::string> fetches) : x_(x), y_(y), fetches_(std::move(fetches)) {}
  void hear(size_t index, const Tensor& value) {
    std::lock_guard lock(mu_);
    EXPECT_FALSE(ended_);
    ASSERT_LT(index, fetches_.size());
    heard_.push_back(index);
    EXPECT_EQ(value.value<float>(), fetches_[index] == "twice" ? x_ + x_ : x_ + y_);
  }
  void end(const absl::StatusOr<std::vector<Tensor>>& fetched) {
    std::lock_guard lock(mu_);
    EXPECT_FALSE(std::exchange(ended_, true)) << "it ends once";
    if (fetched.ok()) {
      EXPECT_EQ(fetched->size(), fetches_.size());
      std::sort(heard_.begin(), heard_.end());
      EXPECT_EQ(heard_.size(), fetches_.size());
      EXPECT_EQ(std::adjacent_find(heard_.begin(), heard_.end()), heard_.end());
    }
    status_.set_value(fetched.status());
  }
  absl::Status await_end() { return status_.get_future().get(); }

 private:
  const float x_;
  const float y_;
  const std::vector<std::string> fetches_;
  std::mutex mu_;
  std::vector<size_t> heard_;  // guarded by mu_
  bool ended_ = false;         // guarded by mu_
  std::promise<absl::Status> status_;
};

void stream(Player& p) {
  const float x = p.number();
  const float y = p.number();
  std::vector<std::string> fetches{"sum", "twice"};
  if (p.once_in(3)) fetches.pop_back();
  const auto heard = std::make_shared<Heard>(x, y, fetches);
  const StreamedRun run = p.session().run_streamed(
      {{"x", scalar(x)}, {"y", scalar(y)}}, fetches, {},
      [heard](size_t index, const Tensor& value) { heard->hear(index, value); },
      [heard](const auto& fetched, const RunStats&) { heard->end(fetched); });
  const bool cancelled = p.once_in(4);
  if (cancelled) run.cancel();
  p.wait_later([heard, run, shared = p.shared(), answers = &p.answers()] {
    (void)answers->good(Asked::kStream, shared->mark.get(), heard->await_end());
    run.cancel();
  });
}

/// Pools by number, threads of the player's own, priorities; all that a run may report.
void run_with_options(Player& p) {
  TwoThreads threads;
  RunOptions options;
  static constexpr int kPools[] = {0, 0, -1, 1, 9};
  options.inter_op_pool = kPools[p.below(std::size(kPools))];
  if (p.once_in(3)) options.inter_op_threads = &threads;
  if (p.once_in(3)) options.intra_op_threads = &threads;
  options.use_run_handler_pool = p.once_in(2);
  options.priority = p.below(5);
  options.collect_stats = p.once_in(3);
  options.output_partition_graphs = p.once_in(3);
  options.report_tensor_allocations_upon_oom = p.once_in(3);
  const Asking a = any_question(p);
  RunStats stats;
  const auto fetched = p.session().run(a.feeds(), {a.question->fetch}, {}, options, &stats);
  if (!a.check(p.answers(), Asked::kPooledRun, p.shared()->mark.get(), fetched)) return;
  if (options.collect_stats || options.output_partition_graphs) {
    EXPECT_FALSE(stats.metadata.empty());
  }
  if (options.inter_op_threads == nullptr) {
    EXPECT_NE(options.inter_op_pool, 9);
  }
}

void call_functions(Player& p) {
  auto fetched = p.session().run({{"x", scalar(7)}}, {"call"});
  if (p.good(Asked::kRun, fetched.status())) {
    EXPECT_EQ(fetched->at(0).value<float>(), 13);
  }
}

void run_callable(Player& p) {
  const Asking a = any_question(p);
  CallableOptions options;
  options.feeds = a.question->feeds;
  options.fetches = {a.question->fetch};
  auto handle = p.session().make_callable(options);
  if (!p.good(Asked::kMakeCallable, handle.status())) return;
  const std::vector<Tensor> values = a.values();
  for (unsigned i = p.below(5); i > 0; --i) {
    std::vector<Tensor> fetched(1);
    const absl::Status s = p.session().run_callable(*handle, values, fetched);
    if (p.good(Asked::kRunCallable, s)) {
      EXPECT_EQ(fetched[0].value<float>(), a.question->answer(a.x, a.y));
    }
  }
  // Some are left to the session.
  if (!p.once_in(10)) (void)p.good(Asked::kReleaseCallable, p.session().release_callable(*handle));
}

void use_a_variable(Player& p) {
  auto put = p.session().run({{"x", scalar(p.number())}}, {}, {"put"});
  if (!p.good(Asked::kRun, put.status())) return;
  auto got = p.session().run({}, {"got"});
  if (!p.good(Asked::kRead, got.status())) return;
  // Another's, if not his own.
  const float value = got->at(0).value<float>();
  EXPECT_TRUE(value >= 0 && value < 1000 && value == static_cast<int>(value)) << value;
}

const Act kActs[] = {
    {"a run", 300, run},
    {"a run without a feed", 30, run_without_a_feed},
    {"a run with a deadline", 40, run_that_hangs},
    {"a run that it does not wait for", 130, begin_run},
    {"a streamed run", 60, stream},
    {"a run with options", 40, run_with_options},
    {"a run that calls functions", 60, call_functions},
    {"a callable", 40, run_callable},
    {"a variable", 40, use_a_variable},
};

}  // namespace

std::span<const Act> run_acts() { return kActs; }

}  // namespace troupe::test
