#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <vector>

#include "absl/strings/cord.h"
#include "absl/types/span.h"
#include "proto/master.pb.h"

namespace troupe {

/// Tensors of which at least so many bytes are sent and read beside their messages: fewer are cheaper to copy.
inline constexpr size_t kLiftedBytes = 64 << 10;

/// The way to the raw bytes of a message's tensors.
template <class Message>
struct TensorPath;
template <>
struct TensorPath<tensorflow::RunStepRequest> {
  static constexpr int kFields[] = {tensorflow::RunStepRequest::kFeedFieldNumber,
                                    tensorflow::NamedTensorProto::kTensorFieldNumber,
                                    tensorflow::TensorProto::kTensorContentFieldNumber};
};
template <>
struct TensorPath<tensorflow::RunStepResponse> {
  static constexpr int kFields[] = {tensorflow::RunStepResponse::kTensorFieldNumber,
                                    tensorflow::NamedTensorProto::kTensorFieldNumber,
                                    tensorflow::TensorProto::kTensorContentFieldNumber};
};
template <>
struct TensorPath<tensorflow::RunCallableRequest> {
  static constexpr int kFields[] = {tensorflow::RunCallableRequest::kFeedFieldNumber,
                                    tensorflow::TensorProto::kTensorContentFieldNumber};
};
template <>
struct TensorPath<tensorflow::RunCallableResponse> {
  static constexpr int kFields[] = {tensorflow::RunCallableResponse::kFetchFieldNumber,
                                    tensorflow::TensorProto::kTensorContentFieldNumber};
};

template <class Message>
absl::Span<const int> path_of(const Message&) {
  return TensorPath<Message>::kFields;
}

/// The raw bytes of each tensor of a message, in their order; empty where the message has them itself. Missing ones are empty.
using TensorContents = std::vector<absl::Cord>;

/// Of what gRPC brings, whose memory is shared.
absl::Cord cord_of(const ::grpc::ByteBuffer& bytes);
/// For gRPC to send; shares the memory of large pieces.
::grpc::ByteBuffer buffer_of(const absl::Cord& bytes);

/// False for what is no such message.
bool read_message(::grpc::ByteBuffer* bytes, absl::Span<const int> path,
                  google::protobuf::MessageLite* message, TensorContents* contents);
::grpc::ByteBuffer write_message(const google::protobuf::MessageLite& message, absl::Span<const int> path,
                                 const TensorContents& contents);

/// Bytes of the message and of what is beside it.
size_t size_with(const google::protobuf::MessageLite& message, const TensorContents& contents);

/// `i`-th, if there are as many.
inline const absl::Cord& content_at(const TensorContents& contents, size_t i) {
  static const absl::Cord none;
  return i < contents.size() ? contents[i] : none;
}

}  // namespace troupe
