#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/device.h"
#include "devices/kernel_registry.h"
#include "graph/passes/device_catalog.h"

namespace troupe {

/// The devices of a session, and what placement wants to know of them. Thread-safe once filled.
class DeviceSet final : public DeviceCatalog {
 public:
  explicit DeviceSet(const KernelRegistry* kernels) : kernels_(kernels) {}

  /// Other sets may share it.
  void add(std::shared_ptr<Device> device, int priority) { add(std::move(device), priority, true); }
  /// A device of another task: a name to place on. Nothing of it runs here.
  void add_elsewhere(DeviceAttributes attributes, int priority);
  int size() const { return static_cast<int>(devices_.size()); }
  Device* at(int i) const { return devices_[i].get(); }
  std::shared_ptr<Device> share(int i) const { return devices_[i]; }
  /// By full name; null when there is none.
  Device* find(absl::string_view name) const;
  /// Drops the resources of these containers on every device; none named: of the default container.
  void clear_containers(const std::vector<std::string>& containers);

  const std::vector<Entry>& entries() const override { return entries_; }
  int client_device() const override;
  absl::StatusOr<Support> kernel_support(const OpDef& op, const AttrMap& attrs,
                                         const std::string& device_type) const override;
  std::string kernels_of(const std::string& op) const override { return kernels_->list_for_op(op); }
  const KernelRegistry& kernels() const { return *kernels_; }

 private:
  void add(std::shared_ptr<Device> device, int priority, bool local);

  const KernelRegistry* kernels_;
  std::vector<std::shared_ptr<Device>> devices_;
  std::vector<Entry> entries_;
};

}  // namespace troupe
