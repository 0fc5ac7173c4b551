// Pictures on GPUs: resized, cropped, coloured.
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

const std::vector<DataType> kFloats = {DataType::kFloat, DataType::kDouble, DataType::kHalf,
                                       DataType::kBfloat16};

Tensor size_of(int32_t rows, int32_t cols) { return Tensor::vector<int32_t>({rows, cols}); }

std::vector<AttrMap> resizings() { return {{}, {{"align_corners", true}}, {{"half_pixel_centers", true}}}; }

TEST(CudaResize, interpolates_and_spreads_gradients) {
  for (const AttrMap& attrs : resizings()) {
    for (const auto& [rows, cols] : {std::pair(5, 9), {2, 3}, {4, 6}, {1, 1}, {11, 2}}) {
      for (DataType dtype : kFloats) {
        const Tensor image = random_tensor(dtype, Shape{2, 4, 6, 3});
        EXPECT_SAME("ResizeBilinear", {image, size_of(rows, cols)}, attrs, 1e-4, 1e-4);
        EXPECT_SAME("ResizeBilinearGrad", {random_tensor(DataType::kFloat, Shape{2, rows, cols, 3}), image},
                    attrs, tolerance_of(dtype), tolerance_of(dtype));
        EXPECT_SAME("ResizeNearestNeighborGrad",
                    {random_tensor(dtype, Shape{2, rows, cols, 3}), size_of(4, 6)}, attrs,
                    tolerance_of(dtype), tolerance_of(dtype));
      }
      for (DataType dtype : {DataType::kUint8, DataType::kInt16, DataType::kFloat, DataType::kInt64}) {
        EXPECT_SAME("ResizeNearestNeighbor", {random_tensor(dtype, Shape{2, 4, 6, 2}), size_of(rows, cols)},
                    attrs, 0, 0);
      }
    }
    const Tensor pixel = random_tensor(DataType::kFloat, Shape{1, 1, 1, 2});
    EXPECT_SAME("ResizeBilinear", {pixel, size_of(3, 4)}, attrs);
    EXPECT_SAME("ResizeBilinearGrad", {random_tensor(DataType::kFloat, Shape{1, 3, 4, 2}), pixel}, attrs);
  }
  EXPECT_SAME("ResizeBilinear", {random_tensor(DataType::kFloat, Shape{2, 4, 6}), size_of(1, 1)});
  EXPECT_SAME("ResizeBilinear", {random_tensor(DataType::kFloat, Shape{2, 4, 6, 1}), size_of(0, 1)});
  EXPECT_SAME("ResizeNearestNeighbor", {random_tensor(DataType::kFloat, Shape{0, 4, 6, 1}), size_of(2, 1)});
}

TEST(CudaCrop, cuts_and_spreads_gradients) {
  const Tensor boxes =
      Tensor::from<float>(Shape{3, 4}, {0.1F, 0.2F, 0.7F, 0.9F, 0.8F, 0.1F, 0.3F, 0.6F, -0.2F, 0, 1.3F, 1});
  const Tensor index = Tensor::vector<int32_t>({1, 0, 1});
  for (const char* method : {"bilinear", "nearest"}) {
    for (DataType dtype : {DataType::kFloat, DataType::kDouble, DataType::kHalf}) {
      for (const auto& [rows, cols] : {std::pair(3, 4), {1, 5}, {1, 1}}) {
        const AttrMap attrs = {{"method", std::string(method)}, {"extrapolation_value", 7.0F}};
        const Tensor image = random_tensor(dtype, Shape{2, 5, 6, 2}),
                     grads = random_tensor(DataType::kFloat, Shape{3, rows, cols, 2});
        EXPECT_SAME("CropAndResize", {image, boxes, index, size_of(rows, cols)}, attrs, 1e-4, 1e-4);
        const AttrMap of_grad = {{"method", std::string(method)}, {"T", dtype}};
        const double near = std::max(1e-4, tolerance_of(dtype));
        EXPECT_SAME("CropAndResizeGradImage", {grads, boxes, index, Tensor::vector<int32_t>({2, 5, 6, 2})},
                    of_grad, near, near);
        if (method == std::string("bilinear")) {
          EXPECT_SAME("CropAndResizeGradBoxes", {grads, image, boxes, index}, {}, 1e-4, 1e-3);
        }
      }
    }
  }
  const Tensor image = random_tensor(DataType::kFloat, Shape{2, 5, 6, 2});
  EXPECT_SAME("CropAndResize", {image, boxes, Tensor::vector<int32_t>({1}), size_of(2, 2)});
  EXPECT_SAME("CropAndResize", {image, boxes, index, size_of(0, 2)});
}

TEST(CudaCrop, has_no_picture_for_an_index_out_of_range) {
  const Tensor image = random_tensor(DataType::kFloat, Shape{1, 2, 2, 1});
  const Tensor boxes = Tensor::from<float>(Shape{1, 4}, {0, 0, 1, 1});
  auto out = run_on_gpu("CropAndResize", {image, boxes, Tensor::vector<int32_t>({1}), size_of(1, 1)},
                        {{"extrapolation_value", 7.0F}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).flat<float>()[0], 7);
}

TEST(CudaColors, are_changed) {
  for (DataType dtype : kFloats) {
    const double near = tolerance_of(dtype);
    EXPECT_SAME("RGBToHSV", {random_tensor(dtype, Shape{4, 5, 3}, 0, 1)}, {}, near, near);
    EXPECT_SAME("HSVToRGB", {random_tensor(dtype, Shape{4, 5, 3}, 0, 1)}, {}, near, near);
  }
  const Tensor image = random_tensor(DataType::kFloat, Shape{2, 4, 5, 3}, 0, 1);
  EXPECT_SAME("AdjustHue", {image, Tensor::scalar<float>(0.3F)}, {}, 1e-4, 1e-4);
  EXPECT_SAME("AdjustSaturation", {image, Tensor::scalar<float>(1.5F)}, {}, 1e-4, 1e-4);
  EXPECT_SAME("AdjustContrastv2", {image, Tensor::scalar<float>(1.5F)}, {}, 1e-4, 1e-4);
  EXPECT_SAME("AdjustContrastv2",
              {random_tensor(DataType::kFloat, Shape{2, 4, 5, 7}), Tensor::scalar<float>(0.5F)}, {}, 1e-4,
              1e-4);
  EXPECT_SAME("AdjustContrastv2",
              {random_tensor(DataType::kFloat, Shape{0, 4, 5, 3}), Tensor::scalar<float>(0.5F)});
  EXPECT_SAME("RGBToHSV", {random_tensor(DataType::kFloat, Shape{4, 5})});
  EXPECT_SAME("AdjustHue", {image, Tensor::vector<float>({1})});
}

}  // namespace
}  // namespace troupe::test
