// Clients that go away while they wait, and runs that do not end by themselves.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "actors/runtime_impl.h"
#include "tests/actors/grpc_door/door_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;
using tensorflow::RunStepRequest;
using tensorflow::RunStepResponse;
using testing::HasSubstr;

/// x is fed; "hang" ends when it is cancelled.
class DoorClients : public DoorTest {
 protected:
  DoorClients() {
    const int x = placeholder("x");
    add("hang", "TestHang", {}, {{x, 0}});
    add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
  }

  void serve_graph(GrpcServerOptions options = {}) {
    serve(options);
    auto session = create_session();
    ASSERT_TRUE(session.ok()) << session.status();
    handle_ = *session;
  }
  RunStepRequest hanging() const { return step(handle_, {{"x:0", Tensor::scalar<float>(1)}}, {"hang:0"}); }
  std::future<absl::Status> hang_in_background() {
    const int before = hung;
    auto status = std::async(std::launch::async, [this, request = hanging()] {
      return ask<RunStepResponse>(&Client::RunStep, request).status();
    });
    while (hung == before) std::this_thread::sleep_for(1ms);
    return status;
  }
  /// Whether no step of the runtime's sessions runs any more, soon.
  bool comes_to_rest() {
    const auto late = std::chrono::steady_clock::now() + 10s;
    while (std::chrono::steady_clock::now() < late) {
      int64_t running = 0;
      for (const auto& core : runtime_->impl().known_sessions()) running += core->gate.running();
      if (running == 0) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  std::string handle_;
};

TEST_F(DoorClients, a_run_ends_when_its_client_cancels) {
  serve_graph();
  ::grpc::ClientContext context;
  std::thread canceller([&] {
    while (hung == 0) std::this_thread::sleep_for(1ms);
    context.TryCancel();
  });
  RunStepResponse response;
  EXPECT_EQ(client_->RunStep(&context, hanging(), &response).error_code(), ::grpc::StatusCode::CANCELLED);
  canceller.join();
  EXPECT_TRUE(comes_to_rest());
}

TEST_F(DoorClients, a_run_ends_with_the_deadline_of_its_client) {
  serve_graph();
  EXPECT_TRUE(absl::IsDeadlineExceeded(ask<RunStepResponse>(&Client::RunStep, hanging(), 100ms).status()));
  EXPECT_TRUE(comes_to_rest());
}

TEST_F(DoorClients, a_callable_and_a_turn_end_with_their_clients_patience) {
  serve_graph();
  tensorflow::MakeCallableRequest make;
  make.set_session_handle(handle_);
  make.mutable_options()->add_feed("x:0");
  make.mutable_options()->add_fetch("hang:0");
  const auto callable = ask<tensorflow::MakeCallableResponse>(&Client::MakeCallable, make);
  ASSERT_TRUE(callable.ok()) << callable.status();
  tensorflow::RunCallableRequest request;
  request.set_session_handle(handle_);
  request.set_handle(callable->handle());
  *request.add_feed() = hanging().feed(0).tensor();
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      ask<tensorflow::RunCallableResponse>(&Client::RunCallable, request, 100ms).status()));
  EXPECT_TRUE(comes_to_rest());

  tensorflow::PartialRunSetupRequest setup;
  setup.set_session_handle(handle_);
  setup.add_feed("x:0");
  setup.add_fetch("hang:0");
  const auto partial = ask<tensorflow::PartialRunSetupResponse>(&Client::PartialRunSetup, setup);
  ASSERT_TRUE(partial.ok()) << partial.status();
  RunStepRequest turn = hanging();
  turn.set_partial_run_handle(partial->partial_run_handle());
  EXPECT_TRUE(absl::IsDeadlineExceeded(ask<RunStepResponse>(&Client::RunStep, turn, 100ms).status()));
  EXPECT_TRUE(comes_to_rest());
}

TEST_F(DoorClients, closing_a_session_ends_what_runs_in_it) {
  serve_graph();
  auto run = hang_in_background();
  EXPECT_EQ(close(handle_), absl::OkStatus());
  const absl::Status ended = run.get();
  EXPECT_TRUE(absl::IsCancelled(ended)) << ended;
  EXPECT_TRUE(comes_to_rest());
}

TEST_F(DoorClients, reset_ends_what_runs_and_answers) {
  serve_graph();
  auto run = hang_in_background();
  EXPECT_EQ(reset(), absl::OkStatus());
  EXPECT_TRUE(absl::IsCancelled(run.get()));
}

TEST_F(DoorClients, close_answers_though_a_kernel_does_not_listen) {
  const int x = graph_.find("x")->id;
  add("deaf", "TestDeaf", {{"micros", int64_t{2'000'000}}}, {{x, 0}});
  GrpcServerOptions options;
  options.close_patience = 100ms;
  serve_graph(options);
  auto run = std::async(std::launch::async, [&] {
    return ask<RunStepResponse>(&Client::RunStep,
                                step(handle_, {{"x:0", Tensor::scalar<float>(1)}}, {"deaf:0"}))
        .status();
  });
  while (deafened == 0) std::this_thread::sleep_for(1ms);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(close(handle_), absl::OkStatus());
  EXPECT_LT(std::chrono::steady_clock::now() - began, 1500ms);
  EXPECT_TRUE(absl::IsCancelled(run.get()));
}

}  // namespace
}  // namespace troupe::test
