#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/sockets/socket.h"

namespace troupe {

/// Where somebody listens.
struct Listening {
  /// Non-blocking. Those of this machine's own ways are before the addresses that they are beside, and are to be closed before them.
  std::vector<Socket> sockets;
  uint16_t port = 0;
};

/// Listens on all addresses that a host's name has, at one port (0: the system chooses it), and beside each (local_way.h). Blocks while a name is
/// looked up. Unavailable, with the address and the system's reason.
absl::StatusOr<Listening> listen_on(const TaskAddress& address);

}  // namespace troupe
