// Examples: as sparse, dense and ragged tensors, and from JSON.
#include <gmock/gmock.h>

#include "tests/support/examples.h"
#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using Types = std::vector<DataType>;
using Shapes = std::vector<PartialShape>;

const std::string& first() {
  static const std::string e =
      example({{"a", ints({1, 2})}, {"b", floats({1.5f})}, {"c", bytes({"x", "y"})}});
  return e;
}
const std::string& second() {
  static const std::string e = example({{"a", ints({3})}, {"b", floats({2.5f, 3.5f})}});
  return e;
}

/// What ParseExampleV2 is asked for.
struct Query {
  std::vector<std::string> sparse = {}, dense = {}, ragged = {};
  Types sparse_types = {}, ragged_types = {}, split_types = {};
  std::vector<Tensor> defaults = {};
  Shapes shapes = {};
  std::vector<std::string> names = {};
};

absl::StatusOr<std::vector<Tensor>> parse(const Tensor& serialized, Query q) {
  Types dense_types;
  std::vector<Tensor> inputs = {serialized, strings(q.names), strings(q.sparse), strings(q.dense),
                                strings(q.ragged)};
  for (const Tensor& t : q.defaults) {
    dense_types.push_back(t.dtype());
    inputs.push_back(t);
  }
  return run("ParseExampleV2", inputs,
             {{"Tdense", dense_types},
              {"num_sparse", static_cast<int64_t>(q.sparse.size())},
              {"sparse_types", q.sparse_types},
              {"ragged_value_types", q.ragged_types},
              {"ragged_split_types", q.split_types},
              {"dense_shapes", q.shapes}});
}

const Tensor kNoInts = Tensor(DataType::kInt64, Shape{0});
const Tensor kNoFloats = Tensor(DataType::kFloat, Shape{0});

TEST(ParseExample, gives_sparse_tensors) {
  auto out = parse(strings({first(), second(), ""}),
                   {.sparse = {"a", "c"}, .sparse_types = {DataType::kInt64, DataType::kString}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(0)), ElementsAre(0, 0, 0, 1, 1, 0));
  EXPECT_THAT(values<int64_t>(out->at(1)), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(values<int64_t>(out->at(2)), ElementsAre(1, 2, 3));
  EXPECT_THAT(texts(out->at(3)), ElementsAre("x", "y"));
  EXPECT_THAT(values<int64_t>(out->at(4)), ElementsAre(3, 2));
  EXPECT_THAT(values<int64_t>(out->at(5)), ElementsAre(3, 2));
}

TEST(ParseExample, gives_ragged_tensors) {
  auto out = parse(strings({first(), second()}), {.ragged = {"a", "b"},
                                                  .ragged_types = {DataType::kInt64, DataType::kFloat},
                                                  .split_types = {DataType::kInt32, DataType::kInt64}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(0)), ElementsAre(1, 2, 3));
  EXPECT_THAT(values<float>(out->at(1)), ElementsAre(1.5f, 2.5f, 3.5f));
  EXPECT_THAT(values<int32_t>(out->at(2)), ElementsAre(0, 2, 3));
  EXPECT_THAT(values<int64_t>(out->at(3)), ElementsAre(0, 1, 3));
}

TEST(ParseExample, gives_dense_rows_defaults_and_padding) {
  auto fixed = parse(strings({first(), ""}),
                     {.dense = {"b"}, .defaults = {Tensor::vector<float>({9})}, .shapes = {{1}}});
  ASSERT_TRUE(fixed.ok()) << fixed.status();
  EXPECT_EQ(fixed->at(0).shape(), (Shape{2, 1}));
  EXPECT_THAT(values<float>(fixed->at(0)), ElementsAre(1.5f, 9));
  auto padded = parse(strings({first(), second(), ""}),
                      {.dense = {"a"}, .defaults = {Tensor::vector<int64_t>({7})}, .shapes = {{-1}}});
  ASSERT_TRUE(padded.ok()) << padded.status();
  EXPECT_EQ(padded->at(0).shape(), (Shape{3, 2}));
  EXPECT_THAT(values<int64_t>(padded->at(0)), ElementsAre(1, 2, 3, 7, 7, 7));
}

TEST(ParseExample, takes_a_single_example) {
  auto out = parse(Tensor::string_scalar(first()), {.sparse = {"c"},
                                                    .dense = {"a"},
                                                    .ragged = {"b"},
                                                    .sparse_types = {DataType::kString},
                                                    .ragged_types = {DataType::kFloat},
                                                    .split_types = {DataType::kInt64},
                                                    .defaults = {kNoInts},
                                                    .shapes = {{2}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{2, 1}));
  EXPECT_THAT(values<int64_t>(out->at(2)), ElementsAre(2));
  EXPECT_THAT(values<int64_t>(out->at(3)), ElementsAre(1, 2));
  EXPECT_THAT(values<float>(out->at(4)), ElementsAre(1.5f));
  EXPECT_EQ(out->at(5).shape(), Shape{0});
}

TEST(ParseExample, lets_the_later_of_joined_messages_win) {
  auto out = parse(strings({first() + second()}),
                   {.sparse = {"a", "c"}, .sparse_types = {DataType::kInt64, DataType::kString}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(2)), ElementsAre(3));
  EXPECT_THAT(texts(out->at(3)), ElementsAre("x", "y"));
}

TEST(ParseExample, reads_unpacked_lists) {
  // Feature "a" with the int64 values 5 and 6 as separate fields, and "f" with one unpacked float.
  const std::string unpacked(
      "\x0a\x1a\x0a\x0b\x0a\x01"
      "a\x12\x06\x1a\x04\x08\x05\x08\x06\x0a\x0b\x0a\x01"
      "f\x12\x06\x12\x05\x0d\x00\x00\x80?",
      28);
  auto out = parse(strings({unpacked.substr(0, 2) + unpacked.substr(2)}),
                   {.sparse = {"a"}, .sparse_types = {DataType::kInt64}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(1)), ElementsAre(5, 6));
}

TEST(ParseExample, says_which_feature_is_wrong) {
  Query floats_of_b = {.dense = {"b"}, .defaults = {kNoFloats}, .shapes = {{1}}, .names = {"n1", "n2"}};
  EXPECT_EQ(message(parse(strings({first(), ""}), floats_of_b)),
            "Name: n2, Feature: b (data type: float) is required but could not be found.");
  floats_of_b.names.clear();
  EXPECT_EQ(message(parse(strings({first(), second()}), floats_of_b)),
            "Name: <unknown>, Key: b, Index: 1.  Number of float values != expected.  Values size: 2 but "
            "output shape: [1]");
  EXPECT_EQ(
      message(parse(strings({first()}), {.sparse = {"a"}, .sparse_types = {DataType::kFloat}})),
      "Name: <unknown>, Key: a, Index: 0.  Data types don't match. Expected type: float, Actual type: int64");
  EXPECT_EQ(message(parse(strings({first()}), {.dense = {"a"}, .defaults = {kNoFloats}, .shapes = {{1}}})),
            "Name: <unknown>, Key: a, Index: 0.  Data types don't match. Data type: int64 but expected type: "
            "float");
  EXPECT_EQ(message(parse(strings({second()}),
                          {.dense = {"a"}, .defaults = {Tensor::vector<int64_t>({0})}, .shapes = {{-1, 2}}})),
            "Name: <unknown>, Key: a, Index: 0.  Number of int64 values is not a multiple of stride length. "
            "Saw 1 values but output shape is: [?,2]");
  EXPECT_THAT(message(parse(Tensor::string_scalar(second()),
                            {.dense = {"a"}, .defaults = {kNoInts}, .shapes = {{2}}})),
              StartsWith("Key: a.  Can't parse serialized Example: Some int64_list slice was not parsed."));
}

TEST(ParseExample, refuses_shapes_and_counts_that_do_not_fit) {
  EXPECT_EQ(message(parse(strings({first()}), {.dense = {"a"}, .defaults = {kNoInts}, .shapes = {{-1}}})),
            "dense_shape[0] is a variable length shape: [?], therefore def_value[0] must contain a single "
            "element (the "
            "padding element).  But its shape is: [0]");
  EXPECT_EQ(message(parse(strings({first()}), {.dense = {"a"}, .defaults = {kNoInts}, .shapes = {{2, -1}}})),
            "dense_shapes[0] has unknown rank or unknown inner dimensions: [2,?]");
  EXPECT_EQ(
      message(parse(strings({first()}),
                    {.dense = {"a"}, .defaults = {Tensor::vector<int64_t>({0, 0, 0})}, .shapes = {{2}}})),
      "def_value[0].shape() == [3] is not compatible with dense_shapes_[0] == [2]");
  EXPECT_EQ(
      message(parse(strings({first()}, Shape{1, 1}), {.sparse = {"a"}, .sparse_types = {DataType::kInt64}})),
      "Expected serialized to be a scalar or vector, got shape: [1,1]");
  EXPECT_EQ(message(parse(strings({first(), first()}),
                          {.sparse = {"a"}, .sparse_types = {DataType::kInt64}, .names = {"n"}})),
            "Expected names have the same shape as serialized: name.shape=[1], serialized.shape=[2]");
}

TEST(ParseExample, refuses_every_broken_off_message) {
  const std::string whole = example({{"abc", ints({1, 200, -1})}});
  int refused = 0;
  for (size_t n = 1; n < whole.size(); ++n) {
    auto out = parse(strings({whole.substr(0, n)}), {.sparse = {"abc"}, .sparse_types = {DataType::kInt64}});
    if (out.ok()) continue;
    EXPECT_THAT(message(out), StartsWith("Could not parse example input, value: '"));
    ++refused;
  }
  EXPECT_EQ(refused, static_cast<int>(whole.size()) - 1);
  EXPECT_THAT(message(parse(strings({"\xff\xff"}), {.sparse = {"a"}, .sparse_types = {DataType::kInt64}})),
              HasSubstr("Could not parse example input"));
}

TEST(ParseExample, makes_empty_outputs_of_no_examples) {
  auto out = parse(Tensor(DataType::kString, Shape{0}), {.sparse = {"a"},
                                                         .dense = {"d"},
                                                         .ragged = {"b"},
                                                         .sparse_types = {DataType::kInt64},
                                                         .ragged_types = {DataType::kFloat},
                                                         .split_types = {DataType::kInt64},
                                                         .defaults = {kNoInts},
                                                         .shapes = {{2}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{0, 2}));
  EXPECT_THAT(values<int64_t>(out->at(2)), ElementsAre(0, 0));
  EXPECT_EQ(out->at(3).shape(), (Shape{0, 2}));
  EXPECT_THAT(values<int64_t>(out->at(5)), ElementsAre(0));
}

TEST(ParseSingleExample, takes_keys_from_attrs) {
  auto out = run("ParseSingleExample", {Tensor::string_scalar(first()), kNoInts},
                 {{"num_sparse", 1},
                  {"sparse_keys", std::vector<std::string>{"c"}},
                  {"dense_keys", std::vector<std::string>{"a"}},
                  {"sparse_types", Types{DataType::kString}},
                  {"Tdense", Types{DataType::kInt64}},
                  {"dense_shapes", Shapes{{2}}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(texts(out->at(1)), ElementsAre("x", "y"));
  EXPECT_THAT(values<int64_t>(out->at(3)), ElementsAre(1, 2));
}

TEST(DecodeJsonExample, turns_json_into_messages) {
  auto out = run("DecodeJSONExample",
                 {strings({R"({"features":{"feature":{"a":{"int64List":{"value":["1"]}}}}})"})});
  EXPECT_THAT(texts(out), ElementsAre("\x0a\x0b\x0a\x09\x0a\x01"
                                      "a\x12\x04\x1a\x02\x08\x01"));
  EXPECT_THAT(message(run("DecodeJSONExample", {strings({"{bad"})})),
              StartsWith("Error while parsing JSON: "));
}

}  // namespace
}  // namespace troupe::test
