#include "devices/first_answer.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace troupe {
namespace {

TEST(FirstAnswer, hands_on_what_the_device_says) {
  CancellationToken token;
  std::vector<absl::Status> heard;
  bool taken = false;
  const auto answer = FirstAnswer::expect(token, [&](absl::Status s) { heard.push_back(std::move(s)); });
  answer->give(absl::OkStatus(), [&] { taken = heard.empty(); });
  EXPECT_TRUE(taken) << "before the step hears of it";
  token.cancel(absl::CancelledError("late"));
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_TRUE(heard[0].ok());
}

TEST(FirstAnswer, drops_what_the_device_says_after_a_cancellation) {
  std::shared_ptr<FirstAnswer> answer;
  std::vector<absl::Status> heard;
  {
    CancellationToken token;
    answer = FirstAnswer::expect(token, [&](absl::Status s) { heard.push_back(std::move(s)); });
    token.cancel(absl::CancelledError("enough"));
  }
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].message(), "enough");
  // The token is gone.
  answer->give(absl::OkStatus(), [] { FAIL() << "the step has ended"; });
  EXPECT_EQ(heard.size(), 1u);
}

TEST(FirstAnswer, tells_a_step_at_once_that_is_cancelled_already) {
  CancellationToken token;
  token.cancel(absl::CancelledError("before"));
  std::vector<absl::Status> heard;
  const auto answer = FirstAnswer::expect(token, [&](absl::Status s) { heard.push_back(std::move(s)); });
  answer->give(absl::OkStatus());
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].message(), "before");
}

TEST(FirstAnswer, is_one_whoever_is_first) {
  for (int round = 0; round < 200; ++round) {
    CancellationToken token;
    std::atomic<int> heard{0};
    const auto answer = FirstAnswer::expect(token, [&](const absl::Status&) { ++heard; });
    std::thread device([&] { answer->give(absl::OkStatus()); });
    token.cancel(absl::CancelledError("now"));
    device.join();
    EXPECT_EQ(heard, 1);
  }
}

}  // namespace
}  // namespace troupe
