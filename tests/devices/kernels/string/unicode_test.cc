// Characters: case, encodings, code points.
#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;

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
