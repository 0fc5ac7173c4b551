#include "devices/checkpoint/bundle_writer.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/checkpoint/bundle.h"
#include "devices/checkpoint/coding.h"
#include "devices/checkpoint/crc32c.h"
#include "devices/checkpoint/table.h"
#include "graph/status.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"
#include "proto/tensor_bundle.pb.h"

namespace troupe {

namespace pb = ::tensorflow;

BundleWriter::BundleWriter() = default;
BundleWriter::~BundleWriter() = default;

absl::Status BundleWriter::open(const std::string& prefix) {
  prefix_ = prefix;
  const std::string folder = folder_of(prefix);
  if (!folder.empty()) TROUPE_RETURN_IF_ERROR(make_folder(folder));
  return data_.open(bundle_data_path(prefix, 0, 1));
}

absl::Status BundleWriter::append(absl::string_view bytes, uint32_t* crc) {
  *crc = crc32c_extend(*crc, bytes);
  return data_.append(bytes);
}

absl::Status BundleWriter::write_strings(const Tensor& value, uint32_t* crc) {
  // All lengths, as varints in the file but as fixed numbers in the checksum; the checksum so far; the bytes.
  std::string lengths;
  for (const TString& s : value.flat<TString>()) {
    const uint64_t n = s.size();
    put_varint64(&lengths, n);
    const size_t width = n <= std::numeric_limits<uint32_t>::max() ? 4 : 8;
    *crc = crc32c_extend(*crc, absl::string_view(reinterpret_cast<const char*>(&n), width));
  }
  TROUPE_RETURN_IF_ERROR(data_.append(lengths));
  std::string checksum;
  put_fixed32(&checksum, crc32c_mask(*crc));
  TROUPE_RETURN_IF_ERROR(append(checksum, crc));
  for (const TString& s : value.flat<TString>()) TROUPE_RETURN_IF_ERROR(append(s.view(), crc));
  return absl::OkStatus();
}

absl::Status BundleWriter::write_variants(const Tensor& value, uint32_t* crc) {
  // Of each its length (a varint in the file, fixed in the checksum), its bytes and the checksum so far.
  for (int64_t i = 0; i < value.num_elements(); ++i) {
    pb::TensorProto one;
    to_proto(Tensor::scalar<Variant>(value.flat<Variant>()[static_cast<size_t>(i)]), &one);
    std::string bytes;
    if (one.variant_val_size() != 1 || !one.variant_val(0).SerializeToString(&bytes)) {
      return absl::UnimplementedError("a variant that cannot be written");
    }
    const uint64_t n = bytes.size();
    std::string length;
    put_varint64(&length, n);
    *crc = crc32c_extend(*crc, absl::string_view(reinterpret_cast<const char*>(&n), sizeof(n)));
    TROUPE_RETURN_IF_ERROR(data_.append(length));
    TROUPE_RETURN_IF_ERROR(append(bytes, crc));
    std::string checksum;
    put_fixed32(&checksum, crc32c_mask(*crc));
    TROUPE_RETURN_IF_ERROR(append(checksum, crc));
  }
  return absl::OkStatus();
}

absl::Status BundleWriter::add(const std::string& key, const Tensor& value) {
  if (key.empty()) return absl::InvalidArgumentError("A checkpoint cannot hold a tensor without a name");
  auto [at, is_new] = entries_.try_emplace(key);
  if (!is_new) return absl::InvalidArgumentError(absl::StrCat("Adding duplicate key: ", key));
  at->second = std::make_unique<pb::BundleEntryProto>();
  pb::BundleEntryProto& entry = *at->second;
  entry.set_dtype(static_cast<pb::DataType>(value.dtype()));
  to_proto(PartialShape(value.shape()), entry.mutable_shape());
  const int64_t offset = data_.size();
  entry.set_offset(offset);
  uint32_t crc = 0;
  switch (value.dtype()) {
    case DataType::kString: TROUPE_RETURN_IF_ERROR(write_strings(value, &crc)); break;
    case DataType::kVariant: TROUPE_RETURN_IF_ERROR(write_variants(value, &crc)); break;
    case DataType::kResource:
    case DataType::kInvalid:
      return absl::UnimplementedError(
          absl::StrCat("Tensors of dtype ", dtype_name(value.dtype()), " cannot be saved: ", key));
    default:
      TROUPE_RETURN_IF_ERROR(
          append(absl::string_view(static_cast<const char*>(value.raw()), value.bytes()), &crc));
  }
  entry.set_size(data_.size() - offset);
  entry.set_crc32c(crc32c_mask(crc));
  return absl::OkStatus();
}

absl::Status BundleWriter::add_slice(const std::string& key, const Shape& full_shape,
                                     const TensorSlice& slice, const Tensor& value) {
  if (slice.is_full()) return add(key, value);
  TROUPE_ASSIGN_OR_RETURN(Shape part, slice.shape_in(full_shape));
  if (!(part == value.shape())) {
    return absl::InvalidArgumentError(absl::StrCat("Slice ", slice.to_string(), " of ", key, " has shape ",
                                                   value.shape().to_string(), " instead of ",
                                                   part.to_string()));
  }
  std::unique_ptr<pb::BundleEntryProto>& whole = entries_[key];
  if (whole == nullptr) {
    whole = std::make_unique<pb::BundleEntryProto>();
    whole->set_dtype(static_cast<pb::DataType>(value.dtype()));
    to_proto(PartialShape(full_shape), whole->mutable_shape());
  } else {
    TROUPE_ASSIGN_OR_RETURN(PartialShape known, from_proto(whole->shape()));
    if (whole->slices().empty() || !(known == PartialShape(full_shape)) ||
        whole->dtype() != static_cast<pb::DataType>(value.dtype())) {
      return absl::InvalidArgumentError(absl::StrCat("Adding duplicate key: ", key));
    }
  }
  slice.to_proto(whole->add_slices());
  return add(slice_key(key, slice), value);
}

absl::Status BundleWriter::finish() {
  OutputFile file;
  TROUPE_RETURN_IF_ERROR(file.open(bundle_index_path(prefix_)));
  TableWriter table(&file);
  pb::BundleHeaderProto header;
  make_bundle_header(1, &header);
  TROUPE_RETURN_IF_ERROR(table.add(kBundleHeaderKey, header.SerializeAsString()));
  for (const auto& [key, entry] : entries_)
    TROUPE_RETURN_IF_ERROR(table.add(key, entry->SerializeAsString()));
  TROUPE_RETURN_IF_ERROR(table.finish());
  // Both are complete before either gets its name.
  TROUPE_RETURN_IF_ERROR(data_.commit());
  return file.commit();
}

}  // namespace troupe
