#include "tests/actors/grpc_client/client_fixture.h"

#include <thread>

#include "actors/grpc_client/grpc_sessions.h"
#include "actors/runtime_impl.h"

namespace troupe::test {

GrpcClientTest::GrpcClientTest() {
  const int x = placeholder("x");
  const int twice = add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
  add("four", "TestAdd", {}, {{twice, 0}, {twice, 0}});
  constant("one", Tensor::scalar<float>(1));
  add("fail", "TestFail", {}, {{x, 0}});
  add("hang", "TestHang", {}, {{x, 0}});
  EXPECT_EQ(add_grpc_sessions(*client_runtime_), absl::OkStatus());
}

GrpcClientTest::~GrpcClientTest() {
  session_.reset();
  client_runtime_.reset();
}

SessionOptions GrpcClientTest::options_there(const std::string& config_text) const {
  auto options = SessionOptions::from_config_text(config_text);
  EXPECT_TRUE(options.ok()) << options.status();
  options->target = server_->target();
  return *options;
}

std::unique_ptr<Session> GrpcClientTest::open_there(const std::string& config_text) {
  auto session = Session::open(*client_runtime_, options_there(config_text));
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}

std::unique_ptr<Session> GrpcClientTest::open_with_graph(const std::string& config_text) {
  auto session = open_there(config_text);
  EXPECT_EQ(session->create(graph_def()), absl::OkStatus());
  return session;
}

std::vector<float> GrpcClientTest::numbers(const absl::StatusOr<std::vector<Tensor>>& fetched) {
  std::vector<float> out;
  EXPECT_TRUE(fetched.ok()) << fetched.status();
  if (!fetched.ok()) return out;
  for (const Tensor& t : *fetched) out.push_back(t.value<float>());
  return out;
}

void GrpcClientTest::await_hung(int n) {
  while (hung < n) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool GrpcClientTest::server_comes_to_rest() {
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < late) {
    int64_t running = 0;
    for (const auto& core : runtime_->impl().known_sessions()) running += core->gate.running();
    if (running == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

int64_t GrpcClientTest::open_at_server() const {
  return static_cast<int64_t>(runtime_->impl().live_sessions().size());
}

}  // namespace troupe::test
