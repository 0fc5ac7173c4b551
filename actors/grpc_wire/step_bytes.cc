#include "actors/grpc_wire/step_bytes.h"

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <string>
#include <utility>

#include "graph/tensor/lifted_bytes.h"

namespace troupe {
namespace {

bool parse(const absl::Cord& bytes, google::protobuf::MessageLite* message) {
  return message->ParseFromString(std::string(bytes));
}

/// Keeps the memory of a piece that is large, copies it else.
::grpc::Slice slice_of(absl::string_view piece, const absl::Cord& owner) {
  constexpr size_t kSharedBytes = 4096;
  if (piece.size() < kSharedBytes) return ::grpc::Slice(piece.data(), piece.size());
  return ::grpc::Slice(
      const_cast<char*>(piece.data()), piece.size(),
      [](void* kept) { delete static_cast<absl::Cord*>(kept); }, new absl::Cord(owner));
}

}  // namespace

absl::Cord cord_of(const ::grpc::ByteBuffer& bytes) {
  std::vector<::grpc::Slice> slices;
  absl::Cord out;
  if (!bytes.Dump(&slices).ok()) return out;
  for (::grpc::Slice& slice : slices) {
    const absl::string_view piece(reinterpret_cast<const char*>(slice.begin()), slice.size());
    // A small slice may have its bytes inside.
    if (piece.size() < 256)
      out.Append(piece);
    else
      out.Append(absl::MakeCordFromExternal(piece, [slice = std::move(slice)] {}));
  }
  return out;
}

::grpc::ByteBuffer buffer_of(const absl::Cord& bytes) {
  std::vector<::grpc::Slice> slices;
  for (absl::string_view piece : bytes.Chunks()) slices.push_back(slice_of(piece, bytes));
  return ::grpc::ByteBuffer(slices.data(), slices.size());
}

bool read_message(::grpc::ByteBuffer* bytes, absl::Span<const int> path,
                  google::protobuf::MessageLite* message, TensorContents* contents) {
  contents->clear();
  if (bytes->Length() >= kLiftedBytes) {
    auto lifted = lift_bytes(cord_of(*bytes), path, kLiftedBytes);
    if (lifted) {
      *contents = std::move(lifted->bytes);
      return parse(lifted->rest, message);
    }
  }
  ::grpc::ProtoBufferReader reader(bytes);
  return reader.status().ok() && message->ParseFromZeroCopyStream(&reader);
}

::grpc::ByteBuffer write_message(const google::protobuf::MessageLite& message, absl::Span<const int> path,
                                 const TensorContents& contents) {
  const auto beside = [](const absl::Cord& content) { return !content.empty(); };
  if (std::any_of(contents.begin(), contents.end(), beside))
    return buffer_of(put_back({absl::Cord(message.SerializeAsString()), contents}, path));
  // As gRPC writes messages: without a copy in between.
  ::grpc::ByteBuffer out;
  bool own = true;
  (void)::grpc::GenericSerialize<::grpc::ProtoBufferWriter, google::protobuf::MessageLite>(message, &out,
                                                                                           &own);
  return out;
}

size_t size_with(const google::protobuf::MessageLite& message, const TensorContents& contents) {
  size_t bytes = message.ByteSizeLong();
  for (const absl::Cord& content : contents) bytes += content.size();
  return bytes;
}

}  // namespace troupe
