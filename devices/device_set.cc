#include "devices/device_set.h"

namespace troupe {

void DeviceSet::add(std::shared_ptr<Device> device, int priority, bool local) {
  Entry e;
  e.name = device->name();
  e.type = device->type();
  e.incarnation = device->attributes().incarnation;
  e.priority = priority;
  e.local = local;
  e.host_memory = device->allocator() == nullptr || device->allocator()->is_host();
  entries_.push_back(std::move(e));
  devices_.push_back(std::move(device));
}

void DeviceSet::add_elsewhere(DeviceAttributes attributes, int priority) {
  add(std::make_shared<Device>(std::move(attributes), nullptr, serial_runner()), priority, false);
}

Device* DeviceSet::find(absl::string_view name) const {
  for (const auto& d : devices_) {
    if (d->name() == name) return d.get();
  }
  return nullptr;
}

void DeviceSet::clear_containers(const std::vector<std::string>& containers) {
  for (const auto& d : devices_) {
    ResourceManager& r = d->resources();
    if (containers.empty()) r.clear_container(r.default_container());
    for (const std::string& c : containers) r.clear_container(c);
  }
}

int DeviceSet::client_device() const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].type == "CPU" && entries_[i].local) return static_cast<int>(i);
  }
  return 0;
}

absl::StatusOr<DeviceCatalog::Support> DeviceSet::kernel_support(const OpDef& op, const AttrMap& attrs,
                                                                 const std::string& device_type) const {
  TROUPE_ASSIGN_OR_RETURN(const KernelDef* def, kernels_->find(op.name, device_type, attrs));
  if (def == nullptr) return Support{};
  return Support{true, def->priority, &def->host_memory_args};
}

}  // namespace troupe
