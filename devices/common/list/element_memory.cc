#include "devices/common/list/element_memory.h"

namespace troupe {
namespace {

class ElementKernel final : public Kernel {
 public:
  ElementKernel(ElementFn fn, const ElementMemory* memory, bool cheap)
      : fn_(fn), memory_(*memory), cheap_(cheap) {}
  absl::Status compute(KernelContext& context) override { return fn_(context, memory_); }
  bool is_expensive() const override { return !cheap_; }

 private:
  const ElementFn fn_;
  const ElementMemory& memory_;
  const bool cheap_;
};

}  // namespace

KernelFactory element_kernel(ElementFn fn, const ElementMemory* memory, bool cheap) {
  return [fn, memory, cheap](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<ElementKernel>(fn, memory, cheap);
  };
}

}  // namespace troupe
