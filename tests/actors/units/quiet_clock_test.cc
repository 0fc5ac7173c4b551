#include "actors/units/quiet_clock.h"

#include <caf/all.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace troupe {
namespace {

using std::chrono::milliseconds;

class QuietClockTest : public testing::Test {
 protected:
  struct Config final : caf::actor_system_config {
    Config() { use_quiet_clock(*this); }
  };
  Config config_;
  caf::actor_system system_{config_};
};

/// Answers nothing.
class Silent final : public caf::event_based_actor {
 public:
  using caf::event_based_actor::event_based_actor;

 private:
  caf::behavior make_behavior() override {
    return {[this](int) { return make_response_promise<int>(); }};
  }
};

/// Asks, sends to itself later, and counts what comes of it.
class Timed final : public caf::event_based_actor {
 public:
  Timed(caf::actor_config& config, caf::actor silent, std::atomic<int>* seen)
      : caf::event_based_actor(config), silent_(std::move(silent)), seen_(seen) {}

 private:
  caf::behavior make_behavior() override {
    return {[this](int) {
              request(silent_, milliseconds(1), 1).then([](int) {}, [this](const caf::error&) { ++*seen_; });
              delayed_send(this, milliseconds(1), std::string("later"));
            },
            [this](const std::string&) { ++*seen_; }};
  }

  const caf::actor silent_;
  std::atomic<int>* const seen_;
};

TEST_F(QuietClockTest, delivers_timeouts_and_delayed_messages) {
  std::atomic<int> seen{0};
  {
    const caf::actor timed = system_.spawn<Timed>(system_.spawn<Silent>(), &seen);
    for (int i = 0; i < 100; ++i) caf::anon_send(timed, i);
    for (int i = 0; i < 10000 && seen < 200; ++i) std::this_thread::sleep_for(milliseconds(1));
    caf::anon_send_exit(timed, caf::exit_reason::user_shutdown);
  }
  EXPECT_EQ(seen, 200);
}

TEST_F(QuietClockTest, keeps_no_actor_that_ended_with_a_timeout_under_way) {
  std::atomic<int> seen{0};
  const caf::actor silent = system_.spawn<Silent>();
  caf::actor_addr gone;
  {
    const caf::actor timed = system_.spawn<Timed>(silent, &seen);
    gone = caf::actor_cast<caf::actor_addr>(timed);
    caf::anon_send(timed, 1);
    caf::anon_send_exit(timed, caf::exit_reason::user_shutdown);
  }
  for (int i = 0; i < 10000 && caf::actor_cast<caf::strong_actor_ptr>(gone) != nullptr; ++i)
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(caf::actor_cast<caf::strong_actor_ptr>(gone), nullptr);
}

}  // namespace
}  // namespace troupe
