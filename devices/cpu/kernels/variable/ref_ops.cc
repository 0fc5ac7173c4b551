// A ref variable that counts.
#include <mutex>

#include "devices/common/variable/variable.h"
#include "devices/cpu/kernels/variable/update.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

class CountUpToKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t limit, c.attr<int64_t>("limit"));
    return std::make_unique<CountUpToKernel>(limit);
  }
  explicit CountUpToKernel(int64_t limit) : limit_(limit) {}
  absl::Status compute(KernelContext& context) override {
    RefTensor& ref = *context.input_ref(0);
    std::lock_guard lock(ref.mu);
    if (!ref.tensor.initialized()) return uninitialized_ref(ref);
    TROUPE_ASSIGN_OR_RETURN(Tensor after, count_up(ref.tensor, limit_));
    context.set_output(0, std::exchange(ref.tensor, std::move(after)));
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const int64_t limit_;
};

}  // namespace

void register_variable_ref_ops(KernelRegistry* registry) {
  registry->add(
      KernelDef("CountUpTo").types("T", {DataType::kInt32, DataType::kInt64}).kernel<CountUpToKernel>());
}

}  // namespace troupe
