#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "actors/c_api/border.h"
#include "actors/c_api/operation_builder.h"

#include "graph/ir/attr_proto.h"
#include "graph/tensor/tensor_proto.h"

#include "proto/attr_value.pb.h"
#include "proto/tensor_shape.pb.h"

using troupe::AttrValue;
using troupe::DataType;
using troupe::PartialShape;
using troupe::Tensor;
using troupe::c_api::text;
namespace c_api = troupe::c_api;
namespace pb = ::tensorflow;

namespace {

constexpr char kColocation[] = "_class";

std::string bytes(const void* value, size_t length) {
  return value == nullptr ? std::string() : std::string(static_cast<const char*>(value), length);
}

PartialShape shape_of(const int64_t* dims, int num_dims) {
  if (num_dims < 0 || (dims == nullptr && num_dims > 0)) return PartialShape();
  std::vector<int64_t> sizes;
  for (int i = 0; i < num_dims; ++i) sizes.push_back(std::max<int64_t>(dims[i], PartialShape::kUnknownDim));
  return PartialShape(std::move(sizes));
}

bool parse_shape(const void* proto, size_t length, pb::TensorShapeProto* out) {
  return length <= INT32_MAX && out->ParseFromString(bytes(proto, length));
}

/// A shape of a message; one that is none is remembered as malformed.
std::optional<PartialShape> read_shape(TF_OperationDescription* desc, const char* attr,
                                       const pb::TensorShapeProto& proto) {
  pb::TensorShapeProto clamped = proto;
  for (auto& dim : *clamped.mutable_dim())
    dim.set_size(std::max<int64_t>(dim.size(), PartialShape::kUnknownDim));
  auto shape = troupe::from_proto(clamped);
  if (shape.ok()) return *std::move(shape);
  desc->set_malformed(attr, shape.status());
  return std::nullopt;
}

/// A copy: the client may write to his tensor once the call is over.
absl::StatusOr<Tensor> copy_of(const TF_Tensor* value) {
  TROUPE_ASSIGN_OR_RETURN(Tensor tensor, c_api::to_tensor(value));
  return tensor.deep_copy();
}

template <class T, class U>
std::vector<T> list_of(const U* values, int count) {
  std::vector<T> out;
  for (int i = 0; values != nullptr && i < count; ++i) out.push_back(static_cast<T>(values[i]));
  return out;
}

std::optional<DataType> type_of(TF_OperationDescription* desc, const char* attr, int number) {
  if (number == 0) return DataType::kInvalid;
  if (troupe::is_valid_dtype(number)) return static_cast<DataType>(number);
  desc->set_malformed(
      attr, absl::InvalidArgumentError(absl::StrCat("AttrValue has invalid DataType enum: ", number)));
  return std::nullopt;
}

absl::Status set_colocation(TF_OperationDescription* desc, const pb::AttrValue& value) {
  if (value.value_case() != pb::AttrValue::kList && value.value_case() != pb::AttrValue::VALUE_NOT_SET) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected \"list\" field for \"", kColocation, "\" attribute"));
  }
  desc->colocation.clear();
  for (const std::string& s : value.list().s()) desc->colocation.insert(s);
  return absl::OkStatus();
}

}  // namespace

extern "C" {

void TF_SetAttrString(TF_OperationDescription* desc, const char* attr_name, const void* value,
                      size_t length) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), bytes(value, length));
}
TROUPE_BORDER(nullptr)

void TF_SetAttrStringList(TF_OperationDescription* desc, const char* attr_name, const void* const* values,
                          const size_t* lengths, int num_values) try {
  if (desc == nullptr) return;
  std::vector<std::string> list;
  if (values == nullptr || lengths == nullptr) num_values = 0;
  for (int i = 0; i < num_values; ++i) list.push_back(bytes(values[i], lengths[i]));
  if (std::strcmp(text(attr_name), kColocation) == 0) {
    desc->colocation = {list.begin(), list.end()};
  } else {
    desc->set_attr(text(attr_name), std::move(list));
  }
}
TROUPE_BORDER(nullptr)

void TF_SetAttrInt(TF_OperationDescription* desc, const char* attr_name, int64_t value) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), value);
}
TROUPE_BORDER(nullptr)

void TF_SetAttrIntList(TF_OperationDescription* desc, const char* attr_name, const int64_t* values,
                       int num_values) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), list_of<int64_t>(values, num_values));
}
TROUPE_BORDER(nullptr)

void TF_SetAttrFloat(TF_OperationDescription* desc, const char* attr_name, float value) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), value);
}
TROUPE_BORDER(nullptr)

void TF_SetAttrFloatList(TF_OperationDescription* desc, const char* attr_name, const float* values,
                         int num_values) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), list_of<float>(values, num_values));
}
TROUPE_BORDER(nullptr)

void TF_SetAttrBool(TF_OperationDescription* desc, const char* attr_name, unsigned char value) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), value != 0);
}
TROUPE_BORDER(nullptr)

void TF_SetAttrBoolList(TF_OperationDescription* desc, const char* attr_name, const unsigned char* values,
                        int num_values) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), list_of<bool>(values, num_values));
}
TROUPE_BORDER(nullptr)

void TF_SetAttrType(TF_OperationDescription* desc, const char* attr_name, TF_DataType value) try {
  if (desc == nullptr) return;
  if (auto t = type_of(desc, text(attr_name), value)) desc->set_attr(text(attr_name), *t);
}
TROUPE_BORDER(nullptr)

void TF_SetAttrTypeList(TF_OperationDescription* desc, const char* attr_name, const TF_DataType* values,
                        int num_values) try {
  if (desc == nullptr) return;
  std::vector<DataType> types;
  if (values == nullptr) num_values = 0;
  for (int i = 0; i < num_values; ++i) {
    auto t = type_of(desc, text(attr_name), values[i]);
    if (!t) return;
    types.push_back(*t);
  }
  desc->set_attr(text(attr_name), std::move(types));
}
TROUPE_BORDER(nullptr)

void TF_SetAttrPlaceholder(TF_OperationDescription* desc, const char* attr_name,
                           const char* placeholder) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), troupe::AttrPlaceholder{text(placeholder)});
}
TROUPE_BORDER(nullptr)

void TF_SetAttrFuncName(TF_OperationDescription* desc, const char* attr_name, const char* value,
                        size_t length) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), troupe::FunctionRef{bytes(value, length), nullptr});
}
TROUPE_BORDER(nullptr)

void TF_SetAttrShape(TF_OperationDescription* desc, const char* attr_name, const int64_t* dims,
                     int num_dims) try {
  if (desc == nullptr) return;
  desc->set_attr(text(attr_name), shape_of(dims, num_dims));
}
TROUPE_BORDER(nullptr)

void TF_SetAttrShapeList(TF_OperationDescription* desc, const char* attr_name, const int64_t* const* dims,
                         const int* num_dims, int num_shapes) try {
  if (desc == nullptr) return;
  std::vector<PartialShape> shapes;
  if (dims == nullptr || num_dims == nullptr) num_shapes = 0;
  for (int i = 0; i < num_shapes; ++i) shapes.push_back(shape_of(dims[i], num_dims[i]));
  desc->set_attr(text(attr_name), std::move(shapes));
}
TROUPE_BORDER(nullptr)

void TF_SetAttrTensorShapeProto(TF_OperationDescription* desc, const char* attr_name, const void* proto,
                                size_t proto_len, TF_Status* status) try {
  if (desc == nullptr) return c_api::set_invalid(status, "The description is null");
  pb::TensorShapeProto message;
  if (!parse_shape(proto, proto_len, &message)) {
    c_api::set_invalid(status, "Unparseable TensorShapeProto");
    return;
  }
  if (auto shape = read_shape(desc, text(attr_name), message))
    desc->set_attr(text(attr_name), *std::move(shape));
  c_api::set_status(status, absl::OkStatus());
}
TROUPE_BORDER(status)

void TF_SetAttrTensorShapeProtoList(TF_OperationDescription* desc, const char* attr_name,
                                    const void* const* protos, const size_t* proto_lens, int num_shapes,
                                    TF_Status* status) try {
  if (desc == nullptr) return c_api::set_invalid(status, "The description is null");
  std::vector<PartialShape> shapes;
  bool sound = true;
  if (protos == nullptr || proto_lens == nullptr) num_shapes = 0;
  for (int i = 0; i < num_shapes; ++i) {
    pb::TensorShapeProto message;
    if (!parse_shape(protos[i], proto_lens[i], &message)) {
      c_api::set_invalid(status, absl::StrCat("Unparseable TensorShapeProto at index ", i));
      return;
    }
    auto shape = read_shape(desc, text(attr_name), message);
    sound &= shape.has_value();
    if (shape) shapes.push_back(*std::move(shape));
  }
  if (sound) desc->set_attr(text(attr_name), std::move(shapes));
  c_api::set_status(status, absl::OkStatus());
}
TROUPE_BORDER(status)

void TF_SetAttrTensor(TF_OperationDescription* desc, const char* attr_name, TF_Tensor* value,
                      TF_Status* status) try {
  if (desc == nullptr) return c_api::set_invalid(status, "The description is null");
  auto tensor = copy_of(value);
  if (tensor.ok()) desc->set_attr(text(attr_name), *tensor);
  c_api::set_status(status, tensor.status());
}
TROUPE_BORDER(status)

void TF_SetAttrTensorList(TF_OperationDescription* desc, const char* attr_name, TF_Tensor* const* values,
                          int num_values, TF_Status* status) try {
  if (desc == nullptr) return c_api::set_invalid(status, "The description is null");
  std::vector<Tensor> tensors;
  if (values == nullptr) num_values = 0;
  for (int i = 0; i < num_values; ++i) {
    auto tensor = copy_of(values[i]);
    if (!tensor.ok()) {
      c_api::set_status(status, tensor.status());
      return;
    }
    tensors.push_back(*std::move(tensor));
  }
  desc->set_attr(text(attr_name), std::move(tensors));
  c_api::set_status(status, absl::OkStatus());
}
TROUPE_BORDER(status)

void TF_SetAttrValueProto(TF_OperationDescription* desc, const char* attr_name, const void* proto,
                          size_t proto_len, TF_Status* status) try {
  if (desc == nullptr) return c_api::set_invalid(status, "The description is null");
  pb::AttrValue message;
  if (proto_len > INT32_MAX || !message.ParseFromString(bytes(proto, proto_len))) {
    c_api::set_invalid(status, "Unparseable AttrValue proto");
    return;
  }
  if (std::strcmp(text(attr_name), kColocation) == 0) {
    c_api::set_status(status, set_colocation(desc, message));
    return;
  }
  auto value = troupe::from_proto(message);
  if (value.ok()) {
    desc->set_attr(text(attr_name), *std::move(value));
  } else {
    desc->set_malformed(text(attr_name), value.status());
  }
  c_api::set_status(status, absl::OkStatus());
}
TROUPE_BORDER(status)

}  // extern "C"
