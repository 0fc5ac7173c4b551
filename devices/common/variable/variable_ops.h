#pragma once

#include <string>
#include <utility>
#include <vector>

#include "devices/kernel_registry.h"

namespace troupe {

/// What kernels of variables ask of a type of devices: which dtypes it holds, and how its memory is written.
struct VariableDevice {
  /// Zero bytes; the elements are trivial.
  using Zero = absl::Status (*)(KernelContext& context, Tensor* t);
  /// *target += value, or -= it: in place when nobody shares the target's memory, else in new memory. Both of one dtype, of `sums`, and
  /// shape.
  using Update = absl::Status (*)(KernelContext& context, bool subtract, const Tensor& value, Tensor* target);

  const char* type;
  /// Dtypes of variables; empty: all.
  std::vector<DataType> types;
  /// Those of them that are added to.
  std::vector<DataType> sums;
  Zero zero;
  Update update;

  /// A registration for this type of devices. `host_args`: arguments that stay in the host's memory where that is another.
  KernelDef def(const char* op, std::vector<std::string> host_args) const {
    KernelDef d(op);
    d.device(type);
    if (absl::string_view(type) != "CPU") d.host_memory_args = std::move(host_args);
    return d;
  }
};

/// VarHandleOp, ReadVariableOp, AssignVariableOp and their like.
void register_resource_variable_kernels(KernelRegistry* registry, const VariableDevice& device);
/// VariableV2, TemporaryVariable, Assign and their like.
void register_ref_variable_kernels(KernelRegistry* registry, const VariableDevice& device);

}  // namespace troupe
