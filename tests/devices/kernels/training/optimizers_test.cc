// Optimisers: the numbers are TensorFlow 2.21's for the same inputs.
#include <Eigen/Core>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

/// Resource variables of one harness, by name.
class Optimiser : public testing::Test {
 protected:
  Tensor handle(const std::string& name, DataType dtype = DataType::kFloat) {
    auto out =
        harness_.run("VarHandleOp", {}, {{"dtype", dtype}, {"shared_name", name}, {"shape", PartialShape()}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out->at(0);
  }
  Tensor variable(const std::string& name, const Tensor& value) {
    Tensor h = handle(name, value.dtype());
    EXPECT_TRUE(harness_.run("AssignVariableOp", {h, value}, {{"dtype", value.dtype()}}).ok());
    return h;
  }
  Tensor read(const Tensor& handle, DataType dtype = DataType::kFloat) {
    auto out = harness_.run("ReadVariableOp", {handle}, {{"dtype", dtype}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? out->at(0) : Tensor();
  }
  absl::Status apply(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return harness_.run(op, std::move(inputs), std::move(attrs)).status();
  }

  KernelHarness harness_;
};

Tensor f(float v) { return Tensor::scalar(v); }
Tensor v(std::initializer_list<float> values) { return Tensor::vector<float>(values); }

TEST_F(Optimiser, descends_against_the_gradient) {
  Tensor var = variable("v", v({1, 2}));
  ASSERT_EQ(apply("ResourceApplyGradientDescent", {var, f(0.5f), v({1, -2})}), absl::OkStatus());
  EXPECT_TRUE(tensors_near(read(var), v({0.5f, 3}), 0, 0));
}

TEST_F(Optimiser, adam_keeps_both_moments) {
  Tensor var = variable("v", v({1, 2})), m = variable("m", v({0, 0})), s = variable("s", v({0, 0}));
  ASSERT_EQ(apply("ResourceApplyAdam",
                  {var, m, s, f(0.9f), f(0.999f), f(0.1f), f(0.9f), f(0.999f), f(1e-8f), v({0.5f, -1})}),
            absl::OkStatus());
  EXPECT_TRUE(tensors_near(read(m), v({0.05f, -0.1f}), 1e-6));
  EXPECT_TRUE(tensors_near(read(s), v({0.00025f, 0.001f}), 1e-4));
  EXPECT_TRUE(tensors_near(read(var), v({0.9f, 2.1f}), 1e-6));
}

TEST_F(Optimiser, momentum_looks_ahead_when_it_is_nesterovs) {
  for (bool nesterov : {false, true}) {
    Tensor var = variable("v", v({1})), accum = variable("a", v({0.5f}));
    ASSERT_EQ(
        apply("ResourceApplyMomentum", {var, accum, f(0.1f), v({2}), f(0.5f)}, {{"use_nesterov", nesterov}}),
        absl::OkStatus());
    EXPECT_TRUE(tensors_near(read(accum), v({2.25f}), 0, 0));
    EXPECT_TRUE(tensors_near(read(var), v({nesterov ? 0.6875f : 0.775f}), 1e-6));
  }
}

TEST_F(Optimiser, ftrl_gives_zero_within_the_threshold) {
  Tensor var = variable("v", v({1, 1})), accum = variable("a", v({4, 4})), linear = variable("l", v({0, 0}));
  ASSERT_EQ(apply("ResourceApplyFtrl", {var, accum, linear, v({0.01f, 3}), f(1), f(1), f(0.5f), f(-0.5f)}),
            absl::OkStatus());
  // linear of the second: 3 - (sqrt(13) - 2); var: (1 - linear) / (sqrt(13) + 1).
  EXPECT_TRUE(tensors_near(read(linear), v({0.009975f, 1.3944487f}), 1e-3));
  EXPECT_TRUE(tensors_near(read(var), v({0, -0.0856485f}), 1e-4));
}

TEST_F(Optimiser, sparse_rows_that_repeat_add_up) {
  Tensor var = variable("v", Tensor::from<float>(Shape{3, 2}, {1, 1, 1, 1, 1, 1}));
  Tensor accum = variable("a", Tensor::from<float>(Shape{3, 2}, {1, 1, 1, 1, 1, 1}));
  Tensor rows = Tensor::from<float>(Shape{2, 2}, {1, 0, 1, 0});
  ASSERT_EQ(apply("ResourceSparseApplyMomentum",
                  {var, accum, f(0.25f), rows, Tensor::vector<int64_t>({2, 2}), f(1)}),
            absl::OkStatus());
  EXPECT_TRUE(tensors_near(read(accum), Tensor::from<float>(Shape{3, 2}, {1, 1, 1, 1, 3, 1}), 0, 0));
  EXPECT_TRUE(tensors_near(read(var), Tensor::from<float>(Shape{3, 2}, {1, 1, 1, 1, -0.25f, 0.5f}), 0, 0));
}

TEST_F(Optimiser, half_precision_is_rounded_after_every_operation) {
  auto h = [](float x) { return Eigen::half(x); };
  Tensor var = variable("v", Tensor::vector<Eigen::half>({h(1)}));
  // 0.1 * 0.3 is 0.03 in half precision; a fused form would give another last digit.
  ASSERT_EQ(apply("ResourceApplyGradientDescent",
                  {var, Tensor::scalar(h(0.1f)), Tensor::vector<Eigen::half>({h(0.3f)})}),
            absl::OkStatus());
  const Eigen::half want = h(1) - h(0.1f) * h(0.3f);
  EXPECT_EQ(read(var, DataType::kHalf).flat<Eigen::half>()[0], want);
}

TEST_F(Optimiser, a_value_that_was_read_does_not_change) {
  Tensor var = variable("v", v({1, 2}));
  Tensor before = read(var);
  // The gradient is the variable's own memory.
  ASSERT_EQ(apply("ResourceApplyGradientDescent", {var, f(1), before}), absl::OkStatus());
  EXPECT_TRUE(tensors_near(before, v({1, 2}), 0, 0));
  EXPECT_TRUE(tensors_near(read(var), v({0, 0}), 0, 0));
}

TEST_F(Optimiser, one_variable_may_be_two_slots) {
  Tensor var = variable("v", v({1}));
  EXPECT_EQ(apply("ResourceApplyMomentum", {var, var, f(0.5f), v({1}), f(1)}), absl::OkStatus());
}

TEST_F(Optimiser, refuses_shapes_and_scalars_that_do_not_fit) {
  Tensor var = variable("v", v({1, 2})), accum = variable("a", v({1, 2, 3}));
  EXPECT_EQ(apply("ResourceApplyGradientDescent", {var, v({1}), v({1, 2})}),
            absl::InvalidArgumentError("alpha is not a scalar: [1]"));
  EXPECT_EQ(apply("ResourceApplyGradientDescent", {var, f(1), v({1})}),
            absl::InvalidArgumentError("var and delta do not have the same shape[2] [1]"));
  EXPECT_EQ(apply("ResourceApplyAdagrad", {var, accum, f(1), v({1, 2})}),
            absl::InvalidArgumentError("var and accum do not have the same shape[2] [3]"));
  EXPECT_EQ(apply("ResourceApplyGradientDescent", {handle("absent"), f(1), v({1, 2})}),
            absl::InternalError("Invalid variable reference."));
}

TEST_F(Optimiser, refuses_rows_out_of_range) {
  Tensor var = variable("v", Tensor::from<float>(Shape{2, 1}, {1, 1}));
  Tensor accum = variable("a", Tensor::from<float>(Shape{2, 1}, {1, 1}));
  Tensor grad = Tensor::from<float>(Shape{2, 1}, {1, 1});
  auto with = [&](Tensor indices, Tensor g) {
    return apply("ResourceSparseApplyAdagrad", {var, accum, f(1), std::move(g), std::move(indices)});
  };
  EXPECT_EQ(with(Tensor::vector<int32_t>({0, 2}), grad),
            absl::InvalidArgumentError("Index 2 at offset 1 in indices is out of range"));
  EXPECT_EQ(with(Tensor::vector<int32_t>({-1, 0}), grad),
            absl::InvalidArgumentError("Index -1 at offset 0 in indices is out of range"));
  EXPECT_EQ(with(Tensor::vector<int32_t>({0}), grad),
            absl::InvalidArgumentError("grad must be the same size as indices in the first dimension."));
  EXPECT_EQ(with(Tensor::scalar<int32_t>(0), grad),
            absl::InvalidArgumentError("indices must be one-dimensional"));
  EXPECT_EQ(with(Tensor::vector<int32_t>({0, 1}), Tensor::from<float>(Shape{2, 2}, {1, 1, 1, 1})),
            absl::InvalidArgumentError("var and grad must match in dimension 1"));
  EXPECT_TRUE(tensors_near(read(var), Tensor::from<float>(Shape{2, 1}, {1, 1}), 0, 0));
}

TEST_F(Optimiser, proximal_adagrad_wants_a_positive_rate) {
  Tensor var = variable("v", v({1})), accum = variable("a", v({1}));
  EXPECT_EQ(apply("ResourceApplyProximalAdagrad", {var, accum, f(0), f(0), f(0), v({1})}),
            absl::InvalidArgumentError("lr is not a positive scalar: []"));
  EXPECT_EQ(apply("ResourceApplyProximalAdagrad", {var, accum, f(1), f(-1), f(0), v({1})}),
            absl::InvalidArgumentError("l1 regularization strength is not a non-negative scalar: []"));
}

}  // namespace
}  // namespace troupe::test
