// Sequences of examples.
#include <gmock/gmock.h>

#include "tests/support/examples.h"
#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::StartsWith;
using Types = std::vector<DataType>;
using Shapes = std::vector<PartialShape>;

const Tensor kNoInts = Tensor(DataType::kInt64, Shape{0});
const Tensor kNoFloats = Tensor(DataType::kFloat, Shape{0});

const std::string& long_sequence() {
  static const std::string s =
      sequence({{"x", ints({1})}, {"y", bytes({"q"})}},
               {{"a", {ints({1, 2}), ints({3})}}, {"b", {floats({1.5f}), floats({2.5f})}}});
  return s;
}
const std::string& short_sequence() {
  static const std::string s = sequence({{"x", ints({5})}}, {{"a", {ints({4})}}, {"b", {}}});
  return s;
}

TEST(ParseSequenceExample, gives_context_and_lists) {
  AttrMap attrs = {{"Ncontext_sparse", 1},
                   {"context_sparse_types", Types{DataType::kString}},
                   {"Tcontext_dense", Types{DataType::kInt64}},
                   {"context_dense_shapes", Shapes{{1}}},
                   {"Nfeature_list_sparse", 1},
                   {"feature_list_sparse_types", Types{DataType::kInt64}},
                   {"Nfeature_list_dense", 1},
                   {"feature_list_dense_types", Types{DataType::kFloat}},
                   {"feature_list_dense_shapes", Shapes{{1}}},
                   {"feature_list_ragged_value_types", Types{DataType::kInt64}},
                   {"feature_list_ragged_split_types", Types{DataType::kInt32}}};
  auto out = run("ParseSequenceExampleV2",
                 {strings({long_sequence(), short_sequence()}), strings({}), strings({"y"}), strings({"x"}),
                  strings({}), strings({"a"}), strings({"b"}), strings({"a"}), Tensor::vector<bool>({false}),
                  kNoInts},
                 attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(0)), ElementsAre(0, 0));
  EXPECT_THAT(values<int64_t>(out->at(2)), ElementsAre(2, 1));
  EXPECT_THAT(values<int64_t>(out->at(3)), ElementsAre(1, 5));
  EXPECT_THAT(values<int64_t>(out->at(4)), ElementsAre(0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0));
  EXPECT_THAT(values<int64_t>(out->at(5)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values<int64_t>(out->at(6)), ElementsAre(2, 2, 2));
  EXPECT_EQ(out->at(7).shape(), (Shape{2, 2, 1}));
  EXPECT_THAT(values<float>(out->at(7)), ElementsAre(1.5f, 2.5f, 0, 0));
  EXPECT_THAT(values<int64_t>(out->at(8)), ElementsAre(2, 0));
  EXPECT_THAT(values<int32_t>(out->at(10)), ElementsAre(0, 2, 3));
  EXPECT_THAT(values<int32_t>(out->at(11)), ElementsAre(0, 2, 3, 4));
}

absl::StatusOr<std::vector<Tensor>> one_dense_list(const char* key, PartialShape shape, bool may_miss,
                                                   DataType dtype) {
  return run("ParseSequenceExample", {strings({long_sequence(), short_sequence()}), strings({})},
             {{"feature_list_dense_missing_assumed_empty",
               may_miss ? std::vector<std::string>{key} : std::vector<std::string>{}},
              {"context_sparse_keys", std::vector<std::string>{}},
              {"context_dense_keys", std::vector<std::string>{}},
              {"feature_list_sparse_keys", std::vector<std::string>{}},
              {"feature_list_dense_keys", std::vector<std::string>{key}},
              {"Nfeature_list_dense", 1},
              {"Tcontext_dense", Types{}},
              {"feature_list_dense_types", Types{dtype}},
              {"feature_list_dense_shapes", Shapes{std::move(shape)}}});
}

TEST(ParseSequenceExample, refuses_what_is_missing_or_of_another_size) {
  auto empty = one_dense_list("zz", {1}, true, DataType::kFloat);
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->at(0).shape(), (Shape{2, 0, 1}));
  EXPECT_EQ(
      message(one_dense_list("zz", {1}, false, DataType::kFloat)),
      "Name: <unknown>, Feature list 'zz' is required but could not be found.  Did you mean to include it in "
      "feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?");
  EXPECT_EQ(message(one_dense_list("a", {3}, false, DataType::kInt64)),
            "Feature list 'a' has an unexpected number of values.  Total values size: 4 is not consistent "
            "with output shape: [?,3]");
  EXPECT_EQ(message(one_dense_list("a", {1}, false, DataType::kInt64)),
            "Name: <unknown>, Key: a, Index: 0.  Number of values != expected.  values size: 2 but output "
            "shape: [1]");
  EXPECT_EQ(message(one_dense_list("a", {1}, false, DataType::kFloat)),
            "Name: <unknown>, Feature list: a, Index: 0.  Data types don't match. Expected type: float");
  EXPECT_EQ(message(one_dense_list("a", {-1}, false, DataType::kInt64)), "Shape [?] is not fully defined");
}

absl::StatusOr<std::vector<Tensor>> one_context(const char* key, const Tensor& fallback) {
  return run("ParseSingleSequenceExample",
             {Tensor::string_scalar(long_sequence()), strings({}), Tensor::string_scalar(key), fallback,
              Tensor::string_scalar("nm")},
             {{"Ncontext_dense", 1},
              {"Ncontext_sparse", 0},
              {"Nfeature_list_sparse", 0},
              {"Nfeature_list_dense", 0},
              {"Tcontext_dense", Types{fallback.dtype()}},
              {"context_dense_shapes", Shapes{{1}}}});
}

TEST(ParseSingleSequenceExample, takes_a_default_or_says_what_is_missing) {
  auto out = one_context("x", kNoInts);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(0)), ElementsAre(1));
  EXPECT_THAT(values<int64_t>(one_context("zz", Tensor::vector<int64_t>({8}))->at(0)), ElementsAre(8));
  EXPECT_EQ(message(one_context("zz", kNoInts)),
            "Name: nm, Context feature 'zz' is required but could not be found.");
  EXPECT_THAT(message(one_context("x", kNoFloats)),
              StartsWith("Name: nm, Context feature: x.  Data types don't match. Expected type: float"));
}

}  // namespace
}  // namespace troupe::test
