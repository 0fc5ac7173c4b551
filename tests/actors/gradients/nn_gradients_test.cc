#include "tests/actors/gradients/gradient_check.h"

namespace troupe::test {
namespace {

using Ints = std::vector<int64_t>;

Input held(Input in) {
  in.checked = false;
  return in;
}

TEST(LossGradients, agree_with_differences) {
  const Input logits = varied({2, 3});
  // Labels are probabilities: they sum to one.
  for (bool second : {false, true}) {
    EXPECT_TRUE(gradients_match({logits, varied({2, 3})}, [&](GraphBuilder& b, const std::vector<Out>& in) {
      const Out loss = b.op("SoftmaxCrossEntropyWithLogits", {in[0], b.softmax(in[1])});
      return second ? std::vector<Out>{loss, loss[1]} : std::vector<Out>{loss};
    })) << second;
  }
  const Input classes = fixed_ints({2, 0});
  EXPECT_TRUE(op_gradients_match("SparseSoftmaxCrossEntropyWithLogits", {logits, classes}, {}, {0}));
  EXPECT_TRUE(op_gradients_match("SparseSoftmaxCrossEntropyWithLogits", {logits, classes}));
}

TEST(LossGradients, of_ctc_agree_with_differences) {
  Tensor indices = Tensor::from<int64_t>(Shape{3, 2}, {0, 0, 0, 1, 1, 0});
  EXPECT_TRUE(op_gradients_match(
      "CTCLoss", {varied({4, 2, 4}), fixed(indices), fixed_ints({1, 2, 0}), fixed_ints({4, 3})}, {}, {0},
      {1e-3, 1e-3}));
}

TEST(BiasGradients, agree_with_differences) {
  EXPECT_TRUE(op_gradients_match("BiasAdd", {varied({2, 3}), varied({3})}));
  EXPECT_TRUE(op_gradients_match("BiasAdd", {varied({2, 3, 2, 2}), varied({3})}, {{"data_format", "NCHW"}}));
  EXPECT_TRUE(op_gradients_match("BiasAddV1", {varied({2, 2, 3}), varied({3})}));
  EXPECT_TRUE(op_gradients_match("BiasAddGrad", {varied({2, 2, 3})}));
  EXPECT_TRUE(op_gradients_match("BiasAddGrad", {varied({2, 3, 2, 2})}, {{"data_format", "NCHW"}}));
}

TEST(ConvolutionGradients, agree_with_differences) {
  for (const char* padding : {"SAME", "VALID"}) {
    const AttrMap flat{{"strides", Ints{1, 1, 2, 1}}, {"padding", padding}};
    EXPECT_TRUE(op_gradients_match("Conv2D", {varied({1, 4, 4, 2}), varied({2, 2, 2, 3})},
                                   {{"strides", Ints{1, 2, 2, 1}}, {"padding", padding}}))
        << padding;
    EXPECT_TRUE(op_gradients_match("DepthwiseConv2dNative", {varied({1, 4, 4, 2}), varied({2, 2, 2, 2})},
                                   {{"strides", Ints{1, 1, 1, 1}}, {"padding", padding}}))
        << padding;
    EXPECT_TRUE(op_gradients_match("Conv3D", {varied({1, 3, 3, 3, 1}), varied({2, 2, 2, 1, 2})},
                                   {{"strides", Ints{1, 1, 1, 1, 1}}, {"padding", padding}}))
        << padding;
    EXPECT_TRUE(op_gradients_match(
        "Dilation2D", {varied({1, 4, 4, 1}), varied({2, 2, 1})},
        {{"strides", Ints{1, 1, 1, 1}}, {"rates", Ints{1, 1, 1, 1}}, {"padding", padding}}))
        << padding;
  }
  const AttrMap attrs{{"strides", Ints{1, 1, 1, 1}}, {"padding", "VALID"}};
  EXPECT_TRUE(op_gradients_match(
      "Conv2DBackpropInput", {fixed_ints({1, 4, 4, 1}), varied({2, 2, 1, 2}), varied({1, 3, 3, 2})}, attrs));
  EXPECT_TRUE(op_gradients_match(
      "Conv2DBackpropFilter", {varied({1, 4, 4, 1}), fixed_ints({2, 2, 1, 2}), varied({1, 3, 3, 2})}, attrs));
  EXPECT_TRUE(op_gradients_match("DepthwiseConv2dNativeBackpropInput",
                                 {fixed_ints({1, 4, 4, 1}), varied({2, 2, 1, 2}), varied({1, 3, 3, 2})},
                                 attrs));
  EXPECT_TRUE(op_gradients_match("DepthwiseConv2dNativeBackpropFilter",
                                 {varied({1, 4, 4, 1}), fixed_ints({2, 2, 1, 2}), varied({1, 3, 3, 2})},
                                 attrs));
  const AttrMap volume{{"strides", Ints{1, 1, 1, 1, 1}}, {"padding", "VALID"}};
  EXPECT_TRUE(op_gradients_match(
      "Conv3DBackpropInputV2",
      {fixed_ints({1, 3, 3, 3, 1}), varied({2, 2, 2, 1, 1}), varied({1, 2, 2, 2, 1})}, volume));
  EXPECT_TRUE(op_gradients_match(
      "Conv3DBackpropFilterV2",
      {varied({1, 3, 3, 3, 1}), fixed_ints({2, 2, 2, 1, 1}), varied({1, 2, 2, 2, 1})}, volume));
}

TEST(PoolGradients, agree_with_differences) {
  const AttrMap flat{{"ksize", Ints{1, 2, 2, 1}}, {"strides", Ints{1, 2, 2, 1}}, {"padding", "SAME"}};
  for (const char* op : {"AvgPool", "MaxPool"})
    EXPECT_TRUE(op_gradients_match(op, {varied({1, 3, 4, 2})}, flat)) << op;
  const AttrMap volume{
      {"ksize", Ints{1, 2, 2, 2, 1}}, {"strides", Ints{1, 2, 2, 2, 1}}, {"padding", "VALID"}};
  for (const char* op : {"AvgPool3D", "MaxPool3D"}) {
    EXPECT_TRUE(
        op_gradients_match(op, {varied({1, 2, 4, 4, 1}, -1, 1, DataType::kFloat)}, volume, {}, {1e-2, 1e-3}))
        << op;
  }
  EXPECT_TRUE(op_gradients_match("AvgPoolGrad", {fixed_ints({1, 4, 4, 1}), varied({1, 2, 2, 1})}, flat));
  EXPECT_TRUE(op_gradients_match("MaxPoolV2",
                                 {varied({1, 4, 4, 1}), fixed_ints({1, 2, 2, 1}), fixed_ints({1, 2, 2, 1})},
                                 {{"padding", "SAME"}}));
  EXPECT_TRUE(op_gradients_match("MaxPoolWithArgmax", {varied({1, 4, 4, 1})}, flat, {0}));
  AttrMap fractions{{"pooling_ratio", std::vector<float>{1.F, 2.F, 2.F, 1.F}},
                    {"deterministic", true},
                    {"seed", 3},
                    {"seed2", 4}};
  EXPECT_TRUE(op_gradients_match("FractionalAvgPool", {varied({1, 4, 4, 1})}, fractions, {0}));
  EXPECT_TRUE(op_gradients_match("FractionalMaxPool", {varied({1, 4, 4, 1})}, fractions, {0}));
}

TEST(PoolGradients, of_gradients_agree_with_differences) {
  const AttrMap attrs{{"ksize", Ints{1, 2, 2, 1}}, {"strides", Ints{1, 2, 2, 1}}, {"padding", "VALID"}};
  EXPECT_TRUE(gradients_match({held(varied({1, 4, 4, 1})), varied({1, 2, 2, 1})},
                              [&](GraphBuilder& b, const std::vector<Out>& in) {
                                const Out y = b.op("MaxPool", {in[0]}, attrs);
                                return std::vector<Out>{b.op("MaxPoolGrad", {in[0], y, in[1]}, attrs)};
                              }));
}

TEST(NormalisationGradients, agree_with_differences) {
  const DataType f = DataType::kFloat;
  const Tolerance loose{2e-2, 1e-2};
  EXPECT_TRUE(op_gradients_match("LRN", {varied({1, 2, 2, 4}, -1, 1, f)}, {{"depth_radius", 1}}, {}, loose));
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    for (const char* format : {"NHWC", "NCHW"}) {
      auto x = [&] { return varied(format[1] == 'C' ? Ints{2, 3, 2, 2} : Ints{2, 2, 2, 3}, -1, 1, f); };
      const Input none = fixed(Tensor(f, Shape{0}));
      if (format[1] == 'C' && std::string(op) != "FusedBatchNormV3") continue;
      EXPECT_TRUE(op_gradients_match(op, {x(), varied({3}, 0.5, 2, f), varied({3}, -1, 1, f), none, none},
                                     {{"is_training", true}, {"data_format", format}, {"epsilon", 0.1F}}, {0},
                                     loose))
          << op << format;
      EXPECT_TRUE(op_gradients_match(
          op,
          {x(), varied({3}, 0.5, 2, f), varied({3}, -1, 1, f), varied({3}, -1, 1, f), varied({3}, 0.5, 2, f)},
          {{"is_training", false}, {"data_format", format}, {"epsilon", 0.1F}}, {0}, loose))
          << op << format << " inference";
    }
  }
}

TEST(NormalisationGradients, of_gradients_agree_with_differences) {
  const DataType f = DataType::kFloat;
  const Input x = varied({2, 2, 2, 2}, -1, 1, f), dy = varied({2, 2, 2, 2}, -1, 1, f),
              scale = varied({2}, 0.5, 2, f);
  for (bool training : {true, false}) {
    EXPECT_TRUE(gradients_match(
        {dy, x, scale},
        [&](GraphBuilder& b, const std::vector<Out>& in) {
          const AttrMap attrs{{"is_training", training}, {"epsilon", 0.1F}};
          const Out zero = b.constant(Tensor::from<float>(Shape{2}, {0.F, 0.1F}));
          const Out one = b.constant(Tensor::from<float>(Shape{2}, {1.F, 0.7F}));
          const Out none = b.constant(Tensor(f, Shape{0}));
          const Out y = b.op("FusedBatchNorm",
                             {in[1], in[2], zero, training ? none : zero, training ? none : one}, attrs);
          const Out g = b.op("FusedBatchNormGrad",
                             {in[0], in[1], in[2], training ? y[3] : zero, training ? y[4] : one}, attrs);
          return std::vector<Out>{g, g[1], g[2]};
        },
        {3e-2, 1e-2}))
        << training;
  }
}

TEST(RecurrentGradients, of_block_lstm_agree_with_differences) {
  const DataType f = DataType::kFloat;
  auto v = [&](const Ints& shape) { return varied(shape, -0.5, 0.5, f); };
  const Input steps = fixed(Tensor::scalar<int64_t>(3));
  for (const char* op : {"BlockLSTM", "BlockLSTMV2"}) {
    EXPECT_TRUE(op_gradients_match(op,
                                   {steps, v({3, 1, 2}), v({1, 2}), v({1, 2}), v({4, 8}), held(v({2})),
                                    held(v({2})), held(v({2})), v({8})},
                                   {{"cell_clip", 0.F}}, {6}, {2e-2, 1e-2}))
        << op;
  }
}

TEST(QuantisationGradients, agree_with_differences_inside_the_range) {
  const DataType f = DataType::kFloat;
  // Steps are finer than differences here.
  EXPECT_TRUE(op_gradients_match("FakeQuantWithMinMaxArgs", {varied({3}, -1, 1, f)}, {{"num_bits", 16}}, {},
                                 {2e-2, 2e-2}));
  EXPECT_TRUE(
      op_gradients_match("FakeQuantWithMinMaxVars",
                         {varied({3}, -1, 1, f), fixed(Tensor::scalar(-6.F)), fixed(Tensor::scalar(6.F))},
                         {{"num_bits", 16}}, {}, {2e-2, 2e-2}));
}

TEST(ImageGradients, agree_with_differences) {
  const DataType f = DataType::kFloat;
  const Tolerance loose{1e-2, 1e-2};
  const Input image = varied({1, 3, 4, 2}, 0.1, 0.9, f), size = fixed_ints({5, 3});
  EXPECT_TRUE(op_gradients_match("ResizeBilinear", {image, size}, {}, {}, loose));
  EXPECT_TRUE(op_gradients_match("ResizeBilinear", {image, size}, {{"half_pixel_centers", true}}, {}, loose));
  EXPECT_TRUE(op_gradients_match("ResizeBicubic", {image, size}, {}, {}, loose));
  EXPECT_TRUE(op_gradients_match("ResizeNearestNeighbor", {image, size}, {}, {}, loose));
  EXPECT_TRUE(op_gradients_match(
      "ScaleAndTranslate",
      {image, size, fixed(Tensor::vector<float>({1.5F, 0.7F})), fixed(Tensor::vector<float>({0.2F, 0.3F}))},
      {}, {}, loose));
  const Input boxes = varied({2, 4}, 0.1, 0.6, f);
  EXPECT_TRUE(op_gradients_match(
      "CropAndResize", {image, held(boxes), fixed_ints({0, 0}), fixed_ints({2, 2})}, {}, {}, loose));
  EXPECT_TRUE(op_gradients_match("RGBToHSV", {varied({4, 3}, 0.1, 0.9)}));
}

}  // namespace
}  // namespace troupe::test
