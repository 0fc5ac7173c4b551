// Ops that cut ranges out of arrays, or put them there.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/common_shapes.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/ops/shapes/values.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

absl::Status slice(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape begins, with_rank(c.input(1), 1));
  TROUPE_ASSIGN_OR_RETURN(PartialShape sizes_shape, with_rank(c.input(2), 1));
  TROUPE_ASSIGN_OR_RETURN(begins, merge(begins, sizes_shape));
  PartialShape in = c.input(0);
  if (dim_of(begins, 0) >= 0) {
    TROUPE_ASSIGN_OR_RETURN(in, with_rank(in, dim_of(begins, 0)));
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape begin, c.input_as_shape(1));
  const KnownInts* sizes = c.ints(2);
  if (sizes == nullptr || (sizes->values.size() != static_cast<size_t>(in.rank()) && in.known_rank())) {
    c.set_output(0, unknown_of_rank(in.rank()));
    return absl::OkStatus();
  }
  if (!sizes->all_known()) (void)c.input_as_shape(2);
  Dims dims(sizes->values.size(), kUnknownDim);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = sizes->values[i];
    const int at = static_cast<int>(i);
    if (size == KnownInts::kUnknown) continue;
    if (size < -1) {
      return invalid(absl::StrCat("Out of bounds slicing on dimension ", i, " of length ", dim_of(in, at),
                                  ": cannot be < -1, but was ", size));
    }
    if (size >= 0) {
      dims[i] = size;
    } else {
      TROUPE_ASSIGN_OR_RETURN(dims[i], subtract_dims(dim_of(in, at), dim_of(begin, at)));
    }
  }
  c.set_output(0, PartialShape(std::move(dims)));
  if (in.rank() == 1 && dim_of(begin, 0) >= 0 && c.output(0).dim(0) >= 0 &&
      c.output(0).dim(0) <= KnownInts::kMaxElements) {
    std::vector<int64_t> picked;
    for (int64_t i = 0; i < c.output(0).dim(0); ++i) picked.push_back(begin.dim(0) + i);
    take_values(c, picked);
  }
  return absl::OkStatus();
}

/// The five masks of a strided slice and its three vectors, where they are known.
struct SliceSpec {
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
  int64_t size = 0;
  const KnownInts* begin = nullptr;
  const KnownInts* end = nullptr;
  const KnownInts* strides = nullptr;
};

bool bit(int64_t mask, int64_t i) { return i < 63 && (mask >> i & 1) != 0; }

/// One dimension of the input as it is sliced.
struct DimSlice {
  bool begin_masked = true, end_masked = true, shrink = false, known = true;
  int64_t begin = 0, end = 0, stride = 1;
};

constexpr int kNewAxis = -1;

/// Spreads the spec over the dimensions of the input; `out` lists for each dimension of the result the input's, or kNewAxis.
absl::Status spread(const SliceSpec& spec, int rank, std::vector<DimSlice>* dims, std::vector<int>* out) {
  int64_t new_after_ellipsis = 0;
  bool ellipsis = false;
  for (int64_t i = 0; i < spec.size; ++i) {
    if (ellipsis && bit(spec.new_axis_mask, i)) ++new_after_ellipsis;
    if (!bit(spec.ellipsis_mask, i)) continue;
    if (ellipsis) return invalid("Multiple ellipses in slice spec not allowed");
    ellipsis = true;
  }
  const int64_t sparse = spec.size + (ellipsis ? 0 : 1);
  for (int64_t i = 0; i < sparse; ++i) {
    const int at = static_cast<int>(dims->size());
    if (i == spec.size || bit(spec.ellipsis_mask, i)) {
      const int64_t next = std::min<int64_t>(rank - (sparse - i) + 1 + new_after_ellipsis, rank);
      for (int64_t d = at; d < next; ++d) {
        out->push_back(static_cast<int>(d));
        dims->emplace_back();
      }
    } else if (bit(spec.new_axis_mask, i)) {
      out->push_back(kNewAxis);
    } else {
      if (rank == 0) return invalid("Attempting to slice scalar input.");
      if (at == rank) {
        return invalid(
            absl::StrCat("Index out of range using input dim ", at, "; input has only ", rank, " dims"));
      }
      DimSlice d;
      d.begin_masked = bit(spec.begin_mask, i);
      d.end_masked = bit(spec.end_mask, i);
      d.shrink = bit(spec.shrink_axis_mask, i);
      d.begin = spec.begin == nullptr ? KnownInts::kUnknown : spec.begin->values[i];
      d.end = spec.end == nullptr ? KnownInts::kUnknown : spec.end->values[i];
      d.stride = spec.strides->values[i];
      d.known = d.begin != KnownInts::kUnknown && (d.shrink || d.end != KnownInts::kUnknown);
      if (d.begin_masked && d.end_masked && !d.shrink) d.known = true;
      if (!d.shrink) out->push_back(at);
      dims->push_back(d);
    }
  }
  return absl::OkStatus();
}

/// How many elements a slice takes of a dimension; *first is the first of them when that is known.
absl::StatusOr<int64_t> sliced_dim(DimSlice d, int i, int64_t dim, int64_t* first) {
  *first = KnownInts::kUnknown;
  if (d.stride == KnownInts::kUnknown) return d.shrink ? 1 : kUnknownDim;
  if (d.stride == 0) return invalid(absl::StrCat("strides[", i, "] must be non-zero"));
  if (d.shrink && d.stride <= 0) return invalid("only stride 1 allowed on non-range indexing.");
  if (dim < 0) return d.shrink ? 1 : kUnknownDim;
  if (d.shrink) {
    if (!d.known) return 1;
    const int64_t at = d.begin < 0 ? d.begin + dim : d.begin;
    if (at < 0 || at >= dim) {
      return invalid(absl::StrCat("slice index ", d.begin, " of dimension ", i, " out of bounds."));
    }
    *first = at;
    return 1;
  }
  if (!d.known) return kUnknownDim;
  const int64_t low = d.stride > 0 ? 0 : -1, high = d.stride > 0 ? dim : dim - 1;
  auto canonical = [&](int64_t x, bool masked, int64_t otherwise) {
    return masked ? otherwise : std::clamp(x < 0 ? x + dim : x, low, high);
  };
  const int64_t begin = canonical(d.begin, d.begin_masked, d.stride > 0 ? low : high);
  const int64_t end = canonical(d.end, d.end_masked, d.stride > 0 ? high : low);
  const int64_t length = end - begin;
  *first = begin;
  if (length == 0 || (length < 0) != (d.stride < 0)) return 0;
  return length / d.stride + (length % d.stride != 0 ? 1 : 0);
}

absl::Status strided_slice(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape spec_shape, with_rank(c.input(1), 1));
  for (int i = 2; i <= 3; ++i) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape other, with_rank(c.input(i), 1));
    TROUPE_ASSIGN_OR_RETURN(spec_shape, merge(spec_shape, other));
  }
  const PartialShape& in = c.input(0);
  SliceSpec spec;
  spec.size = dim_of(spec_shape, 0);
  spec.begin = c.ints(1);
  spec.end = c.ints(2);
  spec.strides = c.ints(3);
  if (!in.known_rank() || spec.size < 0 || spec.strides == nullptr) return absl::OkStatus();
  if (spec.size > Shape::kMaxRank) return invalid("The slice has too many dimensions");
  for (const KnownInts** v : {&spec.begin, &spec.end, &spec.strides}) {
    if (*v != nullptr && static_cast<int64_t>((*v)->values.size()) != spec.size) return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(spec.begin_mask, c.attr<int64_t>("begin_mask"));
  TROUPE_ASSIGN_OR_RETURN(spec.end_mask, c.attr<int64_t>("end_mask"));
  TROUPE_ASSIGN_OR_RETURN(spec.ellipsis_mask, c.attr<int64_t>("ellipsis_mask"));
  TROUPE_ASSIGN_OR_RETURN(spec.new_axis_mask, c.attr<int64_t>("new_axis_mask"));
  TROUPE_ASSIGN_OR_RETURN(spec.shrink_axis_mask, c.attr<int64_t>("shrink_axis_mask"));

  std::vector<DimSlice> slices;
  std::vector<int> out;
  TROUPE_RETURN_IF_ERROR(spread(spec, in.rank(), &slices, &out));
  Dims taken(slices.size());
  int64_t first = KnownInts::kUnknown;
  for (size_t i = 0; i < slices.size(); ++i) {
    const int at = static_cast<int>(i);
    TROUPE_ASSIGN_OR_RETURN(taken[i], sliced_dim(slices[i], at, dim_of(in, at), &first));
  }
  Dims dims;
  for (int i : out) dims.push_back(i == kNewAxis ? 1 : taken[i]);
  c.set_output(0, PartialShape(std::move(dims)));
  if (in.rank() == 1 && slices.size() == 1 && first != KnownInts::kUnknown && taken[0] >= 0 &&
      taken[0] <= KnownInts::kMaxElements) {
    std::vector<int64_t> picked;
    for (int64_t i = 0; i < taken[0]; ++i) picked.push_back(first + i * slices[0].stride);
    take_values(c, picked);
  }
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"Slice", slice},
    {"StridedSlice", strided_slice},
    {"StridedSliceGrad", shape_from_input<0>},
    {"StridedSliceAssign", unchanged},
    {"ResourceStridedSliceAssign", no_outputs},
    {"TensorStridedSliceUpdate", unchanged},
};

}  // namespace

absl::Status register_slice_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
