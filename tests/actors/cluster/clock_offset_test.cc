#include "actors/cluster/clock_offset.h"

#include <gtest/gtest.h>

#include <random>

namespace troupe {
namespace {

TEST(ClockOffset, is_exact_when_both_ways_take_equally_long) {
  ClockOffset clock;
  EXPECT_FALSE(clock.known());
  EXPECT_EQ(clock.offset().count(), 0);
  EXPECT_EQ(clock.doubt(), std::nullopt);
  // The peer is 1000 ahead, each way takes 10, the answer 5.
  ASSERT_TRUE(clock.add(100, 1110, 1115, 125));
  EXPECT_EQ(clock.offset().count(), 1000);
  EXPECT_EQ(clock.doubt()->count(), 10);
  EXPECT_EQ(clock.to_ours(1110), 110);
}

TEST(ClockOffset, believes_the_quickest_of_the_last_round_trips) {
  ClockOffset clock;
  ASSERT_TRUE(clock.add(0, 1010, 1010, 20));
  ASSERT_TRUE(clock.add(100, 1600, 1600, 700)) << "slow on the way there";
  EXPECT_EQ(clock.offset().count(), 1000);
  for (size_t i = 0; i < ClockOffset::kSamples; ++i) ASSERT_TRUE(clock.add(1000, 4050, 4050, 1100));
  EXPECT_EQ(clock.offset().count(), 3000) << "the clock has drifted, the old round trip is forgotten";
}

TEST(ClockOffset, refuses_times_that_cannot_be) {
  ClockOffset clock;
  EXPECT_FALSE(clock.add(10, 100, 100, 9)) << "back before it left";
  EXPECT_FALSE(clock.add(10, 100, 99, 20)) << "answered before it came";
  EXPECT_FALSE(clock.add(10, 100, 120, 20)) << "there for longer than it was away";
  EXPECT_FALSE(clock.add(10, INT64_MIN, INT64_MAX, 20));
  EXPECT_FALSE(clock.add(10, INT64_MAX - 1, INT64_MAX, 20));
  EXPECT_FALSE(clock.known());
}

TEST(ClockOffset, forgets_a_peer_that_restarts) {
  ClockOffset clock;
  ASSERT_TRUE(clock.add(0, 1010, 1010, 20));
  clock.reset();
  EXPECT_FALSE(clock.known());
  ASSERT_TRUE(clock.add(0, 20, 20, 100));
  EXPECT_EQ(clock.offset().count(), -30);
}

TEST(ClockOffset, is_never_further_off_than_it_says) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 1000; ++round) {
    const int64_t truth = static_cast<int64_t>(random() % 2'000'000'000) - 1'000'000'000;
    ClockOffset clock;
    int64_t now = 5'000'000'000;
    for (int i = 0; i < 20; ++i) {
      const int64_t sent = now, came = sent + random() % 10000, answered = came + random() % 500;
      now = answered + random() % 10000;
      ASSERT_TRUE(clock.add(sent, came + truth, answered + truth, now));
      ASSERT_LE(std::abs(clock.offset().count() - truth), clock.doubt()->count() + 1);
    }
  }
}

}  // namespace
}  // namespace troupe
