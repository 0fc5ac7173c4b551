#include "tests/actors/cuda/slow_kernels.h"

#include <chrono>
#include <thread>

#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/source/launchable.h"

TROUPE_KERNEL(test_slow_f32, (const float* x, float* y, int64_t n, int64_t millis)) {
  std::this_thread::sleep_for(std::chrono::milliseconds(millis));
  TROUPE_FOR_EACH(i, n) { y[i] = x[i]; }
}

namespace troupe::test {
namespace {

constexpr OpRow kRows[] = {{"TestSlow", "x:float", "y:float", "millis:int", "stateful"}};

absl::Status slow(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t millis, c.node().attrs.get<int64_t>("millis"));
  const Tensor& x = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * y, c.allocate_output(0, x.shape()));
  return enqueue_blocks(c, "test_slow_f32", 1, x.flat<float>().data(), y->flat<float>().data(),
                        x.num_elements(), millis);
}

}  // namespace

void add_slow_op(OpRegistry* ops) { (void)ops->add(kRows); }

void add_slow_kernel(KernelRegistry* kernels) { kernels->add(KernelDef("TestSlow").device("GPU").fn(slow)); }

}  // namespace troupe::test
