// Elements by index on GPUs: gathers, scatters, one-hot rows; order.
#include <random>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

const std::vector<DataType> kTypes = {DataType::kInt8,      DataType::kHalf, DataType::kFloat,
                                      DataType::kInt32,     DataType::kBool, DataType::kInt64,
                                      DataType::kComplex128};

Tensor indices_below(int64_t limit, const Shape& shape, DataType dtype = DataType::kInt32) {
  return random_tensor(dtype, shape, 0, static_cast<double>(limit));
}

TEST(CudaGather, picks_along_an_axis) {
  for (DataType dtype : kTypes) {
    for (DataType index : {DataType::kInt32, DataType::kInt64}) {
      EXPECT_SAME("Gather", {random_tensor(dtype, Shape{5, 3}), indices_below(5, Shape{2, 2}, index)}, {}, 0,
                  0);
      for (int32_t axis : {0, 1, 2, -1}) {
        const Tensor x = random_tensor(dtype, Shape{3, 3, 4});
        EXPECT_SAME("GatherV2", {x, indices_below(3, Shape{4}, index), Tensor::scalar<int32_t>(axis)}, {}, 0,
                    0);
        EXPECT_SAME("GatherV2", {x, indices_below(3, Shape{0}, index), Tensor::scalar<int32_t>(axis)}, {}, 0,
                    0);
      }
      for (int32_t axis : {1, 2}) {
        EXPECT_SAME("GatherV2",
                    {random_tensor(dtype, Shape{2, 3, 4}), indices_below(3, Shape{2, 5}, index),
                     Tensor::scalar<int32_t>(axis)},
                    {{"batch_dims", int64_t{1}}}, 0, 0);
      }
    }
  }
  const Tensor x = random_tensor(DataType::kFloat, Shape{3, 4});
  EXPECT_SAME("GatherV2", {x, indices_below(3, Shape{2}), Tensor::scalar<int32_t>(2)});
  EXPECT_SAME("GatherV2", {x, indices_below(3, Shape{2}), Tensor::scalar<int32_t>(0)},
              {{"batch_dims", int64_t{1}}});
}

TEST(CudaGather, gives_zeros_for_indices_out_of_range) {
  const Tensor x = Tensor::from<float>(Shape{2, 2}, {1, 2, 3, 4});
  auto out = run_on_gpu("Gather", {x, Tensor::vector<int32_t>({1, 2, -1, 0})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{4, 2}, {3, 4, 0, 0, 0, 0, 1, 2}), 0, 0));
  out = run_on_gpu("GatherNd", {x, Tensor::from<int64_t>(Shape{3, 2}, {1, 1, 0, 2, 0, 1})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({4, 0, 2}), 0, 0));
}

TEST(CudaGatherNd, picks_by_coordinates) {
  for (DataType dtype : kTypes) {
    for (int64_t depth : {0, 1, 2, 3}) {
      EXPECT_SAME("GatherNd", {random_tensor(dtype, Shape{3, 3, 4}), indices_below(3, Shape{2, 5, depth})},
                  {}, 0, 0);
    }
  }
  EXPECT_SAME("GatherNd", {random_tensor(DataType::kFloat, Shape{3}), indices_below(3, Shape{2, 2})});
  EXPECT_SAME("GatherNd", {random_tensor(DataType::kFloat, Shape{0}), indices_below(3, Shape{2, 1})});
}

TEST(CudaScatterNd, adds_up) {
  for (DataType dtype : {DataType::kInt8, DataType::kHalf, DataType::kFloat, DataType::kInt32,
                         DataType::kInt64, DataType::kComplex64}) {
    const Tensor at = indices_below(4, Shape{6, 1});
    const double near = is_integer(dtype) ? 0 : dtype == DataType::kHalf ? 1e-2 : 1e-5;
    EXPECT_SAME("ScatterNd", {at, random_tensor(dtype, Shape{6, 3}), Tensor::vector<int32_t>({4, 3})}, {},
                near, near);
    const Tensor x = random_tensor(dtype, Shape{4, 3});
    for (const char* op : {"TensorScatterAdd", "TensorScatterSub", "ScatterNdNonAliasingAdd"}) {
      EXPECT_SAME(op, {x, at, random_tensor(dtype, Shape{6, 3})}, {}, near, near);
      EXPECT_SAME(op, {x, indices_below(3, Shape{5, 2}), random_tensor(dtype, Shape{5})}, {}, near, near);
    }
    if (is_complex(dtype)) continue;
    for (const char* op : {"TensorScatterMax", "TensorScatterMin"}) {
      EXPECT_SAME(op, {x, at, random_tensor(dtype, Shape{6, 3})}, {}, 0, 0);
    }
  }
}

TEST(CudaScatterNd, replaces) {
  for (DataType dtype : kTypes) {
    const Tensor at = Tensor::from<int32_t>(Shape{2, 1}, {3, 1});
    EXPECT_SAME("TensorScatterUpdate",
                {random_tensor(dtype, Shape{4, 6}), at, random_tensor(dtype, Shape{2, 6})}, {}, 0, 0);
  }
  const Tensor x = random_tensor(DataType::kFloat, Shape{4, 3}),
               at = Tensor::from<int32_t>(Shape{2, 1}, {3, 1});
  EXPECT_SAME("TensorScatterUpdate", {x, at, random_tensor(DataType::kFloat, Shape{2, 4})});
  EXPECT_SAME("TensorScatterUpdate", {x, at, random_tensor(DataType::kFloat, Shape{3, 3})});
  EXPECT_SAME("ScatterNd",
              {at, random_tensor(DataType::kFloat, Shape{2, 4}), Tensor::vector<int32_t>({4, 3})});
}

TEST(CudaScatterNd, passes_over_indices_out_of_range) {
  const Tensor x = Tensor::vector<float>({1, 2, 3}), at = Tensor::from<int32_t>(Shape{3, 1}, {-1, 1, 3});
  auto out = run_on_gpu("TensorScatterAdd", {x, at, Tensor::vector<float>({5, 5, 5})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({1, 7, 3}), 0, 0));
}

TEST(CudaOneHot, sets_one) {
  for (DataType dtype : kTypes) {
    for (DataType index : {DataType::kInt32, DataType::kInt64, DataType::kUint8}) {
      for (int64_t axis : {-1, 0, 1}) {
        EXPECT_SAME("OneHot",
                    {random_tensor(index, Shape{2, 3}, 0, 6), Tensor::scalar<int32_t>(4),
                     random_tensor(dtype, Shape()), random_tensor(dtype, Shape())},
                    {{"axis", axis}}, 0, 0);
      }
    }
  }
  EXPECT_SAME("OneHot", {Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(-1), Tensor::scalar<float>(1),
                         Tensor::scalar<float>(0)});
}

std::vector<DataType> ordered_types() {
  return {DataType::kFloat, DataType::kDouble, DataType::kHalf,  DataType::kBfloat16,
          DataType::kInt8,  DataType::kUint64, DataType::kInt32, DataType::kInt64};
}

TEST(CudaTopK, finds_the_greatest) {
  for (DataType dtype : ordered_types()) {
    for (int32_t k : {0, 1, 3, 7}) {
      EXPECT_SAME("TopKV2", {odd_tensor(dtype, Shape{2, 3, 7}), Tensor::scalar<int32_t>(k)}, {}, 0, 0);
    }
    // Sorted, as they are many.
    EXPECT_SAME("TopKV2", {random_tensor(dtype, Shape{3, 100}), Tensor::scalar<int32_t>(100)}, {}, 0, 0);
    EXPECT_SAME("TopKV2", {odd_tensor(dtype, Shape{2, 64}), Tensor::scalar<int32_t>(50)}, {}, 0, 0);
  }
  EXPECT_SAME("TopKV2", {random_tensor(DataType::kFloat, Shape{2, 3}), Tensor::scalar<int32_t>(4)});
  EXPECT_SAME("TopKV2", {Tensor::scalar<float>(1), Tensor::scalar<int32_t>(1)});
}

TEST(CudaTopK, says_what_is_among_them) {
  const Tensor predictions = odd_tensor(DataType::kFloat, Shape{20, 5});
  const Tensor targets = random_tensor(DataType::kInt32, Shape{20}, -1, 7);
  for (int32_t k : {0, 1, 2, 5}) {
    EXPECT_SAME("InTopKV2", {predictions, targets, Tensor::scalar<int32_t>(k)});
    EXPECT_SAME("InTopK", {predictions, targets}, {{"k", int64_t{k}}});
  }
}

TEST(CudaBounds, find_places_in_sorted_rows) {
  for (DataType dtype : ordered_types()) {
    auto sorted = run_kernel("TopKV2", {random_tensor(dtype, Shape{2, 9}), Tensor::scalar<int32_t>(9)});
    ASSERT_TRUE(sorted.ok());
    auto ascending = run_kernel("ReverseV2", {sorted->at(0), Tensor::vector<int32_t>({1})});
    ASSERT_TRUE(ascending.ok()) << ascending.status();
    for (const char* op : {"LowerBound", "UpperBound"}) {
      EXPECT_SAME(op, {ascending->at(0), random_tensor(dtype, Shape{2, 12})}, {}, 0, 0);
      EXPECT_SAME(op, {ascending->at(0), ascending->at(0)}, {{"out_type", DataType::kInt64}}, 0, 0);
    }
  }
}

TEST(CudaBucketize, finds_buckets) {
  for (DataType dtype : {DataType::kFloat, DataType::kDouble, DataType::kInt32, DataType::kInt64}) {
    const AttrMap attrs = {{"boundaries", std::vector<float>{-2, 0, 1, 3}}};
    EXPECT_SAME("Bucketize", {random_tensor(dtype, Shape{4, 9})}, attrs, 0, 0);
    EXPECT_SAME("Bucketize", {random_tensor(dtype, Shape{0})}, attrs, 0, 0);
  }
}

}  // namespace
}  // namespace troupe::test
