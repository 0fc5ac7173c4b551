#pragma once

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/random_scope.h"

namespace troupe {

/// What a kernel that walks over a whole dataset hands its iterators: the seeded draws of their functions begin anew with it.
struct DatasetWalk {
  explicit DatasetWalk(const KernelContext& context) : step(element_context(context)) {
    step.random_scope = random.id();
  }

  const RandomScope random;
  ElementContext step;
};

}  // namespace troupe
