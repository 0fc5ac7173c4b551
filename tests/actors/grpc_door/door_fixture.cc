#include "tests/actors/grpc_door/door_fixture.h"

#include <google/protobuf/text_format.h>

#include "absl/strings/strip.h"
#include "graph/ir/graph_def.h"
#include "graph/status.h"
#include "graph/tensor/tensor_proto.h"

namespace troupe::test {

using tensorflow::RunStepRequest;
using tensorflow::RunStepResponse;

DoorTest::~DoorTest() {
  let_go = true;
  server_.reset();
}

void DoorTest::serve(Runtime& runtime, const GrpcServerOptions& options) {
  auto server = GrpcServer::start(runtime, options);
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  connect();
}

void DoorTest::connect(const ::grpc::ChannelArguments& arguments) {
  ::grpc::ChannelArguments all = arguments;
  all.SetMaxReceiveMessageSize(-1);
  all.SetMaxSendMessageSize(-1);
  client_ = tensorflow::MasterService::NewStub(::grpc::CreateCustomChannel(
      std::string(absl::StripPrefix(server_->target(), "grpc://")), credentials_, all));
}

absl::StatusOr<std::string> DoorTest::create_session(const tensorflow::GraphDef& graph,
                                                     const std::string& config_text) {
  tensorflow::CreateSessionRequest request;
  *request.mutable_graph_def() = graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(config_text, request.mutable_config()));
  TROUPE_ASSIGN_OR_RETURN(const auto response,
                          ask<tensorflow::CreateSessionResponse>(&Client::CreateSession, request));
  return response.session_handle();
}

absl::StatusOr<int64_t> DoorTest::extend(const std::string& session, const tensorflow::GraphDef& graph,
                                         int64_t version) {
  tensorflow::ExtendSessionRequest request;
  request.set_session_handle(session);
  *request.mutable_graph_def() = graph;
  request.set_current_graph_version(version);
  TROUPE_ASSIGN_OR_RETURN(const auto response,
                          ask<tensorflow::ExtendSessionResponse>(&Client::ExtendSession, request));
  return response.new_graph_version();
}

RunStepRequest DoorTest::step(const std::string& session, const std::vector<NamedTensor>& feeds,
                              const std::vector<std::string>& fetches,
                              const std::vector<std::string>& targets) {
  RunStepRequest request;
  request.set_session_handle(session);
  for (const auto& [name, value] : feeds) {
    auto* feed = request.add_feed();
    feed->set_name(name);
    to_proto(value, feed->mutable_tensor());
  }
  for (const std::string& f : fetches) request.add_fetch(f);
  for (const std::string& t : targets) request.add_target(t);
  return request;
}

std::vector<Tensor> DoorTest::tensors_of(const RunStepResponse& response) {
  std::vector<Tensor> out;
  for (const auto& named : response.tensor()) {
    auto value = from_proto(named.tensor());
    EXPECT_TRUE(value.ok()) << value.status();
    out.push_back(value.ok() ? *std::move(value) : Tensor());
  }
  return out;
}

absl::StatusOr<std::vector<Tensor>> DoorTest::run(const std::string& session,
                                                  const std::vector<NamedTensor>& feeds,
                                                  const std::vector<std::string>& fetches,
                                                  const std::vector<std::string>& targets,
                                                  const std::string& options_text) {
  RunStepRequest request = step(session, feeds, fetches, targets);
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(options_text, request.mutable_options()));
  TROUPE_ASSIGN_OR_RETURN(const auto response, ask<RunStepResponse>(&Client::RunStep, request));
  EXPECT_EQ(response.tensor_size(), static_cast<int>(fetches.size()));
  for (int i = 0; i < response.tensor_size(); ++i) EXPECT_EQ(response.tensor(i).name(), fetches[i]);
  return tensors_of(response);
}

absl::Status DoorTest::close(const std::string& session) {
  tensorflow::CloseSessionRequest request;
  request.set_session_handle(session);
  tensorflow::CloseSessionResponse response;
  return call(&Client::CloseSession, request, &response);
}

absl::Status DoorTest::reset(const std::vector<std::string>& containers,
                             const std::vector<std::string>& filters) {
  tensorflow::ResetRequest request;
  for (const std::string& c : containers) request.add_container(c);
  for (const std::string& f : filters) request.add_device_filters(f);
  tensorflow::ResetResponse response;
  return call(&Client::Reset, request, &response);
}

tensorflow::GraphDef DoorTest::graph_def() const {
  tensorflow::GraphDef out;
  to_graph_def(graph_, &out);
  return out;
}

tensorflow::GraphDef DoorTest::graph_of(const std::string& text) {
  tensorflow::GraphDef out;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &out)) << text;
  if (!out.has_versions()) out.mutable_versions()->set_producer(1000);
  return out;
}

}  // namespace troupe::test
