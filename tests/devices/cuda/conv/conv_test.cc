// Convolutions on GPUs and their gradients, beside those of the CPU. Without libraries: by our own kernels.
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using D = DataType;
using Ints = std::vector<int64_t>;

struct Case {
  Ints input;   // batch, spatial..., channels
  Ints filter;  // spatial..., in / groups, out
  Ints strides = {1, 1};
  Ints dilations = {1, 1};
  std::string padding = "VALID";
  Ints pads = {};  // before and after of each spatial dimension
  bool depthwise = false;
};

/// Lists of an attr: 1 for batch and channels.
Ints over_layout(const Ints& spatial, bool channels_last) {
  Ints all = {1};
  if (!channels_last) all.push_back(1);
  all.insert(all.end(), spatial.begin(), spatial.end());
  if (channels_last) all.push_back(1);
  return all;
}

AttrMap attrs_of(const Case& c, bool last) {
  const bool volume = c.input.size() == 5;
  AttrMap attrs = {
      {"strides", over_layout(c.strides, last)},
      {"dilations", over_layout(c.dilations, last)},
      {"padding", c.padding},
      {"data_format", std::string(volume ? (last ? "NDHWC" : "NCDHW") : (last ? "NHWC" : "NCHW"))}};
  if (!c.pads.empty()) {
    Ints pads = {0, 0};
    if (!last) pads.insert(pads.end(), {0, 0});
    pads.insert(pads.end(), c.pads.begin(), c.pads.end());
    if (last) pads.insert(pads.end(), {0, 0});
    attrs.set("explicit_paddings", pads);
  }
  return attrs;
}

Shape image_shape(Ints dims, bool last) {
  if (!last) {
    dims.insert(dims.begin() + 1, dims.back());
    dims.pop_back();
  }
  return Shape(dims);
}

Tensor sizes_of(const Shape& shape) {
  Tensor t(D::kInt32, Shape{shape.rank()});
  for (int i = 0; i < shape.rank(); ++i)
    t.flat<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(shape.dim(i));
  return t;
}

/// The three passes of a case.
void expect_conv(D dtype, const Case& c, bool last = true) {
  const bool volume = c.input.size() == 5;
  const std::string op = volume ? "Conv3D" : c.depthwise ? "DepthwiseConv2dNative" : "Conv2D";
  const AttrMap attrs = attrs_of(c, last);
  const Shape input_shape = image_shape(c.input, last);
  const Tensor input = random_tensor(dtype, input_shape, -1, 1),
               filter = random_tensor(dtype, Shape(c.filter), -1, 1);
  const double tolerance = dtype == D::kFloat ? 1e-4 : 4 * tolerance_of(dtype);
  EXPECT_SAME(op, {input, filter}, attrs, tolerance, 4 * tolerance);
  const auto out = run_on_gpu(op, {input, filter}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  const Tensor grad = random_tensor(dtype, (*out)[0].shape(), -1, 1);
  const std::string version = volume ? "V2" : "";
  EXPECT_SAME(op + "BackpropInput" + version, {sizes_of(input_shape), filter, grad}, attrs, tolerance,
              4 * tolerance);
  EXPECT_SAME(op + "BackpropFilter" + version, {input, sizes_of(filter.shape()), grad}, attrs, tolerance,
              16 * tolerance);
}

TEST(CudaConv, convolves_images) {
  const std::vector<Case> cases = {
      {{2, 7, 6, 3}, {3, 2, 3, 4}},
      {{2, 7, 6, 3}, {3, 3, 3, 4}, {2, 1}, {1, 1}, "SAME"},
      {{2, 8, 9, 3}, {3, 3, 3, 4}, {2, 2}, {1, 1}, "SAME"},
      {{1, 9, 9, 2}, {3, 2, 2, 3}, {1, 1}, {2, 3}, "SAME"},
      {{2, 5, 5, 4}, {1, 1, 4, 6}},
      {{2, 5, 5, 4}, {1, 1, 4, 6}, {2, 2}, {1, 1}, "SAME"},
      {{2, 6, 6, 4}, {3, 3, 2, 6}, {1, 1}, {1, 1}, "SAME"},
      {{1, 1, 1, 1}, {1, 1, 1, 1}},
      {{3, 20, 20, 2}, {5, 5, 2, 3}, {3, 2}},
  };
  for (const Case& c : cases) {
    for (bool last : {true, false}) expect_conv(D::kFloat, c, last);
  }
}

TEST(CudaConv, pads_each_side_as_it_is_told) {
  expect_conv(D::kFloat, {{2, 5, 6, 2}, {3, 3, 2, 3}, {1, 1}, {1, 1}, "EXPLICIT", {1, 2, 0, 3}});
  expect_conv(D::kFloat, {{2, 5, 6, 2}, {3, 3, 2, 3}, {2, 2}, {1, 1}, "EXPLICIT", {2, 0, 1, 1}}, false);
  expect_conv(D::kFloat, {{1, 4, 4, 2}, {1, 1, 2, 3}, {1, 1}, {1, 1}, "EXPLICIT", {1, 0, 0, 0}});
}

TEST(CudaConv, takes_every_dtype) {
  for (D dtype : {D::kDouble, D::kHalf, D::kBfloat16}) {
    expect_conv(dtype, {{2, 6, 5, 3}, {3, 3, 3, 4}, {2, 1}, {1, 1}, "SAME"});
    expect_conv(dtype, {{2, 6, 5, 3}, {3, 3, 3, 2}, {1, 1}, {1, 1}, "SAME", {}, true});
    expect_conv(dtype, {{1, 4, 5, 4, 2}, {2, 2, 2, 2, 3}, {1, 2, 1}, {1, 1, 1}, "SAME"});
  }
}

TEST(CudaConv, convolves_channels_by_themselves) {
  for (bool last : {true, false}) {
    expect_conv(D::kFloat, {{2, 6, 5, 3}, {3, 3, 3, 1}, {1, 1}, {1, 1}, "SAME", {}, true}, last);
    expect_conv(D::kFloat, {{2, 7, 7, 3}, {3, 2, 3, 2}, {2, 2}, {1, 1}, "VALID", {}, true}, last);
  }
  expect_conv(D::kFloat, {{2, 7, 7, 3}, {3, 3, 3, 2}, {1, 1}, {2, 2}, "SAME", {}, true});
  expect_conv(D::kFloat, {{2, 7, 7, 1}, {3, 3, 1, 2}, {1, 1}, {1, 1}, "SAME", {}, true});
}

TEST(CudaConv, convolves_volumes) {
  for (bool last : {true, false}) {
    expect_conv(D::kFloat, {{2, 4, 5, 6, 2}, {2, 3, 2, 2, 3}, {1, 1, 1}, {1, 1, 1}, "VALID"}, last);
    expect_conv(D::kFloat, {{1, 4, 5, 6, 2}, {2, 3, 3, 2, 3}, {2, 1, 2}, {1, 1, 1}, "SAME"}, last);
  }
}

TEST(CudaConv, takes_empty_images) {
  const auto f = [](const Shape& s) { return random_tensor(D::kFloat, s); };
  const AttrMap attrs = attrs_of({{}, {}}, true);
  EXPECT_SAME("Conv2D", {f(Shape{0, 5, 5, 2}), f(Shape{3, 3, 2, 4})}, attrs);
  EXPECT_SAME("Conv2DBackpropFilter",
              {f(Shape{0, 5, 5, 2}), sizes_of(Shape{3, 3, 2, 4}), f(Shape{0, 3, 3, 4})}, attrs);
  EXPECT_SAME("Conv2DBackpropInput",
              {sizes_of(Shape{0, 5, 5, 2}), f(Shape{3, 3, 2, 4}), f(Shape{0, 3, 3, 4})}, attrs);
  EXPECT_SAME("Conv2DBackpropInput",
              {sizes_of(Shape{1, 5, 5, 2}), f(Shape{3, 3, 2, 0}), f(Shape{1, 3, 3, 0})}, attrs);
}

TEST(CudaConv, refuses_what_does_not_fit) {
  const auto f = [](const Shape& s) { return random_tensor(D::kFloat, s); };
  const AttrMap attrs = attrs_of({{}, {}}, true);
  EXPECT_SAME("Conv2D", {f(Shape{1, 5, 5, 3}), f(Shape{3, 3, 2, 4})}, attrs);
  EXPECT_SAME("Conv2D", {f(Shape{1, 5, 5}), f(Shape{3, 3, 2, 4})}, attrs);
  EXPECT_SAME("Conv2D", {f(Shape{1, 1, 1, 2}), f(Shape{3, 3, 2, 4})}, attrs);
  EXPECT_SAME("Conv2DBackpropInput",
              {sizes_of(Shape{1, 5, 5, 2}), f(Shape{3, 3, 2, 4}), f(Shape{1, 4, 4, 4})}, attrs);
  EXPECT_SAME("Conv2DBackpropFilter", {f(Shape{1, 5, 5, 2}), sizes_of(Shape{3, 3, 2}), f(Shape{1, 3, 3, 4})},
              attrs);
}

TEST(CudaConv, does_what_is_fused_to_it) {
  for (bool last : {true, false}) {
    for (D dtype : {D::kFloat, D::kHalf}) {
      const Tensor input = random_tensor(dtype, image_shape({2, 5, 4, 3}, last), -1, 1),
                   filter = random_tensor(dtype, Shape{3, 3, 3, 2}, -1, 1);
      const auto vector = [&](double low) { return random_tensor(dtype, Shape{2}, low, 2); };
      AttrMap attrs = attrs_of({{2, 5, 4, 3}, {}, {1, 1}, {1, 1}, "SAME"}, last);
      auto fused = [&](const std::vector<std::string>& ops, std::vector<Tensor> args) {
        attrs.set("fused_ops", ops);
        attrs.set("num_args", static_cast<int64_t>(args.size()));
        attrs.set("TArgs", std::vector<D>(args.size(), dtype));
        args.insert(args.begin(), {input, filter});
        const double tolerance = dtype == D::kFloat ? 1e-5 : 4 * tolerance_of(dtype);
        EXPECT_SAME("_FusedConv2D", args, attrs, tolerance, 10 * tolerance);
      };
      fused({"BiasAdd"}, {vector(-1)});
      fused({"BiasAdd", "Relu"}, {vector(-1)});
      fused({"FusedBatchNorm", "LeakyRelu"}, {vector(0.5), vector(-1), vector(-1), vector(0.5)});
      // The CPU takes a summand with channels last for any image.
      if (last) fused({"BiasAdd", "Add", "Relu6"}, {vector(-1), random_tensor(dtype, Shape{2, 5, 4, 2})});
    }
  }
}

}  // namespace
}  // namespace troupe::test
