// Norms and sizes of quantised images. Expected values are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include "tests/devices/kernels/quantized/quantized_tensors.h"

namespace troupe::test {
namespace {

TEST(QuantizedInstanceNorm, normalises_channels_of_images) {
  const Tensor x = quantized<QUInt8>(Shape{2, 2, 3, 2}, ring(24, 37, 256, 0));
  auto norm = [&](AttrMap attrs) {
    auto out =
        run("QuantizedInstanceNorm", {x, Tensor::scalar(-1.0f), Tensor::scalar(4.0f)}, std::move(attrs));
    EXPECT_TRUE(out.ok()) << out.status();
    return *std::move(out);
  };
  auto out = norm({});
  expect_near(out[0], std::vector<int64_t>{6,   44,  89, 140, 172, 236, 255, 0,   51,  96, 134, 192,
                                           191, 239, 4,  45,  80,  124, 156, 203, 232, 9,  45,  88},
              1);
  expect_range(out, -1.4498071670532227, 1.684102177619934);
  out = norm({{"output_range_given", true}, {"given_y_min", -1.0f}, {"given_y_max", 2.0f}});
  expect_near(out[0], std::vector<int64_t>{0,   8,   55, 108, 142, 208, 228, 0,   15,  62, 102, 162,
                                           161, 211, 0,  9,   45,  91,  125, 173, 204, 0,  9,   54},
              1);
  out = norm({{"variance_epsilon", 0.1f}, {"min_separation", 2.5f}});
  expect_range(out, -1.4041996002197266, 1.6440727710723877);
  EXPECT_EQ(outcome(run("QuantizedInstanceNorm", {x, Tensor::scalar(2.0f), Tensor::scalar(1.0f)})),
            "INVALID_ARGUMENT: input_min must be less than input_max : 2 >= 1");
  EXPECT_EQ(outcome(run("QuantizedInstanceNorm",
                        {x.reshaped(Shape{24}), Tensor::scalar(0.0f), Tensor::scalar(1.0f)})),
            "INVALID_ARGUMENT: input must be 4-dimensional[24]");
}

TEST(QuantizedBatchNorm, has_a_range_of_its_own) {
  auto norm = [](bool scale, const Tensor& mean) {
    std::vector<Tensor> in = {quantized<QUInt8>(Shape{2, 2, 3, 2}, ring(24, 37, 256, 0))};
    auto range = [&](float low, float high) {
      in.push_back(Tensor::scalar(low));
      in.push_back(Tensor::scalar(high));
    };
    range(-1, 4);
    in.push_back(mean);
    range(-1, 3);
    in.push_back(quantized<QUInt8>(Shape{2}, {60, 255}));
    range(0, 2);
    in.push_back(quantized<QUInt8>(Shape{2}, {30, 200}));
    range(-2, 2);
    in.push_back(quantized<QUInt8>(Shape{2}, {77, 140}));
    range(0, 3);
    return run("QuantizedBatchNormWithGlobalNormalization", std::move(in),
               {{"out_type", DataType::kQint32},
                {"variance_epsilon", 0.001f},
                {"scale_after_normalization", scale}});
  };
  const Tensor mean = quantized<QUInt8>(Shape{2}, {10, 100});
  auto out = norm(true, mean);
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0), std::vector<int64_t>{-3530, 345,  391,  3804, 4310, 7265, 8231,  -1246,
                                               -1411, 2214, 2509, 5675, 6429, 9135, -3212, 626,
                                               709,   4085, 4628, 7546, 8549, -965, -1093, 2495},
              0);
  expect_range(*out, -1048576, 1048576);
  out = norm(false, mean);
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0),
              std::vector<int64_t>{-3572, 1131, 755,   3231, 5081, 5332, 9408, 165,  -1233, 2266, 3093, 4367,
                                   7419,  6468, -3221, 1302, 1106, 3401, 5432, 5502, 9759,  336,  -882, 2436},
              0);
  EXPECT_EQ(outcome(norm(true, quantized<QUInt8>(Shape{3}, {1, 2, 3}))),
            "INVALID_ARGUMENT: Must provide as many means as the last dimension of the input tensor: [3] vs. "
            "[2,2,3,2]");
}

Outputs resize(const Tensor& images, std::initializer_list<int32_t> size, const char* option) {
  AttrMap attrs;
  if (*option != 0) attrs.set(option, true);
  return run("QuantizedResizeBilinear",
             {images, Tensor::vector<int32_t>(size), Tensor::scalar(-1.0f), Tensor::scalar(4.0f)},
             std::move(attrs));
}

TEST(QuantizedResizeBilinear, blends_in_fixed_point) {
  const Tensor bytes = quantized<QUInt8>(Shape{1, 3, 2, 2}, ring(12, 37, 256, 0));
  const std::pair<const char*, std::vector<int64_t>> cases[] = {
      {"", {0,   37, 37,  74, 74, 111, 74, 111, 88,  125, 125, 86,  162, 47, 162, 47,  127, 164, 164, 98,
            201, 32, 201, 32, 62, 99,  99, 110, 136, 121, 136, 121, 40,  77, 77,  114, 114, 151, 114, 151}},
      {"align_corners",
       {0,   37, 24,  61, 49, 86,  74,  111, 74,  111, 98,  93, 123, 75, 148, 57,  148, 185, 172, 125,
        197, 64, 222, 3,  94, 131, 118, 113, 143, 95,  168, 77, 40,  77, 64,  101, 89,  126, 114, 151}},
      {"half_pixel_centers",
       {0,   37, 19,  56, 56, 93,  74,  111, 59,  96, 77,  89, 114, 75, 133, 68, 148, 185, 167, 140,
        204, 49, 222, 3,  84, 121, 102, 113, 139, 98, 158, 91, 40,  77, 59,  96, 96,  133, 114, 151}}};
  for (const auto& [option, want] : cases) {
    SCOPED_TRACE(option);
    auto out = resize(bytes, {5, 4}, option);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0).shape(), (Shape{1, 5, 4, 2}));
    expect_near(out->at(0), want, 0);
    expect_range(*out, -1, 4);
  }
  std::vector<int64_t> wide;
  for (int64_t v : ring(12, 37, 256, 100)) wide.push_back(v * 12345678);
  auto out = resize(quantized<QInt32>(Shape{1, 3, 2, 2}, wide), {5, 4}, "half_pixel_centers");
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0),
              std::vector<int64_t>{-1234567807, -777777727, -1006172759, -549382679, -549382663, -92592583,
                                   -320987615,  135802464,  -503703614,  -46913508,  -275308569, -134567848,
                                   181481520,   -309876529, 409876565,   -397530869, 592592512,  1049382656,
                                   820987552,   487654304,  1277777632,  -635802399, 1506172672, -1197530751,
                                   -207407588,  249382516,  20987451,    161728313,  477777531,  -13580094,
                                   706172571,   -101234298, -740740671,  -283950591, -512345631, -55555551,
                                   -55555551,   401234528,  172839488,   629629568},
              0);
}

TEST(QuantizedResizeBilinear, blends_floats_and_refuses_wrong_sizes) {
  const Tensor t = Tensor::from<float>(Shape{1, 3, 2, 1}, {0, 1, 2, 3, 4, 5});
  auto out = resize(t, {4, 3}, "half_pixel_centers");
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0), std::vector<double>{0, 0.5, 1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4, 4.5, 5},
              1e-6);
  EXPECT_EQ(outcome(resize(t, {2, 0}, "")), "INVALID_ARGUMENT: output dimensions must be positive");
  EXPECT_EQ(outcome(resize(t, {2, 1, 2}, "")), "INVALID_ARGUMENT: shape_t must have two elements[3]");
  EXPECT_EQ(outcome(resize(t.reshaped(Shape{6}), {2, 1}, "")),
            "INVALID_ARGUMENT: input must be 4-dimensional[6]");
  EXPECT_FALSE(resize(t, {1 << 30, 1 << 30}, "").ok());
}

}  // namespace
}  // namespace troupe::test
