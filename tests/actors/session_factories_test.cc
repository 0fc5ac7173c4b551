// How sessions come to be: by factories of the application's, which are objects or actors, for any face.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "actors/actor_session_factory.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "actors/session_factories.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SessionOptions to(std::string target) {
  SessionOptions options;
  options.target = std::move(target);
  return options;
}

/// Opens direct sessions for targets that begin with "fake".
class FakeFactory : public SessionFactory {
 public:
  explicit FakeFactory(Runtime* runtime) : runtime_(runtime) {}
  bool accepts(const SessionOptions& options) const override {
    return absl::StartsWith(options.target, "fake");
  }
  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions& options) override {
    asked_for.push_back(options.target);
    if (options.target == "fake://none") return nullptr;
    if (options.target == "fake://throw") throw std::runtime_error("no such machine");
    return Session::open(*runtime_);
  }
  absl::Status reset(const SessionOptions&, const std::vector<std::string>& containers) override {
    cleared = containers;
    return absl::OkStatus();
  }

  std::vector<std::string> asked_for;
  std::vector<std::string> cleared;

 private:
  Runtime* const runtime_;
};

/// The least that a factory must say.
class UnableFactory final : public SessionFactory {
 public:
  bool accepts(const SessionOptions& options) const override { return options.target == "unable"; }
  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions&) override {
    return absl::UnavailableError("its machines are off");
  }
};

/// Has a RUNTIME open what it is asked for, in this process; keeps what it was asked.
class FactoryActor final : public SessionFactoryActor::base {
 public:
  struct Asked {
    std::vector<std::string> targets;
    std::vector<std::string> cleared;
  };
  FactoryActor(caf::actor_config& config, RuntimeActor runtime, std::shared_ptr<Asked> asked)
      : SessionFactoryActor::base(config), runtime_(std::move(runtime)), asked_(std::move(asked)) {}
  void on_exit() override { runtime_ = RuntimeActor(); }
  behavior_type make_behavior() override {
    return {
        [this](const OpenSession& m) -> caf::result<SessionActor> {
          asked_->targets.push_back(m.options.target);
          return delegate(runtime_, OpenSession{});
        },
        [this](const ResetRequest& m) -> caf::result<Done> {
          asked_->cleared = m.containers;
          return Done{};
        },
    };
  }

 private:
  RuntimeActor runtime_;
  const std::shared_ptr<Asked> asked_;
};

class SessionFactoriesTest : public SessionTest {
 protected:
  SessionFactoriesTest() {
    const int x = placeholder("x");
    add("sum", "TestAdd", {}, {{x, 0}, {x, 0}});
  }
  SessionFactories& factories() { return runtime_->session_factories(); }
  void expect_runs(Session& s) {
    ASSERT_EQ(s.create(graph_.clone()), absl::OkStatus());
    expect_sum(s);
  }
  static void expect_sum(Session& s) {
    auto out = s.run({{"x", Tensor::scalar<float>(21)}}, {"sum"});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].value<float>(), 42);
  }
  template <class Reply, class Message>
  absl::StatusOr<Reply> ask_runtime(Message message) {
    return ask<Reply>(runtime_->system(), runtime_actor(*runtime_), std::move(message));
  }

  const std::shared_ptr<FakeFactory> fake_ = std::make_shared<FakeFactory>(runtime_.get());
};

TEST_F(SessionFactoriesTest, s001_find_none_for_an_invalid_target) {
  EXPECT_EQ(Session::open_or_null(*runtime_, to("invalid target")), nullptr);
  const absl::Status none = Session::open(*runtime_, to("invalid target")).status();
  EXPECT_EQ(none,
            absl::NotFoundError("No session factory registered for the given session options: {target: "
                                "\"invalid target\" config: } Registered factories are {DIRECT_SESSION}."));
  EXPECT_EQ(Session::reset(*runtime_, to("invalid target")), none);
  EXPECT_EQ(ask_runtime<SessionActor>(OpenSession{to("invalid target")}).status(), none);
  EXPECT_EQ(ask_runtime<Done>(ResetRequest{{}, to("invalid target")}).status(), none);
  auto options = SessionOptions::from_config_text("operation_timeout_in_ms: 5");
  ASSERT_TRUE(options.ok());
  options->target = "another";
  EXPECT_THAT(std::string(Session::open(*runtime_, *options).status().message()),
              HasSubstr("{target: \"another\" config: operation_timeout_in_ms: 5"));
}

TEST_F(SessionFactoriesTest, s002_refuse_options_that_two_of_them_accept) {
  ASSERT_EQ(factories().add("FAKE_SESSION_1", fake_), absl::OkStatus());
  ASSERT_EQ(factories().add("FAKE_SESSION_2", std::make_shared<FakeFactory>(runtime_.get())),
            absl::OkStatus());
  EXPECT_EQ(Session::open_or_null(*runtime_, to("fake target")), nullptr);
  const absl::Status both = Session::open(*runtime_, to("fake target")).status();
  EXPECT_EQ(both.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(both.message()),
              HasSubstr("Multiple session factories registered for the given session options: {target: "
                        "\"fake target\" config: } Candidate factories are {FAKE_SESSION_1, FAKE_SESSION_2}. "
                        "Registered factories are {DIRECT_SESSION, FAKE_SESSION_1, FAKE_SESSION_2}."));
  EXPECT_EQ(ask_runtime<SessionActor>(OpenSession{to("fake target")}).status(), both);
  EXPECT_THAT(fake_->asked_for, ElementsAre());
  expect_runs(**Session::open(*runtime_));
}

TEST_F(SessionFactoriesTest, have_one_of_each_name) {
  EXPECT_EQ(factories().add("FAKE", fake_), absl::OkStatus());
  const absl::Status twice = factories().add("FAKE", std::make_shared<UnableFactory>());
  EXPECT_EQ(twice, absl::AlreadyExistsError("Two session factories are being registered under FAKE."));
  EXPECT_EQ(factories().add("DIRECT_SESSION", fake_).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(factories().add("", fake_).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(factories().add("NULL", nullptr).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(factories().names(), ElementsAre("DIRECT_SESSION", "FAKE"));
  EXPECT_TRUE(Session::open(*runtime_, to("fake")).ok()) << "the first stays";
}

TEST_F(SessionFactoriesTest, open_nothing_once_they_are_removed) {
  ASSERT_EQ(factories().add("FAKE", fake_), absl::OkStatus());
  auto session = Session::open(*runtime_, to("fake"));
  ASSERT_TRUE(session.ok()) << session.status();
  factories().remove("FAKE");
  factories().remove("nobody");
  EXPECT_THAT(factories().names(), ElementsAre("DIRECT_SESSION"));
  EXPECT_EQ(Session::open(*runtime_, to("fake")).status().code(), absl::StatusCode::kNotFound);
  expect_runs(**session);
  EXPECT_EQ(factories().add("FAKE", fake_), absl::OkStatus()) << "the name is free again";
}

TEST_F(SessionFactoriesTest, open_the_sessions_whose_options_they_accept) {
  ASSERT_EQ(factories().add("FAKE", fake_), absl::OkStatus());
  auto session = Session::open(*runtime_, to("fake://here"));
  ASSERT_TRUE(session.ok()) << session.status();
  expect_runs(**session);
  auto direct = Session::open_or_null(*runtime_);
  ASSERT_NE(direct, nullptr);
  EXPECT_THAT(fake_->asked_for, ElementsAre("fake://here"));
}

TEST_F(SessionFactoriesTest, may_fail) {
  ASSERT_EQ(factories().add("FAKE", fake_), absl::OkStatus());
  ASSERT_EQ(factories().add("UNABLE", std::make_shared<UnableFactory>()), absl::OkStatus());
  auto refused = [&](const std::string& target) { return Session::open(*runtime_, to(target)).status(); };
  EXPECT_EQ(refused("unable"), absl::UnavailableError("its machines are off"));
  EXPECT_EQ(refused("fake://none").code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(refused("fake://none").message()), HasSubstr("Failed to create session"));
  EXPECT_EQ(refused("fake://throw"), absl::InternalError("a session factory threw: no such machine"));
  EXPECT_EQ(Session::reset(*runtime_, to("unable")).code(), absl::StatusCode::kUnimplemented);
  // The same by message.
  for (const char* target : {"unable", "fake://none", "fake://throw"})
    EXPECT_EQ(ask_runtime<SessionActor>(OpenSession{to(target)}).status(), refused(target));
  EXPECT_EQ(ask_runtime<Done>(ResetRequest{{}, to("unable")}).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST_F(SessionFactoriesTest, reset_their_own_sessions) {
  ASSERT_EQ(factories().add("FAKE", fake_), absl::OkStatus());
  Session& direct = open();
  EXPECT_EQ(Session::reset(*runtime_, to("fake"), {"a", "b"}), absl::OkStatus());
  EXPECT_THAT(fake_->cleared, ElementsAre("a", "b"));
  EXPECT_EQ(ask_runtime<Done>(ResetRequest{{"c"}, to("fake")}).status(), absl::OkStatus());
  EXPECT_THAT(fake_->cleared, ElementsAre("c"));
  expect_sum(direct);
  EXPECT_EQ(Session::reset(*runtime_, {}), absl::OkStatus());
  EXPECT_EQ(direct.run({{"x", Tensor::scalar<float>(1)}}, {"sum"}).status(),
            absl::CancelledError("Session has been closed."));
  expect_runs(**Session::open(*runtime_));
}

TEST_F(SessionFactoriesTest, open_sessions_by_message_that_end_when_they_are_told_to) {
  ASSERT_EQ(factories().add("FAKE", fake_), absl::OkStatus());
  const auto actor = ask_runtime<SessionActor>(OpenSession{to("fake://here")});
  ASSERT_TRUE(actor.ok()) << actor.status();
  const auto graph = std::make_shared<const Graph>(graph_.clone());
  ASSERT_TRUE(ask<Done>(runtime_->system(), *actor, CreateGraph{nullptr, graph}).ok());
  const RunRequest sum{{{"x", Tensor::scalar<float>(21)}}, {"sum"}, {}, {}};
  auto reply = ask<RunReply>(runtime_->system(), *actor, sum);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->fetches[0].value<float>(), 42);
  caf::scoped_actor self{runtime_->system()};
  self->monitor(*actor);
  caf::anon_send_exit(*actor, caf::exit_reason::user_shutdown);
  self->receive([](const caf::down_msg&) {});
  EXPECT_TRUE(absl::IsUnavailable(ask<RunReply>(runtime_->system(), *actor, sum).status()));
}

TEST_F(SessionFactoriesTest, may_be_actors) {
  const auto other = Runtime::create(runtime_->system());
  auto asked = std::make_shared<FactoryActor::Asked>();
  auto actor = runtime_->system().spawn<FactoryActor>(runtime_actor(*other), asked);
  ASSERT_EQ(factories().add("ACTOR", make_actor_session_factory("actor://", actor)), absl::OkStatus());
  {
    auto session = Session::open(*runtime_, to("actor://a"));
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_EQ((*session)->list_devices()->size(), 1u);
    EXPECT_EQ(ask<RuntimeStatus>(other->system(), runtime_actor(*other), RuntimeStatusRequest{})->sessions,
              1);
  }
  const auto by_message = ask_runtime<SessionActor>(OpenSession{to("actor://b")});
  EXPECT_TRUE(by_message.ok()) << by_message.status();
  EXPECT_EQ(Session::reset(*runtime_, to("actor://a"), {"c"}), absl::OkStatus());
  EXPECT_THAT(asked->targets, ElementsAre("actor://a", "actor://b"));
  EXPECT_THAT(asked->cleared, ElementsAre("c"));
  caf::anon_send_exit(actor, caf::exit_reason::kill);
  EXPECT_EQ(Session::open(*runtime_, to("actor://a")).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Session::reset(*runtime_, to("actor://a")).code(), absl::StatusCode::kUnavailable);
}

TEST_F(SessionFactoriesTest, that_are_actors_have_one_and_a_prefix) {
  const auto none = make_actor_session_factory("actor://", SessionFactoryActor());
  EXPECT_EQ(none->new_session(to("actor://a")).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(none->reset(to("actor://a"), {}).code(), absl::StatusCode::kInvalidArgument);
  const auto open_to_all = make_actor_session_factory("", runtime_actor(*runtime_));
  EXPECT_FALSE(open_to_all->accepts({}));
  EXPECT_FALSE(open_to_all->accepts(to("x")));
}

TEST_F(SessionFactoriesTest, of_a_runtime_that_is_shut_down_open_nothing) {
  ASSERT_EQ(factories().add("FAKE", fake_), absl::OkStatus());
  runtime_->shutdown();
  for (const char* target : {"", "fake"}) {
    EXPECT_EQ(Session::open(*runtime_, to(target)).status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(Session::reset(*runtime_, to(target)).code(), absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_THAT(fake_->asked_for, ElementsAre());
}

TEST_F(SessionFactoriesTest, session_goes_from_a_facade_to_messages_and_back) {
  auto opened = Session::open(*runtime_);
  ASSERT_TRUE(opened.ok());
  ASSERT_EQ((*opened)->create(graph_.clone()), absl::OkStatus());
  const SessionActor actor = release_session(*std::move(opened));
  {
    auto adopted = adopt_session(actor);
    ASSERT_TRUE(adopted.ok()) << adopted.status();
    expect_sum(**adopted);
  }
  EXPECT_EQ(adopt_session(actor).status().code(), absl::StatusCode::kUnavailable)
      << "it ended with its facade";
  EXPECT_EQ(adopt_session(SessionActor()).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace troupe::test
