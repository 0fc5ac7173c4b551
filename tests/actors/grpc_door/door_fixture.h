#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "actors/grpc_door/grpc_server.h"
#include "actors/run_values.h"
#include "proto/master_service.grpc.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {

/// A server over the runtime of SessionTest, and a client of it, which gRPC generates. A call takes thirty seconds at most.
class DoorTest : public SessionTest {
 protected:
  using Client = decltype(tensorflow::MasterService::NewStub({}))::element_type;

  ~DoorTest() override;

  /// Starts the server; the client knows it.
  void serve(GrpcServerOptions options = {}) { serve(*runtime_, options); }
  /// The same over another runtime.
  void serve(Runtime& runtime, const GrpcServerOptions& options);
  void connect(const ::grpc::ChannelArguments& arguments = {});

  /// Calls and waits: what the client hears.
  template <class Request, class Response>
  absl::Status call(::grpc::Status (Client::*method)(::grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response* response,
                    std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    ::grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + patience);
    const ::grpc::Status status = ((*client_).*method)(&context, request, response);
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  }
  template <class Response, class Request>
  absl::StatusOr<Response> ask(::grpc::Status (Client::*method)(::grpc::ClientContext*, const Request&,
                                                                Response*),
                               const Request& request,
                               std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    Response response;
    const absl::Status status = call(method, request, &response, patience);
    if (!status.ok()) return status;
    return response;
  }

  /// @name A client's calls
  absl::StatusOr<std::string> create_session(const tensorflow::GraphDef& graph,
                                             const std::string& config_text = "");
  /// With what the test has built.
  absl::StatusOr<std::string> create_session() { return create_session(graph_def()); }
  absl::StatusOr<int64_t> extend(const std::string& session, const tensorflow::GraphDef& graph,
                                 int64_t version);
  absl::StatusOr<std::vector<Tensor>> run(const std::string& session, const std::vector<NamedTensor>& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets = {},
                                          const std::string& options_text = "");
  absl::Status close(const std::string& session);
  absl::Status reset(const std::vector<std::string>& containers = {},
                     const std::vector<std::string>& filters = {});

  tensorflow::GraphDef graph_def() const;
  static tensorflow::GraphDef graph_of(const std::string& text);
  /// What a RunStep of these says.
  static tensorflow::RunStepRequest step(const std::string& session, const std::vector<NamedTensor>& feeds,
                                         const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets = {});
  static std::vector<Tensor> tensors_of(const tensorflow::RunStepResponse& response);

  /// What the client shows the server when it connects.
  std::shared_ptr<::grpc::ChannelCredentials> credentials_ = ::grpc::InsecureChannelCredentials();
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<Client> client_;
};

}  // namespace troupe::test
