// Numbers that a key and a counter determine: those of TensorFlow 2.21.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::FloatEq;

absl::StatusOr<std::vector<Tensor>> draw(int32_t algorithm) {
  return run_kernel("StatelessRandomUniformV2",
                    {Tensor::vector<int32_t>({2}), Tensor::vector<uint64_t>({7}),
                     Tensor::vector<uint64_t>({3, 4}), Tensor::scalar<int32_t>(algorithm)});
}

TEST(StatelessRandom, draws_by_philox_which_is_also_what_is_chosen_for_who_leaves_it_open) {
  for (const int32_t algorithm : {1, 3}) {
    auto drawn = draw(algorithm);
    ASSERT_TRUE(drawn.ok()) << drawn.status();
    EXPECT_THAT(drawn->at(0).flat<float>(), ElementsAre(FloatEq(0.66429186f), FloatEq(0.2451104f)));
  }
}

TEST(StatelessRandom, refuses_threefry_and_what_is_no_algorithm) {
  for (const int32_t algorithm : {2, 9}) {
    const absl::Status refused = draw(algorithm).status();
    EXPECT_EQ(refused, absl::InvalidArgumentError("Unsupported algorithm id: " + std::to_string(algorithm)));
  }
}

}  // namespace
}  // namespace troupe::test
