#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "devices/kernel.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// The string in input i, which must be one.
absl::StatusOr<std::string> input_path(const KernelContext& context, int i, absl::string_view arg);
/// Inputs i and, unless it is below 0, i + 1 are lists of `count` strings each: names, and which part of each
/// is meant.
absl::Status check_names(const KernelContext& context, int names, int slices, int count,
                         absl::string_view what);

}  // namespace troupe
