#include "devices/cuda/event_poller.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "tests/devices/cuda/test_machine.h"

namespace troupe::test {
namespace {

TEST(EventPoller, calls_in_the_order_of_a_stream_once_its_points_are_reached) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    TestMachine machine({.seed = seed});
    Stream& stream = machine.gpu().compute();
    Tensor x = machine.tensor(1);
    std::vector<int> order;
    std::promise<void> last;
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(machine.set(x, i), absl::OkStatus());
      const Point point = *stream.record();
      machine.poller->watch(point, [&, i, number = point.number()](absl::Status status) {
        EXPECT_EQ(status, absl::OkStatus());
        EXPECT_GE(stream.completed(), number);
        order.push_back(i);
        if (i == 4) last.set_value();
      });
    }
    last.get_future().wait();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  }
}

TEST(EventPoller, asks_nothing_while_nothing_is_open) {
  TestMachine machine;
  Tensor x = machine.tensor(1);
  ASSERT_EQ(machine.set(x, 1), absl::OkStatus());
  ASSERT_TRUE(machine.to_host(x).ok());
  machine.poller->drain(machine.gpu().copies().out());
  const int64_t rounds = machine.poller->rounds();
  const int64_t queries = machine.driver.calls("cuEventQuery");
  EXPECT_GT(rounds, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  // The round that answered may have been counted and be over only now.
  EXPECT_LE(machine.poller->rounds(), rounds + 1);
  EXPECT_EQ(machine.driver.calls("cuEventQuery"), queries);
}

TEST(EventPoller, lets_go_of_what_calls_hold_before_it_is_drained) {
  TestMachine machine;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  machine.poller->watch(*machine.gpu().compute().record(),
                        [held = std::move(held)](absl::Status) { throw 1; });
  machine.poller->drain(machine.gpu().compute());
  EXPECT_TRUE(watched.expired());
}

TEST(EventPoller, calls_at_once_after_its_end) {
  TestMachine machine;
  EventPoller poller;
  poller.stop();
  Tensor x = machine.tensor(1);
  ASSERT_EQ(machine.set(x, 1), absl::OkStatus());
  bool called = false;
  poller.watch(*machine.gpu().compute().record(), [&](absl::Status status) { called = status.ok(); });
  EXPECT_TRUE(called);
  EXPECT_EQ(machine.driver.work_open(), 0);
}

TEST(EventPoller, answers_all_at_its_end) {
  TestMachine machine;
  std::atomic<int> answers{0};
  {
    EventPoller poller;
    Tensor x = machine.tensor(1);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(machine.set(x, i), absl::OkStatus());
      poller.watch(*machine.gpu().compute().record(), [&](absl::Status) { ++answers; });
    }
  }
  EXPECT_EQ(answers, 20);
}

TEST(EventPoller, takes_watches_from_many_threads_and_from_calls) {
  TestMachine machine({.works_alone = true});
  Stream& stream = machine.gpu().compute();
  std::atomic<int> answers{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        machine.poller->watch(*stream.record(), [&](absl::Status) {
          machine.poller->watch(*stream.record(), [&](absl::Status) { ++answers; });
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  machine.poller->drain(stream);
  EXPECT_EQ(answers, 200);
}

}  // namespace
}  // namespace troupe::test
