#include "devices/checkpoint/bundle_reader.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "devices/checkpoint/bundle.h"
#include "devices/checkpoint/coding.h"
#include "devices/checkpoint/crc32c.h"
#include "graph/status.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"
#include "proto/tensor_bundle.pb.h"

namespace troupe {

namespace pb = ::tensorflow;

namespace {

/// Read and checked at once: small enough to be still in the cache when the checksum is made.
constexpr size_t kChunkBytes = size_t{1} << 20;

}  // namespace

BundleReader::BundleReader() = default;
BundleReader::~BundleReader() = default;

absl::Status BundleReader::open(const std::string& prefix) {
  prefix_ = prefix;
  TROUPE_RETURN_IF_ERROR(table_.open(bundle_index_path(prefix)));
  TROUPE_ASSIGN_OR_RETURN(auto bytes, table_.find(kBundleHeaderKey));
  pb::BundleHeaderProto header;
  if (!bytes || !header.ParseFromString(*bytes)) {
    return absl::DataLossError(absl::StrCat("Failed to read the header of checkpoint ", table_.path()));
  }
  TROUPE_RETURN_IF_ERROR(check_bundle_header(header, table_.path()));
  num_shards_ = header.num_shards();
  return absl::OkStatus();
}

absl::Status BundleReader::corrupt(const InputFile& file, absl::string_view key,
                                   absl::string_view what) const {
  return absl::DataLossError(absl::StrCat("TensorBundle at ", prefix_, " file ", file.path(), " (",
                                          file.size(), " bytes), key ", key, ": ", what));
}

absl::Status BundleReader::parse_entry(absl::string_view key, absl::string_view bytes,
                                       pb::BundleEntryProto* entry) const {
  if (entry->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("Entry for key ", key, " of checkpoint ", table_.path(), " is not readable"));
}

absl::StatusOr<pb::BundleEntryProto> BundleReader::entry_of(const std::string& key) {
  if (!key.empty()) {
    TROUPE_ASSIGN_OR_RETURN(auto bytes, table_.find(key));
    if (bytes) {
      pb::BundleEntryProto entry;
      TROUPE_RETURN_IF_ERROR(parse_entry(key, *bytes, &entry));
      return entry;
    }
  }
  return absl::NotFoundError(absl::StrCat("Key ", key, " not found in checkpoint"));
}

absl::StatusOr<BundleReader::Info> BundleReader::check_entry(absl::string_view key,
                                                             const pb::BundleEntryProto& entry) const {
  auto bad = [&](absl::string_view what) {
    return absl::DataLossError(
        absl::StrCat("Invalid entry for key ", key, " of checkpoint ", table_.path(), ": ", what));
  };
  Info info;
  auto dtype = dtype_from_wire(entry.dtype());
  if (!dtype.ok() || is_ref(*dtype) || *dtype == DataType::kInvalid || *dtype == DataType::kResource) {
    return bad(absl::StrCat("dtype ", static_cast<int>(entry.dtype())));
  }
  auto shape = from_proto(entry.shape());
  if (!shape.ok()) return bad(shape.status().message());
  auto known = shape->to_shape();
  if (!known) return bad("shape is not fully known");
  info.dtype = *dtype;
  info.shape = *std::move(known);
  int64_t bytes = 0;
  if (multiply_overflows(info.shape.num_elements(), static_cast<int64_t>(dtype_size(info.dtype)), &bytes)) {
    return bad("too many elements");
  }
  if (!entry.slices().empty()) return info;
  if (entry.offset() < 0 || entry.size() < 0) return bad("negative offset or size");
  if (entry.shard_id() < 0 || entry.shard_id() >= num_shards_)
    return bad(absl::StrCat("shard ", entry.shard_id()));
  if (is_trivial(info.dtype) ? entry.size() != bytes : entry.size() < info.shape.num_elements()) {
    return bad(absl::StrCat("size ", entry.size(), " does not fit shape ", info.shape.to_string(), " of ",
                            dtype_name(info.dtype)));
  }
  info.stored_bytes = entry.size();
  return info;
}

absl::StatusOr<BundleReader::Info> BundleReader::info(const std::string& key) {
  TROUPE_ASSIGN_OR_RETURN(pb::BundleEntryProto entry, entry_of(key));
  return check_entry(key, entry);
}

absl::StatusOr<const InputFile*> BundleReader::shard(int32_t id) {
  std::unique_ptr<InputFile>& file = shards_[id];
  if (file == nullptr) {
    auto opened = std::make_unique<InputFile>();
    TROUPE_RETURN_IF_ERROR(opened->open(bundle_data_path(prefix_, id, num_shards_)));
    file = std::move(opened);
  }
  return file.get();
}

absl::Status BundleReader::check_crc(const std::string& key, const pb::BundleEntryProto& entry,
                                     const InputFile& file, uint32_t crc) const {
  const uint32_t stored = crc32c_unmask(entry.crc32c());
  if (stored == crc) return absl::OkStatus();
  return corrupt(file, key,
                 absl::StrCat("Checksum does not match: stored ", stored,
                              " vs. calculated on the restored bytes ", crc));
}

absl::Status BundleReader::read_plain(const std::string& key, const pb::BundleEntryProto& entry,
                                      const InputFile& file, Tensor* out) const {
  char* to = static_cast<char*>(out->raw());
  size_t left = out->bytes();
  uint32_t crc = 0;
  for (int64_t at = entry.offset(); left > 0;) {
    const size_t n = std::min(left, kChunkBytes);
    TROUPE_RETURN_IF_ERROR(file.read(at, n, to));
    crc = crc32c_extend(crc, absl::string_view(to, n));
    at += static_cast<int64_t>(n);
    to += n;
    left -= n;
  }
  if (out->dtype() == DataType::kBool) {
    for (int64_t i = 0; i < out->num_elements(); ++i) {
      if (static_cast<const unsigned char*>(out->raw())[i] > 1)
        return corrupt(file, key, "a bool that is none");
    }
  }
  return check_crc(key, entry, file, crc);
}

absl::Status BundleReader::read_strings(const std::string& key, const pb::BundleEntryProto& entry,
                                        const InputFile& file, Tensor* out) const {
  std::string bytes(static_cast<size_t>(entry.size()), '\0');
  TROUPE_RETURN_IF_ERROR(file.read(entry.offset(), bytes.size(), bytes.data()));
  absl::string_view rest = bytes;
  std::vector<uint64_t> lengths;
  lengths.reserve(static_cast<size_t>(out->num_elements()));
  uint32_t crc = 0;
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    uint64_t n;
    if (!take_varint64(&rest, &n)) return corrupt(file, key, "String lengths are cut off");
    const size_t width = n <= std::numeric_limits<uint32_t>::max() ? 4 : 8;
    crc = crc32c_extend(crc, absl::string_view(reinterpret_cast<const char*>(&n), width));
    lengths.push_back(n);
  }
  if (rest.size() < 4) return corrupt(file, key, "String lengths are cut off");
  const uint32_t stored = get_fixed32(rest.data());
  if (crc32c_unmask(stored) != crc) {
    return corrupt(file, key,
                   absl::StrCat("The length checksum does not match: expected ", crc32c_mask(crc),
                                " but actual is ", stored));
  }
  crc = crc32c_extend(crc, rest.substr(0, 4));
  rest.remove_prefix(4);
  auto strings = out->flat<TString>();
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > rest.size()) return corrupt(file, key, "Strings are cut off");
    const absl::string_view s = rest.substr(0, static_cast<size_t>(lengths[i]));
    crc = crc32c_extend(crc, s);
    strings[i] = s;
    rest.remove_prefix(s.size());
  }
  if (!rest.empty()) return corrupt(file, key, "bytes behind the last string");
  return check_crc(key, entry, file, crc);
}

absl::Status BundleReader::read_variants(const std::string& key, const pb::BundleEntryProto& entry,
                                         const InputFile& file, Tensor* out) const {
  std::string bytes(static_cast<size_t>(entry.size()), '\0');
  TROUPE_RETURN_IF_ERROR(file.read(entry.offset(), bytes.size(), bytes.data()));
  absl::string_view rest = bytes;
  uint32_t crc = 0;
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    uint64_t n;
    if (!take_varint64(&rest, &n) || n > rest.size() || rest.size() - n < 4) {
      return corrupt(file, key, "Variants are cut off");
    }
    crc = crc32c_extend(crc, absl::string_view(reinterpret_cast<const char*>(&n), sizeof(n)));
    const absl::string_view value = rest.substr(0, static_cast<size_t>(n));
    crc = crc32c_extend(crc, value);
    rest.remove_prefix(value.size());
    const uint32_t stored = get_fixed32(rest.data());
    if (crc32c_unmask(stored) != crc) {
      return corrupt(file, key,
                     absl::StrCat("The checksum after Variant ", i, " does not match: expected ",
                                  crc32c_mask(crc), " but actual is ", stored));
    }
    crc = crc32c_extend(crc, rest.substr(0, 4));
    rest.remove_prefix(4);
    pb::TensorProto one;
    one.set_dtype(pb::DT_VARIANT);
    one.mutable_tensor_shape();
    if (!one.add_variant_val()->ParseFromArray(value.data(), static_cast<int>(value.size()))) {
      return corrupt(file, key, absl::StrCat("Variant ", i, " is not readable"));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor element, from_proto(one));
    out->flat<Variant>()[static_cast<size_t>(i)] = element.value<Variant>();
  }
  if (!rest.empty()) return corrupt(file, key, "bytes behind the last variant");
  return check_crc(key, entry, file, crc);
}

absl::StatusOr<const InputFile*> BundleReader::check_extent(const std::string& key,
                                                            const pb::BundleEntryProto& entry) {
  TROUPE_ASSIGN_OR_RETURN(const InputFile* file, shard(entry.shard_id()));
  if (entry.offset() > file->size() || entry.size() > file->size() - entry.offset()) {
    return absl::OutOfRangeError(absl::StrCat("Read less bytes than requested: ", file->path(), " (",
                                              file->size(), " bytes) ends before the value of key ", key));
  }
  return file;
}

absl::StatusOr<Tensor> BundleReader::read(const std::string& key, const pb::BundleEntryProto& entry,
                                          Allocator* allocator) {
  TROUPE_ASSIGN_OR_RETURN(Info info, check_entry(key, entry));
  TROUPE_ASSIGN_OR_RETURN(const InputFile* file, check_extent(key, entry));
  TROUPE_ASSIGN_OR_RETURN(Tensor value, Tensor::make(info.dtype, info.shape, allocator));
  absl::Status status;
  switch (info.dtype) {
    case DataType::kString: status = read_strings(key, entry, *file, &value); break;
    case DataType::kVariant: status = read_variants(key, entry, *file, &value); break;
    default: status = read_plain(key, entry, *file, &value);
  }
  if (!status.ok()) return status;
  return value;
}

absl::StatusOr<Tensor> BundleReader::lookup(const std::string& key, Allocator* allocator) {
  TROUPE_ASSIGN_OR_RETURN(pb::BundleEntryProto entry, entry_of(key));
  if (entry.slices().empty()) return read(key, entry, allocator);
  TROUPE_ASSIGN_OR_RETURN(Info info, check_entry(key, entry));
  return lookup_slice(key, TensorSlice(info.shape.rank()), allocator);
}

absl::StatusOr<Tensor> BundleReader::lookup_slice(const std::string& key, const TensorSlice& slice,
                                                  Allocator* allocator) {
  TROUPE_ASSIGN_OR_RETURN(pb::BundleEntryProto entry, entry_of(key));
  TROUPE_ASSIGN_OR_RETURN(Info info, check_entry(key, entry));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, slice.shape_in(info.shape));
  if (entry.slices().empty()) {
    TROUPE_ASSIGN_OR_RETURN(Tensor whole, read(key, entry, allocator));
    if (shape == info.shape) return whole;
    TROUPE_ASSIGN_OR_RETURN(Tensor part, Tensor::make(info.dtype, shape, allocator));
    copy_common(info.shape, TensorSlice(info.shape.rank()), whole, slice, &part);
    return part;
  }
  // The parts kept must cover what is wanted, each element once, before memory is asked for.
  std::vector<TensorSlice> parts;
  int64_t covered = 0;
  for (const auto& proto : entry.slices()) {
    TROUPE_ASSIGN_OR_RETURN(TensorSlice part, TensorSlice::from_proto(proto));
    TROUPE_RETURN_IF_ERROR(part.shape_in(info.shape).status());
    for (const TensorSlice& earlier : parts) {
      if (count_common(info.shape, earlier, part) > 0) {
        return absl::DataLossError(absl::StrCat("Overlapping slices: ", earlier.to_string(), " and ",
                                                part.to_string(), " of key ", key, " in checkpoint ",
                                                table_.path()));
      }
    }
    const int64_t common = count_common(info.shape, part, slice);
    covered += common;
    if (common > 0) {
      // Sizes are compared with the file before memory is asked for.
      TROUPE_ASSIGN_OR_RETURN(pb::BundleEntryProto part_entry, entry_of(slice_key(key, part)));
      TROUPE_ASSIGN_OR_RETURN(Info part_info, check_entry(key, part_entry));
      TROUPE_ASSIGN_OR_RETURN(Shape part_shape, part.shape_in(info.shape));
      TROUPE_RETURN_IF_ERROR(check_extent(key, part_entry).status());
      if (!part_entry.slices().empty() || part_info.dtype != info.dtype || !(part_info.shape == part_shape)) {
        return absl::DataLossError(absl::StrCat("Invalid entry for slice ", part.to_string(), " of key ", key,
                                                " of checkpoint ", table_.path()));
      }
    }
    parts.push_back(std::move(part));
  }
  if (covered != shape.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat("Does not have sufficient slices for partitioned tensor ",
                                                   key, " to restore the slice ", slice.to_string(),
                                                   " of checkpoint ", table_.path()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor result, Tensor::make(info.dtype, shape, allocator));
  for (const TensorSlice& part : parts) {
    if (count_common(info.shape, part, slice) == 0) continue;
    const std::string part_key = slice_key(key, part);
    TROUPE_ASSIGN_OR_RETURN(pb::BundleEntryProto part_entry, entry_of(part_key));
    TROUPE_ASSIGN_OR_RETURN(Tensor value, read(key, part_entry, allocator));
    copy_common(info.shape, part, value, slice, &result);
  }
  return result;
}

absl::Status BundleReader::for_each(
    const std::function<absl::Status(absl::string_view key, const pb::BundleEntryProto& entry)>& fn) {
  return table_.for_each([&](absl::string_view key, absl::string_view bytes) -> absl::Status {
    if (key == kBundleHeaderKey) return absl::OkStatus();
    pb::BundleEntryProto entry;
    TROUPE_RETURN_IF_ERROR(parse_entry(key, bytes, &entry));
    return fn(key, entry);
  });
}

}  // namespace troupe
