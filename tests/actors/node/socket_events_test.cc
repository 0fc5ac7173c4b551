#include "actors/node/socket_events.h"

#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <condition_variable>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <optional>
#include <utility>
#include <vector>

#include "actors/node/cluster_node.h"
#include "actors/node/node_clock.h"
#include "actors/node/node_door.h"
#include "actors/sockets/dial.h"

namespace troupe {

/// Work for a broker, on its thread.
struct DoOnLoop {
  std::function<void(caf::io::broker*)> what;
};

namespace {

using namespace std::chrono_literals;

/// What it is told goes to `heard`.
class Hears final : public caf::io::broker {
 public:
  using Heard = std::function<void(const SocketReady&)>;
  Hears(caf::actor_config& config, Heard heard) : caf::io::broker(config), heard_(std::move(heard)) {}
  void on_exit() override { heard_ = nullptr; }
  caf::behavior make_behavior() override {
    return {[this](const SocketReady& m) { heard_(m); }, [this](const DoOnLoop& m) { m.what(this); }};
  }

 private:
  Heard heard_;
};

class SocketEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    watched_ = std::make_shared<const Socket>(ends[0]);
    other_ = Socket(ends[1]);
  }
  ~SocketEventsTest() override {
    do_there([this](caf::io::broker*) {
      watch_ = SocketEvents::Watch();
      door_ = {};
      clock_ = {};
    });
    caf::anon_send_exit(broker_, caf::exit_reason::user_shutdown);
    broker_ = nullptr;
  }

  void do_there(const std::function<void(caf::io::broker*)>& what) {
    std::promise<void> done;
    caf::anon_send(broker_, DoOnLoop{[&](caf::io::broker* broker) {
                     what(broker);
                     done.set_value();
                   }});
    done.get_future().get();
  }
  void watch() {
    do_there([this](caf::io::broker* broker) {
      watch_ = SocketEvents::watch(broker, watched_->get(), watched_, 7);
    });
  }
  /// Whether something is told within a second; it goes to `told_`.
  bool is_told() {
    std::unique_lock lock(mu_);
    return come_.wait_for(lock, 1s, [this] { return !told_.empty(); });
  }
  /// The first that was told.
  SocketReady first() {
    std::lock_guard lock(mu_);
    return told_.at(0);
  }
  bool is_told_nothing() {
    std::lock_guard lock(mu_);
    return told_.empty();
  }
  /// Its loop comes by some times.
  void let_it_turn() {
    for (int i = 0; i < 5; ++i) {
      do_there([](caf::io::broker*) {});
      std::this_thread::sleep_for(1ms);
    }
  }
  bool comes_to_let_go() const {
    for (int i = 0; i < 5000 && watched_.use_count() > 1; ++i) std::this_thread::sleep_for(1ms);
    return watched_.use_count() == 1;
  }

  struct System {
    caf::actor_system_config config;
    std::optional<caf::actor_system> system;
    System() {
      configure_network(config);
      system.emplace(config);
    }
  };

  std::shared_ptr<const Socket> watched_;
  Socket other_;
  std::mutex mu_;
  std::condition_variable come_;
  std::vector<SocketReady> told_;  // guarded by mu_
  std::vector<std::chrono::steady_clock::time_point> told_at_;
  /// Of the broker's thread.
  SocketEvents::Watch watch_;
  NodeDoor door_;
  NodeClock clock_;
  System system_;
  caf::actor broker_ = [this] {
    caf::actor_config config{&system_.system->middleman().backend()};
    return system_.system->spawn_impl<Hears, caf::no_spawn_options>(config, [this](const SocketReady& m) {
      char byte;
      // Else it is told for ever.
      if (m.id == 7 && !m.to_write && ::recv(watched_->get(), &byte, 1, 0) <= 0) watch_->want_read(false);
      if (NodeClock::is_its(m.id)) clock_.take();
      if (m.to_write) watch_->want_write(false);
      if (NodeDoor::is_its(m.id)) taken_in_ += door_.take_in(m.id).size();
      std::lock_guard lock(mu_);
      told_.push_back(m);
      told_at_.push_back(std::chrono::steady_clock::now());
      come_.notify_all();
    });
  }();
  size_t taken_in_ = 0;
};

TEST_F(SocketEventsTest, tells_who_reads_that_something_has_come) {
  watch();
  EXPECT_EQ(::send(other_.get(), "x", 1, 0), 1);
  ASSERT_TRUE(is_told());
  EXPECT_EQ(first().id, 7u);
  EXPECT_FALSE(first().to_write);
}

TEST_F(SocketEventsTest, tells_who_writes_when_that_is_wanted) {
  watch();
  do_there([this](caf::io::broker*) { watch_->want_write(true); });
  ASSERT_TRUE(is_told());
  EXPECT_TRUE(first().to_write);
}

TEST_F(SocketEventsTest, tells_that_the_other_end_has_gone) {
  watch();
  other_ = Socket();
  ASSERT_TRUE(is_told());
  EXPECT_FALSE(first().to_write);
}

TEST_F(SocketEventsTest, what_is_wanted_and_not_at_once_is_not) {
  watch();
  do_there([this](caf::io::broker*) {
    watch_->want_write(true);
    watch_->want_write(false);
  });
  let_it_turn();
  EXPECT_TRUE(is_told_nothing());
}

TEST_F(SocketEventsTest, a_pause_is_one) {
  watch();
  do_there([this](caf::io::broker*) { watch_->want_read(false); });
  EXPECT_EQ(::send(other_.get(), "x", 1, 0), 1);
  let_it_turn();
  EXPECT_TRUE(is_told_nothing());
  do_there([this](caf::io::broker*) { watch_->want_read(true); });
  EXPECT_TRUE(is_told());
}

TEST_F(SocketEventsTest, tells_nothing_after_its_end_and_lets_the_socket_go) {
  watch();
  do_there([this](caf::io::broker*) {
    watch_->want_write(true);
    watch_ = SocketEvents::Watch();
  });
  EXPECT_EQ(::send(other_.get(), "x", 1, 0), 1);
  let_it_turn();
  EXPECT_TRUE(is_told_nothing());
  EXPECT_TRUE(comes_to_let_go());
}

TEST_F(SocketEventsTest, one_that_ends_before_the_loop_has_seen_it_is_forgotten) {
  do_there(
      [this](caf::io::broker* broker) { (void)SocketEvents::watch(broker, watched_->get(), watched_, 7); });
  let_it_turn();
  EXPECT_TRUE(comes_to_let_go());
}

TEST_F(SocketEventsTest, a_clock_tells_each_period) {
  do_there([this](caf::io::broker* broker) { EXPECT_EQ(clock_.start(broker, 10ms), absl::OkStatus()); });
  std::unique_lock lock(mu_);
  ASSERT_TRUE(come_.wait_for(lock, 5s, [this] { return told_.size() >= 5; }));
  EXPECT_TRUE(NodeClock::is_its(told_[0].id));
  // What it has not been told to be heard it tells again at once.
  EXPECT_GE(told_at_[4] - told_at_[0], 30ms);
}

TEST_F(SocketEventsTest, a_door_without_descriptors_rests_and_takes_in_who_waits_when_there_are_some) {
  std::optional<Socket> caller;
  do_there([&](caf::io::broker* broker) {
    const auto port = door_.open(broker, {"127.0.0.1", 0});
    ASSERT_TRUE(port.ok()) << port.status();
    // Nobody looks meanwhile.
    auto called = dial({"127.0.0.1", *port}, 5s);
    ASSERT_TRUE(called.ok()) << called.status();
    caller = *std::move(called);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit none = before;
    none.rlim_cur = 0;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    constexpr uint64_t kFirst = uint64_t{1} << 63;
    EXPECT_TRUE(door_.take_in(kFirst).empty());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  });
  let_it_turn();
  EXPECT_TRUE(is_told_nothing()) << "it does not rest";
  do_there([this](caf::io::broker*) { door_.go_on(); });
  ASSERT_TRUE(is_told());
  EXPECT_TRUE(NodeDoor::is_its(first().id));
  do_there([this](caf::io::broker*) { EXPECT_EQ(taken_in_, 1u); });
}

}  // namespace
}  // namespace troupe
