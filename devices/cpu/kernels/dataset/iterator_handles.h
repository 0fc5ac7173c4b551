#pragma once

#include "devices/cpu/kernels/dataset/iterator_resource.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace troupe {

/// Iterators, of one device or several, as strings that other steps and sessions of the device may read. T has
/// `types` and `shapes`.
template <class T>
absl::Status iterator_to_string(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(lookup_resource<T>(context, 0).status());
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  pb::ResourceHandleProto proto;
  to_proto(*handle, &proto);
  context.set_output(0, Tensor::string_scalar(proto.SerializeAsString()));
  return absl::OkStatus();
}

template <class T>
absl::Status iterator_from_string(KernelContext& context) {
  const Tensor& text = context.input(0);
  if (!is_scalar(text)) return invalid("string_handle must be a scalar");
  pb::ResourceHandleProto proto;
  const absl::string_view bytes = text.value<TString>().view();
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return invalid("Could not parse string_handle as a valid ResourceHandle");
  }
  TROUPE_ASSIGN_OR_RETURN(ResourceHandle handle, from_proto(proto));
  if (handle.device != context.device()->name()) {
    return invalid("Attempted create an iterator on device \"", context.device()->name(),
                   "\" from handle defined on device \"", handle.device, "\"");
  }
  TROUPE_ASSIGN_OR_RETURN(auto iterator, lookup_handle<T>(context, handle));
  const auto types = context.node().attrs.get_or("output_types", std::vector<DataType>());
  const auto shapes = context.node().attrs.get_or("output_shapes", std::vector<PartialShape>());
  TROUPE_RETURN_IF_ERROR(check_components(types.empty() ? iterator->types() : types,
                                          shapes.empty() ? iterator->shapes() : shapes, iterator->types(),
                                          iterator->shapes()));
  context.set_output(0, handle_tensor(std::move(handle)));
  return absl::OkStatus();
}

}  // namespace troupe
