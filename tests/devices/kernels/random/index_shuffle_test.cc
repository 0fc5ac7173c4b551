// Places in a random permutation: the numbers are TensorFlow 2.21's for the same seeds.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;

absl::StatusOr<std::vector<Tensor>> place(const Tensor& index, const Tensor& max_index, int64_t rounds = 4) {
  return run_kernel("RandomIndexShuffle", {index, Tensor::vector<int64_t>({1, 2, 3}), max_index},
                    {{"rounds", rounds}});
}

TEST(RandomIndexShuffle, permutes) {
  auto out = place(Tensor::vector<int32_t>({0, 1, 2, 3, 4, 5}), Tensor::scalar(int32_t{5}), 8);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int32_t>(), ElementsAre(0, 5, 4, 1, 3, 2));
  out = place(Tensor::vector<int64_t>({0, 1, 2}), Tensor::scalar(int64_t{1} << 33));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int64_t>(), ElementsAre(3497874, 11886211, 20274608));
  out = place(Tensor::vector<int64_t>({0, 1, 2}), Tensor::scalar((int64_t{1} << 62) + 5));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int64_t>(), ElementsAre(57310969746, 194749922947, 332188876208));
}

TEST(RandomIndexShuffle, ends_for_any_number_of_rounds) {
  for (int64_t rounds : {-1, 0, 1, 2, 5, 7}) {
    EXPECT_TRUE(place(Tensor::vector<int32_t>({0, 1, 2, 3, 4}), Tensor::scalar(int32_t{4}), rounds).ok());
  }
  EXPECT_FALSE(place(Tensor::scalar(int32_t{9}), Tensor::scalar(int32_t{5})).ok());
  EXPECT_EQ(place(Tensor::vector<int32_t>({1, 2}), Tensor::vector<int32_t>({5, 6, 7})).status(),
            absl::InvalidArgumentError("Index bust be a scalar or vector."));
}

}  // namespace
}  // namespace troupe::test
