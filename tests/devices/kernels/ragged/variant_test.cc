#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;

const Tensor kNumbers = Tensor::vector<int32_t>({1, 2, 3});

absl::StatusOr<std::vector<Tensor>> to_variant(std::vector<Tensor> splits, const Tensor& flat, bool batched) {
  const int64_t rank = static_cast<int64_t>(splits.size());
  splits.push_back(flat);
  return run("RaggedTensorToVariant", splits,
             {{"RAGGED_RANK", rank}, {"Tvalues", flat.dtype()}, {"batched_input", batched}});
}

absl::StatusOr<std::vector<Tensor>> from_variant(const Tensor& encoded, int64_t input_rank,
                                                 int64_t output_rank, DataType dtype = DataType::kInt32) {
  return run("RaggedTensorFromVariant", {encoded},
             {{"input_ragged_rank", input_rank}, {"output_ragged_rank", output_rank}, {"Tvalues", dtype}});
}

TEST(RaggedVariant, keeps_a_whole_tensor) {
  auto encoded = to_variant({Tensor::vector<int64_t>({0, 2, 3})}, kNumbers, false);
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  auto out = from_variant(encoded->at(0), -1, 1);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(0)), ElementsAre(0, 2, 3));
  EXPECT_THAT(values<int32_t>(out->at(1)), ElementsAre(1, 2, 3));
}

TEST(RaggedVariant, takes_rows_apart_and_puts_them_together) {
  Tensor flat = Tensor::from<int32_t>(Shape{4, 2}, {1, 1, 2, 2, 3, 3, 4, 4});
  auto rows =
      to_variant({Tensor::vector<int64_t>({0, 2, 3}), Tensor::vector<int64_t>({0, 1, 1, 4})}, flat, true);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->at(0).shape(), Shape{2});
  auto out = from_variant(rows->at(0), 1, 2);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(0)), ElementsAre(0, 2, 3));
  EXPECT_THAT(values<int64_t>(out->at(1)), ElementsAre(0, 1, 1, 4));
  EXPECT_TRUE(tensors_near(out->at(2), flat));
  auto boxed = from_variant(rows->at(0).reshaped(Shape{2, 1}), -1, 3);
  ASSERT_TRUE(boxed.ok()) << boxed.status();
  EXPECT_THAT(values<int64_t>(boxed->at(0)), ElementsAre(0, 1, 2));
  EXPECT_THAT(values<int64_t>(boxed->at(1)), ElementsAre(0, 2, 3));
}

TEST(RaggedVariant, refuses_what_does_not_fit) {
  const auto why = [](const absl::StatusOr<std::vector<Tensor>>& out) {
    return std::string(out.status().message());
  };
  EXPECT_EQ(
      why(to_variant({Tensor::vector<int64_t>({0, 2, 5})}, kNumbers, true)),
      "Invalid ragged splits: last element of ragged splits must be the number of ragged values(3) but is 5");
  EXPECT_EQ(why(to_variant({}, Tensor::scalar<int32_t>(1), true)), "Can't unbatch rank-0 tensor.");
  Tensor rows = to_variant({Tensor::vector<int64_t>({0, 2, 3})}, kNumbers, true)->at(0);
  EXPECT_EQ(why(from_variant(rows, 1, 2)),
            "Encoded input RaggedTensorVariant has ragged_rank=0.  Expected ragged_rank=1.");
  EXPECT_EQ(why(from_variant(rows, 0, 1, DataType::kFloat)),
            "Expected values Tensor dtype: float, found: int32");
  EXPECT_EQ(
      why(from_variant(rows, 0, 2)),
      "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: 2, "
      "input_ragged_rank: 0, encoded_variant.dims(): 1.");
  EXPECT_FALSE(from_variant(Tensor(DataType::kVariant, Shape{1}), 0, 1).ok());
}

TEST(RaggedVariant, gives_gradients_their_shape) {
  Tensor rows = to_variant({Tensor::vector<int64_t>({0, 2, 3})}, kNumbers, true)->at(0);
  auto out = run("RaggedTensorToVariantGradient",
                 {rows, Tensor::vector<int64_t>({0, 2, 3}), Tensor::vector<int32_t>({3})},
                 {{"Tvalues", DataType::kInt32}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int32_t>(out->at(0)), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace troupe::test
