#pragma once

#include "absl/status/status.h"
#include "actors/tls/tls_options.h"

namespace troupe {

class Runtime;

/// The name of the next one, as TensorFlow's.
inline constexpr char kGrpcSession[] = "GRPC_SESSION";
/// Gives a runtime the factory for targets "grpc://HOST:PORT": their sessions are at a server of TensorFlow's protocol, its own or ours
/// (grpc_door/grpc_server.h), which gets the bytes of SessionOptions::config. With `tls` all of them are by TLS: the client shows his certificate, and the server's must be of
/// HOST; files that are not good are the error of every session (TlsIdentity::load). In a build without gRPC none opens: Unimplemented.
/// AlreadyExists the second time.
absl::Status add_grpc_sessions(Runtime& runtime, const TlsOptions& tls = {});

}  // namespace troupe
