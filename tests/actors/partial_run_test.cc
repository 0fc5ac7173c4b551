#include <gmock/gmock.h>

#include <caf/all.hpp>
#include <thread>

#include "actors/interfaces.h"
#include "actors/runtime.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

std::string text(const absl::Status& s) { return std::string(s.message()); }
Tensor f(float value) { return Tensor::scalar<float>(value); }

/// a and b are fed; ia = a, ib = b, sum = a + b.
class PartialRunTest : public SessionTest {
 protected:
  PartialRunTest() {
    int a = placeholder("a");
    int b = placeholder("b");
    add("ia", "Identity", {{"T", DataType::kFloat}}, {{a, 0}});
    add("ib", "Identity", {{"T", DataType::kFloat}}, {{b, 0}});
    add("sum", "TestAdd", {}, {{a, 0}, {b, 0}});
  }

  std::string setup(Session& s) {
    auto handle = s.partial_run_setup({"a", "b"}, {"ia:0", "ib:0", "sum:0"});
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.ok() ? *handle : "";
  }
};

TEST_F(PartialRunTest, s045_feeds_and_fetches_in_turns) {
  Session& s = open();
  std::string handle = setup(s);
  auto first = s.partial_run(handle, {{"a", f(11)}}, {"ia:0"});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)[0].value<float>(), 11);
  auto second = s.partial_run(handle, {{"b", f(22)}}, {"sum:0", "ib:0"});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)[0].value<float>(), 33);
  EXPECT_EQ((*second)[1].value<float>(), 22);
  auto third = s.partial_run(handle, {}, {"sum:0"});
  EXPECT_THAT(text(third.status()), HasSubstr("Must run 'setup' before performing partial runs!"));
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(PartialRunTest, uses_the_compiled_signature_and_its_slot_again) {
  Session& s = open();
  for (int i = 0; i < 200; ++i) {
    std::string handle = setup(s);
    auto out =
        s.partial_run(handle, {{"b", f(1)}, {"a", f(static_cast<float>(i))}}, {"sum:0", "ia:0", "ib:0"});
    ASSERT_TRUE(out.ok()) << out.status();
    ASSERT_EQ((*out)[0].value<float>(), i + 1);
  }
  EXPECT_EQ(s.counters().signature_misses, 1);
}

TEST_F(PartialRunTest, s046_refuses_a_fetch_that_needs_a_feed_to_come_and_goes_on) {
  Session& s = open();
  std::string handle = setup(s);
  auto early = s.partial_run(handle, {{"a", f(1)}}, {"sum:0"});
  EXPECT_EQ(early.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(text(early.status()),
              HasSubstr("Fetch b:0 can't be computed from the feeds that have been fed so far"));
  auto later = s.partial_run(handle, {{"a", f(1)}, {"b", f(2)}}, {"sum:0"});
  ASSERT_TRUE(later.ok()) << later.status();
  EXPECT_EQ((*later)[0].value<float>(), 3);
}

TEST_F(PartialRunTest, s394_s395_s396_s397_names_what_was_not_declared_or_is_done) {
  Session& s = open();
  std::string handle = setup(s);
  EXPECT_THAT(text(s.partial_run(handle, {{"c", f(1)}}, {}).status()),
              HasSubstr("The feed c was not specified in partial_run_setup."));
  EXPECT_THAT(text(s.partial_run(handle, {}, {"c:0"}).status()),
              HasSubstr("The fetch c:0 was not specified in partial_run_setup."));
  ASSERT_TRUE(s.partial_run(handle, {{"a", f(1)}}, {"ia:0"}).ok());
  EXPECT_THAT(text(s.partial_run(handle, {{"a", f(1)}}, {}).status()),
              HasSubstr("The feed a has already been fed."));
  EXPECT_THAT(text(s.partial_run(handle, {}, {"ia:0"}).status()),
              HasSubstr("The fetch ia:0 has already been fetched."));
  EXPECT_THAT(text(s.partial_run("nonsense", {}, {"ia:0"}).status()),
              HasSubstr("Must run 'setup' before performing partial runs!"));
}

TEST_F(PartialRunTest, s398_checks_the_signature_when_it_is_set_up) {
  Session& s = open();
  EXPECT_EQ(s.partial_run_setup({"nobody"}, {"sum:0"}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(text(s.partial_run_setup({}, {}).status()), HasSubstr("Must specify at least one target"));
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(PartialRunTest, tells_the_waiting_turn_why_a_kernel_failed) {
  int a = graph_.find("a")->id;
  add("bad", "TestFail", {}, {{a, 0}});
  Session& s = open();
  auto handle = s.partial_run_setup({"a"}, {"bad:0"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  auto out = s.partial_run(*handle, {{"a", f(1)}}, {"bad:0"});
  EXPECT_THAT(text(out.status()), HasSubstr("told to fail"));
  EXPECT_THAT(text(out.status()), HasSubstr("{{node bad}}"));
  EXPECT_THAT(text(s.partial_run(*handle, {}, {"bad:0"}).status()), HasSubstr("Must run 'setup'"));
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
}

TEST_F(PartialRunTest, is_cancelled_like_any_step) {
  Session& s = open();
  std::string handle = setup(s);
  ASSERT_TRUE(s.partial_run(handle, {{"a", f(1)}}, {"ia:0"}).ok());
  auto cancelled = s.cancel("enough");
  ASSERT_TRUE(cancelled.ok());
  EXPECT_EQ(*cancelled, 1);
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
  auto out = s.partial_run(handle, {{"b", f(2)}}, {"sum:0"});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kCancelled) << out.status();
  EXPECT_THAT(text(out.status()), HasSubstr("enough"));
  std::string again = setup(s);
  EXPECT_TRUE(s.partial_run(again, {{"a", f(1)}, {"b", f(2)}}, {"sum:0"}).ok());
}

TEST_F(PartialRunTest, s061_ends_with_its_session) {
  Session& s = open();
  std::string handle = setup(s);
  ASSERT_TRUE(s.close().ok());
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
  EXPECT_EQ(s.partial_run(handle, {{"a", f(1)}}, {"ia:0"}).status(),
            absl::CancelledError("Session has been closed."));
}

TEST_F(PartialRunTest, is_abandoned_when_its_lease_is_over) {
  SessionOptions options;
  options.partial_run_lease = std::chrono::milliseconds(20);
  Session& s = open(options);
  std::string handle = setup(s);
  ASSERT_TRUE(s.partial_run(handle, {{"a", f(1)}}, {"ia:0"}).ok());
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok()) << "its step must end without anybody's help";
  EXPECT_FALSE(s.partial_run(handle, {{"b", f(2)}}, {"sum:0"}).ok());
}

TEST_F(PartialRunTest, takes_turns_from_many_threads) {
  Session& s = open();
  for (int round = 0; round < 20; ++round) {
    std::string handle = setup(s);
    absl::StatusOr<std::vector<Tensor>> sum;
    std::thread waits([&] { sum = s.partial_run(handle, {{"a", f(1)}}, {"ia:0"}); });
    auto other = s.partial_run(handle, {{"b", f(2)}}, {"ib:0"});
    waits.join();
    ASSERT_TRUE(sum.ok()) << sum.status();
    ASSERT_TRUE(other.ok()) << other.status();
    auto last = s.partial_run(handle, {}, {"sum:0"});
    ASSERT_TRUE(last.ok()) << last.status();
    EXPECT_EQ((*last)[0].value<float>(), 3);
  }
}

TEST_F(PartialRunTest, runs_targets_only) {
  Session& s = open();
  auto handle = s.partial_run_setup({"a"}, {}, {"ia"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  auto out = s.partial_run(*handle, {{"a", f(1)}}, {});
  EXPECT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(PartialRunTest, is_a_conversation_between_actors_too) {
  open();
  caf::scoped_actor self{runtime_->system()};
  SessionActor session;
  self->request(runtime_actor(*runtime_), caf::infinite, OpenSession{})
      .receive([&](const SessionActor& a) { session = a; }, [](caf::error& e) { FAIL() << to_string(e); });
  self->request(session, caf::infinite, CreateGraph{nullptr, std::make_shared<const Graph>(graph_.clone())})
      .receive([](Done) {}, [](caf::error& e) { FAIL() << to_string(e); });
  PartialRunActor run;
  self->request(session, caf::infinite, PartialRunSetup{{"a", "b"}, {"sum:0"}, {}})
      .receive([&](const std::string&, const PartialRunActor& a) { run = a; },
               [](caf::error& e) { FAIL() << to_string(e); });
  self->request(run, caf::infinite, PartialRunTurn{{{"a", f(1)}}, {}})
      .receive([](const RunReply&) {}, [](caf::error& e) { FAIL() << to_string(e); });
  self->request(run, caf::infinite, PartialRunTurn{{{"b", f(2)}}, {"sum:0"}})
      .receive([](const RunReply& r) { EXPECT_EQ(r.fetches[0].value<float>(), 3); },
               [](caf::error& e) { FAIL() << to_string(e); });
  self->send_exit(session, caf::exit_reason::user_shutdown);
}

}  // namespace
}  // namespace troupe::test
