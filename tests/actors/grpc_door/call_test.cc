// A call of a client, without gRPC.
#include "actors/grpc_door/call.h"

#include <gmock/gmock.h>

namespace troupe::test {
namespace {

/// A call whose answers are kept.
struct Answers {
  std::shared_ptr<CloseSessionCall> make() {
    return std::make_shared<CloseSessionCall>(
        [this](CloseSessionCall&, const absl::Status& s) { heard.push_back(s); });
  }
  std::vector<absl::Status> heard;
};

TEST(DoorCall, is_answered_once) {
  Answers answers;
  const auto call = answers.make();
  EXPECT_FALSE(call->finished());
  call->finish(absl::NotFoundError("first"));
  call->finish(absl::OkStatus());
  EXPECT_TRUE(call->finished());
  EXPECT_THAT(answers.heard, testing::ElementsAre(absl::NotFoundError("first")));
}

TEST(DoorCall, is_answered_by_who_drops_it) {
  Answers answers;
  answers.make();
  EXPECT_THAT(answers.heard, testing::ElementsAre(absl::AbortedError("The server is shutting down.")));
}

TEST(DoorCall, tells_who_works_for_it_that_its_client_has_gone) {
  Answers answers;
  const auto call = answers.make();
  int told = 0;
  call->when_cancelled([&] { ++told; });
  call->cancel();
  call->cancel();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(call->cancelled());
  EXPECT_FALSE(call->finished());
}

TEST(DoorCall, tells_at_once_when_its_client_has_gone_before) {
  Answers answers;
  const auto call = answers.make();
  call->cancel();
  int told = 0;
  call->when_cancelled([&] { ++told; });
  EXPECT_EQ(told, 1);
}

TEST(DoorCall, tells_nobody_once_it_is_answered) {
  Answers answers;
  const auto call = answers.make();
  int told = 0;
  call->when_cancelled([&] { ++told; });
  call->finish(absl::OkStatus());
  call->cancel();
  call->when_cancelled([&] { ++told; });
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace troupe::test
