// Products of matrices on GPUs, beside those of the CPU. Without libraries: by our own kernels.
#include <limits>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;

const std::vector<D> kFields = {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16, D::kComplex64, D::kComplex128};

/// Sums of a hundred products in another order.
double product_tolerance(D dtype) {
  return dtype == D::kFloat || dtype == D::kComplex64 ? 1e-4 : 4 * tolerance_of(dtype);
}

Tensor operand(D dtype, const Shape& shape, bool transposed) {
  const int r = shape.rank();
  std::vector<int64_t> dims = shape.to_vector();
  if (transposed) std::swap(dims[static_cast<size_t>(r - 1)], dims[static_cast<size_t>(r - 2)]);
  return random_tensor(dtype, Shape(dims), -1, 1);
}

void expect_product(D dtype, int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  const double tolerance = product_tolerance(dtype);
  EXPECT_SAME("MatMul", {operand(dtype, Shape{m, k}, ta), operand(dtype, Shape{k, n}, tb)},
              {{"transpose_a", ta}, {"transpose_b", tb}}, tolerance, tolerance * static_cast<double>(k));
}

TEST(CudaProducts, multiply_matrices_of_every_dtype) {
  for (D dtype : kFields) {
    for (bool ta : {false, true}) {
      for (bool tb : {false, true}) expect_product(dtype, 5, 7, 11, ta, tb);
    }
  }
}

TEST(CudaProducts, cross_the_borders_of_tiles) {
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{
           {1, 1, 1}, {64, 64, 16}, {65, 63, 17}, {3, 130, 33}, {130, 1, 100}, {1, 200, 64}}) {
    expect_product(D::kFloat, m, n, k, false, false);
    expect_product(D::kFloat, m, n, k, true, true);
  }
}

TEST(CudaProducts, sum_nothing_to_zero) {
  expect_product(D::kFloat, 3, 4, 0, false, false);
  expect_product(D::kFloat, 0, 4, 2, false, false);
  expect_product(D::kHalf, 3, 0, 2, false, true);
  EXPECT_SAME("BatchMatMulV2", {Tensor(D::kFloat, Shape{2, 3, 0}), Tensor(D::kFloat, Shape{0, 4})});
  EXPECT_SAME("BatchMatMulV2", {Tensor(D::kFloat, Shape{0, 3, 2}), Tensor(D::kFloat, Shape{2, 4})});
}

TEST(CudaProducts, keep_what_is_no_number) {
  Tensor a = random_tensor(D::kFloat, Shape{70, 3});
  a.flat<float>()[100] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_SAME("MatMul", {a, random_tensor(D::kFloat, Shape{3, 70})}, {}, 1e-5, 1e-5);
}

TEST(CudaProducts, refuse_what_does_not_fit) {
  const auto f = [](const Shape& s) { return random_tensor(D::kFloat, s); };
  EXPECT_SAME("MatMul", {f(Shape{2, 3}), f(Shape{2, 3})});
  EXPECT_SAME("MatMul", {f(Shape{2, 3}), f(Shape{3})});
  EXPECT_SAME("BatchMatMul", {f(Shape{2, 2, 3}), f(Shape{3, 3, 2})});
  EXPECT_SAME("BatchMatMul", {f(Shape{2, 2, 3}), f(Shape{3, 2})});
  EXPECT_SAME("BatchMatMulV2", {f(Shape{2, 2, 3}), f(Shape{3, 3, 2})});
  EXPECT_SAME("BatchMatMulV2", {f(Shape{2, 2, 3}), f(Shape{4, 2})});
  EXPECT_SAME("BatchMatMulV2", {f(Shape{2, 2, 3}), f(Shape{3})});
}

TEST(CudaProducts, multiply_batches) {
  for (D dtype : kFields) {
    const double tolerance = product_tolerance(dtype);
    for (bool adj_x : {false, true}) {
      for (bool adj_y : {false, true}) {
        const AttrMap attrs = {{"adj_x", adj_x}, {"adj_y", adj_y}};
        const std::vector<Tensor> in = {operand(dtype, Shape{2, 3, 4, 5}, adj_x),
                                        operand(dtype, Shape{2, 3, 5, 6}, adj_y)};
        EXPECT_SAME("BatchMatMul", in, attrs, tolerance, 8 * tolerance);
        EXPECT_SAME("BatchMatMulV2", in, attrs, tolerance, 8 * tolerance);
        AttrMap typed = attrs;
        typed.set("Tout", dtype);
        EXPECT_SAME("BatchMatMulV3", in, typed, tolerance, 8 * tolerance);
      }
    }
  }
}

TEST(CudaProducts, broadcast_batches) {
  const std::vector<std::pair<Shape, Shape>> cases = {
      {Shape{7, 2, 3}, Shape{3, 4}},          {Shape{2, 3}, Shape{5, 3, 4}},
      {Shape{4, 1, 2, 3}, Shape{1, 5, 3, 2}}, {Shape{4, 5, 2, 3}, Shape{5, 3, 2}},
      {Shape{1, 5, 2, 3}, Shape{4, 5, 3, 2}}, {Shape{2, 1, 3, 2, 3}, Shape{2, 4, 1, 3, 2}},
      {Shape{1, 1, 2, 3}, Shape{1, 1, 3, 2}}, {Shape{2, 1, 2, 3}, Shape{2, 3, 3, 2}}};
  for (const auto& [x, y] : cases)
    EXPECT_SAME("BatchMatMulV2", {random_tensor(D::kFloat, x), random_tensor(D::kFloat, y)}, {}, 1e-5, 1e-4);
}

AttrMap fused(const std::vector<std::string>& ops, int64_t num_args) {
  return {{"fused_ops", ops}, {"num_args", num_args}};
}

TEST(CudaProducts, do_what_is_fused_to_them) {
  for (D dtype : {D::kFloat, D::kHalf, D::kBfloat16}) {
    const Tensor a = random_tensor(dtype, Shape{9, 4}, -1, 1), b = random_tensor(dtype, Shape{4, 6}, -1, 1);
    const Tensor bias = random_tensor(dtype, Shape{6}), summand = random_tensor(dtype, Shape{9, 6});
    const double tolerance = dtype == D::kFloat ? 1e-5 : 2 * tolerance_of(dtype);
    for (const char* activation :
         {"", "Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid", "GeluApproximate", "GeluExact"}) {
      std::vector<std::string> ops = {"BiasAdd"};
      if (*activation != '\0') ops.emplace_back(activation);
      EXPECT_SAME("_FusedMatMul", {a, b, bias}, fused(ops, 1), tolerance, 10 * tolerance);
    }
    EXPECT_SAME("_FusedMatMul", {a, b, bias, summand}, fused({"BiasAdd", "Add", "Relu"}, 2), tolerance,
                10 * tolerance);
  }
}

TEST(CudaProducts, refuse_steps_that_do_not_fit) {
  const auto f = [](const Shape& s) { return random_tensor(D::kFloat, s); };
  const Tensor a = f(Shape{2, 3}), b = f(Shape{3, 4});
  EXPECT_SAME("_FusedMatMul", {a, b, f(Shape{3})}, fused({"BiasAdd"}, 1));
  EXPECT_SAME("_FusedMatMul", {a, b, f(Shape{1, 4})}, fused({"BiasAdd"}, 1));
  EXPECT_SAME("_FusedMatMul", {a, b}, fused({"BiasAdd"}, 0));
  EXPECT_SAME("_FusedMatMul", {a, b, f(Shape{4})}, fused({"BiasAdd", "Relu", "Tanh"}, 1));
  EXPECT_SAME("_FusedMatMul", {a, b, f(Shape{4}), f(Shape{3, 4})}, fused({"BiasAdd", "Add"}, 2));
}

TEST(CudaProducts, add_summands_that_broadcast) {
  const auto f = [](const Shape& s) { return random_tensor(D::kFloat, s); };
  const Tensor a = f(Shape{2, 3}), b = f(Shape{3, 4});
  AttrMap attrs = fused({"BiasAdd", "Relu"}, 1);
  attrs.set("_bias_broadcasts", true);
  for (const Shape& bias : {Shape{4}, Shape{1}, Shape{2, 4}, Shape{5, 1, 4}, Shape()})
    EXPECT_SAME("_FusedMatMul", {a, b, f(bias)}, attrs);
  EXPECT_SAME("_FusedMatMul", {a, b, f(Shape{3})}, attrs);
  EXPECT_SAME("_FusedMatMul", {a, b, f(Shape{4}), f(Shape{3, 2, 4})}, fused({"BiasAdd", "Add", "Elu"}, 2));
}

}  // namespace
}  // namespace troupe::test
