#pragma once

#include <array>
#include <memory>
#include <string>

#include "devices/common/variable/variable.h"
#include "devices/kernel.h"

namespace troupe {

/// Where the arguments of an optimiser's op are; fixed by its signature.
struct OptimizerLayout {
  /// The variable and, behind it, its accumulators, moments and so on.
  static constexpr int kMaxSlots = 4;
  static constexpr int kMaxScalars = 8;

  /// Internal when the op's signature is no optimiser's.
  static absl::StatusOr<OptimizerLayout> of(const OpDef& op);

  int num_slots = 0;
  int grad = -1;
  /// -1 for dense updates.
  int indices = -1;
  int global_step = -1;
  /// In the order of the signature, without slots, gradient, indices and global step.
  int num_scalars = 0;
  std::array<int, kMaxScalars> scalars = {};
  /// The names by which messages call the slots.
  std::array<std::string, kMaxSlots> slot_names;
};

/// The variables of one call, locked while this lives.
class LockedSlots {
 public:
  LockedSlots() = default;
  LockedSlots(const LockedSlots&) = delete;
  LockedSlots& operator=(const LockedSlots&) = delete;
  ~LockedSlots();

  /// Locks each of the variables in the first `count` inputs once, in the order of addresses, so that calls that share variables cannot
  /// block each other.
  absl::Status lock(KernelContext& context, int count);
  /// FailedPrecondition when it has no value yet.
  absl::StatusOr<const Tensor*> read(KernelContext& context, int i) const;
  /// The value, for who sees to it that nobody shares its memory before he writes there.
  Tensor* for_writing(int i) { return ref_[i] != nullptr ? &ref_[i]->tensor : var_[i]->locked_for_writing(); }

 private:
  const void* address(int i) const {
    return ref_[i] != nullptr ? static_cast<const void*>(ref_[i]) : static_cast<const void*>(var_[i]);
  }

  RefTensor* ref_[OptimizerLayout::kMaxSlots] = {};
  Var* var_[OptimizerLayout::kMaxSlots] = {};
  std::shared_ptr<Var> kept_[OptimizerLayout::kMaxSlots];
  int order_[OptimizerLayout::kMaxSlots] = {};
  int locked_ = 0;
};

/// The variable, when all slots have a value of `dtype`, and of its shape. InvalidArgument with TensorFlow's words.
absl::StatusOr<const Tensor*> check_optimizer_slots(KernelContext& context, const OptimizerLayout& layout,
                                                    DataType dtype, const LockedSlots& slots);

/// Whether the gradient fits the variable: of a sparse update with an index for each row. Looks at no element. InvalidArgument with
/// TensorFlow's words.
absl::Status check_optimizer_gradient(const KernelContext& context, const OptimizerLayout& layout,
                                      const Tensor& var);

/// What a message calls a scalar argument.
std::string optimizer_scalar_name(const std::string& arg);

}  // namespace troupe
