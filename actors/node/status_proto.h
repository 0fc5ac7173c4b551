#pragma once

#include "absl/status/status.h"

namespace troupe {

namespace wire {
class Status;
}  // namespace wire

/// A status between nodes: its code and its message. A number that is no code is Unknown.
void to_proto(const absl::Status& status, wire::Status* out);
absl::Status from_proto(const wire::Status& proto);

}  // namespace troupe
