#include <gtest/gtest.h>

#include "devices/cpu/primitives/onednn.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using Ints = std::vector<int64_t>;

template <class T>
Tensor sample(const Shape& shape, int seed) {
  Tensor t(dtype_of<T>(), shape);
  int64_t i = seed;
  for (T& v : t.flat<T>()) v = static_cast<T>((i++ * 29 + 7) % 13 - 6);
  return t;
}

Tensor to_double(const Tensor& t) {
  Tensor d(DataType::kDouble, t.shape());
  for (int64_t i = 0; i < t.num_elements(); ++i) d.flat<double>()[i] = t.flat<float>()[i];
  return d;
}

/// Runs an op in float (oneDNN) and in double (plain loops) and expects the same.
void expect_agreement(const std::string& op, std::vector<Tensor> inputs, const AttrMap& attrs) {
  auto fast = run_kernel(op, inputs, attrs);
  for (Tensor& t : inputs) {
    if (t.dtype() == DataType::kFloat) t = to_double(t);
  }
  auto plain = run_kernel(op, inputs, attrs);
  ASSERT_TRUE(fast.ok()) << op << ": " << fast.status();
  ASSERT_TRUE(plain.ok()) << op << ": " << plain.status();
  EXPECT_TRUE(tensors_near(to_double(fast->at(0)), plain->at(0), 1e-4, 1e-3)) << op;
}

Tensor shape_vector(const Shape& s) {
  Tensor t(DataType::kInt32, Shape{s.rank()});
  for (int i = 0; i < s.rank(); ++i) t.flat<int32_t>()[i] = static_cast<int32_t>(s.dim(i));
  return t;
}

/// The three passes of one convolution.
void expect_all_passes(const std::string& prefix, const Tensor& input, const Tensor& filter,
                       const AttrMap& attrs) {
  expect_agreement(prefix, {input, filter}, attrs);
  auto out = run_kernel(prefix, {input, filter}, attrs);
  ASSERT_TRUE(out.ok());
  Tensor grad = sample<float>(out->at(0).shape(), 3);
  const std::string v2 = prefix == "Conv3D" ? "V2" : "";
  expect_agreement(prefix + "BackpropInput" + v2, {shape_vector(input.shape()), filter, grad}, attrs);
  expect_agreement(prefix + "BackpropFilter" + v2, {input, shape_vector(filter.shape()), grad}, attrs);
}

// Values that TensorFlow computed.
const Tensor& image() {
  static const Tensor* t = [] {
    auto* x = new Tensor(DataType::kFloat, Shape{1, 4, 4, 2});
    for (int i = 0; i < 32; ++i) x->flat<float>()[i] = static_cast<float>(i % 7 - 3);
    return x;
  }();
  return *t;
}

Tensor filter(int64_t in = 2) {
  Tensor w(DataType::kFloat, Shape{3, 3, in, 2});
  for (int64_t i = 0, j = 0; i < 36; ++i) {
    if (in == 1 && i / 2 % 2 == 1) continue;
    w.flat<float>()[j++] = static_cast<float>(i % 5 - 2);
  }
  return w;
}

TEST(Conv2D, agrees_with_tensorflow) {
  auto out = run_kernel("Conv2D", {image(), filter()}, {{"strides", Ints{1, 2, 2, 1}}, {"padding", "SAME"}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>(Shape{1, 2, 2, 2}, {-15, 17, 23, -22, 20, 13, -12, -1})));
}

TEST(Conv2D, treats_a_shallow_filter_as_groups) {
  auto out =
      run_kernel("Conv2D", {image(), filter(1)}, {{"strides", Ints{1, 1, 1, 1}}, {"padding", "VALID"}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>(Shape{1, 2, 2, 2}, {0, 3, 16, -18, 1, 10, 3, -18})));
}

TEST(Conv2DBackprop, agrees_with_tensorflow) {
  Tensor grad = Tensor::from<float>(Shape{1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1});
  AttrMap attrs = {{"strides", Ints{1, 2, 2, 1}}, {"padding", "SAME"}};
  auto in = run_kernel("Conv2DBackpropInput", {shape_vector(Shape{1, 4, 4, 2}), filter(), grad}, attrs);
  ASSERT_TRUE(in.ok()) << in.status();
  EXPECT_TRUE(
      tensors_near(in->at(0), Tensor::from<float>(Shape{1, 4, 4, 2},
                                                  {-3, 1, 0, -1, 0, -2, 0, -1, 1, 0, -1, 3, -2, 1, -1, 3,
                                                   -3, 0, 3, -4, 1, -3, 3, -4, 1, 0, -1, 3, -2, 1, -1, 3})));
  auto w = run_kernel("Conv2DBackpropFilter", {image(), shape_vector(Shape{3, 3, 2, 2}), grad}, attrs);
  ASSERT_TRUE(w.ok()) << w.status();
  EXPECT_TRUE(tensors_near(
      w->at(0), Tensor::from<float>(Shape{3, 3, 2, 2},
                                    {0, 0, -3, -3, 1, 1, -2, -2, 4,  4,  -1, -1, -3, -3, 1, 1, -2, -2,
                                     2, 2, -1, -1, 1, 1, 2,  2,  -3, -3, -1, -1, 1,  1,  3, 3, -3, -3})));
}

AttrMap window(bool last, const char* padding, int64_t stride, int64_t dilation) {
  return {{"padding", padding},
          {"data_format", last ? "NHWC" : "NCHW"},
          {"strides", last ? Ints{1, stride, stride, 1} : Ints{1, 1, stride, stride}},
          {"dilations", last ? Ints{1, dilation, dilation, 1} : Ints{1, 1, dilation, dilation}}};
}
const std::pair<int64_t, int64_t> kStridesAndDilations[] = {{1, 1}, {2, 1}, {3, 1}, {1, 2}};

TEST(Conv2D, agrees_between_onednn_and_plain_loops_in_every_layout) {
  for (const bool last : {true, false}) {
    for (const char* padding : {"SAME", "VALID"}) {
      for (const auto& [stride, dilation] : kStridesAndDilations) {
        for (int64_t groups : {1, 2}) {
          expect_all_passes("Conv2D", sample<float>(last ? Shape{3, 9, 8, 4} : Shape{3, 4, 9, 8}, 1),
                            sample<float>(Shape{3, 2, 4 / groups, 6}, 2),
                            window(last, padding, stride, dilation));
        }
      }
    }
  }
}

TEST(Conv2D, agrees_where_another_implementation_is_taken_than_the_first) {
  for (const bool last : {true, false}) {
    for (int64_t in : {1, 2, 3, 4}) {
      for (int64_t out : {8, 16, 33}) {
        for (const auto& [stride, dilation] : kStridesAndDilations) {
          SCOPED_TRACE(testing::Message() << in << " to " << out << " channels, last: " << last);
          expect_all_passes("Conv2D", sample<float>(last ? Shape{2, 11, 10, in} : Shape{2, in, 11, 10}, 1),
                            sample<float>(Shape{3, 5, in, out}, 2), window(last, "SAME", stride, dilation));
        }
      }
    }
  }
}

TEST(Conv2D, pads_each_side_by_what_it_is_told) {
  AttrMap attrs = {{"padding", "EXPLICIT"},
                   {"explicit_paddings", Ints{0, 0, 2, 0, 1, 3, 0, 0}},
                   {"strides", Ints{1, 2, 1, 1}}};
  Tensor x = sample<float>(Shape{1, 5, 6, 3}, 1), w = sample<float>(Shape{3, 3, 3, 2}, 2);
  auto out = run_kernel("Conv2D", {x, w}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{1, 3, 8, 2}));
  expect_all_passes("Conv2D", x, w, attrs);
}

TEST(DepthwiseConv2d, agrees_with_tensorflow) {
  auto out = run_kernel("DepthwiseConv2dNative", {image(), filter()},
                        {{"strides", Ints{1, 1, 1, 1}}, {"padding", "VALID"}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(
      out->at(0),
      Tensor::from<float>(Shape{1, 2, 2, 4}, {0, 10, -15, 7, 16, 10, 11, 10, 1, 3, -16, -2, 3, -18, 3, -6})));
}

TEST(DepthwiseConv2d, agrees_between_onednn_and_plain_loops) {
  for (int64_t multiplier : {1, 3}) {
    for (const char* format : {"NHWC", "NCHW"}) {
      const bool last = std::string(format) == "NHWC";
      AttrMap attrs = {{"padding", "SAME"},
                       {"data_format", format},
                       {"strides", last ? Ints{1, 2, 2, 1} : Ints{1, 1, 2, 2}}};
      expect_all_passes("DepthwiseConv2dNative",
                        sample<float>(last ? Shape{2, 7, 6, 5} : Shape{2, 5, 7, 6}, 1),
                        sample<float>(Shape{3, 3, 5, multiplier}, 2), attrs);
    }
  }
}

TEST(Conv3D, agrees_between_onednn_and_plain_loops) {
  for (const char* format : {"NDHWC", "NCDHW"}) {
    const bool last = std::string(format) == "NDHWC";
    AttrMap attrs = {{"padding", "SAME"},
                     {"data_format", format},
                     {"strides", last ? Ints{1, 2, 1, 2, 1} : Ints{1, 1, 2, 1, 2}}};
    expect_all_passes("Conv3D", sample<float>(last ? Shape{2, 4, 5, 6, 3} : Shape{2, 3, 4, 5, 6}, 1),
                      sample<float>(Shape{2, 3, 3, 3, 4}, 2), attrs);
  }
}

/// Runs blocks in reverse order and counts them: what threads might do.
class CountingRunner final : public ParallelRunner {
 public:
  int num_threads() const override { return 4; }
  void parallel_for(int64_t total, int64_t, absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    for (int64_t i = total; i-- > 0;) fn(i, i + 1);
    blocks += total;
  }
  int64_t blocks = 0;
};

TEST(OneDnn, cuts_large_convolutions_into_blocks_that_add_up) {
  ConvProblem p;
  p.in_channels = 16;
  p.out_channels = 32;
  p.in = p.out = {41, 40, 1};
  p.kernel = {3, 3, 1};
  p.pad_before = p.pad_after = {1, 1, 0};
  for (int64_t batch : {1, 5}) {
    p.batch = batch;
    const auto in_size = static_cast<size_t>(batch * p.in_image()),
               out_size = static_cast<size_t>(batch * p.out_image()),
               w_size = static_cast<size_t>(p.filter_size());
    std::vector<float> in(in_size), w(w_size), grad(out_size), whole(out_size), cut(out_size);
    for (size_t i = 0; i < in_size; ++i) in[i] = static_cast<float>(i % 11) - 5;
    for (size_t i = 0; i < w_size; ++i) w[i] = static_cast<float>(i % 7) - 3;
    for (size_t i = 0; i < out_size; ++i) grad[i] = static_cast<float>(i % 5) - 2;
    CountingRunner four;
    ASSERT_TRUE(onednn::conv_forward(p, *serial_runner(), in.data(), w.data(), nullptr, whole.data()).ok());
    ASSERT_TRUE(onednn::conv_forward(p, four, in.data(), w.data(), nullptr, cut.data()).ok());
    EXPECT_GT(four.blocks, 1);
    EXPECT_EQ(whole, cut);
    std::vector<float> in_whole(in_size), in_cut(in_size), w_whole(w_size), w_cut(w_size);
    ASSERT_TRUE(
        onednn::conv_backward_input(p, *serial_runner(), w.data(), grad.data(), in_whole.data()).ok());
    ASSERT_TRUE(onednn::conv_backward_input(p, four, w.data(), grad.data(), in_cut.data()).ok());
    EXPECT_EQ(in_whole, in_cut);
    ASSERT_TRUE(
        onednn::conv_backward_filter(p, *serial_runner(), in.data(), grad.data(), w_whole.data()).ok());
    ASSERT_TRUE(onednn::conv_backward_filter(p, four, in.data(), grad.data(), w_cut.data()).ok());
    for (size_t i = 0; i < w_size; ++i) ASSERT_NEAR(w_whole[i], w_cut[i], 1e-2) << i;
  }
}

TEST(OneDnn, compiles_a_convolution_once) {
  AttrMap attrs = {{"strides", Ints{1, 1, 1, 1}}, {"padding", "SAME"}};
  std::vector<Tensor> in = {sample<float>(Shape{1, 6, 5, 3}, 1), sample<float>(Shape{3, 3, 3, 7}, 2)};
  ASSERT_TRUE(run_kernel("Conv2D", in, attrs).ok());
  const int64_t before = onednn::cached_primitives();
  ASSERT_TRUE(run_kernel("Conv2D", in, attrs).ok());
  EXPECT_EQ(onednn::cached_primitives(), before);
}

TEST(Conv2D, refuses_what_does_not_fit) {
  const AttrMap attrs = {{"strides", Ints{1, 1, 1, 1}}, {"padding", "VALID"}};
  auto conv = [&](const Shape& in, const Shape& w) {
    return run_kernel("Conv2D", {sample<float>(in, 0), sample<float>(w, 0)}, attrs).status();
  };
  EXPECT_EQ(conv(Shape{1, 4, 4, 2}, Shape{3, 3, 3, 2}),
            absl::InvalidArgumentError("input depth must be evenly divisible by filter depth: 2 vs 3"));
  EXPECT_EQ(conv(Shape{1, 1, 1, 2}, Shape{3, 3, 2, 2}),
            absl::InvalidArgumentError("Computed output size would be negative: -1 [input_size: 1, "
                                       "effective_filter_size: 3, stride: 1]"));
  EXPECT_EQ(conv(Shape{4, 4, 2}, Shape{3, 3, 2, 2}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(conv(Shape{1, 4, 4, 2}, Shape{3, 3, 2}),
            absl::InvalidArgumentError("filter must be 4-dimensional: [3,3,2]"));
  EXPECT_EQ(conv(Shape{1, 4, 4, 2}, Shape{0, 3, 2, 2}),
            absl::InvalidArgumentError(
                "filter must not have zero elements (i.e. all dimensions must be non-zero)"));
}

TEST(Conv2D, refuses_strides_over_the_batch_and_the_depth) {
  for (const Ints& strides : {Ints{2, 1, 1, 1}, Ints{1, 1, 1, 2}}) {
    auto status =
        run_kernel("Conv2D", {image(), filter()}, {{"strides", strides}, {"padding", "SAME"}}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(
        status.message().find("Current implementation does not yet support strides in the batch and depth "),
        0u);
  }
}

TEST(Conv2DBackpropInput, refuses_gradients_of_another_size) {
  auto status = run_kernel("Conv2DBackpropInput",
                           {shape_vector(Shape{1, 4, 4, 2}), filter(), sample<float>(Shape{1, 3, 2, 2}, 0)},
                           {{"strides", Ints{1, 2, 2, 1}}, {"padding", "SAME"}})
                    .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("Size of out_backprop doesn't match computed: actual = 3, computed = 2"),
            absl::string_view::npos);
}

TEST(Conv2DBackprop, takes_sizes_of_space_alone_and_refuses_others) {
  const Tensor grad = sample<float>(Shape{1, 2, 2, 2}, 0);
  const AttrMap attrs = {{"strides", Ints{1, 2, 2, 1}}, {"padding", "SAME"}};
  auto gradient = [&](const Tensor& sizes) {
    return run_kernel("Conv2DBackpropInput", {sizes, filter(), grad}, attrs);
  };
  const auto whole = gradient(shape_vector(Shape{1, 4, 4, 2})), space = gradient(shape_vector(Shape{4, 4}));
  ASSERT_TRUE(whole.ok() && space.ok()) << whole.status() << space.status();
  EXPECT_TRUE(tensors_near(space->at(0), whole->at(0)));
  EXPECT_EQ(gradient(shape_vector(Shape{4, 4, 2})).status(),
            absl::InvalidArgumentError("input_sizes must be a vector of 4 integers, got 3"));
  EXPECT_EQ(gradient(Tensor::vector<int32_t>({1, -4, 4, 2})).status(),
            absl::InvalidArgumentError("Dimension -4 must be >= 0"));
  EXPECT_EQ(run_kernel("Conv2DBackpropFilter", {image(), shape_vector(Shape{3, 3, 2}), grad}, attrs).status(),
            absl::InvalidArgumentError("filter_sizes must be a vector of 4 integers, got 3"));
}

/// As TensorFlow's CPU; the forward pass takes both.
TEST(Conv2DBackprop, refuses_dilations_under_explicit_padding) {
  const AttrMap attrs = {{"strides", Ints{1, 1, 1, 1}},
                         {"padding", "EXPLICIT"},
                         {"explicit_paddings", Ints{0, 0, 1, 1, 1, 1, 0, 0}},
                         {"dilations", Ints{1, 2, 2, 1}}};
  auto out = run_kernel("Conv2D", {image(), filter()}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  const Tensor grad = sample<float>(out->at(0).shape(), 0);
  const absl::Status refused = absl::InvalidArgumentError(
      "Current CPU implementations do not yet support dilation rates larger than 1.");
  EXPECT_EQ(
      run_kernel("Conv2DBackpropInput", {shape_vector(image().shape()), filter(), grad}, attrs).status(),
      refused);
  EXPECT_EQ(
      run_kernel("Conv2DBackpropFilter", {image(), shape_vector(filter().shape()), grad}, attrs).status(),
      refused);
}

TEST(Conv2DBackpropFilter, is_zero_for_an_empty_batch) {
  auto out = run_kernel("Conv2DBackpropFilter",
                        {Tensor(DataType::kFloat, Shape{0, 4, 4, 2}), shape_vector(Shape{3, 3, 2, 2}),
                         Tensor(DataType::kFloat, Shape{0, 4, 4, 2})},
                        {{"strides", Ints{1, 1, 1, 1}}, {"padding", "SAME"}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), zeros(DataType::kFloat, Shape{3, 3, 2, 2})));
}

TEST(Dilation2D, adds_the_filter_before_taking_the_maximum) {
  Tensor x = Tensor::from<float>(Shape{1, 2, 2, 1}, {1, 2, 3, 4}),
         w = Tensor::from<float>(Shape{1, 2, 1}, {10, 0});
  AttrMap attrs = {{"strides", Ints{1, 1, 1, 1}}, {"rates", Ints{1, 1, 1, 1}}, {"padding", "VALID"}};
  auto out = run_kernel("Dilation2D", {x, w}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 2, 1, 1}, {11, 13})));
  auto grad =
      run_kernel("Dilation2DBackpropInput", {x, w, Tensor::from<float>(Shape{1, 2, 1, 1}, {5, 7})}, attrs);
  ASSERT_TRUE(grad.ok()) << grad.status();
  EXPECT_TRUE(tensors_near(grad->at(0), Tensor::from<float>(Shape{1, 2, 2, 1}, {5, 0, 7, 0})));
}

TEST(Convolution, of_a_mirrored_image_is_that_of_its_parts) {
  Tensor image(DataType::kFloat, Shape{2, 4, 5, 3}), filter(DataType::kFloat, Shape{3, 2, 3, 4});
  for (int64_t i = 0; i < image.num_elements(); ++i)
    image.flat<float>()[i] = static_cast<float>((i * 7) % 11) - 5;
  for (int64_t i = 0; i < filter.num_elements(); ++i)
    filter.flat<float>()[i] = static_cast<float>((i * 5) % 13) - 6;
  const Tensor paddings = Tensor::from<int32_t>({4, 2}, {0, 0, 2, 1, 3, 0, 0, 0});
  const Tensor size = Tensor::vector<int32_t>({7, 6});
  for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
    AttrMap conv;
    conv.set("strides", std::vector<int64_t>{1, 2, 1, 1});
    conv.set("padding", std::string("VALID"));
    AttrMap fused = conv, mirror;
    for (AttrMap* attrs : {&fused, &mirror}) attrs->set("mode", std::string(mode));
    const Tensor padded = run_kernel("MirrorPad", {image, paddings}, mirror)->at(0);
    const auto got = run_kernel("FusedPadConv2D", {image, paddings, filter}, fused);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_TRUE(tensors_near(got->at(0), run_kernel("Conv2D", {padded, filter}, conv)->at(0))) << mode;

    fused.set("resize_align_corners", true);
    AttrMap resize;
    resize.set("align_corners", true);
    const Tensor large = run_kernel("ResizeBilinear", {image, size}, resize)->at(0);
    const Tensor larger = run_kernel("MirrorPad", {large, paddings}, mirror)->at(0);
    const auto both = run_kernel("FusedResizeAndPadConv2D", {image, size, paddings, filter}, fused);
    ASSERT_TRUE(both.ok()) << both.status();
    EXPECT_TRUE(tensors_near(both->at(0), run_kernel("Conv2D", {larger, filter}, conv)->at(0), 1e-4, 1e-4))
        << mode;
  }
}

TEST(Convolution, refuses_margins_wider_than_the_image) {
  AttrMap attrs;
  attrs.set("strides", std::vector<int64_t>{1, 1, 1, 1});
  attrs.set("padding", std::string("SAME"));
  attrs.set("mode", std::string("REFLECT"));
  const Tensor image(DataType::kFloat, Shape{1, 2, 2, 1}), filter(DataType::kFloat, Shape{1, 1, 1, 1});
  auto status = [&](std::initializer_list<int32_t> paddings) {
    return run_kernel("FusedPadConv2D", {image, Tensor::from<int32_t>({4, 2}, paddings), filter}, attrs)
        .status();
  };
  EXPECT_TRUE(status({0, 0, 1, 1, 1, 1, 0, 0}).ok());
  EXPECT_EQ(status({0, 0, 2, 0, 0, 0, 0, 0}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status({0, 0, -1, 0, 0, 0, 0, 0}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status({1, 0, 0, 0, 0, 0, 0, 0}).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ConvGradients, are_zero_for_an_empty_filter) {
  const AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const Tensor filter(DataType::kFloat, Shape{3, 3, 2, 0}), out(DataType::kFloat, Shape{2, 5, 5, 0});
  for (const char* op : {"Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropInput"}) {
    auto input = run_kernel(op, {Tensor::vector<int32_t>({2, 5, 5, 2}), filter, out}, attrs);
    ASSERT_TRUE(input.ok()) << input.status();
    EXPECT_TRUE(tensors_near(input->at(0), zeros(DataType::kFloat, Shape{2, 5, 5, 2}))) << op;
  }
  auto no_filter = run_kernel(
      "Conv2DBackpropFilter",
      {zeros(DataType::kFloat, Shape{2, 5, 5, 2}), Tensor::vector<int32_t>({3, 3, 2, 0}), out}, attrs);
  ASSERT_TRUE(no_filter.ok()) << no_filter.status();
  EXPECT_EQ(no_filter->at(0).shape(), (Shape{3, 3, 2, 0}));
}

}  // namespace
}  // namespace troupe::test
