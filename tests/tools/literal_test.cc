#include "tools/troupe/literal.h"

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace troupe {
namespace {

Tensor typed(absl::string_view text, DataType dtype) {
  absl::StatusOr<Tensor> t = parse_literal(text, dtype);
  EXPECT_TRUE(t.ok()) << text << ": " << t.status();
  return t.ok() ? *t : Tensor();
}

Tensor exact(absl::string_view text, DataType dtype, const Shape& shape) {
  absl::StatusOr<Tensor> t = parse_literal(text, dtype, shape, LiteralStyle::kExact);
  EXPECT_TRUE(t.ok()) << text << ": " << t.status();
  return t.ok() ? *t : Tensor();
}

std::string refusal(absl::string_view text, DataType dtype) {
  const absl::StatusOr<Tensor> t = parse_literal(text, dtype);
  EXPECT_FALSE(t.ok()) << text;
  if (t.ok()) return "";
  EXPECT_EQ(t.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(t.status().message());
}

TEST(Literal, takes_its_shape_from_the_nesting) {
  const Tensor t = typed("[[1, 2.5, -3e2], [4, 5, 6]]", DataType::kFloat);
  ASSERT_EQ(t.shape(), (Shape{2, 3}));
  EXPECT_EQ(t.flat<float>()[2], -300);
  EXPECT_EQ(typed("7", DataType::kInt32).shape(), Shape());
  EXPECT_EQ(typed("[]", DataType::kInt32).shape(), (Shape{0}));
  EXPECT_EQ(typed("[[],[]]", DataType::kInt32).shape(), (Shape{2, 0}));
  EXPECT_EQ(typed("(1, 2,)", DataType::kInt32).shape(), (Shape{2}));
}

TEST(Literal, keeps_all_64_bits_of_integers) {
  EXPECT_EQ(typed("9223372036854775807", DataType::kInt64).value<int64_t>(),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(typed("18446744073709551615", DataType::kUint64).value<uint64_t>(),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(typed("9007199254740993", DataType::kInt64).value<int64_t>(), 9007199254740993);
}

TEST(Literal, refuses_what_the_dtype_cannot_hold) {
  EXPECT_EQ(refusal("300", DataType::kInt8), "300 does not fit into int8");
  EXPECT_EQ(refusal("-1", DataType::kUint32), "'-1' is no uint32");
  EXPECT_EQ(refusal("1.5", DataType::kInt32), "'1.5' is no int32");
  EXPECT_EQ(refusal("maybe", DataType::kBool), "'maybe' is no bool");
  EXPECT_EQ(refusal("abc", DataType::kFloat), "'abc' is no number");
  EXPECT_EQ(refusal("", DataType::kFloat), "'' is no number");
  EXPECT_NE(refusal("1", DataType::kResource), "");
}

TEST(Literal, refuses_malformed_nesting) {
  EXPECT_EQ(refusal("[1,[2]]", DataType::kInt32), "the lists are not equally deep");
  EXPECT_EQ(refusal("[1,[]]", DataType::kInt32), "the lists are not equally deep");
  EXPECT_EQ(refusal("[[1,2],[3]]", DataType::kInt32), "a list of 1 stands beside one of 2");
  EXPECT_EQ(refusal("[1,2", DataType::kInt32), "a ']' is missing at the end");
  EXPECT_EQ(refusal("[1] 2", DataType::kInt32), "'2' follows the value");
  EXPECT_EQ(refusal("[,1]", DataType::kInt32), "a value is missing before ',1]'");
  EXPECT_EQ(refusal("[\"a]", DataType::kString), "a closing quote is missing");
  EXPECT_EQ(refusal(std::string(100000, '['), DataType::kInt32), "the lists are too deep");
}

TEST(Literal, reads_special_floats) {
  const Tensor t = typed("[nan, inf, -inf, Infinity, -0.0]", DataType::kDouble);
  EXPECT_TRUE(std::isnan(t.flat<double>()[0]));
  EXPECT_EQ(t.flat<double>()[2], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isinf(t.flat<double>()[3]));
  EXPECT_TRUE(std::signbit(t.flat<double>()[4]));
  EXPECT_EQ(static_cast<float>(typed("1.5", DataType::kBfloat16).value<Eigen::bfloat16>()), 1.5f);
}

TEST(Literal, takes_bare_words_as_strings) {
  EXPECT_EQ(typed("hello, world", DataType::kString).value<TString>().view(), "hello, world");
  const Tensor t = typed("[\"a\\nb\", 'it', plain]", DataType::kString);
  EXPECT_EQ(t.flat<TString>()[0].view(), "a\nb");
  EXPECT_EQ(t.flat<TString>()[2].view(), "plain");
}

TEST(Literal, reads_complex_numbers_as_typed) {
  using C = std::complex<double>;
  const Tensor t = typed("[1+2j, -3, 2.5e-1-1e1j, -j]", DataType::kComplex128);
  EXPECT_EQ(t.flat<C>()[0], C(1, 2));
  EXPECT_EQ(t.flat<C>()[1], C(-3, 0));
  EXPECT_EQ(t.flat<C>()[2], C(0.25, -10));
  EXPECT_EQ(t.flat<C>()[3], C(0, -1));
}

TEST(Literal, reads_test_vectors_exactly) {
  EXPECT_EQ(exact("[\"aGk=\",\"\"]", DataType::kString, Shape{2}).flat<TString>()[0].view(), "hi");
  const Tensor c = exact("[[1.5,-2],[\"nan\",0]]", DataType::kComplex64, Shape{2});
  EXPECT_EQ(c.flat<std::complex<float>>()[0], std::complex<float>(1.5, -2));
  EXPECT_TRUE(std::isnan(c.flat<std::complex<float>>()[1].real()));
  EXPECT_TRUE(std::isinf(exact("\"-inf\"", DataType::kFloat, Shape()).value<float>()));
  EXPECT_EQ(exact("[]", DataType::kFloat, Shape{2, 0, 3}).shape(), (Shape{2, 0, 3}));
  EXPECT_EQ(exact("[-128,127]", DataType::kQint8, Shape{2}).flat<QInt8>()[0].value, -128);
  EXPECT_FALSE(parse_literal("[1,2]", DataType::kFloat, Shape{3}, LiteralStyle::kExact).ok());
  EXPECT_FALSE(parse_literal("[]", DataType::kFloat, Shape{3}, LiteralStyle::kExact).ok());
  EXPECT_FALSE(parse_literal("\"%%\"", DataType::kString, Shape(), LiteralStyle::kExact).ok());
}

TEST(ShapeText, reads_and_refuses) {
  EXPECT_EQ(*parse_shape_text("[2,3]"), (Shape{2, 3}));
  EXPECT_EQ(*parse_shape_text("[]"), Shape());
  EXPECT_FALSE(parse_shape_text("2,3").ok());
  EXPECT_FALSE(parse_shape_text("[-1]").ok());
  EXPECT_FALSE(parse_shape_text("[9223372036854775807,2]").ok());
}

}  // namespace
}  // namespace troupe
