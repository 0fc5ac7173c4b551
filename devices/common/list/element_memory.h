#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// `count` elements of a tensor, from `offset` on; or as many zeros where there is no tensor.
struct ElementRun {
  const Tensor* from;
  int64_t offset;
  int64_t count;
};

/// What arrays, lists and their like do to the elements that they hold: an object for each type of devices, which lives as long as the
/// process. Elements are in the memory of the device on which the kernel runs.
class ElementMemory {
 public:
  virtual ~ElementMemory() = default;

  /// The element in this memory: as it is, or copied where it came from another that this one can be copied from. Unimplemented where it
  /// cannot.
  virtual absl::StatusOr<Tensor> here(KernelContext& context, const Tensor& element) const = 0;
  /// Fills `out`, a new tensor, with one run after the other.
  virtual absl::Status join(KernelContext& context, absl::Span<const ElementRun> runs, Tensor* out) const = 0;
  /// Fills `parts`, new tensors, with the elements of `from`, one after the other.
  virtual absl::Status cut(KernelContext& context, const Tensor& from, absl::Span<Tensor> parts) const = 0;
  virtual absl::StatusOr<Tensor> zeros(KernelContext& context, DataType dtype, const Shape& shape) const = 0;
  virtual bool has_sum(DataType dtype) const = 0;
  /// *to += from, in place when nobody shares the memory of `to`, else in new memory. Of one shape, and of a dtype that has a sum.
  virtual absl::Status add(KernelContext& context, const Tensor& from, Tensor* to) const = 0;
  /// Output i in the host's memory.
  virtual absl::StatusOr<Tensor*> host_output(KernelContext& context, int i, const Shape& shape) const = 0;
};

/// An op whose kernel is a function of its context and of where elements are.
using ElementFn = absl::Status (*)(KernelContext& context, const ElementMemory& memory);
/// `cheap`: a few nanoseconds, never worth another thread.
KernelFactory element_kernel(ElementFn fn, const ElementMemory* memory, bool cheap = false);

/// A kernel class that is made with the memory of elements.
template <class K>
KernelFactory element_kernel(const ElementMemory* memory) {
  return [memory](const KernelConstruction& c) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    auto kernel = std::make_unique<K>(*memory);
    TROUPE_RETURN_IF_ERROR(make_ready(c, kernel.get()));
    return kernel;
  };
}

/// A registration of an op on elements, for any type of devices.
struct ElementOp {
  std::string op;
  /// The attr that says the dtype of elements; null: the op does not care.
  const char* type_attr = nullptr;
  /// Those it is for; empty: all.
  std::vector<DataType> types;
  /// Arguments that are on the host everywhere, and elements. Variants are none of them: they count as being where their elements are, so that
  /// those are copied where a list leaves its device.
  std::vector<std::string> host_args;
  std::vector<std::string> element_args;
  KernelFactory factory;
  int priority = 0;
};
using AddElementOp = std::function<void(ElementOp op)>;

/// Calls `add` for all ops of the name.
void add_stack_ops(const ElementMemory* memory, const AddElementOp& add);
void add_tensor_array_ops(const ElementMemory* memory, const AddElementOp& add);
void add_tensor_list_ops(const ElementMemory* memory, const AddElementOp& add);
/// ZerosLike and AddN of variants (variant_math.h).
void add_variant_math_ops(const ElementMemory* memory, const AddElementOp& add);

}  // namespace troupe
