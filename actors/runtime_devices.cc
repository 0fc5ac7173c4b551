// The devices of a runtime's sessions, and the DEVICEs that serve them.
#include <caf/all.hpp>

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "actors/device_actor.h"
#include "actors/machine_devices.h"
#include "actors/runtime_impl.h"
#include "devices/cpu/cpu_device.h"
#include "devices/enqueuing_device.h"
#include "graph/ir/device_name.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// Names that device names can have, each once.
absl::Status check_device_types(const std::vector<DeviceType>& types) {
  std::set<std::string> known{"CPU"};
  for (const DeviceType& type : types) {
    const auto parsed = DeviceName::parse(absl::StrCat("/device:", type.name, ":0"));
    if (type.name.empty() || !parsed || parsed->type != type.name) {
      return absl::InvalidArgumentError(
          absl::StrCat("RuntimeOptions.device_types: '", type.name, "' is no name for a type of devices"));
    }
    if (known.insert(type.name).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("RuntimeOptions.device_types: there are devices of the type '", type.name, "' already"));
  }
  return absl::OkStatus();
}

std::shared_ptr<Device> make_device(const DeviceType& type, int index, const DeviceRequest& request) {
  DeviceAttributes a;
  a.name = absl::StrCat(request.task, "/device:", type.name, ":", index);
  a.type = type.name;
  a.memory_limit_bytes = type.memory_limit_bytes;
  a.incarnation = new_incarnation();
  a.physical_description = type.physical_description;
  return std::make_shared<Device>(std::move(a), type.memory != nullptr ? type.memory : request.host_memory,
                                  type.loops != nullptr ? type.loops : request.loops);
}

absl::StatusOr<std::vector<std::shared_ptr<Device>>> make_devices_of(const DeviceType& type,
                                                                     const DeviceRequest& request) {
  if (type.make) return type.make(request);
  std::vector<std::shared_ptr<Device>> devices;
  for (int i = 0; i < request.count.value_or(type.count); ++i)
    devices.push_back(make_device(type, i, request));
  return devices;
}

/// For who reports on it, also when the session is gone that had the device: the host's memory, or else the application's.
std::shared_ptr<const Allocator> memory_of(const Device& device, const std::shared_ptr<Allocator>& host) {
  if (const auto* enqueuing = dynamic_cast<const EnqueuingDevice*>(&device)) return enqueuing->share_memory();
  return std::shared_ptr<const Allocator>(host, device.allocator());
}

/// "CPU:0".
std::string local_name(const Device& device) {
  return split_device_name(device.name()).value_or(std::pair("", device.name())).second;
}

}  // namespace

void Runtime::Impl::use_kernels(const KernelRegistry* own) {
  kernels = own;
  if (own != nullptr) return;
  MachineDevices machine = find_machine_devices();
  kernels = machine.kernels;
  for (DeviceType& type : machine.types) {
    // The application's own of that name comes first.
    const auto is_it = [&](const DeviceType& t) { return t.name == type.name; };
    if (std::none_of(options.device_types.begin(), options.device_types.end(), is_it))
      options.device_types.push_back(std::move(type));
  }
}

DeviceActor Runtime::Impl::device(const Device& device) {
  std::lock_guard lock(mu_);
  DeviceActor& known = devices_[local_name(device)];
  auto died = [](const DeviceActor& d) {
    return caf::actor_cast<caf::abstract_actor*>(d)->getf(caf::abstract_actor::is_terminated_flag);
  };
  if (!known || died(known)) known = spawn_device(*system, memory_of(device, host_memory));
  return known;
}

std::map<std::string, DeviceActor> Runtime::Impl::devices() {
  std::lock_guard lock(mu_);
  return devices_;
}

absl::StatusOr<std::shared_ptr<DeviceSet>> Runtime::Impl::make_devices(const SessionOptions& want,
                                                                       const std::string& task) {
  auto devices = std::make_shared<DeviceSet>(kernels);
  auto count = [&](const std::string& type) -> std::optional<int> {
    const auto found = want.device_count.find(type);
    return found == want.device_count.end() ? std::nullopt : std::optional(found->second);
  };
  ParallelRunner* const loops = intra_op_pool(want.intra_op_threads);
  const int cpus = count("CPU").value_or(1);
  if (cpus < 1) return absl::NotFoundError("No CPU devices found in process");
  for (int i = 0; i < cpus; ++i)
    devices->add(make_cpu_device(task, i, host_memory.get(), loops), kCpuPriority);
  TROUPE_RETURN_IF_ERROR(check_device_types(options.device_types));
  for (const DeviceType& type : options.device_types) {
    const DeviceRequest request{task, count(type.name), host_memory.get(), loops, want.gpu};
    TROUPE_ASSIGN_OR_RETURN(const auto made, make_devices_of(type, request));
    for (const std::shared_ptr<Device>& device : made) devices->add(device, type.priority);
  }
  return devices;
}

}  // namespace troupe
