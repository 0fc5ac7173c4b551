#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <deque>
#include <random>
#include <thread>

#include "actors/runtime_impl.h"
#include "tests/actors/called_functions.h"
#include "tests/actors/stress/stage.h"
#include "tests/actors/stress/watchdog.h"

namespace troupe::test {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;

constexpr size_t kThreads = 16;
constexpr size_t kSessions = 8;
constexpr std::chrono::seconds kPatience{60};

int from_environment(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

/// A signature of the stage's graph, and what it makes of x and y.
struct Question {
  std::vector<std::string> feeds;
  std::string fetch;
  float (*answer)(float x, float y);
};
const Question kQuestions[] = {
    {{"x"}, "twice", [](float x, float) { return x + x; }},
    {{"x", "y"}, "sum", [](float x, float y) { return x + y; }},
    {{"y", "x"}, "sum:0", [](float x, float y) { return x + y; }},
    {{"x"}, "far", [](float x, float) { return x + x; }},
    {{"x"}, "beside", [](float x, float) { return 4 * x; }},
    {{"x"}, "nap", [](float x, float) { return x; }},
    {{"twice"}, "beside", nullptr},  // far needs x
};

/// What one of the threads does, and what it may be answered. Runs are cancelled, and sessions closed, by all others.
class Player {
 public:
  Player(Stage* stage, Watchdog* watchdog, size_t number, unsigned seed)
      : stage_(stage), watchdog_(watchdog), number_(number),
        random_(seed * 1000 + static_cast<unsigned>(number)) {}

  void play(std::chrono::steady_clock::time_point until) {
    while (std::chrono::steady_clock::now() < until) act();
    at("waiting for its runs");
    while (!outstanding_.empty()) take_oldest();
    mine_.reset();
    at(nullptr);
  }

 private:
  /// Weights: how often of a thousand.
  void act() {
    if (mine_ == nullptr || below(20) == 0) mine_ = stage_->any(random_());
    const unsigned what = below(1000);
    if (what < 400) return run();
    if (what < 550) return begin_run();
    if (what < 650) return run_in_turns();
    if (what < 750) return call();
    if (what < 800) return run_callable();
    if (what < 850) return hang();
    if (what < 890) return cancel_one();
    if (what < 900) return cancel_all();
    if (what < 940) return look();
    if (what < 970) return extend();
    if (what < 980) return listen();
    if (what < 985) return reset();
    if (what < 990) return close();
    at("opening a session");
    stage_->renew(random_());
  }

  void run() {
    at("a run");
    const Question& q = kQuestions[below(std::size(kQuestions))];
    const float x = number();
    const float y = number();
    check(q, x, y, session().run(feeds_of(q, x, y), {q.fetch}));
  }

  void begin_run() {
    at("a run that it does not wait for");
    const Question& q = kQuestions[below(std::size(kQuestions) - 1)];
    const float x = number();
    const float y = number();
    outstanding_.push_back({mine_, &q, x, y, session().run_async(feeds_of(q, x, y), {q.fetch})});
    if (outstanding_.size() > 20) take_oldest();
  }

  void take_oldest() {
    Outstanding& o = outstanding_.front();
    check(*o.question, o.x, o.y, o.answer.get());
    outstanding_.pop_front();
  }

  void run_in_turns() {
    at("a partial run");
    const float x = number();
    const float y = number();
    auto handle = session().partial_run_setup({"x", "y"}, {"twice", "sum"}, {}, milliseconds(200));
    if (!handle.ok()) return expect_stopped(handle.status());
    if (below(4) == 0) return;  // its lease will be over
    auto first = session().partial_run(*handle, {{"x", Tensor::scalar<float>(x)}}, {"twice"});
    if (!first.ok()) return expect_partial_stopped(first.status());
    EXPECT_EQ(first->at(0).value<float>(), x + x);
    if (below(4) == 0) return;
    auto second = session().partial_run(*handle, {{"y", Tensor::scalar<float>(y)}}, {"sum"});
    if (!second.ok()) return expect_partial_stopped(second.status());
    EXPECT_EQ(second->at(0).value<float>(), x + y);
  }

  void call() {
    at("a run that calls functions");
    auto fetched = session().run({{"x", Tensor::scalar<float>(7)}}, {"call"});
    if (!fetched.ok()) return expect_stopped(fetched.status());
    EXPECT_EQ(fetched->at(0).value<float>(), 13);
  }

  void run_callable() {
    at("a callable");
    CallableOptions options;
    options.feeds = {"x"};
    options.fetches = {"beside"};
    auto handle = session().make_callable(options);
    if (!handle.ok()) return expect_stopped(handle.status());
    const float x = number();
    const Tensor feed = Tensor::scalar<float>(x);
    for (unsigned i = below(5); i > 0; --i) {
      Tensor fetched;
      absl::Status s = session().run_callable(*handle, {&feed, 1}, {&fetched, 1});
      if (s.ok()) {
        EXPECT_EQ(fetched.value<float>(), 4 * x);
      } else {
        expect_stopped(s);
      }
    }
    absl::Status released = session().release_callable(*handle);
    if (!released.ok()) expect_stopped(released);
  }

  void hang() {
    at("a run with a deadline");
    RunOptions options;
    options.timeout = milliseconds(1 + below(20));
    absl::Status s = session().run({{"x", Tensor::scalar<float>(1)}}, {"hang"}, {}, options).status();
    EXPECT_TRUE(s.code() == StatusCode::kDeadlineExceeded || s.code() == StatusCode::kCancelled) << s;
  }

  void cancel_one() {
    at("cancelling a step");
    auto steps = session().inspect();
    if (!steps.ok()) return expect_stopped(steps.status());
    if (steps->empty()) return;
    absl::Status s = session().cancel_step(steps->at(below(steps->size())).step_id);
    EXPECT_TRUE(s.ok() || s.code() == StatusCode::kNotFound || s.code() == StatusCode::kCancelled) << s;
  }

  void cancel_all() {
    at("cancelling all steps");
    auto s = session().cancel();
    if (!s.ok()) expect_stopped(s.status());
  }

  void look() {
    at("looking");
    EXPECT_GE(session().counters().running_steps, 0);
    auto devices = session().list_devices();
    ASSERT_TRUE(devices.ok()) << devices.status();
    EXPECT_EQ(devices->size(), 2U);
  }

  void extend() {
    at("extending");
    const int n = mine_->next_node++;
    const std::string name = "more" + std::to_string(n);
    tensorflow::GraphDef more;
    tensorflow::NodeDef& node = *more.add_node();
    node.set_name(name);
    node.set_op("TestAdd");
    node.add_input("x");
    node.add_input("twice");
    absl::Status s = session().extend(more);
    if (!s.ok()) return expect_stopped(s);
    const float x = number();
    auto fetched = session().run({{"x", Tensor::scalar<float>(x)}}, {name});
    if (!fetched.ok()) return expect_stopped(fetched.status());
    EXPECT_EQ(fetched->at(0).value<float>(), 3 * x);
  }

  void listen() {
    at("listening");
    std::atomic<int> heard{0};
    auto subscription = session().subscribe([&](const StepEvent&) { ++heard; }, milliseconds(1));
    if (!subscription.ok()) return expect_stopped(subscription.status());
    run();
  }

  void reset() {
    at("dropping the containers");
    absl::Status s = session().clear_containers({});
    if (!s.ok()) expect_stopped(s);
  }

  void close() {
    at("closing");
    EXPECT_TRUE(session().close().ok());
    mine_.reset();
  }

  static std::vector<NamedTensor> feeds_of(const Question& q, float x, float y) {
    std::vector<NamedTensor> feeds;
    for (const std::string& f : q.feeds) feeds.push_back({f, Tensor::scalar<float>(f == "y" ? y : x)});
    return feeds;
  }

  static void check(const Question& q, float x, float y, const absl::StatusOr<std::vector<Tensor>>& fetched) {
    if (q.answer == nullptr && fetched.status().code() == StatusCode::kInvalidArgument) return;
    if (!fetched.ok()) return expect_stopped(fetched.status());
    ASSERT_NE(q.answer, nullptr);
    EXPECT_EQ(fetched->at(0).value<float>(), q.answer(x, y));
  }

  /// Somebody has cancelled it, or closed the session.
  static void expect_stopped(const absl::Status& s) { EXPECT_EQ(s.code(), StatusCode::kCancelled) << s; }
  /// Or it had ended, of which another turn knows nothing any more.
  static void expect_partial_stopped(const absl::Status& s) {
    EXPECT_TRUE(s.code() == StatusCode::kCancelled || s.code() == StatusCode::kInvalidArgument ||
                s.code() == StatusCode::kDeadlineExceeded)
        << s;
  }

  Session& session() { return *mine_->session; }
  void at(const char* what) { watchdog_->at(number_, what); }
  unsigned below(size_t bound) { return static_cast<unsigned>(random_() % bound); }
  float number() { return static_cast<float>(below(1000)); }

  struct Outstanding {
    std::shared_ptr<SharedSession> session;
    const Question* question;
    float x;
    float y;
    std::future<absl::StatusOr<std::vector<Tensor>>> answer;
  };

  Stage* const stage_;
  Watchdog* const watchdog_;
  const size_t number_;
  std::mt19937 random_;
  std::shared_ptr<SharedSession> mine_;
  std::deque<Outstanding> outstanding_;
};

class StressTest : public CalledFunctions {
 protected:
  static void print_frontiers(const Stage& stage) {
    for (const auto& shared : stage.all()) {
      auto steps = shared->session->inspect();
      if (!steps.ok()) continue;
      for (const StepReport& step : *steps) {
        std::fprintf(stderr, "step %ld, %ld us:", static_cast<long>(step.step_id),
                     static_cast<long>(step.age.count()));
        for (const std::string& node : step.frontier) std::fprintf(stderr, " [%s]", node.c_str());
        std::fprintf(stderr, "\n");
      }
    }
  }
};

TEST_F(StressTest, leaves_right_answers_and_nothing_else) {
  const unsigned seed = static_cast<unsigned>(from_environment("TROUPE_STRESS_SEED", 1));
  const std::chrono::seconds seconds(from_environment("TROUPE_STRESS_SECONDS", 5));
  SCOPED_TRACE("seed " + std::to_string(seed));
  Stage stage(*runtime_, graph_of(stage_nodes()), kSessions);
  {
    Watchdog watchdog(kThreads, kPatience, [&] { print_frontiers(stage); });
    std::vector<std::thread> threads;
    const auto until = std::chrono::steady_clock::now() + seconds;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { Player(&stage, &watchdog, i, seed).play(until); });
    }
    for (std::thread& t : threads) t.join();
  }
  for (const auto& shared : stage.all()) {
    EXPECT_TRUE(shared->session->wait_idle(kPatience).ok());
    EXPECT_EQ(shared->session->counters().running_steps, 0);
  }
  stage.clear();
  EXPECT_TRUE(runtime_->impl().live_sessions().empty());
  const auto begin = std::chrono::steady_clock::now();
  while (*runtime_->impl().live_slots > 0 && std::chrono::steady_clock::now() - begin < kPatience)
    std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(*runtime_->impl().live_slots, 0);
}

}  // namespace
}  // namespace troupe::test
