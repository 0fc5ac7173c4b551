// The end of a server.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "tests/actors/grpc_door/door_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;
using tensorflow::RunStepResponse;
using testing::HasSubstr;
using testing::StartsWith;

class DoorStop : public DoorTest {
 protected:
  DoorStop() {
    const int x = placeholder("x");
    add("hang", "TestHang", {}, {{x, 0}});
    add("deaf", "TestDeaf", {{"micros", int64_t{1'500'000}}}, {{x, 0}});
  }
  std::future<absl::Status> begin(const std::string& session, const std::string& fetch) {
    return std::async(std::launch::async, [this, session, fetch] {
      return ask<RunStepResponse>(&Client::RunStep,
                                  step(session, {{"x:0", Tensor::scalar<float>(1)}}, {fetch}))
          .status();
    });
  }
};

TEST_F(DoorStop, ends_runs_with_aborted_so_that_clients_do_not_repeat_them) {
  serve();
  auto run = begin(*create_session(), "hang:0");
  while (hung == 0) std::this_thread::sleep_for(1ms);
  server_->stop();
  const absl::Status ended = run.get();
  EXPECT_TRUE(absl::IsAborted(ended)) << ended;
  EXPECT_THAT(std::string(ended.message()), StartsWith("The server is shutting down."));
}

TEST_F(DoorStop, waits_no_longer_than_its_patience) {
  GrpcServerOptions options;
  options.close_patience = 100ms;
  serve(options);
  auto run = begin(*create_session(), "deaf:0");
  while (deafened == 0) std::this_thread::sleep_for(1ms);
  const auto before = std::chrono::steady_clock::now();
  server_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 1200ms);
  EXPECT_EQ(run.get(), absl::AbortedError("The server is shutting down."));
}

TEST_F(DoorStop, stops_once_and_gives_its_port_back) {
  serve();
  const std::string address = server_->target().substr(7);
  GrpcServerOptions same;
  same.address = address;
  const auto taken = GrpcServer::start(*runtime_, same);
  EXPECT_TRUE(absl::IsFailedPrecondition(taken.status())) << taken.status();
  EXPECT_THAT(std::string(taken.status().message()), HasSubstr("Could not start gRPC server on 127.0.0.1"));
  server_->stop();
  server_->stop();
  EXPECT_TRUE(GrpcServer::start(*runtime_, same).ok());
}

TEST_F(DoorStop, a_new_server_does_not_know_the_sessions_of_the_one_before) {
  serve();
  const auto session = create_session();
  const std::string address = server_->target().substr(7);
  server_->stop();
  GrpcServerOptions same;
  same.address = address;
  serve(same);
  EXPECT_EQ(close(*session), absl::AbortedError("Session " + *session +
                                                " is not found. Possibly, this master has restarted."));
}

TEST_F(DoorStop, refuses_to_start_where_it_may_not_and_as_what_it_cannot_be) {
  GrpcServerOptions options;
  options.address = "0.0.0.0:0";
  EXPECT_TRUE(absl::IsPermissionDenied(GrpcServer::start(*runtime_, options).status()));
  options = {};
  options.job = "no/job";
  EXPECT_TRUE(absl::IsInvalidArgument(GrpcServer::start(*runtime_, options).status()));
  options = {};
  options.task_index = -1;
  EXPECT_TRUE(absl::IsInvalidArgument(GrpcServer::start(*runtime_, options).status()));
  options = {};
  options.default_config = "\xff\xff";
  EXPECT_TRUE(absl::IsInvalidArgument(GrpcServer::start(*runtime_, options).status()));
  runtime_->shutdown();
  EXPECT_TRUE(absl::IsFailedPrecondition(GrpcServer::start(*runtime_).status()));
}

}  // namespace
}  // namespace troupe::test
