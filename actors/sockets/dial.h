#pragma once

#include <chrono>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/sockets/socket.h"

namespace troupe {

/// A socket that is connected to `address`, non-blocking and without delay: by this machine's own way (local_way.h) or by TCP. Blocks for as long
/// as the patience at most. Unavailable, with the address and the system's reason.
absl::StatusOr<Socket> dial(const TaskAddress& address, std::chrono::milliseconds patience);

}  // namespace troupe
