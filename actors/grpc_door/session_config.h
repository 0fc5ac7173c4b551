#pragma once

#include "absl/status/statusor.h"
#include "actors/options.h"
#include "proto/config.pb.h"

namespace troupe {

/// The options of a session that a client opens through a door, but for its devices: what he asks for, over the server's defaults; which of several tasks it
/// has, and whether it is alone there, only where it is `over_tasks`. InvalidArgument
/// for pools of the session's own, as TensorFlow's master has it, and for values out of range.
absl::StatusOr<SessionOptions> session_options(const tensorflow::ConfigProto& defaults,
                                               const tensorflow::ConfigProto& asked, bool over_tasks);

}  // namespace troupe
