#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/c_api/attr_values.h"
#include "actors/c_api/border.h"
#include "actors/c_api/graph_messages.h"

#include "graph/tensor/tensor_proto.h"

#include "proto/tensor_shape.pb.h"

// Attrs that are shapes or tensors.

using troupe::AttrValue;
using troupe::PartialShape;
using troupe::Tensor;
using troupe::c_api::find_attr;
using troupe::c_api::has_places;
using troupe::c_api::is_list;
using troupe::c_api::text;
using troupe::c_api::typed;
using troupe::c_api::typed_list;
namespace c_api = troupe::c_api;
namespace pb = ::tensorflow;

namespace {

absl::StatusOr<TF_Tensor*> copy_of(const Tensor& tensor) { return c_api::from_tensor(tensor.deep_copy()); }

}  // namespace

extern "C" {

void TF_OperationGetAttrShape(TF_Operation* oper, const char* attr_name, int64_t* value, int num_dims,
                              TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  const auto* shape = typed<PartialShape>(oper, attr_name, "shape", status);
  if (shape == nullptr) return;
  const int count = std::min(shape->rank(), num_dims);
  if (!has_places(count, status, value)) return;
  for (int i = 0; i < count; ++i) value[i] = shape->dim(i);
}
TROUPE_BORDER(status)

void TF_OperationGetAttrShapeList(TF_Operation* oper, const char* attr_name, int64_t** dims, int* num_dims,
                                  int num_shapes, int64_t* storage, int storage_size, TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  const auto shapes = typed_list<PartialShape>(oper, attr_name, "list(shape)", status);
  if (!shapes) return;
  const int count = std::min(num_shapes, static_cast<int>(shapes->size()));
  if (!has_places(count, status, dims, num_dims)) return;
  for (int i = 0; i < count; ++i) {
    const PartialShape& shape = (*shapes)[i];
    num_dims[i] = shape.rank();
    dims[i] = storage;
    if (!shape.known_rank()) continue;
    if (storage_size < shape.rank() || (storage == nullptr && shape.rank() > 0)) {
      c_api::set_invalid(status, "Not enough storage to hold the requested list of shapes");
      return;
    }
    storage_size -= shape.rank();
    storage = std::copy(shape.dims().begin(), shape.dims().end(), storage);
  }
}
TROUPE_BORDER(status)

void TF_OperationGetAttrTensorShapeProto(TF_Operation* oper, const char* attr_name, TF_Buffer* value,
                                         TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  const AttrValue* attr = find_attr(oper, attr_name, status);
  if (attr == nullptr) return;
  const PartialShape* shape = attr->get<PartialShape>();
  if (shape == nullptr) {
    c_api::set_invalid(status, absl::StrCat("Value for '", text(attr_name), "' is not a shape."));
    return;
  }
  pb::TensorShapeProto proto;
  troupe::to_proto(*shape, &proto);
  c_api::set_status(status, c_api::message_to_buffer(proto, value));
}
TROUPE_BORDER(status)

void TF_OperationGetAttrTensorShapeProtoList(TF_Operation* oper, const char* attr_name, TF_Buffer** values,
                                             int max_values, TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  const AttrValue* attr = find_attr(oper, attr_name, status);
  if (attr == nullptr) return;
  if (!is_list(*attr)) {
    c_api::set_invalid(status, absl::StrCat("Value for '", text(attr_name), "' is not a list"));
    return;
  }
  const auto* shapes = attr->get<std::vector<PartialShape>>();
  const int count = shapes == nullptr ? 0 : std::min(max_values, static_cast<int>(shapes->size()));
  if (!has_places(count, status, values)) return;
  for (int i = 0; i < count; ++i) {
    pb::TensorShapeProto proto;
    troupe::to_proto((*shapes)[i], &proto);
    values[i] = TF_NewBuffer();
    c_api::set_status(status, c_api::message_to_buffer(proto, values[i]));
    if (TF_GetCode(status) == TF_OK) continue;
    for (int j = 0; j <= i; ++j) TF_DeleteBuffer(std::exchange(values[j], nullptr));
    return;
  }
}
TROUPE_BORDER(status)

void TF_OperationGetAttrTensor(TF_Operation* oper, const char* attr_name, TF_Tensor** value,
                               TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  if (!has_places(1, status, value)) return;
  *value = nullptr;
  const auto* tensor = typed<Tensor>(oper, attr_name, "tensor", status);
  if (tensor == nullptr) return;
  auto copy = copy_of(*tensor);
  c_api::set_status(status, copy.status());
  if (copy.ok()) *value = *copy;
}
TROUPE_BORDER(status)

void TF_OperationGetAttrTensorList(TF_Operation* oper, const char* attr_name, TF_Tensor** values,
                                   int max_values, TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  const auto tensors = typed_list<Tensor>(oper, attr_name, "list(tensor)", status);
  if (!tensors) return;
  const int count = std::min(max_values, static_cast<int>(tensors->size()));
  if (!has_places(count, status, values)) return;
  for (int i = 0; i < count; ++i) {
    auto copy = copy_of((*tensors)[i]);
    c_api::set_status(status, copy.status());
    values[i] = copy.ok() ? *copy : nullptr;
    if (copy.ok()) continue;
    for (int j = 0; j < i; ++j) TF_DeleteTensor(std::exchange(values[j], nullptr));
    return;
  }
}
TROUPE_BORDER(status)

}  // extern "C"
