#include "actors/cluster/lease.h"

#include <gmock/gmock.h>

#include <random>

namespace troupe {
namespace {

using std::chrono::milliseconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = LeaseEvent::Kind;

const TaskId kA{"worker", 0}, kB{"worker", 1};

class LeaseTest : public testing::Test {
 protected:
  LeaseTest() {
    leases_.watch(kA, 10, now_);
    leases_.watch(kB, 20, now_);
  }
  /// Time passes, turns come each period, and these peers renew.
  std::vector<LeaseEvent> pass(int periods, const std::vector<std::pair<TaskId, uint64_t>>& alive) {
    std::vector<LeaseEvent> all;
    for (int i = 0; i < periods; ++i) {
      now_ += leases_.options().period;
      for (const auto& [peer, life] : alive) {
        if (auto e = leases_.heard(peer, life, now_)) all.push_back(*e);
      }
      for (const LeaseEvent& e : leases_.turn(now_)) all.push_back(e);
    }
    return all;
  }
  LeaseTime now_{std::chrono::hours(1)};
  LeaseTable leases_;
};

TEST_F(LeaseTest, peers_that_renew_live_for_ever) {
  EXPECT_THAT(pass(1000, {{kA, 10}, {kB, 20}}), IsEmpty());
  EXPECT_EQ(leases_.size(), 2u);
}

TEST_F(LeaseTest, a_silent_peer_is_suspect_and_then_dead_within_a_lease_and_a_period) {
  const LeaseTime silent_since = now_;
  std::vector<LeaseEvent> events = pass(3, {{kA, 10}});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, Kind::kSuspect);
  EXPECT_EQ(events[0].peer, kB);
  events.clear();
  while (events.empty()) events = pass(1, {{kA, 10}});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, Kind::kExpired);
  EXPECT_EQ(events[0].peer, kB);
  EXPECT_EQ(events[0].incarnation, 20u);
  EXPECT_GE(now_ - silent_since, leases_.options().lease);
  EXPECT_LE(now_ - silent_since, leases_.options().lease + leases_.options().period);
  EXPECT_EQ(leases_.heard(kB, 20, now_), std::nullopt) << "it is not watched any more";
  EXPECT_EQ(leases_.size(), 1u);
}

TEST_F(LeaseTest, a_suspect_that_is_heard_of_is_trusted_again) {
  ASSERT_THAT(pass(3, {{kA, 10}}), SizeIs(1));
  auto event = leases_.heard(kB, 20, now_);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, Kind::kTrusted);
  EXPECT_THAT(pass(2, {{kA, 10}}), IsEmpty()) << "its silence begins anew";
}

TEST_F(LeaseTest, another_life_of_a_peer_is_told_once) {
  auto event = leases_.heard(kB, 21, now_);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->kind, Kind::kRestarted);
  EXPECT_EQ(event->incarnation, 20u) << "of whom all handles are stale";
  EXPECT_EQ(leases_.heard(kB, 21, now_), std::nullopt);
}

TEST_F(LeaseTest, nobody_dies_while_the_watcher_sleeps) {
  pass(10, {{kA, 10}, {kB, 20}});
  now_ += std::chrono::hours(3);
  EXPECT_THAT(leases_.turn(now_), IsEmpty());
  EXPECT_THAT(pass(10, {{kA, 10}, {kB, 20}}), IsEmpty());
}

TEST_F(LeaseTest, who_was_nearly_dead_when_the_watcher_fell_asleep_gets_one_period_more) {
  pass(4, {{kA, 10}});
  now_ += std::chrono::hours(3);
  EXPECT_THAT(leases_.turn(now_), IsEmpty()) << "its renewal may be in the mailbox";
  const std::vector<LeaseEvent> next = pass(1, {{kA, 10}});
  ASSERT_THAT(next, SizeIs(1));
  EXPECT_EQ(next[0].kind, Kind::kExpired);
  EXPECT_EQ(next[0].peer, kB);
}

TEST_F(LeaseTest, a_watcher_that_is_slow_for_ever_still_finds_the_dead) {
  std::vector<LeaseEvent> expired;
  int turns = 0;
  while (expired.empty() && turns < 20) {
    now_ += std::chrono::seconds(3);
    leases_.heard(kA, 10, now_);
    for (const LeaseEvent& e : leases_.turn(now_)) {
      if (e.kind == Kind::kExpired) expired.push_back(e);
    }
    ++turns;
  }
  ASSERT_THAT(expired, SizeIs(1));
  EXPECT_EQ(expired[0].peer, kB);
  EXPECT_LE(turns, 7);
}

TEST_F(LeaseTest, time_that_goes_backwards_counts_as_none) {
  pass(2, {{kA, 10}, {kB, 20}});
  EXPECT_THAT(leases_.turn(now_ - std::chrono::hours(1)), IsEmpty());
  EXPECT_THAT(leases_.turn(now_), IsEmpty());
  EXPECT_THAT(pass(5, {{kA, 10}}), SizeIs(2)) << "kB is found suspect and dead as always";
}

TEST_F(LeaseTest, who_left_is_not_found_dead) {
  leases_.forget(kB);
  EXPECT_THAT(pass(10, {{kA, 10}}), IsEmpty());
  leases_.watch(kB, 22, now_);
  EXPECT_THAT(pass(2, {{kA, 10}}), IsEmpty());
  EXPECT_THAT(pass(4, {{kA, 10}}), SizeIs(2));
}

TEST(LeaseOptions, must_leave_time_for_renewals) {
  EXPECT_TRUE(LeaseOptions().check().ok());
  for (const LeaseOptions& bad :
       {LeaseOptions{.period = milliseconds(0)}, LeaseOptions{.period = milliseconds(126)},
        LeaseOptions{.lease = milliseconds(250)}, LeaseOptions{.suspect_after = milliseconds(-1)}}) {
    EXPECT_EQ(bad.check().code(), absl::StatusCode::kInvalidArgument);
  }
}

/// Turns that come when they like, and renewals that are late: who renews within half a lease of the watcher's own time never dies, who
/// stops always does.
TEST_F(LeaseTest, holds_with_any_timing) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    LeaseTable leases;
    LeaseTime now{};
    leases.watch(kA, 1, now);
    leases.watch(kB, 2, now);
    bool b_died = false;
    for (int turn = 0; turn < 300; ++turn) {
      now += random() % 10 == 0 ? milliseconds(random() % 5000) : milliseconds(50 + random() % 100);
      if (random() % 4 != 0 || turn % 2 == 0) leases.heard(kA, 1, now);
      for (const LeaseEvent& e : leases.turn(now)) {
        if (e.kind != Kind::kExpired) continue;
        EXPECT_EQ(e.peer, kB);
        b_died = true;
      }
    }
    EXPECT_TRUE(b_died);
    EXPECT_EQ(leases.size(), 1u);
  }
}

}  // namespace
}  // namespace troupe
