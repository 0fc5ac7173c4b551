// Rows combined by segment, stitched and scattered on GPUs.
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

const std::vector<DataType> kFloats = {DataType::kFloat, DataType::kDouble, DataType::kHalf,
                                       DataType::kBfloat16};

Tensor ids(std::initializer_list<int32_t> values) { return Tensor::vector<int32_t>(values); }

TEST(CudaSegment, combines_sorted_rows) {
  for (DataType dtype : kFloats) {
    const double near = 2 * tolerance_of(dtype);
    for (const char* op : {"SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"}) {
      EXPECT_SAME(op, {random_tensor(dtype, Shape{6, 2, 3}), ids({0, 0, 2, 2, 2, 5})}, {}, near, near);
      EXPECT_SAME(op, {random_tensor(dtype, Shape{3}), Tensor::vector<int64_t>({1, 1, 1})}, {}, near, near);
      EXPECT_SAME(op, {random_tensor(dtype, Shape{0, 4}), ids({})}, {}, near, near);
      EXPECT_SAME(op, {random_tensor(dtype, Shape{2, 0}), ids({0, 1})}, {}, near, near);
    }
  }
  const Tensor x = random_tensor(DataType::kFloat, Shape{3, 2});
  for (const Tensor& bad : {ids({1, 0, 2}), ids({-1, 0, 1}), ids({0, 1}),
                            Tensor::from<int32_t>(Shape{3, 1}, {0, 1, 2}), ids({2, 1, 0})})
    EXPECT_SAME("SegmentSum", {x, bad});
}

TEST(CudaSegment, combines_rows_in_any_order) {
  for (DataType dtype : {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16,
                         DataType::kInt32, DataType::kInt64}) {
    const double near = 2 * tolerance_of(dtype);
    for (const char* op :
         {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin", "UnsortedSegmentMax"}) {
      const Tensor at = random_tensor(DataType::kInt64, Shape{3, 4}, -1, 5);
      EXPECT_SAME(op, {random_tensor(dtype, Shape{3, 4, 2}), at, Tensor::scalar<int32_t>(6)}, {}, near, near);
      EXPECT_SAME(op,
                  {random_tensor(dtype, Shape{}), random_tensor(DataType::kInt32, Shape(), 0, 2),
                   Tensor::scalar<int64_t>(2)},
                  {}, near, near);
      EXPECT_SAME(op, {random_tensor(dtype, Shape{0}), ids({}), Tensor::scalar<int32_t>(3)}, {}, near, near);
      EXPECT_SAME(op, {random_tensor(dtype, Shape{0}), ids({}), Tensor::scalar<int32_t>(0)}, {}, near, near);
    }
  }
  EXPECT_SAME("UnsortedSegmentSum", {random_tensor(DataType::kComplex64, Shape{4, 2}), ids({1, 1, 0, 1}),
                                     Tensor::scalar<int32_t>(2)});
  const Tensor x = random_tensor(DataType::kFloat, Shape{3, 2});
  EXPECT_SAME("UnsortedSegmentSum", {x, ids({0, 1}), Tensor::scalar<int32_t>(2)});
  EXPECT_SAME("UnsortedSegmentSum", {x, ids({0, 1, 0}), Tensor::scalar<int32_t>(-2)});
  EXPECT_SAME("UnsortedSegmentSum", {x, ids({0, 1, 0}), Tensor::vector<int32_t>({2})});
}

TEST(CudaSegment, passes_ids_out_of_range_over) {
  auto out = run_on_gpu("UnsortedSegmentSum",
                        {Tensor::vector<float>({1, 2, 4}), ids({0, 3, -1}), Tensor::scalar<int32_t>(2)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::vector<float>({1, 0}), 0, 0));
}

TEST(CudaSegment, keeps_nan_as_cpus_do) {
  for (const char* op : {"UnsortedSegmentMin", "UnsortedSegmentMax"})
    EXPECT_SAME(op, {odd_tensor(DataType::kFloat, Shape{12, 3}),
                     random_tensor(DataType::kInt32, Shape{12}, 0, 3), Tensor::scalar<int32_t>(3)});
}

TEST(CudaSegment, combines_rows_by_index) {
  for (DataType dtype : kFloats) {
    const double near = 2 * tolerance_of(dtype);
    for (std::string op : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"}) {
      const Tensor x = random_tensor(dtype, Shape{5, 2, 2});
      const Tensor at = random_tensor(DataType::kInt64, Shape{6}, 0, 5);
      EXPECT_SAME(op, {x, at, ids({0, 0, 1, 3, 3, 3})}, {}, near, near);
      EXPECT_SAME(op + "WithNumSegments", {x, at, ids({0, 0, 1, 3, 3, 3}), Tensor::scalar<int32_t>(6)}, {},
                  near, near);
      EXPECT_SAME(op + "WithNumSegments", {x, at, ids({0, 0, 1, 3, 3, 3}), Tensor::scalar<int32_t>(3)}, {},
                  near, near);
      EXPECT_SAME(
          op + "Grad",
          {random_tensor(dtype, Shape{4, 3}), at, ids({0, 0, 1, 3, 3, 3}), Tensor::scalar<int32_t>(7)}, {},
          near, near);
      EXPECT_SAME(op, {x, at, ids({0, 0, 1})}, {}, near, near);
    }
  }
}

TEST(CudaStitch, puts_rows_together) {
  const AttrMap two{{"N", int64_t{2}}};
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) {
    for (DataType dtype :
         {DataType::kFloat, DataType::kHalf, DataType::kInt8, DataType::kInt32, DataType::kComplex128}) {
      const Tensor a = random_tensor(dtype, Shape{3, 2});
      const Tensor b = random_tensor(dtype, Shape{2, 2, 2});
      EXPECT_SAME(op, {ids({5, 0, 2}), Tensor::from<int32_t>(Shape{2, 2}, {4, 6, 9, 8}), a, b}, two, 0, 0);
      EXPECT_SAME(op, {ids({0, 1, 2}), ids({}), a, random_tensor(dtype, Shape{0, 2})}, two, 0, 0);
    }
  }
  const AttrMap one{{"N", int64_t{1}}};
  EXPECT_SAME("DynamicStitch", {ids({1, 1, 1}), Tensor::vector<float>({1, 2, 3})}, one, 0, 0);
  EXPECT_SAME("DynamicStitch", {ids({-1}), Tensor::vector<float>({1})}, one);
  EXPECT_SAME("DynamicStitch", {ids({0, 1}), Tensor::vector<float>({1})}, one);
  const Tensor at = random_tensor(DataType::kInt32, Shape{300}, 0, 400);
  EXPECT_SAME("DynamicStitch", {at, random_tensor(DataType::kFloat, Shape{300, 5})}, one, 0, 0);
}

/// Scatters to a variable of both devices, and reads it.
class CudaRows : public testing::Test {
 protected:
  template <class Harness>
  static Tensor handle(Harness& device, const Tensor& value) {
    const AttrMap dtype{{"dtype", value.dtype()}};
    AttrMap attrs = dtype;
    attrs.set("shared_name", std::string("v") + dtype_name(value.dtype()));
    attrs.set("shape", PartialShape());
    Tensor h = device.run("VarHandleOp", {}, attrs)->at(0);
    EXPECT_EQ(device.run("AssignVariableOp", {h, value}, dtype).status(), absl::OkStatus());
    return h;
  }
  template <class Harness>
  static absl::StatusOr<Tensor> result(Harness& device, const std::string& op, const Tensor& value,
                                       std::vector<Tensor> inputs, AttrMap attrs) {
    inputs.insert(inputs.begin(), handle(device, value));
    const Tensor h = inputs[0];
    TROUPE_ASSIGN_OR_RETURN(std::vector<Tensor> out, device.run(op, std::move(inputs), std::move(attrs)));
    if (!out.empty()) return out[0];
    TROUPE_ASSIGN_OR_RETURN(out, device.run("ReadVariableOp", {h}, {{"dtype", value.dtype()}}));
    return out[0];
  }
  void compare(const std::string& op, const Tensor& value, const std::vector<Tensor>& inputs,
               const AttrMap& attrs = {}, double near = 1e-5) {
    const auto want = result(cpu_, op, value, inputs, attrs);
    const auto got = result(gpu_, op, value, inputs, attrs);
    ASSERT_EQ(got.status(), want.status()) << op;
    if (!want.ok()) return;
    EXPECT_TRUE(tensors_near(*got, *want, near, near)) << op << " of " << dtype_name(value.dtype());
  }

  KernelHarness cpu_{&all_kernels()};
  CudaHarness gpu_;
};

TEST_F(CudaRows, are_combined) {
  for (DataType dtype :
       {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16, DataType::kInt64}) {
    const double near = is_integer(dtype) ? 0 : 4 * tolerance_of(dtype);
    for (const char* name : {"Update", "Add", "Sub", "Mul", "Div", "Min", "Max"}) {
      if (is_integer(dtype) && name == std::string("Div")) continue;
      const std::string op = std::string("ResourceScatter") + name;
      const Tensor value = random_tensor(dtype, Shape{5, 3}, 1, 4);
      const bool replaces = name == std::string("Update");
      const Tensor at = replaces ? ids({4, 0, 2}) : ids({4, 0, 4});
      compare(op, value, {at, random_tensor(dtype, Shape{3, 3}, 1, 3)}, {{"dtype", dtype}}, near);
      compare(op, value, {at, random_tensor(dtype, Shape(), 1, 3)}, {{"dtype", dtype}}, near);
      compare(op, value,
              {Tensor::from<int64_t>(Shape{1, 2}, {1, 3}), random_tensor(dtype, Shape{1, 2, 3}, 1, 3)},
              {{"dtype", dtype}}, near);
      compare(op, value, {at, random_tensor(dtype, Shape{2, 3}, 1, 3)}, {{"dtype", dtype}}, near);
    }
  }
  for (DataType dtype : {DataType::kBool, DataType::kInt8, DataType::kComplex128})
    compare("ResourceScatterUpdate", random_tensor(dtype, Shape{4, 2}),
            {ids({3, 1}), random_tensor(dtype, Shape{2, 2})}, {{"dtype", dtype}}, 0);
}

TEST_F(CudaRows, are_found_by_coordinates) {
  const Tensor value = random_tensor(DataType::kFloat, Shape{4, 3, 2});
  const Tensor at = Tensor::from<int32_t>(Shape{3, 2}, {3, 1, 0, 2, 1, 1});
  for (const char* op : {"ResourceScatterNdUpdate", "ResourceScatterNdAdd", "ResourceScatterNdSub",
                         "ResourceScatterNdMin", "ResourceScatterNdMax"})
    compare(op, value, {at, random_tensor(DataType::kFloat, Shape{3, 2})});
  compare("ResourceScatterNdAdd", value, {at, random_tensor(DataType::kFloat, Shape{2, 2})});
}

TEST_F(CudaRows, are_gathered) {
  const Tensor value = random_tensor(DataType::kHalf, Shape{4, 3, 2});
  const AttrMap dtype{{"dtype", DataType::kHalf}};
  compare("ResourceGather", value, {ids({3, 0, 3})}, dtype, 0);
  AttrMap batched = dtype;
  batched.set("batch_dims", int64_t{1});
  compare("ResourceGather", value, {random_tensor(DataType::kInt64, Shape{4, 2}, 0, 3)}, batched, 0);
  compare("ResourceGatherNd", value, {Tensor::from<int32_t>(Shape{2, 2}, {3, 1, 0, 2})}, dtype, 0);
}

TEST_F(CudaRows, out_of_range_are_passed_over) {
  const Tensor value = Tensor::vector<float>({1, 2});
  auto got = result(gpu_, "ResourceScatterAdd", value, {ids({-1, 1, 2}), Tensor::vector<float>({1, 1, 1})},
                    {{"dtype", DataType::kFloat}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_TRUE(tensors_near(*got, Tensor::vector<float>({1, 3}), 0, 0));
}

}  // namespace
}  // namespace troupe::test
