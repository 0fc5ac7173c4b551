#include "devices/cancellation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using namespace std::chrono_literals;

TEST(CancellationToken, keeps_the_first_reason) {
  CancellationToken token;
  EXPECT_FALSE(token.cancelled());
  EXPECT_TRUE(token.reason().ok());
  token.cancel(absl::CancelledError("first"));
  token.cancel(absl::InternalError("second"));
  EXPECT_TRUE(token.cancelled());
  EXPECT_EQ(token.reason(), absl::CancelledError("first"));
}

TEST(CancellationToken, s100_s103_calls_each_callback_once) {
  CancellationToken token;
  int calls = 0;
  ASSERT_TRUE(token.register_callback([&] { ++calls; }));
  ASSERT_TRUE(token.register_callback([&] { ++calls; }));
  token.cancel(absl::CancelledError(""));
  token.cancel(absl::CancelledError(""));
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(token.register_callback([&] { ++calls; })) << "too late";
  EXPECT_EQ(calls, 2);
}

TEST(CancellationToken, s101_takes_no_callback_once_it_is_cancelled) {
  CancellationToken token;
  token.cancel(absl::CancelledError(""));
  EXPECT_FALSE(token.register_callback([] { FAIL(); }));
}

TEST(CancellationToken, s106_forgets_a_callback_that_is_taken_back) {
  CancellationToken token;
  const auto id = token.register_callback([] { FAIL(); });
  EXPECT_TRUE(token.deregister(*id));
  EXPECT_FALSE(token.deregister(*id));
  token.cancel(absl::CancelledError(""));
}

TEST(CancellationToken, s099_calls_nobody_when_it_goes) {
  auto token = std::make_unique<CancellationToken>();
  const auto taken_back = token->register_callback([] { FAIL(); });
  EXPECT_TRUE(token->deregister(*taken_back));
  ASSERT_TRUE(token->register_callback([] { FAIL(); }));
  token = nullptr;
}

TEST(CancellationToken, s102_s107_gives_no_callback_back_once_it_was_called) {
  CancellationToken token;
  int calls = 0;
  const auto id = token.register_callback([&] { ++calls; });
  token.cancel(absl::CancelledError(""));
  EXPECT_FALSE(token.deregister(*id));
  EXPECT_EQ(calls, 1);
}

TEST(CancellationToken, s104_is_seen_cancelled_by_many_threads_and_has_its_reason_then) {
  CancellationToken token;
  std::atomic<int> polling{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      ++polling;
      while (!token.cancelled()) std::this_thread::yield();
      if (token.reason() != absl::CancelledError("why") || !token.cancelled()) ++wrong;
    });
  }
  while (polling < 8) std::this_thread::yield();
  token.cancel(absl::CancelledError("why"));
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CancellationToken, s105_is_cancelled_while_a_callback_is_not_done) {
  CancellationToken token;
  std::promise<void> inside, let_go;
  ASSERT_TRUE(token.register_callback([&] {
    inside.set_value();
    let_go.get_future().wait();
  }));
  EXPECT_FALSE(token.cancelled());
  auto canceller = std::async(std::launch::async, [&] { token.cancel(absl::CancelledError("why")); });
  inside.get_future().wait();
  EXPECT_TRUE(token.cancelled());
  EXPECT_EQ(token.reason(), absl::CancelledError("why"));
  EXPECT_FALSE(token.register_callback([] { FAIL(); }));
  EXPECT_EQ(canceller.wait_for(0s), std::future_status::timeout) << "who cancels calls";
  let_go.set_value();
  canceller.get();
}

TEST(CancellationToken, may_be_used_by_its_callbacks) {
  CancellationToken token;
  std::optional<CancellationToken::Id> self, other;
  int others = 0;
  self = token.register_callback([&] {
    EXPECT_TRUE(token.cancelled());
    EXPECT_EQ(token.reason().message(), "why");
    EXPECT_FALSE(token.deregister(*self)) << "it runs on this very thread";
    EXPECT_FALSE(token.register_callback([] {}));
  });
  other = token.register_callback([&] { ++others; });
  token.cancel(absl::CancelledError("why"));
  EXPECT_EQ(others, 1);
}

TEST(CancellationToken, waits_for_a_callback_that_runs_elsewhere_before_it_is_taken_back) {
  CancellationToken token;
  std::promise<void> inside, let_go;
  std::atomic<bool> over{false};
  const auto id = token.register_callback([&] {
    inside.set_value();
    let_go.get_future().wait();
    over = true;
  });
  std::thread canceller([&] { token.cancel(absl::CancelledError("")); });
  inside.get_future().wait();
  auto taken_back = std::async(std::launch::async, [&] {
    EXPECT_FALSE(token.deregister(*id));
    return over.load();
  });
  EXPECT_EQ(taken_back.wait_for(20ms), std::future_status::timeout);
  let_go.set_value();
  EXPECT_TRUE(taken_back.get());
  canceller.join();
}

TEST(CancellationToken, is_new_after_a_reset) {
  CancellationToken token;
  token.cancel(absl::CancelledError(""));
  token.reset();
  EXPECT_FALSE(token.cancelled());
  EXPECT_TRUE(token.reason().ok());
  int calls = 0;
  ASSERT_TRUE(token.register_callback([&] { ++calls; }));
  token.cancel(absl::CancelledError("again"));
  EXPECT_EQ(calls, 1);
}

TEST(CancellationToken, calls_or_refuses_whoever_registers_while_it_is_cancelled) {
  for (int round = 0; round < 200; ++round) {
    CancellationToken token;
    std::atomic<int> registered{0}, called{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          const auto id = token.register_callback([&] { ++called; });
          if (!id) continue;
          ++registered;
          if (i % 2 == 0 && token.deregister(*id)) --registered;
        }
      });
    }
    token.cancel(absl::CancelledError(""));
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(called, registered) << "round " << round;
  }
}

}  // namespace
}  // namespace troupe
