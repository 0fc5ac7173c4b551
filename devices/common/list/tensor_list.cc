#include "devices/common/list/tensor_list.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

#include "devices/common/list/element_shapes.h"
#include "devices/common/array_values.h"
#include "graph/tensor/tensor_proto.h"

namespace troupe {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

// A TensorShapeProto on the wire: field 2 holds a dimension whose field 1 is the size, field 3 says "unknown
// rank".
constexpr uint32_t kDimTag = (2 << 3) | 2;
constexpr uint32_t kSizeTag = 1 << 3;
constexpr uint32_t kUnknownRankTag = 3 << 3;

void write_shape(const PartialShape& shape, CodedOutputStream* out) {
  if (!shape.known_rank()) {
    out->WriteTag(kUnknownRankTag);
    out->WriteVarint32(1);
    return;
  }
  for (int64_t size : shape.dims()) {
    const uint64_t bits = static_cast<uint64_t>(size);
    out->WriteTag(kDimTag);
    out->WriteVarint32(static_cast<uint32_t>(size == 0 ? 0 : 1 + CodedOutputStream::VarintSize64(bits)));
    if (size == 0) continue;
    out->WriteTag(kSizeTag);
    out->WriteVarint64(bits);
  }
}

/// Reads to the end; false when it is malformed. Other fields are skipped.
bool read_shape(CodedInputStream* in, PartialShape* shape) {
  std::vector<int64_t> dims;
  bool unknown = false;
  while (uint32_t tag = in->ReadTag()) {
    uint64_t value = 0;
    if (!in->ReadVarint64(&value)) return false;
    if (tag == kUnknownRankTag) unknown = value != 0;
    if ((tag & 7) == 0) continue;
    if (tag != kDimTag || value > (1 << 20)) return false;
    const auto limit = in->PushLimit(static_cast<int>(value));
    uint64_t size = 0;
    while (uint32_t inner = in->ReadTag()) {
      uint64_t field = 0;
      if (!in->ReadVarint64(&field)) return false;
      if (inner == kSizeTag) size = field;
      // The name of the dimension, which nobody uses.
      if ((inner & 7) == 2 && !in->Skip(static_cast<int>(std::min<uint64_t>(field, 1 << 20)))) return false;
    }
    in->PopLimit(limit);
    if (static_cast<int64_t>(size) < -1 || dims.size() >= static_cast<size_t>(Shape::kMaxRank)) return false;
    dims.push_back(static_cast<int64_t>(size));
  }
  *shape = unknown ? PartialShape() : PartialShape(std::move(dims));
  return unknown ? dims.empty() : true;
}

}  // namespace

bool TensorList::serialize(std::string* metadata, std::vector<Tensor>* tensors) const {
  std::vector<uint64_t> unset;
  tensors->clear();
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].initialized()) {
      tensors->push_back(elements[i]);
    } else {
      unset.push_back(i);
    }
  }
  metadata->clear();
  google::protobuf::io::StringOutputStream stream(metadata);
  CodedOutputStream out(&stream);
  out.WriteVarint64(unset.size());
  for (uint64_t i : unset) out.WriteVarint64(i);
  out.WriteVarint64(static_cast<uint64_t>(dtype));
  out.WriteVarint64(static_cast<uint64_t>(capacity));
  write_shape(element_shape, &out);
  return true;
}

absl::StatusOr<std::shared_ptr<VariantValue>> TensorList::deserialize(const std::string& metadata,
                                                                      std::vector<Tensor> tensors) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(metadata.data()), static_cast<int>(metadata.size()));
  uint64_t count = 0;
  if (!in.ReadVarint64(&count) || count > metadata.size())
    return invalid("Malformed metadata of a TensorList");
  auto list = std::make_shared<TensorList>();
  const size_t size = tensors.size() + count;
  list->elements.resize(size);
  std::vector<bool> unset(size);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t index = 0;
    if (!in.ReadVarint64(&index) || index >= size || unset[index])
      return invalid("Malformed metadata of a TensorList");
    unset[index] = true;
  }
  uint64_t dtype = 0, capacity = 0;
  if (!in.ReadVarint64(&dtype) || !in.ReadVarint64(&capacity) || dtype > 255) {
    return invalid("Malformed metadata of a TensorList");
  }
  TROUPE_ASSIGN_OR_RETURN(list->dtype, dtype_from_wire(static_cast<int>(dtype)));
  list->capacity = static_cast<int64_t>(capacity);
  if (!read_shape(&in, &list->element_shape)) return invalid("Malformed metadata of a TensorList");
  size_t next = 0;
  for (size_t i = 0; i < size; ++i) {
    if (unset[i]) continue;
    if (tensors[next].dtype() != list->dtype)
      return invalid("A TensorList holds elements of different types");
    list->elements[i] = std::move(tensors[next++]);
  }
  return list;
}

absl::StatusOr<const TensorList*> input_list(const KernelContext& context, int i) {
  const Tensor& t = context.input(i);
  if (!is_scalar(t) || t.dtype() != DataType::kVariant) {
    return invalid("Input list must be a scalar saw: ", t.shape().to_string());
  }
  const Variant& v = t.value<Variant>();
  const TensorList* list = v.get<TensorList>();
  if (list == nullptr) {
    return invalid("Input handle is not a list. Saw: '",
                   v.empty() ? "<uninitialized>" : v.value()->debug_string(), "'");
  }
  return list;
}

absl::StatusOr<const TensorList*> input_list(const KernelContext& context, int i, DataType dtype) {
  TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, i));
  if (list->dtype != dtype) {
    return invalid("Invalid data types; op elements ", dtype_name(dtype), " but list elements ",
                   dtype_name(list->dtype));
  }
  return list;
}

absl::StatusOr<TensorList*> output_changed_list(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const TensorList* list, input_list(context, 0));
  Tensor handle = context.take_input(0);
  if (!handle.unique() || !handle.value<Variant>().unique()) {
    auto copy = std::make_shared<TensorList>(*list);
    handle = Tensor(DataType::kVariant, Shape());
    handle.flat<Variant>()[0] = Variant(std::move(copy));
  }
  TensorList* result = handle.value<Variant>().get<TensorList>();
  context.set_output(0, std::move(handle));
  return result;
}

TensorList* output_new_list(KernelContext& context, DataType dtype, PartialShape element_shape) {
  auto list = std::make_shared<TensorList>();
  list->dtype = dtype;
  list->element_shape = std::move(element_shape);
  TensorList* result = list.get();
  Tensor handle(DataType::kVariant, Shape());
  handle.flat<Variant>()[0] = Variant(std::move(list));
  context.set_output(0, std::move(handle));
  return result;
}

absl::StatusOr<PartialShape> merged_element_shape(const KernelContext& context, const TensorList& list,
                                                  int i) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, shape_from_tensor(context.input(i)));
  return merge_shapes(shape, list.element_shape);
}

absl::Status check_list_size(int64_t size) {
  if (size <= TensorList::kMaxElements) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("A TensorList of ", size, " elements is too large"));
}

absl::StatusOr<Variant> TensorList::zeros(KernelContext& context, const ElementMemory& memory) const {
  auto zero = std::make_shared<TensorList>();
  zero->dtype = dtype;
  zero->element_shape = element_shape;
  zero->elements.reserve(elements.size());
  for (const Tensor& t : elements) {
    TROUPE_ASSIGN_OR_RETURN(Tensor z, zeros_of(context, memory, t));
    zero->elements.push_back(std::move(z));
  }
  return Variant(std::move(zero));
}

absl::StatusOr<Variant> TensorList::plus(KernelContext& context, const ElementMemory& memory,
                                         const VariantValue& other) const {
  const auto& y = static_cast<const TensorList&>(other);
  if (dtype != y.dtype) {
    return invalid("Trying to add two lists of tensors of different dtypes. One is ", dtype_name(dtype),
                   " and the other is ", dtype_name(y.dtype));
  }
  if (!element_shape.compatible_with(y.element_shape)) {
    return invalid("Trying to add two lists of tensors with incompatible element shapes. One is ",
                   element_shape.to_string(), " and the other is ", y.element_shape.to_string());
  }
  if (size() != y.size()) {
    return invalid("Trying to add two lists of tensors with different lengths. One is ", size(),
                   " and the other is ", y.size());
  }
  auto sum = std::make_shared<TensorList>();
  sum->dtype = dtype;
  TROUPE_ASSIGN_OR_RETURN(sum->element_shape, merge_shapes(element_shape, y.element_shape));
  sum->elements.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(Tensor s, sum_of(context, memory, elements[i], y.elements[i]));
    sum->elements.push_back(std::move(s));
  }
  return Variant(std::move(sum));
}

}  // namespace troupe
