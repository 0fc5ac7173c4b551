#include "actors/cluster/tensor_payload.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/status.h"
#include "graph/tensor/tensor_proto.h"

#include "proto/tensor.pb.h"

namespace troupe {
namespace {

/// Whether all that is inside a tensor has a wire form.
absl::Status check_can_leave(const Tensor& value) {
  if (value.dtype() == DataType::kResource) {
    for (const ResourceHandle& h : value.flat<ResourceHandle>()) {
      if (h.anonymous == nullptr) continue;
      return absl::UnimplementedError(absl::StrCat("a handle of a resource without a name (",
                                                   h.maybe_type_name, " on ", h.device,
                                                   ") cannot leave its process"));
    }
  }
  if (value.dtype() != DataType::kVariant) return absl::OkStatus();
  for (const Variant& v : value.flat<Variant>()) {
    if (v.empty()) continue;
    std::string metadata;
    std::vector<Tensor> tensors;
    if (!v.value()->serialize(&metadata, &tensors)) {
      return absl::UnimplementedError(
          absl::StrCat("a variant of type ", v.value()->type_name(), " cannot leave its process"));
    }
    for (const Tensor& inside : tensors) TROUPE_RETURN_IF_ERROR(check_can_leave(inside));
  }
  return absl::OkStatus();
}

int elements_listed(DataType dtype, const pb::TensorProto& proto) {
  switch (dtype) {
    case DataType::kString: return proto.string_val_size();
    case DataType::kResource: return proto.resource_handle_val_size();
    case DataType::kVariant: return proto.variant_val_size();
    default: return 0;
  }
}

/// Takes from `left` what the tensors inside of variants would take; a list of one value may stand for a large tensor.
absl::Status charge_inside(const pb::TensorProto& proto, int64_t* left) {
  for (const pb::VariantTensorDataProto& variant : proto.variant_val()) {
    for (const pb::TensorProto& inside : variant.tensors()) {
      const int64_t bytes = declared_bytes(inside);
      // What has no shape or dtype is refused when it is read.
      if (bytes < 0) continue;
      const DataType dtype = static_cast<DataType>(inside.dtype());
      if (!is_trivial(dtype) &&
          elements_listed(dtype, inside) < bytes / static_cast<int64_t>(dtype_size(dtype))) {
        return absl::InvalidArgumentError("a tensor inside of a variant does not list its elements");
      }
      *left -= bytes;
      if (*left < 0)
        return absl::ResourceExhaustedError("tensors inside of variants are larger than the limit");
      TROUPE_RETURN_IF_ERROR(charge_inside(inside, left));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<absl::Cord> encode_elements(const Tensor& value) {
  TROUPE_RETURN_IF_ERROR(check_can_leave(value));
  pb::TensorProto proto;
  to_proto(value, &proto);
  const size_t bytes = proto.ByteSizeLong();
  if (bytes > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::ResourceExhaustedError(absl::StrCat("a tensor of type ", dtype_name(value.dtype()),
                                                     " and shape ", value.shape().to_string(), " has ", bytes,
                                                     " bytes as a message, the limit is 2 GiB"));
  }
  return absl::Cord(proto.SerializeAsString());
}

absl::StatusOr<Tensor> decode_elements(DataType dtype, const Shape& shape, absl::string_view payload,
                                       int64_t limit) {
  // The shortest element takes two bytes: its tag and its length.
  if (static_cast<uint64_t>(shape.num_elements()) > payload.size() / 2) {
    return absl::InvalidArgumentError(absl::StrCat("shape ", shape.to_string(), " has ", shape.num_elements(),
                                                   " elements, more than ", payload.size(),
                                                   " bytes can hold"));
  }
  pb::TensorProto proto;
  if (payload.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !proto.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
    return absl::InvalidArgumentError("its elements are no TensorProto");
  }
  TROUPE_ASSIGN_OR_RETURN(const PartialShape inside, from_proto(proto.tensor_shape()));
  if (proto.dtype() != static_cast<int>(dtype) || inside != PartialShape(shape) ||
      elements_listed(dtype, proto) != shape.num_elements() || !proto.tensor_content().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("its elements are ", elements_listed(dtype, proto),
                                                   " of dtype ", static_cast<int>(proto.dtype()),
                                                   " and shape ", inside.to_string(), ", the header says ",
                                                   dtype_name(dtype), " and ", shape.to_string()));
  }
  TROUPE_RETURN_IF_ERROR(charge_inside(proto, &limit));
  return from_proto(proto);
}

absl::Status check_elements(DataType dtype, absl::string_view payload) {
  int lowest = 0, highest = 0;
  switch (dtype) {
    case DataType::kBool: highest = 1; break;
    case DataType::kInt4: lowest = -8, highest = 7; break;
    case DataType::kUint4: highest = 15; break;
    case DataType::kInt2: lowest = -2, highest = 1; break;
    case DataType::kUint2: highest = 3; break;
    default: return absl::OkStatus();
  }
  for (const char c : payload) {
    const int value = static_cast<signed char>(c);
    if (value < lowest || value > highest) {
      return absl::InvalidArgumentError(
          absl::StrCat("holds a ", dtype_name(dtype), " of ", value, ", expected ", lowest, " to ", highest));
    }
  }
  return absl::OkStatus();
}

}  // namespace troupe
