#include "devices/checkpoint/slice_writer.h"

#include "absl/strings/str_cat.h"
#include "devices/checkpoint/file.h"
#include "devices/checkpoint/slice_values.h"
#include "devices/checkpoint/table.h"
#include "graph/status.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/saved_tensor_slice.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

/// No message can be longer than 2 GiB; this much is left for the rest of it.
constexpr int64_t kMaxValueBytes = (int64_t{1} << 31) - (int64_t{1} << 16);
/// The longest encoding of a number in a list.
constexpr int64_t kMaxElementBytes = 10;

int64_t most_bytes(const Tensor& value) {
  int64_t bytes = 0;
  if (value.dtype() == DataType::kString) {
    for (const TString& s : value.flat<TString>()) bytes += static_cast<int64_t>(s.size()) + kMaxElementBytes;
    return bytes;
  }
  const bool is_fixed = is_floating(value.dtype()) || is_complex(value.dtype());
  const int64_t each = is_fixed ? static_cast<int64_t>(dtype_size(value.dtype())) : kMaxElementBytes;
  return value.num_elements() * each;
}

}  // namespace

SliceWriter::SliceWriter(std::string path) : path_(std::move(path)) {}
SliceWriter::~SliceWriter() = default;

absl::Status SliceWriter::add(const std::string& name, const Shape& shape, const TensorSlice& slice,
                              const Tensor& value) {
  if (!is_slice_dtype(value.dtype()) || value.dtype() == DataType::kBfloat16) {
    return absl::UnimplementedError(
        absl::StrCat("Saving data type ", dtype_name(value.dtype()), " not yet supported"));
  }
  if (most_bytes(value) > kMaxValueBytes) {
    return absl::InvalidArgumentError(absl::StrCat("Tensor slice is too large to serialize: ", name,
                                                   " of shape ", value.shape().to_string()));
  }
  std::unique_ptr<pb::SavedSliceMeta>& meta = tensors_[name];
  if (meta == nullptr) {
    meta = std::make_unique<pb::SavedSliceMeta>();
    meta->set_name(name);
    meta->set_type(static_cast<pb::DataType>(value.dtype()));
    to_proto(PartialShape(shape), meta->mutable_shape());
  } else {
    TROUPE_ASSIGN_OR_RETURN(PartialShape known, from_proto(meta->shape()));
    if (!(known == PartialShape(shape))) {
      return absl::InternalError(absl::StrCat("Mismatching shapes: existing tensor = ", known.to_string(),
                                              ", trying to add name ", name,
                                              ", shape = ", shape.to_string()));
    }
    const auto dtype = static_cast<DataType>(meta->type());
    if (dtype != value.dtype()) {
      return absl::InternalError(absl::StrCat("Mismatching types: existing type = ", dtype_name(dtype),
                                              ", trying to add name ", name,
                                              ", type = ", dtype_name(value.dtype())));
    }
    for (const auto& proto : meta->slice()) {
      TROUPE_ASSIGN_OR_RETURN(TensorSlice earlier, TensorSlice::from_proto(proto));
      if (earlier == slice || count_common(shape, earlier, slice) > 0) {
        return absl::InternalError(absl::StrCat("Overlapping slices: existing slice = ", earlier.to_string(),
                                                ", new slice = ", slice.to_string()));
      }
    }
  }
  slice.to_proto(meta->add_slice());
  pb::SavedTensorSlices message;
  pb::SavedSlice* data = message.mutable_data();
  data->set_name(name);
  slice.to_proto(data->mutable_slice());
  put_slice_values(value, data->mutable_data());
  if (!message.SerializeToString(&values_[slice_key(name, slice)])) {
    return absl::InternalError(absl::StrCat("cannot serialize ", name));
  }
  return absl::OkStatus();
}

absl::Status SliceWriter::finish() {
  OutputFile file;
  TROUPE_RETURN_IF_ERROR(file.open(path_));
  TableWriter table(&file);
  pb::SavedTensorSlices list;
  list.mutable_meta()->mutable_versions()->set_producer(1);
  for (const auto& [name, meta] : tensors_) *list.mutable_meta()->add_tensor() = *meta;
  TROUPE_RETURN_IF_ERROR(table.add("", list.SerializeAsString()));
  for (const auto& [key, value] : values_) TROUPE_RETURN_IF_ERROR(table.add(key, value));
  TROUPE_RETURN_IF_ERROR(table.finish());
  return file.commit();
}

}  // namespace troupe
