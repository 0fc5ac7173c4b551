// The devices of a runtime's sessions, and the DEVICEs that serve them.
#include <caf/all.hpp>

#include <set>

#include "absl/strings/str_cat.h"
#include "actors/device_actor.h"
#include "actors/runtime_impl.h"
#include "devices/cpu/cpu_device.h"
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

std::unique_ptr<Device> make_device(const std::string& task, const DeviceType& type, int index,
                                    Allocator* host_memory, ParallelRunner* loops) {
  DeviceAttributes a;
  a.name = absl::StrCat(task, "/device:", type.name, ":", index);
  a.type = type.name;
  a.memory_limit_bytes = type.memory_limit_bytes;
  a.incarnation = new_incarnation();
  a.physical_description = type.physical_description;
  return std::make_unique<Device>(std::move(a), type.memory != nullptr ? type.memory : host_memory,
                                  type.loops != nullptr ? type.loops : loops);
}

/// "CPU:0".
std::string local_name(const Device& device) {
  return split_device_name(device.name()).value_or(std::pair("", device.name())).second;
}

}  // namespace

DeviceActor Runtime::Impl::device(const Device& device) {
  std::lock_guard lock(mu_);
  DeviceActor& known = devices_[local_name(device)];
  auto died = [](const DeviceActor& d) {
    return caf::actor_cast<caf::abstract_actor*>(d)->getf(caf::abstract_actor::is_terminated_flag);
  };
  // The allocator is the host memory's, or else the application's.
  if (!known || died(known))
    known = spawn_device(*system, std::shared_ptr<const Allocator>(host_memory, device.allocator()));
  return known;
}

std::map<std::string, DeviceActor> Runtime::Impl::devices() {
  std::lock_guard lock(mu_);
  return devices_;
}

absl::StatusOr<std::shared_ptr<DeviceSet>> Runtime::Impl::make_devices(const SessionOptions& want,
                                                                       const std::string& task) {
  auto devices = std::make_shared<DeviceSet>(kernels);
  auto count = [&](const std::string& type, int otherwise) {
    const auto found = want.device_count.find(type);
    return found == want.device_count.end() ? otherwise : found->second;
  };
  ParallelRunner* const loops = intra_op_pool(want.intra_op_threads);
  const int cpus = count("CPU", 1);
  if (cpus < 1) return absl::NotFoundError("No CPU devices found in process");
  for (int i = 0; i < cpus; ++i)
    devices->add(make_cpu_device(task, i, host_memory.get(), loops), kCpuPriority);
  TROUPE_RETURN_IF_ERROR(check_device_types(options.device_types));
  for (const DeviceType& type : options.device_types) {
    for (int i = 0; i < count(type.name, type.count); ++i)
      devices->add(make_device(task, type, i, host_memory.get(), loops), type.priority);
  }
  return devices;
}

}  // namespace troupe
