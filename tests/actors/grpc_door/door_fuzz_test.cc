// What clients say, changed: the server answers each call, and serves the others as ever.
#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/impl/client_unary_call.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "absl/strings/strip.h"
#include "tests/actors/grpc_door/door_fixture.h"
#include "tests/support/mutations.h"

namespace troupe::test {
namespace {

/// A session's name as the first field of a request.
constexpr size_t kHandleBytes = 2 + 16;
/// Calls that hang are given up.
constexpr std::chrono::milliseconds kPatience{500};

class DoorFuzz : public DoorTest {
 protected:
  DoorFuzz() { spdlog::set_level(spdlog::level::off); }
  ~DoorFuzz() override { spdlog::set_level(spdlog::level::info); }

  /// A call by name, with any bytes; its end.
  ::grpc::Status call_raw(const std::string& method, const std::string& bytes) {
    ::grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kPatience);
    const ::grpc::Slice slice(bytes);
    const ::grpc::ByteBuffer request(&slice, 1);
    ::grpc::ByteBuffer response;
    const std::string name = "/tensorflow.MasterService/" + method;
    // As the code that gRPC generates.
    const ::grpc::internal::RpcMethod called(name.c_str(), ::grpc::internal::RpcMethod::NORMAL_RPC);
    return ::grpc::internal::BlockingUnaryCall(channel_.get(), called, &context, request, &response);
  }

  struct Asked {
    std::string method;
    std::string bytes;
  };
  /// A call of each method, of this session where it is of one.
  std::vector<Asked> calls(const std::string& session) {
    tensorflow::CreateSessionRequest create;
    *create.mutable_graph_def() = graph_def();
    create.mutable_config()->set_allow_soft_placement(true);
    tensorflow::ExtendSessionRequest extend;
    extend.set_session_handle(session);
    *extend.mutable_graph_def() = graph_of("node { name: 'more' op: 'NoOp' }");
    tensorflow::PartialRunSetupRequest setup;
    setup.set_session_handle(session);
    setup.add_feed("x:0");
    setup.add_fetch("twice:0");
    tensorflow::MakeCallableRequest make;
    make.set_session_handle(session);
    make.mutable_options()->add_feed("x:0");
    make.mutable_options()->add_fetch("twice:0");
    tensorflow::RunCallableRequest run_callable;
    run_callable.set_session_handle(session);
    run_callable.set_handle(1);
    *run_callable.add_feed() = step(session, {{"x:0", Tensor::scalar<float>(1)}}, {}).feed(0).tensor();
    tensorflow::ReleaseCallableRequest release;
    release.set_session_handle(session);
    release.set_handle(1);
    tensorflow::ListDevicesRequest list;
    list.set_session_handle(session);
    tensorflow::CloseSessionRequest close_it;
    close_it.set_session_handle(session);
    return {
        {"CreateSession", create.SerializeAsString()},
        {"ExtendSession", extend.SerializeAsString()},
        {"RunStep", step(session, {{"x:0", Tensor::vector<float>({1, 2})}}, {"twice:0"}).SerializeAsString()},
        {"PartialRunSetup", setup.SerializeAsString()},
        {"MakeCallable", make.SerializeAsString()},
        {"RunCallable", run_callable.SerializeAsString()},
        {"ReleaseCallable", release.SerializeAsString()},
        {"ListDevices", list.SerializeAsString()},
        {"CloseSession", close_it.SerializeAsString()}};
  }

  void expect_others_served(const std::string& session) {
    const auto twice = run(session, {{"x:0", Tensor::scalar<float>(2)}}, {"twice:0"});
    ASSERT_TRUE(twice.ok()) << twice.status();
    ASSERT_EQ((*twice)[0].value<float>(), 4);
  }

  std::shared_ptr<::grpc::Channel> channel_;
};

TEST_F(DoorFuzz, a_server_answers_any_bytes_and_serves_the_others) {
  const google::protobuf::LogSilencer silence;
  const int x = placeholder("x");
  // A kernel that stands any value.
  add("twice", "AddV2", {{"T", DataType::kFloat}}, {{x, 0}, {x, 0}});
  serve();
  channel_ = ::grpc::CreateChannel(std::string(absl::StripPrefix(server_->target(), "grpc://")),
                                   ::grpc::InsecureChannelCredentials());
  auto others = create_session(), ours = create_session();
  ASSERT_TRUE(others.ok() && ours.ok());
  std::vector<Asked> asked = calls(*ours);
  FuzzRun run;
  int64_t answered_well = 0, refused = 0;
  while (run.next()) {
    SCOPED_TRACE(testing::Message() << "seed " << run.seed << ", round " << run.rounds);
    Asked call = asked[run.random() % asked.size()];
    // The name of the session stays every other time: who names none that is there is not heard further.
    const size_t kept = call.method != "CloseSession" && run.random() % 2 == 0 ? kHandleBytes : 0;
    std::string rest = call.bytes.substr(std::min(kept, call.bytes.size()));
    mutate(&rest, run.random);
    call.bytes.replace(std::min(kept, call.bytes.size()), std::string::npos, rest);
    const ::grpc::Status end = call_raw(call.method, call.bytes);
    ++(end.ok() ? answered_well : refused);
    ASSERT_NE(end.error_code(), ::grpc::StatusCode::UNAVAILABLE)
        << call.method << ": " << end.error_message();
    if (run.rounds % 50 == 0) expect_others_served(*others);
    if (run.rounds % 1000 == 0) {
      // What changed calls have opened, nobody closes.
      EXPECT_EQ(reset(), absl::OkStatus());
      others = create_session();
    }
    if (run.rounds % 100 == 0) {
      // It may have been closed.
      ours = create_session();
      ASSERT_TRUE(others.ok() && ours.ok()) << others.status() << ours.status();
      asked = calls(*ours);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_others_served(*others);
  EXPECT_GT(answered_well, run.rounds / 50);
  EXPECT_GT(refused, run.rounds / 10);
}

}  // namespace
}  // namespace troupe::test
