// Sessions at a node: who opens them, and what ends them.
#include <gmock/gmock.h>

#include <thread>

#include "actors/session_factories.h"
#include "proto/client_wire.pb.h"
#include "tests/actors/node/caf_client_fixture.h"
#include "tests/actors/node/stranger.h"
#include "tests/support/authority.h"

namespace troupe::test {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class CafSessions : public CafClientTest {
 protected:
  /// Why none opens.
  absl::Status refusal(Client& client, const std::string& config_text = "", int task = 0) const {
    const auto session = Session::open(*client.runtime, options_there(config_text, task));
    return session.status();
  }
  static NodeMessage open_session(uint64_t id) {
    return {MessageKind::kRequest, Method::kOpenSession, id, *pack(wire::OpenSession())};
  }
};

TEST_F(CafSessions, have_the_devices_of_all_tasks) {
  start_all(2);
  Client client;
  const auto s = open_there(client);
  ASSERT_NE(s, nullptr);
  std::vector<std::string> names;
  const auto devices = s->list_devices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  for (const DeviceInfo& d : *devices) names.push_back(d.name);
  EXPECT_THAT(names, UnorderedElementsAre(task_name(0) + "/device:CPU:0", task_name(1) + "/device:CPU:0"));
  EXPECT_NE((*devices)[0].incarnation, 0u);
  EXPECT_EQ(only(s->run(x(3), {"z"})), 36);
  EXPECT_EQ(s->close(), absl::OkStatus());
  EXPECT_EQ(s->list_devices()->size(), 2u) << "also when the session is closed";
}

TEST_F(CafSessions, open_at_any_task_and_come_and_go) {
  start_all(2);
  Client client;
  for (int i = 0; i < 10; ++i) {
    const auto s = open_there(client);
    ASSERT_NE(s, nullptr);
    EXPECT_EQ(only(s->run(x(1), {"z"})), 4);
    EXPECT_EQ(sessions_on(0), 1);
    EXPECT_EQ(s->close(), absl::OkStatus());
    EXPECT_EQ(s->run(x(1), {"z"}).status(), absl::CancelledError("Session has been closed."));
  }
  EXPECT_TRUE(comes_to_have(0, 0));
  EXPECT_TRUE(comes_to_have(1, 0));
  const auto other = Session::open(*client.runtime, options_there("", 1));
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ((*other)->list_devices()->size(), 2u);
}

TEST_F(CafSessions, have_the_tasks_that_their_filters_let_through) {
  plan(2);
  start(0);
  Client client;
  const auto s = Session::open(*client.runtime, options_there("device_filters: '/job:worker/task:0'"));
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ((*s)->list_devices()->size(), 1u) << "nobody waits for task 1";
}

TEST_F(CafSessions, of_several_clients_share_what_the_tasks_have_and_nothing_else) {
  start_all(2);
  std::vector<std::future<bool>> all;
  for (int c = 0; c < 4; ++c) {
    all.push_back(std::async(std::launch::async, [this, c] {
      Client client;
      const auto s = open_there(client);
      bool good = s != nullptr;
      for (int i = 0; good && i < 25; ++i) {
        const float fed = static_cast<float>(100 * c + i);
        good = only(s->run(x(fed), {"z"})) == 4 * fed * fed;
      }
      return good;
    }));
  }
  for (auto& good : all) EXPECT_TRUE(good.get());
  EXPECT_TRUE(comes_to_have(0, 0));
}

TEST_F(CafSessions, take_graphs_that_grow_and_are_refused) {
  start_all(2);
  Client client;
  auto opened = Session::open(*client.runtime, options_there());
  ASSERT_TRUE(opened.ok()) << opened.status();
  Session& s = **opened;
  EXPECT_EQ(s.run({}, {"n"}).status(),
            absl::InvalidArgumentError("Session was not created with a graph before Run()!"));
  tensorflow::GraphDef unknown;
  unknown.add_node()->set_op("NoSuchOp");
  unknown.mutable_node(0)->set_name("n");
  EXPECT_THAT(text_of(s.create(unknown)), HasSubstr("NoSuchOp"));
  EXPECT_EQ(s.create(tensorflow::GraphDef()), absl::OkStatus()) << "an empty graph is none yet";
  tensorflow::GraphDef def;
  auto& one = *def.add_node();
  one.set_name("n");
  one.set_op("NoOp");
  EXPECT_EQ(s.extend(def), absl::OkStatus());
  EXPECT_TRUE(absl::IsInvalidArgument(s.extend(def))) << "the name is taken";
  EXPECT_TRUE(s.run({}, {}, {"n"}).ok());
}

TEST_F(CafSessions, are_aborted_by_a_reset_of_their_target) {
  start_all(2);
  Client first, second;
  const auto a = open_there(first);
  const auto b = open_there(second);
  EXPECT_TRUE(absl::IsInvalidArgument(Session::reset(*first.runtime, options_there(), {"_own"})));
  EXPECT_TRUE(absl::IsInvalidArgument(Session::reset(*first.runtime, options_there("device_filters: '@@'"))));
  const auto after = open_there(second);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(Session::reset(*first.runtime, options_there(), {"mine"}), absl::OkStatus());
  for (Session* s : {a.get(), b.get(), after.get()}) {
    const absl::Status lost = s->run(x(1), {"z"}).status();
    EXPECT_TRUE(absl::IsAborted(lost)) << lost;
    EXPECT_THAT(text_of(lost), HasSubstr("is not found on " + task_name(0)));
  }
  EXPECT_TRUE(absl::IsAborted(a->close())) << "there is none to close";
  EXPECT_EQ(only(open_there(first)->run(x(1), {"z"})), 4);
}

// --- what ends them ---

TEST_F(CafSessions, end_with_their_client) {
  start_all(2);
  auto client = std::make_unique<Client>();
  auto s = open_there(*client);
  auto run = begin_waiting(*s);
  client->runtime->shutdown();
  EXPECT_TRUE(absl::IsCancelled(end_of(run)));
  EXPECT_TRUE(comes_to_have(0, 0));
  EXPECT_TRUE(comes_to_have(1, 0));
  EXPECT_TRUE(comes_to_run(0));
  s.reset();
}

TEST_F(CafSessions, end_when_the_connection_of_their_client_breaks) {
  start_all(2);
  auto killed = std::make_unique<Stranger>(*machines_[0]->node);
  killed->say_hello({std::nullopt, 5});
  ASSERT_TRUE(killed->is_answered());
  killed->say(open_session(1));
  EXPECT_TRUE(comes_to_have(0, 1));
  killed.reset();
  EXPECT_TRUE(comes_to_have(0, 0));
  EXPECT_TRUE(comes_to_have(1, 0));
}

TEST_F(CafSessions, end_when_their_client_is_silent_for_a_lease) {
  options_.client_lease = {milliseconds(300), milliseconds(50), milliseconds(150)};
  start_all(2);
  Stranger silent(*machines_[0]->node);
  silent.say_hello({std::nullopt, 5});
  ASSERT_TRUE(silent.is_answered());
  silent.say(open_session(1));
  EXPECT_TRUE(silent.is_turned_away());
  EXPECT_TRUE(comes_to_have(0, 0));
}

TEST_F(CafSessions, are_lost_with_their_node) {
  start_all(2);
  Client client;
  const auto s = open_there(client);
  auto run = begin_waiting(*s);
  stop(0);
  const absl::Status lost = end_of(run);
  EXPECT_TRUE(absl::IsUnavailable(lost)) << lost;
  // By its last word, or by the end of the connection, as it comes.
  EXPECT_THAT(text_of(lost),
              AnyOf(HasSubstr(target(0) + " does not answer"), HasSubstr(task_name(0) + " has left")));
  EXPECT_TRUE(absl::IsUnavailable(s->run(x(1), {"z"}).status())) << "nobody is there";
  EXPECT_TRUE(absl::IsUnavailable(Session::reset(*client.runtime, options_there())));
  start(0);
  const absl::Status gone = s->run(x(1), {"z"}).status();
  EXPECT_TRUE(absl::IsAborted(gone)) << gone;
  EXPECT_THAT(text_of(gone), HasSubstr("the node has been started again"));
  EXPECT_EQ(only(open_there(client)->run(x(1), {"z"})), 4) << "another one";
}

TEST_F(CafSessions, hear_that_a_task_behind_their_node_is_lost) {
  start_all(2);
  Client client;
  const auto s = open_there(client);
  auto run = begin_waiting(*s);
  stop(1);
  const absl::Status lost = end_of(run);
  EXPECT_TRUE(absl::IsUnavailable(lost)) << lost;
  EXPECT_THAT(text_of(lost), HasSubstr(task_name(1)));
  EXPECT_EQ(only(s->run({}, {"one"})), 1) << "what needs it not goes on";
}

TEST_F(CafSessions, do_not_open_where_the_node_drains) {
  start_all(2);
  Client client;
  const auto s = open_there(client);
  EXPECT_TRUE(absl::IsDeadlineExceeded(machines_[0]->node->drain(milliseconds(50)))) << "one is there";
  const absl::Status drains = refusal(client);
  EXPECT_TRUE(absl::IsUnavailable(drains)) << drains;
  EXPECT_THAT(text_of(drains), HasSubstr("draining"));
  EXPECT_EQ(only(s->run(x(1), {"z"})), 4);
  EXPECT_EQ(s->close(), absl::OkStatus());
  EXPECT_EQ(machines_[0]->node->drain(std::chrono::seconds(10)), absl::OkStatus());
}

// --- refusals ---

TEST_F(CafSessions, have_targets_that_are_addresses) {
  Client client;
  for (const char* target : {"caf://", "caf://localhost", "caf://localhost:", "caf://:1", "caf://localhost:0",
                             "caf://localhost:65536", "caf://localhost:x"}) {
    SessionOptions options;
    options.target = target;
    const absl::Status refused = Session::open(*client.runtime, options).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << target << ": " << refused;
    EXPECT_THAT(text_of(refused), StartsWith("Could not interpret")) << target;
  }
  EXPECT_THAT(client.runtime->session_factories().names(), ElementsAre("CAF_SESSION", "DIRECT_SESSION"));
  EXPECT_TRUE(absl::IsAlreadyExists(add_caf_sessions(*client.runtime)));
}

TEST_F(CafSessions, do_not_open_where_nobody_is) {
  plan(1);
  Client client;
  const absl::Status nobody = refusal(client);
  EXPECT_TRUE(absl::IsUnavailable(nobody)) << nobody;
  EXPECT_THAT(text_of(nobody), StartsWith(target(0) + " does not answer: cannot connect to"));
}

TEST_F(CafSessions, do_not_open_with_options_that_the_node_refuses) {
  start_all(2);
  Client client;
  EXPECT_TRUE(absl::IsUnimplemented(refusal(client, "cluster_def { job { name: 'w' } }")));
  EXPECT_TRUE(absl::IsInvalidArgument(refusal(client, "device_filters: '@@'")));
  SessionOptions none = options_there();
  none.config = "\xff\xff";
  EXPECT_TRUE(absl::IsInvalidArgument(Session::open(*client.runtime, none).status()));
  EXPECT_EQ(sessions_on(0), 0);
}

TEST_F(CafSessions, are_bounded_in_number) {
  options_.max_sessions_of_client = 2;
  options_.max_clients = 1;
  start_all(1);
  Client first, second;
  const auto a = Session::open(*first.runtime, options_there());
  auto b = Session::open(*first.runtime, options_there());
  ASSERT_TRUE(a.ok() && b.ok());
  const absl::Status full = refusal(first);
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(text_of(full), HasSubstr("The client has 2 sessions on " + task_name(0)));
  EXPECT_EQ((*b)->close(), absl::OkStatus());
  EXPECT_TRUE(refusal(first).ok());
  const absl::Status crowded = refusal(second);
  EXPECT_TRUE(absl::IsUnavailable(crowded)) << crowded;
  EXPECT_THAT(text_of(crowded), HasSubstr("it has 1 clients and takes no more"));
}

TEST_F(CafSessions, do_not_open_at_a_node_that_takes_no_clients) {
  options_.max_clients = 0;
  start_all(2);
  Client client;
  const absl::Status refused = refusal(client);
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_THAT(text_of(refused), HasSubstr(task_name(0) + ": it takes no clients"));
  EXPECT_TRUE(machines_[0]->node->open_session().ok()) << "tasks are heard";
}

TEST_F(CafSessions, leave_no_connection_when_the_last_has_gone) {
  options_.max_clients = 1;
  start_all(1);
  Client first, second;
  for (Client* c : {&first, &second, &first}) {
    absl::Status opened = refusal(*c);
    // The goodbye of the one before may be on its way.
    for (int i = 0; i < 100 && !opened.ok(); ++i) {
      std::this_thread::sleep_for(milliseconds(20));
      opened = refusal(*c);
    }
    EXPECT_EQ(opened, absl::OkStatus());
  }
}

// --- who a client is ---

TEST_F(CafSessions, belong_to_the_connection_that_opened_them) {
  start_all(1);
  Stranger owner(*machines_[0]->node), thief(*machines_[0]->node);
  // The same life, if one believes them.
  for (Stranger* s : {&owner, &thief}) ASSERT_TRUE(s->say_hello({std::nullopt, 5}) && s->is_answered());
  owner.say(open_session(1));
  const auto answer = owner.answer_to(1);
  ASSERT_TRUE(answer.ok()) << answer.status();
  wire::OpenedSession opened;
  ASSERT_EQ(unpack(*answer, &opened), absl::OkStatus());
  wire::CloseSession close;
  close.set_session(opened.session());
  const NodeMessage closing{MessageKind::kRequest, Method::kCloseSession, 2, *pack(close)};
  thief.say(closing);
  EXPECT_TRUE(absl::IsAborted(thief.answer_to(2).status()));
  EXPECT_EQ(sessions_on(0), 1);
  owner.say(closing);
  EXPECT_TRUE(owner.answer_to(2).ok());
  EXPECT_TRUE(comes_to_have(0, 0));
}

TEST_F(CafSessions, are_all_that_a_client_may_ask_for) {
  start_all(1);
  Stranger client(*machines_[0]->node);
  ASSERT_TRUE(client.say_hello({std::nullopt, 5}) && client.is_answered());
  wire::CreateWorkerSession m;
  m.set_session(77);
  client.say({MessageKind::kRequest, Method::kCreateWorkerSession, 1, *pack(m)});
  EXPECT_TRUE(absl::IsUnimplemented(client.answer_to(1).status()));
  for (uint16_t method = 32; method <= 41; ++method) {
    client.say({MessageKind::kRequest, static_cast<Method>(method), method, absl::Cord("nonsense")});
    EXPECT_TRUE(absl::IsInvalidArgument(client.answer_to(method).status())) << method;
  }
  EXPECT_EQ(sessions_on(0), 0);
  // A value for somebody's step.
  client.say(
      {MessageKind::kPush, Method::kNone, 0, *pack_pushed(1, 1, "key", Tensor::scalar<float>(1), false)});
  EXPECT_TRUE(client.is_turned_away());
}

TEST_F(CafSessions, open_by_tls_with_any_certificate_of_the_authority) {
  const Authority authority, another("another");
  options_.tls = authority.issue();
  start_all(2);
  Client client({.tls = authority.issue({.name = "me", .hosts = {}, .use = "clientAuth"})});
  const auto s = open_there(client);
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(only(s->run(x(3), {"z"})), 36);
  Client plain, stranger({.tls = another.issue()}), gone({.tls = {"none", "none", "none"}});
  for (Client* c : {&plain, &stranger}) {
    const absl::Status refused = refusal(*c);
    EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
    EXPECT_THAT(text_of(refused), StartsWith(target(0) + " does not answer"));
  }
  EXPECT_TRUE(absl::IsNotFound(refusal(gone))) << "its files are not there";
}

TEST_F(CafSessions, do_not_open_at_a_node_of_another_host) {
  const Authority authority;
  options_.tls = authority.issue({.hosts = {"other.example"}});
  start_all(1);
  Client client({.tls = authority.issue()});
  const absl::Status refused = refusal(client);
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_THAT(text_of(refused), AllOf(HasSubstr(target(0)), HasSubstr("mismatch")));
}

TEST_F(CafSessions, that_wait_for_tasks_are_given_up_with_their_client) {
  options_.open_patience = std::chrono::hours(24);
  plan(2);
  start(0);
  {
    Stranger client(*machines_[0]->node);
    ASSERT_TRUE(client.say_hello({std::nullopt, 7}));
    ASSERT_TRUE(client.say(open_session(1)));
    EXPECT_TRUE(comes_to_open(0, 1));
  }
  EXPECT_TRUE(comes_to_open(0, 0)) << "he has hung up";
}

}  // namespace
}  // namespace troupe::test
