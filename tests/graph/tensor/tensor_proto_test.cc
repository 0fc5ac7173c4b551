#include "graph/tensor/tensor_proto.h"

#include <Eigen/Core>
#include <cstring>
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include "proto/resource_handle.pb.h"
#include "proto/tensor.pb.h"
#include "proto/tensor_shape.pb.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

pb::TensorProto parse(const std::string& text) {
  pb::TensorProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

pb::TensorProto pair_of(const std::string& dtype, const std::string& rest) {
  return parse("dtype: " + dtype + " tensor_shape { dim { size: 2 } } " + rest);
}

template <class T>
std::vector<T> read(const pb::TensorProto& proto) {
  auto t = from_proto(proto);
  EXPECT_TRUE(t.ok()) << t.status();
  if (!t.ok()) return {};
  return {t->flat<T>().begin(), t->flat<T>().end()};
}

void expect_refused(const pb::TensorProto& proto, absl::StatusCode code, const std::string& phrase) {
  auto t = from_proto(proto);
  ASSERT_FALSE(t.ok()) << proto.ShortDebugString();
  EXPECT_EQ(t.status().code(), code) << t.status();
  EXPECT_THAT(std::string(t.status().message()), HasSubstr(phrase));
}

TEST(TensorProto, repeats_the_last_value_of_a_short_list) {
  EXPECT_THAT(read<float>(parse("dtype: DT_FLOAT tensor_shape { dim { size: 4 } } float_val: [1, 2]")),
              ElementsAre(1, 2, 2, 2));
  EXPECT_THAT(read<TString>(pair_of("DT_STRING", "string_val: 'ab'")), ElementsAre("ab", "ab"));
  EXPECT_THAT(read<std::complex<float>>(pair_of("DT_COMPLEX64", "scomplex_val: [1, 2, 3]")),
              ElementsAre(std::complex<float>(1, 2), std::complex<float>(1, 2)));
}

TEST(TensorProto, reads_no_values_as_zeros) {
  EXPECT_THAT(read<double>(pair_of("DT_DOUBLE", "")), ElementsAre(0, 0));
  EXPECT_THAT(read<TString>(pair_of("DT_STRING", "")), ElementsAre("", ""));
  EXPECT_THAT(read<bool>(pair_of("DT_BOOL", "")), ElementsAre(false, false));
}

TEST(TensorProto, ignores_values_beyond_the_shape) {
  EXPECT_THAT(read<float>(pair_of("DT_FLOAT", "float_val: [1, 2, 3]")), ElementsAre(1, 2));
  EXPECT_THAT(read<float>(parse("dtype: DT_FLOAT float_val: [1, 2]")), ElementsAre(1));
  EXPECT_THAT(read<float>(parse("dtype: DT_FLOAT tensor_shape { dim { size: 0 } } tensor_content: 'abcd'")),
              ElementsAre());
}

TEST(TensorProto, takes_sixteen_bit_floats_from_the_low_bits) {
  EXPECT_THAT(read<Eigen::half>(pair_of("DT_HALF", "half_val: [15360, 81081]")),
              ElementsAre(Eigen::half(1.0f), Eigen::half(1.181f)));
  EXPECT_THAT(read<Eigen::bfloat16>(pair_of("DT_BFLOAT16", "half_val: 16256")),
              ElementsAre(Eigen::bfloat16(1.0f), Eigen::bfloat16(1.0f)));
}

TEST(TensorProto, wraps_small_integers) {
  EXPECT_THAT(read<uint8_t>(pair_of("DT_UINT8", "int_val: [300, -1]")), ElementsAre(44, 255));
  EXPECT_THAT(read<Int4>(pair_of("DT_INT4", "int_val: [9, 2]")), ElementsAre(Int4{-7}, Int4{2}));
  EXPECT_THAT(read<UInt4>(pair_of("DT_UINT4", "int_val: [1, 15]")), ElementsAre(UInt4{1}, UInt4{15}));
  EXPECT_THAT(read<Int2>(pair_of("DT_INT2", "int_val: [1, 3]")), ElementsAre(Int2{1}, Int2{-1}));
  EXPECT_THAT(read<Int4>(pair_of("DT_INT4", "tensor_content: '\\001\\017'")), ElementsAre(Int4{1}, Int4{-1}));
  EXPECT_THAT(read<QUInt16>(pair_of("DT_QUINT16", "int_val: 65537")), ElementsAre(QUInt16{1}, QUInt16{1}));
}

TEST(TensorProto, reads_wide_unsigned_integers) {
  EXPECT_THAT(read<uint64_t>(pair_of("DT_UINT64", "uint64_val: 18446744073709551615")),
              ElementsAre(UINT64_MAX, UINT64_MAX));
  EXPECT_THAT(read<uint32_t>(pair_of("DT_UINT32", "uint32_val: 4294967295")),
              ElementsAre(UINT32_MAX, UINT32_MAX));
}

TEST(TensorProto, reads_eight_bit_floats_from_bytes) {
  EXPECT_THAT(read<Float8E5m2>(pair_of("DT_FLOAT8_E5M2", "float8_val: 'a'")),
              ElementsAre(Float8E5m2{'a'}, Float8E5m2{'a'}));
  EXPECT_THAT(read<Float8E4m3fn>(pair_of("DT_FLOAT8_E4M3FN", "tensor_content: 'ab'")),
              ElementsAre(Float8E4m3fn{'a'}, Float8E4m3fn{'b'}));
}

TEST(TensorProto, reads_strings_from_raw_content) {
  EXPECT_THAT(read<TString>(pair_of("DT_STRING", "tensor_content: '\\001\\002abc'")), ElementsAre("a", "bc"));
  expect_refused(pair_of("DT_STRING", "tensor_content: '\\001\\002ab'"), absl::StatusCode::kInvalidArgument,
                 "Cannot parse tensor from proto");
  expect_refused(pair_of("DT_STRING", "tensor_content: '\\377\\377\\377\\377\\377\\377'"),
                 absl::StatusCode::kInvalidArgument, "malformed length");
}

TEST(TensorProto, prefers_raw_content) {
  auto proto = pair_of("DT_INT32", "int_val: 7");
  int32_t raw[] = {3, 4};
  proto.set_tensor_content(raw, sizeof(raw));
  EXPECT_THAT(read<int32_t>(proto), ElementsAre(3, 4));
}

TEST(TensorProto, refuses_raw_content_of_the_wrong_size) {
  expect_refused(pair_of("DT_FLOAT", "tensor_content: 'abc'"), absl::StatusCode::kInvalidArgument,
                 "Cannot parse tensor from proto: tensor_content has 3 bytes, but 8 are needed");
  expect_refused(pair_of("DT_BOOL", "tensor_content: '\\002\\000'"), absl::StatusCode::kInvalidArgument,
                 "neither 0");
  expect_refused(pair_of("DT_RESOURCE", "tensor_content: 'ab'"), absl::StatusCode::kInvalidArgument,
                 "cannot hold");
}

TEST(TensorProto, refuses_impossible_shapes_and_dtypes) {
  auto invalid = absl::StatusCode::kInvalidArgument;
  expect_refused(parse("dtype: DT_FLOAT tensor_shape { dim { size: -1 } }"), invalid,
                 "Dimension -1 must be >= 0");
  expect_refused(parse("dtype: DT_FLOAT tensor_shape { dim { size: 1000000000 } dim { size: 1000000000 } "
                       "dim { size: 1000000000 } } float_val: 1"),
                 invalid, "Cannot parse tensor from proto");
  expect_refused(parse("dtype: DT_DOUBLE tensor_shape { dim { size: 4611686018427387904 } }"), invalid,
                 "memory");
  expect_refused(parse("float_val: 1"), invalid, "dtype 0");
  expect_refused(parse("dtype: DT_FLOAT_REF"), invalid, "dtype 101");
  pb::TensorProto odd;
  odd.set_dtype(static_cast<pb::DataType>(-44));
  expect_refused(odd, invalid, "dtype -44");
  pb::TensorProto deep;
  deep.set_dtype(pb::DT_FLOAT);
  for (int i = 0; i < 255; ++i) deep.mutable_tensor_shape()->add_dim()->set_size(1);
  expect_refused(deep, invalid, "rank is over 254");
}

TEST(TensorProto, refuses_to_fill_memory_from_a_few_bytes) {
  expect_refused(parse("dtype: DT_FLOAT tensor_shape { dim { size: 1000000000000 } } float_val: 1"),
                 absl::StatusCode::kResourceExhausted, "OOM when allocating tensor");
  auto strings = parse("dtype: DT_STRING tensor_shape { dim { size: 10000000 } }");
  strings.add_string_val(std::string(1 << 20, 'x'));
  expect_refused(strings, absl::StatusCode::kInvalidArgument, "repeated value is too large");
}

TEST(TensorProto, writes_alike_elements_once) {
  pb::TensorProto proto;
  to_proto(Tensor::vector<float>({2, 2, 2}), &proto);
  EXPECT_EQ(proto.float_val_size(), 1);
  EXPECT_TRUE(proto.tensor_content().empty());
  to_proto(Tensor::vector<float>({0.0f, -0.0f}), &proto);
  EXPECT_EQ(proto.tensor_content().size(), 8u);
}

/// A tensor of three different elements (where the type has as many) whose bytes are small numbers.
Tensor sample(DataType dtype) {
  Tensor t = zeros(dtype, Shape{3, 1});
  if (!is_trivial(dtype)) return t;
  for (size_t i = 0; i < 3; ++i)
    static_cast<char*>(t.raw())[i * dtype_size(dtype)] = static_cast<char>(i % 2);
  return t;
}

class TensorProtoOf : public testing::TestWithParam<DataType> {};

TEST_P(TensorProtoOf, comes_back_as_it_went) {
  for (const Tensor& t : {sample(GetParam()), zeros(GetParam(), Shape{2, 2}), zeros(GetParam(), Shape{0, 5}),
                          zeros(GetParam(), Shape{})}) {
    pb::TensorProto proto;
    to_proto(t, &proto);
    auto back = from_proto(proto);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->dtype(), t.dtype());
    EXPECT_EQ(back->shape(), t.shape());
    EXPECT_EQ(back->to_string(100), t.to_string(100));
    if (is_trivial(t.dtype())) {
      EXPECT_TRUE(t.bytes() == 0 || std::memcmp(back->raw(), t.raw(), t.bytes()) == 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, TensorProtoOf, testing::ValuesIn(all_dtypes()),
                         [](const auto& param) { return dtype_name(param.param); });

TEST(TensorProto, keeps_strings_with_zero_bytes) {
  Tensor t = Tensor::vector<TString>(
      {TString(absl::string_view("a\0b", 3)), "", "a longer string than fits inline"});
  pb::TensorProto proto;
  to_proto(t, &proto);
  EXPECT_EQ(from_proto(proto)->to_string(), t.to_string());
}

TEST(TensorProto, keeps_resource_handles) {
  auto proto = parse(
      "dtype: DT_RESOURCE resource_handle_val { device: '/cpu:0' container: 'c' name: 'n' hash_code: 5 "
      "maybe_type_name: 'Var' dtypes_and_shapes { dtype: DT_HALF shape { dim { size: -1 } } } }");
  auto t = from_proto(proto);
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->value<ResourceHandle>().name, "n");
  EXPECT_EQ(t->value<ResourceHandle>().dtypes_and_shapes[0].dtype, DataType::kHalf);
  pb::TensorProto back;
  to_proto(*t, &back);
  back.mutable_tensor_shape();
  proto.mutable_tensor_shape();
  EXPECT_EQ(back.DebugString(), proto.DebugString());
  proto.mutable_resource_handle_val(0)->mutable_dtypes_and_shapes(0)->set_dtype(
      static_cast<pb::DataType>(99));
  expect_refused(proto, absl::StatusCode::kInvalidArgument, "unknown dtype enum (99)");
}

TEST(TensorProto, keeps_unknown_variants_opaque) {
  auto proto = parse(
      "dtype: DT_VARIANT tensor_shape { } variant_val { type_name: 'no::such' metadata: 'xyz' "
      "tensors { dtype: DT_INT32 tensor_shape { } int_val: 3 } }");
  auto t = from_proto(proto);
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->value<Variant>().value()->type_name(), "no::such");
  pb::TensorProto back;
  to_proto(*t, &back);
  EXPECT_EQ(back.DebugString(), proto.DebugString());
}

class Celsius final : public VariantValue {
 public:
  explicit Celsius(int d) : degrees(d) {}
  std::string type_name() const override { return "test::Celsius"; }
  const int degrees;
};

TEST(TensorProto, decodes_registered_variants) {
  register_variant_decoder(
      "test::Celsius",
      [](const std::string& metadata, std::vector<Tensor>) -> absl::StatusOr<std::shared_ptr<VariantValue>> {
        if (metadata.size() != 1) return absl::InvalidArgumentError("one byte wanted");
        return std::make_shared<Celsius>(metadata[0]);
      });
  auto t =
      from_proto(parse("dtype: DT_VARIANT variant_val { type_name: 'test::Celsius' metadata: '\\007' }"));
  ASSERT_TRUE(t.ok()) << t.status();
  ASSERT_NE(t->value<Variant>().get<Celsius>(), nullptr);
  EXPECT_EQ(t->value<Variant>().get<Celsius>()->degrees, 7);
  expect_refused(parse("dtype: DT_VARIANT variant_val { type_name: 'test::Celsius' }"),
                 absl::StatusCode::kInvalidArgument, "one byte wanted");
}

TEST(ShapeProto, goes_both_ways) {
  for (const PartialShape& s :
       {PartialShape(), PartialShape{}, PartialShape{2, -1, 0}, PartialShape(Shape())}) {
    pb::TensorShapeProto proto;
    to_proto(s, &proto);
    EXPECT_EQ(*from_proto(proto), s);
  }
}

TEST(ShapeProto, refuses_what_is_no_shape) {
  pb::TensorShapeProto proto;
  proto.add_dim()->set_size(-2);
  EXPECT_EQ(from_proto(proto).status().code(), absl::StatusCode::kInvalidArgument);
  proto.mutable_dim(0)->set_size(int64_t{1} << 40);
  EXPECT_TRUE(from_proto(proto).ok());
  proto.add_dim()->set_size(int64_t{1} << 40);
  EXPECT_EQ(from_proto(proto).status().code(), absl::StatusCode::kInvalidArgument);
  proto.set_unknown_rank(true);
  EXPECT_THAT(std::string(from_proto(proto).status().message()),
              HasSubstr("must not have any dimensions set"));
}

TEST(TensorProto, contents_may_be_beside_it) {
  const Tensor value = Tensor::from<int32_t>(Shape{2, 2}, {1, 2, 3, 4});
  pb::TensorProto proto;
  const absl::Cord content = to_proto_and_content(value, 16, &proto);
  EXPECT_TRUE(proto.tensor_content().empty());
  ASSERT_TRUE(content.TryFlat().has_value());
  EXPECT_EQ(content.TryFlat()->data(), value.raw()) << "shared";
  absl::Cord pieces;
  for (char byte : std::string(content)) {
    const auto* piece = new std::string(1, byte);
    pieces.Append(absl::MakeCordFromExternal(*piece, [piece] { delete piece; }));
  }
  for (const absl::Cord& c : {content, pieces}) {
    auto got = from_proto(proto, c);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(got->to_string(), value.to_string());
  }
  EXPECT_THAT(std::string(from_proto(proto, absl::Cord("abc")).status().message()),
              HasSubstr("Cannot parse tensor from proto: tensor_content has 3 bytes, but 16 are needed"));
  // All in the message: what is small, alike, or no raw bytes.
  EXPECT_TRUE(to_proto_and_content(value, 17, &proto).empty());
  EXPECT_FALSE(proto.tensor_content().empty());
  EXPECT_EQ(from_proto(proto, {})->to_string(), value.to_string());
  EXPECT_TRUE(to_proto_and_content(Tensor::vector<int32_t>({7, 7, 7, 7}), 1, &proto).empty());
  EXPECT_EQ(proto.int_val_size(), 1);
  EXPECT_TRUE(to_proto_and_content(Tensor::string_scalar(std::string(100, 's')), 1, &proto).empty());
  EXPECT_TRUE(to_proto_and_content(Tensor(), 0, &proto).empty());
  EXPECT_TRUE(to_proto_and_content(Tensor(DataType::kFloat, Shape{0}), 0, &proto).empty());
}

TEST(TensorProto, contents_beside_it_are_checked_as_those_in_it) {
  pb::TensorProto proto = parse("dtype: DT_BOOL tensor_shape { dim { size: 2 } }");
  EXPECT_EQ(from_proto(proto, absl::Cord(absl::string_view("\1\0", 2)))->flat<bool>()[0], true);
  EXPECT_EQ(from_proto(proto, absl::Cord(absl::string_view("\2\0", 2))).status().code(),
            absl::StatusCode::kInvalidArgument);
  proto.set_dtype(pb::DT_INT4);
  EXPECT_EQ(from_proto(proto, absl::Cord("\1\17"))->flat<Int4>()[1], Int4{-1});
  proto.set_dtype(pb::DT_STRING);
  EXPECT_EQ(from_proto(proto, absl::Cord("\1\2abc"))->flat<TString>()[1], "bc");
  proto.set_dtype(pb::DT_VARIANT);
  EXPECT_EQ(from_proto(proto, absl::Cord("abc")).status().code(), absl::StatusCode::kInvalidArgument);
  proto.set_dtype(static_cast<pb::DataType>(101));
  EXPECT_EQ(from_proto(proto, absl::Cord("abc")).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace troupe
