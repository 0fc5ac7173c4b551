#include "actors/units/named_pool.h"

#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <set>

#include "actors/units/go_first.h"
#include "tests/actors/units/jobs.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;

class NamedPoolTest : public testing::Test {
 protected:
  caf::actor_system_config config_;
  caf::actor_system system_{config_};
  Jobs jobs_;
};

TEST_F(NamedPoolTest, runs_jobs_in_their_order_on_threads_of_its_own) {
  std::vector<int> ran;
  std::set<std::thread::id> threads;
  NamedPool pool(&system_, "one", 1);
  for (int i = 0; i < 100; ++i) {
    pool.run([&, i] {
      ran.push_back(i);
      threads.insert(std::this_thread::get_id());
    });
  }
  pool.stop();
  ASSERT_EQ(ran.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ran[i], i);
  EXPECT_EQ(threads.size(), 1u);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_F(NamedPoolTest, runs_as_many_jobs_at_once_as_it_has_threads) {
  NamedPool pool(&system_, "three", 3);
  EXPECT_EQ(pool.num_threads(), 3);
  std::atomic<int> inside{0};
  std::promise<void> let_go;
  const std::shared_future<void> gone = let_go.get_future().share();
  for (int i = 0; i < 5; ++i) {
    pool.run([&inside, gone] {
      ++inside;
      gone.wait();
    });
  }
  while (inside < 3) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(inside, 3);
  let_go.set_value();
  pool.stop();
  EXPECT_EQ(inside, 5);
}

TEST_F(NamedPoolTest, resumes_again_what_is_not_done_behind_what_came_meanwhile) {
  std::string order;
  int turns = 0;
  caf::resumable* again = jobs_.later([&](caf::execution_unit*) {
    order += 'a';
    return ++turns < 3 ? caf::resumable::resume_later : caf::resumable::done;
  });
  NamedPool pool(&system_, "one", 1);
  std::promise<void> begun;
  pool.run([&] { begun.get_future().wait(); });
  pool.enqueue(again);
  pool.run([&] { order += 'b'; });
  begun.set_value();
  pool.stop();
  EXPECT_EQ(order, "abaa");
}

TEST_F(NamedPoolTest, lets_go_first_what_asks_for_it) {
  std::string order;
  NamedPool pool(&system_, "one", 1);
  std::promise<void> begun;
  pool.run([&] { begun.get_future().wait(); });
  pool.enqueue(jobs_.once([&] { order += 'b'; }));
  {
    GoFirst first;
    pool.enqueue(jobs_.once([&] { order += 'a'; }));
  }
  begun.set_value();
  pool.stop();
  EXPECT_EQ(order, "ab");
}

TEST_F(NamedPoolTest, hands_what_comes_after_its_end_to_the_actor_system) {
  NamedPool pool(&system_, "ended", 2);
  pool.run([] {});
  pool.stop();
  std::promise<std::thread::id> ran;
  pool.run([&] { ran.set_value(std::this_thread::get_id()); });
  auto where = ran.get_future();
  ASSERT_EQ(where.wait_for(10s), std::future_status::ready);
  EXPECT_NE(where.get(), std::this_thread::get_id());
}

TEST_F(NamedPoolTest, that_retires_runs_what_is_queued) {
  NamedPool pool(&system_, "one", 1);
  std::promise<void> begun;
  std::atomic<int> ran{0};
  pool.run([&] { begun.get_future().wait(); });
  for (int i = 0; i < 10; ++i) pool.run([&] { ++ran; });
  pool.retire();
  begun.set_value();
  pool.stop();
  EXPECT_EQ(ran, 10);
}

TEST_F(NamedPoolTest, loses_no_job_of_many_threads) {
  NamedPool pool(&system_, "two", 2);
  std::atomic<int> ran{0};
  std::vector<std::thread> clients;
  for (int t = 0; t < 4; ++t) {
    clients.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) pool.run([&] { ++ran; });
    });
  }
  for (std::thread& c : clients) c.join();
  pool.stop();
  EXPECT_EQ(ran, 8000);
}

TEST_F(NamedPoolTest, loses_no_job_that_comes_as_its_threads_go_to_sleep) {
  NamedPool pool(&system_, "two", 2);
  std::atomic<int> ran{0};
  const auto end = std::chrono::steady_clock::now() + 30s;
  for (int i = 0; i < 5000; ++i) {
    pool.run([&] { ++ran; });
    while (ran <= i && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    // About as long as a thread looks around before it sleeps.
    const auto next = std::chrono::steady_clock::now() + std::chrono::microseconds(i % 40);
    while (std::chrono::steady_clock::now() < next) {
    }
  }
  EXPECT_EQ(ran, 5000);
}

// --- what a turn leaves to its own thread ---

TEST_F(NamedPoolTest, goes_on_where_a_turn_ends_with_what_it_leaves) {
  NamedPool pool(&system_, "two", 2);
  std::atomic<bool> over{false};
  std::thread::id first;
  std::promise<std::thread::id> second;
  caf::resumable* const next = jobs_.once([&] {
    EXPECT_TRUE(over);
    second.set_value(std::this_thread::get_id());
  });
  pool.enqueue(jobs_.once([&] {
    first = std::this_thread::get_id();
    const NamedPool::GoOnHere here;
    pool.enqueue(next);
    // The other thread is idle, and does not take it.
    std::this_thread::sleep_for(5ms);
    over = true;
  }));
  const std::thread::id where = second.get_future().get();
  pool.stop();
  EXPECT_EQ(where, first);
}

TEST_F(NamedPoolTest, runs_elsewhere_what_a_turn_does_not_leave_to_its_thread) {
  NamedPool pool(&system_, "two", 2);
  std::promise<void> second, third, done;
  pool.enqueue(jobs_.once([&] {
    pool.enqueue(jobs_.once([&] { second.set_value(); }));
    EXPECT_EQ(second.get_future().wait_for(20s), std::future_status::ready) << "before the end";
    const NamedPool::GoOnHere here;
    pool.enqueue(jobs_.once([&] { done.set_value(); }));
    pool.enqueue(jobs_.once([&] { third.set_value(); }));
    EXPECT_EQ(third.get_future().wait_for(20s), std::future_status::ready) << "all but the first";
  }));
  EXPECT_EQ(done.get_future().wait_for(20s), std::future_status::ready);
}

TEST_F(NamedPoolTest, takes_over_what_a_turn_has_left_to_its_thread_when_that_waits) {
  NamedPool pool(&system_, "two", 2);
  std::promise<void> second, done;
  pool.enqueue(jobs_.once([&] {
    const NamedPool::GoOnHere here;
    pool.enqueue(jobs_.once([&] { second.set_value(); }));
    NamedPool::hand_over();
    EXPECT_EQ(second.get_future().wait_for(20s), std::future_status::ready);
    NamedPool::hand_over();
    done.set_value();
  }));
  EXPECT_EQ(done.get_future().wait_for(20s), std::future_status::ready);
}

TEST_F(NamedPoolTest, leaves_to_a_thread_nothing_of_another_pool) {
  NamedPool pool(&system_, "one", 1), other(&system_, "other", 1);
  std::promise<void> there, from_outside;
  pool.enqueue(jobs_.once([&] {
    const NamedPool::GoOnHere here;
    other.enqueue(jobs_.once([&] { there.set_value(); }));
    EXPECT_EQ(there.get_future().wait_for(20s), std::future_status::ready);
  }));
  const NamedPool::GoOnHere nowhere;
  pool.enqueue(jobs_.once([&] { from_outside.set_value(); }));
  EXPECT_EQ(from_outside.get_future().wait_for(20s), std::future_status::ready);
}

TEST_F(NamedPoolTest, lets_others_have_their_turn_between_what_turns_leave_to_its_thread) {
  NamedPool pool(&system_, "one", 1);
  constexpr int kTurns = 10 * NamedPool::kOwnTurns;
  std::promise<void> other_waits, done;
  int turns = 0, before_other = -1;
  std::function<void()> turn = [&] {
    if (turns == 0) other_waits.get_future().wait();
    if (++turns == kTurns) return done.set_value();
    const NamedPool::GoOnHere here;
    pool.enqueue(jobs_.once(turn));
  };
  pool.enqueue(jobs_.once(turn));
  pool.run([&] { before_other = turns; });
  other_waits.set_value();
  ASSERT_EQ(done.get_future().wait_for(20s), std::future_status::ready);
  pool.stop();
  EXPECT_EQ(before_other, NamedPool::kOwnTurns + 1);
}

}  // namespace
}  // namespace troupe::test
