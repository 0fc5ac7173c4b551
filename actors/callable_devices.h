#pragma once

#include "absl/status/status.h"
#include "actors/options.h"
#include "devices/device_set.h"

namespace troupe {

/// Whether the feeds and fetches of a callable may be where its options say, with TensorFlow's texts: InvalidArgument "Invalid device
/// name ('d') provided for the tensor 't' in CallableOptions", "Device 'd' specified for tensor 't' in CallableOptions does not exist";
/// Unimplemented for fetch_devices without fetch_skip_sync, and for a device whose memory is not the client's.
absl::Status check_callable_devices(const CallableOptions& options, const DeviceSet& devices);

}  // namespace troupe
