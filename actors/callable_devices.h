#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "actors/options.h"
#include "devices/device_set.h"

namespace troupe {

/// Whether the feeds and fetches of a callable may be where its options say, with TensorFlow's texts: InvalidArgument "Invalid device
/// name ('d') provided for the tensor 't' in CallableOptions", "Device 'd' specified for tensor 't' in CallableOptions does not exist";
/// Unimplemented for fetch_devices without fetch_skip_sync. Whether the types can be there is seen when the signature is planned.
absl::Status check_callable_devices(const CallableOptions& options, const DeviceSet& devices);

/// Of the checked devices of these tensors, those that are no CPUs.
std::map<std::string, std::string> devices_with_own_memory(
    const std::vector<std::string>& tensors, const std::map<std::string, std::string>& devices_of);

}  // namespace troupe
