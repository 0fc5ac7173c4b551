// Records of fields.
#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using Types = std::vector<DataType>;

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

}  // namespace
}  // namespace troupe::test
