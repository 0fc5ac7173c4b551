#include "actors/node/client_runs.h"

#include <gtest/gtest.h>

#include <string>

#include "actors/node/message.h"
#include "actors/node/status_proto.h"
#include "proto/client_wire.pb.h"

namespace troupe {
namespace {

/// What the client is told of a run that ended like this.
absl::Status told(ClientRuns& runs, int64_t run, const absl::Status& ended) {
  const auto answer = runs.close(run, ended, {});
  EXPECT_EQ(answer.status(), absl::OkStatus());
  wire::RunEnded out;
  EXPECT_EQ(unpack(*answer, &out), absl::OkStatus());
  return from_proto(out.status());
}

TEST(ClientRuns, have_numbers_that_are_free_again_when_they_end) {
  ClientRuns runs;
  EXPECT_EQ(runs.open(7), absl::OkStatus());
  EXPECT_TRUE(absl::IsAlreadyExists(runs.open(7)));
  EXPECT_TRUE(absl::IsCancelled(told(runs, 7, absl::CancelledError("by its client"))));
  EXPECT_EQ(runs.open(7), absl::OkStatus());
}

TEST(ClientRuns, that_the_end_of_their_node_cancels_were_not_cancelled_by_their_client) {
  ClientRuns runs;
  ASSERT_EQ(runs.open(1), absl::OkStatus());
  ASSERT_EQ(runs.open(2), absl::OkStatus());
  std::string reason;
  runs.set_cancel(1, [&](const std::string& why) { reason = why; });
  const absl::Status left = absl::UnavailableError("the task has left");
  runs.leave(left);
  EXPECT_EQ(reason, "the task has left");
  EXPECT_EQ(told(runs, 1, absl::CancelledError("Run call was cancelled")), left);
  const absl::Status own = absl::InvalidArgumentError("its own");
  EXPECT_EQ(told(runs, 2, own), own) << "that came before";
}

}  // namespace
}  // namespace troupe
