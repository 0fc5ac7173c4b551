#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"

namespace troupe {

/// A status as its server meant it: code, message and payloads. Unavailable, which names `target`, when nobody answered there.
absl::Status from_grpc(const ::grpc::Status& status, const std::string& target);

}  // namespace troupe
