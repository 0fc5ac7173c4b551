#include "actors/node/status_proto.h"

#include "proto/node_wire.pb.h"

namespace troupe {

void to_proto(const absl::Status& status, wire::Status* out) {
  out->set_code(static_cast<tensorflow::error::Code>(status.code()));
  out->set_message(std::string(status.message()));
}

absl::Status from_proto(const wire::Status& proto) {
  return absl::Status(static_cast<absl::StatusCode>(proto.code()), proto.message());
}

}  // namespace troupe
