#include "devices/checkpoint/tensor_slice.h"

#include <algorithm>
#include <bit>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/status.h"
#include "proto/tensor_slice.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

// An encoding of keys whose order as bytes is the order of what they encode.

void put_ordered_number(std::string* out, uint64_t value) {
  const int n = (std::bit_width(value) + 7) / 8;
  out->push_back(static_cast<char>(n));
  for (int i = n; i-- > 0;) out->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

void put_ordered_string(std::string* out, absl::string_view s) {
  for (char c : s) {
    out->push_back(c);
    if (c == '\0') out->push_back('\xff');
    if (c == '\xff') out->push_back('\0');
  }
  out->push_back('\0');
  out->push_back('\1');
}

/// Seven bits a byte, of which one is the sign; the first byte begins with as many ones as there are bytes
/// (for negative numbers, zeros).
void put_ordered_signed(std::string* out, int64_t value) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  const int n = std::bit_width(magnitude) / 7 + 1;
  // Sign-extended to ten bytes, the most that are needed.
  unsigned char bytes[10];
  for (int i = 0; i < 10; ++i) {
    const int shift = 8 * (9 - i);
    bytes[i] = static_cast<unsigned char>(shift >= 64 ? (value < 0 ? 0xff : 0)
                                                      : static_cast<uint64_t>(value) >> shift & 0xff);
  }
  const uint32_t header = 0xffffu << (16 - n) & 0xffffu;
  unsigned char* begin = bytes + 10 - n;
  begin[0] ^= static_cast<unsigned char>(header >> 8);
  if (n > 1) begin[1] ^= static_cast<unsigned char>(header & 0xff);
  out->append(reinterpret_cast<const char*>(begin), static_cast<size_t>(n));
}

/// The range of one dimension that two parts share.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
};

Range range_of(const TensorSlice& slice, const Shape& shape, int d) {
  if (slice.length(d) == TensorSlice::kFull) return {0, shape.dim(d)};
  return {slice.start(d), slice.start(d) + slice.length(d)};
}

Range common_range(const Shape& shape, const TensorSlice& a, const TensorSlice& b, int d) {
  const Range x = range_of(a, shape, d);
  const Range y = range_of(b, shape, d);
  return {std::max(x.begin, y.begin), std::min(x.end, y.end)};
}

}  // namespace

TensorSlice::TensorSlice(int rank)
    : starts_(static_cast<size_t>(rank), 0), lengths_(static_cast<size_t>(rank), kFull) {}

absl::StatusOr<TensorSlice> TensorSlice::parse(absl::string_view text) {
  TensorSlice result;
  if (text.empty()) return result;
  for (absl::string_view part : absl::StrSplit(text, ':')) {
    int64_t start = 0, length = kFull;
    if (part != "-") {
      const std::vector<absl::string_view> numbers = absl::StrSplit(part, ',');
      if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &start) ||
          !absl::SimpleAtoi(numbers[1], &length)) {
        return absl::InvalidArgumentError(
            absl::StrCat("Expected a pair of numbers or '-' but got '", part, "': string = ", text));
      }
      if (start < 0 || length <= 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("Expected non-negative start and positive length but got start = ", start,
                         ", length = ", length, ": string = ", text));
      }
    }
    result.starts_.push_back(start);
    result.lengths_.push_back(length);
  }
  if (result.rank() > Shape::kMaxRank) return absl::InvalidArgumentError("slice has too many dimensions");
  return result;
}

absl::StatusOr<TensorSlice> TensorSlice::from_proto(const pb::TensorSliceProto& proto) {
  TensorSlice result;
  if (proto.extent_size() > Shape::kMaxRank)
    return absl::InvalidArgumentError("slice has too many dimensions");
  for (const auto& extent : proto.extent()) {
    const bool is_full = extent.has_length_case() == pb::TensorSliceProto::Extent::HAS_LENGTH_NOT_SET;
    if (extent.start() < 0 || (!is_full && extent.length() < 0)) {
      return absl::InvalidArgumentError("slice with a negative start or length");
    }
    result.starts_.push_back(is_full ? 0 : extent.start());
    result.lengths_.push_back(is_full ? kFull : extent.length());
  }
  return result;
}

void TensorSlice::to_proto(pb::TensorSliceProto* out) const {
  out->Clear();
  for (int d = 0; d < rank(); ++d) {
    auto* extent = out->add_extent();
    if (length(d) == kFull) continue;
    extent->set_start(start(d));
    extent->set_length(length(d));
  }
}

std::string TensorSlice::to_string() const {
  std::string result;
  for (int d = 0; d < rank(); ++d) {
    if (d > 0) result += ':';
    if (length(d) == kFull) {
      result += '-';
    } else {
      absl::StrAppend(&result, start(d), ",", length(d));
    }
  }
  return result;
}

bool TensorSlice::is_full() const {
  return std::all_of(lengths_.begin(), lengths_.end(), [](int64_t n) { return n == kFull; });
}

absl::StatusOr<Shape> TensorSlice::shape_in(const Shape& shape) const {
  if (shape.rank() != rank()) {
    return absl::InternalError(
        absl::StrCat("Mismatching ranks: shape = ", shape.to_string(), ", slice = ", to_string()));
  }
  Shape result = shape;
  for (int d = 0; d < rank(); ++d) {
    if (length(d) == kFull) continue;
    if (start(d) > shape.dim(d) || length(d) > shape.dim(d) - start(d)) {
      return absl::InternalError(absl::StrCat("Extent in dimension ", d, " out of bounds: shape = ",
                                              shape.to_string(), ", slice = ", to_string()));
    }
    result.set_dim(d, length(d));
  }
  return result;
}

absl::StatusOr<ShapeAndSlice> parse_shape_and_slice(absl::string_view text) {
  std::vector<absl::string_view> parts = absl::StrSplit(text, ' ');
  if (parts.size() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("Need least two elements in shape_and_slice specification: ", text));
  }
  ShapeAndSlice result;
  TROUPE_ASSIGN_OR_RETURN(result.slice, TensorSlice::parse(parts.back()));
  parts.pop_back();
  std::vector<int64_t> dims;
  for (absl::string_view part : parts) {
    int64_t dim;
    if (!absl::SimpleAtoi(part, &dim)) {
      return absl::InvalidArgumentError(absl::StrCat("Non numerical dimension in shape_and_slice: ", text));
    }
    dims.push_back(dim);
  }
  TROUPE_ASSIGN_OR_RETURN(result.shape, Shape::make(dims));
  TROUPE_ASSIGN_OR_RETURN(result.slice_shape, result.slice.shape_in(result.shape));
  return result;
}

std::string slice_key(absl::string_view name, const TensorSlice& slice) {
  std::string key;
  put_ordered_number(&key, 0);
  put_ordered_string(&key, name);
  put_ordered_number(&key, static_cast<uint64_t>(slice.rank()));
  for (int d = 0; d < slice.rank(); ++d) {
    put_ordered_signed(&key, slice.start(d));
    put_ordered_signed(&key, slice.length(d));
  }
  return key;
}

int64_t count_common(const Shape& shape, const TensorSlice& a, const TensorSlice& b) {
  int64_t n = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    const Range range = common_range(shape, a, b, d);
    if (range.end <= range.begin) return 0;
    n *= range.end - range.begin;
  }
  return n;
}

int64_t copy_common(const Shape& shape, const TensorSlice& from_slice, const Tensor& from,
                    const TensorSlice& to_slice, Tensor* to) {
  const int64_t count = count_common(shape, from_slice, to_slice);
  if (count == 0) return 0;
  const int rank = shape.rank();
  // Where the common part begins in either value, and how far apart neighbours of each dimension lie.
  std::vector<int64_t> lengths(static_cast<size_t>(rank)), from_strides(lengths), to_strides(lengths),
      at(lengths);
  int64_t from_at = 0, to_at = 0, from_stride = 1, to_stride = 1;
  for (int d = rank; d-- > 0;) {
    const auto k = static_cast<size_t>(d);
    const Range range = common_range(shape, from_slice, to_slice, d);
    lengths[k] = range.end - range.begin;
    from_strides[k] = from_stride;
    to_strides[k] = to_stride;
    from_at += (range.begin - range_of(from_slice, shape, d).begin) * from_stride;
    to_at += (range.begin - range_of(to_slice, shape, d).begin) * to_stride;
    from_stride *= from.dim(d);
    to_stride *= to->dim(d);
  }
  // Innermost dimensions that lie in one piece in both are copied at once.
  int outer = rank;
  int64_t run = 1;
  while (outer > 0) {
    const auto k = static_cast<size_t>(outer - 1);
    if (from_strides[k] != run || to_strides[k] != run) break;
    run *= lengths[k];
    --outer;
  }
  for (int64_t done = 0;; done += run) {
    copy_elements(from, from_at, *to, to_at, run);
    if (done + run >= count) break;
    for (int d = outer; d-- > 0;) {
      const auto k = static_cast<size_t>(d);
      from_at += from_strides[k];
      to_at += to_strides[k];
      if (++at[k] < lengths[k]) break;
      from_at -= lengths[k] * from_strides[k];
      to_at -= lengths[k] * to_strides[k];
      at[k] = 0;
    }
  }
  return count;
}

}  // namespace troupe
