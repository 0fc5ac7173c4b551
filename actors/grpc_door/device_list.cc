#include "actors/grpc_door/device_list.h"

#include "proto/master.pb.h"

namespace troupe {

void describe(const DeviceSet& devices, tensorflow::ListDevicesResponse* out) {
  for (int i = 0; i < devices.size(); ++i) {
    const DeviceAttributes& a = devices.at(i)->attributes();
    tensorflow::DeviceAttributes* d = out->add_local_device();
    d->set_name(a.name);
    d->set_device_type(a.type);
    d->set_memory_limit(a.memory_limit_bytes);
    d->mutable_locality();
    d->set_incarnation(a.incarnation);
    d->set_physical_device_desc(a.physical_description);
  }
}

}  // namespace troupe
