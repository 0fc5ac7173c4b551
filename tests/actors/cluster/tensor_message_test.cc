#include "actors/cluster/tensor_message.h"

#include <gmock/gmock.h>

#include <cstring>

#include "actors/cluster/tensor_payload.h"
#include "graph/tensor/tensor_proto.h"

#include "proto/tensor.pb.h"

namespace troupe {
namespace {

using ::testing::HasSubstr;

Tensor block_of(absl::string_view bytes) {
  Tensor block(DataType::kUint8, Shape{static_cast<int64_t>(bytes.size())});
  std::memcpy(block.raw(), bytes.data(), bytes.size());
  return block;
}

/// In one piece, aligned.
absl::Cord in_block(absl::string_view bytes) { return bytes_of(block_of(bytes)); }

std::string encoded(const TensorMessage& message) {
  auto bytes = encode(message);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? std::string(*bytes) : "";
}

TensorMessage decoded(absl::string_view bytes) {
  auto message = decode_tensor_message(in_block(bytes));
  EXPECT_TRUE(message.ok()) << message.status();
  return message.ok() ? *std::move(message) : TensorMessage();
}

/// As the wire form of a tensor says it: dtype, shape, elements.
std::string text(const Tensor& t) { return t.to_string(1000); }

TEST(TensorMessage, carries_what_the_rendezvous_needs) {
  TensorMessage sent{.step_id = -5,
                     .key_id = 7,
                     .frame = ~uint64_t{0},
                     .iteration = 9,
                     .is_dead = false,
                     .value = Tensor::from<float>(Shape{2, 1}, {1.5f, 2.5f})};
  const TensorMessage got = decoded(encoded(sent));
  EXPECT_EQ(got.step_id, -5);
  EXPECT_EQ(got.key_id, 7u);
  EXPECT_EQ(got.frame, ~uint64_t{0});
  EXPECT_EQ(got.iteration, 9u);
  EXPECT_FALSE(got.is_dead);
  EXPECT_EQ(text(got.value), text(sent.value));
}

TEST(TensorMessage, carries_every_dtype_and_any_rank) {
  for (const DataType dtype : all_dtypes()) {
    SCOPED_TRACE(dtype_name(dtype));
    for (const Shape& shape :
         {Shape{}, Shape{3}, Shape{0}, Shape{2, 0, 5}, Shape{1, 2, 1, 2, 1, 1, 1, 1, 1}}) {
      const Tensor value = zeros(dtype, shape);
      const std::string bytes = encoded({.value = value});
      for (const auto& got : {decode_tensor_message(in_block(bytes)), decode_tensor_message(bytes)}) {
        ASSERT_TRUE(got.ok()) << got.status();
        EXPECT_EQ(got->value.dtype(), dtype);
        EXPECT_EQ(got->value.shape(), shape);
        EXPECT_EQ(text(got->value), text(value));
      }
    }
  }
}

TEST(TensorMessage, dead_values_have_no_elements) {
  const TensorMessage got = decoded(encoded({.step_id = 1, .is_dead = true, .value = {}}));
  EXPECT_TRUE(got.is_dead);
  EXPECT_FALSE(got.value.initialized());
}

TEST(TensorMessage, elements_are_sent_from_where_they_are_and_stay_where_they_come) {
  const Tensor value = Tensor::from<int64_t>(Shape{1000}, std::vector<int64_t>(1000, 42));
  auto bytes = encode({.value = value});
  ASSERT_TRUE(bytes.ok());
  bool shared = false;
  for (absl::string_view chunk : bytes->Chunks()) shared |= chunk.data() == value.raw();
  EXPECT_TRUE(shared);
  EXPECT_FALSE(value.unique()) << "the bytes keep them";
  bytes->Clear();
  EXPECT_TRUE(value.unique());

  Tensor block = block_of(encoded({.value = value}));
  const char* begin = static_cast<const char*>(block.raw());
  auto got = decode_tensor_message(bytes_of(block));
  ASSERT_TRUE(got.ok()) << got.status();
  const char* at = static_cast<const char*>(got->value.raw());
  EXPECT_TRUE(at > begin && at < begin + block.bytes());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % Allocator::kAlignmentBytes, 0u);
  block = Tensor();
  EXPECT_EQ(got->value.flat<int64_t>()[999], 42) << "the value keeps its block";
  EXPECT_TRUE(got->value.unique());
}

TEST(TensorMessage, elements_are_aligned_wherever_a_block_has_them) {
  const Tensor value = Tensor::from<int64_t>(Shape{10, 100}, std::vector<int64_t>(1000, 42));
  for (const size_t before : {0, 1, 16, 47, 63, 64, 100}) {
    SCOPED_TRACE(before);
    auto message = encode({.value = value}, before);
    ASSERT_TRUE(message.ok()) << message.status();
    absl::Cord bytes = in_block(std::string(before, 'x') + std::string(*message));
    bytes.RemovePrefix(before);
    auto got = decode_tensor_message(bytes);
    ASSERT_TRUE(got.ok()) << got.status();
    const auto* at = static_cast<const char*>(got->value.raw());
    const absl::string_view here = *bytes.TryFlat();
    EXPECT_TRUE(at > here.data() && at < here.data() + here.size()) << "they were copied";
    EXPECT_EQ(got->value.flat<int64_t>()[999], 42);
  }
}

TEST(TensorMessage, elements_that_are_few_or_askew_or_in_pieces_are_copied) {
  const Tensor few = Tensor::vector<int64_t>({1, 2, 3});
  const Tensor many = Tensor::from<int64_t>(Shape{1000}, std::vector<int64_t>(1000, 42));
  absl::Cord askew = in_block("x" + encoded({.value = many}));
  askew.RemovePrefix(1);
  absl::Cord pieces(absl::string_view(encoded({.value = many})).substr(0, 700));
  pieces.Append(in_block(absl::string_view(encoded({.value = many})).substr(700)));
  for (const absl::Cord& bytes : {in_block(encoded({.value = few})), askew, pieces}) {
    auto got = decode_tensor_message(bytes);
    ASSERT_TRUE(got.ok()) << got.status();
    const auto* at = static_cast<const char*>(got->value.raw());
    for (absl::string_view piece : bytes.Chunks())
      EXPECT_FALSE(at >= piece.data() && at < piece.data() + piece.size());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % Allocator::kAlignmentBytes, 0u);
    EXPECT_EQ(text(got->value), text(got->value.num_elements() == 3 ? few : many));
  }
}

TEST(TensorMessage, carries_strings_and_handles) {
  Tensor strings(DataType::kString, Shape{2, 2});
  strings.flat<TString>()[0].assign("a");
  strings.flat<TString>()[2].assign(std::string(1000, 'x') + std::string(1, '\0'));
  EXPECT_EQ(text(decoded(encoded({.value = strings})).value), text(strings));
  ResourceHandle handle;
  handle.device = "/job:ps/replica:0/task:0/device:CPU:0";
  handle.name = "v";
  const Tensor got = decoded(encoded({.value = Tensor::scalar(handle)})).value;
  EXPECT_EQ(got.value<ResourceHandle>().device, handle.device);
  EXPECT_EQ(got.value<ResourceHandle>().name, "v");
}

/// A list of tensors, of which some kinds cannot leave the process.
class Bag final : public VariantValue {
 public:
  Bag(std::vector<Tensor> tensors, bool leaves) : tensors_(std::move(tensors)), leaves_(leaves) {}
  std::string type_name() const override { return "Bag"; }
  bool serialize(std::string* metadata, std::vector<Tensor>* tensors) const override {
    *metadata = "of tensors";
    *tensors = tensors_;
    return leaves_;
  }

 private:
  const std::vector<Tensor> tensors_;
  const bool leaves_;
};

Tensor bag(std::vector<Tensor> tensors, bool leaves = true) {
  return Tensor::scalar(Variant(std::make_shared<Bag>(std::move(tensors), leaves)));
}

TEST(TensorMessage, carries_variants_and_what_is_in_them) {
  const Tensor inside = Tensor::vector<int32_t>({1, 2, 3});
  const Tensor got = decoded(encoded({.value = bag({bag({inside})})})).value;
  auto open = [](const Tensor& t) {
    std::string metadata;
    std::vector<Tensor> tensors;
    EXPECT_TRUE(t.value<Variant>().value()->serialize(&metadata, &tensors));
    EXPECT_EQ(metadata, "of tensors");
    return tensors.at(0);
  };
  EXPECT_EQ(text(open(open(got))), text(inside));
}

TEST(TensorMessage, refuses_to_send_what_means_nothing_elsewhere) {
  const auto refused = [](Tensor value) {
    const absl::Status status = encode({.value = std::move(value)}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(refused(bag({}, false)), HasSubstr("a variant of type Bag cannot leave its process"));
  EXPECT_THAT(refused(bag({bag({}, false)})), HasSubstr("a variant of type Bag cannot leave its process"));
  ResourceHandle handle;
  handle.device = "CPU:0";
  handle.maybe_type_name = "Var";
  handle.anonymous = std::make_shared<int>(1);
  EXPECT_THAT(refused(Tensor::scalar(handle)),
              HasSubstr("a handle of a resource without a name (Var on CPU:0) cannot leave its process"));
}

/// Where things are in the header.
constexpr size_t kVersionAt = 4, kDtypeAt = 6, kFlagsAt = 7, kRankAt = 8, kHeadAt = 12, kPayloadAt = 16,
                 kDimsAt = 64;

class BadTensorMessageTest : public testing::Test {
 protected:
  template <class T>
  void put(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }
  void expect_refused(const std::string& why, absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    for (const auto& got : {decode_tensor_message(in_block(bytes_)), decode_tensor_message(bytes_)}) {
      EXPECT_EQ(got.status().code(), code) << got.status();
      EXPECT_THAT(std::string(got.status().message()), HasSubstr(why));
    }
    bytes_ = good_;
  }
  const std::string good_ = encoded({.step_id = 3, .key_id = 4, .value = Tensor::vector<float>({1, 2, 3})});
  std::string bytes_ = good_;
};

TEST_F(BadTensorMessageTest, is_refused_for_its_header) {
  bytes_.resize(63);
  expect_refused("has 63 bytes, expected at least 64");
  put<uint8_t>(0, 0);
  expect_refused("tensor message of step 3, key 4: begins with");
  put<uint16_t>(kVersionAt, 1);
  expect_refused("has version 1, expected 2");
  put<uint8_t>(kFlagsAt, 2 + 8);
  expect_refused("has bits set that have no meaning");
  put<uint8_t>(kFlagsAt, 1);
  expect_refused("has no value, but a dtype, dimensions or elements");
  put<uint8_t>(kFlagsAt, 2 + 4);
  expect_refused("has elements of type float in the wrong form");
  put<uint8_t>(kDtypeAt, 0);
  expect_refused("dtype 0 is not that of a tensor");
  put<uint8_t>(kDtypeAt, 101);
  expect_refused("dtype 101 is not that of a tensor");
  put<uint8_t>(kDtypeAt, 250);
  expect_refused("dtype 250 is not that of a tensor");
  put<uint8_t>(kDtypeAt, static_cast<uint8_t>(DataType::kString));
  expect_refused("has elements of type string in the wrong form");
}

TEST_F(BadTensorMessageTest, is_refused_for_its_sizes) {
  put<uint32_t>(kRankAt, 255);
  expect_refused("has rank 255, expected at most 254");
  put<uint32_t>(kRankAt, ~uint32_t{0});
  expect_refused("has rank 4294967295");
  put<uint32_t>(kRankAt, 254);
  expect_refused("has a head of 128 bytes, expected 2096 and some zeros");
  put<uint32_t>(kRankAt, 254);
  put<uint32_t>(kHeadAt, 2112);
  expect_refused("has 140 bytes, but announces a head of 2112 and elements of 12");
  put<uint32_t>(kHeadAt, 71);
  expect_refused("has a head of 71 bytes, expected 72 and some zeros");
  put<uint32_t>(kHeadAt, 72 + 64);
  expect_refused("has a head of 136 bytes, expected 72 and some zeros");
  put<uint64_t>(kPayloadAt, ~uint64_t{0});
  expect_refused("has 140 bytes, but announces a head of 128 and elements of 18446744073709551615");
  put<uint64_t>(kPayloadAt, 8);
  expect_refused("announces a head of 128 and elements of 8");
  bytes_ += "x";
  expect_refused("has 141 bytes, but announces");
  put<int64_t>(kDimsAt, -1);
  expect_refused("-1");
  put<int64_t>(kDimsAt, 4);
  expect_refused("has 12 bytes of elements, but shape [4] of type float needs 16");
  put<int64_t>(kDimsAt, INT64_MAX);
  expect_refused("is larger than any memory");
  put<uint32_t>(kRankAt, 0);
  put<uint32_t>(kHeadAt, 64);
  expect_refused("announces a head of 64 and elements of 12");
  put<uint32_t>(kRankAt, 3);
  put<int64_t>(kDimsAt, int64_t{1} << 40);
  put<int64_t>(kDimsAt + 8, int64_t{1} << 40);
  expect_refused("tensor message of step 3, key 4: ");
}

TEST_F(BadTensorMessageTest, is_refused_beyond_the_limit) {
  const absl::Status status = decode_tensor_message(good_, {.value_bytes = 11}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("tensor message of step 3, key 4: the value has 12 bytes, the limit is 11"));
  EXPECT_TRUE(decode_tensor_message(good_, {.value_bytes = 12}).ok());
}

TEST_F(BadTensorMessageTest, is_refused_for_elements_that_are_none) {
  bytes_ = encoded({.value = Tensor::vector<bool>({true, false})});
  bytes_.back() = 2;
  expect_refused("holds a bool of 2, expected 0 to 1");
  bytes_ = encoded({.value = zeros(DataType::kInt4, Shape{2})});
  bytes_.back() = 8;
  expect_refused("holds a int4 of 8, expected -8 to 7");
  bytes_ = encoded({.value = zeros(DataType::kUint2, Shape{2})});
  bytes_.back() = -1;
  expect_refused("holds a uint2 of -1, expected 0 to 3");
  bytes_ = encoded({.value = Tensor::string_scalar("abcdefgh")});
  bytes_.back() = 0;
  EXPECT_TRUE(decode_tensor_message(bytes_).ok()) << "zeros are characters";
  bytes_[kDimsAt] = '\xff';
  expect_refused("its elements are no TensorProto");
}

TEST_F(BadTensorMessageTest, is_refused_when_fewer_strings_come_than_are_announced) {
  Tensor strings(DataType::kString, Shape{3});
  for (TString& s : strings.flat<TString>()) s.assign("many bytes in each of them");
  bytes_ = encoded({.value = strings});
  put<int64_t>(kDimsAt, 2);
  expect_refused("its elements are 3 of dtype 7 and shape [3], the header says string and [2]");
  bytes_ = encoded({.value = strings});
  put<int64_t>(kDimsAt, 1 << 20);
  expect_refused("has 1048576 elements, more than");
}

TEST_F(BadTensorMessageTest, is_refused_for_large_tensors_in_small_variants) {
  bytes_ = encoded({.value = bag({zeros(DataType::kUint8, Shape{1 << 20})})});
  ASSERT_LT(bytes_.size(), 1000u) << "a value that is repeated";
  EXPECT_TRUE(decode_tensor_message(bytes_, {.value_bytes = (1 << 20) + 100}).ok());
  const absl::Status status = decode_tensor_message(bytes_, {.value_bytes = (1 << 20) - 1}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("tensors inside of variants are larger than the limit"));
}

TEST(TensorPayload, refuses_strings_in_variants_that_are_repeated) {
  pb::TensorProto proto;
  proto.set_dtype(pb::DT_VARIANT);
  pb::VariantTensorDataProto* variant = proto.add_variant_val();
  variant->set_type_name("Bag");
  pb::TensorProto* inside = variant->add_tensors();
  inside->set_dtype(pb::DT_STRING);
  inside->mutable_tensor_shape()->add_dim()->set_size(1000);
  for (int i = 0; i < 999; ++i) inside->add_string_val("much of it");
  const auto decode = [&] {
    return decode_elements(DataType::kVariant, Shape(), proto.SerializeAsString(), 1 << 20).status();
  };
  const absl::Status repeated = decode();
  EXPECT_EQ(repeated.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(repeated.message()), HasSubstr("does not list its elements"));
  inside->add_string_val("the last");
  EXPECT_TRUE(decode().ok()) << decode();
}

}  // namespace
}  // namespace troupe
