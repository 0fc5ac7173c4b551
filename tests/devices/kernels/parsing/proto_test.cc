#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>

#include <filesystem>
#include <fstream>

#include "tests/support/string_tensors.h"

// Expected values are TensorFlow 2.21's.
namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Outputs = absl::StatusOr<std::vector<Tensor>>;
using Proto = google::protobuf::FieldDescriptorProto;

/// A file with the message t.M: fields of many types, and some repeated ones.
const std::string& described() {
  static const std::string* bytes = [] {
    google::protobuf::FileDescriptorSet set;
    auto* file = set.add_file();
    file->set_name("t.proto");
    file->set_package("t");
    auto* sub = file->add_message_type();
    sub->set_name("S");
    auto* m = file->add_message_type();
    m->set_name("M");
    auto add = [&](const char* name, int number, Proto::Type type, bool repeated) {
      auto* f = m->add_field();
      f->set_name(name);
      f->set_number(number);
      f->set_type(type);
      f->set_label(repeated ? Proto::LABEL_REPEATED : Proto::LABEL_OPTIONAL);
      return f;
    };
    add("double", 1, Proto::TYPE_DOUBLE, false);
    add("float", 2, Proto::TYPE_FLOAT, false);
    add("int64", 3, Proto::TYPE_INT64, false);
    add("uint64", 4, Proto::TYPE_UINT64, false);
    add("int32", 5, Proto::TYPE_INT32, false);
    add("int32_r", 105, Proto::TYPE_INT32, true);
    add("bool", 8, Proto::TYPE_BOOL, false);
    add("string_r", 109, Proto::TYPE_STRING, true);
    add("message", 11, Proto::TYPE_MESSAGE, false)->set_type_name(".t.S");
    add("sint32", 17, Proto::TYPE_SINT32, false);
    add("default", 300, Proto::TYPE_INT32, false)->set_default_value("42");
    add("text", 301, Proto::TYPE_STRING, false)->set_default_value("hey");
    add("packed", 302, Proto::TYPE_INT32, true)->mutable_options()->set_packed(true);
    return new std::string(set.SerializeAsString());
  }();
  return *bytes;
}
std::string source() { return "bytes://" + described(); }

Outputs decode(const std::vector<std::string>& messages, const std::vector<std::string>& fields,
               const std::vector<DataType>& types, AttrMap attrs = {}) {
  if (!attrs.contains("descriptor_source")) attrs.set("descriptor_source", source());
  if (!attrs.contains("message_type")) attrs.set("message_type", std::string("t.M"));
  attrs.set("field_names", fields);
  attrs.set("output_types", types);
  return run("DecodeProtoV2", {strings(messages)}, std::move(attrs));
}

std::string why(const Outputs& out) {
  return out.ok() ? "no error"
                  : absl::StrCat(absl::StatusCodeToString(out.status().code()), ": ", out.status().message());
}

const DataType kInt = DataType::kInt32, kText = DataType::kString;

TEST(DecodeProto, reads_fields_with_their_defaults) {
  const std::string a(
      "\x09\0\0\0\0\0\0\xf8\x3f\x20\x81\x80\x80\x80\x80\x80\x80\x80\x80\x01\x28\x07\x40\x01\x88\x01\x0d", 27);
  auto out = decode(
      {a, ""}, {"double", "uint64", "int32", "bool", "sint32", "default", "text", "message"},
      {DataType::kDouble, DataType::kUint64, kInt, DataType::kBool, DataType::kInt64, kInt, kText, kText});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{2, 8}));
  EXPECT_THAT(values<int32_t>(out->at(0)), ElementsAre(1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(values<double>(out->at(1)), ElementsAre(1.5, 0));
  EXPECT_THAT(values<uint64_t>(out->at(2)), ElementsAre((uint64_t{1} << 63) + 1, 0));
  EXPECT_THAT(values<int32_t>(out->at(3)), ElementsAre(7, 0));
  EXPECT_THAT(values<bool>(out->at(4)), ElementsAre(true, false));
  EXPECT_THAT(values<int64_t>(out->at(5)), ElementsAre(-7, 0));
  EXPECT_THAT(values<int32_t>(out->at(6)), ElementsAre(42, 42));
  EXPECT_THAT(texts(out->at(7)), ElementsAre("hey", "hey"));
  EXPECT_EQ(out->at(8).shape(), (Shape{2, 1}));
}

TEST(DecodeProto, pads_repeated_fields_to_the_widest) {
  // Packed and not, whatever the field says; the last of several values of a single field counts.
  auto out = decode(
      {std::string("\xca\x06\x03\x01\x02\x03\xf0\x12\x05\x28\x05\x28\x06", 13), "\xea\x06\x01q\xc8\x06\x09"},
      {"int32_r", "packed", "int32", "string_r"}, {kInt, kInt, kInt, kText});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int32_t>(out->at(0)), ElementsAre(3, 1, 1, 0, 1, 0, 0, 1));
  EXPECT_EQ(out->at(1).shape(), (Shape{2, 3}));
  EXPECT_THAT(values<int32_t>(out->at(1)), ElementsAre(1, 2, 3, 9, 0, 0));
  EXPECT_THAT(values<int32_t>(out->at(2)), ElementsAre(5, 0));
  EXPECT_THAT(values<int32_t>(out->at(3)), ElementsAre(6, 0));
  EXPECT_THAT(texts(out->at(4)), ElementsAre("", "q"));
}

TEST(DecodeProto, reads_text_and_descriptions_from_files) {
  auto out = decode({"int32: 5 int32_r: 1 int32_r: 2"}, {"int32", "int32_r"}, {kInt, kInt},
                    {{"message_format", std::string("text")}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int32_t>(out->at(2)), ElementsAre(1, 2));
  const auto path = std::filesystem::temp_directory_path() / "proto_kernels_test.pb";
  std::ofstream(path, std::ios::binary) << described();
  out = decode({"\x28\x03"}, {"int32"}, {kInt}, {{"descriptor_source", path.string()}, {"sanitize", true}});
  std::filesystem::remove(path);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<int32_t>(out->at(1)), ElementsAre(3));
  // Messages of the program.
  out = decode({""}, {"unknown_rank"}, {DataType::kBool},
               {{"descriptor_source", std::string("local://")},
                {"message_type", std::string("tensorflow.TensorShapeProto")}});
  EXPECT_TRUE(out.ok()) << out.status();
}

TEST(DecodeProto, refuses_what_is_not_there) {
  EXPECT_EQ(why(decode({""}, {"int32"}, {DataType::kFloat})),
            "INVALID_ARGUMENT: Unexpected output type for t.M.int32: int32 to DT_FLOAT");
  EXPECT_EQ(why(decode({""}, {"nope"}, {kInt})), "INVALID_ARGUMENT: Unknown field: nope in message type t.M");
  EXPECT_EQ(why(decode({""}, {"int32"}, {kInt}, {{"message_type", std::string("t.X")}})),
            "INVALID_ARGUMENT: No descriptor found for message type t.X");
  EXPECT_EQ(why(decode({""}, {"int32"}, {kInt}, {{"descriptor_source", std::string("local://")}})),
            "INVALID_ARGUMENT: No descriptor found for message type t.M");
  EXPECT_EQ(why(decode({""}, {"int32", "int64"}, {kInt})),
            "INVALID_ARGUMENT: field_names and output_types attributes must have the same length");
  EXPECT_EQ(why(decode({""}, {"int32"}, {kInt}, {{"message_format", std::string("json")}})),
            "INVALID_ARGUMENT: format must be one of binary or text");
  EXPECT_THAT(why(decode({""}, {"int32"}, {kInt}, {{"descriptor_source", std::string("/nowhere/d.pb")}})),
              HasSubstr("Source does not represent serialized file descriptor set proto."));
  EXPECT_THAT(why(decode({""}, {"int32"}, {kInt}, {{"descriptor_source", std::string("bytes://\xff")}})),
              HasSubstr("Source does not represent serialized file descriptor set proto."));
  EXPECT_EQ(why(decode({}, {"int32"}, {kInt})),
            "INVALID_ARGUMENT: Bufs argument must contain at least one value");
  EXPECT_EQ(why(decode({"\x0a"}, {"int32"}, {kInt})), "DATA_LOSS: Failed skipping unrequested field");
  EXPECT_EQ(why(decode({"\xff\xff\xff"}, {"int32"}, {kInt})),
            "DATA_LOSS: CountFields: Failed to consume entire buffer");
  EXPECT_EQ(why(decode({"int3"}, {"int32"}, {kInt}, {{"message_format", std::string("text")}})),
            "DATA_LOSS: Unable to parse text protobuf");
  EXPECT_FALSE(decode({"\x28"}, {"int32"}, {kInt}).ok());
  EXPECT_FALSE(decode({std::string("\xca\x06\x7f\x01", 4)}, {"int32_r"}, {kInt}).ok());
}

Outputs encode(const Tensor& sizes, std::vector<Tensor> fields, const std::vector<std::string>& names) {
  fields.insert(fields.begin(), sizes);
  return run("EncodeProto", std::move(fields),
             {{"descriptor_source", source()}, {"message_type", std::string("t.M")}, {"field_names", names}});
}

TEST(EncodeProto, writes_fields_by_number) {
  auto out = encode(Tensor::from<int32_t>(Shape{2, 2}, {2, 1, 1, 0}),
                    {strings({"a", "b", "c", "d"}, Shape{2, 2}), Tensor::from<int32_t>(Shape{2, 1}, {5, 6})},
                    {"string_r", "int32"});
  EXPECT_THAT(texts(out), ElementsAre("(\x05\xea\x06\x01"
                                      "a\xea\x06\x01"
                                      "b",
                                      "\xea\x06\x01"
                                      "c"));
  out = encode(Tensor::from<int32_t>(Shape{1, 3}, {1, 2, -1}),
               {Tensor::from<int64_t>(Shape{1, 1}, {1}), Tensor::from<int32_t>(Shape{1, 2}, {5, 6}),
                Tensor::from<double>(Shape{1, 1}, {1})},
               {"int32", "packed", "double"});
  EXPECT_THAT(texts(out), ElementsAre("(\x01\xf2\x12\x02\x05\x06"));
  out = encode(Tensor::from<int32_t>(Shape{1, 4}, {1, 1, 1, 1}),
               {Tensor::from<double>(Shape{1, 1}, {1}), Tensor::from<int32_t>(Shape{1, 1}, {-5}),
                Tensor::from<bool>(Shape{1, 1}, {true}), strings({"\x08\x04"}, Shape{1, 1})},
               {"float", "sint32", "bool", "message"});
  EXPECT_THAT(texts(out), ElementsAre(std::string("\x15\0\0\x80?\x40\x01Z\x02\x08\x04\x88\x01\x09", 14)));
}

TEST(EncodeProto, refuses_what_does_not_fit) {
  const Tensor one = Tensor::from<int32_t>(Shape{1, 1}, {1}), two = Tensor::from<int32_t>(Shape{1, 1}, {2});
  EXPECT_EQ(
      why(encode(one, {Tensor::from<float>(Shape{1, 1}, {1})}, {"int32"})),
      "INVALID_ARGUMENT: Incompatible type for field int32.  Saw dtype: float but field type is: int32");
  EXPECT_EQ(why(encode(two, {one}, {"int32"})),
            "INVALID_ARGUMENT: Size to write must not be larger than value tensor; but saw: 2 > 1 at message "
            "0 field 0");
  EXPECT_EQ(
      why(encode(Tensor::from<int32_t>(Shape{2, 1}, {1, 1}), {one}, {"int32"})),
      "INVALID_ARGUMENT: sizes should be batch_size + [len(field_names)].  Saw: [2,1] but expected: [1,1]");
  EXPECT_EQ(why(encode(one, {one}, {"int32", "packed"})),
            "INVALID_ARGUMENT: Length of inputs list must match field_names");
  EXPECT_EQ(why(encode(one, {one, Tensor::from<int32_t>(Shape{2, 1}, {1, 2})}, {"int32", "packed"})),
            "INVALID_ARGUMENT: Values must match up to the last dimension");
  EXPECT_EQ(
      why(encode(Tensor::scalar<int32_t>(1), {Tensor::scalar<int32_t>(1)}, {"int32"})),
      "INVALID_ARGUMENT: Invalid shape for field int32.  Saw shape [] but it should be at least a matrix.");
}

}  // namespace
}  // namespace troupe::test
