// Products and convolutions of uniform quantisation. Expected values are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include "tests/devices/kernels/quantized/uniform_scheme.h"

namespace troupe::test {
namespace {

const Scheme kRight = {{0.25f}, {2}}, kOut = {{0.125f}, {3}};

Outputs dot(const Tensor& l, const Tensor& r, const Scheme& b, const Scheme& c, int64_t low = kLow32,
            int64_t high = kHigh32, const Scheme& a = {{0.5f}, {1}}) {
  AttrMap attrs = {{"Tout", DataType::kQint32}};
  set_range(&attrs, "lhs_", a, -128, 127);
  set_range(&attrs, "rhs_", b, -128, 127);
  set_range(&attrs, "output_", c, low, high);
  return run("UniformQuantizedDot",
             {l, r, floats(a.scales), ints(a.zeros), floats(b.scales), ints(b.zeros), floats(c.scales),
              ints(c.zeros)},
             std::move(attrs));
}

TEST(UniformQuantizedDot, sums_products_and_requantises) {
  const Tensor l = quantized(DataType::kQint8, Shape{2, 3}, {1, 2, -100, 4, 5, 127}),
               r = quantized(DataType::kQint8, Shape{3, 2}, {1, -2, 3, 4, -128, 77});
  EXPECT_EQ(steps(dot(l, r, kRight, kOut)), (Ints{13134, -7570, -16376, 9449}));
  EXPECT_EQ(steps(dot(l, r, {{0.25f, 0.5f}, {1, 2}, 1}, kOut)), (Ints{13034, -15143, -16243, 18895}));
  EXPECT_EQ(steps(dot(l, r, {{0.25f, 0.5f}, {1, 2}, 1}, {{0.1f, 0.2f}, {5, 6}, 1})),
            (Ints{16294, -9460, -20302, 11813}));
  EXPECT_EQ(steps(dot(l, r, kRight, kOut, -100, 100)), (Ints{100, -100, -100, 100}));
  EXPECT_EQ(
      why(dot(l, l, kRight, kOut)),
      "lhs.dim_size(1) and rhs.dim_size(0) must be equal, but given lhs shape [2,3] and rhs shape [2,3]");
  EXPECT_EQ(why(dot(l, l.reshaped(Shape{6}), kRight, kOut)), "rhs rank must be 2, but given rhs shape [6]");
  EXPECT_EQ(why(dot(l, r, {{0.25f, 0.5f}, {1, 2}, 0}, kOut)),
            "rhs_quantization_axis Attr must be 1 (per-channel) or -1 (per-tensor).");
  EXPECT_EQ(why(dot(l, r, {{0}, {2}}, kOut)), "rhs scales elements must be all positive.");
  EXPECT_EQ(why(dot(l, r, kRight, {{0.1f, 0.2f}, {1, 2}, 1})),
            "If rhs is per-tensor quantized, output must be also per-tensor quantized. Given rhs scales and "
            "zero_points of "
            "shape [] but given output scales and zero_points of shape [2]");
}

TEST(UniformQuantizedDotHybrid, quantises_rows_of_floats) {
  auto hybrid = [](const Tensor& l, const Scheme& b) {
    AttrMap attrs = {{"Tout", DataType::kFloat}};
    set_range(&attrs, "rhs_", b, -128, 127);
    return run("UniformQuantizedDotHybrid",
               {l, quantized(DataType::kQint8, Shape{3, 2}, {1, -2, 3, 4, -128, 77}), floats(b.scales),
                ints(b.zeros)},
               std::move(attrs));
  };
  auto out = hybrid(Tensor::from<float>(Shape{2, 3}, {1.3f, 2.2f, -10, 4, 5, 12.7f}), kRight);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>(Shape{2, 2}, {325.2017517089844f, -187.67666625976562f,
                                                                 -412.5009765625f, 236.63087463378906f})));
  out = hybrid(Tensor::from<float>(Shape{3, 3}, {1.3f, 2.2f, 10, -4, -5, -12.7f, 0, 0, 0}),
               {{0.25f, 0.5f}, {1, 2}, 1});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(
      out->at(0), Tensor::from<float>(Shape{3, 2}, {-321.4019775390625f, 374.60784912109375f,
                                                    407.08477783203125f, -473.2617492675781f, 0, 0})));
}

/// Batch, rows, columns, features; filters with rows, columns, features in and out.
const std::string kChannelsLast(
    "\x10\x03\x1a\x02\x01\x02 \x02(\x03"
    "2\x02\x00\x01@\x03J\x02\x01\x02",
    20);

struct ConvCase {
  Shape lhs, rhs;
  AttrMap attrs;
  Scheme right, out;
};

AttrMap conv_attrs(const ConvCase& c) {
  AttrMap attrs = c.attrs;
  if (!attrs.contains("padding")) attrs.set("padding", std::string("VALID"));
  set_range(&attrs, "rhs_", c.right, -128, 127);
  return attrs;
}

int64_t size_of(const Shape& s) { return s.num_elements(); }

Outputs convolve(const ConvCase& c) {
  AttrMap attrs = conv_attrs(c);
  attrs.set("Tout", DataType::kQint32);
  set_range(&attrs, "lhs_", {}, -128, 127);
  set_range(&attrs, "output_", c.out, kLow32, kHigh32);
  return run("UniformQuantizedConvolution",
             {quantized(DataType::kQint8, c.lhs, ring(size_of(c.lhs), 37, 255, 127)),
              quantized(DataType::kQint8, c.rhs, ring(size_of(c.rhs), 53, 255, 127)), Tensor::scalar(0.5f),
              Tensor::scalar<int32_t>(1), floats(c.right.scales), ints(c.right.zeros), floats(c.out.scales),
              ints(c.out.zeros)},
             std::move(attrs));
}

TEST(UniformQuantizedConvolution, computes_what_tensorflow_does) {
  const Shape l{1, 2, 3, 3}, r{2, 2, 2, 2};
  auto with = [&](AttrMap attrs) { return steps(convolve({l, r, std::move(attrs), kRight, kOut})); };
  const Scheme two = {{0.25f, 0.5f}, {1, 2}, 0};
  EXPECT_EQ(with({}), (Ints{16519, 8253, -5729, 18900, -16766, 9182, -1397, 14351}));
  EXPECT_EQ(with({{"padding", std::string("SAME")}}),
            (Ints{16519, 8253, 15570, -5729, 18900, -14715, -4114, 19864, 10479, -16766, 9182, -20802, -1397,
                  14351, 11199, -9820, -13360, -3450}));
  EXPECT_EQ(with({{"padding", std::string("EXPLICIT")},
                  {"explicit_padding", std::vector<int64_t>{1, 0, 0, 2}},
                  {"window_strides", std::vector<int64_t>{1, 2}}}),
            (Ints{3686, -339, 16519, 15570, -5729, -14715, 15188, 8361, -16766, -20802, -1397, 11199}));
  EXPECT_EQ(
      with({{"lhs_dilation", std::vector<int64_t>{2, 1}}, {"rhs_dilation", std::vector<int64_t>{1, 2}}}),
      (Ints{13613, -362, 17207, 826, -8789, 16827, -1559, -13029}));
  EXPECT_EQ(
      steps(convolve(
          {Shape{1, 3, 3, 2}, Shape{2, 2, 2, 3}, {{"dimension_numbers", kChannelsLast}}, kRight, kOut})),
      (Ints{24342, 4456, 25625, 14007, -6888, -5598, -28848, -27281, 23756, 18957, -7515, -3387}));
  EXPECT_EQ(steps(convolve({Shape{1, 4, 3, 3}, r, {{"feature_group_count", int64_t{2}}}, kRight, kOut})),
            (Ints{16519, 8253, -5729, 18900, 14503, 15971, -16538, 9410}));
  EXPECT_EQ(steps(convolve(
                {Shape{2, 2, 3, 3}, Shape{4, 2, 2, 2}, {{"batch_group_count", int64_t{2}}}, kRight, kOut})),
            (Ints{16519, 8253, -5729, 18900, -16766, 9182, -1397, 14351, -22835, 3412, 20461, 6163, 23977,
                  543, -16745, -15699}));
  EXPECT_EQ(steps(convolve({l, r, {}, two, kOut})),
            (Ints{16399, 8174, -5726, 18689, -33535, 18361, -2797, 28699}));
  EXPECT_EQ(steps(convolve({l, r, {}, two, {{0.1f, 0.2f}, {5, 6}, 1}})),
            (Ints{20500, 10219, -7156, 23362, -20955, 11480, -1744, 17941}));
  EXPECT_EQ(steps(convolve({Shape{1, 2, 3}, Shape{2, 2, 2}, {}, kRight, kOut})),
            (Ints{24422, 17096, 1070, -3185}));
  EXPECT_EQ(steps(convolve({Shape{1, 2, 1, 1}, r, {}, kRight, kOut})), Ints());
}

TEST(UniformQuantizedConvolution, refuses_what_does_not_fit) {
  auto refused = [](const Shape& l, const Shape& r, AttrMap attrs) {
    return why(convolve({l, r, std::move(attrs), kRight, kOut}));
  };
  const Shape l{1, 2, 3, 3}, r{2, 2, 2, 2};
  EXPECT_EQ(refused(Shape{1, 2}, Shape{2, 2}, {}), "lhs and rhs shape dims must be at least 3. Given: 2");
  EXPECT_EQ(refused(l, Shape{2, 2, 2}, {}),
            "lhs and rhs must have same dims. Given lhs and rhs of shapes: [1,2,3,3][2,2,2]");
  EXPECT_EQ(refused(Shape{1, 3, 3, 3}, r, {}),
            "rhs input feature dimension must divide lhs feature dimension size, but 2 does not divide 3");
  EXPECT_EQ(refused(l, r, {{"padding", std::string("X")}}),
            "padding Attr must be one of [EXPLICIT | SAME | VALID], but given: X");
  EXPECT_EQ(refused(l, r, {{"explicit_padding", std::vector<int64_t>{1, 1}}}),
            "If padding Attr is not 'EXPLICIT', explicit_padding Attr must be empty. Given padding VALID and "
            "explicit_padding of size 2");
  EXPECT_EQ(refused(l, r, {{"window_strides", std::vector<int64_t>{0, 1}}}),
            "All elements of window_strides must be >= 1. Given 0, 1");
  EXPECT_EQ(refused(l, r, {{"window_strides", std::vector<int64_t>{1}}}),
            "Size of window_strides Attr must be dims - 2.");
  EXPECT_EQ(refused(l, r, {{"feature_group_count", int64_t{3}}}),
            "feature_group_count must divide lhs feature dimension size, but 3 does not divide 2");
  EXPECT_FALSE(convolve({l, Shape{0, 0, 2, 2}, {}, kRight, kOut}).ok());
  // An axis twice.
  EXPECT_FALSE(
      convolve({l,
                r,
                {{"dimension_numbers", std::string("\x1a\x02\x01\x01\x32\x02\x01\x01J\x02\x01\x01", 12)}},
                kRight,
                kOut})
          .ok());
  EXPECT_EQ(refused(l, r, {{"dimension_numbers", std::string("\x1a\x7f")}}),
            "Error parsing convolution dimension numbers.");
}

TEST(UniformQuantizedConvolutionHybrid, quantises_images_of_floats) {
  auto hybrid = [](const ConvCase& c) {
    Tensor l(DataType::kFloat, c.lhs);
    const Ints v = ring(size_of(c.lhs), 37, 255, 127);
    for (size_t i = 0; i < v.size(); ++i)
      l.flat<float>()[i] = static_cast<float>(static_cast<double>(v[i]) * 0.3);
    AttrMap attrs = conv_attrs(c);
    attrs.set("Tout", DataType::kFloat);
    return run("UniformQuantizedConvolutionHybrid",
               {l, quantized(DataType::kQint8, c.rhs, ring(size_of(c.rhs), 53, 255, 127)),
                floats(c.right.scales), ints(c.right.zeros)},
               std::move(attrs));
  };
  auto out = hybrid({Shape{2, 2, 3, 3}, Shape{2, 2, 2, 2}, {}, kRight, {}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(
      out->at(0), Tensor::from<float>(
                      Shape{2, 2, 2, 2},
                      {1220.2669677734375f, 596.3740844726562f, -455.3235168457031f, 1394.2869873046875f,
                       -1263.007568359375f, 686.5082397460938f, -100.17117309570312f, 1076.1588134765625f,
                       1207.039306640625f, -1247.12109375f, 936.83642578125f, 311.8799743652344f,
                       1087.5252685546875f, 1195.340576171875f, -1237.0841064453125f, 711.1688232421875f})));
  out = hybrid({Shape{1, 3, 3, 2}, Shape{2, 2, 2, 3}, {{"dimension_numbers", kChannelsLast}}, kRight, {}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(
      out->at(0), Tensor::from<float>(Shape{1, 2, 2, 3},
                                      {1812.852294921875f, 331.8211669921875f, 1918.7398681640625f,
                                       1033.5511474609375f, -515.6123046875f, -420.6258544921875f,
                                       -2171.992919921875f, -2046.496337890625f, 1774.0999755859375f,
                                       1413.4305419921875f, -558.4193725585938f, -258.9693908691406f})));
}

}  // namespace
}  // namespace troupe::test
