#include <gmock/gmock.h>

#include "proto/example.pb.h"
#include "proto/pb.h"
#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using Types = std::vector<DataType>;
using Shapes = std::vector<PartialShape>;

template <class T>
std::vector<T> values(const Tensor& t) {
  return {t.flat<T>().begin(), t.flat<T>().end()};
}

pb::Feature ints(std::vector<int64_t> v) {
  pb::Feature f;
  f.mutable_int64_list()->mutable_value()->Add(v.begin(), v.end());
  return f;
}
pb::Feature floats(std::vector<float> v) {
  pb::Feature f;
  f.mutable_float_list()->mutable_value()->Add(v.begin(), v.end());
  return f;
}
pb::Feature bytes(std::vector<std::string> v) {
  pb::Feature f;
  for (const std::string& s : v) f.mutable_bytes_list()->add_value(s);
  return f;
}

using Features = std::vector<std::pair<std::string, pb::Feature>>;

std::string example(const Features& features) {
  pb::Example e;
  for (const auto& [key, f] : features) (*e.mutable_features()->mutable_feature())[key] = f;
  return e.SerializeAsString();
}

std::string sequence(const Features& context,
                     const std::vector<std::pair<std::string, std::vector<pb::Feature>>>& lists) {
  pb::SequenceExample e;
  for (const auto& [key, f] : context) (*e.mutable_context()->mutable_feature())[key] = f;
  for (const auto& [key, steps] : lists) {
    pb::FeatureList& list = (*e.mutable_feature_lists()->mutable_feature_list())[key];
    for (const pb::Feature& f : steps) *list.add_feature() = f;
  }
  return e.SerializeAsString();
}

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

std::string message(const absl::StatusOr<std::vector<Tensor>>& out) {
  return std::string(out.status().message());
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

absl::StatusOr<std::vector<Tensor>> csv(const char* record, std::vector<Tensor> defaults,
                                        AttrMap attrs = {}) {
  Types types;
  for (const Tensor& t : defaults) types.push_back(t.dtype());
  attrs.set("OUT_TYPE", types);
  defaults.insert(defaults.begin(), strings({record}));
  return run("DecodeCSV", defaults, attrs);
}

TEST(DecodeCsv, reads_quotes_defaults_and_chosen_columns) {
  const Tensor word = strings({"d"}), number = Tensor::vector<int32_t>({7});
  auto out = csv("\"a \"\"q\"\", b\",,2.5", {word, number, Tensor::vector<float>({0})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(texts(out->at(0)), ElementsAre("a \"q\", b"));
  EXPECT_THAT(values<int32_t>(out->at(1)), ElementsAre(7));
  EXPECT_THAT(values<float>(out->at(2)), ElementsAre(2.5f));
  EXPECT_THAT(
      values<int32_t>(csv("NA;1", {number, number}, {{"na_value", "NA"}, {"field_delim", ";"}})->at(0)),
      ElementsAre(7));
  EXPECT_THAT(
      values<int32_t>(csv("1,2,3", {number, number}, {{"select_cols", std::vector<int64_t>{0, 2}}})->at(1)),
      ElementsAre(3));
  EXPECT_THAT(texts(csv("a\"b", {word}, {{"use_quote_delim", false}})->at(0)), ElementsAre("a\"b"));
}

TEST(DecodeCsv, refuses_what_is_no_record) {
  const Tensor word = strings({"d"}), number = Tensor::vector<int32_t>({7});
  EXPECT_EQ(message(csv("1,2", {number})), "Expect 1 fields but have 2 in record 0");
  EXPECT_EQ(message(csv("", {number})), "Expect 1 fields but have 0 in record 0");
  EXPECT_EQ(message(csv(",a", {Tensor(DataType::kInt32, Shape{0}), word})),
            "Field 0 is required but missing in record 0!");
  EXPECT_EQ(message(csv("x", {number})), "Field 0 in record 0 is not a valid int32: x");
  EXPECT_EQ(message(csv("a\"b", {word})), "Unquoted fields cannot have quotes/CRLFs inside");
  EXPECT_EQ(message(csv("a\r", {word}, {{"use_quote_delim", false}})),
            "Unquoted fields cannot have quotes/CRLFs inside");
  EXPECT_THAT(texts(csv("a,x\"y", {word}, {{"select_cols", std::vector<int64_t>{0}}})->at(0)),
              ElementsAre("a"));
  EXPECT_THAT(values<float>(csv("0x10", {Tensor::vector<float>({0})})->at(0)), ElementsAre(16));
  EXPECT_EQ(message(csv("\"a", {word})), "Quoted field has to end with quote followed by delim or end");
  EXPECT_EQ(message(csv("\"a\"b", {word})), "Quote inside a string has to be escaped by another quote");
  EXPECT_EQ(message(csv("1", {Tensor::vector<int32_t>({1, 2})})),
            "There should only be 1 default per field but field 0 has 2");
  EXPECT_EQ(message(csv("1", {number}, {{"field_delim", ""}})), "field_delim should be only 1 char");
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
