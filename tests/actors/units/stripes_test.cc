#include "actors/units/stripes.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace troupe::test {
namespace {

constexpr int kMany = 8;

struct Count {
  std::atomic<int> n{0};
};

template <class S>
int sum(const S& stripes) {
  int all = 0;
  stripes.for_each([&](const Count& c) { all += c.n; });
  return all;
}

TEST(Stripes, are_one_until_they_spread) {
  Stripes<Count, kMany> stripes;
  EXPECT_EQ(stripes.size(), 1);
  for (int i = 0; i < kMany; ++i) {
    EXPECT_TRUE(stripes.is_first(stripes.at(i)));
    ++stripes.at(i).n;
  }
  EXPECT_EQ(stripes.at(0).n, kMany);
  EXPECT_EQ(sum(stripes), kMany);
}

TEST(Stripes, are_apart_from_then_on_and_keep_what_there_was) {
  Stripes<Count, kMany> stripes;
  stripes.at(3).n = 100;
  stripes.spread();
  stripes.spread();
  EXPECT_EQ(stripes.size(), kMany);
  for (int i = 0; i < kMany; ++i) {
    EXPECT_EQ(stripes.is_first(stripes.at(i)), i == 0);
    if (i > 0) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(&stripes.at(i)) % 64, 0u) << i;
    }
    ++stripes.at(i).n;
  }
  EXPECT_EQ(stripes.at(0).n, 101);
  EXPECT_EQ(stripes.at(3).n, 1);
  EXPECT_EQ(sum(stripes), 100 + kMany);
}

TEST(Stripes, spread_once_however_many_threads_want_it) {
  for (int round = 0; round < 200; ++round) {
    Stripes<Count, kMany> stripes;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        ++stripes.at(i).n;
        stripes.spread();
        ++stripes.at(i).n;
      });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(sum(stripes), 8);
    EXPECT_EQ(stripes.size(), kMany);
  }
}

}  // namespace
}  // namespace troupe::test
