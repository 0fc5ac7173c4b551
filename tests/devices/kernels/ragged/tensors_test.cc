#include <gtest/gtest.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

Tensor ints(std::initializer_list<int64_t> values) { return Tensor::vector<int64_t>(values); }

Tensor floats(std::initializer_list<float> values) { return Tensor::vector<float>(values); }

void expect_outputs(const absl::StatusOr<std::vector<Tensor>>& got, const std::vector<Tensor>& want) {
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(tensors_near(got->at(i), want[i], 1e-4)) << "output " << i;
}

TEST(RaggedRange, stops_before_the_limit) {
  auto v = [](std::initializer_list<int32_t> x) { return Tensor::vector<int32_t>(x); };
  AttrMap attrs = {{"Tsplits", DataType::kInt64}};
  expect_outputs(run_kernel("RaggedRange", {v({5, 0, 0}), v({0, 3, 3}), v({-2, -1, 2})}, attrs),
                 {ints({0, 3, 3, 5}), v({5, 3, 1, 0, 2})});
  EXPECT_EQ(run_kernel("RaggedRange", {v({0}), v({3}), v({0})}, attrs).status(),
            absl::InvalidArgumentError("Requires delta != 0"));
}

TEST(RaggedRange, counts_as_far_as_numbers_go) {
  const AttrMap attrs = {{"Tsplits", DataType::kInt64}};
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(run_kernel("RaggedRange", {ints({0}), ints({kMost}), ints({1})}, attrs).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(run_kernel("RaggedRange", {ints({-kMost}), ints({kMost}), ints({1})}, attrs).status(),
            absl::InvalidArgumentError("Requires ((limit - start) / delta) <= 9223372036854775807"));
}

/// Rows {1, 2}, {}, {3, 4, 5}.
const Tensor kSplits = Tensor::vector<int64_t>({0, 2, 2, 5}),
             kValues = Tensor::vector<float>({1, 2, 3, 4, 5});

TEST(RaggedTensorToTensor, pads_and_crops) {
  const std::vector<std::string> splits = {"ROW_SPLITS"}, ids = {"FIRST_DIM_SIZE", "VALUE_ROWIDS"};
  Tensor zero = Tensor::scalar<float>(0), nine = Tensor::scalar<float>(9);
  expect_outputs(run_kernel("RaggedTensorToTensor", {ints({-1, -1}), kValues, zero, kSplits},
                            {{"row_partition_types", splits}, {"num_row_partition_tensors", int64_t{1}}}),
                 {Tensor::from<float>(Shape{3, 3}, {1, 2, 0, 0, 0, 0, 3, 4, 5})});
  expect_outputs(run_kernel("RaggedTensorToTensor", {ints({2, 2}), kValues, nine, kSplits},
                            {{"row_partition_types", splits}, {"num_row_partition_tensors", int64_t{1}}}),
                 {Tensor::from<float>(Shape{2, 2}, {1, 2, 9, 9})});
  AttrMap by_id = {{"row_partition_types", ids}, {"num_row_partition_tensors", int64_t{2}}};
  expect_outputs(
      run_kernel("RaggedTensorToTensor",
                 {ints({-1, -1}), kValues, zero, Tensor::scalar<int64_t>(3), ints({0, 0, 2, 2, 2})}, by_id),
      {Tensor::from<float>(Shape{3, 3}, {1, 2, 0, 0, 0, 0, 3, 4, 5})});
  EXPECT_EQ(run_kernel("RaggedTensorToTensor",
                       {ints({-1, -1}), kValues, zero, Tensor::scalar<int64_t>(3), ints({0, 0, 2, 2, 7})},
                       by_id)
                .status(),
            absl::InvalidArgumentError("Got next_value_rowid=7 which is not less than 3"));
}

TEST(RaggedTensorToSparse, numbers_rows_and_columns) {
  expect_outputs(run_kernel("RaggedTensorToSparse", {kSplits, kValues}, {{"RAGGED_RANK", int64_t{1}}}),
                 {Tensor::from<int64_t>(Shape{5, 2}, {0, 0, 0, 1, 2, 0, 2, 1, 2, 2}), kValues, ints({3, 3})});
  EXPECT_EQ(run_kernel("RaggedTensorToSparse", {ints({0, 3, 2, 5}), kValues}, {{"RAGGED_RANK", int64_t{1}}})
                .status(),
            absl::InvalidArgumentError("Ragged splits should be non decreasing, but we got 3 followed by 2"));
}

TEST(RaggedGather, takes_rows_in_any_order) {
  AttrMap attrs = {{"PARAMS_RAGGED_RANK", int64_t{1}}, {"OUTPUT_RAGGED_RANK", int64_t{1}}};
  expect_outputs(run_kernel("RaggedGather", {kSplits, kValues, Tensor::vector<int32_t>({2, 0, 2})}, attrs),
                 {ints({0, 3, 5, 8}), floats({3, 4, 5, 1, 2, 3, 4, 5})});
  EXPECT_EQ(run_kernel("RaggedGather", {kSplits, kValues, Tensor::vector<int32_t>({3})}, attrs).status(),
            absl::InvalidArgumentError("indices[0] = 3 is not in [0, 3)"));
}

}  // namespace
}  // namespace troupe::test
