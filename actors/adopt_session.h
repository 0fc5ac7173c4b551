#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "actors/interfaces.h"

namespace troupe {

class Session;

/// A Session over a SESSION that was opened by message, of any runtime of this process; it ends with the Session. Waits for the SESSION's
/// turn. Unavailable when it has ended; InvalidArgument for no actor.
absl::StatusOr<std::unique_ptr<Session>> adopt_session(const SessionActor& actor);
/// The other way: the SESSION goes on without its Session. Its handle keeps nothing alive: it ends when it is sent an exit message
/// (CloseRequest only closes it), or with its runtime.
SessionActor release_session(std::unique_ptr<Session> session);

}  // namespace troupe
