#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"

namespace troupe {

/// A status as a client of gRPC hears it: the same code, the same message up to 3,072 bytes, as TensorFlow sends it (metadata is
/// limited). Unavailable is Aborted: clients repeat for ever what ends with Unavailable.
inline ::grpc::Status to_grpc(const absl::Status& status) {
  if (status.ok()) return ::grpc::Status::OK;
  constexpr size_t kMaxBytes = 3072;
  std::string text(status.message());
  if (text.size() > kMaxBytes) text = text.substr(0, kMaxBytes) + " ... [truncated]";
  const auto code = absl::IsUnavailable(status) ? absl::StatusCode::kAborted : status.code();
  return {static_cast<::grpc::StatusCode>(code), text};
}

}  // namespace troupe
