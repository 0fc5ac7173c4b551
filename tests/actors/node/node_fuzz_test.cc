// A task that says what tasks say, changed: a node hears it, and serves the others as ever.
#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <spdlog/spdlog.h>

#include "actors/node/node_roster.h"
#include "proto/node_wire.pb.h"
#include "tests/actors/node/cluster_fixture.h"
#include "tests/actors/node/stranger.h"
#include "tests/support/mutations.h"

namespace troupe::test {
namespace {

using namespace graph_text;

const std::string kFloat = attr("T", "type: DT_FLOAT");

class NodeFuzz : public ClusterTest {
 protected:
  NodeFuzz() {
    spdlog::set_level(spdlog::level::off);
    // In hours the machine has other work for longer than tasks are silent.
    options_.lease = options_.client_lease;
  }
  ~NodeFuzz() override { spdlog::set_level(spdlog::level::info); }

  /// What a master says of a session on task 1: opens it, registers `_Arg` to Neg to `_Retval` and runs it, and more.
  static std::vector<NodeMessage> conversation(uint64_t session) {
    std::vector<NodeMessage> out;
    uint64_t id = 0;
    auto ask = [&](Method method, absl::StatusOr<absl::Cord> body) {
      out.push_back({MessageKind::kRequest, method, ++id, *std::move(body)});
    };
    wire::CreateWorkerSession create;
    create.set_session(session);
    wire::RegisterPart part;
    part.set_session(session);
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        node("x", "_Arg", {}, kFloat + attr("index", "i: 0")) + node("y", "Neg", {"x"}, kFloat) +
            node("out", "_Retval", {"y"}, kFloat + attr("index", "i: 0")) + "versions { producer: 1000 }",
        part.add_partitions()));
    part.add_devices(task_name(1) + "/device:CPU:0");
    part.set_num_feeds(1);
    part.set_num_fetches(1);
    part.add_args(0);
    part.add_retvals(0);
    wire::RunPart run;
    run.set_session(session);
    run.set_part(1);
    run.set_step(3);
    wire::CancelPart cancel;
    cancel.set_session(session);
    cancel.set_step(3);
    wire::InspectPart inspect;
    inspect.set_session(session);
    wire::CleanupAll cleanup;
    cleanup.set_session(session);
    wire::DeregisterPart deregister;
    deregister.set_session(session);
    deregister.set_part(1);
    ask(Method::kGetStatus, pack_nothing());
    ask(Method::kCreateWorkerSession, pack(create));
    ask(Method::kRegisterPart, pack(part));
    ask(Method::kRunPart, pack(run, {Tensor::vector<float>({1, 2, 3})}));
    out.push_back({MessageKind::kPush, Method::kNone, 0,
                   *pack_pushed(session, 3, "key", Tensor::scalar<float>(1), false)});
    // Of a task that nobody waits for.
    const std::vector<RosterChange> changes = {{{"ps", 9}, "127.0.0.1:1", 1 + session % 100}};
    out.push_back({MessageKind::kRoster, Method::kNone, 0, pack_roster(changes)});
    ask(Method::kInspectPart, pack(inspect));
    ask(Method::kCancelPart, pack(cancel));
    ask(Method::kCleanupAll, pack(cleanup));
    ask(Method::kDeregisterPart, pack(deregister));
    return out;
  }

  /// Two tasks answer each other.
  void expect_others_served(Session& session) {
    const auto y = session.run({{"x", Tensor::scalar<float>(2)}}, {"y"});
    ASSERT_TRUE(y.ok()) << y.status();
    ASSERT_EQ((*y)[0].value<float>(), 2);
  }
};

TEST_F(NodeFuzz, a_node_stands_what_a_task_says_and_serves_the_others) {
  const google::protobuf::LogSilencer silence;
  plan(3);
  start(0);
  start(1);
  // Task 2 is we.
  SessionOptions two_tasks = *SessionOptions::from_config_text("device_filters: '/job:worker/task:1'");
  auto others = open(node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) +
                         node("there", "Neg", {"x"}, kFloat + on_task(1)) +
                         node("y", "Neg", {"there"}, kFloat + on_task(0)),
                     two_tasks);
  ASSERT_NE(others, nullptr);
  FuzzRun run;
  while (run.next()) {
    SCOPED_TRACE(testing::Message() << "seed " << run.seed << ", round " << run.rounds);
    Stranger we(*machines_[1]->node);
    const uint64_t session = run.random();
    bool there = we.say_hello({TaskId{"worker", 2}, 1 + run.random()});
    for (const NodeMessage& message : conversation(session)) {
      std::string bytes = we.bytes_of(message);
      const unsigned what = run.random() % 4;
      if (what == 0) mutate(&bytes, run.random);
      if (what == 1) {
        // In the body alone: the frame stays what it is.
        std::string body = bytes.substr(kMessageHeaderBytes);
        const size_t size = body.size();
        mutate(&body, run.random);
        body.resize(size, '\0');
        bytes.replace(kMessageHeaderBytes, size, body);
      }
      there = there && we.say(bytes);
    }
    if (run.rounds % 20 == 0) expect_others_served(*others);
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_others_served(*others);
  others.reset();
  // What we had there is gone with us.
  EXPECT_TRUE(comes_to_have(1, 0));
  EXPECT_GT(run.rounds, 10);
}

}  // namespace
}  // namespace troupe::test
