#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::vector<T> values(const Tensor& t) {
  return {t.flat<T>().begin(), t.flat<T>().end()};
}

Tensor text(absl::string_view s) { return Tensor::string_scalar(s); }

/// Strings of every length class of the hashes.
std::vector<std::string> hash_inputs() {
  std::vector<std::string> out;
  for (int n : {0, 1, 3, 4, 7, 8, 16, 17, 32, 33, 63, 64, 65, 128, 129, 200, 1000}) {
    std::string s;
    for (int i = 0; i < n; ++i) s.push_back(static_cast<char>((i * 7 + 3) & 255));
    out.push_back(s);
  }
  return out;
}

TEST(StringHash, gives_the_fingerprints_of_farmhash) {
  auto out = run("Fingerprint", {strings(hash_inputs()), text("farmhash64")});
  ASSERT_TRUE(out.ok()) << out.status();
  std::vector<uint64_t> got(17);
  ASSERT_EQ(out->at(0).shape(), (Shape{17, 8}));
  std::memcpy(got.data(), out->at(0).raw(), 17 * 8);
  EXPECT_THAT(got, ElementsAre(0x9ae16a3b2f90404f, 0xbec09cc447469d8b, 0x40b4412e33eefd64, 0xf3c7ee05197a7b92,
                               0x4fef0b39c12aa9a4, 0x0c97ecbc1e9d2626, 0x7eda0ed8c837a168, 0xc9518fe63ebf6127,
                               0xa53f806f23a314e8, 0xc24f9d7ce864f0e9, 0x9643c13fc68d469c, 0x0566266cb579eca2,
                               0x77e0867714e6b0e4, 0x666823960b3ac271, 0x98206b8579bca083, 0x6d7105b27cbe2fd7,
                               0xe021806cc1e3dc4c));
}

TEST(StringHash, puts_strings_into_the_buckets_of_tensorflow) {
  const int64_t kAll = std::numeric_limits<int64_t>::max();
  auto old = run("StringToHashBucket", {strings(hash_inputs())}, {{"num_buckets", kAll}});
  ASSERT_TRUE(old.ok()) << old.status();
  EXPECT_THAT(values<int64_t>(old->at(0)),
              ElementsAre(105434511174508092, 7001769250909271135, 5276484929406308779, 5799242685562273649,
                          1142397842043859391, 384654127350334882, 5129953047346710616, 7037566801403733717,
                          1458650421252541103, 2574933530128875931, 5271103884795240918, 3945209722589307479,
                          8278743160437407290, 8132594031198021779, 1361456403630484005, 2651614156366774965,
                          7053322195746116809));
  auto strong = run("StringToHashBucketStrong", {strings(hash_inputs())},
                    {{"num_buckets", kAll}, {"key", std::vector<int64_t>{1, -2}}});
  ASSERT_TRUE(strong.ok()) << strong.status();
  EXPECT_THAT(values<int64_t>(strong->at(0)),
              ElementsAre(1583518726171341606, 7472303574057572037, 2282110341036447820, 1301699630242067245,
                          1155125825375311995, 4360276685361680722, 2531266197829376485, 6439805097801107270,
                          5120838890200885023, 239507206900989172, 6172932334959135000, 2314274273780457194,
                          3150277196934579517, 5782655565715780443, 3476070095757889509, 7930688405225397180,
                          332754099699151231));
  EXPECT_EQ(
      run("StringToHashBucketStrong", {text("a")}, {{"num_buckets", 3}, {"key", std::vector<int64_t>{1}}})
          .status(),
      absl::InvalidArgumentError("Key must have 2 elements"));
}

TEST(Fingerprint, hashes_rows_of_strings_and_of_numbers) {
  auto rows = run("Fingerprint", {strings({"abc", "d"}, Shape{1, 2}), text("farmhash64")});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(values<uint8_t>(rows->at(0)), ElementsAre(42, 36, 211, 10, 152, 245, 170, 130));
  auto numbers = run("Fingerprint", {Tensor::from<int32_t>(Shape{1, 2}, {1, 2}), text("farmhash64")});
  EXPECT_THAT(values<uint8_t>(numbers->at(0)), ElementsAre(76, 18, 253, 133, 168, 204, 240, 10));
  EXPECT_EQ(run("Fingerprint", {text("a"), text("farmhash64")}).status(),
            absl::InvalidArgumentError("`data` should have at least one dimension: []"));
  EXPECT_EQ(run("Fingerprint", {strings({"a"}), text("md5")}).status(),
            absl::InvalidArgumentError("Unsupported fingerprint method: md5"));
}

TEST(AsString, prints_as_the_attrs_say) {
  const auto print = [](Tensor t, AttrMap attrs) {
    return texts(run("AsString", {std::move(t)}, std::move(attrs)));
  };
  const float inf = std::numeric_limits<float>::infinity();
  Tensor floats = Tensor::vector<float>({1.5f, -2.25f, 1e10f, NAN, -inf});
  EXPECT_THAT(print(floats, {}), ElementsAre("1.500000", "-2.250000", "10000000000.000000", "nan", "-inf"));
  EXPECT_THAT(print(floats, {{"width", 8}, {"fill", "+"}, {"shortest", true}}),
              ElementsAre("    +1.5", "   -2.25", "  +1e+10", "    +nan", "    -inf"));
  EXPECT_THAT(print(floats, {{"scientific", true}, {"precision", 1}}),
              ElementsAre("1.5e+00", "-2.2e+00", "1.0e+10", "nan", "-inf"));
  EXPECT_THAT(print(Tensor::vector<int32_t>({1, -2}), {{"width", 4}, {"fill", "0"}}),
              ElementsAre("0001", "-002"));
  EXPECT_THAT(print(Tensor::vector<int32_t>({5}), {{"fill", "#"}}), ElementsAre("5"));
  EXPECT_THAT(print(Tensor::vector<float>({5}), {{"fill", "#"}, {"precision", 0}}), ElementsAre("5."));
  EXPECT_THAT(print(Tensor::vector<float>({0.1f}), {{"fill", "0"}, {"width", 9}, {"shortest", true}}),
              ElementsAre("0000000.1"));
  EXPECT_THAT(print(Tensor::vector<bool>({true, false}), {{"width", 8}}), ElementsAre("true", "false"));
  EXPECT_THAT(print(Tensor::scalar(std::complex<float>(1, -2)), {{"precision", 1}}),
              ElementsAre("(1.0,-2.0)"));
  EXPECT_THAT(print(strings({"ab"}), {{"width", 4}, {"fill", "-"}}), ElementsAre("ab  "));
  EXPECT_THAT(print(Tensor::scalar(uint64_t{1} << 63), {}), ElementsAre("9223372036854775808"));
}

TEST(AsString, prints_no_sign_of_what_has_none) {
  const auto print = [](Tensor t, const char* fill) {
    return texts(run("AsString", {std::move(t)}, {{"fill", fill}, {"width", 4}}));
  };
  EXPECT_THAT(print(Tensor::vector<uint8_t>({7, 255}), "+"), ElementsAre("   7", " 255"));
  EXPECT_THAT(print(Tensor::vector<uint16_t>({7, 65535}), " "), ElementsAre("   7", "65535"));
  EXPECT_THAT(print(Tensor::vector<uint32_t>({7, 4294967295u}), "+"), ElementsAre("   7", "4294967295"));
  EXPECT_THAT(print(Tensor::vector<uint64_t>({7}), "0"), ElementsAre("0007"));
  EXPECT_THAT(print(Tensor::vector<int8_t>({7, -7}), "+"), ElementsAre("  +7", "  -7"));
}

TEST(AsString, refuses_attrs_that_do_not_go_together) {
  const auto why = [](Tensor t, AttrMap attrs) {
    return std::string(run("AsString", {std::move(t)}, std::move(attrs)).status().message());
  };
  EXPECT_EQ(why(Tensor::scalar<int32_t>(1), {{"precision", 1}}),
            "precision not supported for datatype int32");
  EXPECT_EQ(why(Tensor::scalar(true), {{"shortest", true}}),
            "scientific and shortest format not supported for datatype bool");
  EXPECT_EQ(why(Tensor::scalar(1.0f), {{"scientific", true}, {"shortest", true}}),
            "Cannot select both scientific and shortest notation");
  EXPECT_EQ(why(Tensor::scalar(1.0f), {{"fill", "xx"}}), "Fill string must be one or fewer characters");
  EXPECT_EQ(why(Tensor::scalar(1.0f), {{"fill", "x"}}), "Fill argument not supported: \"x\"");
  EXPECT_THAT(why(Tensor::scalar(1.0f), {{"width", 2000000000}}), HasSubstr("must not exceed"));
}

TEST(StringToNumber, reads_what_tensorflow_reads) {
  auto floats = run("StringToNumber",
                    {strings({" 12 ", "+5", "0x1p3", "-0x10", "1e39", "1e-46", "-Infinity", ".5", "5."})},
                    {{"out_type", DataType::kFloat}});
  ASSERT_TRUE(floats.ok()) << floats.status();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(values<float>(floats->at(0)), ElementsAre(12, 5, 8, -16, inf, 0, -inf, 0.5f, 5));
  auto ints = run("StringToNumber", {strings({"\t7\n", "-1", "00012"})}, {{"out_type", DataType::kInt32}});
  EXPECT_THAT(values<int32_t>(ints->at(0)), ElementsAre(7, -1, 12));
  for (const char* bad : {"", " ", "1 2", "1e", "+-3", "0x", "1d3", "1_0", "infin"}) {
    EXPECT_EQ(run("StringToNumber", {strings({bad})}, {{"out_type", DataType::kDouble}}).status(),
              absl::InvalidArgumentError(
                  std::string("StringToNumberOp could not correctly convert string: ") + bad));
  }
  EXPECT_FALSE(run("StringToNumber", {strings({"-0"})}, {{"out_type", DataType::kUint32}}).ok());
  EXPECT_FALSE(run("StringToNumber", {strings({"99999999999"})}, {{"out_type", DataType::kInt32}}).ok());
}

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

TEST(Case, folds_ascii_or_all_of_unicode) {
  EXPECT_THAT(texts(run("StringLower", {strings({"ABcÉ"})})), ElementsAre("abcÉ"));
  EXPECT_THAT(texts(run("StringLower",
                        {strings({"ΑΣ Σ",
                                  "\xff"
                                  "A"})},
                        {{"encoding", "utf-8"}})),
              ElementsAre("ας σ",
                          "\xef\xbf\xbd"
                          "a"));
  EXPECT_THAT(texts(run("StringUpper", {strings({"ßi"})}, {{"encoding", "utf-8"}})), ElementsAre("SSI"));
  EXPECT_EQ(run("StringUpper", {strings({"a"})}, {{"encoding", "latin"}}).status(),
            absl::InvalidArgumentError("only utf-8 or '' (no encoding) is supported, received latin"));
  EXPECT_THAT(texts(run("StringStrip", {strings({" \t\n\v\f\r a b ",
                                                 "\xc2\xa0"
                                                 "a"})})),
              ElementsAre("a b",
                          "\xc2\xa0"
                          "a"));
  EXPECT_THAT(values<int32_t>(run("StringLength",
                                  {strings({"你好",
                                            "\xff\x80"
                                            "a"})},
                                  {{"unit", "UTF8_CHAR"}})
                                  ->at(0)),
              ElementsAre(2, 2));
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

TEST(Unicode, decodes_with_offsets) {
  auto out = run("UnicodeDecodeWithOffsets",
                 {strings({"a你",
                           "a\xff"
                           "b\xe4\xbd"})},
                 {{"input_encoding", "UTF-8"}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int64_t>(out->at(0)), ElementsAre(0, 2, 6));
  EXPECT_THAT(values<int32_t>(out->at(1)), ElementsAre('a', 0x4f60, 'a', 0xfffd, 'b', 0xfffd));
  EXPECT_THAT(values<int64_t>(out->at(2)), ElementsAre(0, 1, 0, 1, 2, 3));
  auto ignored =
      run("UnicodeDecode",
          {strings({"a\xff\x01"
                    "b"})},
          {{"input_encoding", "UTF-8"}, {"errors", "ignore"}, {"replace_control_characters", true}});
  EXPECT_THAT(values<int32_t>(ignored->at(1)), ElementsAre('a', 'b'));
  // A control character is replaced, but is no error.
  auto strict =
      run("UnicodeDecode", {text("a\x01")},
          {{"input_encoding", "UTF-8"}, {"errors", "strict"}, {"replace_control_characters", true}});
  ASSERT_TRUE(strict.ok()) << strict.status();
  EXPECT_THAT(values<int32_t>(strict->at(1)), ElementsAre('a', 0xfffd));
  auto japanese = run("UnicodeDecode",
                      {text("\x82\xa0"
                            "a")},
                      {{"input_encoding", "shift_jis"}});
  EXPECT_THAT(values<int32_t>(japanese->at(1)), ElementsAre(0x3042, 'a'));
  EXPECT_EQ(
      run("UnicodeDecode", {text("\xff")}, {{"input_encoding", "UTF-8"}, {"errors", "strict"}}).status(),
      absl::InvalidArgumentError("Invalid formatting on input string"));
  EXPECT_EQ(run("UnicodeDecode", {text("a")}, {{"input_encoding", "nope"}}).status(),
            absl::InvalidArgumentError("Could not create converter for input encoding: nope"));
}

TEST(Unicode, encodes_and_transcodes) {
  Tensor chars = Tensor::vector<int32_t>({'a', 0x1f600, 0x110000});
  const auto encode = [&](const char* encoding, const char* errors) {
    return run("UnicodeEncode", {chars, Tensor::vector<int64_t>({0, 2, 3})},
               {{"output_encoding", encoding}, {"errors", errors}});
  };
  EXPECT_THAT(texts(encode("UTF-8", "replace")), ElementsAre("a😀", "\xef\xbf\xbd"));
  EXPECT_THAT(texts(encode("UTF-16-BE", "ignore")), ElementsAre(std::string("\0a\xd8=\xde\0", 6), ""));
  EXPECT_EQ(encode("UTF-8", "strict").status(),
            absl::InvalidArgumentError("Code point is out of range for Unicode, or is a surrogate."));
  EXPECT_EQ(run("UnicodeEncode", {chars, Tensor::vector<int64_t>({0, 9, 3})}, {{"output_encoding", "UTF-8"}})
                .status(),
            absl::InvalidArgumentError("Values in input_splits must be equal or in ascending order."));
  EXPECT_THAT(
      texts(run("UnicodeTranscode", {strings({"你\xff"})},
                {{"input_encoding", "UTF-8"}, {"output_encoding", "UTF-32-BE"}, {"errors", "ignore"}})),
      ElementsAre(std::string("\0\0O`", 4)));
  EXPECT_THAT(
      values<int32_t>(run("UnicodeScript", {Tensor::vector<int32_t>({97, 0x4f60, 0x110000, -1})})->at(0)),
      ElementsAre(25, 17, -1, -1));
}

}  // namespace
}  // namespace troupe::test
