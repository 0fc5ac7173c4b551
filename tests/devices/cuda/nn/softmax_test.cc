// Softmax and cross entropies of GPUs, beside those of the CPU.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;

const std::vector<D> kFloats = {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16};
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(CudaSoftmax, is_that_of_the_cpu) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    for (D dtype : kFloats) {
      for (const Shape& shape : {Shape{1}, Shape{5}, Shape{0, 3}, Shape{3, 0}, Shape{7, 10}, Shape{2, 3, 4},
                                 Shape{3, 33}, Shape{2, 1000}, Shape{1, 20000}}) {
        SCOPED_TRACE(std::string(op) + " " + dtype_name(dtype) + shape.to_string());
        const double t = 4 * tolerance_of(dtype);
        EXPECT_SAME(op, {random_tensor(dtype, shape, -20, 20)}, {}, t, t);
      }
    }
  }
}

TEST(CudaSoftmax, is_not_shifted_by_large_numbers) {
  const auto out = run_on_gpu("Softmax", {Tensor::from<float>({1, 2}, {1e30f, 1e30f})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>({1, 2}, {0.5f, 0.5f})));
}

/// As TensorFlow's GPUs have it; its CPU has other rules for floats.
TEST(CudaSoftmax, of_a_row_without_a_sum_is_not_a_number) {
  const Tensor rows = Tensor::from<float>({4, 2}, {1, kNan, 1, kInf, -kInf, -kInf, -kInf, 3});
  const auto out = run_on_gpu("Softmax", {rows});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>({4, 2}, {kNan, kNan, kNan, kNan, kNan, kNan, 0, 1})));
}

TEST(CudaSoftmax, refuses_scalars) { EXPECT_SAME("LogSoftmax", {Tensor::scalar<float>(1)}); }

TEST(CudaCrossEntropy, is_that_of_the_cpu) {
  struct Shapes {
    Shape logits, labels;
  };
  for (D dtype : kFloats) {
    for (const Shapes& s :
         {Shapes{Shape{4, 7}, Shape{4, 7}}, Shapes{Shape{4, 300}, Shape{4, 300}},
          Shapes{Shape{4, 7}, Shape{1, 7}}, Shapes{Shape{1, 7}, Shape{4, 7}},
          Shapes{Shape{4, 1}, Shape{4, 7}}, Shapes{Shape{4, 7}, Shape{7}}, Shapes{Shape{4, 7}, Shape()},
          Shapes{Shape{0, 7}, Shape{0, 7}}, Shapes{Shape{4, 0}, Shape{4, 0}},
          Shapes{Shape{4, 7}, Shape{3, 7}}, Shapes{Shape{7}, Shape{7}}}) {
      SCOPED_TRACE(dtype_name(dtype) + s.logits.to_string() + s.labels.to_string());
      const double t = 8 * tolerance_of(dtype);
      EXPECT_SAME("SoftmaxCrossEntropyWithLogits",
                  {random_tensor(dtype, s.logits), random_tensor(dtype, s.labels, 0, 1)}, {}, t, 10 * t);
    }
  }
}

TEST(CudaCrossEntropy, of_classes_is_that_of_the_cpu) {
  for (D dtype : kFloats) {
    for (D label : {D::kInt32, D::kInt64}) {
      for (const Shape& shape : {Shape{5, 9}, Shape{3, 700}, Shape{0, 4}, Shape{2, 1}}) {
        SCOPED_TRACE(dtype_name(dtype) + shape.to_string());
        const double t = 8 * tolerance_of(dtype);
        EXPECT_SAME("SparseSoftmaxCrossEntropyWithLogits",
                    {random_tensor(dtype, shape),
                     random_tensor(label, Shape{shape.dim(0)}, 0, static_cast<double>(shape.dim(1)))},
                    {}, t, t);
      }
    }
  }
}

TEST(CudaCrossEntropy, of_a_class_that_is_none_is_not_a_number) {
  const auto out = run_on_gpu("SparseSoftmaxCrossEntropyWithLogits",
                              {Tensor::from<float>({2, 2}, {1, 1, 1, 1}), Tensor::vector<int32_t>({2, 0})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({kNan, std::log(2.0f)})));
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::from<float>({2, 2}, {kNan, kNan, -0.5f, 0.5f})));
}

TEST(CudaCrossEntropy, refuses_shapes_as_the_cpu_does) {
  const char* op = "SparseSoftmaxCrossEntropyWithLogits";
  const auto floats = [](const Shape& s) { return random_tensor(D::kFloat, s); };
  const auto labels = [](const Shape& s) { return random_tensor(D::kInt32, s, 0, 1); };
  EXPECT_SAME(op, {floats(Shape{3}), labels(Shape{3})});
  EXPECT_SAME(op, {floats(Shape{3, 2}), labels(Shape{3, 1})});
  EXPECT_SAME(op, {floats(Shape{3, 2}), labels(Shape{4})});
  EXPECT_SAME(op, {floats(Shape{3, 0}), labels(Shape{3})});
}

}  // namespace
}  // namespace troupe::test
