// A client that says what clients say, changed: a node hears it, and serves the others as ever.
#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <spdlog/spdlog.h>

#include "proto/client_wire.pb.h"
#include "tests/actors/node/caf_client_fixture.h"
#include "tests/actors/node/stranger.h"
#include "tests/support/mutations.h"

namespace troupe::test {
namespace {

class CafFuzz : public CafClientTest {
 protected:
  CafFuzz() { spdlog::set_level(spdlog::level::off); }
  ~CafFuzz() override { spdlog::set_level(spdlog::level::info); }

  /// Opens a session; its number, 0 without one.
  static uint64_t open_session(Stranger* we) {
    wire::OpenSession open;
    open.set_config("");
    we->say({MessageKind::kRequest, Method::kOpenSession, 1, *pack(open)});
    const auto answer = we->answer_to(1);
    wire::OpenedSession opened;
    EXPECT_TRUE(answer.ok() && unpack(*answer, &opened).ok()) << answer.status();
    return opened.session();
  }

  /// Another client's session; a new one when ours has had all of them reset, as a client may.
  void expect_served(Client& client, std::unique_ptr<Session>* session) {
    if (absl::IsAborted((*session)->run(x(2), {"z"}).status())) *session = open_there(client);
    ASSERT_NE(*session, nullptr);
    ASSERT_EQ(only((*session)->run(x(2), {"z"})), 16);
  }

  /// What a client says of that session.
  static std::vector<NodeMessage> conversation(uint64_t session) {
    std::vector<NodeMessage> out;
    uint64_t id = 1;
    const auto ask = [&](Method method, auto m, const std::vector<Tensor>& values = {}) {
      m.set_session(session);
      out.push_back({MessageKind::kRequest, method, ++id, *pack(m, values)});
    };
    tensorflow::GraphDef def;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(graph(), &def));
    const std::string text = def.SerializeAsString();
    Tensor bytes(DataType::kUint8, Shape{static_cast<int64_t>(text.size())});
    std::copy(text.begin(), text.end(), static_cast<char*>(bytes.raw()));
    ask(Method::kExtendSession, wire::ExtendSession(), {bytes});
    wire::RunStep run;
    run.set_run(7);
    run.add_feeds("x:0");
    run.add_fetches("z:0");
    ask(Method::kRunStep, run, {Tensor::scalar<float>(2)});
    wire::SetUpPartialRun turns;
    turns.add_feeds("x:0");
    turns.add_fetches("y:0");
    ask(Method::kSetUpPartialRun, turns);
    run.set_partial_run("handle");
    run.set_run(8);
    ask(Method::kRunStep, run, {Tensor::scalar<float>(2)});
    wire::PrepareCallable prepare;
    prepare.set_options("\x12\x03z:0");
    ask(Method::kPrepareCallable, prepare);
    ask(Method::kCallCallable, wire::CallCallable(), {Tensor::scalar<float>(2)});
    wire::CancelRun cancel;
    cancel.set_run(7);
    ask(Method::kCancelRun, cancel);
    ask(Method::kDropCallable, wire::DropCallable());
    ask(Method::kCloseSession, wire::CloseSession());
    // Of a task that is not there.
    wire::LeaveCluster leave;
    leave.set_task("/job:ps/replica:0/task:9");
    out.push_back({MessageKind::kRequest, Method::kLeaveCluster, ++id, *pack(leave)});
    out.push_back({MessageKind::kRequest, Method::kGetCluster, ++id, *pack_nothing()});
    return out;
  }
};

TEST_F(CafFuzz, a_node_stands_what_a_client_says_and_serves_the_others) {
  const google::protobuf::LogSilencer silence;
  // In hours the machine has other work for longer than tasks are silent.
  options_.lease = options_.client_lease;
  start_all(2);
  Client client;
  auto others = open_there(client);
  ASSERT_NE(others, nullptr);
  FuzzRun run;
  while (run.next()) {
    SCOPED_TRACE(testing::Message() << "seed " << run.seed << ", round " << run.rounds);
    Stranger we(*machines_[0]->node);
    ASSERT_TRUE(we.say_hello({std::nullopt, 1 + run.random()}));
    const uint64_t session = open_session(&we);
    bool there = session != 0;
    for (const NodeMessage& message : conversation(session)) {
      std::string bytes = we.bytes_of(message);
      const unsigned what = run.random() % 4;
      if (what == 0) mutate(&bytes, run.random);
      // In the body alone: the frame stays what it is.
      if (what == 1 && bytes.size() > kMessageHeaderBytes) {
        std::string body = bytes.substr(kMessageHeaderBytes);
        mutate(&body, run.random);
        body.resize(bytes.size() - kMessageHeaderBytes, '\0');
        bytes.replace(kMessageHeaderBytes, std::string::npos, body);
      }
      there = there && we.say(bytes);
    }
    if (run.rounds % 20 == 0) expect_served(client, &others);
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_served(client, &others);
  // What we had there is gone with us.
  EXPECT_TRUE(comes_to_have(0, 1));
  EXPECT_TRUE(comes_to_have(1, 1));
  EXPECT_GT(run.rounds, 10);
}

}  // namespace
}  // namespace troupe::test
