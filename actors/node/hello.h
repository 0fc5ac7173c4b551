#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "actors/node/messages.h"

namespace troupe {

/// What who calls a server that was started for another cluster says besides: the cluster that it means, in words, and which of its tasks the
/// server is to be. Empty for all others.
struct Invitation {
  std::string cluster;
  std::string task;
};

/// What the first message of a connection says: who this is, where it listens, and what it is for.
absl::Cord pack_hello(const PeerId& me, const std::string& address, const Invitation& invitation = {});
/// Of bytes that begin with a message that may be one, as they came; empty for any others.
Invitation peek_invitation(absl::string_view first_message);
/// Who it is, and where it listens. InvalidArgument for what is no word of a node, FailedPrecondition for one of another version.
absl::StatusOr<PeerId> unpack_hello(const absl::Cord& body, std::string* address = nullptr);

}  // namespace troupe
