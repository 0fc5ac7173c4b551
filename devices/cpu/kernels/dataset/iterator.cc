#include "devices/cpu/kernels/dataset/iterator.h"

namespace troupe {

absl::Status ElementContext::check() const {
  return cancellation != nullptr && cancellation->cancelled() ? cancellation->reason() : absl::OkStatus();
}

ElementContext element_context(const KernelContext& context) {
  ElementContext step;
  step.functions = context.step().functions;
  step.cancellation = &context.cancellation();
  step.allocator = context.allocator();
  step.device = context.device()->name();
  step.where = context.device();
  return step;
}

}  // namespace troupe
