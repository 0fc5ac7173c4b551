// StringFormat.
#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {
using testing::ElementsAre;

TEST(StringFormat, fills_placeholders) {
  const std::vector<DataType> types = {DataType::kInt32, DataType::kString};
  Tensor numbers = Tensor::vector<int32_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  auto out = run("StringFormat", {numbers, text("x")},
                 {{"T", types}, {"template", "a {} b {}"}, {"placeholder", "{}"}, {"summarize", 2}});
  EXPECT_THAT(texts(out), ElementsAre("a [0 1 ... 8 9] b \"x\""));
  EXPECT_EQ(
      run("StringFormat", {numbers}, {{"T", std::vector<DataType>{DataType::kInt32}}, {"template", "none"}})
          .status(),
      absl::InvalidArgumentError("num placeholders in template and num inputs must match: 0 vs. 1"));
  EXPECT_THAT(
      texts(run("StringFormat", {Tensor::vector<int32_t>({1})},
                {{"T", std::vector<DataType>{DataType::kInt32}}, {"template", "ab"}, {"placeholder", ""}})),
      ElementsAre("a[1]b"))
      << "nothing stands between any two letters";
  EXPECT_THAT(
      texts(
          run("StringFormat", {strings({"\xc3\xa9t\xc3\xa9", "\x01"})},
              {{"T", std::vector<DataType>{DataType::kString}}, {"template", "%s"}, {"placeholder", "%s"}})),
      ElementsAre("[\"\xc3\xa9t\xc3\xa9\" \"\\001\"]"));
}

}  // namespace
}  // namespace troupe::test
