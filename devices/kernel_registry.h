#pragma once

#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "devices/kernel_attrs.h"

namespace troupe {

using KernelFactory = std::function<absl::StatusOr<std::unique_ptr<Kernel>>(const KernelConstruction&)>;

/// One registration: which nodes of an op, on which device type, this factory serves. Written as
///   registry.add(KernelDef("Add").device("CPU").types("T", {DataType::kFloat}).fn(add<float>));
struct KernelDef {
  explicit KernelDef(std::string op_name) : op(std::move(op_name)) {}

  KernelDef& device(std::string type) & {
    device_type = std::move(type);
    return *this;
  }
  KernelDef&& device(std::string type) && {
    device_type = std::move(type);
    return std::move(*this);
  }
  /// The type attr must be (each element of a list(type) attr must be) one of `allowed`.
  KernelDef&& types(std::string attr, std::vector<DataType> allowed) && {
    constraints.emplace_back(std::move(attr), std::move(allowed));
    return std::move(*this);
  }
  template <class T>
  KernelDef&& type(std::string attr) && {
    return std::move(*this).types(std::move(attr), {dtype_of<T>()});
  }
  KernelDef&& host_memory(std::vector<std::string> args) && {
    host_memory_args = std::move(args);
    return std::move(*this);
  }
  KernelDef&& with_priority(int p) && {
    priority = p;
    return std::move(*this);
  }
  KernelDef&& with_label(std::string l) && {
    label = std::move(l);
    return std::move(*this);
  }
  /// A stateless function of the context. `cheap`: a few nanoseconds, never worth another thread.
  KernelDef&& fn(KernelFn f, bool cheap = false) &&;
  /// A class that says what attrs it has, and what it does with them (kernel_attrs.h); or, where it is not made without arguments, one with
  /// a static `absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&)`.
  template <class K>
  KernelDef&& kernel() && {
    factory = [](const KernelConstruction& c) -> absl::StatusOr<std::unique_ptr<Kernel>> {
      if constexpr (requires { K::create(c); }) {
        return K::create(c);
      } else {
        auto kernel = std::make_unique<K>();
        TROUPE_RETURN_IF_ERROR(make_ready(c, kernel.get()));
        return kernel;
      }
    };
    return std::move(*this);
  }

  std::string op;
  /// The family that registered it; empty for a plug-in's. Set by the registry.
  const char* family = "";
  std::string device_type = "CPU";
  std::vector<std::pair<std::string, std::vector<DataType>>> constraints;
  std::vector<std::string> host_memory_args;
  int priority = 0;
  std::string label;
  KernelFactory factory;
};

/// Kernels by op and device type. Thread-safe: plug-ins add to it while sessions read. KernelDef pointers stay valid as long as
/// the registry.
class KernelRegistry {
 public:
  void add(KernelDef def);
  /// Calls `family`: what it registers here is of the family of that name, a literal. One at a time.
  void add_family(const char* name, void (*family)(KernelRegistry* registry));

  /// The registration for a node, or null when there is none. InvalidArgument when two of equal priority match.
  absl::StatusOr<const KernelDef*> find(const std::string& op, const std::string& device_type,
                                        const AttrMap& attrs) const;
  /// Builds the kernel of a node. NotFound "No registered 'Op' OpKernel for 'CPU' devices compatible with node ..."
  /// (whose attrs did not match, when that is why), with what is registered.
  absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelNode& node, Device* device) const;
  /// "  device='CPU'; T in [DT_FLOAT]\n..." or "  <no registered kernels>\n", as TensorFlow lists them.
  std::string list_for_op(const std::string& op) const;
  std::vector<std::string> ops() const;
  /// The registrations of an op, in the order in which they came.
  std::vector<const KernelDef*> of(const std::string& op) const;

 private:
  mutable std::shared_mutex mu_;
  // Guarded by mu_.
  const char* family_ = "";
  absl::flat_hash_map<std::string, std::vector<std::unique_ptr<const KernelDef>>> defs_;
};

}  // namespace troupe
