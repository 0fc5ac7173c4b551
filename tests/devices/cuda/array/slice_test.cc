// Parts of tensors on GPUs: slices, their gradients and assignments.
#include <random>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

Tensor ints(const std::vector<int32_t>& v) {
  return Tensor::from<int32_t>(Shape{static_cast<int64_t>(v.size())}, std::span<const int32_t>(v));
}

const std::vector<DataType> kTypes = {DataType::kInt8,      DataType::kHalf, DataType::kFloat,
                                      DataType::kInt32,     DataType::kBool, DataType::kInt64,
                                      DataType::kComplex128};

TEST(CudaSlice, takes_a_box) {
  for (DataType dtype : kTypes) {
    const Tensor x = random_tensor(dtype, Shape{4, 6, 8});
    EXPECT_SAME("Slice", {x, ints({1, 2, 3}), ints({2, -1, 4})}, {}, 0, 0);
    EXPECT_SAME("Slice", {x, ints({1, 0, 0}), ints({2, 6, 8})}, {}, 0, 0);
    EXPECT_SAME("Slice", {x, ints({0, 0, 0}), ints({4, 6, 8})}, {}, 0, 0);
    EXPECT_SAME("Slice", {x, ints({0, 6, 0}), ints({4, 0, 8})}, {}, 0, 0);
  }
  const Tensor x = random_tensor(DataType::kFloat, Shape{4, 6});
  EXPECT_SAME("Slice", {x, ints({0, 7}), ints({1, 1})});
  EXPECT_SAME("Slice", {x, ints({0, 5}), ints({1, 2})});
  EXPECT_SAME("Slice", {x, ints({0}), ints({1})});
}

/// Random slices, with everything that attrs can say; mistakes among them.
TEST(CudaStridedSlice, does_as_the_cpu) {
  std::mt19937 random(7);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    const int rank = 1 + below(4), entries = 1 + below(rank + 1);
    std::vector<int64_t> dims;
    for (int i = 0; i < rank; ++i) dims.push_back(1 + below(6));
    std::vector<int32_t> begin, end, strides;
    for (int i = 0; i < entries; ++i) {
      begin.push_back(below(9) - 4);
      end.push_back(below(11) - 5);
      strides.push_back(below(3) == 0 ? -1 - below(2) : 1 + below(2));
    }
    AttrMap attrs;
    for (const char* mask : {"begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask"}) {
      attrs.set(mask, int64_t{below(3) == 0 ? below(16) : 0});
    }
    attrs.set("ellipsis_mask", int64_t{below(3) == 0 ? 1 << below(entries) : 0});
    const DataType dtype = kTypes[static_cast<size_t>(below(static_cast<int>(kTypes.size())))];
    const Tensor x = random_tensor(dtype, Shape(dims));
    EXPECT_SAME("StridedSlice", {x, ints(begin), ints(end), ints(strides)}, attrs, 0, 0) << "round " << round;
    auto part = run_kernel("StridedSlice", {x, ints(begin), ints(end), ints(strides)}, attrs);
    if (!part.ok()) continue;
    std::vector<int32_t> shape(dims.begin(), dims.end());
    EXPECT_SAME("StridedSliceGrad", {ints(shape), ints(begin), ints(end), ints(strides), part->at(0)}, attrs,
                0, 0);
    EXPECT_SAME("TensorStridedSliceUpdate",
                {x, ints(begin), ints(end), ints(strides), random_tensor(dtype, part->at(0).shape())}, attrs,
                0, 0);
    EXPECT_SAME("TensorStridedSliceUpdate",
                {x, ints(begin), ints(end), ints(strides), random_tensor(dtype, Shape())}, attrs, 0, 0);
  }
}

TEST(CudaStridedSlice, refuses_what_does_not_fit) {
  const Tensor x = random_tensor(DataType::kFloat, Shape{4, 6});
  EXPECT_SAME("StridedSlice", {x, ints({0}), ints({1}), ints({0})});
  EXPECT_SAME("StridedSlice", {x, ints({0, 0, 0}), ints({1, 1, 1}), ints({1, 1, 1})});
  EXPECT_SAME("StridedSlice", {x, ints({9}), ints({10}), ints({1})}, {{"shrink_axis_mask", int64_t{1}}});
  EXPECT_SAME("StridedSliceGrad",
              {ints({4}), ints({0}), ints({2}), ints({1}), random_tensor(DataType::kFloat, Shape{3})});
  EXPECT_SAME("TensorStridedSliceUpdate",
              {x, ints({0}), ints({2}), ints({1}), random_tensor(DataType::kFloat, Shape{4})});
}

TEST(CudaStridedSliceAssign, leaves_values_that_were_read) {
  CudaHarness gpu;
  const Tensor start = random_tensor(DataType::kFloat, Shape{3, 4}),
               row = random_tensor(DataType::kFloat, Shape{4});
  const AttrMap of_float = {
      {"dtype", DataType::kFloat}, {"shape", PartialShape{3, 4}}, {"shared_name", std::string("v")}};
  auto handle = gpu.run("VarHandleOp", {}, of_float, "v");
  ASSERT_TRUE(handle.ok()) << handle.status();
  ASSERT_TRUE(gpu.run("AssignVariableOp", {handle->at(0), start}).ok());
  const AttrMap shrinks = {{"shrink_axis_mask", int64_t{1}}, {"T", DataType::kFloat}};
  auto assigned =
      gpu.run("ResourceStridedSliceAssign", {handle->at(0), ints({1}), ints({2}), ints({1}), row}, shrinks);
  ASSERT_TRUE(assigned.ok()) << assigned.status();
  auto now = gpu.run("ReadVariableOp", {handle->at(0)}, {{"dtype", DataType::kFloat}});
  ASSERT_TRUE(now.ok()) << now.status();
  Tensor want = start.deep_copy();
  copy_elements(row, 0, want, 4, 4);
  EXPECT_TRUE(tensors_near(now->at(0), want, 0, 0));
}

}  // namespace
}  // namespace troupe::test
