#pragma once

#include <netdb.h>

#include <memory>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"

namespace troupe {

/// A list of at least one, in the order in which they are to be tried.
using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// The addresses of a host, with its port, for streams: to connect to, or to listen on. Blocks while a name is looked up. Unavailable,
/// with the system's reason alone.
absl::StatusOr<Addresses> resolve(const TaskAddress& address);

}  // namespace troupe
