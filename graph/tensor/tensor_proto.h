#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "graph/tensor/tensor.h"
#include "graph/tensor/variant.h"

namespace tensorflow {
class ResourceHandleProto;
class TensorProto;
class TensorShapeProto;
}  // namespace tensorflow

namespace troupe {

namespace pb = ::tensorflow;

/// A tensor on the wire is either raw bytes or a list of values that may be shorter than the tensor: its last value
/// then fills the rest. The filled part has no data behind it, so a file of fifty bytes could ask for all memory;
/// this much of it is taken to be meant (no message can be larger than 2 GiB anyhow).
inline constexpr int64_t kMaxRepeatedBytes = int64_t{2} << 30;

/// The dtype behind a number of the wire; reference types are allowed. InvalidArgument for anything else.
absl::StatusOr<DataType> dtype_from_wire(int number);

/// InvalidArgument when a dimension is below -1, the rank over 254, the product of the known dimensions over 63 bits,
/// or an unknown rank comes with dimensions.
absl::StatusOr<PartialShape> from_proto(const pb::TensorShapeProto& proto);
void to_proto(const PartialShape& shape, pb::TensorShapeProto* out);

absl::StatusOr<ResourceHandle> from_proto(const pb::ResourceHandleProto& proto);
void to_proto(const ResourceHandle& handle, pb::ResourceHandleProto* out);

/// Reads every encoding. InvalidArgument for a dtype that is none, a shape that is none, raw bytes of the wrong size
/// or impossible values; ResourceExhausted beyond kMaxRepeatedBytes or when memory is short.
absl::StatusOr<Tensor> from_proto(const pb::TensorProto& proto);
/// The same of a message whose `tensor_content` is beside it (lifted_bytes.h), where `content` is not empty.
absl::StatusOr<Tensor> from_proto(const pb::TensorProto& proto, const absl::Cord& content);
/// The shortest usual form: a list of one value when all are alike, raw bytes otherwise. An uninitialised tensor gives
/// an empty message.
void to_proto(const Tensor& tensor, pb::TensorProto* out);
/// The same, but raw bytes of `at_least` bytes or more are not put into the message: the tensor's own, which are shared. Empty where all is in it.
absl::Cord to_proto_and_content(const Tensor& tensor, size_t at_least, pb::TensorProto* out);

/// Bytes that from_proto would allocate for `proto`; -1 when it would refuse it for its shape or dtype.
int64_t declared_bytes(const pb::TensorProto& proto);

/// What is inside a variant element of a type that nobody decodes: kept as it came, written back unchanged.
class OpaqueVariant final : public VariantValue {
 public:
  OpaqueVariant(std::string type, std::string metadata, std::vector<Tensor> tensors)
      : type_(std::move(type)), metadata_(std::move(metadata)), tensors_(std::move(tensors)) {}
  std::string type_name() const override { return type_; }
  bool serialize(std::string* metadata, std::vector<Tensor>* tensors) const override {
    *metadata = metadata_;
    *tensors = tensors_;
    return true;
  }

 private:
  const std::string type_;
  const std::string metadata_;
  const std::vector<Tensor> tensors_;
};

/// Turns the metadata and tensors of a variant element of one type back into a value.
using VariantDecoder = std::function<absl::StatusOr<std::shared_ptr<VariantValue>>(
    const std::string& metadata, std::vector<Tensor> tensors)>;
/// Makes from_proto decode variants of this type from now on; the last registration wins. Any thread.
void register_variant_decoder(absl::string_view type_name, VariantDecoder decoder);

}  // namespace troupe
