#include "devices/common/array/strided_range.h"

#include <algorithm>

#include "devices/common/array_values.h"

namespace troupe {
namespace {

bool bit(int64_t mask, int64_t i) { return i < 32 && (mask >> i & 1) != 0; }

/// One entry per dimension of the input, before the shape is looked at.
struct DenseSpec {
  Indices begin, end, stride;
  absl::InlinedVector<bool, 8> begin_open, end_open, shrink;
  /// For each output dimension the input's, or kNewAxis.
  absl::InlinedVector<int, 8> source;
  static constexpr int kNewAxis = -1;
};

/// Spreads the sparse spec (with ellipsis and new axes) over the dimensions of the input.
absl::Status spread_spec(const Tensor& begin, const Tensor& end, const Tensor& strides,
                         const StridedMasks& masks, int rank, DenseSpec* spec) {
  int64_t entries = begin.dim(0);
  int64_t new_after_ellipsis = 0;
  bool ellipsis_seen = false;
  for (int64_t i = 0; i < entries; ++i) {
    if (ellipsis_seen && bit(masks.new_axis, i)) ++new_after_ellipsis;
    if (bit(masks.ellipsis, i)) ellipsis_seen = true;
  }
  int64_t all_entries = entries + (ellipsis_seen ? 0 : 1);
  int full = 0;
  for (int64_t i = 0; i < all_entries; ++i) {
    if (i == entries || bit(masks.ellipsis, i)) {
      int64_t next = std::min<int64_t>(rank - (all_entries - i) + 1 + new_after_ellipsis, rank);
      for (; full < next; ++full) {
        spec->begin.push_back(0);
        spec->end.push_back(0);
        spec->stride.push_back(1);
        spec->begin_open.push_back(true);
        spec->end_open.push_back(true);
        spec->shrink.push_back(false);
        spec->source.push_back(full);
      }
    } else if (bit(masks.new_axis, i)) {
      spec->source.push_back(DenseSpec::kNewAxis);
    } else {
      if (full == rank) {
        return invalid("Index out of range using input dim ", full, "; input has only ", rank, " dims");
      }
      spec->begin.push_back(int_at(begin, i));
      spec->end.push_back(int_at(end, i));
      spec->stride.push_back(int_at(strides, i));
      spec->begin_open.push_back(bit(masks.begin, i));
      spec->end_open.push_back(bit(masks.end, i));
      spec->shrink.push_back(bit(masks.shrink, i));
      if (!spec->shrink.back()) spec->source.push_back(full);
      ++full;
    }
  }
  if (full < rank) return invalid("The slice names ", full, " of ", rank, " dimensions");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StridedRange> resolve_slice(std::span<const int64_t> dims, const Tensor& begin,
                                           const Tensor& end, const Tensor& strides,
                                           const StridedMasks& masks) {
  if (!is_vector(begin) || !is_vector(end) || !is_vector(strides) || begin.dim(0) != end.dim(0) ||
      begin.dim(0) != strides.dim(0) || begin.dim(0) >= 32) {
    return invalid("Expected begin, end, and strides to be 1D equal size tensors, but got shapes ",
                   begin.shape().to_string(), ", ", end.shape().to_string(), ", and ",
                   strides.shape().to_string(), " instead.");
  }
  int64_t ellipsis = masks.ellipsis & 0xffffffff;
  if ((ellipsis & (ellipsis - 1)) != 0) return invalid("Multiple ellipses in slice spec not allowed");
  int rank = static_cast<int>(dims.size());
  DenseSpec spec;
  TROUPE_RETURN_IF_ERROR(spread_spec(begin, end, strides, masks, rank, &spec));
  StridedRange range;
  for (int i = 0; i < rank; ++i) {
    int64_t dim = dims[i];
    int64_t stride = spec.stride[i];
    if (stride == 0) return invalid("strides[", i, "] must be non-zero");
    if (spec.shrink[i] && stride <= 0) return invalid("only stride 1 allowed on non-range indexing.");
    int64_t low = stride > 0 ? 0 : -1;
    int64_t high = stride > 0 ? dim : dim - 1;
    auto canonical = [&](int64_t x) { return std::clamp(x < 0 ? x + dim : x, low, high); };
    int64_t b, e;
    if (spec.shrink[i]) {
      b = spec.begin[i] < 0 ? spec.begin[i] + dim : spec.begin[i];
      if (b < 0 || b >= dim)
        return invalid("slice index ", spec.begin[i], " of dimension ", i, " out of bounds.");
      e = b + 1;
      stride = 1;
    } else {
      b = spec.begin_open[i] ? (stride > 0 ? low : high) : canonical(spec.begin[i]);
      e = spec.end_open[i] ? (stride > 0 ? high : low) : canonical(spec.end[i]);
    }
    int64_t length = e - b;
    int64_t size =
        length == 0 || (length < 0) != (stride < 0) ? 0 : length / stride + (length % stride != 0 ? 1 : 0);
    range.begin.push_back(b);
    range.stride.push_back(stride);
    range.size.push_back(size);
    range.identity &= size == dim && (stride == 1 || size <= 1);
  }
  for (int s : spec.source) range.shape.add_dim(s == DenseSpec::kNewAxis ? 1 : range.size[s]);
  return range;
}

int64_t StridedRange::offset_and_steps(const Shape& sliced, Indices* steps) const {
  *steps = strides_of(sliced);
  int64_t offset = 0;
  for (size_t i = 0; i < steps->size(); ++i) {
    offset += begin[i] * (*steps)[i];
    // A step over a range of one element is not taken, and might not fit.
    (*steps)[i] = size[i] > 1 ? (*steps)[i] * stride[i] : 0;
  }
  return offset;
}

absl::StatusOr<Indices> StridedRange::value_strides(const Shape& value) const {
  const int value_rank = value.rank(), rank = shape.rank();
  bool fits = value_rank <= rank;
  const Indices strides = strides_of(value);
  Indices along(rank, 0);  // along the dimensions of `shape`
  for (int i = 0; fits && i < value_rank; ++i) {
    const int64_t d = value.dim(value_rank - 1 - i);
    if (d == shape.dim(rank - 1 - i)) {
      along[rank - 1 - i] = d == 1 ? 0 : strides[value_rank - 1 - i];
    } else if (d != 1) {
      fits = false;
    }
  }
  if (!fits) {
    return invalid("Cannot broadcast input shape ", value.to_string(), " into final shape ",
                   shape.to_string());
  }
  // Both sides' dimensions agree in order once those of size 1 are left out.
  Indices of_input(size.size(), 0);
  int o = 0;
  for (size_t i = 0; i < size.size(); ++i) {
    if (size[i] == 1) continue;
    while (shape.dim(o) == 1) ++o;
    of_input[i] = along[o++];
  }
  return of_input;
}

}  // namespace troupe
