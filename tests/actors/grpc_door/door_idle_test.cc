// Sessions whose clients are gone.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "tests/actors/grpc_door/door_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;

class DoorIdle : public DoorTest {
 protected:
  DoorIdle() {
    const int x = placeholder("x");
    add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("nap", "TestSleep", {{"micros", int64_t{1'500'000}}}, {{x, 0}});
  }
  absl::Status run_once(const std::string& session, const std::string& fetch) {
    return run(session, {{"x:0", Tensor::scalar<float>(1)}}, {fetch}).status();
  }
};

TEST_F(DoorIdle, a_session_that_nobody_uses_is_closed) {
  GrpcServerOptions options;
  options.session_idle_limit = 300ms;
  serve(options);
  const auto session = create_session();
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(run_once(*session, "twice:0"), absl::OkStatus());
  const auto late = std::chrono::steady_clock::now() + 20s;
  absl::Status status;
  while (status.ok() && std::chrono::steady_clock::now() < late) {
    std::this_thread::sleep_for(1s);
    status = run_once(*session, "twice:0");
  }
  EXPECT_EQ(status, absl::AbortedError("Session " + *session + " is not found."));
}

TEST_F(DoorIdle, a_session_in_use_stays) {
  GrpcServerOptions options;
  options.session_idle_limit = 300ms;
  serve(options);
  const auto session = create_session();
  EXPECT_EQ(run_once(*session, "nap:0"), absl::OkStatus()) << "a run that takes longer than the limit";
  EXPECT_EQ(run_once(*session, "twice:0"), absl::OkStatus());
}

TEST_F(DoorIdle, without_a_limit_sessions_stay) {
  GrpcServerOptions options;
  options.session_idle_limit = 0ms;
  serve(options);
  const auto session = create_session();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(run_once(*session, "twice:0"), absl::OkStatus());
}

}  // namespace
}  // namespace troupe::test
