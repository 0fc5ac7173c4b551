#include "actors/node/message.h"

#include <google/protobuf/message_lite.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "actors/cluster/tensor_message.h"
#include "actors/node/status_proto.h"
#include "graph/status.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

/// More tensors than any step of ours has arguments or results.
constexpr uint32_t kMaxTensors = 1 << 20;
/// Elements of smaller messages are copied.
constexpr size_t kSmallBytes = 4096;

template <class T>
void put(std::string* out, T value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// Takes numbers and pieces off the front of a body.
class Reader {
 public:
  explicit Reader(absl::Cord rest) : rest_(std::move(rest)) {}

  template <class T>
  bool get(T* value) {
    if (rest_.size() < sizeof(T)) return false;
    const std::string bytes(rest_.Subcord(0, sizeof(T)));
    std::memcpy(value, bytes.data(), sizeof(T));
    rest_.RemovePrefix(sizeof(T));
    return true;
  }
  bool take(uint64_t size, absl::Cord* piece) {
    if (size > rest_.size()) return false;
    *piece = rest_.Subcord(0, size);
    rest_.RemovePrefix(size);
    return true;
  }
  size_t left() const { return rest_.size(); }

 private:
  absl::Cord rest_;
};

absl::Status malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("a malformed message: ", what));
}

absl::Status append_tensor(const Tensor& t, absl::Cord* body) {
  absl::Cord bytes;
  if (t.initialized()) {
    const size_t before = kMessageHeaderBytes + body->size() + sizeof(uint64_t);
    TROUPE_ASSIGN_OR_RETURN(bytes, encode(TensorMessage{.value = t}, before));
  }
  std::string size;
  put(&size, uint64_t{bytes.size()});
  body->Append(size);
  body->Append(std::move(bytes));
  return absl::OkStatus();
}

absl::StatusOr<Tensor> take_tensor(Reader* reader) {
  uint64_t size = 0;
  absl::Cord bytes;
  if (!reader->get(&size) || !reader->take(size, &bytes)) return malformed("a tensor is cut off");
  if (size == 0) return Tensor();
  TROUPE_ASSIGN_OR_RETURN(TensorMessage message, decode_tensor_message(bytes));
  return std::move(message.value);
}

}  // namespace

absl::StatusOr<absl::Cord> pack(const google::protobuf::MessageLite& proto,
                                const std::vector<Tensor>& tensors) {
  const std::string bytes = proto.SerializeAsString();
  // Too large for protobuf: there are no bytes.
  if (bytes.empty() && proto.ByteSizeLong() > 0) {
    return absl::ResourceExhaustedError(absl::StrCat("a ", proto.GetTypeName(), " of ", proto.ByteSizeLong(),
                                                     " bytes; a message has ", INT32_MAX, " at most"));
  }
  std::string head;
  put(&head, static_cast<uint32_t>(bytes.size()));
  put(&head, static_cast<uint32_t>(tensors.size()));
  absl::Cord body(head + bytes);
  for (const Tensor& t : tensors) TROUPE_RETURN_IF_ERROR(append_tensor(t, &body));
  return body;
}

absl::StatusOr<Parcel> unpack(const absl::Cord& body) {
  Reader reader(body);
  uint32_t proto_bytes = 0, num_tensors = 0;
  absl::Cord proto;
  if (!reader.get(&proto_bytes) || !reader.get(&num_tensors) || !reader.take(proto_bytes, &proto))
    return malformed("it is cut off");
  // Each takes its size at least.
  if (num_tensors > kMaxTensors || num_tensors > reader.left() / sizeof(uint64_t))
    return malformed(absl::StrCat(num_tensors, " tensors in ", reader.left(), " bytes"));
  Parcel parcel;
  parcel.proto = std::string(proto);
  parcel.tensors.reserve(num_tensors);
  for (uint32_t i = 0; i < num_tensors; ++i) {
    TROUPE_ASSIGN_OR_RETURN(Tensor t, take_tensor(&reader));
    parcel.tensors.push_back(std::move(t));
  }
  if (reader.left() != 0) return malformed(absl::StrCat(reader.left(), " bytes too many"));
  return parcel;
}

absl::Status unpack(const absl::Cord& body, google::protobuf::MessageLite* proto,
                    std::vector<Tensor>* tensors) {
  TROUPE_ASSIGN_OR_RETURN(Parcel parcel, unpack(body));
  if (!proto->ParseFromString(parcel.proto))
    return malformed(absl::StrCat("it is no ", proto->GetTypeName()));
  if (tensors != nullptr) *tensors = std::move(parcel.tensors);
  return absl::OkStatus();
}

absl::StatusOr<absl::Cord> pack_nothing() { return pack(wire::Status()); }

absl::Cord pack_answer(const absl::StatusOr<absl::Cord>& answer) {
  // Behind it, so that tensors are where `pack` has aligned them.
  absl::Cord body;
  if (answer.ok()) {
    body = *answer;
  } else {
    wire::Status status;
    to_proto(answer.status(), &status);
    body = *pack(status);
  }
  body.Append(absl::string_view(answer.ok() ? "\1" : "\0", 1));
  return body;
}

absl::StatusOr<absl::StatusOr<absl::Cord>> unpack_answer(const absl::Cord& body) {
  if (body.empty()) return malformed("an empty answer");
  const absl::Cord rest = body.Subcord(0, body.size() - 1);
  if (body[body.size() - 1] == 1) return absl::StatusOr<absl::Cord>(rest);
  wire::Status status;
  TROUPE_RETURN_IF_ERROR(unpack(rest, &status));
  if (status.code() == tensorflow::error::OK) return malformed("an error without a code");
  return absl::StatusOr<absl::Cord>(from_proto(status));
}

absl::StatusOr<absl::Cord> pack_pushed(uint64_t session, int64_t step, absl::string_view key, Tensor value,
                                       bool is_dead) {
  // Kept: of small values it is copied into one block, which another thread frees.
  thread_local std::string head;
  head.clear();
  put(&head, session);
  put(&head, static_cast<uint32_t>(key.size()));
  head.append(key.data(), key.size());
  TensorMessage message{.step_id = step, .is_dead = is_dead, .value = std::move(value)};
  if (append_small(message, kMessageHeaderBytes + head.size(), &head))
    return absl::Cord(absl::string_view(head));
  absl::Cord body(head);
  TROUPE_ASSIGN_OR_RETURN(absl::Cord tensor, encode(message, kMessageHeaderBytes + body.size()));
  body.Append(std::move(tensor));
  return body;
}

absl::StatusOr<PushedValue> unpack_pushed(const absl::Cord& body) {
  constexpr size_t kFixedBytes = sizeof(uint64_t) + sizeof(uint32_t);
  // What comes by a connection is in one piece.
  const auto bytes = body.TryFlat();
  if (!bytes) return unpack_pushed(absl::Cord(std::string(body)));
  PushedValue out;
  uint32_t key_bytes = 0;
  if (bytes->size() < kFixedBytes) return malformed("a value is cut off");
  std::memcpy(&out.session, bytes->data(), sizeof(out.session));
  std::memcpy(&key_bytes, bytes->data() + sizeof(out.session), sizeof(key_bytes));
  if (key_bytes > bytes->size() - kFixedBytes) return malformed("a value is cut off");
  out.key = std::string(bytes->substr(kFixedBytes, key_bytes));
  const size_t at = kFixedBytes + key_bytes;
  TROUPE_ASSIGN_OR_RETURN(TensorMessage message,
                          bytes->size() < kSmallBytes
                              ? decode_tensor_message(bytes->substr(at))
                              : decode_tensor_message(body.Subcord(at, bytes->size() - at)));
  out.step = message.step_id;
  out.is_dead = message.is_dead;
  out.value = std::move(message.value);
  return out;
}

}  // namespace troupe
