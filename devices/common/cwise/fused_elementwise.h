#pragma once

#include <memory>
#include <vector>

#include "devices/kernel_registry.h"

namespace troupe {

/// One operation of a `_FusedElementwise`. Values are numbered: the node's inputs, then the results of the steps.
struct FusedElementwiseStep {
  std::unique_ptr<KernelNode> node;
  /// Never asynchronous.
  std::unique_ptr<Kernel> kernel;
  int a = -1;
  /// -1 where there is none.
  int b = -1;
};

/// The steps of a node, each with the kernel that computes it by itself. InvalidArgument for steps that make no sense.
absl::StatusOr<std::vector<FusedElementwiseStep>> read_fused_elementwise(const KernelConstruction& c,
                                                                         const KernelRegistry& kernels);

}  // namespace troupe
