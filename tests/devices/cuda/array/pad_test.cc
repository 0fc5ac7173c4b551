// Paddings, blocks of space and diagonals on GPUs.
#include <random>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

Tensor paddings(const std::vector<int32_t>& v) {
  return Tensor::from<int32_t>(Shape{static_cast<int64_t>(v.size()) / 2, 2}, std::span<const int32_t>(v));
}

const std::vector<DataType> kTypes = {DataType::kInt8,      DataType::kHalf,   DataType::kFloat,
                                      DataType::kInt32,     DataType::kUint16, DataType::kInt64,
                                      DataType::kComplex128};

TEST(CudaPad, surrounds_with_one_value) {
  for (DataType dtype : kTypes) {
    for (const auto& around :
         {std::vector<int32_t>{1, 2, 0, 0, 3, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 0}}) {
      const Tensor x = random_tensor(dtype, Shape{2, 3, 4});
      EXPECT_SAME("Pad", {x, paddings(around)}, {}, 0, 0);
      EXPECT_SAME("PadV2", {x, paddings(around), random_tensor(dtype, Shape())}, {}, 0, 0);
    }
    EXPECT_SAME("PadV2",
                {random_tensor(dtype, Shape{0, 2}), paddings({1, 1, 0, 1}), random_tensor(dtype, Shape())},
                {}, 0, 0);
  }
  EXPECT_SAME("Pad", {Tensor::scalar<float>(1), Tensor(DataType::kInt32, Shape{0, 2})});
  EXPECT_SAME("Pad", {Tensor::vector<float>({1}), paddings({-1, 2})});
  EXPECT_SAME("Pad", {Tensor::vector<float>({1}), paddings({1, 2, 3, 4})});
}

TEST(CudaMirrorPad, mirrors_and_folds_back) {
  for (DataType dtype : kTypes) {
    for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
      const AttrMap attrs = {{"mode", std::string(mode)}};
      for (const auto& around :
           {std::vector<int32_t>{1, 2, 0, 0, 3, 1}, {0, 0, 2, 2, 0, 0}, {0, 0, 0, 0, 0, 0}}) {
        EXPECT_SAME("MirrorPad", {random_tensor(dtype, Shape{3, 4, 5}), paddings(around)}, attrs, 0, 0);
        Shape outer{3, 4, 5};
        for (int i = 0; i < 3; ++i) {
          outer.set_dim(i, outer.dim(i) + around[static_cast<size_t>(2 * i)] +
                               around[static_cast<size_t>(2 * i + 1)]);
        }
        EXPECT_SAME("MirrorPadGrad", {random_tensor(dtype, outer), paddings(around)}, attrs, 0, 0);
      }
    }
  }
  const Tensor x = Tensor::vector<float>({1, 2});
  for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
    EXPECT_SAME("MirrorPad", {x, paddings({2, 3})}, {{"mode", std::string(mode)}});
    EXPECT_SAME("MirrorPadGrad", {x, paddings({2, 0})}, {{"mode", std::string(mode)}});
  }
}

TEST(CudaBlocks, go_to_the_batch_and_back) {
  for (DataType dtype :
       {DataType::kInt8, DataType::kHalf, DataType::kFloat, DataType::kInt32, DataType::kDouble}) {
    const Tensor blocks = Tensor::vector<int32_t>({2, 3});
    EXPECT_SAME("SpaceToBatchND", {random_tensor(dtype, Shape{2, 3, 4, 5}), blocks, paddings({1, 0, 2, 0})},
                {}, 0, 0);
    EXPECT_SAME("BatchToSpaceND", {random_tensor(dtype, Shape{12, 2, 3, 5}), blocks, paddings({1, 0, 2, 1})},
                {}, 0, 0);
    // Blocks of one element at both ends.
    const Tensor idle = Tensor::vector<int32_t>({1, 2, 1});
    EXPECT_SAME("SpaceToBatchND",
                {random_tensor(dtype, Shape{2, 3, 4, 5}), idle, paddings({0, 0, 0, 0, 0, 0})}, {}, 0, 0);
    EXPECT_SAME("SpaceToBatch", {random_tensor(dtype, Shape{1, 4, 4, 3}), paddings({1, 1, 0, 2})},
                {{"block_size", int64_t{2}}}, 0, 0);
    EXPECT_SAME("BatchToSpace", {random_tensor(dtype, Shape{8, 2, 3, 1}), paddings({1, 0, 0, 2})},
                {{"block_size", int64_t{2}}}, 0, 0);
  }
  const Tensor x = random_tensor(DataType::kFloat, Shape{3, 4, 5});
  EXPECT_SAME("SpaceToBatchND", {x, Tensor::vector<int32_t>({3}), paddings({0, 0})});
  EXPECT_SAME("BatchToSpaceND", {x, Tensor::vector<int32_t>({2}), paddings({0, 0})});
  EXPECT_SAME("SpaceToBatchND", {random_tensor(DataType::kFloat, Shape{0, 4, 2}),
                                 Tensor::vector<int32_t>({2}), paddings({0, 0})});
}

TEST(CudaBlocks, go_to_the_depth_and_back) {
  for (DataType dtype :
       {DataType::kUint8, DataType::kHalf, DataType::kFloat, DataType::kInt32, DataType::kDouble}) {
    for (const char* format : {"NHWC", "NCHW"}) {
      const bool last = format == std::string("NHWC");
      const AttrMap attrs = {{"block_size", int64_t{2}}, {"data_format", std::string(format)}};
      EXPECT_SAME("SpaceToDepth", {random_tensor(dtype, last ? Shape{2, 4, 6, 3} : Shape{2, 3, 4, 6})}, attrs,
                  0, 0);
      EXPECT_SAME("DepthToSpace", {random_tensor(dtype, last ? Shape{2, 2, 3, 8} : Shape{2, 8, 2, 3})}, attrs,
                  0, 0);
    }
  }
  EXPECT_SAME("SpaceToDepth", {random_tensor(DataType::kFloat, Shape{1, 3, 4, 2})},
              {{"block_size", int64_t{2}}});
  EXPECT_SAME("DepthToSpace", {random_tensor(DataType::kFloat, Shape{1, 3, 4, 2})},
              {{"block_size", int64_t{2}}});
}

TEST(CudaDiagonals, are_set_and_read) {
  for (DataType dtype :
       {DataType::kHalf, DataType::kFloat, DataType::kInt32, DataType::kDouble, DataType::kComplex128}) {
    if (dtype != DataType::kComplex128) {
      EXPECT_SAME("Diag", {random_tensor(dtype, Shape{2, 3})}, {}, 0, 0);
    }
    EXPECT_SAME("DiagPart", {random_tensor(dtype, Shape{2, 3, 2, 3})}, {}, 0, 0);
    EXPECT_SAME("MatrixDiag", {random_tensor(dtype, Shape{2, 4})}, {}, 0, 0);
    EXPECT_SAME("MatrixDiagPart", {random_tensor(dtype, Shape{2, 4, 3})}, {}, 0, 0);
    EXPECT_SAME("MatrixSetDiag", {random_tensor(dtype, Shape{2, 4, 3}), random_tensor(dtype, Shape{2, 3})},
                {}, 0, 0);
    const Tensor value = random_tensor(dtype, Shape());
    for (const char* align : {"LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT"}) {
      const AttrMap attrs = {{"align", std::string(align)}};
      for (int32_t low = -3; low <= 3; ++low) {
        for (int32_t high = low; high <= 3; ++high) {
          const Tensor k = Tensor::vector<int32_t>({low, high}), x = random_tensor(dtype, Shape{2, 4, 5});
          EXPECT_SAME("MatrixDiagPartV3", {x, k, value}, attrs, 0, 0);
          auto part = run_kernel("MatrixDiagPartV3", {x, k, value}, attrs);
          if (!part.ok()) continue;
          const Tensor rows = Tensor::scalar<int32_t>(4), cols = Tensor::scalar<int32_t>(5);
          EXPECT_SAME("MatrixDiagV3", {part->at(0), k, rows, cols, value}, attrs, 0, 0);
          EXPECT_SAME("MatrixSetDiagV3", {x, part->at(0), k}, attrs, 0, 0);
        }
      }
    }
  }
  EXPECT_SAME("MatrixDiagPartV2", {random_tensor(DataType::kFloat, Shape{3, 3}), Tensor::scalar<int32_t>(5),
                                   Tensor::scalar<float>(0)});
  EXPECT_SAME("DiagPart", {random_tensor(DataType::kFloat, Shape{2, 3})});
  EXPECT_SAME("MatrixSetDiag",
              {random_tensor(DataType::kFloat, Shape{3, 3}), random_tensor(DataType::kFloat, Shape{2})});
}

TEST(CudaBandPart, keeps_a_band) {
  for (DataType dtype :
       {DataType::kHalf, DataType::kFloat, DataType::kInt32, DataType::kBool, DataType::kComplex128}) {
    for (int64_t low : {-1, 0, 2}) {
      for (int64_t high : {-1, 0, 1}) {
        EXPECT_SAME("MatrixBandPart",
                    {random_tensor(dtype, Shape{2, 4, 5}), Tensor::scalar<int64_t>(low),
                     Tensor::scalar<int64_t>(high)},
                    {}, 0, 0);
      }
    }
  }
  EXPECT_SAME("MatrixBandPart", {random_tensor(DataType::kFloat, Shape{2, 2}), Tensor::scalar<int64_t>(3),
                                 Tensor::scalar<int64_t>(0)});
}

}  // namespace
}  // namespace troupe::test
