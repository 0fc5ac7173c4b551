// Biases, batch and local response normalisation and L2Loss of GPUs, beside those of the CPU.
#include <gmock/gmock.h>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;

const std::vector<D> kFloats = {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16};

TEST(CudaBias, is_added_and_summed_by_channel) {
  for (D dtype : {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16, D::kInt32}) {
    for (const char* format : {"NHWC", "NCHW"}) {
      for (const Shape& shape : {Shape{3, 5}, Shape{2, 3, 4, 5}, Shape{0, 5}, Shape{3, 0},
                                 Shape{2, 3, 40, 50}, Shape{1, 7, 300}}) {
        SCOPED_TRACE(std::string(format) + " " + dtype_name(dtype) + shape.to_string());
        const int64_t channels = format[1] == 'C' ? shape.dim(1) : shape.dim(shape.rank() - 1);
        const AttrMap attrs = {{"data_format", std::string(format)}};
        EXPECT_SAME("BiasAdd", {random_tensor(dtype, shape), random_tensor(dtype, Shape{channels})}, attrs, 0,
                    0);
        if (dtype == D::kInt32) continue;
        const double t = 20 * tolerance_of(dtype);
        EXPECT_SAME("BiasAddGrad", {random_tensor(dtype, shape)}, attrs, t, 10 * t);
      }
    }
  }
}

TEST(CudaBias, is_refused_where_it_does_not_fit) {
  const Tensor x = random_tensor(D::kFloat, Shape{2, 3});
  EXPECT_SAME("BiasAdd", {x, random_tensor(D::kFloat, Shape{2})});
  EXPECT_SAME("BiasAdd", {x, random_tensor(D::kFloat, Shape{3, 1})});
  EXPECT_SAME("BiasAdd", {random_tensor(D::kFloat, Shape{3}), random_tensor(D::kFloat, Shape{3})});
  EXPECT_SAME("BiasAddGrad", {random_tensor(D::kFloat, Shape{3})});
}

/// The inputs of FusedBatchNorm for images of a shape and format.
std::vector<Tensor> batch_inputs(D dtype, const Shape& shape, const std::string& format) {
  const int64_t channels = shape.dim(format[1] == 'C' ? 1 : shape.rank() - 1);
  const Shape vector{channels};
  return {random_tensor(dtype, shape), random_tensor(D::kFloat, vector, 0.5, 2),
          random_tensor(D::kFloat, vector), random_tensor(D::kFloat, vector),
          random_tensor(D::kFloat, vector, 0.5, 2)};
}

struct BatchCase {
  std::string format;
  Shape shape;
};
const std::vector<BatchCase>& batch_cases() {
  static const auto* cases = new std::vector<BatchCase>{
      {"NHWC", Shape{2, 3, 4, 5}},    {"NCHW", Shape{2, 3, 4, 5}}, {"NHWC", Shape{4, 20, 30, 3}},
      {"NCHW", Shape{4, 3, 20, 30}},  {"NHWC", Shape{1, 1, 1, 3}}, {"NCHW", Shape{1, 300, 2, 2}},
      {"NHWC", Shape{0, 2, 2, 3}},    {"NHWC", Shape{2, 2, 2, 0}}, {"NDHWC", Shape{2, 3, 2, 2, 4}},
      {"NCDHW", Shape{2, 3, 2, 2, 4}}};
  return *cases;
}

TEST(CudaBatchNorm, is_that_of_the_cpu) {
  for (D dtype : {D::kFloat, D::kHalf, D::kBfloat16}) {
    for (const BatchCase& b : batch_cases()) {
      for (bool training : {false, true}) {
        for (float factor : {1.0f, 0.25f}) {
          SCOPED_TRACE(b.format + " " + dtype_name(dtype) + b.shape.to_string());
          const AttrMap attrs = {{"data_format", b.format},
                                 {"is_training", training},
                                 {"epsilon", 0.001f},
                                 {"exponential_avg_factor", factor}};
          const double t = dtype == D::kFloat ? 1e-4 : 4 * tolerance_of(dtype);
          EXPECT_SAME("FusedBatchNormV3", batch_inputs(dtype, b.shape, b.format), attrs, t, t);
        }
      }
    }
  }
}

TEST(CudaBatchNorm, needs_no_statistics_in_training) {
  std::vector<Tensor> inputs = batch_inputs(D::kFloat, Shape{2, 2, 2, 3}, "NHWC");
  inputs[3] = inputs[4] = Tensor(D::kFloat, Shape{0});
  EXPECT_SAME("FusedBatchNorm", inputs, {{"is_training", true}}, 1e-4, 1e-4);
  EXPECT_SAME("FusedBatchNorm", inputs, {{"is_training", false}});
}

TEST(CudaBatchNorm, adds_a_side_input_and_cuts_at_zero) {
  for (bool side : {false, true}) {
    std::vector<Tensor> inputs = batch_inputs(D::kFloat, Shape{2, 3, 4, 8}, "NHWC");
    if (side) inputs.push_back(random_tensor(D::kFloat, Shape{2, 3, 4, 8}));
    EXPECT_SAME("_FusedBatchNormEx", inputs,
                {{"is_training", false},
                 {"activation_mode", std::string("Relu")},
                 {"num_side_inputs", int64_t{side}},
                 {"U", D::kFloat}},
                1e-4, 1e-4);
  }
}

TEST(CudaBatchNorm, has_the_gradient_of_the_cpu) {
  for (D dtype : {D::kFloat, D::kHalf, D::kBfloat16}) {
    for (const BatchCase& b : batch_cases()) {
      for (bool training : {false, true}) {
        SCOPED_TRACE(b.format + " " + dtype_name(dtype) + b.shape.to_string());
        std::vector<Tensor> in = batch_inputs(dtype, b.shape, b.format);
        const std::vector<Tensor> inputs = {random_tensor(dtype, b.shape), in[0], in[1], in[3], in[4], in[4]};
        const AttrMap attrs = {{"data_format", b.format}, {"is_training", training}, {"epsilon", 0.001f}};
        const double t = dtype == D::kFloat ? 1e-4 : 4 * tolerance_of(dtype);
        EXPECT_SAME("FusedBatchNormGradV3", inputs, attrs, t, 10 * t);
      }
    }
  }
}

TEST(CudaBatchNorm, refuses_what_the_cpu_refuses) {
  const std::vector<Tensor> good = batch_inputs(D::kFloat, Shape{2, 2, 2, 3}, "NHWC");
  for (size_t i = 0; i < good.size(); ++i) {
    std::vector<Tensor> bad = good;
    bad[i] = random_tensor(D::kFloat, i == 0 ? Shape{2, 3} : Shape{1, 3});
    EXPECT_SAME("FusedBatchNorm", bad);
    bad[i] = random_tensor(D::kFloat, i == 0 ? Shape{2, 2, 2, 4} : Shape{4});
    EXPECT_SAME("FusedBatchNorm", bad, {{"is_training", false}});
    if (i > 0) {
      std::vector<Tensor> grads = {good[0], good[0], good[1], good[3], good[4]};
      grads[i] = random_tensor(D::kFloat, i == 1 ? Shape{2, 2, 2, 4} : Shape{4});
      EXPECT_SAME("FusedBatchNormGrad", grads);
    }
  }
}

TEST(CudaLrn, is_that_of_the_cpu_with_its_gradient) {
  for (int64_t radius : {int64_t{0}, int64_t{2}, int64_t{50}}) {
    for (const Shape& shape : {Shape{2, 3, 4, 20}, Shape{1, 2, 2, 1}, Shape{0, 2, 2, 3}}) {
      const AttrMap attrs = {{"depth_radius", radius}, {"bias", 1.5f}, {"alpha", 0.3f}, {"beta", 0.6f}};
      const Tensor x = random_tensor(D::kFloat, shape), y = random_tensor(D::kFloat, shape);
      EXPECT_SAME("LRN", {x}, attrs, 1e-5, 1e-6);
      EXPECT_SAME("LRNGrad", {random_tensor(D::kFloat, shape), x, y}, attrs, 1e-4, 1e-5);
    }
  }
  EXPECT_SAME("LRN", {random_tensor(D::kFloat, Shape{2, 3})});
  const Tensor x = random_tensor(D::kFloat, Shape{1, 2, 2, 3});
  EXPECT_SAME("LRNGrad", {x, x, random_tensor(D::kFloat, Shape{1, 2, 2, 4})});
}

TEST(CudaL2Loss, is_half_the_sum_of_squares) {
  for (D dtype : kFloats) {
    for (const Shape& shape : {Shape(), Shape{0}, Shape{3, 4}, Shape{50000}}) {
      SCOPED_TRACE(dtype_name(dtype) + shape.to_string());
      const double t = dtype == D::kFloat ? 1e-4 : 2 * tolerance_of(dtype);
      EXPECT_SAME("L2Loss", {random_tensor(dtype, shape, -0.5, 0.5)}, {}, t, t);
    }
  }
}

}  // namespace
}  // namespace troupe::test
