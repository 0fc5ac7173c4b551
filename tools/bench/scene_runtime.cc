#include "tools/bench/scene_runtime.h"

#include <chrono>
#include <thread>

#include "devices/cpu/kernels/register_kernels.h"
#include "graph/status.h"

namespace troupe::bench {
namespace {

constexpr OpRow kSleepOp[] = {{"BenchSleep", "x:float", "y:float", "", ""}};
constexpr auto kSleepSlice = std::chrono::milliseconds(1);

absl::Status sleep_until_cancelled(KernelContext& c) {
  while (!c.cancellation().cancelled()) std::this_thread::sleep_for(kSleepSlice);
  return c.cancellation().reason();
}

}  // namespace

absl::StatusOr<std::unique_ptr<SceneRuntime>> SceneRuntime::create() {
  auto scene = std::make_unique<SceneRuntime>();
  TROUPE_RETURN_IF_ERROR(scene->ops.add(kSleepOp));
  register_cpu_kernels(&scene->kernels);
  scene->kernels.add(KernelDef("BenchSleep").fn(sleep_until_cancelled));
  RuntimeOptions options;
  options.ops = &scene->ops;
  options.kernels = &scene->kernels;
  scene->runtime = Runtime::create(options);
  return scene;
}

}  // namespace troupe::bench
