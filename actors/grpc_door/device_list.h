#pragma once

#include "devices/device_set.h"

namespace tensorflow {
class ListDevicesResponse;
}  // namespace tensorflow

namespace troupe {

/// What a client hears of these devices, those of other tasks among them.
void describe(const DeviceSet& devices, tensorflow::ListDevicesResponse* out);

}  // namespace troupe
