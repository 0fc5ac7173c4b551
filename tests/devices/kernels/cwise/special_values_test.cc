// Not a number, minus zero, numbers at the end of their range: the answers are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

Tensor ints(std::initializer_list<int32_t> values) { return Tensor::vector<int32_t>(values); }

std::vector<float> floats(const char* op, const std::vector<Tensor>& inputs) {
  const auto out = run_kernel(op, inputs);
  EXPECT_TRUE(out.ok()) << op << ": " << out.status();
  if (!out.ok()) return {};
  return {out->at(0).flat<float>().begin(), out->at(0).flat<float>().end()};
}

std::vector<int32_t> integers(const char* op, const std::vector<Tensor>& inputs) {
  const auto out = run_kernel(op, inputs);
  EXPECT_TRUE(out.ok()) << op << ": " << out.status();
  if (!out.ok()) return {};
  return {out->at(0).flat<int32_t>().begin(), out->at(0).flat<int32_t>().end()};
}

MATCHER(IsNan, "") { return std::isnan(arg); }
MATCHER(IsMinusZero, "") { return arg == 0 && std::signbit(arg); }

TEST(SpecialValues, not_a_number_stays_when_it_is_cut_off) {
  EXPECT_THAT(floats("Relu", {Tensor::vector<float>({kNan, -1, 2})}), ElementsAre(IsNan(), 0, 2));
  EXPECT_THAT(floats("Relu6", {Tensor::vector<float>({kNan, -1, 7})}), ElementsAre(IsNan(), 0, 6));
  const Tensor two = Tensor::scalar<float>(2), three = Tensor::scalar<float>(3);
  const Tensor x = Tensor::vector<float>({kNan, 1, 5, 2.5f});
  EXPECT_THAT(floats("ClipByValue", {x, two, three}), ElementsAre(IsNan(), 2, 3, 2.5f));
  EXPECT_THAT(floats("ClipByValue", {Tensor::vector<float>({0, 2.5f, 5}), three, two}), ElementsAre(3, 3, 3))
      << "the lower bound counts where it is above the upper one";
}

TEST(SpecialValues, halves_are_rounded_to_even_and_zeros_keep_their_sign) {
  const Tensor halves = Tensor::vector<float>({0.5f, 1.5f, 2.5f, -0.5f, -1.5f});
  for (const char* op : {"Round", "Rint"}) {
    EXPECT_THAT(floats(op, {halves}), ElementsAre(0, 2, 2, IsMinusZero(), -2)) << op;
  }
  EXPECT_THAT(floats("Sign", {Tensor::vector<float>({kNan, -0.0f, -3})}), ElementsAre(IsNan(), 0, -1));
}

TEST(SpecialValues, remainders_have_the_sign_of_what_is_divided_unless_the_quotient_is_floored) {
  const std::vector<Tensor> in = {ints({-7, 7}), ints({3, -3})};
  EXPECT_THAT(integers("Mod", in), ElementsAre(-1, 1));
  EXPECT_THAT(integers("TruncateMod", in), ElementsAre(-1, 1));
  EXPECT_THAT(integers("FloorMod", in), ElementsAre(2, -2));
  EXPECT_THAT(integers("Div", in), ElementsAre(-2, -2));
  EXPECT_THAT(integers("TruncateDiv", in), ElementsAre(-2, -2));
  EXPECT_THAT(integers("FloorDiv", in), ElementsAre(-3, -3));
}

TEST(SpecialValues, integers_have_no_quotient_by_zero_and_no_negative_powers) {
  for (const char* op : {"Mod", "FloorMod", "Div", "FloorDiv"}) {
    const absl::Status s = run_kernel(op, {ints({1, 1}), ints({1, 0})}).status();
    EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument) << op;
    EXPECT_THAT(std::string(s.message()), HasSubstr("Integer division by zero")) << op;
  }
  const absl::Status s = run_kernel("Pow", {ints({2, 2}), ints({2, -1})}).status();
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), HasSubstr("Integers to negative integer powers are not allowed"));
}

TEST(SpecialValues, integers_wrap_around) {
  EXPECT_THAT(integers("AddV2", {ints({kMost}), ints({1})}), ElementsAre(kLeast));
  EXPECT_THAT(integers("Mul", {ints({65536}), ints({65536})}), ElementsAre(0));
  EXPECT_THAT(integers("Abs", {ints({kLeast})}), ElementsAre(kLeast));
  EXPECT_THAT(integers("Neg", {ints({kLeast})}), ElementsAre(kLeast));
}

/// TensorFlow's CPU has an end at five dimensions that broadcast each in its own way: Unimplemented.
TEST(Broadcasting, takes_more_than_five_dimensions) {
  const Shape odd{2, 1, 2, 1, 2, 1, 2}, even{1, 2, 1, 2, 1, 2, 1};
  Tensor x(DataType::kFloat, odd), y(DataType::kFloat, even);
  for (int i = 0; i < 16; ++i) x.flat<float>()[i] = static_cast<float>(100 * i);
  for (int i = 0; i < 8; ++i) y.flat<float>()[i] = static_cast<float>(i);
  auto sum = run_kernel("AddV2", {x, y});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(sum->at(0).shape(), (Shape{2, 2, 2, 2, 2, 2, 2}));
  // The bits of the place, from the left: x's are the first, third, fifth and seventh.
  for (int at : {0, 1, 2, 64, 0b1010101, 0b0101010, 127}) {
    auto bit = [at](int i) { return at >> (6 - i) & 1; };
    const int of_x = bit(0) * 8 + bit(2) * 4 + bit(4) * 2 + bit(6);
    const int of_y = bit(1) * 4 + bit(3) * 2 + bit(5);
    EXPECT_EQ(sum->at(0).flat<float>()[at], static_cast<float>(100 * of_x + of_y)) << at;
  }
}

}  // namespace
}  // namespace troupe::test
