#include "devices/checkpoint/slice_values.h"

#include <complex>
#include <cstring>

#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

template <class T, class List>
void put_numbers(const Tensor& value, List* list) {
  const T* from = static_cast<const T*>(value.raw());
  list->Reserve(static_cast<int>(value.num_elements()));
  for (int64_t i = 0; i < value.num_elements(); ++i) list->Add(from[i]);
}

}  // namespace

bool is_slice_dtype(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat:
    case DataType::kDouble:
    case DataType::kInt32:
    case DataType::kUint8:
    case DataType::kInt16:
    case DataType::kInt8:
    case DataType::kString:
    case DataType::kComplex64:
    case DataType::kInt64:
    case DataType::kBool:
    case DataType::kQint8:
    case DataType::kQuint8:
    case DataType::kQint32:
    case DataType::kBfloat16:
    case DataType::kQint16:
    case DataType::kQuint16:
    case DataType::kUint16:
    case DataType::kComplex128:
    case DataType::kHalf:
    case DataType::kUint32:
    case DataType::kUint64: return true;
    default: return false;
  }
}

void put_slice_values(const Tensor& value, pb::TensorProto* out) {
  switch (value.dtype()) {
    case DataType::kFloat: return put_numbers<float>(value, out->mutable_float_val());
    case DataType::kDouble: return put_numbers<double>(value, out->mutable_double_val());
    case DataType::kInt32:
    case DataType::kQint32: return put_numbers<int32_t>(value, out->mutable_int_val());
    case DataType::kUint8:
    case DataType::kQuint8: return put_numbers<uint8_t>(value, out->mutable_int_val());
    case DataType::kInt8:
    case DataType::kQint8: return put_numbers<int8_t>(value, out->mutable_int_val());
    case DataType::kInt16:
    case DataType::kQint16: return put_numbers<int16_t>(value, out->mutable_int_val());
    case DataType::kUint16:
    case DataType::kQuint16: return put_numbers<uint16_t>(value, out->mutable_int_val());
    case DataType::kHalf:
    case DataType::kBfloat16: return put_numbers<uint16_t>(value, out->mutable_half_val());
    case DataType::kInt64: return put_numbers<int64_t>(value, out->mutable_int64_val());
    case DataType::kUint32: return put_numbers<uint32_t>(value, out->mutable_uint32_val());
    case DataType::kUint64: return put_numbers<uint64_t>(value, out->mutable_uint64_val());
    case DataType::kBool: return put_numbers<bool>(value, out->mutable_bool_val());
    case DataType::kComplex64:
      for (const auto& c : value.flat<std::complex<float>>()) {
        out->add_scomplex_val(c.real());
        out->add_scomplex_val(c.imag());
      }
      return;
    case DataType::kComplex128:
      for (const auto& c : value.flat<std::complex<double>>()) {
        out->add_dcomplex_val(c.real());
        out->add_dcomplex_val(c.imag());
      }
      return;
    case DataType::kString:
      for (const TString& s : value.flat<TString>()) out->add_string_val(s.data(), s.size());
      return;
    default: return;
  }
}

int64_t count_slice_values(const pb::TensorProto& proto, DataType dtype) {
  switch (dtype) {
    case DataType::kFloat: return proto.float_val_size();
    case DataType::kDouble: return proto.double_val_size();
    case DataType::kHalf:
    case DataType::kBfloat16: return proto.half_val_size();
    case DataType::kInt64: return proto.int64_val_size();
    case DataType::kUint32: return proto.uint32_val_size();
    case DataType::kUint64: return proto.uint64_val_size();
    case DataType::kBool: return proto.bool_val_size();
    case DataType::kComplex64: return proto.scomplex_val_size() / 2;
    case DataType::kComplex128: return proto.dcomplex_val_size() / 2;
    case DataType::kString: return proto.string_val_size();
    default: return proto.int_val_size();
  }
}

absl::StatusOr<Tensor> take_slice_values(DataType dtype, const Shape& shape, pb::TensorProto* proto) {
  if (count_slice_values(*proto, dtype) != shape.num_elements()) {
    return absl::DataLossError("as many values as the shape has elements are wanted");
  }
  proto->clear_tensor_content();
  proto->set_dtype(static_cast<pb::DataType>(dtype));
  to_proto(PartialShape(shape), proto->mutable_tensor_shape());
  return from_proto(*proto);
}

}  // namespace troupe
