#include "tests/actors/cuda/held_kernels.h"

#include <chrono>
#include <thread>

#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/source/launchable.h"

TROUPE_KERNEL(test_hold_f32, (const float* x, float* y, int64_t n)) {
  using Clock = std::chrono::steady_clock;
  ++troupe::test::gpu_holds;
  const auto patience = Clock::now() + std::chrono::seconds(20);
  while (!troupe::test::gpu_may_go_on && Clock::now() < patience) std::this_thread::yield();
  TROUPE_FOR_EACH(i, n) { y[i] = x[i]; }
}

namespace troupe::test {
namespace {

constexpr OpRow kRows[] = {{"TestGpuHold", "x:float", "y:float", "", "stateful"}};

absl::Status hold(KernelContext& c) {
  const Tensor& x = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * y, c.allocate_output(0, x.shape()));
  return enqueue_blocks(c, "test_hold_f32", 1, x.flat<float>().data(), y->flat<float>().data(),
                        x.num_elements());
}

}  // namespace

void add_hold_op(OpRegistry* ops) { (void)ops->add(kRows); }

void add_hold_kernel(KernelRegistry* kernels) {
  kernels->add(KernelDef("TestGpuHold").device("GPU").fn(hold));
}

}  // namespace troupe::test
