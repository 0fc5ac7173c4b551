#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "actors/runtime.h"
#include "devices/kernel_registry.h"
#include "graph/ops/op_registry.h"

namespace troupe::bench {

/// A runtime that knows the op BenchSleep, of cancel_scenes: it sleeps in slices of 1 ms until it is cancelled.
struct SceneRuntime {
  static absl::StatusOr<std::unique_ptr<SceneRuntime>> create();

  OpRegistry ops{&builtin_ops()};
  KernelRegistry kernels;
  std::unique_ptr<Runtime> runtime;
};

}  // namespace troupe::bench
