#pragma once

#include "absl/status/status.h"

namespace troupe {

class Runtime;

/// The name of the next one, as TensorFlow's.
inline constexpr char kGrpcSession[] = "GRPC_SESSION";
/// Gives a runtime the factory for targets "grpc://HOST:PORT": their sessions are at a server of TensorFlow's protocol, its own or ours
/// (grpc_door/grpc_server.h), which gets the bytes of SessionOptions::config. In a build without gRPC they do not open: Unimplemented.
/// AlreadyExists the second time.
absl::Status add_grpc_sessions(Runtime& runtime);

}  // namespace troupe
