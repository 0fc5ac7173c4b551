// Spectrograms.
#include <gtest/gtest.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

void expect_outputs(const absl::StatusOr<std::vector<Tensor>>& got, const std::vector<Tensor>& want) {
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(tensors_near(got->at(i), want[i], 1e-4)) << "output " << i;
}

TEST(AudioSpectrogram, sees_windows_of_the_sound) {
  Tensor sound = Tensor::from<float>(Shape{10, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  expect_outputs(
      run_kernel("AudioSpectrogram", {sound}, {{"window_size", int64_t{4}}, {"stride", int64_t{3}}}),
      {Tensor::from<float>(Shape{1, 3, 3}, {6, 3.162278f, 0, 12, 6.082763f, 0, 18, 9.055386f, 0})});
  EXPECT_EQ(
      run_kernel("AudioSpectrogram", {sound}, {{"window_size", int64_t{1}}, {"stride", int64_t{3}}}).status(),
      absl::InvalidArgumentError("Spectrogram initialization failed for window size 1 and stride 3"));
}

TEST(Mfcc, transforms_a_filter_bank) {
  Tensor ramp(DataType::kFloat, Shape{1, 1, 33});
  for (int i = 0; i < 33; ++i) ramp.flat<float>()[i] = static_cast<float>(i);
  AttrMap attrs = {{"filterbank_channel_count", int64_t{5}}, {"dct_coefficient_count", int64_t{4}}};
  expect_outputs(run_kernel("Mfcc", {ramp, Tensor::scalar<int32_t>(8000)}, attrs),
                 {Tensor::from<float>(Shape{1, 1, 4}, {8.194798f, -1.857426f, -0.126793f, -0.205599f})});
}

}  // namespace
}  // namespace troupe::test
