#pragma once

#include <string>
#include <vector>

#include "devices/kernel_registry.h"

namespace troupe::test {

/// A node of this op for inputs of these dtypes; attrs that they imply (T, N, ...) may be left out.
absl::StatusOr<KernelNode> make_node(const std::string& op, const std::vector<Tensor>& inputs, AttrMap attrs, const std::string& name);

/// Runs a kernel once, as the executor calls it, and waits for it. Its outputs, those that are references read.
absl::StatusOr<std::vector<Tensor>> run_node(Device* device, Kernel* kernel, const KernelNode& node, std::vector<Tensor> inputs);

}  // namespace troupe::test
