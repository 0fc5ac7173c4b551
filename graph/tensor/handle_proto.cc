#include "graph/status.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/resource_handle.pb.h"
#include "proto/tensor_shape.pb.h"

namespace troupe {

absl::StatusOr<ResourceHandle> from_proto(const pb::ResourceHandleProto& proto) {
  ResourceHandle h;
  h.device = proto.device();
  h.container = proto.container();
  h.name = proto.name();
  h.hash_code = proto.hash_code();
  h.maybe_type_name = proto.maybe_type_name();
  h.dtypes_and_shapes.reserve(proto.dtypes_and_shapes_size());
  for (const auto& d : proto.dtypes_and_shapes()) {
    TROUPE_ASSIGN_OR_RETURN(DataType dtype, dtype_from_wire(d.dtype()));
    TROUPE_ASSIGN_OR_RETURN(PartialShape shape, from_proto(d.shape()));
    h.dtypes_and_shapes.push_back({dtype, std::move(shape)});
  }
  return h;
}

void to_proto(const ResourceHandle& handle, pb::ResourceHandleProto* out) {
  out->Clear();
  out->set_device(handle.device);
  out->set_container(handle.container);
  out->set_name(handle.name);
  out->set_hash_code(handle.hash_code);
  out->set_maybe_type_name(handle.maybe_type_name);
  for (const auto& d : handle.dtypes_and_shapes) {
    auto* entry = out->add_dtypes_and_shapes();
    entry->set_dtype(static_cast<pb::DataType>(d.dtype));
    to_proto(d.shape, entry->mutable_shape());
  }
}

}  // namespace troupe
