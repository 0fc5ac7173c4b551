// Variables of CPUs; a resource variable that counts.
#include <cstring>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "devices/common/variable/variable.h"
#include "devices/common/variable/variable_ops.h"
#include "devices/cpu/kernels/variable/update.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

absl::Status zero(KernelContext&, Tensor* t) {
  std::memset(t->raw(), 0, t->bytes());
  return absl::OkStatus();
}

/// Returns the value before adding one; OutOfRange once it has reached the limit.
class ResourceCountUpToKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t limit, c.attr<int64_t>("limit"));
    return std::make_unique<ResourceCountUpToKernel>(limit);
  }
  explicit ResourceCountUpToKernel(int64_t limit) : limit_(limit) {}
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    std::unique_lock lock(var->mu());
    if (var->locked().dtype() != context.output_type(0)) {
      return absl::InvalidArgumentError(absl::StrCat("Trying to count a variable of dtype ",
                                                     dtype_name(var->dtype()), " as ",
                                                     dtype_name(context.output_type(0))));
    }
    Tensor before = var->locked();
    TROUPE_ASSIGN_OR_RETURN(Tensor after, count_up(before, limit_));
    var->set_locked(std::move(after));
    context.set_output(0, std::move(before));
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const int64_t limit_;
};

}  // namespace

void register_variable_ops(KernelRegistry* registry) {
  const VariableDevice cpu{"CPU", {}, update_dtypes(), zero, update_tensor};
  register_resource_variable_kernels(registry, cpu);
  register_ref_variable_kernels(registry, cpu);
  registry->add(KernelDef("ResourceCountUpTo")
                    .types("T", {DataType::kInt32, DataType::kInt64})
                    .kernel<ResourceCountUpToKernel>());
}

}  // namespace troupe
