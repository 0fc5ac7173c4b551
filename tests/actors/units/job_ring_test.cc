#include "actors/units/job_ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tests/actors/units/jobs.h"

namespace troupe::test {
namespace {

TEST(JobRing, keeps_the_order_of_both_ends_as_it_grows) {
  Jobs jobs;
  JobRing ring;
  std::deque<caf::resumable*> model;
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    // More come than go, so that it grows with its head anywhere.
    switch (random() % 5) {
      case 0:
      case 1:
        model.push_back(jobs.once([] {}));
        ring.push_back(model.back());
        break;
      case 2:
        model.push_front(jobs.once([] {}));
        ring.push_front(model.front());
        break;
      default:
        ASSERT_EQ(ring.empty(), model.empty());
        if (model.empty()) break;
        ASSERT_EQ(ring.pop_front(), model.front());
        model.pop_front();
    }
  }
  for (; !model.empty(); model.pop_front()) ASSERT_EQ(ring.pop_front(), model.front());
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace troupe::test
