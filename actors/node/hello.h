#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "actors/node/messages.h"

namespace troupe {

/// What the first message of a connection says: who this is, and where it listens.
absl::Cord pack_hello(const PeerId& me, const std::string& address);
/// Who it is. InvalidArgument for what is no word of a node, FailedPrecondition for one of another version.
absl::StatusOr<PeerId> unpack_hello(const absl::Cord& body);

}  // namespace troupe
