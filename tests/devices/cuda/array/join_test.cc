// Tensors joined and taken apart on GPUs.
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

Tensor axis_at(int32_t axis) { return Tensor::scalar<int32_t>(axis); }

std::vector<DataType> types_of_all_sizes() {
  return {DataType::kInt8,   DataType::kHalf,       DataType::kFloat,
          DataType::kDouble, DataType::kComplex128, DataType::kInt32};
}

TEST(CudaConcat, joins_along_any_axis) {
  for (DataType dtype : types_of_all_sizes()) {
    for (int axis : {0, 1, 2, -1, -3}) {
      std::vector<Tensor> inputs;
      for (int64_t size : {2, 0, 3, 1}) {
        Shape shape{2, 3, 4};
        shape.set_dim(axis < 0 ? axis + 3 : axis, size);
        inputs.push_back(random_tensor(dtype, shape));
      }
      inputs.push_back(axis_at(axis));
      EXPECT_SAME("ConcatV2", inputs, {}, 0, 0);
      inputs.insert(inputs.begin(), inputs.back());
      inputs.pop_back();
      EXPECT_SAME("Concat", inputs, {}, 0, 0);
    }
  }
}

TEST(CudaConcat, joins_more_pieces_than_a_kernel_takes) {
  std::vector<Tensor> inputs;
  for (int i = 0; i < 70; ++i) inputs.push_back(random_tensor(DataType::kFloat, Shape{3, i % 5}));
  inputs.push_back(axis_at(1));
  EXPECT_SAME("ConcatV2", inputs, {}, 0, 0);
}

TEST(CudaConcat, refuses_what_does_not_fit) {
  const Tensor a = random_tensor(DataType::kFloat, Shape{2, 3}),
               b = random_tensor(DataType::kFloat, Shape{2, 4});
  EXPECT_SAME("ConcatV2", {a, b, axis_at(0)});
  EXPECT_SAME("ConcatV2", {a, a, axis_at(2)});
  EXPECT_SAME("ConcatV2", {a, random_tensor(DataType::kFloat, Shape{2}), axis_at(0)});
  EXPECT_SAME("ConcatV2", {Tensor::scalar<float>(1), Tensor::scalar<float>(2), axis_at(0)});
  EXPECT_SAME("ConcatV2", {a, a, Tensor::vector<int32_t>({0, 1})});
}

TEST(CudaPack, stacks_along_a_new_axis) {
  for (DataType dtype : types_of_all_sizes()) {
    for (int64_t axis : {0, 1, 2, -1}) {
      std::vector<Tensor> inputs;
      for (int i = 0; i < 3; ++i) inputs.push_back(random_tensor(dtype, Shape{3, 5}));
      EXPECT_SAME("Pack", inputs, {{"axis", axis}}, 0, 0);
    }
  }
  EXPECT_SAME("Pack", {Tensor::scalar<float>(3)});
  EXPECT_SAME("Pack", {Tensor::scalar<float>(3), Tensor::scalar<float>(4)});
  EXPECT_SAME("Pack",
              {random_tensor(DataType::kFloat, Shape{0, 2}), random_tensor(DataType::kFloat, Shape{0, 2})});
  EXPECT_SAME("Pack", {Tensor::scalar<float>(3), Tensor::vector<float>({4})});
  EXPECT_SAME("Pack", {Tensor::scalar<float>(3)}, {{"axis", int64_t{1}}});
}

TEST(CudaSplit, cuts_along_any_axis) {
  for (DataType dtype : types_of_all_sizes()) {
    for (int axis : {0, 1, -1}) {
      const Tensor x = random_tensor(dtype, Shape{4, 6, 2});
      EXPECT_SAME("Split", {axis_at(axis), x}, {{"num_split", int64_t{2}}}, 0, 0);
      EXPECT_SAME("Split", {axis_at(axis), x}, {{"num_split", int64_t{1}}}, 0, 0);
    }
    const Tensor sizes = Tensor::vector<int64_t>({1, 0, -1, 2});
    EXPECT_SAME("SplitV", {random_tensor(dtype, Shape{3, 7, 2}), sizes, axis_at(1)},
                {{"num_split", int64_t{4}}}, 0, 0);
    EXPECT_SAME("Unpack", {random_tensor(dtype, Shape{3, 4, 2})}, {{"num", int64_t{4}}, {"axis", int64_t{1}}},
                0, 0);
    EXPECT_SAME("Unpack", {random_tensor(dtype, Shape{1, 4})}, {{"num", int64_t{1}}}, 0, 0);
  }
  EXPECT_SAME("Unpack", {random_tensor(DataType::kFloat, Shape{2, 0})}, {{"num", int64_t{2}}});
}

TEST(CudaSplit, refuses_what_cannot_be_cut) {
  const Tensor x = random_tensor(DataType::kFloat, Shape{4, 6});
  EXPECT_SAME("Split", {axis_at(1), x}, {{"num_split", int64_t{4}}});
  EXPECT_SAME("Split", {axis_at(2), x}, {{"num_split", int64_t{2}}});
  EXPECT_SAME("SplitV", {x, Tensor::vector<int32_t>({1, 2}), axis_at(1)}, {{"num_split", int64_t{2}}});
  EXPECT_SAME("SplitV", {x, Tensor::vector<int32_t>({-1, -1}), axis_at(1)}, {{"num_split", int64_t{2}}});
  EXPECT_SAME("Unpack", {x}, {{"num", int64_t{3}}});
}

}  // namespace
}  // namespace troupe::test
