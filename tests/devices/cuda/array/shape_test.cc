// Shapes and fills on GPUs; what the host does for them.
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

const std::vector<DataType> kTypes = {DataType::kInt8,   DataType::kHalf,      DataType::kBfloat16,
                                      DataType::kFloat,  DataType::kBool,      DataType::kInt32,
                                      DataType::kInt64,  DataType::kComplex64, DataType::kUint16,
                                      DataType::kDouble, DataType::kComplex128};

TEST(CudaShapes, are_read_on_the_host) {
  for (DataType dtype : kTypes) {
    for (const Shape& shape : {Shape(), Shape{0}, Shape{2, 3}, Shape{1, 2, 1, 2, 1, 3}}) {
      const Tensor x = random_tensor(dtype, shape);
      for (const char* op : {"Shape", "Size", "Rank"}) EXPECT_SAME(op, {x}, {}, 0, 0);
      EXPECT_SAME("Shape", {x}, {{"out_type", DataType::kInt64}}, 0, 0);
      EXPECT_SAME("ShapeN", {x, random_tensor(dtype, Shape{4})}, {}, 0, 0);
    }
  }
}

TEST(CudaShapes, change_and_share_the_memory) {
  for (DataType dtype : kTypes) {
    const Tensor x = random_tensor(dtype, Shape{2, 1, 3});
    EXPECT_SAME("Reshape", {x, Tensor::vector<int32_t>({3, -1})}, {}, 0, 0);
    EXPECT_SAME("Reshape", {x, Tensor::vector<int64_t>({4, -1})}, {}, 0, 0);
    EXPECT_SAME("ExpandDims", {x, Tensor::scalar<int32_t>(-2)}, {}, 0, 0);
    EXPECT_SAME("Squeeze", {x}, {}, 0, 0);
    EXPECT_SAME("Squeeze", {x}, {{"squeeze_dims", std::vector<int64_t>{0}}}, 0, 0);
    EXPECT_SAME("EnsureShape", {x}, {{"shape", PartialShape{2, -1, 3}}}, 0, 0);
    EXPECT_SAME("Snapshot", {x}, {}, 0, 0);
  }
  EXPECT_SAME("Bitcast", {random_tensor(DataType::kFloat, Shape{2, 3})}, {{"type", DataType::kInt32}}, 0, 0);
  EXPECT_SAME("Bitcast", {random_tensor(DataType::kInt32, Shape{2, 2})}, {{"type", DataType::kInt64}}, 0, 0);
}

TEST(CudaFills, write_one_value) {
  for (DataType dtype : kTypes) {
    for (const Shape& shape : {Shape(), Shape{0}, Shape{3, 5}}) {
      const Tensor x = random_tensor(dtype, shape);
      EXPECT_SAME("ZerosLike", {x}, {}, 0, 0);
      EXPECT_SAME("OnesLike", {x}, {}, 0, 0);
    }
    EXPECT_SAME("Fill", {Tensor::vector<int32_t>({2, 3}), random_tensor(dtype, Shape())}, {}, 0, 0);
    EXPECT_SAME("Fill", {Tensor::vector<int64_t>({0, 3}), random_tensor(dtype, Shape())}, {}, 0, 0);
  }
  EXPECT_SAME("Empty", {Tensor::vector<int32_t>({2, 3})}, {{"dtype", DataType::kFloat}}, 0, 0);
  EXPECT_SAME("Fill", {Tensor::vector<int32_t>({-2}), Tensor::scalar<float>(1)});
  EXPECT_SAME("Fill", {Tensor::vector<int32_t>({2}), Tensor::vector<float>({1, 2})});
}

TEST(CudaSequences, are_made_on_the_host) {
  EXPECT_SAME("Range", {Tensor::scalar<float>(0), Tensor::scalar<float>(1), Tensor::scalar<float>(0.1F)}, {},
              0, 0);
  EXPECT_SAME("Range", {Tensor::scalar<int32_t>(9), Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(-3)},
              {}, 0, 0);
  EXPECT_SAME("Range", {Tensor::scalar<int64_t>(0), Tensor::scalar<int64_t>(1), Tensor::scalar<int64_t>(0)});
  EXPECT_SAME("LinSpace", {Tensor::scalar<double>(0), Tensor::scalar<double>(1), Tensor::scalar<int32_t>(7)},
              {}, 0, 0);
  EXPECT_SAME("InvertPermutation", {Tensor::vector<int32_t>({2, 0, 1})}, {}, 0, 0);
  EXPECT_SAME("InvertPermutation", {Tensor::vector<int32_t>({2, 0, 2})});
  const Tensor a = Tensor::vector<int32_t>({2, 1, 3}), b = Tensor::vector<int32_t>({4, 1});
  EXPECT_SAME("BroadcastArgs", {a, b}, {}, 0, 0);
  EXPECT_SAME("BroadcastGradientArgs", {a, b}, {}, 0, 0);
  EXPECT_SAME("BroadcastArgs", {a, Tensor::vector<int32_t>({2})});
  EXPECT_SAME("ConcatOffset",
              {Tensor::scalar<int32_t>(1), Tensor::vector<int32_t>({2, 3}), Tensor::vector<int32_t>({2, 5})},
              {}, 0, 0);
}

TEST(CudaCheckNumerics, tells_what_it_found) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const AttrMap attrs = {{"message", std::string("here")}};
  for (const char* op : {"CheckNumerics", "CheckNumericsV2"}) {
    for (const Tensor& x : {Tensor::vector<float>({1, 2}), Tensor(DataType::kFloat, Shape{0}),
                            Tensor::vector<float>({1, nan}), Tensor::vector<float>({inf, 2}),
                            Tensor::vector<float>({-inf, nan}), Tensor::vector<float>({-inf, inf, nan})}) {
      EXPECT_SAME(op, {x}, attrs, 0, 0);
    }
    for (DataType dtype : {DataType::kDouble, DataType::kHalf, DataType::kBfloat16}) {
      EXPECT_SAME(op, {random_tensor(dtype, Shape{50})}, attrs, 0, 0);
      EXPECT_SAME(op, {odd_tensor(dtype, Shape{50})}, attrs, 0, 0);
    }
  }
}

}  // namespace
}  // namespace troupe::test
