#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "actors/node/messages.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

/// @name To CLIENTS, from its NODE
/// A client asks something of it, by a connection that is numbered unlike any other.
struct ClientRequest {
  uint64_t client = 0;
  Method method = Method::kNone;
  absl::Cord body;
  NodeReply reply;
};
/// That connection is lost.
struct ClientLost {
  uint64_t client = 0;
};
/// INTERNAL: the compile pool has read the graph for a session.
struct ClientGraph {
  ClientRequest request;
  uint64_t session = 0;
  absl::Status status;
  std::shared_ptr<const tensorflow::GraphDef> graph;
};

}  // namespace troupe
