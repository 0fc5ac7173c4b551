#include "actors/sockets/short_look.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace troupe {
namespace {

const auto never = [] { return false; };

TEST(ShortLook, sees_what_comes_while_it_looks) {
  ShortLook look;
  int asked = 0;
  EXPECT_TRUE(look.look([&] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
}

TEST(ShortLook, gives_up_after_a_while) {
  ShortLook look;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(look.look(never));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, ShortLook::kLook);
}

TEST(ShortLook, looks_less_often_the_longer_it_looks_in_vain) {
  ShortLook look;
  std::vector<int> looked;
  for (int turn = 0; turn < 1000; ++turn) {
    bool has = false;
    EXPECT_FALSE(look.look([&] {
      has = true;
      return false;
    }));
    if (has) looked.push_back(turn);
  }
  ASSERT_GE(looked.size(), 10u);
  EXPECT_EQ(looked[0], 0);
  EXPECT_EQ(looked[1], 2);
  EXPECT_EQ(looked[2], 6);
  EXPECT_EQ(looked.back() - looked[looked.size() - 2], 64);
}

TEST(ShortLook, looks_each_time_again_once_it_has_seen_something) {
  ShortLook look;
  for (int turn = 0; turn < 200; ++turn) (void)look.look(never);
  int turns = 0;
  while (!look.look([] { return true; })) ASSERT_LT(++turns, 65);
  for (int turn = 0; turn < 10; ++turn) EXPECT_TRUE(look.look([] { return true; }));
}

}  // namespace
}  // namespace troupe
