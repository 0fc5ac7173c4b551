// Ranges of their own for channels. Expected values are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include "tests/devices/kernels/quantized/quantized_tensors.h"

namespace troupe::test {
namespace {

Tensor channel_sums() {
  std::vector<int64_t> v;
  for (int i = 0; i < 24; ++i) v.push_back((i - 10) * 1234567);
  return quantized<QInt32>(Shape{2, 2, 2, 3}, v);
}

TEST(RequantizationRangePerChannel, is_that_of_the_widest_channel) {
  auto range = [](float most, const Tensor& lows) {
    return run("RequantizationRangePerChannel", {channel_sums(), lows, Tensor::vector<float>({1, 2, 300})},
               {{"clip_value_max", most}});
  };
  const Tensor lows = Tensor::vector<float>({-1, -2, -300});
  for (const auto& [most, want] : {std::pair(1e30f, 2.2420711517333984), std::pair(1.0f, 1.0)}) {
    auto out = range(most, lows);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_FLOAT_EQ(out->at(0).value<float>(), static_cast<float>(-want));
    EXPECT_FLOAT_EQ(out->at(1).value<float>(), static_cast<float>(want));
  }
  EXPECT_EQ(outcome(range(1, Tensor::vector<float>({1, 2}))),
            "INVALID_ARGUMENT: input_min has incorrect size, expected 3 was 2");
}

TEST(RequantizePerChannel, scales_each_channel) {
  auto requantize = [](float low, DataType to) {
    return run("RequantizePerChannel",
               {channel_sums(), Tensor::vector<float>({-1000, -2, -300}),
                Tensor::vector<float>({1000, 2, 300}), Tensor::scalar(low), Tensor::scalar(6.0f)},
               {{"out_type", to}});
  };
  auto out = requantize(0, DataType::kQuint8);
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0), std::vector<int64_t>{0,  0, 0,  0,   0, 0,  0,   0, 0,  0,   0, 7,
                                               49, 0, 29, 122, 0, 51, 195, 0, 73, 255, 1, 95},
              0);
  expect_range(*out, 0, 6);
  out = requantize(-5, DataType::kQint8);
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0), std::vector<int64_t>{-122, 0, -29, -85, 0, -18, -49, 0, -7, -12, 0, 4,
                                               24,   0, 15,  61,  0, 26,  97,  0, 37, 127, 0, 47},
              0);
  EXPECT_EQ(outcome(requantize(0, DataType::kQint8)),
            "INVALID_ARGUMENT: If out_type is QINT8, requested_output_max must be non negative, got 0");
}

}  // namespace
}  // namespace troupe::test
