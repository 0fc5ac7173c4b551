// Products by cuBLASLt: the calls of a library that is made up.
#include "devices/cuda/libraries/cublaslt.h"

#include <gmock/gmock.h>

#include "devices/cuda/libraries/cublaslt_abi.h"
#include "tests/devices/cuda/libraries/library_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;
using CublasLt = LibraryTest;

/// One float by one float, directly.
absl::Status multiply(
    ProductLibrary& library, const MatrixProduct& p, const LibraryOptions& options = {},
    absl::FunctionRef<absl::StatusOr<void*>(size_t)> workspace = [](size_t) -> absl::StatusOr<void*> {
      return absl::ResourceExhaustedError("no memory");
    }) {
  alignas(256) static float a[64], b[64], c[64];
  LibraryCall call{made_up_libraries().stream, workspace, options};
  return library.multiply(p, a, b, c, ProductEnd(), call);
}

MatrixProduct small_product(int64_t m) {
  MatrixProduct p;
  p.m = m;
  p.n = p.k = 2;
  return p;
}

TEST_F(CublasLt, computes_what_the_cpu_computes) {
  for (D dtype : {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16, D::kComplex64, D::kComplex128}) {
    const double tolerance = 8 * tolerance_of(dtype);
    for (bool x : {false, true}) {
      for (bool y : {false, true}) {
        const int64_t before = libraries.products.computed;
        const Tensor a = random_tensor(dtype, x ? Shape{5, 3} : Shape{3, 5}),
                     b = random_tensor(dtype, y ? Shape{4, 5} : Shape{5, 4});
        EXPECT_SAME("MatMul", {a, b}, {{"transpose_a", x}, {"transpose_b", y}}, tolerance, 8 * tolerance);
        const Tensor c = random_tensor(dtype, x ? Shape{6, 5, 3} : Shape{6, 3, 5}),
                     d = random_tensor(dtype, y ? Shape{6, 4, 5} : Shape{6, 5, 4});
        EXPECT_SAME("BatchMatMulV2", {c, d}, {{"adj_x", x}, {"adj_y", y}}, tolerance, 8 * tolerance);
        EXPECT_EQ(libraries.products.computed, before + 2);
      }
    }
  }
}

TEST_F(CublasLt, broadcasts_with_as_few_calls_as_can_be) {
  const auto f = [](const Shape& s) { return random_tensor(D::kFloat, s); };
  const auto expect_calls = [&](const Shape& x, const Shape& y, int64_t calls) {
    const int64_t before = libraries.products.computed;
    EXPECT_SAME("BatchMatMulV2", {f(x), f(y)}, {}, 1e-5, 1e-4);
    EXPECT_EQ(libraries.products.computed, before + calls) << x.to_string() << y.to_string();
  };
  expect_calls(Shape{6, 2, 3}, Shape{3, 4}, 1);
  expect_calls(Shape{2, 3, 2, 3}, Shape{2, 3, 3, 4}, 1);
  expect_calls(Shape{2, 3, 2, 3}, Shape{1, 3, 3, 4}, 2);
  expect_calls(Shape{4, 1, 2, 3}, Shape{1, 5, 3, 2}, 4);
}

TEST_F(CublasLt, asks_for_an_algorithm_once) {
  const auto library = new_product_library();
  ASSERT_TRUE(multiply(*library, small_product(3)).ok());
  ASSERT_TRUE(multiply(*library, small_product(3)).ok());
  EXPECT_EQ(libraries.products.heuristics, 1);
  EXPECT_EQ(libraries.products.algo, 7);
  ASSERT_TRUE(multiply(*library, small_product(4)).ok());
  ASSERT_TRUE(multiply(*library, small_product(4), {.deterministic = true}).ok());
  EXPECT_EQ(libraries.products.heuristics, 3);
}

TEST_F(CublasLt, says_how_memory_is_aligned) {
  const auto library = new_product_library();
  ASSERT_TRUE(multiply(*library, small_product(3)).ok());
  EXPECT_EQ(libraries.products.alignment, 256U);
}

TEST_F(CublasLt, heeds_the_options) {
  const auto library = new_product_library();
  ASSERT_TRUE(multiply(*library, small_product(3), {.deterministic = false, .tensor_float_32 = true}).ok());
  EXPECT_EQ(libraries.products.compute_type, cublaslt::CUBLAS_COMPUTE_32F_FAST_TF32);
  EXPECT_EQ(libraries.products.reduction_mask, 7U);
  ASSERT_TRUE(multiply(*library, small_product(3), {.deterministic = true, .tensor_float_32 = false}).ok());
  EXPECT_EQ(libraries.products.compute_type, cublaslt::CUBLAS_COMPUTE_32F);
  EXPECT_EQ(libraries.products.reduction_mask, 6U) << "sums in place are in no order";
}

TEST_F(CublasLt, has_memory_for_its_work) {
  libraries.products.workspace_bytes = 1000;
  EXPECT_SAME("MatMul", {random_tensor(D::kFloat, Shape{21, 3}), random_tensor(D::kFloat, Shape{3, 2})}, {},
              1e-5, 1e-5);
  EXPECT_TRUE(libraries.products.had_workspace);
  const auto library = new_product_library();
  EXPECT_TRUE(absl::IsResourceExhausted(multiply(*library, small_product(3))));
}

TEST_F(CublasLt, adds_a_bias_and_an_activation_along) {
  const auto f = [](const Shape& s) { return random_tensor(D::kFloat, s); };
  const std::vector<Tensor> in = {f(Shape{5, 3}), f(Shape{3, 4}), f(Shape{4})};
  const auto expect_epilogue = [&](const std::vector<std::string>& ops, uint32_t epilogue) {
    EXPECT_SAME("_FusedMatMul", in, {{"fused_ops", ops}, {"num_args", int64_t{1}}}, 1e-4, 1e-4);
    EXPECT_EQ(libraries.products.epilogue, epilogue);
  };
  expect_epilogue({"BiasAdd"}, cublaslt::CUBLASLT_EPILOGUE_BIAS);
  expect_epilogue({"BiasAdd", "Relu"}, cublaslt::CUBLASLT_EPILOGUE_BIAS | cublaslt::CUBLASLT_EPILOGUE_RELU);
  expect_epilogue({"BiasAdd", "GeluApproximate"},
                  cublaslt::CUBLASLT_EPILOGUE_BIAS | cublaslt::CUBLASLT_EPILOGUE_GELU);
  expect_epilogue({"BiasAdd", "Tanh"}, cublaslt::CUBLASLT_EPILOGUE_DEFAULT);
}

TEST_F(CublasLt, leaves_what_it_does_not_have_to_our_kernels) {
  libraries.products.has_nothing = true;
  EXPECT_SAME("MatMul", {random_tensor(D::kFloat, Shape{22, 3}), random_tensor(D::kFloat, Shape{3, 2})}, {},
              1e-5, 1e-5);
  EXPECT_SAME("_FusedMatMul",
              {random_tensor(D::kFloat, Shape{22, 3}), random_tensor(D::kFloat, Shape{3, 4}),
               random_tensor(D::kFloat, Shape{4})},
              {{"fused_ops", std::vector<std::string>{"BiasAdd", "Relu"}}, {"num_args", int64_t{1}}}, 1e-4,
              1e-4);
  EXPECT_GT(libraries.products.heuristics, 0);
  EXPECT_EQ(libraries.products.computed, 0);
}

TEST_F(CublasLt, says_what_failed) {
  const auto library = new_product_library();
  libraries.products.fails = true;
  const absl::Status status = multiply(*library, small_product(3));
  EXPECT_EQ(status, absl::InternalError("cublasLtMatmul: made-up error"));
}

TEST_F(CublasLt, gives_back_all_that_it_made) {
  const int64_t before = libraries.products.objects;
  {
    const auto library = new_product_library();
    for (int64_t m = 1; m < 9; ++m) ASSERT_TRUE(multiply(*library, small_product(m)).ok());
    EXPECT_GT(libraries.products.objects, before);
  }
  EXPECT_EQ(libraries.products.objects, before);
}

TEST(CublasLtLoader, says_why_there_is_none) {
  const absl::Status status = load_cublaslt({"libno_such_library.so.1", "libnor_this.so"}).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(testing::StartsWith("cuBLASLt: "), testing::HasSubstr("libno_such_library.so.1"),
                             testing::HasSubstr("libnor_this.so")));
  EXPECT_THAT(std::string(load_cublaslt({TROUPE_MADE_UP_CUDNN}).status().message()),
              testing::HasSubstr("has no cublasLtCreate"));
}

}  // namespace
}  // namespace troupe::test
