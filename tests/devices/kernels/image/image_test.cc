#include <gtest/gtest.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

Tensor row(std::initializer_list<float> v) {
  return Tensor::from<float>(Shape{1, 1, static_cast<int64_t>(v.size()), 1}, v);
}

Tensor resized(const char* op, const Tensor& in, int32_t cols, const AttrMap& attrs) {
  auto out = run_kernel(op, {in, Tensor::vector<int32_t>({1, cols})}, attrs);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? out->at(0) : Tensor();
}

TEST(ResizeBilinear, knows_three_ways_to_place_pixels) {
  Tensor x = row({0, 4});
  EXPECT_TRUE(tensors_near(resized("ResizeBilinear", x, 4, {}), row({0, 2, 4, 4})));
  EXPECT_TRUE(tensors_near(resized("ResizeBilinear", x, 3, {{"align_corners", true}}), row({0, 2, 4})));
  EXPECT_TRUE(
      tensors_near(resized("ResizeBilinear", x, 4, {{"half_pixel_centers", true}}), row({0, 1, 3, 4})));
}

TEST(ResizeNearestNeighbor, copies_any_dtype) {
  auto out =
      run_kernel("ResizeNearestNeighbor", {Tensor::from<int64_t>(Shape{1, 1, 2, 1}, {7, int64_t{1} << 60}),
                                           Tensor::vector<int32_t>({1, 4})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).flat<int64_t>()[1], 7);
  EXPECT_EQ(out->at(0).flat<int64_t>()[3], int64_t{1} << 60);
}

TEST(ResizeArea, averages_what_a_pixel_covers) {
  EXPECT_TRUE(tensors_near(resized("ResizeArea", row({0, 3, 6}), 2, {}), row({1, 5})));
  EXPECT_TRUE(tensors_near(resized("ResizeArea", row({4}), 2, {{"align_corners", true}}), row({4, 4})));
}

TEST(Resize, refuses_bad_sizes) {
  EXPECT_EQ(run_kernel("ResizeBicubic", {row({1, 2}), Tensor::vector<int32_t>({0, 2})}).status(),
            absl::InvalidArgumentError("output dimensions must be positive"));
  EXPECT_EQ(
      run_kernel("ResizeArea", {zeros(DataType::kFloat, Shape{2, 2, 1}), Tensor::vector<int32_t>({2, 2})})
          .status(),
      absl::InvalidArgumentError("input must be 4-dimensional[2,2,1]"));
}

TEST(CropAndResize, fills_in_what_lies_outside) {
  Tensor image = Tensor::from<float>(Shape{1, 2, 2, 1}, {1, 2, 3, 4});
  auto out = run_kernel("CropAndResize",
                        {image, Tensor::from<float>(Shape{1, 4}, {0, 0, 2, 1}), Tensor::vector<int32_t>({0}),
                         Tensor::vector<int32_t>({3, 2})},
                        {{"extrapolation_value", 9.0f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 3, 2, 1}, {1, 2, 3, 4, 9, 9})));
  EXPECT_EQ(run_kernel("CropAndResize", {image, Tensor::from<float>(Shape{1, 4}, {0, 0, 1, 1}),
                                         Tensor::vector<int32_t>({1}), Tensor::vector<int32_t>({1, 1})})
                .status(),
            absl::OutOfRangeError("box_index has values outside [0, batch_size)"));
}

TEST(NonMaxSuppression, drops_overlapping_boxes_of_lower_score) {
  Tensor boxes = Tensor::from<float>(Shape{3, 4}, {0, 0, 1, 1, 0, 0, 1, 0.9f, 2, 2, 3, 3}),
         scores = Tensor::vector<float>({0.5f, 0.9f, 0.1f});
  auto out = run_kernel("NonMaxSuppressionV3", {boxes, scores, Tensor::scalar<int32_t>(5),
                                                Tensor::scalar<float>(0.5f), Tensor::scalar<float>(0)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<int32_t>({1, 2})));
  EXPECT_EQ(
      run_kernel("NonMaxSuppression", {boxes, scores, Tensor::scalar<int32_t>(5)}, {{"iou_threshold", 1.5f}})
          .status(),
      absl::InvalidArgumentError("iou_threshold must be in [0, 1]"));
}

TEST(RgbToHsv, comes_back_as_it_went) {
  Tensor x = Tensor::from<float>(Shape{2, 3}, {0.2f, 0.6f, 0.4f, 0.9f, 0.1f, 0.5f});
  auto hsv = run_kernel("RGBToHSV", {x.deep_copy()});
  ASSERT_TRUE(hsv.ok()) << hsv.status();
  EXPECT_NEAR(hsv->at(0).flat<float>()[0], 5.0f / 12, 1e-6);
  auto back = run_kernel("HSVToRGB", {hsv->at(0)});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(tensors_near(back->at(0), x));
  EXPECT_EQ(run_kernel("RGBToHSV", {zeros(DataType::kFloat, Shape{2, 2})}).status(),
            absl::FailedPreconditionError("input must have 3 channels but input only has 2 channels."));
}

TEST(DrawBoundingBoxes, paints_edges_and_skips_boxes_outside) {
  Tensor image = zeros(DataType::kFloat, Shape{1, 3, 3, 1});
  Tensor boxes = Tensor::from<float>(Shape{1, 2, 4}, {0, 0, 1, 1, 5, 5, 6, 6});
  auto out = run_kernel("DrawBoundingBoxes", {image, boxes});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 3, 3, 1}, {1, 1, 1, 1, 0, 1, 1, 1, 1})));
}

TEST(ExtractGlimpse, makes_noise_of_the_images_own_values) {
  Tensor image(DataType::kFloat, Shape{1, 2, 2, 1});
  for (int i = 0; i < 4; ++i) image.flat<float>()[i] = 100 + static_cast<float>(i);
  auto out = run_kernel("ExtractGlimpse",
                        {image, Tensor::vector<int32_t>({9, 9}), Tensor::from<float>(Shape{1, 2}, {0, 0})});
  ASSERT_TRUE(out.ok()) << out.status();
  for (float v : out->at(0).flat<float>()) EXPECT_TRUE(v >= 100 && v <= 103) << v;
}

TEST(ExtractGlimpse, of_the_second_version_takes_most_offsets_for_a_corner) {
  Tensor image(DataType::kFloat, Shape{1, 4, 6, 1});
  for (int i = 0; i < 24; ++i) image.flat<float>()[i] = static_cast<float>(i);
  auto first = [&](bool centered, bool normalized) {
    auto out = run_kernel(
        "ExtractGlimpseV2",
        {image, Tensor::vector<int32_t>({2, 2}), Tensor::from<float>(Shape{1, 2}, {0, 0})},
        {{"centered", centered}, {"normalized", normalized}, {"noise", "zero"}, {"uniform_noise", false}});
    return out.ok() ? out->at(0).flat<float>()[0] : -1;
  };
  EXPECT_EQ(first(true, true), 1 * 6 + 2) << "the window's middle is the image's";
  EXPECT_EQ(first(true, false), 2 * 6 + 3) << "its corner is the image's middle";
  EXPECT_EQ(first(false, true), 0);
  EXPECT_EQ(first(false, false), 0);
}

template <class T>
Tensor vector_of(const std::vector<T>& values) {
  Tensor t(dtype_of<T>(), Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.flat<T>().begin());
  return t;
}

TEST(ExtractGlimpse, says_what_is_wrong_with_its_operands) {
  const auto why = [](const Shape& offsets, std::vector<int32_t> size, AttrMap attrs = {}) {
    auto out = run_kernel(
        "ExtractGlimpse",
        {zeros(DataType::kFloat, Shape{2, 6, 7, 2}), vector_of(size), zeros(DataType::kFloat, offsets)},
        std::move(attrs));
    const std::string text(out.status().message());
    return text.substr(0, text.find("\n\t [["));
  };
  EXPECT_EQ(why({3, 2}, {3, 3}), "first dimension should be batch[3,2]");
  EXPECT_EQ(why({2, 3}, {3, 3}), "second dimension should be of size 2 (y,x)[2,3]");
  EXPECT_EQ(why({2}, {3, 3}), "input must be a matrix[2]");
  EXPECT_EQ(why({2, 2}, {3}), "input must be a vector of size 2 (height, width)[1]");
  EXPECT_EQ(why({2, 2}, {-1, 3}), "Expected a non-negative size, got -1");
  EXPECT_EQ(why({2, 2}, {3, 3}, {{"uniform_noise", false}, {"noise", "bad"}}),
            "The noise could only be uniform, gaussian, or zero, gotbad");
}

}  // namespace
}  // namespace troupe::test
