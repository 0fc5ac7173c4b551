// Bytes and messages as tensors.
#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

TEST(DecodeRaw, reads_either_byte_order) {
  auto big =
      run("DecodeRaw", {strings({"abcd"})}, {{"out_type", DataType::kInt16}, {"little_endian", false}});
  ASSERT_TRUE(big.ok()) << big.status();
  EXPECT_EQ(big->at(0).shape(), (Shape{1, 2}));
  EXPECT_THAT(values<int16_t>(big->at(0)), ElementsAre(0x6162, 0x6364));
  EXPECT_THAT(
      values<bool>(
          run("DecodeRaw", {text(absl::string_view("\1\2\0", 3))}, {{"out_type", DataType::kBool}})->at(0)),
      ElementsAre(true, true, false));
  EXPECT_EQ(run("DecodeRaw", {strings({"abc", "abcd"})}, {{"out_type", DataType::kInt16}}).status(),
            absl::InvalidArgumentError(
                "DecodeRaw requires input strings to all be the same size, but element 1 has size 3 != 4"));
  EXPECT_EQ(run("DecodeRaw", {strings({"abc"})}, {{"out_type", DataType::kInt16}}).status(),
            absl::InvalidArgumentError(
                "Input to DecodeRaw has length 3 that is not a multiple of 2, the size of int16"));
  auto padded = run("DecodePaddedRaw", {strings({"abc", "abcde"}), Tensor::scalar<int32_t>(4)},
                    {{"out_type", DataType::kInt16}});
  EXPECT_THAT(values<int16_t>(padded->at(0)), ElementsAre(25185, 99, 25185, 25699));
  EXPECT_EQ(
      run("DecodePaddedRaw", {strings({"a"}), Tensor::scalar<int32_t>(3)}, {{"out_type", DataType::kInt16}})
          .status(),
      absl::InvalidArgumentError("fixed_length (3) must be a multiple of the size of out_type (2)"));
}

TEST(DecodeCompressed, unpacks_zlib_and_gzip) {
  const std::string zlib("x\x9c\xcb\xc8\x04\x00\x01;\x00\xd2", 10);
  EXPECT_THAT(texts(run("DecodeCompressed", {text(zlib)}, {{"compression_type", "ZLIB"}})),
              ElementsAre("hi"));
  EXPECT_EQ(run("DecodeCompressed", {text(zlib)}, {{"compression_type", "GZIP"}}).status(),
            absl::DataLossError("inflate() failed with error -3: incorrect header check"));
  EXPECT_FALSE(run("DecodeCompressed", {text(zlib)}, {{"compression_type", "BAD"}}).ok());
}

TEST(ParseTensor, reads_what_serialize_tensor_wrote) {
  Tensor t = Tensor::vector<int32_t>({1, 2});
  auto bytes = run("SerializeTensor", {t});
  EXPECT_THAT(texts(bytes),
              ElementsAre(std::string("\x08\x03\x12\x04\x12\x02\x08\x02\"\x08\1\0\0\0\2\0\0\0", 18)));
  auto back = run("ParseTensor", {bytes->at(0)}, {{"out_type", DataType::kInt32}});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(tensors_near(back->at(0), t));
  EXPECT_EQ(run("ParseTensor", {bytes->at(0)}, {{"out_type", DataType::kFloat}}).status(),
            absl::InvalidArgumentError("Type mismatch between parsed tensor (int32) and dtype (float)"));
  EXPECT_EQ(run("ParseTensor", {text("\xff\xff")}, {{"out_type", DataType::kInt32}}).status(),
            absl::InvalidArgumentError("Could not parse `serialized` as TensorProto, base64: //8="));
  EXPECT_THAT(
      std::string(run("ParseTensor", {text("")}, {{"out_type", DataType::kInt32}}).status().message()),
      HasSubstr("Cannot parse tensor from proto"));
}

}  // namespace
}  // namespace troupe::test
