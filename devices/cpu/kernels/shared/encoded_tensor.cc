#include "devices/cpu/kernels/shared/encoded_tensor.h"

#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace troupe {

namespace pb = ::tensorflow;

absl::StatusOr<std::string> encode_tensor(const Tensor& tensor) {
  pb::TensorProto proto;
  const DataType dtype = tensor.dtype();
  if (dtype == DataType::kString || dtype == DataType::kResource || dtype == DataType::kVariant) {
    to_proto(tensor, &proto);
  } else {
    proto.set_dtype(static_cast<pb::DataType>(static_cast<int>(dtype)));
    to_proto(PartialShape(tensor.shape()), proto.mutable_tensor_shape());
    if (tensor.bytes() > 0) proto.set_tensor_content(tensor.raw(), tensor.bytes());
  }
  std::string bytes;
  if (!proto.SerializeToString(&bytes)) return absl::InvalidArgumentError("Tensor is too large to serialize");
  return bytes;
}

}  // namespace troupe
