#include "actors/grpc_wire/step_bytes.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <string>

namespace troupe {
namespace {

using google::protobuf::util::MessageDifferencer;
using tensorflow::RunCallableRequest;
using tensorflow::RunStepRequest;
using tensorflow::RunStepResponse;

/// As gRPC brings it: in slices of so many bytes.
::grpc::ByteBuffer buffer(const std::string& bytes, size_t slice = 16384) {
  std::vector<::grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += slice) slices.emplace_back(bytes.substr(at, slice));
  return ::grpc::ByteBuffer(slices.data(), slices.size());
}

std::string text(const ::grpc::ByteBuffer& bytes) { return std::string(cord_of(bytes)); }

/// Fed with tensors of these contents.
RunStepRequest request_of(const std::vector<std::string>& contents) {
  RunStepRequest request;
  request.set_session_handle("s");
  for (const std::string& content : contents)
    request.add_feed()->mutable_tensor()->set_tensor_content(content);
  return request;
}

/// A field of bytes as it is on the wire.
std::string field(int number, const std::string& bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>(size | 0x80);
  return out + static_cast<char>(size) + bytes;
}

TEST(StepBytes, large_contents_are_read_beside_the_message) {
  const std::string large(kLiftedBytes, 'L'), small(100, 's');
  ::grpc::ByteBuffer bytes = buffer(request_of({small, large}).SerializeAsString());
  RunStepRequest request;
  TensorContents contents{absl::Cord("of before")};
  ASSERT_TRUE(read_message(&bytes, path_of(request), &request, &contents));
  EXPECT_EQ(request.feed(0).tensor().tensor_content(), small);
  EXPECT_EQ(request.feed(1).tensor().tensor_content(), "");
  ASSERT_EQ(contents.size(), 2u);
  EXPECT_EQ(contents[0], "");
  EXPECT_EQ(contents[1], large);
  EXPECT_EQ(content_at(contents, 1), large);
  EXPECT_EQ(content_at(contents, 2), "");
}

TEST(StepBytes, small_messages_are_read_as_they_are) {
  const RunStepRequest sent = request_of({std::string(kLiftedBytes / 2, 'x')});
  ::grpc::ByteBuffer bytes = buffer(sent.SerializeAsString());
  RunStepRequest request;
  TensorContents contents;
  ASSERT_TRUE(read_message(&bytes, path_of(request), &request, &contents));
  EXPECT_TRUE(contents.empty());
  EXPECT_TRUE(MessageDifferencer::Equals(request, sent));
}

TEST(StepBytes, what_is_written_is_what_protobuf_writes) {
  const std::string large(3 * kLiftedBytes, 'L');
  RunStepResponse response;
  for (const char* name : {"a:0", "b:0"}) {
    auto* tensor = response.add_tensor();
    tensor->set_name(name);
    tensor->mutable_tensor()->set_dtype(tensorflow::DT_FLOAT);
  }
  response.set_status_error_message("none");
  const std::string without = text(write_message(response, path_of(response), {}));
  EXPECT_EQ(without, response.SerializeAsString());
  const ::grpc::ByteBuffer bytes =
      write_message(response, path_of(response), {absl::Cord(), absl::Cord(large)});
  RunStepResponse read;
  ASSERT_TRUE(read.ParseFromString(text(bytes)));
  response.mutable_tensor(1)->mutable_tensor()->set_tensor_content(large);
  EXPECT_TRUE(MessageDifferencer::Equals(read, response));
}

TEST(StepBytes, contents_are_sent_from_where_they_are) {
  const std::string large(kLiftedBytes, 'L');
  bool held = true;
  RunCallableRequest request;
  request.add_feed();
  TensorContents contents{absl::MakeCordFromExternal(large, [&held] { held = false; })};
  {
    const ::grpc::ByteBuffer bytes = write_message(request, path_of(request), contents);
    contents.clear();
    EXPECT_TRUE(held);
    std::vector<::grpc::Slice> slices;
    ASSERT_TRUE(bytes.Dump(&slices).ok());
    bool shared = false;
    for (const auto& slice : slices) shared |= reinterpret_cast<const char*>(slice.begin()) == large.data();
    EXPECT_TRUE(shared);
  }
  EXPECT_FALSE(held);
}

TEST(StepBytes, sizes_count_what_is_beside) {
  const RunStepRequest request = request_of({""});
  EXPECT_EQ(size_with(request, {}), request.ByteSizeLong());
  EXPECT_EQ(size_with(request, {absl::Cord("abc"), absl::Cord("de")}), request.ByteSizeLong() + 5);
}

TEST(StepBytes, what_is_no_message_is_not_read) {
  RunStepRequest request;
  TensorContents contents;
  for (const size_t size : {size_t{10}, 2 * kLiftedBytes}) {
    ::grpc::ByteBuffer bytes = buffer(std::string(size, '\xff'));
    EXPECT_FALSE(read_message(&bytes, path_of(request), &request, &contents));
  }
  // Protobuf reads what is not lifted: the same content twice is the last one.
  const RunStepRequest twice = request_of({std::string(kLiftedBytes, 'a')});
  const std::string again = request_of({std::string(kLiftedBytes, 'b')}).feed(0).tensor().SerializeAsString();
  const std::string tensor = twice.feed(0).tensor().SerializeAsString() + again;
  const std::string feed = field(tensorflow::NamedTensorProto::kTensorFieldNumber, tensor);
  const std::string whole = field(RunStepRequest::kFeedFieldNumber, feed);
  ::grpc::ByteBuffer bytes = buffer(whole);
  ASSERT_TRUE(read_message(&bytes, path_of(request), &request, &contents));
  EXPECT_TRUE(contents.empty());
  EXPECT_EQ(request.feed(0).tensor().tensor_content(), std::string(kLiftedBytes, 'b'));
}

}  // namespace
}  // namespace troupe
