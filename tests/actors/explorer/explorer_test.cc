// Orders of messages, by seed: whatever clients do meanwhile and whoever dies, everybody is answered once, and nothing is left.
#include <cstdlib>

#include "tests/actors/explorer/explorer.h"

namespace troupe::test {
namespace {

/// How many seeds: TROUPE_EXPLORE, or as many as take some seconds. TROUPE_EXPLORE_FROM is the first.
uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class ExplorerTest : public Explorer, public testing::WithParamInterface<bool> {};

TEST_P(ExplorerTest, answers_everybody_once_and_leaves_nothing) {
  const bool deaths = GetParam();
  const uint64_t first = setting("TROUPE_EXPLORE_FROM", 1);
  const uint64_t seeds = setting("TROUPE_EXPLORE", 1500);
  size_t asked = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "TROUPE_EXPLORE_FROM=" << seed << " TROUPE_EXPLORE=1");
    begin(seed);
    if (HasFatalFailure()) return;
    for (size_t i = 0; i < 14; ++i) {
      act(deaths);
      run_some(roll(30));
    }
    end();
    asked += this->asked();
    if (HasFailure()) return;
  }
  EXPECT_GE(asked, seeds * 5);
  EXPECT_GE(kernels_run(), static_cast<int64_t>(seeds / 2)) << "on the pool";
}

INSTANTIATE_TEST_SUITE_P(Orders, ExplorerTest, testing::Bool(),
                         [](const auto& p) { return p.param ? "in_which_actors_die" : "in_which_all_live"; });

}  // namespace
}  // namespace troupe::test
