// A session that ends while others wait for it: everybody gets an answer, nothing stays counted in, and who waits for the
// end says what for.
#include <caf/all.hpp>
#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <future>
#include <sstream>

#include "actors/errors.h"
#include "actors/runtime_impl.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{20};

/// When it goes it says whether its session was still there.
class Leaver final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<Leaver>();
  }
  ~Leaver() override { found_session.push_back(!session.expired()); }
  absl::Status compute(KernelContext& c) override {
    c.forward_input(0, 0);
    return absl::OkStatus();
  }
  static inline std::weak_ptr<SessionCore> session;
  static inline std::vector<bool> found_session;
};
constexpr OpRow kLeave[] = {{"TestLeave", "x:float", "z:float", "", ""}};

/// "hang" waits until it is cancelled; "deaf" sleeps half a second without looking; "quick" is x + x.
class SessionEnd : public SessionTest {
 protected:
  SessionEnd() {
    const int x = placeholder("x");
    add("hang", "TestHang", {}, {{x, 0}});
    add("deaf", "TestDeaf", {{"micros", 500'000}}, {{x, 0}});
    add("quick", "TestAdd", {}, {{x, 0}, {x, 0}});
  }

  std::shared_ptr<SessionCore> core() { return runtime_->impl().live_sessions().at(0); }
  static std::vector<NamedTensor> x() { return {{"x", Tensor::scalar<float>(1)}}; }

  /// Asks SESSION, does `meanwhile`, and expects an answer: Cancelled, or Unavailable from a SESSION that is gone.
  template <class... Reply, class Message>
  void expect_answered(Message message, const std::function<void()>& meanwhile) {
    caf::scoped_actor self{runtime_->system()};
    auto pending = self->request(core()->actor, kPatience, std::move(message));
    meanwhile();
    pending.receive([](const Reply&...) { ADD_FAILURE() << "it ended well"; },
                    [](caf::error& e) {
                      const absl::Status end = to_status(e);
                      EXPECT_TRUE(absl::IsCancelled(end) || absl::IsUnavailable(end)) << end;
                    });
  }

  void wait_until_hanging(const std::shared_ptr<SessionCore>& core, size_t steps) {
    auto running = [&] {
      size_t n = 0;
      for (const auto& weak : core->slots()) {
        auto slot = weak.lock();
        n += slot != nullptr && slot->report_from_outside().step_id != 0;
      }
      return n;
    };
    while (running() < steps) std::this_thread::yield();
  }

  void kill(const std::shared_ptr<SessionCore>& core, caf::exit_reason why) {
    caf::anon_send_exit(core->actor, why);
  }
};

TEST_F(SessionEnd, answers_a_run_by_message_and_leaves_the_gate) {
  for (caf::exit_reason why : {caf::exit_reason::user_shutdown, caf::exit_reason::kill}) {
    open();
    auto c = core();
    expect_answered<RunReply>(RunRequest{x(), {"hang"}, {}, {}}, [&] {
      wait_until_hanging(c, 1);
      kill(c, why);
    });
    EXPECT_TRUE(c->gate.wait_idle(kPatience)) << "nobody left the gate";
    c.reset();
    session_.reset();
  }
}

TEST_F(SessionEnd, answers_a_callable_by_message) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"x"};
  options.fetches = {"hang"};
  const CallableHandle handle = *s.make_callable(options);
  auto c = core();
  expect_answered<RunReply>(RunCallable{handle, {Tensor::scalar<float>(1)}}, [&] {
    wait_until_hanging(c, 1);
    kill(c, caf::exit_reason::user_shutdown);
  });
  EXPECT_TRUE(c->gate.wait_idle(kPatience));
}

TEST_F(SessionEnd, answers_those_who_wait_for_a_compiler) {
  const int one = constant("one", Tensor::scalar<float>(1));
  const int hold = add("hold", "TestHold", {}, {{one, 0}});
  add("held", "TestAdd", {}, {{hold, 0}, {graph_.find("x")->id, 0}});
  CallableOptions options;
  options.feeds = {"x"};
  options.fetches = {"held"};
  for (int what = 0; what < 3; ++what) {
    open();
    auto c = core();
    auto end = [&] {
      while (held <= what) std::this_thread::yield();
      kill(c, caf::exit_reason::user_shutdown);
    };
    if (what == 0) expect_answered<CallableReply>(MakeCallable{options}, end);
    if (what == 1) {
      expect_answered<std::string, PartialRunActor>(PartialRunSetup{{"x"}, {"held"}, {}}, end);
    }
    if (what == 2) expect_answered<RunReply>(RunRequest{x(), {"held"}, {}, {}}, end);
    EXPECT_TRUE(c->gate.wait_idle(kPatience));
    c.reset();
    session_.reset();
  }
}

TEST_F(SessionEnd, answers_the_turn_of_a_partial_run) {
  Session& s = open();
  const std::string handle = *s.partial_run_setup({"x"}, {"hang", "quick"});
  auto c = core();
  expect_answered<RunReply>(PartialRunRequest{handle, x(), {"hang"}},
                            [&] { kill(c, caf::exit_reason::user_shutdown); });
  EXPECT_TRUE(c->gate.wait_idle(kPatience));
}

TEST_F(SessionEnd, answers_a_turn_whose_step_dies) {
  Session& s = open();
  const std::string handle = *s.partial_run_setup({"x"}, {"hang"});
  auto c = core();
  auto turn = std::async(std::launch::async, [&] { return s.partial_run(handle, x(), {"hang"}).status(); });
  wait_until_hanging(c, 1);
  for (const auto& weak : c->slots()) {
    if (auto slot = weak.lock()) caf::anon_send_exit(slot->step, caf::exit_reason::kill);
  }
  ASSERT_EQ(turn.wait_for(kPatience), std::future_status::ready) << "nobody noticed";
  EXPECT_FALSE(turn.get().ok());
  EXPECT_TRUE(c->gate.wait_idle(kPatience));
}

TEST_F(SessionEnd, answers_an_inspection) {
  Session& s = open();
  auto step = std::async(std::launch::async, [&] { return s.run(x(), {"deaf"}).status(); });
  auto c = core();
  wait_until_hanging(c, 1);
  expect_answered<InspectReply>(InspectRequest{}, [&] { kill(c, caf::exit_reason::user_shutdown); });
  (void)step.get();
}

TEST_F(SessionEnd, leaves_no_slot_behind) {
  open();
  auto c = core();
  expect_answered<RunReply>(RunRequest{x(), {"hang"}, {}, {}}, [&] {
    wait_until_hanging(c, 1);
    kill(c, caf::exit_reason::user_shutdown);
  });
  c.reset();
  session_.reset();
  const auto end = Clock::now() + kPatience;
  while (runtime_->impl().live_slots->load() > 0 && Clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(runtime_->impl().live_slots->load(), 0);
}

TEST_F(SessionEnd, waits_for_a_run_no_longer_than_its_patience_and_names_it) {
  std::ostringstream text;
  auto before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
  SessionOptions options;
  options.close_patience = std::chrono::milliseconds(50);
  open(options);
  auto step =
      std::async(std::launch::async, [&, s = session_.get()] { return s->run(x(), {"deaf"}).status(); });
  while (deafened == 0) std::this_thread::yield();
  const auto begin = Clock::now();
  session_.reset();
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(400));
  spdlog::set_default_logger(before);
  EXPECT_THAT(text.str(), HasSubstr("1 runs did not end within 50 ms"));
  EXPECT_THAT(text.str(), HasSubstr("fetches deaf"));
  EXPECT_THAT(text.str(), HasSubstr("deaf (TestDeaf) on /job:localhost"));
  EXPECT_FALSE(step.get().ok());
}

TEST_F(SessionEnd, kernels_go_before_the_session_whose_resources_they_clear_away) {
  EXPECT_TRUE(ops_->add(kLeave).ok());
  kernels_->add(KernelDef("TestLeave").kernel<Leaver>());
  add("leave", "TestLeave", {}, {{graph_.find("x")->id, 0}});
  ASSERT_TRUE(open().run(x(), {"leave"}).ok());
  auto c = core();
  std::shared_ptr<StepSlot> last = c->slots().at(0).lock();
  ASSERT_NE(last, nullptr);
  Leaver::session = c;
  Leaver::found_session.clear();
  c.reset();
  session_.reset();
  EXPECT_FALSE(Leaver::session.expired());
  // Its actors let go of it in their own time.
  const auto end = Clock::now() + kPatience;
  while (last.use_count() > 1 && Clock::now() < end) std::this_thread::yield();
  last.reset();
  EXPECT_THAT(Leaver::found_session, testing::ElementsAre(true));
}

// --- messages of a step that is over ---

TEST_F(SessionEnd, stale_messages_of_a_step_do_not_end_the_next_one) {
  Session& s = open();
  auto step = std::async(std::launch::async, [&] { return s.run(x(), {"hang"}).status(); });
  auto c = core();
  wait_until_hanging(c, 1);
  std::shared_ptr<StepSlot> slot;
  for (const auto& weak : c->slots()) {
    if (auto found = weak.lock()) slot = found;
  }
  const int64_t stale = slot->life.id() + 1'000'000;
  for (const auto& e : slot->executors) {
    caf::anon_send(e, AbortExecutor{stale, absl::CancelledError("of another step")});
  }
  EXPECT_EQ(step.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  ASSERT_TRUE(s.cancel("now").ok());
  EXPECT_THAT(std::string(step.get().message()), HasSubstr("now"));
}

}  // namespace
}  // namespace troupe::test
