// SerializeTensor, ParseTensor.
#include <string>

#include "absl/strings/escaping.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace troupe {
namespace {

absl::Status serialize_tensor(KernelContext& context) {
  const Tensor& input = context.input(0);
  pb::TensorProto proto;
  // The bytes are compared and hashed by programs, so one value must have one form: raw, or every string.
  if (is_trivial(input.dtype())) {
    proto.set_dtype(static_cast<pb::DataType>(input.dtype()));
    to_proto(PartialShape(input.shape()), proto.mutable_tensor_shape());
    if (input.bytes() > 0) proto.set_tensor_content(input.raw(), input.bytes());
  } else if (input.dtype() == DataType::kString) {
    proto.set_dtype(static_cast<pb::DataType>(input.dtype()));
    to_proto(PartialShape(input.shape()), proto.mutable_tensor_shape());
    for (const TString& s : input.flat<TString>()) proto.add_string_val(s.data(), s.size());
  } else {
    to_proto(input, &proto);
  }
  if (proto.ByteSizeLong() > INT32_MAX) {
    return invalid("A tensor of ", proto.ByteSizeLong(), " bytes is too large for a message");
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, Shape()));
  output->flat<TString>()[0].assign(proto.SerializeAsString());
  return absl::OkStatus();
}

absl::Status parse_tensor(KernelContext& context) {
  const Tensor& input = context.input(0);
  if (input.rank() != 0)
    return invalid("Expected `serialized` to be a scalar, got shape: ", input.shape().to_string());
  const TString& bytes = input.value<TString>();
  pb::TensorProto proto;
  if (bytes.size() > INT32_MAX || !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return invalid("Could not parse `serialized` as TensorProto, base64: ", absl::Base64Escape(bytes.view()));
  }
  auto tensor = from_proto(proto);
  if (absl::IsResourceExhausted(tensor.status())) return tensor.status();
  if (!tensor.ok()) {
    return invalid("Cannot parse tensor from proto: ", tensor.status().message(), ": ",
                   proto.ShortDebugString());
  }
  if (tensor->dtype() != context.output_type(0)) {
    return invalid("Type mismatch between parsed tensor (", dtype_name(tensor->dtype()), ") and dtype (",
                   dtype_name(context.output_type(0)), ")");
  }
  context.set_output(0, *std::move(tensor));
  return absl::OkStatus();
}

}  // namespace

void register_parsing_tensor(KernelRegistry* registry) {
  registry->add(KernelDef("SerializeTensor").types("T", every_type()).fn(serialize_tensor));
  registry->add(KernelDef("ParseTensor").fn(parse_tensor));
}

}  // namespace troupe
