// Pooling on GPUs and its gradients, beside those of the CPU.
#include <limits>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;
using Ints = std::vector<int64_t>;

struct Case {
  Ints input;  // in the layout
  Ints ksize, strides;
  std::string padding;
  std::string format = "NHWC";
};

AttrMap attrs_of(const Case& c) {
  return {{"ksize", c.ksize}, {"strides", c.strides}, {"padding", c.padding}, {"data_format", c.format}};
}

const std::vector<Case>& images() {
  static const auto* cases = new std::vector<Case>{
      {{2, 6, 7, 3}, {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID"},
      {{2, 6, 7, 3}, {1, 3, 3, 1}, {1, 2, 2, 1}, "SAME"},
      {{2, 5, 5, 2}, {1, 3, 2, 1}, {1, 1, 1, 1}, "SAME"},
      {{2, 5, 5, 2}, {1, 1, 2, 1}, {1, 3, 3, 1}, "VALID"},
      {{1, 4, 4, 1}, {1, 4, 4, 1}, {1, 1, 1, 1}, "VALID"},
      {{0, 4, 4, 1}, {1, 2, 2, 1}, {1, 1, 1, 1}, "VALID"},
      {{2, 3, 6, 7}, {1, 1, 3, 3}, {1, 1, 2, 2}, "SAME", "NCHW"},
  };
  return *cases;
}

/// Max or average of a case, and its gradients.
void expect_pooling(D dtype, const Case& c) {
  const bool volume = c.input.size() == 5;
  const std::string suffix = volume ? "3D" : "";
  const AttrMap attrs = attrs_of(c);
  const Tensor in = random_tensor(dtype, Shape(c.input));
  const double tolerance = 2 * tolerance_of(dtype);
  EXPECT_SAME("MaxPool" + suffix, {in}, attrs, 0, 0);
  EXPECT_SAME("AvgPool" + suffix, {in}, attrs, tolerance, tolerance);
  const auto out = run_on_gpu("MaxPool" + suffix, {in}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  const Tensor grad = random_tensor(dtype, (*out)[0].shape());
  EXPECT_SAME("MaxPool" + suffix + "Grad", {in, (*out)[0], grad}, attrs, tolerance, 8 * tolerance);
  EXPECT_SAME("MaxPool" + suffix + "GradGrad", {in, (*out)[0], random_tensor(dtype, in.shape())}, attrs, 0,
              0);
  Tensor sizes(D::kInt32, Shape{in.rank()});
  for (int i = 0; i < in.rank(); ++i)
    sizes.flat<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(in.dim(i));
  EXPECT_SAME("AvgPool" + suffix + "Grad", {sizes, grad}, attrs, tolerance, 8 * tolerance);
}

TEST(CudaPool, pools_images) {
  for (const Case& c : images()) expect_pooling(D::kFloat, c);
}

TEST(CudaPool, takes_every_dtype) {
  for (D dtype : {D::kDouble, D::kHalf, D::kBfloat16}) {
    for (size_t i : {size_t{1}, size_t{6}}) expect_pooling(dtype, images()[i]);
  }
}

TEST(CudaPool, pools_volumes) {
  for (D dtype : {D::kFloat, D::kBfloat16}) {
    expect_pooling(dtype, {{2, 4, 5, 6, 2}, {1, 2, 3, 2, 1}, {1, 1, 2, 2, 1}, "SAME", "NDHWC"});
    expect_pooling(dtype, {{2, 2, 4, 5, 6}, {1, 1, 2, 2, 2}, {1, 1, 2, 2, 2}, "VALID", "NCDHW"});
  }
}

TEST(CudaPool, takes_the_first_of_equal_elements) {
  const Case c = {{1, 4, 4, 1}, {1, 3, 3, 1}, {1, 1, 1, 1}, "SAME"};
  Tensor in = random_tensor(D::kFloat, Shape(c.input), 0, 2);
  for (float& x : in.flat<float>()) x = x < 1 ? 0 : 1;
  in.flat<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  const auto out = run_on_gpu("MaxPool", {in}, attrs_of(c));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_SAME("MaxPool", {in}, attrs_of(c), 0, 0);
  EXPECT_SAME("MaxPoolGrad", {in, (*out)[0], random_tensor(D::kFloat, in.shape())}, attrs_of(c));
}

TEST(CudaPool, takes_sizes_from_inputs) {
  const Tensor in = random_tensor(D::kFloat, Shape{2, 5, 6, 3});
  const Tensor ksize = Tensor::vector<int32_t>({1, 3, 2, 1}), strides = Tensor::vector<int32_t>({1, 2, 1, 1});
  const AttrMap attrs = {{"padding", std::string("SAME")}};
  EXPECT_SAME("MaxPoolV2", {in, ksize, strides}, attrs, 0, 0);
  const auto out = run_on_gpu("MaxPoolV2", {in, ksize, strides}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_SAME("MaxPoolGradV2", {in, (*out)[0], random_tensor(D::kFloat, (*out)[0].shape()), ksize, strides},
              attrs);
  EXPECT_SAME("MaxPoolGradGradV2", {in, (*out)[0], random_tensor(D::kFloat, in.shape()), ksize, strides},
              attrs);
  EXPECT_SAME("MaxPoolV2", {in, Tensor::vector<int32_t>({1, 0, 2, 1}), strides}, attrs);
}

TEST(CudaPool, takes_the_maximum_of_channels) {
  EXPECT_SAME("MaxPool", {random_tensor(D::kFloat, Shape{2, 3, 3, 6})},
              attrs_of({{}, {1, 1, 1, 3}, {1, 1, 1, 3}, "VALID"}), 0, 0);
}

TEST(CudaPool, pads_each_side_as_it_is_told) {
  AttrMap attrs = attrs_of({{}, {1, 3, 3, 1}, {1, 2, 2, 1}, "EXPLICIT"});
  attrs.set("explicit_paddings", Ints{0, 0, 1, 2, 0, 1, 0, 0});
  EXPECT_SAME("MaxPool", {random_tensor(D::kFloat, Shape{2, 5, 5, 2})}, attrs, 0, 0);
}

TEST(CudaPool, tells_where_the_maxima_are) {
  for (D dtype : {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16}) {
    for (bool include_batch : {false, true}) {
      AttrMap attrs = {{"ksize", Ints{1, 3, 3, 1}},
                       {"strides", Ints{1, 2, 2, 1}},
                       {"padding", std::string("SAME")},
                       {"include_batch_in_index", include_batch},
                       {"Targmax", D::kInt64}};
      const Tensor in = random_tensor(dtype, Shape{3, 5, 6, 2});
      EXPECT_SAME("MaxPoolWithArgmax", {in}, attrs, 0, 0);
      const auto out = run_on_gpu("MaxPoolWithArgmax", {in}, attrs);
      ASSERT_TRUE(out.ok()) << out.status();
      const Tensor grad = random_tensor(dtype, (*out)[0].shape());
      EXPECT_SAME("MaxPoolGradWithArgmax", {in, grad, (*out)[1]}, attrs, 4 * tolerance_of(dtype),
                  8 * tolerance_of(dtype));
      // The gradient of the gradient reads what the argmax names: the maxima, where it is handed the input.
      const auto again = run_on_gpu("MaxPoolGradGradWithArgmax", {in, in, (*out)[1]}, attrs);
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_TRUE(tensors_near((*again)[0], (*out)[0], 0, 0));
    }
  }
}

TEST(CudaPool, passes_over_places_that_are_not_there) {
  const AttrMap attrs = {{"ksize", Ints{1, 2, 2, 1}},
                         {"strides", Ints{1, 2, 2, 1}},
                         {"padding", std::string("VALID")},
                         {"Targmax", D::kInt64}};
  const auto out =
      run_on_gpu("MaxPoolGradWithArgmax",
                 {Tensor::from<float>(Shape{1, 2, 2, 1}, {1, 2, 3, 4}),
                  Tensor::from<float>(Shape{1, 1, 1, 1}, {5}), Tensor::from<int64_t>(Shape{1, 1, 1, 1}, {4})},
                 attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near((*out)[0], Tensor::from<float>(Shape{1, 2, 2, 1}, {0, 0, 0, 0}), 0, 0));
}

TEST(CudaPool, refuses_what_does_not_fit) {
  const auto f = [](const Shape& s) { return random_tensor(D::kFloat, s); };
  const AttrMap attrs = attrs_of({{}, {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID"});
  EXPECT_SAME("MaxPool", {f(Shape{4, 4, 1})}, attrs);
  EXPECT_SAME("MaxPoolGrad", {f(Shape{1, 4, 4, 1}), f(Shape{1, 2, 2, 1}), f(Shape{1, 3, 2, 1})}, attrs);
  EXPECT_SAME("AvgPoolGrad", {Tensor::vector<int32_t>({1, 4, 4}), f(Shape{1, 2, 2, 1})}, attrs);
  EXPECT_SAME("AvgPoolGrad", {Tensor::vector<int32_t>({1, 4, 4, 1}), f(Shape{1, 3, 2, 1})}, attrs);
}

}  // namespace
}  // namespace troupe::test
