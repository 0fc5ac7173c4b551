// Strings cut, joined and matched.
#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(StringSplit, cuts_at_any_of_the_bytes_or_between_all) {
  auto out = run("StringSplit", {strings({"a b  c", "", " d"}), text(" ")}, {{"skip_empty", false}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(0)), ElementsAre(0, 0, 0, 1, 0, 2, 0, 3, 2, 0, 2, 1));
  EXPECT_THAT(texts(out->at(1)), ElementsAre("a", "b", "", "c", "", "d"));
  EXPECT_THAT(values<int64_t>(out->at(2)), ElementsAre(3, 4));
  EXPECT_THAT(texts(run("StringSplit", {strings({"abc", ""}), text("")})->at(1)), ElementsAre("a", "b", "c"));
  EXPECT_EQ(run("StringSplit", {text("a"), text("")}).status(),
            absl::InvalidArgumentError("input must be a vector, got shape: []"));
  EXPECT_EQ(run("StringSplit", {strings({"a"}), strings({""})}).status(),
            absl::InvalidArgumentError("delimiter must be a scalar, got shape: [1]"));
}

TEST(StringSplitV2, cuts_like_python) {
  const auto cut = [](const char* s, const char* sep, int64_t limit) {
    return texts(run("StringSplitV2", {strings({s}), text(sep)}, {{"maxsplit", limit}})->at(1));
  };
  EXPECT_THAT(cut(" a b  c ", "", -1), ElementsAre("a", "b", "c"));
  EXPECT_THAT(cut(" a b c d ", "", 1), ElementsAre("a", "b c d "));
  EXPECT_THAT(cut(" a b ", "", 0), ElementsAre(" a b "));
  EXPECT_THAT(cut("a ", "", 1), ElementsAre("a", ""));
  EXPECT_THAT(cut("a<>b<><>", "<>", -1), ElementsAre("a", "b", "", ""));
  EXPECT_THAT(cut("a<>b<>c", "<>", 1), ElementsAre("a", "b<>c"));
  EXPECT_THAT(cut("aaaa", "aa", -1), ElementsAre("", "", ""));
  EXPECT_THAT(cut("", "<>", -1), ElementsAre(""));
  EXPECT_THAT(cut("", "", -1), ElementsAre());
}

TEST(StringNGrams, pads_and_keeps_short_rows) {
  const auto grams = [](std::vector<int64_t> widths, int64_t pad, bool keep) {
    return run("StringNGrams", {strings({"a", "b", "c", "d"}), Tensor::vector<int64_t>({0, 2, 2, 4})},
               {{"separator", "|"},
                {"ngram_widths", widths},
                {"left_pad", "L"},
                {"right_pad", "R"},
                {"pad_width", pad},
                {"preserve_short_sequences", keep}});
  };
  auto padded = grams({2}, -1, false);
  ASSERT_TRUE(padded.ok()) << padded.status();
  EXPECT_THAT(texts(padded->at(0)), ElementsAre("L|a", "a|b", "b|R", "L|R", "L|c", "c|d", "d|R"));
  EXPECT_THAT(values<int64_t>(padded->at(1)), ElementsAre(0, 3, 4, 7));
  auto kept = grams({5}, 1, true);
  EXPECT_THAT(texts(kept->at(0)), ElementsAre("L|a|b|R", "L|c|d|R"));
  EXPECT_THAT(values<int64_t>(kept->at(1)), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(texts(grams({3, 1}, 0, false)->at(0)), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(grams({0}, 0, false).status(),
            absl::InvalidArgumentError("ngram_widths must contain positive values"));
}

TEST(StringNGrams, refuses_splits_that_are_none) {
  const auto why = [](Tensor splits) {
    return std::string(run("StringNGrams", {strings({"a", "b"}), std::move(splits)},
                           {{"separator", ""},
                            {"ngram_widths", std::vector<int64_t>{1}},
                            {"left_pad", ""},
                            {"right_pad", ""},
                            {"pad_width", 0},
                            {"preserve_short_sequences", false}})
                           .status()
                           .message());
  };
  EXPECT_EQ(why(Tensor::vector<int64_t>({1, 2})), "First split value must be 0, got 1");
  EXPECT_EQ(why(Tensor::vector<int64_t>({0, 3})), "Invalid split value 3, must be in [0, 2]");
  EXPECT_EQ(why(Tensor::vector<int64_t>({0, 2, 1})), "Invalid split value 1, must be in [2, 2]");
  EXPECT_EQ(why(Tensor::vector<int64_t>({0, 1})), "Last split value must be data size. Expected 2, got 1");
}

TEST(Substr, counts_bytes_or_characters_from_either_end) {
  const auto sub = [](const char* s, int32_t pos, int32_t len, const char* unit) {
    auto out = run("Substr", {text(s), Tensor::scalar(pos), Tensor::scalar(len)}, {{"unit", unit}});
    return out.ok() ? texts(out->at(0))[0] : std::string(out.status().message());
  };
  EXPECT_EQ(sub("hello", 1, 3, "BYTE"), "ell");
  EXPECT_EQ(sub("hello", -3, 2, "BYTE"), "ll");
  EXPECT_EQ(sub("hello", 5, 2, "BYTE"), "");
  EXPECT_EQ(sub("hello", 1, -1, "BYTE"), "ello");
  EXPECT_EQ(sub("hello", 6, 2, "BYTE"), "pos 6 out of range for string b'hello' at index 0");
  EXPECT_EQ(sub("hello", -6, 2, "BYTE"), "pos -6 out of range for string b'hello' at index 0");
  EXPECT_EQ(sub("你好吗", -2, 1, "UTF8_CHAR"), "好");
  EXPECT_EQ(sub("你好吗", 3, 1, "UTF8_CHAR"), "");
  EXPECT_EQ(sub("你好吗", 4, 1, "UTF8_CHAR"), "pos 4 out of range for string at index 0");
  EXPECT_EQ(sub("\xff\x80"
                "ab",
                1, 1, "UTF8_CHAR"),
            "a");
}

TEST(Substr, broadcasts) {
  auto out = run("Substr", {strings({"hello", "w"}), Tensor::from<int32_t>(Shape{2, 1}, {1, 0}),
                            Tensor::from<int32_t>(Shape{2, 1}, {3, 2})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{2, 2}));
  EXPECT_THAT(texts(out->at(0)), ElementsAre("ell", "", "he", "w"));
  EXPECT_EQ(run("Substr",
                {strings({"a", "b"}), Tensor::vector<int32_t>({0, 0, 0}), Tensor::vector<int32_t>({1, 1, 1})})
                .status(),
            absl::InvalidArgumentError("Incompatible shapes: [2] vs. [3]"));
  EXPECT_EQ(
      run("Substr", {strings({"a"}), Tensor::vector<int32_t>({0}), Tensor::scalar<int32_t>(1)}).status(),
      absl::InvalidArgumentError("pos and len should have the same shape, got: [1] vs. []"));
}

TEST(Substr, broadcasts_matrices_at_most) {
  const auto substr = [](const Shape& in, const Shape& at) {
    Tensor s(DataType::kString, in), pos(DataType::kInt32, at);
    for (TString& t : s.flat<TString>()) t.assign("abc");
    for (int32_t& p : pos.flat<int32_t>()) p = 1;
    return run("Substr", {s, pos, pos});
  };
  EXPECT_EQ(substr({1, 1, 3}, {3}).status(),
            absl::UnimplementedError("Substr broadcast not implemented for 3 dimensions"));
  EXPECT_EQ(substr({2, 3}, {1, 1, 1}).status(),
            absl::UnimplementedError("Substr broadcast not implemented for 3 dimensions"));
  for (const Shape& at : {Shape{2, 1, 3}, Shape{}}) {
    auto same = substr({2, 1, 3}, at);
    ASSERT_TRUE(same.ok()) << same.status();
    EXPECT_EQ(texts(same->at(0))[5], "b");
  }
}

TEST(Joins, join_in_the_order_asked_for) {
  Tensor matrix = strings({"a", "b", "c", "d"}, Shape{2, 2});
  EXPECT_THAT(
      texts(run("StringJoin", {strings({"a", "b"}), text("-"), strings({"c", "d"})}, {{"separator", ","}})),
      ElementsAre("a,-,c", "b,-,d"));
  EXPECT_EQ(run("StringJoin", {strings({"a", "b"}), strings({"c"})}).status(),
            absl::InvalidArgumentError("Input shapes do not match: [2] vs. [1]"));
  EXPECT_THAT(texts(run("ReduceJoin", {matrix, Tensor::vector<int32_t>({1, 0})}, {{"separator", "."}})),
              ElementsAre("a.b.c.d"));
  EXPECT_THAT(texts(run("ReduceJoin", {matrix, Tensor::vector<int32_t>({0, 1})}, {{"separator", "."}})),
              ElementsAre("a.c.b.d"));
  EXPECT_THAT(texts(run("ReduceJoin", {Tensor(DataType::kString, Shape{2, 0}), Tensor::scalar<int32_t>(1)})),
              ElementsAre("", ""));
  EXPECT_EQ(run("ReduceJoin", {matrix, Tensor::vector<int32_t>({0, -2})}).status(),
            absl::InvalidArgumentError("Duplicate reduction dimension 0"));
  EXPECT_EQ(run("ReduceJoin", {matrix, Tensor::scalar<int32_t>(2)}).status(),
            absl::OutOfRangeError("Invalid reduction dimension 2 for input with 2 dimension(s)"));
}

TEST(UnsortedSegmentJoin, joins_rows_by_segment) {
  Tensor matrix = strings({"a", "b", "c", "d"}, Shape{2, 2}), two = Tensor::scalar<int32_t>(2);
  EXPECT_THAT(
      texts(run("UnsortedSegmentJoin", {matrix, Tensor::vector<int32_t>({1, 1}), two}, {{"separator", ":"}})),
      ElementsAre("", "", "a:c", "b:d"));
  EXPECT_THAT(
      std::string(
          run("UnsortedSegmentJoin", {matrix, Tensor::vector<int32_t>({1, 2}), two}).status().message()),
      HasSubstr("not allowed to exceed num_segments"));
  EXPECT_EQ(run("UnsortedSegmentJoin", {matrix, Tensor::vector<int32_t>({1}), two}).status(),
            absl::InvalidArgumentError("Segment dimension is 1 while input dimension is 2 in rank 0"));
  EXPECT_EQ(
      run("UnsortedSegmentJoin", {strings({"a"}), Tensor::from<int32_t>(Shape{1, 1}, {0}), two}).status(),
      absl::OutOfRangeError("Invalid segment_id rank 2 for input with 1 dimension(s)"));
}

TEST(Regex, replaces_and_matches) {
  EXPECT_THAT(texts(run("RegexReplace", {strings({"abcabc"}), text("(b)(c)"), text("\\2\\1-")})),
              ElementsAre("acb-acb-"));
  EXPECT_THAT(texts(run("StaticRegexReplace", {strings({"abcabc"})},
                        {{"pattern", "b"}, {"rewrite", "\\0x"}, {"replace_global", false}})),
              ElementsAre("abxcabc"));
  EXPECT_THAT(values<bool>(run("RegexFullMatch", {strings({"abc", "ab"}), text("a.c")})->at(0)),
              ElementsAre(true, false));
  const absl::Status bad = absl::InvalidArgumentError("Invalid pattern: a(c, error: missing ): a(c");
  EXPECT_EQ(run("RegexFullMatch", {strings({"a"}), text("a(c")}).status(), bad);
  EXPECT_EQ(run("StaticRegexFullMatch", {strings({"a"})}, {{"pattern", "a(c"}}).status(), bad);
  EXPECT_EQ(run("RegexReplace", {strings({"a"}), strings({"b"}), text("")}).status(),
            absl::InvalidArgumentError("Pattern must be scalar, but received [1]"));
}

TEST(Base64, encodes_and_refuses_what_it_did_not_encode) {
  EXPECT_THAT(texts(run("EncodeBase64", {strings({"a", "ab", "abc", "\xff\xfe"})}, {{"pad", true}})),
              ElementsAre("YQ==", "YWI=", "YWJj", "__4="));
  EXPECT_THAT(texts(run("DecodeBase64", {strings({"YQ", "YQ==", "YWJj", "__4", ""})})),
              ElementsAre("a", "a", "abc", "\xff\xfe", ""));
  for (const char* bad : {"YQ=", "Y!", "+/", "YQ==YQ==", " YQ", "YQ==="}) {
    EXPECT_EQ(run("DecodeBase64", {text(bad)}).status(),
              absl::InvalidArgumentError("Invalid character found in base64."))
        << bad;
  }
  EXPECT_EQ(run("DecodeBase64", {text("YWJjZ")}).status(),
            absl::InvalidArgumentError("Base64 string length cannot be 1 modulo 4."));
}

}  // namespace
}  // namespace troupe::test
