// Numbers as strings, and back.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace
}  // namespace troupe::test
