// Sessions at a server: how they come, change, and go.
#include <gmock/gmock.h>

#include <thread>

#include "actors/grpc_client/grpc_sessions.h"
#include "actors/runtime_impl.h"
#include "actors/session_factories.h"
#include "graph/ir/graph_increment.h"
#include "proto/config.pb.h"
#include "tests/actors/grpc_client/client_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string text_of(const absl::Status& status) { return std::string(status.message()); }

class ClientSessions : public GrpcClientTest {};

TEST_F(ClientSessions, s251_create_run_and_close_again_and_again) {
  serve();
  for (int i = 0; i < 25; ++i) {
    const auto session = open_with_graph();
    EXPECT_EQ(open_at_server(), 1);
    EXPECT_TRUE(session->run(x(1), {}, {"four"}).ok());
    EXPECT_THAT(numbers(session->run(x(1), {"four:0"})), ElementsAre(4));
    EXPECT_EQ(session->close(), absl::OkStatus());
    EXPECT_EQ(open_at_server(), 0);
  }
}

TEST_F(ClientSessions, close_with_their_owner) {
  serve();
  open_with_graph().reset();
  EXPECT_EQ(open_at_server(), 0);
}

TEST_F(ClientSessions, close_without_a_graph) {
  serve();
  EXPECT_EQ(open_there()->close(), absl::OkStatus());
  EXPECT_EQ(open_at_server(), 0);
}

TEST_F(ClientSessions, that_are_closed_refuse_everything) {
  serve();
  const auto session = open_with_graph();
  EXPECT_EQ(session->close(), absl::OkStatus());
  EXPECT_EQ(session->close(), absl::OkStatus()) << "twice";
  const absl::Status closed = absl::CancelledError("Session has been closed.");
  EXPECT_EQ(session->run(x(1), {"four"}).status(), closed);
  EXPECT_EQ(session->extend(graph_def()), closed);
  EXPECT_EQ(session->make_callable(CallableOptions()).status(), closed);
  EXPECT_EQ(session->partial_run_setup({"x"}, {"four"}).status(), closed);
}

TEST_F(ClientSessions, have_a_graph_before_they_run_and_only_one) {
  serve();
  const auto session = open_there();
  const absl::Status none = absl::InvalidArgumentError("Session was not created with a graph before Run()!");
  EXPECT_EQ(session->run(x(1), {"four"}).status(), none);
  EXPECT_EQ(session->partial_run_setup({"x"}, {"four"}).status(), none);
  EXPECT_EQ(open_at_server(), 0) << "nothing was asked of the server yet";
  EXPECT_EQ(session->create(graph_def()), absl::OkStatus());
  EXPECT_EQ(session->create(graph_def()),
            absl::AlreadyExistsError("A Graph has already been created for this session."));
}

TEST_F(ClientSessions, whose_graph_is_refused_take_another) {
  serve();
  const auto session = open_there();
  const absl::Status unknown = session->create(graph_of("node { name: 'n' op: 'NoSuchOp' }"));
  EXPECT_FALSE(unknown.ok());
  EXPECT_THAT(text_of(unknown), HasSubstr("NoSuchOp"));
  EXPECT_EQ(session->create(graph_def()), absl::OkStatus());
  EXPECT_TRUE(absl::IsInvalidArgument(session->extend(graph_def()))) << "the names are taken";
  EXPECT_THAT(numbers(session->run(x(2), {"four"})), ElementsAre(8));
}

TEST_F(ClientSessions, grow_by_graph_defs) {
  serve();
  const auto session = open_there();
  EXPECT_EQ(session->extend(graph_def()), absl::OkStatus()) << "the first extension is a creation";
  for (int i = 0; i < 3; ++i) {
    const std::string name = std::string(1, static_cast<char>('a' + i));
    EXPECT_EQ(
        session->extend(graph_of("node { name: '" + name + "' op: 'TestAdd' input: 'four' input: 'x' }")),
        absl::OkStatus());
    EXPECT_THAT(numbers(session->run(x(1), {name})), ElementsAre(5));
  }
}

TEST_F(ClientSessions, grow_by_what_is_new_in_a_graph) {
  serve();
  const auto session = open_there();
  EXPECT_EQ(session->extend(graph_.clone()), absl::OkStatus());
  const int four = graph_.find("four")->id;
  const int known = graph_.num_ids();
  add("eight", "TestAdd", {}, {{four, 0}, {four, 0}});
  EXPECT_EQ(session->extend(increment_of(graph_, known)), absl::OkStatus());
  EXPECT_THAT(numbers(session->run(x(1), {"eight"})), ElementsAre(8));
  EXPECT_TRUE(absl::IsFailedPrecondition(session->extend(increment_of(graph_, known)))) << "not again";
  add("five", "TestAdd", {}, {{four, 0}, {graph_.find("x")->id, 0}});
  EXPECT_EQ(session->extend(graph_.clone()), absl::OkStatus()) << "a graph that has what was there";
  EXPECT_THAT(numbers(session->run(x(1), {"five", "eight"})), ElementsAre(5, 8));
}

TEST_F(ClientSessions, an_increment_that_the_server_refuses_was_none) {
  serve();
  const auto session = open_there();
  EXPECT_EQ(session->extend(graph_.clone()), absl::OkStatus());
  const int known = graph_.num_ids();
  Graph wrong = graph_.clone();
  const auto node = wrong.add_node("bad", "TestAdd", AttrMap(), {{0, 0}, {0, 0}}, {}, "/device:GPU:7");
  ASSERT_TRUE(node.ok()) << node.status();
  EXPECT_TRUE(absl::IsInvalidArgument(session->extend(increment_of(wrong, known)))) << "there is no GPU";
  add("good", "TestAdd", {}, {{0, 0}, {0, 0}});
  EXPECT_EQ(session->extend(increment_of(graph_, known)), absl::OkStatus());
  EXPECT_THAT(numbers(session->run(x(1), {"good"})), ElementsAre(2));
}

TEST_F(ClientSessions, nodes_that_were_sent_cannot_be_changed) {
  serve();
  const auto session = open_there();
  EXPECT_EQ(session->extend(graph_.clone()), absl::OkStatus());
  graph_.node(graph_.find("four")->id).inputs[0] = {graph_.find("x")->id, 0};
  const absl::Status changed = session->extend(graph_.clone());
  EXPECT_TRUE(absl::IsFailedPrecondition(changed)) << changed;
  EXPECT_THAT(text_of(changed), StartsWith("node 'four' was changed after it was sent to grpc://"));
  EXPECT_THAT(numbers(session->run(x(1), {"four"})), ElementsAre(4));
}

TEST_F(ClientSessions, s280_list_the_devices_of_the_server) {
  GrpcServerOptions options;
  tensorflow::ConfigProto config;
  (*config.mutable_device_count())["CPU"] = 3;
  options.default_config = config.SerializeAsString();
  serve(options);
  const auto session = open_there();
  for (int has_graph = 0; has_graph < 2; ++has_graph) {
    const auto devices = session->list_devices();
    ASSERT_TRUE(devices.ok()) << devices.status();
    ASSERT_EQ(devices->size(), 3u);
    EXPECT_EQ((*devices)[2].name, "/job:localhost/replica:0/task:0/device:CPU:2");
    EXPECT_EQ((*devices)[2].type, "CPU");
    EXPECT_NE((*devices)[2].incarnation, 0u);
    EXPECT_EQ(session->create(graph_def()).ok(), has_graph == 0);
  }
  EXPECT_EQ(session->close(), absl::OkStatus());
  EXPECT_EQ(session->list_devices()->size(), 3u) << "also when the session is closed";
}

TEST_F(ClientSessions, s281_are_aborted_by_a_reset_of_their_target) {
  serve();
  const auto first = open_with_graph();
  const auto second = open_with_graph();
  EXPECT_EQ(Session::reset(*client_runtime_, SessionOptions()), absl::OkStatus());
  EXPECT_THAT(numbers(first->run(x(1), {"four"})), ElementsAre(4)) << "the sessions of this process alone";
  EXPECT_EQ(Session::reset(*client_runtime_, options_there()), absl::OkStatus());
  for (Session* s : {first.get(), second.get()}) {
    const absl::Status lost = s->run(x(1), {"four"}).status();
    EXPECT_TRUE(absl::IsAborted(lost)) << lost;
    EXPECT_THAT(text_of(lost), HasSubstr("is not found"));
  }
  EXPECT_TRUE(absl::IsAborted(first->extend(graph_of("node { name: 'n' op: 'NoOp' }"))));
  EXPECT_TRUE(absl::IsAborted(second->close())) << "there is none to close";
}

TEST_F(ClientSessions, a_reset_names_containers_and_devices) {
  serve();
  EXPECT_TRUE(absl::IsInvalidArgument(Session::reset(*client_runtime_, options_there(), {"_own"})));
  EXPECT_TRUE(
      absl::IsInvalidArgument(Session::reset(*client_runtime_, options_there("device_filters: '@@'"))));
  EXPECT_EQ(Session::reset(*client_runtime_, options_there("device_filters: '/job:other'"), {"mine"}),
            absl::OkStatus());
}

TEST_F(ClientSessions, the_server_gets_the_config) {
  serve();
  const auto refused = open_there("session_inter_op_thread_pool { num_threads: 1 }")->create(graph_def());
  EXPECT_EQ(refused,
            absl::InvalidArgumentError("Distributed session does not support session thread pool options."));
}

TEST_F(ClientSessions, what_a_server_cannot_do_is_said) {
  serve();
  const auto session = open_with_graph();
  for (const absl::Status& said : {session->finalize(), session->clear_containers({})}) {
    EXPECT_TRUE(absl::IsUnimplemented(said)) << said;
    EXPECT_THAT(text_of(said), HasSubstr(server_->target()));
  }
}

TEST_F(ClientSessions, targets_that_are_no_address_are_refused) {
  for (const char* target : {"grpc://", "grpc://localhost", "grpc://localhost:", "grpc://:1",
                             "grpc://localhost:0", "grpc://localhost:65536", "grpc://localhost:x"}) {
    SessionOptions options;
    options.target = target;
    const absl::Status refused = Session::open(*client_runtime_, options).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << target << ": " << refused;
    EXPECT_THAT(text_of(refused), StartsWith("Could not interpret"));
  }
}

TEST_F(ClientSessions, nobody_at_the_target_is_unavailable) {
  serve();
  const SessionOptions options = options_there();
  const auto before = open_with_graph();
  server_->stop();
  const auto after = Session::open(*client_runtime_, options);
  ASSERT_TRUE(after.ok()) << "it connects when it has a graph";
  for (const absl::Status& lost :
       {(*after)->create(graph_def()), before->run(x(1), {"four"}).status(),
        (*after)->list_devices().status(), Session::reset(*client_runtime_, options)}) {
    EXPECT_TRUE(absl::IsUnavailable(lost)) << lost;
    EXPECT_THAT(text_of(lost), StartsWith(options.target + " does not answer")) << lost;
  }
  EXPECT_EQ(before->close(), absl::OkStatus()) << "nobody is there to keep it";
}

TEST_F(ClientSessions, are_of_a_factory_that_a_runtime_has_once) {
  EXPECT_THAT(client_runtime_->session_factories().names(), ElementsAre("DIRECT_SESSION", "GRPC_SESSION"));
  EXPECT_TRUE(absl::IsAlreadyExists(add_grpc_sessions(*client_runtime_)));
}

TEST_F(ClientSessions, one_that_is_abandoned_by_its_runtime_ends_at_the_server) {
  serve();
  auto session = open_with_graph();
  client_runtime_->shutdown();
  const auto late = std::chrono::steady_clock::now() + 10s;
  while (open_at_server() > 0 && std::chrono::steady_clock::now() < late) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(open_at_server(), 0);
  session.reset();
}

}  // namespace
}  // namespace troupe::test
