#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/tensor.h"

namespace google::protobuf {
class MessageLite;
}  // namespace google::protobuf

namespace troupe {

/// What nodes say to one another. The numbers are the wire's.
enum class MessageKind : uint8_t {
  /// Who I am: the first of each side. Body: wire::Hello.
  kHello = 1,
  /// I am alive.
  kPing = 2,
  /// A question, by its number; the body is its method's.
  kRequest = 3,
  /// The answer to it: wire::Status, then, when that is OK, the method's.
  kReply = 4,
  /// A value for a step.
  kPush = 5,
  /// A piece of a message that is too large to go as one.
  kChunk = 6,
  kChunkAck = 7,
  kChunkAbort = 8,
  /// I am going: nobody need wait for the lease. Body: why, as text, when the peer is turned away.
  kBye = 9,
  /// What has become of the cluster's tasks. Body: wire::Roster.
  kRoster = 10,
};

/// What a request asks for. The numbers are the wire's.
enum class Method : uint16_t {
  kNone = 0,
  // Of a WORKER.
  kGetStatus = 1,
  kCreateWorkerSession = 2,
  kDeleteWorkerSession = 3,
  kRegisterPart = 4,
  kDeregisterPart = 5,
  kRunPart = 6,
  kCancelPart = 7,
  kInspectPart = 8,
  kCleanupAll = 9,
  kWatchLinks = 10,
  // Of CLIENTS.
  kOpenSession = 32,
  kExtendSession = 33,
  kCloseSession = 34,
  kResetSessions = 35,
  kRunStep = 36,
  kCallCallable = 37,
  kCancelRun = 38,
  kSetUpPartialRun = 39,
  kPrepareCallable = 40,
  kDropCallable = 41,
  // Of a NODE.
  kJoinCluster = 64,
  kLeaveCluster = 65,
  kGetCluster = 66,
};

/// Before each body on the wire, and in the block that a large message comes in.
inline constexpr size_t kMessageHeaderBytes = 16;

/// One message between nodes. A value; copies share the bytes.
struct NodeMessage {
  MessageKind kind = MessageKind::kPing;
  Method method = Method::kNone;
  /// Of a request and its answer; unlike any other from the same side of a connection.
  uint64_t id = 0;
  absl::Cord body;
};

/// A body: a protobuf message and tensors, which are uninitialised where there is none.
struct Parcel {
  std::string proto;
  std::vector<Tensor> tensors;
};

/// Unimplemented when a tensor cannot leave its process. Elements are where they are aligned in the block that they come in.
absl::StatusOr<absl::Cord> pack(const google::protobuf::MessageLite& proto,
                                const std::vector<Tensor>& tensors = {});
/// Reads what `pack` made; every number is checked before anything is allocated. InvalidArgument for malformed bytes.
absl::StatusOr<Parcel> unpack(const absl::Cord& body);
/// The same of a body whose message is a `proto`; its tensors go to `tensors` where they are wanted. InvalidArgument, naming the type.
absl::Status unpack(const absl::Cord& body, google::protobuf::MessageLite* proto,
                    std::vector<Tensor>* tensors = nullptr);
/// The body of an answer that has nothing to say but OK, and of a question without words.
absl::StatusOr<absl::Cord> pack_nothing();

/// The body of a reply: an answer's own body, or an error.
absl::Cord pack_answer(const absl::StatusOr<absl::Cord>& answer);
/// The answer; InvalidArgument for what is none.
absl::StatusOr<absl::StatusOr<absl::Cord>> unpack_answer(const absl::Cord& body);

/// A value on its way to the RENDEZVOUS of a step.
struct PushedValue {
  /// The session's key, the same on all tasks.
  uint64_t session = 0;
  int64_t step = 0;
  /// Of the rendezvous, as text.
  std::string key;
  Tensor value;
  bool is_dead = false;
};
absl::StatusOr<absl::Cord> pack_pushed(uint64_t session, int64_t step, absl::string_view key, Tensor value,
                                       bool is_dead);
absl::StatusOr<PushedValue> unpack_pushed(const absl::Cord& body);

}  // namespace troupe
