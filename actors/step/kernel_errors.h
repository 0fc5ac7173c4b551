#pragma once

#include "absl/status/status.h"
#include "graph/ops/op_def.h"

namespace troupe {

class Device;

/// The step was being cancelled already, and that has its own reason. A task that is lost is one, which the calls of functions hear of, too.
bool is_derived(const absl::Status& status, const absl::Status& reason);

/// Unavailable is what a lost process answers, and who supervises a session takes it for that; a kernel that speaks to no other says Internal.
absl::Status as_of_this_process(const absl::Status& status, const OpDef& op, absl::string_view node);

/// A device that is lost gives no memory: then its error, instead of one for want of memory.
absl::Status unless_lost(const absl::Status& status, const Device& device);

}  // namespace troupe
