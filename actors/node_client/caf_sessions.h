#pragma once

#include <chrono>

#include "absl/status/status.h"
#include "actors/cluster/lease.h"
#include "actors/tls/tls_options.h"

namespace troupe {

class Runtime;

/// The name of the next one.
inline constexpr char kCafSession[] = "CAF_SESSION";

struct CafSessionsOptions {
  /// What the client shows nodes: with them all connections are by TLS, and a node's certificate must have the target's host.
  TlsOptions tls;
  /// A node that is silent for longer is lost, and its sessions with it.
  LeaseOptions lease{std::chrono::seconds(10), std::chrono::seconds(1), std::chrono::seconds(5)};
  /// How long an attempt to connect lasts.
  std::chrono::milliseconds connect_patience{2000};
};

/// Gives a runtime the factory for targets "caf://HOST:PORT": their sessions are at the node that listens there (node/cluster_node.h), over all tasks of
/// its cluster, and get the bytes of SessionOptions::config. A session opens when it is made: Unavailable, which names the target, when nobody is there. Files that are not good
/// are the error of every session (TlsIdentity::load). Nothing of CAF's network is used. AlreadyExists the second time.
absl::Status add_caf_sessions(Runtime& runtime, const CafSessionsOptions& options = {});

}  // namespace troupe
