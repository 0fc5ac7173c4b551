#pragma once

#include "devices/cpu/kernels/register_kernels.h"

namespace troupe {

/// What a kernel that calls functions says outside sessions: FailedPrecondition.
absl::Status needs_a_session(const KernelContext& context);
void register_map_defun_kernels(KernelRegistry* registry);

}  // namespace troupe
