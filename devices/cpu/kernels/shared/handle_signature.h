#pragma once

#include <vector>

#include "devices/kernel.h"

namespace troupe {

/// InvalidArgument "Signature mismatch, have: ... expected: ..." unless the node takes, behind the handle,
/// `inputs` and gives `outputs`.
absl::Status check_handle_signature(const KernelContext& context, std::vector<DataType> inputs,
                                    const std::vector<DataType>& outputs);

/// InvalidArgument when the node asks for a timeout.
absl::Status check_no_timeout(const KernelConstruction& construction);

}  // namespace troupe
