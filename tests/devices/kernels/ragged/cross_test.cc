#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

// Expected values are TensorFlow 2.21's.
namespace troupe::test {
namespace {

using testing::ElementsAre;
using Outputs = absl::StatusOr<std::vector<Tensor>>;

struct Inputs {
  Tensor texts = strings({"a", "b", "c", "d"});
  Tensor splits = Tensor::vector<int64_t>({0, 1, 4});
  Tensor indices = Tensor::from<int64_t>(Shape{3, 2}, {0, 0, 0, 1, 1, 0});
  Tensor values = strings({"x", "y", "z"});
  Tensor shape = Tensor::vector<int64_t>({2, 2});
  Tensor dense = Tensor::from<int64_t>(Shape{2, 2}, {5, 6, 7, 8});
};

Outputs cross(const Inputs& in, const std::string& order, DataType out, int64_t buckets = 0,
              int64_t key = 956888297470) {
  return run("RaggedCross",
             {in.texts, Tensor::vector<int64_t>({10, 20, 30}), in.splits, Tensor::vector<int64_t>({0, 1, 3}),
              in.indices, in.values, in.shape, in.dense},
             {{"Nsparse", int64_t{1}},
              {"input_order", order},
              {"hashed_output", out == DataType::kInt64},
              {"num_buckets", buckets},
              {"hash_key", key},
              {"ragged_values_types", std::vector<DataType>{DataType::kString, DataType::kInt64}},
              {"ragged_splits_types", std::vector<DataType>{DataType::kInt64, DataType::kInt64}},
              {"sparse_values_types", std::vector<DataType>{DataType::kString}},
              {"dense_types", std::vector<DataType>{DataType::kInt64}},
              {"out_values_type", out},
              {"out_row_splits_type", DataType::kInt64}});
}

std::vector<int64_t> numbers(const Tensor& t) { return {t.flat<int64_t>().begin(), t.flat<int64_t>().end()}; }

TEST(RaggedCross, joins_texts_in_the_order_of_inputs) {
  auto out = cross({}, "RRSD", DataType::kString);
  EXPECT_THAT(texts(out),
              ElementsAre("a_X_10_X_x_X_5", "a_X_10_X_x_X_6", "a_X_10_X_y_X_5", "a_X_10_X_y_X_6",
                          "b_X_20_X_z_X_7", "b_X_20_X_z_X_8", "b_X_30_X_z_X_7", "b_X_30_X_z_X_8",
                          "c_X_20_X_z_X_7", "c_X_20_X_z_X_8", "c_X_30_X_z_X_7", "c_X_30_X_z_X_8",
                          "d_X_20_X_z_X_7", "d_X_20_X_z_X_8", "d_X_30_X_z_X_7", "d_X_30_X_z_X_8"));
  ASSERT_TRUE(out.ok());
  EXPECT_THAT(numbers(out->at(1)), ElementsAre(0, 4, 16));
  EXPECT_EQ(texts(cross({}, "DSRR", DataType::kString))[1], "5_X_y_X_a_X_10");
}

TEST(RaggedCross, hashes_under_a_key) {
  auto out = cross({}, "RRSD", DataType::kInt64);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(numbers(out->at(0)),
              ElementsAre(5665905865423493002, 5061921274063739232, 8472795801941682005, 5809590807526900660,
                          5499967019807942492, 4769038958248788781, 8275952777446698270, 5552197175071721122,
                          3247694353880783972, 8797377741970329052, 1248822754020497003, 3086048113134393021,
                          3783248328699450875, 456169987973629236, 3757745576862258845, 7502203912698498406));
  out = cross({}, "RRSD", DataType::kInt64, 100, 7);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(numbers(out->at(0)),
              ElementsAre(57, 30, 95, 47, 3, 29, 88, 84, 96, 79, 58, 49, 19, 37, 72, 26));
}

TEST(RaggedCross, refuses_what_does_not_fit) {
  auto refused = [](const Inputs& in, const std::string& order = "RRSD") {
    return std::string(cross(in, order, DataType::kString).status().message());
  };
  EXPECT_EQ(refused({}, "RSD"), "Invalid length for input_order");
  EXPECT_EQ(refused({}, "RRSX"), "Unexpected input_order value.");
  EXPECT_EQ(
      refused({}, "RRRD"),
      "input_order \"RRRD\" specifies reading a ragged tensor value at index 2 from a list of 2 values.");
  EXPECT_EQ(refused({.splits = Tensor::vector<int64_t>({1, 1, 4})}),
            "Invalid ragged splits: first element of ragged splits  must be 0 but is 1");
  EXPECT_EQ(refused({.splits = Tensor::vector<int64_t>({0, 5, 4})}),
            "Invalid ragged splits: ragged splits must be monotonically increasing, but ragged_splits[2]=4 "
            "is smaller "
            "than row_splits[1]=5");
  EXPECT_EQ(
      refused({.splits = Tensor::vector<int64_t>({0, 1, 3})}),
      "Invalid ragged splits: last element of ragged splits must be the number of ragged values(4) but is 3");
  EXPECT_EQ(refused({.splits = Tensor::vector<int64_t>({})}),
            "Invalid ragged splits: ragged splits must have at least one splits, but is empty");
  EXPECT_EQ(refused({.texts = strings({"a"}, Shape{1, 1})}),
            "tf.ragged.cross only supports inputs with rank=2.");
  EXPECT_EQ(refused({.splits = Tensor::vector<int64_t>({0, 1, 2, 4})}),
            "inputs must all have the same batch dimension size.");
  EXPECT_EQ(refused({.indices = Tensor::from<int64_t>(Shape{2, 2}, {0, 0, 0, 1})}), "Invalid SparseTensor 0");
  EXPECT_EQ(refused({.shape = Tensor::vector<int64_t>({3, 2})}),
            "inputs must all have the same batch dimension size.");
  EXPECT_FALSE(
      cross({.shape = Tensor::vector<int64_t>({int64_t{1} << 60, 2})}, "SRRD", DataType::kString).ok());
}

TEST(RaggedCross, leaves_out_entries_beyond_the_batch) {
  const Inputs in = {.indices = Tensor::from<int64_t>(Shape{3, 2}, {0, 0, 5, 1, -1, 0})};
  EXPECT_THAT(texts(cross(in, "RRSD", DataType::kString)), ElementsAre("a_X_10_X_x_X_5", "a_X_10_X_x_X_6"));
}

TEST(TensorToHashBucketFast, hashes_decimal_digits) {
  auto out = run("_TensorToHashBucketFast", {Tensor::vector<int32_t>({1, -2, 300000, 0})},
                 {{"num_buckets", int64_t{1000003}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(numbers(out->at(0)), ElementsAre(361198, 770841, 895430, 537292));
}

}  // namespace
}  // namespace troupe::test
