// Reductions, scans and histograms of GPUs, beside those of the CPU.
#include <gmock/gmock.h>

#include <limits>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;

Tensor axes_of(const std::vector<int32_t>& axes) {
  return Tensor::from<int32_t>(Shape{static_cast<int64_t>(axes.size())}, axes);
}

const std::vector<D> kFloats = {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16};
const std::vector<D> kFields = {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16, D::kComplex64, D::kComplex128};

/// Sums in another order: the rounding of `n` additions, not all of it in one direction.
double sum_tolerance(D dtype) {
  return dtype == D::kFloat || dtype == D::kComplex64 ? 1e-4 : 2 * tolerance_of(dtype);
}

struct Case {
  Shape shape;
  std::vector<int32_t> axes;
};

/// Of every kind: nothing, all, rows, columns, the middle, in turn, long and short, negative axes.
const std::vector<Case>& cases() {
  static const auto* cases = new std::vector<Case>{
      {Shape(), {}},
      {Shape{7}, {0}},
      {Shape{1}, {0}},
      {Shape{0}, {0}},
      {Shape{3, 0}, {0}},
      {Shape{3, 0}, {1}},
      {Shape{4, 5}, {}},
      {Shape{4, 5}, {0}},
      {Shape{4, 5}, {1}},
      {Shape{4, 5}, {-1, 0}},
      {Shape{1, 5, 1}, {0, 2}},
      {Shape{3, 4, 5}, {1}},
      {Shape{3, 4, 5}, {0, 2}},
      {Shape{2, 3, 4, 5}, {0, 2}},
      {Shape{2, 3, 4, 5}, {1, 3}},
      {Shape{2, 3, 2, 3, 2, 3}, {0, 2, 4}},
      {Shape{2, 3, 2, 3, 2, 3}, {1, 3, 5}},
      {Shape{3, 200}, {1}},
      {Shape{300, 3}, {0}},
      {Shape{2, 150, 3, 140}, {1, 3}},
      {Shape{20000}, {0}},
      {Shape{2, 9000}, {1}},
      {Shape{9000, 2}, {0}},
      {Shape{5000, 70}, {0}},
  };
  return *cases;
}

TEST(CudaReductions, fold_as_the_cpu_does) {
  for (const char* op : {"Sum", "Mean", "EuclideanNorm"}) {
    for (D dtype : kFields) {
      for (const Case& c : cases()) {
        SCOPED_TRACE(std::string(op) + " " + dtype_name(dtype) + c.shape.to_string());
        const double t = sum_tolerance(dtype);
        // Sums near 0 lose what their terms had.
        EXPECT_SAME(op, {random_tensor(dtype, c.shape, -1, 1), axes_of(c.axes)}, {{"keep_dims", true}}, t,
                    100 * t);
      }
    }
  }
}

TEST(CudaReductions, multiply_as_the_cpu_does) {
  for (D dtype : kFields) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(dtype_name(dtype) + c.shape.to_string());
      const double t = dtype == D::kBfloat16 || dtype == D::kHalf ? 0.05 : 1e-2;
      // Absolute values near 1, so that products stay.
      const bool complex = dtype == D::kComplex64 || dtype == D::kComplex128;
      const Tensor x =
          complex ? random_tensor(dtype, c.shape, 0.7, 0.714) : random_tensor(dtype, c.shape, 0.99, 1.01);
      EXPECT_SAME("Prod", {x, axes_of(c.axes)}, {{"keep_dims", false}}, t, t);
    }
  }
}

TEST(CudaReductions, find_extremes_exactly_and_not_a_number_first) {
  for (const char* op : {"Max", "Min"}) {
    for (D dtype : {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16, D::kInt64}) {
      for (const Case& c : cases()) {
        SCOPED_TRACE(std::string(op) + " " + dtype_name(dtype) + c.shape.to_string());
        EXPECT_SAME(op, {random_tensor(dtype, c.shape), axes_of(c.axes)}, {{"keep_dims", false}}, 0, 0);
        EXPECT_SAME(op, {odd_tensor(dtype, c.shape), axes_of(c.axes)}, {{"keep_dims", false}}, 0, 0);
      }
    }
  }
}

TEST(CudaReductions, fold_integers_exactly) {
  for (D dtype : {D::kInt8, D::kUint8, D::kInt16, D::kUint16, D::kInt32, D::kUint32, D::kInt64, D::kUint64}) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(dtype_name(dtype) + c.shape.to_string());
      EXPECT_SAME("Sum", {random_tensor(dtype, c.shape, 0, 100), axes_of(c.axes)}, {{"keep_dims", false}}, 0,
                  0);
    }
  }
}

/// These are done on the host.
TEST(CudaReductions, fold_sizes_as_the_cpu_does) {
  for (const char* op : {"Sum", "Prod", "Max", "Min"}) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(std::string(op) + c.shape.to_string());
      EXPECT_SAME(op, {random_tensor(D::kInt32, c.shape, -5, 5), axes_of(c.axes)}, {{"keep_dims", false}}, 0,
                  0);
    }
  }
}

TEST(CudaReductions, tell_whether_all_or_any_are_true) {
  for (const char* op : {"All", "Any"}) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(std::string(op) + c.shape.to_string());
      EXPECT_SAME(op, {random_tensor(D::kBool, c.shape), axes_of(c.axes)}, {{"keep_dims", false}}, 0, 0);
    }
  }
}

TEST(CudaReductions, refuse_axes_outside_and_twice) {
  const Tensor x = random_tensor(D::kFloat, Shape{2, 3});
  for (const std::vector<int32_t>& axes : {std::vector<int32_t>{2}, {-3}, {0, 0}, {1, -1}}) {
    EXPECT_SAME("Sum", {x, axes_of(axes)}, {{"keep_dims", false}});
  }
}

TEST(CudaReductions, give_the_same_bits_again) {
  const Tensor x = random_tensor(D::kFloat, Shape{100000});
  const auto first = run_on_gpu("Sum", {x, axes_of({0})}, {{"keep_dims", false}});
  const auto second = run_on_gpu("Sum", {x, axes_of({0})}, {{"keep_dims", false}});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_TRUE(tensors_near(first->at(0), second->at(0), 0, 0));
}

TEST(CudaArgMax, finds_the_first_of_the_best) {
  for (const char* op : {"ArgMax", "ArgMin"}) {
    for (D dtype : {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16, D::kBool}) {
      for (D out : {D::kInt32, D::kInt64}) {
        for (const Shape& shape : {Shape{5}, Shape{3, 4, 5}, Shape{2, 300}, Shape{300, 2}, Shape{9000}}) {
          for (int32_t axis = -1; axis < shape.rank(); ++axis) {
            SCOPED_TRACE(std::string(op) + " " + dtype_name(dtype) + shape.to_string());
            // Few values, so that there are equals.
            const Tensor few = dtype == D::kBool ? random_tensor(dtype, shape) : odd_tensor(dtype, shape);
            EXPECT_SAME(op, {few, Tensor::scalar<int32_t>(axis)}, {{"output_type", out}}, 0, 0);
          }
        }
      }
    }
  }
}

TEST(CudaArgMax, refuses_axes_that_are_not_there_or_empty) {
  const Tensor x = random_tensor(D::kFloat, Shape{2, 3});
  EXPECT_SAME("ArgMax", {x, Tensor::scalar<int32_t>(2)}, {{"output_type", D::kInt64}});
  EXPECT_SAME("ArgMax", {x, Tensor::vector<int32_t>({0})}, {{"output_type", D::kInt64}});
  EXPECT_SAME("ArgMin", {random_tensor(D::kFloat, Shape{2, 0}), Tensor::scalar<int32_t>(1)},
              {{"output_type", D::kInt64}});
}

TEST(CudaScans, go_either_way_with_or_without_the_element) {
  for (const char* op : {"Cumsum", "Cumprod", "CumulativeLogsumexp"}) {
    const bool logs = std::string(op) == "CumulativeLogsumexp";
    for (D dtype :
         logs ? kFloats
              : std::vector<D>{D::kFloat, D::kDouble, D::kHalf, D::kBfloat16, D::kInt32, D::kInt64}) {
      for (const Shape& shape :
           {Shape{7}, Shape{0, 3}, Shape{3, 4, 5}, Shape{2, 500}, Shape{500, 3}, Shape{5000}}) {
        for (int32_t axis = -1; axis < shape.rank(); ++axis) {
          for (int flags = 0; flags < 4; ++flags) {
            SCOPED_TRACE(std::string(op) + " " + dtype_name(dtype) + shape.to_string());
            const Tensor x = random_tensor(dtype, shape, 0.99, 1.01);
            const double t = sum_tolerance(dtype);
            EXPECT_SAME(op, {x, Tensor::scalar<int32_t>(axis)},
                        {{"exclusive", flags % 2 == 1}, {"reverse", flags / 2 == 1}}, t, t);
          }
        }
      }
    }
  }
}

TEST(CudaScans, refuse_axes_that_are_not_there) {
  const Tensor x = random_tensor(D::kFloat, Shape{2, 3});
  EXPECT_SAME("Cumsum", {x, Tensor::scalar<int32_t>(2)});
  EXPECT_SAME("Cumsum", {x, Tensor::vector<int32_t>({0})});
}

TEST(CudaBincount, counts_what_is_below_the_size) {
  const Tensor values = random_tensor(D::kInt32, Shape{1000}, 0, 50), none(D::kFloat, Shape{0});
  const Tensor size = Tensor::scalar<int32_t>(40);
  EXPECT_SAME("Bincount", {values, size, none}, {}, 0, 0);
  EXPECT_SAME("Bincount", {values, size, random_tensor(D::kFloat, Shape{1000})}, {}, 1e-4, 1e-4);
  EXPECT_SAME("Bincount", {values, size, random_tensor(D::kInt32, Shape{1000})}, {}, 0, 0);
  EXPECT_SAME("Bincount", {values, size, random_tensor(D::kInt32, Shape{5})});
  EXPECT_SAME("Bincount", {values, Tensor::scalar<int32_t>(-1), none});
  EXPECT_SAME("Bincount", {values, Tensor::vector<int32_t>({1}), none});
}

TEST(CudaBincount, counts_rows_by_themselves) {
  for (bool binary : {false, true}) {
    for (const Shape& shape : {Shape(), Shape{60}, Shape{7, 60}, Shape{0, 60}, Shape{7, 0}}) {
      const Tensor none(D::kFloat, Shape{0});
      const AttrMap attrs = {{"binary_output", binary}};
      EXPECT_SAME("DenseBincount",
                  {random_tensor(D::kInt32, shape, 0, 20), Tensor::scalar<int32_t>(15), none}, attrs, 0, 0);
      EXPECT_SAME("DenseBincount",
                  {random_tensor(D::kInt64, shape, 0, 20), Tensor::scalar<int64_t>(15),
                   random_tensor(D::kFloat, shape)},
                  attrs, 1e-4, 1e-4);
    }
  }
  EXPECT_SAME("DenseBincount", {random_tensor(D::kInt32, Shape{2, 2, 2}, 0, 2), Tensor::scalar<int32_t>(3),
                                Tensor(D::kFloat, Shape{0})});
  EXPECT_SAME("DenseBincount", {random_tensor(D::kInt32, Shape{2, 2}, 0, 2), Tensor::scalar<int32_t>(3),
                                Tensor(D::kFloat, Shape{4})});
}

/// TensorFlow's GPUs do the same; its CPU and ours refuse them.
TEST(CudaBincount, leaves_out_what_is_negative) {
  const auto out = run_on_gpu("Bincount", {Tensor::vector<int32_t>({-1, 0, 1, 1}), Tensor::scalar<int32_t>(3),
                                           Tensor(D::kFloat, Shape{0})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({1, 2, 0})));
}

}  // namespace
}  // namespace troupe::test
