#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "actors/session_core.h"

namespace troupe {

namespace wire {
class RegisterPart;
}  // namespace wire

/// The part of a signature that another task has cut out for this one, compiled for the devices of the session's core. Labour: for the compile
/// pool. InvalidArgument for partitions that make no sense; errors name the node.
absl::StatusOr<std::shared_ptr<const SignatureAlias>> compile_part(SessionCore& core,
                                                                   const wire::RegisterPart& part);

}  // namespace troupe
