#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

#include "absl/strings/match.h"

namespace troupe::test {
namespace {

Tensor rows(int64_t count, int64_t rank, std::initializer_list<int64_t> values) {
  return Tensor::from<int64_t>(Shape{count, rank}, values);
}
Tensor ints(std::initializer_list<int64_t> values) { return Tensor::vector<int64_t>(values); }
Tensor floats(std::initializer_list<float> values) { return Tensor::vector<float>(values); }

Tensor strings(const Shape& shape, std::initializer_list<const char*> values) {
  Tensor t(DataType::kString, shape);
  int64_t i = 0;
  for (const char* v : values) t.flat<TString>()[i++].assign(v);
  return t;
}

/// [[., 5, .], [., ., 6]]
const Tensor kRows = rows(2, 2, {0, 1, 1, 2}), kValues = floats({5, 6}), kShape = ints({2, 3});

void expect_outputs(const absl::StatusOr<std::vector<Tensor>>& got, const std::vector<Tensor>& want) {
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(tensors_near(got->at(i), want[i])) << "output " << i;
}

TEST(SparseToDense, fills_and_checks_order) {
  expect_outputs(run_kernel("SparseToDense", {kRows, kShape, kValues, Tensor::scalar<float>(1)}),
                 {Tensor::from<float>(Shape{2, 3}, {1, 5, 1, 1, 1, 6})});
  Tensor swapped = rows(2, 2, {1, 2, 0, 1});
  auto refused = run_kernel("SparseToDense", {swapped, kShape, kValues, Tensor::scalar<float>(0)}).status();
  EXPECT_TRUE(absl::StrContains(refused.message(), "indices[1] = [0,1] is out of order.")) << refused;
  expect_outputs(run_kernel("SparseToDense", {swapped, kShape, kValues, Tensor::scalar<float>(0)},
                            {{"validate_indices", false}}),
                 {Tensor::from<float>(Shape{2, 3}, {0, 6, 0, 0, 0, 5})});
}

TEST(SparseToDense, refuses_indices_outside_of_the_shape) {
  Tensor outside = rows(2, 2, {0, 1, 1, 3});
  EXPECT_EQ(run_kernel("SparseToDense", {outside, kShape, kValues, Tensor::scalar<float>(0)}).status(),
            absl::InvalidArgumentError("indices[1] = [1,3] is out of bounds: need 0 <= index < [2,3]"));
  EXPECT_EQ(run_kernel("SparseToDense", {outside, kShape, kValues, Tensor::scalar<float>(0)},
                       {{"validate_indices", false}})
                .status(),
            absl::InvalidArgumentError("Indices are not valid (out of bounds).  Shape: [2,3]"));
}

TEST(SparseTensorDenseMatMul, multiplies_adjoint_operands) {
  Tensor b = Tensor::from<float>(Shape{2, 2}, {1, 2, 3, 4});
  expect_outputs(run_kernel("SparseTensorDenseMatMul", {kRows, kValues, kShape, b}, {{"adjoint_a", true}}),
                 {Tensor::from<float>(Shape{3, 2}, {0, 0, 5, 10, 18, 24})});
  auto outside = run_kernel("SparseTensorDenseMatMul",
                            {rows(1, 2, {0, 5}), floats({1}), kShape, zeros(DataType::kFloat, Shape{3, 1})});
  EXPECT_EQ(outside.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SparseTensorDenseAdd, adds_in_place_of_the_dense_one) {
  expect_outputs(run_kernel("SparseTensorDenseAdd",
                            {kRows, kValues, kShape, Tensor::from<float>(Shape{2, 3}, {1, 1, 1, 1, 1, 1})}),
                 {Tensor::from<float>(Shape{2, 3}, {1, 6, 1, 1, 1, 7})});
  EXPECT_EQ(
      run_kernel("SparseTensorDenseAdd", {kRows, kValues, ints({2, 4}), zeros(DataType::kFloat, Shape{2, 3})})
          .status(),
      absl::InvalidArgumentError(
          "Dimension 1 does not equal (no broadcasting is supported): sparse side 4 vs dense side 3"));
}

TEST(SparseDenseCwise, broadcasts_the_dense_side) {
  expect_outputs(run_kernel("SparseDenseCwiseMul", {kRows, kValues, kShape, floats({1, 2, 3})}),
                 {floats({10, 18})});
  expect_outputs(
      run_kernel("SparseDenseCwiseDiv", {kRows, kValues, kShape, Tensor::from<float>(Shape{2, 1}, {1, 2})}),
      {floats({5, 3})});
  EXPECT_EQ(run_kernel("SparseDenseCwiseAdd", {kRows, kValues, kShape, zeros(DataType::kFloat, Shape{2, 2})})
                .status(),
            absl::InvalidArgumentError("SparseDenseBinaryOpShared broadcasts dense to sparse only; got "
                                       "incompatible shapes: [2,3] vs. [2,2]"));
}

TEST(SparseConcat, interleaves_rows) {
  AttrMap attrs = {{"concat_dim", int64_t{-1}}, {"N", int64_t{2}}};
  expect_outputs(run_kernel("SparseConcat",
                            {kRows, rows(2, 2, {0, 0, 1, 1}), kValues, floats({7, 8}), kShape, kShape},
                            attrs),
                 {rows(4, 2, {0, 1, 0, 3, 1, 2, 1, 4}), floats({5, 7, 6, 8}), ints({2, 6})});
  EXPECT_EQ(
      run_kernel("SparseConcat", {kRows, kRows, kValues, kValues, kShape, ints({3, 3})}, attrs).status(),
      absl::InvalidArgumentError(
          "Input shapes must match: expected 2 for dimension 0 but got 3 at position 1"));
}

TEST(SparseConcat, refuses_shapes_of_too_many_elements) {
  const AttrMap attrs = {{"concat_dim", int64_t{0}}, {"N", int64_t{2}}};
  const auto concat = [&](const Tensor& a, const Tensor& b) {
    return run_kernel("SparseConcat", {kRows, kRows, kValues, kValues, a, b}, attrs).status();
  };
  const absl::Status too_large = absl::InternalError("Encountered overflow from large input shape.");
  EXPECT_EQ(concat(ints({int64_t{1} << 62, 3}), ints({2, 3})), too_large);
  EXPECT_EQ(concat(ints({2, 3}), ints({-2, 3})), too_large);
  EXPECT_EQ(concat(ints({2, 3}), ints({INT64_MAX / 3, 3})), too_large);
}

TEST(SparseReduceSum, writes_within_its_result) {
  EXPECT_EQ(run_kernel("SparseReduceSum",
                       {rows(1, 2, {5, 0}), floats({1}), kShape, Tensor::vector<int32_t>({1})},
                       {{"keep_dims", false}})
                .status(),
            absl::InternalError("Obtained a write index of 5 which is outside of bounds of [0, 2)"));
}

TEST(SparseOps, say_what_does_not_fit) {
  const auto why = [](const char* op, const std::vector<Tensor>& inputs, AttrMap attrs = {}) {
    return std::string(run_kernel(op, inputs, std::move(attrs)).status().message());
  };
  const Tensor axes = Tensor::vector<int32_t>({0});
  const AttrMap keep = {{"keep_dims", false}};
  EXPECT_EQ(why("SparseReduceSum", {ints({0, 1}), kValues, kShape, axes}, keep),
            "indices must be a matrix, but got: [2]");
  EXPECT_EQ(why("SparseReduceSum", {kRows, kValues, ints({2}), axes}, keep),
            "Order length must be SparseTensor rank.");
  EXPECT_EQ(why("SparseReduceSum", {kRows, kValues, ints({-2, 3}), axes}, keep),
            "Expected shape dimensions to be non-negative, got -2");
  EXPECT_EQ(why("SparseReshape", {ints({0, 1}), kShape, kShape}), "Input must be a matrix.");
  EXPECT_EQ(why("SparseReshape", {kRows, kShape, ints({int64_t{1} << 62, 4})}),
            "Encountered overflow when multiplying 4611686018427387904 with 4, result: -1");
  EXPECT_EQ(why("SparseAdd",
                {kRows, kValues, kShape, rows(1, 1, {0}), floats({1}), ints({3}), Tensor::scalar(0.0f)}),
            "Input indices must have the same dimension, got 2 and 1");
  EXPECT_EQ(why("SparseSplit", {Tensor::scalar<int64_t>(9), rows(1, 2, {5, 0}), floats({1}), kShape},
                {{"num_split", int64_t{1}}}),
            "Sparse index tuple indices[0, :] = [5, 0] is out of bounds");
}

TEST(CountSparseOutput, says_what_does_not_fit) {
  const AttrMap attrs = {{"minlength", int64_t{-1}}, {"maxlength", int64_t{-1}}, {"binary_output", false}};
  const auto ragged = [&](const Tensor& splits, const Tensor& weights) {
    return run_kernel("RaggedCountSparseOutput", {splits, ints({0, 1, 1, 3}), weights}, attrs).status();
  };
  EXPECT_EQ(ragged(ints({}), floats({})),
            absl::InvalidArgumentError("Must provide at least 2 elements for the splits argument"));
  EXPECT_EQ(ragged(ints({0, 4}), floats({1})),
            absl::InvalidArgumentError(
                "Weights and values must have the same shape. Weight shape: [1]; values shape: [4]"));
  const auto sparse = [&](const Tensor& indices, const Tensor& shape) {
    return run_kernel("SparseCountSparseOutput", {indices, ints({1, 2}), shape, floats({})}, attrs).status();
  };
  EXPECT_EQ(sparse(ints({0, 1}), ints({2, 3})),
            absl::InvalidArgumentError("Input indices must be a 2-dimensional tensor. Got: [2]"));
  EXPECT_EQ(sparse(rows(1, 2, {0, 0}), ints({2, 3})),
            absl::InvalidArgumentError(
                "Number of values must match first dimension of indices.Got 2 values, indices shape: [1,2]"));
  EXPECT_EQ(sparse(rows(2, 2, {0, 0, 0, 1}), ints({int64_t{1} << 60, 3})),
            absl::InvalidArgumentError(
                "Cannot allocate 1152921504606846976 batches, is the dense shape too wide?"));
}

TEST(RaggedBincount, takes_splits_of_any_rank) {
  const auto count = [&](const Tensor& splits) {
    return run_kernel("RaggedBincount", {splits, ints({0, 1, 1}), Tensor::scalar<int64_t>(2), floats({})},
                      {{"binary_output", false}});
  };
  expect_outputs(count(rows(1, 2, {0, 3})), {Tensor::from<float>(Shape{1, 2}, {1, 2})});
  EXPECT_EQ(count(ints({})).status(), absl::InvalidArgumentError("Splits must be non-empty"));
}

TEST(SparseSplit, gives_the_remainder_to_the_first_parts) {
  Tensor at = rows(4, 2, {0, 0, 0, 3, 1, 1, 1, 4});
  expect_outputs(run_kernel("SparseSplit",
                            {Tensor::scalar<int64_t>(1), at, floats({1, 2, 3, 4}), ints({2, 5})},
                            {{"num_split", int64_t{2}}}),
                 {rows(2, 2, {0, 0, 1, 1}), rows(2, 2, {0, 0, 1, 1}), floats({1, 3}), floats({2, 4}),
                  ints({2, 3}), ints({2, 2})});
  EXPECT_EQ(run_kernel("SparseSplit", {Tensor::scalar<int64_t>(0), at, floats({1, 2, 3, 4}), ints({2, 5})},
                       {{"num_split", int64_t{9}}})
                .status(),
            absl::InvalidArgumentError(
                "Input num_split should be between 1 and the splitting dimension size (2), got 9"));
}

TEST(SparseSlice, clips_and_its_gradient_goes_back) {
  Tensor at = rows(4, 2, {0, 0, 0, 3, 1, 1, 1, 4});
  expect_outputs(
      run_kernel("SparseSlice", {at, floats({1, 2, 3, 4}), ints({2, 5}), ints({0, 1}), ints({2, 3})}),
      {rows(2, 2, {0, 2, 1, 0}), floats({2, 3}), ints({2, 3})});
  expect_outputs(
      run_kernel("SparseSliceGrad", {floats({10, 20}), at, ints({0, 1}), rows(2, 2, {0, 2, 1, 0})}),
      {floats({0, 10, 20, 0})});
}

TEST(SparseReshape, infers_a_dimension) {
  expect_outputs(run_kernel("SparseReshape", {kRows, kShape, ints({3, -1})}),
                 {rows(2, 2, {0, 1, 2, 1}), ints({3, 2})});
  EXPECT_EQ(run_kernel("SparseReshape", {kRows, kShape, ints({4, -1})}).status(),
            absl::InvalidArgumentError(
                "Input to reshape is a SparseTensor with 6 dense values, but the requested shape requires a "
                "multiple of 4. input_shape=[2,3] output_shape=[4,1]"));
  EXPECT_EQ(run_kernel("SparseReshape", {kRows, kShape, ints({-1, -1})}).status(),
            absl::InvalidArgumentError("only one output dimension may be -1, not both 0 and 1"));
}

TEST(SparseReorder, keeps_the_order_of_equal_rows) {
  expect_outputs(run_kernel("SparseReorder", {rows(3, 2, {1, 2, 0, 1, 0, 1}), floats({1, 2, 3}), kShape}),
                 {rows(3, 2, {0, 1, 0, 1, 1, 2}), floats({2, 3, 1})});
}

TEST(SparseFillEmptyRows, fills_and_maps_back) {
  auto out = run_kernel("SparseFillEmptyRows",
                        {rows(2, 2, {2, 1, 0, 3}), floats({1, 2}), ints({4, 5}), Tensor::scalar<float>(9)});
  expect_outputs(out, {rows(4, 2, {0, 3, 1, 0, 2, 1, 3, 0}), floats({2, 9, 1, 9}),
                       Tensor::vector<bool>({false, true, false, true}), ints({2, 0})});
  expect_outputs(run_kernel("SparseFillEmptyRowsGrad", {ints({0, 2}), floats({1, 2, 3, 4})}),
                 {floats({1, 3}), Tensor::scalar<float>(6)});
  EXPECT_EQ(
      run_kernel("SparseFillEmptyRows", {rows(1, 1, {7}), floats({1}), ints({4}), Tensor::scalar<float>(9)})
          .status(),
      absl::InvalidArgumentError("indices(0, 0) is invalid: 7 >= 4"));
}

TEST(SparseAdd, drops_what_is_below_the_threshold) {
  std::vector<Tensor> in = {
      kRows, kValues, kShape, rows(2, 2, {0, 1, 1, 0}), floats({-5, 8}), kShape, Tensor::scalar<float>(0.5f)};
  AttrMap attrs = {{"Treal", DataType::kFloat}};
  expect_outputs(run_kernel("SparseAdd", in, attrs), {rows(2, 2, {1, 0, 1, 2}), floats({8, 6}), kShape});
  in[4] = floats({-5, 0.25});
  expect_outputs(run_kernel("SparseAdd", in, attrs), {rows(2, 2, {1, 0, 1, 2}), floats({0.25, 6}), kShape});
  expect_outputs(run_kernel("SparseAddGrad",
                            {floats({1, 2}), kRows, rows(2, 2, {0, 1, 1, 0}), rows(2, 2, {1, 0, 1, 2})}),
                 {floats({0, 2}), floats({0, 1})});
  in[5] = ints({2, 4});
  EXPECT_EQ(run_kernel("SparseAdd", in, attrs).status(),
            absl::InvalidArgumentError("Operands' shapes do not match: got 3 and 4 for dimension 1"));
}

TEST(SparseReduce, groups_by_what_is_kept) {
  std::vector<Tensor> in = {rows(3, 2, {0, 0, 0, 2, 1, 1}), floats({1, 2, -3}), ints({3, 3}),
                            Tensor::vector<int32_t>({-1})};
  expect_outputs(run_kernel("SparseReduceSum", in), {floats({3, -3, 0})});
  expect_outputs(run_kernel("SparseReduceMax", in, {{"keep_dims", true}}),
                 {Tensor::from<float>(Shape{3, 1}, {2, -3, 0})});
  expect_outputs(run_kernel("SparseReduceSumSparse", in), {rows(2, 1, {0, 1}), floats({3, -3}), ints({3})});
  in[3] = Tensor::vector<int32_t>({5});
  EXPECT_EQ(run_kernel("SparseReduceSum", in).status(),
            absl::InvalidArgumentError("Invalid reduction dimension 5, for input with 2 dimensions."));
}

TEST(SparseSoftmax, sums_to_one_in_each_row) {
  expect_outputs(run_kernel("SparseSoftmax", {rows(3, 2, {0, 1, 0, 2, 1, 0}), floats({5, 6, 3}), kShape}),
                 {floats({0.268941f, 0.731059f, 1})});
}

TEST(SparseSparseMinimum, takes_absent_entries_for_zero) {
  expect_outputs(run_kernel("SparseSparseMinimum",
                            {kRows, kValues, kShape, rows(2, 2, {0, 1, 1, 0}), floats({-5, 8}), kShape}),
                 {rows(3, 2, {0, 1, 1, 0, 1, 2}), floats({-5, 0, 0})});
}

TEST(SerializeManySparse, comes_back_whole) {
  Tensor at = rows(3, 2, {0, 1, 0, 2, 2, 0}), values = floats({5, 6, 7}), shape = ints({4, 3});
  for (DataType type : {DataType::kString, DataType::kVariant}) {
    auto packed = run_kernel("SerializeManySparse", {at, values, shape}, {{"out_type", type}});
    ASSERT_TRUE(packed.ok()) << packed.status();
    EXPECT_EQ(packed->at(0).shape(), (Shape{4, 3}));
    expect_outputs(run_kernel("DeserializeSparse", {packed->at(0)}, {{"dtype", DataType::kFloat}}),
                   {at, values, shape});
    EXPECT_EQ(run_kernel("DeserializeSparse", {packed->at(0)}, {{"dtype", DataType::kInt32}}).status(),
              absl::InvalidArgumentError(
                  "Requested SparseTensor of type int32 but SparseTensor[0].values.dtype() == float"));
  }
  EXPECT_EQ(run_kernel("DeserializeManySparse", {strings(Shape{1, 3}, {"a", "b", "c"})},
                       {{"dtype", DataType::kFloat}})
                .status(),
            absl::InvalidArgumentError("Could not parse serialized proto"));
}

TEST(SparseTensorsMap, gives_each_tensor_once) {
  KernelHarness harness;
  Tensor at = rows(3, 2, {0, 1, 0, 2, 2, 0}), values = floats({5, 6, 7}), shape = ints({3, 3});
  auto handles = harness.run("AddManySparseToTensorsMap", {at, values, shape}, {{"shared_name", "m"}});
  expect_outputs(handles, {ints({0, 2, 1})});
  AttrMap take = {{"shared_name", "m"}, {"dtype", DataType::kFloat}};
  expect_outputs(harness.run("TakeManySparseFromTensorsMap", {handles->at(0)}, take), {at, values, shape});
  EXPECT_EQ(harness.run("TakeManySparseFromTensorsMap", {ints({0})}, take).status(),
            absl::InvalidArgumentError("Unable to find SparseTensor: 0 in map: m"));
}

TEST(SetSize, hears_of_indices_out_of_bounds_without_validation_too) {
  auto out = run_kernel("SetSize",
                        {Tensor::from<int64_t>(Shape{1, 2}, {0, 5}), Tensor::vector<int32_t>({1}),
                         Tensor::vector<int64_t>({2, 2})},
                        {{"validate_indices", false}});
  EXPECT_EQ(out.status(), absl::InternalError("indices[0, 1] expected < 2, got 5."));
}

TEST(SetOperation, works_by_groups) {
  Tensor a = Tensor::from<int32_t>(Shape{2, 4}, {1, 2, 2, 3, 4, 5, 6, 6}),
         b = Tensor::from<int32_t>(Shape{2, 3}, {2, 3, 9, 7, 7, 6});
  expect_outputs(run_kernel("DenseToDenseSetOperation", {a, b}, {{"set_operation", "intersection"}}),
                 {rows(3, 2, {0, 0, 0, 1, 1, 0}), Tensor::vector<int32_t>({2, 3, 6}), ints({2, 2})});
  expect_outputs(run_kernel("DenseToSparseSetOperation",
                            {a, rows(2, 2, {0, 0, 1, 0}), Tensor::vector<int32_t>({9, 6}), ints({2, 1})},
                            {{"set_operation", "b-a"}}),
                 {rows(1, 2, {0, 0}), Tensor::vector<int32_t>({9}), ints({2, 1})});
  auto unknown = run_kernel("DenseToDenseSetOperation", {a, b}, {{"set_operation", "xx"}}).status();
  EXPECT_TRUE(absl::StrContains(unknown.message(), "Invalid set_operation xx.")) << unknown;
  expect_outputs(run_kernel("SetSize", {rows(3, 2, {0, 0, 0, 1, 1, 0}), Tensor::vector<int32_t>({2, 2, 6}),
                                        ints({3, 2})}),
                 {Tensor::vector<int32_t>({1, 1, 0})});
}

TEST(SparseCross, makes_every_combination) {
  std::vector<DataType> text = {DataType::kString}, number = {DataType::kInt64};
  std::vector<Tensor> in = {rows(3, 2, {0, 0, 1, 0, 1, 1}), strings(Shape{3}, {"a", "b", "c"}), ints({2, 2}),
                            rows(2, 2, {4, 5, 6, 7})};
  AttrMap attrs = {{"N", int64_t{1}}, {"sparse_types", text}, {"dense_types", number}};
  std::vector<Tensor> spelled = in, hashed = in;
  spelled.push_back(Tensor::string_scalar("_Y_"));
  expect_outputs(run_kernel("SparseCrossV2", spelled, attrs),
                 {rows(6, 2, {0, 0, 0, 1, 1, 0, 1, 1, 1, 2, 1, 3}),
                  strings(Shape{6}, {"a_Y_4", "a_Y_5", "b_Y_6", "b_Y_7", "c_Y_6", "c_Y_7"}), ints({2, 4})});
  for (Tensor t : {Tensor::scalar<int64_t>(100), Tensor::scalar<bool>(false), ints({137, 173})})
    hashed.push_back(t);
  auto out = run_kernel("SparseCrossHashed", hashed, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(1), ints({18, 9, 74, 72, 26, 8})));
}

TEST(Counts, of_ragged_and_sparse_values) {
  Tensor splits = ints({0, 2, 2, 4}), values = Tensor::vector<int32_t>({1, 3, 1, 1}),
         size = Tensor::scalar<int32_t>(5);
  expect_outputs(run_kernel("RaggedBincount", {splits, values, size, floats({1, 2, 3, 4})}),
                 {Tensor::from<float>(Shape{3, 5}, {0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0})});
  EXPECT_EQ(run_kernel("RaggedBincount", {ints({0, 2, 9}), values, size, floats({})}).status(),
            absl::InvalidArgumentError("Splits must end with the number of values, got 9 instead of 4"));
  EXPECT_EQ(run_kernel("RaggedBincount",
                       {ints({0, 2, 9}), values, Tensor::scalar<int64_t>(int64_t{1} << 50), floats({})})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument)
      << "before it makes room";
  expect_outputs(run_kernel("DenseCountSparseOutput", {zeros(DataType::kInt32, Shape{2, 0}), floats({})},
                            {{"binary_output", false}, {"output_type", DataType::kFloat}}),
                 {zeros(DataType::kInt64, Shape{0, 2}), floats({}), ints({2, 1})});
  expect_outputs(run_kernel("DenseCountSparseOutput",
                            {Tensor::from<int32_t>(Shape{2, 2}, {1, 3, 1, 1}), floats({})},
                            {{"binary_output", false}, {"output_type", DataType::kFloat}}),
                 {rows(3, 2, {0, 1, 0, 3, 1, 1}), floats({1, 1, 2}), ints({2, 4})});
}

TEST(SparseAdd, takes_a_threshold_of_any_real_dtype) {
  const Tensor at = Tensor::from<int64_t>({2, 1}, {0, 2}), shape = Tensor::vector<int64_t>({3});
  auto out = run_kernel("SparseAdd", {at, Tensor::vector<float>({1, 3}), shape, at,
                                      Tensor::vector<float>({1, 1}), shape, Tensor::scalar(int32_t{3})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int64_t>(), testing::ElementsAre(2));
  EXPECT_THAT(out->at(1).flat<float>(), testing::ElementsAre(4));
}

}  // namespace
}  // namespace troupe::test
