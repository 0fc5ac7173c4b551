#include "actors/node/status_proto.h"

#include "devices/device_set.h"
#include "proto/node_wire.pb.h"

namespace troupe {

void to_proto(const absl::Status& status, wire::Status* out) {
  out->set_code(static_cast<tensorflow::error::Code>(status.code()));
  out->set_message(std::string(status.message()));
}

absl::Status from_proto(const wire::Status& proto) {
  return absl::Status(static_cast<absl::StatusCode>(proto.code()), proto.message());
}

void to_proto(const DeviceSet& devices,
              google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes>* out) {
  for (int i = 0; i < devices.size(); ++i) {
    const DeviceAttributes& a = devices.at(i)->attributes();
    tensorflow::DeviceAttributes* const d = out->Add();
    d->set_name(a.name);
    d->set_device_type(a.type);
    d->set_memory_limit(a.memory_limit_bytes);
    d->set_incarnation(a.incarnation);
    d->set_physical_device_desc(a.physical_description);
  }
}

wire::TaskStatus task_status(uint64_t incarnation, const DeviceSet& devices) {
  wire::TaskStatus out;
  out.set_incarnation(incarnation);
  to_proto(devices, out.mutable_devices());
  return out;
}

}  // namespace troupe
