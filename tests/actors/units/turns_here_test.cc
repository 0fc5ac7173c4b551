#include "actors/units/turns_here.h"

#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>

#include "actors/step/serves_turn.h"
#include "actors/units/lent_thread.h"
#include "actors/units/named_pool.h"
#include "tests/actors/units/jobs.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;

class TurnsHereTest : public testing::Test {
 protected:
  TurnsHereTest() { unit_->let_turns_be_taken(true); }

  /// Whose thread takes a turn, which others wait for.
  std::future<std::thread::id> thread_of_next_turn() {
    auto told = std::make_shared<std::promise<std::thread::id>>();
    auto thread = told->get_future();
    unit_->exec_later(jobs_.once([told] { told->set_value(std::this_thread::get_id()); }));
    return thread;
  }
  const std::thread::id here_ = std::this_thread::get_id();

  caf::actor_system_config config_;
  caf::actor_system system_{config_};
  Jobs jobs_;
  NamedPool pool_{&system_, "pool", 1};
  std::shared_ptr<LentThread> unit_ = std::make_shared<LentThread>(&system_, &pool_);
};

TEST_F(TurnsHereTest, takes_at_its_end_what_came_to_the_pool_meanwhile) {
  std::string order;
  {
    const TurnsHere turns;
    unit_->exec_later(jobs_.once([&] {
      order += 'b';
      EXPECT_TRUE(ServesTurn::active());
      EXPECT_EQ(std::this_thread::get_id(), here_);
      unit_->exec_later(jobs_.once([&] { order += 'c'; }));
    }));
    order += 'a';
  }
  EXPECT_EQ(order, "abc");
  EXPECT_FALSE(TurnsHere::active());
  EXPECT_FALSE(ServesTurn::active());
}

TEST_F(TurnsHereTest, takes_none_of_a_step_that_others_have_begun) {
  unit_->let_turns_be_taken(false);
  const TurnsHere turns;
  EXPECT_NE(thread_of_next_turn().get(), here_);
}

TEST_F(TurnsHereTest, goes_by_afterwards) { EXPECT_NE(thread_of_next_turn().get(), here_); }

TEST_F(TurnsHereTest, another_thread_is_none_of_its) {
  const TurnsHere turns;
  EXPECT_NE(std::async(std::launch::async, [this] { return thread_of_next_turn().get(); }).get(), here_);
}

TEST_F(TurnsHereTest, gives_what_takes_long_to_the_pool) {
  std::future<std::thread::id> second;
  {
    const TurnsHere turns;
    unit_->exec_later(jobs_.once([&] { std::this_thread::sleep_for(TurnsHere::kBudget + 1ms); }));
    second = thread_of_next_turn();
  }
  EXPECT_NE(second.get(), here_);
}

TEST_F(TurnsHereTest, what_is_not_through_has_more_turns_and_then_is_the_pools) {
  std::promise<void> elsewhere;
  auto turns_here = std::make_shared<std::atomic<int>>(0);
  caf::resumable* const endless = jobs_.later([&elsewhere, turns_here, here = here_](caf::execution_unit*) {
    if (std::this_thread::get_id() == here) {
      ++*turns_here;
      return caf::resumable::resume_later;
    }
    elsewhere.set_value();
    return caf::resumable::done;
  });
  {
    const TurnsHere turns;
    unit_->exec_later(endless);
  }
  EXPECT_GT(*turns_here, 1);
  elsewhere.get_future().get();
}

TEST_F(TurnsHereTest, a_thread_that_is_to_wait_gives_away_what_it_has) {
  const TurnsHere turns;
  auto first = thread_of_next_turn();
  NamedPool::hand_over();
  EXPECT_NE(first.get(), here_);
}

TEST_F(TurnsHereTest, a_turn_that_waits_for_another_gives_it_away) {
  std::optional<std::thread::id> other;
  {
    const TurnsHere turns;
    unit_->exec_later(jobs_.once([&] {
      auto second = thread_of_next_turn();
      NamedPool::hand_over();
      other = second.get();
    }));
  }
  ASSERT_TRUE(other.has_value());
  EXPECT_NE(*other, here_);
}

TEST_F(TurnsHereTest, a_lent_thread_goes_before_it) {
  std::atomic<bool> done{false};
  unit_->open();
  {
    const TurnsHere turns;
    unit_->exec_later(jobs_.once([&] { done = true; }));
  }
  EXPECT_FALSE(done) << "it is for the thread that is lent";
  unit_->run_until(done);
  unit_->close();
}

}  // namespace
}  // namespace troupe::test
