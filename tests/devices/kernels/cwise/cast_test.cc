// Casts to and from narrow numbers. The numbers are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;

constexpr float kInf = std::numeric_limits<float>::infinity();

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

absl::StatusOr<std::vector<Tensor>> cast(const Tensor& in, DataType to) {
  return run_kernel("Cast", {in}, {{"DstT", to}});
}

TEST(Cast, rounds_to_floats_of_eight_bits) {
  const Tensor in =
      Tensor::vector<float>({1, -0.0f, 448, 464, 464.125f, 0x1p-9f, 0x1p-10f, 0x1.001p-10f, kInf});
  auto out = cast(in, DataType::kFloat8E4m3fn);
  ASSERT_TRUE(out.ok()) << out.status();
  std::vector<int> bits;
  for (Float8E4m3fn v : out->at(0).flat<Float8E4m3fn>()) bits.push_back(v.value);
  EXPECT_THAT(bits, ElementsAre(0x38, 0x80, 0x7e, 0x7e, 0x7f, 1, 0, 1, 0x7f));
  EXPECT_TRUE(tensors_near(cast(out->at(0), DataType::kFloat)->at(0),
                           Tensor::vector<float>({1, 0, 448, 448, kNan, 0x1p-9f, 0, 0x1p-9f, kNan}), 0, 0));
  out = cast(Tensor::vector<double>({1, 57344, 61439, -61440, 0x1p-16, 0x1p-17, 0x1.8p-15}),
             DataType::kFloat8E5m2);
  ASSERT_TRUE(out.ok()) << out.status();
  bits.clear();
  for (Float8E5m2 v : out->at(0).flat<Float8E5m2>()) bits.push_back(v.value);
  EXPECT_THAT(bits, ElementsAre(0x3c, 0x7b, 0x7b, 0xfc, 1, 0, 3));
  EXPECT_THAT(cast(out->at(0), DataType::kInt32)->at(0).flat<int32_t>(),
              ElementsAre(1, 57344, 57344, std::numeric_limits<int32_t>::min(), 0, 0, 0));
  EXPECT_EQ(cast(Tensor::vector<int32_t>({1}), DataType::kFloat8E5m2).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(Cast, keeps_four_bits_of_integers) {
  const Tensor in = Tensor::vector<int32_t>({-1, 8, 7, 17});
  auto small = cast(in, DataType::kInt4);
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_THAT(cast(small->at(0), DataType::kInt64)->at(0).flat<int64_t>(), ElementsAre(-1, -8, 7, 1));
  auto plain = cast(small->at(0), DataType::kUint4);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_THAT(cast(plain->at(0), DataType::kUint8)->at(0).flat<uint8_t>(), ElementsAre(15, 8, 7, 1));
  EXPECT_EQ(cast(small->at(0), DataType::kFloat).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(Cast, rounds_to_the_nearest_half_number_and_on_demand_cuts_bits_of_a_bfloat16) {
  const Tensor in = Tensor::vector<float>({65519, 65520, 1.00048828125f, 1.00146484375f});
  auto half = cast(in, DataType::kHalf);
  ASSERT_TRUE(half.ok()) << half.status();
  EXPECT_THAT(cast(half->at(0), DataType::kFloat)->at(0).flat<float>(),
              ElementsAre(65504, kInf, 1, 1.001953125f))
      << "of two that are as near the even one";
  auto back = [](float value, bool truncate) {
    auto cut = run_kernel("Cast", {Tensor::vector<float>({value})},
                          {{"DstT", DataType::kBfloat16}, {"Truncate", truncate}});
    EXPECT_TRUE(cut.ok()) << cut.status();
    return cast(cut->at(0), DataType::kFloat)->at(0).flat<float>()[0];
  };
  EXPECT_EQ(back(1.0119f, false), 1.015625f);
  EXPECT_EQ(back(1.0119f, true), 1.0078125f);
}

}  // namespace
}  // namespace troupe::test
