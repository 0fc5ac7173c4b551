#include "actors/units/lent_thread.h"

#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <semaphore>
#include <set>

#include "actors/units/go_first.h"
#include "actors/units/named_pool.h"
#include "tests/actors/units/jobs.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;

class LentThreadTest : public testing::Test {
 protected:
  /// It does nothing before that, and is closed then.
  bool run_until_another_thread_ends_it(const std::shared_ptr<LentThread>& unit) {
    std::atomic<bool> done{false};
    std::thread other([&] {
      std::this_thread::sleep_for(10ms);
      unit->exec_later(jobs_.once([&] { done = true; }));
    });
    unit->run_until(done);
    unit->close();
    other.join();
    return done;
  }
  std::shared_ptr<LentThread> make_unit() { return std::make_shared<LentThread>(&system_, &pool_); }

  caf::actor_system_config config_;
  caf::actor_system system_{config_};
  Jobs jobs_;
  NamedPool pool_{&system_, "pool", 1};
};

TEST_F(LentThreadTest, runs_what_its_own_turns_bring_on_the_thread_that_is_lent) {
  auto unit = make_unit();
  std::atomic<bool> done{false};
  std::string order;
  std::set<std::thread::id> threads;
  unit->open();
  unit->exec_later(jobs_.once([&] {
    order += 'a';
    threads.insert(std::this_thread::get_id());
    unit->exec_later(jobs_.once([&] {
      order += 'c';
      threads.insert(std::this_thread::get_id());
      done = true;
    }));
  }));
  unit->exec_later(jobs_.once([&] { order += 'b'; }));
  unit->run_until(done);
  unit->close();
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_F(LentThreadTest, sleeps_until_another_thread_brings_something) {
  auto unit = make_unit();
  unit->open();
  EXPECT_TRUE(run_until_another_thread_ends_it(unit));
}

TEST_F(LentThreadTest, looks_at_the_end_when_it_is_woken) {
  auto unit = make_unit();
  std::atomic<bool> done{false};
  unit->open();
  std::thread other([&] {
    std::this_thread::sleep_for(10ms);
    done = true;
    unit->wake();
  });
  unit->run_until(done);
  unit->close();
  other.join();
}

TEST_F(LentThreadTest, hears_other_threads_between_the_turns_of_what_never_ends) {
  auto unit = make_unit();
  // Behind the end of this test the pool asks once more.
  auto ended = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool>& done = *ended;
  caf::resumable* endless = jobs_.later(
      [ended](caf::execution_unit*) { return *ended ? caf::resumable::done : caf::resumable::resume_later; });
  unit->open();
  unit->exec_later(endless);
  std::thread other([&] { unit->exec_later(jobs_.once([&] { done = true; })); });
  unit->run_until(done);
  other.join();
  unit->close();
  EXPECT_TRUE(done);
}

TEST_F(LentThreadTest, gives_all_to_the_pool_while_nobody_lends) {
  auto unit = make_unit();
  std::promise<std::thread::id> ran;
  unit->exec_later(jobs_.once([&] { ran.set_value(std::this_thread::get_id()); }));
  EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
}

TEST_F(LentThreadTest, gives_what_is_left_to_the_pool_when_it_is_closed) {
  auto unit = make_unit();
  std::promise<std::thread::id> ran;
  unit->open();
  unit->exec_later(jobs_.once([&] { ran.set_value(std::this_thread::get_id()); }));
  const std::atomic<bool> done{true};
  unit->run_until(done);
  unit->close();
  EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
}

TEST_F(LentThreadTest, passes_what_it_gets_to_its_lender) {
  auto lender = make_unit(), unit = make_unit();
  unit->set_lender(lender);
  EXPECT_EQ(LentThread::lender_of(unit), lender);
  EXPECT_EQ(LentThread::lender_of(lender), lender);
  std::atomic<bool> done{false};
  std::thread::id ran;
  lender->open();
  unit->exec_later(jobs_.once([&] {
    ran = std::this_thread::get_id();
    done = true;
  }));
  lender->run_until(done);
  lender->close();
  EXPECT_EQ(ran, std::this_thread::get_id());
  unit->set_lender(nullptr);
  EXPECT_EQ(LentThread::lender_of(unit), unit);
}

TEST_F(LentThreadTest, lets_go_first_what_asks_for_it) {
  auto unit = make_unit();
  std::atomic<bool> done{false};
  std::string order;
  unit->open();
  unit->exec_later(jobs_.once([&] {
    order += 'b';
    done = true;
  }));
  {
    GoFirst first;
    unit->exec_later(jobs_.once([&] { order += 'a'; }));
  }
  unit->run_until(done);
  unit->close();
  EXPECT_EQ(order, "ab");
}

// --- answers that it hears itself ---

/// Tells one answer, or nothing until it is interrupted.
class TestSource final : public AnswerSource {
 public:
  bool hear() override {
    if (!admits) return false;
    ++times_heard;
    if (tell != nullptr) {
      tell();
    } else {
      interrupted_.acquire();
    }
    return true;
  }
  void interrupt() override { interrupted_.release(); }
  void leave() override { ++times_left; }

  bool admits = true;
  std::function<void()> tell;
  int times_heard = 0;
  int times_left = 0;

 private:
  std::counting_semaphore<> interrupted_{0};
};

TEST_F(LentThreadTest, hears_the_answers_that_its_thread_has_asked_for) {
  auto unit = make_unit();
  auto source = std::make_shared<TestSource>();
  std::atomic<bool> done{false};
  std::thread::id ran;
  source->tell = [&] {
    unit->exec_later(jobs_.once([&] {
      ran = std::this_thread::get_id();
      done = true;
    }));
  };
  unit->open();
  unit->exec_later(jobs_.once([&] { LentThread::here()->hear_from(source); }));
  unit->run_until(done);
  EXPECT_EQ(source->times_left, 0);
  unit->close();
  EXPECT_EQ(ran, std::this_thread::get_id());
  EXPECT_EQ(source->times_heard, 1);
  EXPECT_EQ(source->times_left, 1);
}

TEST_F(LentThreadTest, stops_hearing_for_what_other_threads_bring) {
  auto unit = make_unit();
  auto source = std::make_shared<TestSource>();
  std::atomic<bool> done{false};
  unit->open();
  unit->hear_from(source);
  std::thread other([&] {
    std::this_thread::sleep_for(10ms);
    unit->exec_later(jobs_.once([] {}));
    std::this_thread::sleep_for(10ms);
    done = true;
    unit->wake();
  });
  unit->run_until(done);
  unit->close();
  other.join();
}

TEST_F(LentThreadTest, sleeps_while_another_thread_hears) {
  auto unit = make_unit();
  auto source = std::make_shared<TestSource>();
  source->admits = false;
  unit->open();
  unit->hear_from(source);
  EXPECT_TRUE(run_until_another_thread_ends_it(unit));
  EXPECT_EQ(source->times_heard, 0);
  EXPECT_EQ(source->times_left, 1);
}

TEST_F(LentThreadTest, is_known_on_its_thread_while_it_is_open) {
  auto unit = make_unit();
  EXPECT_EQ(LentThread::here(), nullptr);
  unit->open();
  EXPECT_EQ(LentThread::here(), unit.get());
  std::async(std::launch::async, [] { EXPECT_EQ(LentThread::here(), nullptr); }).get();
  unit->close();
  EXPECT_EQ(LentThread::here(), nullptr);
}

}  // namespace
}  // namespace troupe::test
