// A debugger that takes its time: it holds the run that it is asked about, and nothing else.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include <future>
#include <stdexcept>

#include "actors/debugger.h"
#include "actors/runtime_impl.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

/// One that waits for somebody before a run begins.
class Waiting final : public Debugger {
 public:
  absl::Status publish(const WatchedValue&, const std::vector<std::string>&) override {
    return absl::OkStatus();
  }
  absl::Status begin_run(const DebugMetadata& about, const std::vector<std::string>&) override {
    if (about.global_step < 0) throw std::runtime_error("lost its way");
    entered.set_value();
    gone_on.wait();
    return absl::OkStatus();
  }
  std::promise<void> entered, go_on;
  const std::shared_future<void> gone_on = go_on.get_future().share();
};

/// Hears the end of a run by message.
class EndListener final : public RunClient::base {
 public:
  EndListener(caf::actor_config& config, std::promise<RunFinished>* end)
      : RunClient::base(config), end_(end) {}
  behavior_type make_behavior() override {
    return {[this](const RunFinished& m) { end_->set_value(m); }};
  }

 private:
  std::promise<RunFinished>* const end_;
};

/// b = a + a; c = b + b; a is fed.
class WaitingDebugger : public SessionTest {
 protected:
  WaitingDebugger() {
    const int a = placeholder("a");
    const int b = add("b", "TestAdd", {}, {{a, 0}, {a, 0}});
    add("c", "TestAdd", {}, {{b, 0}, {b, 0}});
    watched_.debug.watches.push_back({"b", 0, {"DebugIdentity"}, {"mine"}});
    RuntimeOptions options;
    options.ops = ops_.get();
    options.kernels = kernels_.get();
    options.debugger = debugger_;
    runtime_ = Runtime::create(options);
    client_ = runtime_->system().spawn<EndListener>(&end_);
  }
  ~WaitingDebugger() override {
    if (debugger_->gone_on.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      debugger_->go_on.set_value();
    session_.reset();
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
  }
  static std::vector<NamedTensor> a() { return {{"a", Tensor::scalar<float>(2)}}; }
  SessionActor actor() { return runtime_->impl().live_sessions().at(0)->actor; }
  void await_debugger() {
    ASSERT_EQ(debugger_->entered.get_future().wait_for(kPatience), std::future_status::ready);
  }

  static constexpr std::chrono::seconds kPatience{20};
  const std::shared_ptr<Waiting> debugger_ = std::make_shared<Waiting>();
  RunOptions watched_;
  std::promise<RunFinished> end_;
  RunClient client_;
};

TEST_F(WaitingDebugger, holds_the_run_that_it_is_told_of_and_not_the_session) {
  Session& s = open();
  auto fetched = s.run_async(a(), {"c:0"}, {}, watched_);
  await_debugger();
  // SESSION answers, and others run.
  EXPECT_TRUE(s.list_devices().ok());
  EXPECT_TRUE(s.run_async(a(), {"b:0"}, {}, {}).get().ok());
  EXPECT_EQ(fetched.wait_for(std::chrono::milliseconds(1)), std::future_status::timeout);
  EXPECT_EQ(s.counters().running_steps, 1);
  debugger_->go_on.set_value();
  const auto values = fetched.get();
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->at(0).value<float>(), 8);
}

TEST_F(WaitingDebugger, lets_a_client_know_of_the_begin_when_the_run_has_begun) {
  Session& s = open();
  caf::scoped_actor self{runtime_->system()};
  auto begun = self->request(actor(), kPatience, BeginRun{{a(), {"c:0"}, {}, watched_}, client_});
  await_debugger();
  EXPECT_TRUE(s.list_devices().ok());
  debugger_->go_on.set_value();
  const RunFinished end = end_.get_future().get();
  ASSERT_TRUE(end.status.ok()) << end.status;
  begun.receive(
      [&](const RunBegun& m) {
        EXPECT_EQ(m.run, end.run);
        EXPECT_EQ(m.step_id, end.reply.stats.step_id);
      },
      [](caf::error& e) { ADD_FAILURE() << to_string(e); });
}

TEST_F(WaitingDebugger, does_not_hold_a_run_that_is_cancelled) {
  Session& s = open();
  std::promise<absl::Status> ended;
  AsyncRun run = s.run_async(a(), {"c:0"}, {}, watched_, [&](const auto& fetches, const RunStats&) {
    ended.set_value(fetches.status());
  });
  await_debugger();
  EXPECT_TRUE(run.cancel("enough"));
  EXPECT_EQ(ended.get_future().get().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(run.step_id(), 0);
  debugger_->go_on.set_value();
  EXPECT_TRUE(s.wait_idle(kPatience).ok());
}

TEST_F(WaitingDebugger, that_throws_ends_its_run) {
  Session& s = open();
  watched_.debug.global_step = -1;
  const absl::Status waited_for = s.run(a(), {"c:0"}, {}, watched_).status();
  EXPECT_EQ(waited_for.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(waited_for.message()), HasSubstr("the debugger threw: lost its way"));
  EXPECT_EQ(s.run_async(a(), {"c:0"}, {}, watched_).get().status().code(), absl::StatusCode::kInternal);
  caf::scoped_actor self{runtime_->system()};
  self->request(actor(), kPatience, BeginRun{{a(), {"c:0"}, {}, watched_}, client_})
      .receive([](const RunBegun& m) { EXPECT_EQ(m.step_id, 0); },
               [](caf::error& e) { ADD_FAILURE() << to_string(e); });
  EXPECT_EQ(end_.get_future().get().status.code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace troupe::test
