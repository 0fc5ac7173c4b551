#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/actors/grpc_door/door_fixture.h"

namespace troupe::test {

/// A server in this process, and a runtime that is its client: it does not know the ops of the server's graphs. x is fed; twice = x + x,
/// four = twice + twice; one = 1; "fail"; "hang" ends when it is cancelled.
class GrpcClientTest : public DoorTest {
 protected:
  GrpcClientTest();
  ~GrpcClientTest() override;

  /// A session at the server, without a graph.
  std::unique_ptr<Session> open_there(const std::string& config_text = "");
  /// The same with what the test has built.
  std::unique_ptr<Session> open_with_graph(const std::string& config_text = "");
  SessionOptions options_there(const std::string& config_text = "") const;

  static std::vector<NamedTensor> x(float value) { return {{"x", Tensor::scalar<float>(value)}}; }
  static std::vector<float> numbers(const absl::StatusOr<std::vector<Tensor>>& fetched);
  /// Until so many kernels hang.
  static void await_hung(int n);
  /// Whether no step runs at the server any more, soon.
  bool server_comes_to_rest();
  /// Sessions that the server has open.
  int64_t open_at_server() const;

  std::unique_ptr<Runtime> client_runtime_ = Runtime::create();
};

}  // namespace troupe::test
