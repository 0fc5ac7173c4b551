#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "actors/node/socket_events.h"
#include "actors/sockets/socket.h"

namespace troupe {

/// Tells a NODE, its `broker`, by SocketReady, that a period is over: on the thread that it has, where CAF's clock would wake its own for that first. Of the NODE's
/// thread; gone before the NODE is.
class NodeClock {
 public:
  /// Once. Unavailable when the system has no clock left.
  absl::Status start(caf::io::broker* broker, std::chrono::milliseconds period);
  static bool is_its(uint64_t id) { return id == kId; }
  /// It was heard, if it has told anything.
  void take() const;

 private:
  static constexpr uint64_t kId = 0;

  std::shared_ptr<const Socket> timer_;
  SocketEvents::Watch events_;
};

}  // namespace troupe
