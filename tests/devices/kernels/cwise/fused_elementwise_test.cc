// Trees of element-wise operations in one kernel, against the kernels of the operations.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::HasSubstr;

absl::string_view bytes_of(const Tensor& t) { return {static_cast<const char*>(t.raw()), t.bytes()}; }

struct Step {
  std::string op;
  int a;
  int b = -1;
};

Tensor sample(const Shape& shape, int seed, DataType type = DataType::kFloat) {
  Tensor t(type, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const double v = 0.1 + static_cast<double>((i * 37 + seed * 11) % 101) / 40;
    if (type == DataType::kFloat) t.flat<float>()[i] = static_cast<float>(v);
    if (type == DataType::kDouble) t.flat<double>()[i] = v;
  }
  return t;
}

absl::StatusOr<std::vector<Tensor>> fused(std::vector<Tensor> inputs, const std::vector<Step>& steps,
                                          const std::vector<std::string>& names = {}) {
  std::vector<std::string> ops;
  std::vector<int64_t> operands;
  for (const Step& s : steps) {
    ops.push_back(s.op);
    operands.push_back(s.a);
    operands.push_back(s.b);
  }
  return run_kernel("_FusedElementwise", std::move(inputs),
                    {{"ops", ops}, {"operands", operands}, {"names", names}});
}

/// The kernels of the operations one after the other.
absl::StatusOr<Tensor> one_by_one(std::vector<Tensor> values, const std::vector<Step>& steps) {
  for (const Step& s : steps) {
    std::vector<Tensor> operands{values[s.a]};
    if (s.b >= 0) operands.push_back(values[s.b]);
    auto out = run_kernel(s.op, operands);
    if (!out.ok()) return out.status();
    values.push_back(out->at(0));
  }
  return values.back();
}

void expect_same(const std::vector<Tensor>& inputs, const std::vector<Step>& steps) {
  auto want = one_by_one(inputs, steps);
  auto got = fused(inputs, steps);
  ASSERT_TRUE(want.ok()) << want.status();
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->at(0).shape(), want->shape());
  EXPECT_TRUE(bytes_of(got->at(0)) == bytes_of(*want)) << "to the bit";
}

/// 0.5 * x * (1 + tanh(c * (x + d * x * x * x))), of x, 0.5, 1, c and d.
const std::vector<Step> kGelu = {{"Mul", 0, 1}, {"Mul", 4, 0},    {"Mul", 6, 0},
                                 {"Mul", 7, 0}, {"AddV2", 0, 8},  {"Mul", 3, 9},
                                 {"Tanh", 10},  {"AddV2", 2, 11}, {"Mul", 5, 12}};

TEST(FusedElementwise, is_the_same_to_the_bit_for_any_number_of_elements) {
  for (int64_t n : {1, 7, 16, 100, 1023, 1024, 1025, 5000, 70000}) {
    for (DataType type : {DataType::kFloat, DataType::kDouble}) {
      std::vector<Tensor> inputs{sample(Shape{n}, 1, type)};
      for (int i = 2; i < 6; ++i) inputs.push_back(sample(Shape{}, i, type));
      expect_same(inputs, kGelu);
    }
  }
}

TEST(FusedElementwise, takes_single_numbers) {
  for (DataType type : {DataType::kFloat, DataType::kDouble}) {
    std::vector<Tensor> inputs;
    for (int i = 1; i < 6; ++i) inputs.push_back(sample(Shape{}, i, type));
    expect_same(inputs, kGelu);
  }
  expect_same({sample(Shape{}, 1), sample(Shape{}, 2)}, {{"TanhGrad", 0, 1}, {"Exp", 2}, {"ReluGrad", 3, 0}});
}

TEST(FusedElementwise, takes_several_tensors_of_one_shape) {
  const Shape shape{3, 5, 7};
  expect_same({sample(shape, 1), sample(shape, 2), sample(shape, 3)},
              {{"Sub", 0, 1}, {"Square", 3}, {"RealDiv", 4, 2}, {"Maximum", 5, 0}});
}

TEST(FusedElementwise, takes_rows_and_columns_as_a_layer_normalisation_has_them) {
  // (x - mean) * rsqrt(variance + epsilon) * gamma + beta.
  const std::vector<Step> norm = {{"Sub", 0, 1}, {"AddV2", 2, 3}, {"Rsqrt", 7},
                                  {"Mul", 6, 8}, {"Mul", 9, 4},   {"AddV2", 10, 5}};
  for (int64_t width : {16, 64, 129, 3000}) {
    const Shape whole{4, 9, width}, column{4, 9, 1}, row{width};
    expect_same({sample(whole, 1), sample(column, 2), sample(column, 3), sample(Shape{}, 4), sample(row, 5),
                 sample(row, 6)},
                norm);
  }
}

TEST(FusedElementwise, does_as_the_single_operations_where_rows_are_short_or_there_are_none) {
  const std::vector<Step> steps = {{"Mul", 0, 1}, {"AddV2", 3, 2}, {"Exp", 4}};
  expect_same({sample(Shape{5, 3}, 1), sample(Shape{3}, 2), sample(Shape{5, 1}, 3)}, steps);
  expect_same({sample(Shape{4, 20, 30}, 1), sample(Shape{20, 1}, 2), sample(Shape{4, 1, 30}, 3)}, steps);
  expect_same({sample(Shape{1, 3}, 1), sample(Shape{5, 1}, 2), sample(Shape{1}, 3)}, steps);
}

TEST(FusedElementwise, takes_gradients_of_activations) {
  const Shape shape{3, 700};
  expect_same(
      {sample(shape, 1), sample(shape, 2), sample(Shape{}, 3)},
      {{"Mul", 0, 2}, {"TanhGrad", 1, 3}, {"SigmoidGrad", 1, 4}, {"ReluGrad", 5, 0}, {"AddV2", 6, 1}});
  const auto wrong = fused({sample(Shape{2}, 1), sample(Shape{3}, 2)}, {{"Neg", 0}, {"ReluGrad", 2, 1}},
                           {"minus", "gradient"});
  EXPECT_THAT(std::string(wrong.status().message()),
              HasSubstr("Inputs to operation gradient of type ReluGrad must have the same size and shape."));
}

TEST(FusedElementwise, makes_nothing_of_nothing) {
  expect_same({sample(Shape{0, 3}, 1), sample(Shape{3}, 2)}, {{"AddV2", 0, 1}, {"Exp", 2}});
}

TEST(FusedElementwise, grows_with_its_operands) {
  expect_same({sample(Shape{}, 1), sample(Shape{40}, 2), sample(Shape{3, 40}, 3)},
              {{"Exp", 0}, {"AddV2", 3, 1}, {"Neg", 4}, {"Mul", 5, 2}});
}

TEST(FusedElementwise, leaves_inputs_that_others_have) {
  const Tensor x = sample(Shape{2000}, 1), before = x.deep_copy();
  ASSERT_TRUE(fused({x, x}, {{"Exp", 0}, {"AddV2", 2, 1}}).ok());
  EXPECT_TRUE(bytes_of(x) == bytes_of(before));
}

TEST(FusedElementwise, fails_as_the_operation_that_fails) {
  const auto out = fused({sample(Shape{2}, 1), sample(Shape{3}, 2)},
                         {{"Neg", 0}, {"AddV2", 2, 1}, {"Exp", 3}}, {"minus", "sum", "n"});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(out.status().message()),
              HasSubstr("Incompatible shapes: [2] vs. [3]\n\t [[{{node sum}}]]"));
}

TEST(FusedElementwise, computes_wide_trees) {
  // Sixteen results wait at a time, which is more than there is room for in the first cache.
  std::vector<Step> steps;
  for (int i = 0; i < 16; ++i) steps.push_back({"Exp", 0});
  for (int i = 1; i < 16; ++i) steps.push_back({"AddV2", i == 1 ? 1 : 15 + i, i + 1});
  expect_same({sample(Shape{3000}, 1)}, steps);
}

TEST(FusedElementwise, runs_kernels_without_rows_as_they_are) {
  expect_same({sample(Shape{3, 40}, 1), sample(Shape{40}, 2)}, {{"AddV2", 0, 1}, {"Softmax", 2}, {"Neg", 3}});
}

TEST(FusedElementwise, refuses_what_is_no_program) {
  const Tensor x = sample(Shape{2}, 1);
  auto refused = [&](const std::vector<Step>& steps) {
    return std::string(fused({x}, steps).status().message());
  };
  EXPECT_THAT(refused({{"Exp", 1}}), HasSubstr("step 0 has no operands 1 and -1"));
  EXPECT_THAT(refused({{"Exp", 0}, {"Neg", 2}}), HasSubstr("step 1 has no operands 2 and -1"));
  EXPECT_THAT(refused({{"Exp", -1}}), HasSubstr("step 0 has no operands -1 and -1"));
  EXPECT_THAT(refused({{"NoSuchOp", 0}}), HasSubstr("there is no op NoSuchOp"));
  EXPECT_THAT(refused({{"AddV2", 0}}), HasSubstr("AddV2 does not make one result of 1 operands"));
  EXPECT_THAT(refused({{"Exp", 0, 0}}), HasSubstr("Exp does not make one result of 2 operands"));
  const auto odd =
      run_kernel("_FusedElementwise", {x},
                 {{"ops", std::vector<std::string>{"Exp"}}, {"operands", std::vector<int64_t>{0, -1, 0}}});
  EXPECT_THAT(std::string(odd.status().message()), HasSubstr("1 ops and 3 operands"));
}

}  // namespace
}  // namespace troupe::test
