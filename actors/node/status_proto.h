#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace tensorflow {
class DeviceAttributes;
}  // namespace tensorflow

namespace google::protobuf {
template <class T>
class RepeatedPtrField;
}  // namespace google::protobuf

namespace troupe {

class DeviceSet;

namespace wire {
class Status;
class TaskStatus;
}  // namespace wire

/// A status between nodes: its code and its message. A number that is no code is Unknown.
void to_proto(const absl::Status& status, wire::Status* out);
absl::Status from_proto(const wire::Status& proto);
void to_proto(const DeviceSet& devices,
              google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes>* out);
/// What a task is: this life of it, with these devices.
wire::TaskStatus task_status(uint64_t incarnation, const DeviceSet& devices);

}  // namespace troupe
