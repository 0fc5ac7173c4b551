#pragma once

#include <shared_mutex>

#include "devices/common/variable/resource_access.h"
#include "devices/kernel.h"
#include "devices/resource_manager.h"

namespace troupe {

/// A resource variable: a tensor behind a handle. Readers share the memory of the value; writers write in place when
/// nobody shares it and else into a copy, so that a value once read never changes.
///
///   std::unique_lock lock(var->mu());                                          // update
///   TROUPE_ASSIGN_OR_RETURN(Tensor* t, var->writable(context.allocator()));
///   t->flat<float>()[0] += 1;
class Var final : public Resource {
 public:
  static constexpr const char* kTypeName = kVariableTypeName;

  explicit Var(DataType dtype) : dtype_(dtype) {}

  std::string type_name() const override { return kTypeName; }
  std::string debug_string() const override;

  DataType dtype() const { return dtype_; }
  /// Held shared to read the tensor in place, exclusively to write it.
  std::shared_mutex& mu() const { return mu_; }

  /// The value, sharing its memory; an uninitialised Tensor before the first assignment. Locks.
  Tensor snapshot() const {
    std::shared_lock lock(mu_);
    return tensor_;
  }
  /// Locks.
  bool initialized() const {
    std::shared_lock lock(mu_);
    return tensor_.initialized();
  }

  /// The value to read while mu() is held.
  const Tensor& locked() const { return tensor_; }
  /// The value to write while mu() is held exclusively: copied first when somebody shares its memory, by the host.
  /// FailedPrecondition when there is none yet.
  absl::StatusOr<Tensor*> writable(Allocator* allocator);
  /// The value itself while mu() is held exclusively, for who sees to it that nobody shares its memory before he writes there.
  Tensor* locked_for_writing() { return &tensor_; }
  /// Replaces the value while mu() is held exclusively.
  void set_locked(Tensor value) { tensor_ = std::move(value); }

 private:
  const DataType dtype_;
  mutable std::shared_mutex mu_;
  Tensor tensor_;  // guarded by mu_
};

/// Whether the variable, whose lock is held, has a value of this dtype. FailedPrecondition or InvalidArgument.
absl::Status check_readable(const Var& var, DataType dtype);

/// Makes `tensor`, in memory of the host, the only user of its memory, copying when it is shared.
absl::Status make_unique(Tensor* tensor, Allocator* allocator);

/// The variable that input i names. NotFound when nobody has assigned it yet.
inline absl::StatusOr<std::shared_ptr<Var>> lookup_variable(const KernelContext& context, int i) {
  return lookup_resource<Var>(context, i);
}

/// FailedPrecondition "Attempting to use uninitialized value x".
absl::Status uninitialized_ref(const RefTensor& ref);

}  // namespace troupe
