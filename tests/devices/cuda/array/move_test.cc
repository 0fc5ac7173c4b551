// Elements put in another order on GPUs.
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

const std::vector<DataType> kTypes = {DataType::kInt8,      DataType::kBool,      DataType::kBfloat16,
                                      DataType::kFloat,     DataType::kInt64,     DataType::kInt32,
                                      DataType::kComplex64, DataType::kComplex128};

TEST(CudaTranspose, moves_axes) {
  for (DataType dtype : kTypes) {
    for (const char* op : {"Transpose", "ConjugateTranspose"}) {
      EXPECT_SAME(op, {random_tensor(dtype, Shape{3, 5}), Tensor::vector<int32_t>({1, 0})}, {}, 0, 0);
      EXPECT_SAME(op, {random_tensor(dtype, Shape{2, 3, 4}), Tensor::vector<int32_t>({1, 0, 2})}, {}, 0, 0);
      EXPECT_SAME(op, {random_tensor(dtype, Shape{2, 3, 4}), Tensor::vector<int64_t>({0, 1, 2})}, {}, 0, 0);
    }
  }
}

/// Matrices that are larger than a tile, and not a multiple of it.
TEST(CudaTranspose, moves_matrices_by_tiles) {
  for (DataType dtype : kTypes) {
    EXPECT_SAME("Transpose", {random_tensor(dtype, Shape{70, 45}), Tensor::vector<int32_t>({1, 0})}, {}, 0,
                0);
    EXPECT_SAME("Transpose", {random_tensor(dtype, Shape{3, 33, 40}), Tensor::vector<int32_t>({2, 0, 1})}, {},
                0, 0);
    EXPECT_SAME("Transpose",
                {random_tensor(dtype, Shape{9, 2, 3, 20}), Tensor::vector<int32_t>({3, 1, 2, 0})}, {}, 0, 0);
    EXPECT_SAME("Transpose", {random_tensor(dtype, Shape{10, 12, 2}), Tensor::vector<int32_t>({1, 0, 2})}, {},
                0, 0);
  }
}

TEST(CudaTranspose, takes_any_rank) {
  EXPECT_SAME("Transpose", {Tensor::scalar<float>(1), Tensor(DataType::kInt32, Shape{0})});
  EXPECT_SAME("Transpose", {random_tensor(DataType::kFloat, Shape{0, 3}), Tensor::vector<int32_t>({1, 0})});
  EXPECT_SAME("Transpose", {random_tensor(DataType::kFloat, Shape{2, 3, 1, 2, 3, 2}),
                            Tensor::vector<int32_t>({5, 3, 1, 0, 4, 2})});
  // More axes than a kernel takes.
  std::vector<int64_t> dims(14, 2);
  Tensor perm(DataType::kInt32, Shape{14});
  for (int i = 0; i < 14; ++i) perm.flat<int32_t>()[i] = (i * 5 + 3) % 14;
  EXPECT_SAME("Transpose", {random_tensor(DataType::kFloat, Shape(dims)), perm});
}

TEST(CudaTranspose, refuses_what_is_no_permutation) {
  const Tensor x = random_tensor(DataType::kFloat, Shape{2, 3});
  for (auto perm :
       {Tensor::vector<int32_t>({0, 0}), Tensor::vector<int32_t>({0, 2}), Tensor::vector<int32_t>({0})}) {
    EXPECT_SAME("Transpose", {x, perm});
  }
}

TEST(CudaTile, repeats) {
  for (DataType dtype : kTypes) {
    EXPECT_SAME("Tile", {random_tensor(dtype, Shape{2, 1, 3}), Tensor::vector<int32_t>({2, 3, 2})}, {}, 0, 0);
    EXPECT_SAME("Tile", {random_tensor(dtype, Shape{2, 3}), Tensor::vector<int64_t>({1, 1})}, {}, 0, 0);
    EXPECT_SAME("Tile", {random_tensor(dtype, Shape{2, 3}), Tensor::vector<int64_t>({1, 0})}, {}, 0, 0);
  }
  EXPECT_SAME("Tile", {Tensor::scalar<float>(2), Tensor(DataType::kInt32, Shape{0})});
  EXPECT_SAME("Tile", {Tensor::vector<float>({2}), Tensor::vector<int32_t>({-1})});
  EXPECT_SAME("Tile", {Tensor::vector<float>({2}), Tensor::vector<int32_t>({1, 2})});
}

TEST(CudaReverse, turns_axes_round) {
  for (DataType dtype : kTypes) {
    const Tensor x = random_tensor(dtype, Shape{2, 3, 4});
    EXPECT_SAME("ReverseV2", {x, Tensor::vector<int32_t>({1})}, {}, 0, 0);
    EXPECT_SAME("ReverseV2", {x, Tensor::vector<int64_t>({-1, 0})}, {}, 0, 0);
    EXPECT_SAME("ReverseV2", {x, Tensor(DataType::kInt32, Shape{0})}, {}, 0, 0);
    EXPECT_SAME("Reverse", {x, Tensor::vector<bool>({true, false, true})}, {}, 0, 0);
  }
  const Tensor x = random_tensor(DataType::kFloat, Shape{2, 3});
  EXPECT_SAME("ReverseV2", {x, Tensor::vector<int32_t>({2})});
  EXPECT_SAME("ReverseV2", {x, Tensor::vector<int32_t>({1, 1})});
  EXPECT_SAME("Reverse", {x, Tensor::vector<bool>({true})});
}

TEST(CudaReverseSequence, turns_each_by_its_length) {
  for (DataType dtype : kTypes) {
    EXPECT_SAME("ReverseSequence", {random_tensor(dtype, Shape{3, 4, 2}), Tensor::vector<int32_t>({0, 4, 3})},
                {{"seq_dim", int64_t{1}}}, 0, 0);
    EXPECT_SAME("ReverseSequence", {random_tensor(dtype, Shape{5, 2, 3}), Tensor::vector<int64_t>({1, 5, 2})},
                {{"seq_dim", int64_t{0}}, {"batch_dim", int64_t{2}}}, 0, 0);
  }
  const Tensor x = random_tensor(DataType::kFloat, Shape{3, 4});
  EXPECT_SAME("ReverseSequence", {x, Tensor::vector<int32_t>({1, 2})}, {{"seq_dim", int64_t{1}}});
  EXPECT_SAME("ReverseSequence", {x, Tensor::vector<int32_t>({1, 2, 3})}, {{"seq_dim", int64_t{0}}});
}

TEST(CudaReverseSequence, takes_lengths_out_of_range_for_the_nearest) {
  const Tensor x = Tensor::from<float>(Shape{2, 3}, {1, 2, 3, 4, 5, 6});
  auto out = run_on_gpu("ReverseSequence", {x, Tensor::vector<int32_t>({-1, 9})}, {{"seq_dim", int64_t{1}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{2, 3}, {1, 2, 3, 6, 5, 4}), 0, 0));
}

TEST(CudaRoll, moves_round) {
  for (DataType dtype : kTypes) {
    const Tensor x = random_tensor(dtype, Shape{3, 4, 5});
    EXPECT_SAME("Roll", {x, Tensor::scalar<int32_t>(2), Tensor::scalar<int32_t>(1)}, {}, 0, 0);
    EXPECT_SAME("Roll", {x, Tensor::vector<int64_t>({-1, 7}), Tensor::vector<int32_t>({0, -1})}, {}, 0, 0);
    EXPECT_SAME("Roll", {x, Tensor::vector<int64_t>({1, 2}), Tensor::vector<int32_t>({1, 1})}, {}, 0, 0);
  }
  EXPECT_SAME("Roll", {random_tensor(DataType::kFloat, Shape{0, 2}), Tensor::scalar<int32_t>(1),
                       Tensor::scalar<int32_t>(0)});
  EXPECT_SAME("Roll", {Tensor::scalar<float>(1), Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(0)});
  EXPECT_SAME("Roll",
              {Tensor::vector<float>({1, 2}), Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(1)});
}

}  // namespace
}  // namespace troupe::test
