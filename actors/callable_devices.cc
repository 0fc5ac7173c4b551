#include "actors/callable_devices.h"

#include "absl/strings/str_cat.h"
#include "graph/ir/device_name.h"
#include "graph/status.h"

namespace troupe {
namespace {

absl::Status check_device(const std::string& tensor, const std::string& name, const DeviceSet& devices) {
  if (!DeviceName::parse(name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Invalid device name ('", name, "') provided for the tensor '", tensor, "' in CallableOptions"));
  }
  const Device* device = devices.find(name);
  if (device == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("Device '", name, "' specified for tensor '", tensor,
                                                   "' in CallableOptions does not exist"));
  }
  return absl::OkStatus();
}

absl::Status check_devices(const std::vector<std::string>& tensors,
                           const std::map<std::string, std::string>& devices_of, const DeviceSet& devices) {
  for (const std::string& tensor : tensors) {
    if (auto it = devices_of.find(tensor); it != devices_of.end())
      TROUPE_RETURN_IF_ERROR(check_device(tensor, it->second, devices));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status check_callable_devices(const CallableOptions& options, const DeviceSet& devices) {
  if (!options.fetch_devices.empty() && !options.fetch_skip_sync) {
    return absl::UnimplementedError(
        "CallableOptions.fetch_skip_sync = false is not yet implemented. You can set it to true instead, but "
        "MUST ensure that Device::Sync() is invoked on the Device corresponding to the fetched tensor before "
        "dereferencing the Tensor's memory.");
  }
  TROUPE_RETURN_IF_ERROR(check_devices(options.feeds, options.feed_devices, devices));
  return check_devices(options.fetches, options.fetch_devices, devices);
}

std::map<std::string, std::string> devices_with_own_memory(
    const std::vector<std::string>& tensors, const std::map<std::string, std::string>& devices_of) {
  std::map<std::string, std::string> out;
  for (const std::string& tensor : tensors) {
    const auto found = devices_of.find(tensor);
    if (found != devices_of.end() && DeviceName::parse(found->second)->type != "CPU") out.insert(*found);
  }
  return out;
}

}  // namespace troupe
