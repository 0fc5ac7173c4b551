#pragma once

#include <google/protobuf/repeated_field.h>

#include <string>

#include "absl/status/status.h"

namespace troupe {

/// An error of a session in the code and words of TensorFlow's master, where these differ from those of its sessions of one process, which ours
/// have. `fetches`: what the client asked for.
absl::Status as_master_says(const absl::Status& status,
                            const google::protobuf::RepeatedPtrField<std::string>& fetches);

}  // namespace troupe
