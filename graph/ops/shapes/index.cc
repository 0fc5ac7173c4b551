// Ops that pick elements out of arrays, or put them there, by position.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/index.h"
#include "graph/ops/shapes/rule.h"
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

absl::Status gather(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), 1));
  c.set_output(0, concatenate(c.input(1), subshape(c.input(0), 1)));
  return absl::OkStatus();
}

absl::Status gather_v2(ShapeContext& c) {
  const PartialShape& params = c.input(0);
  const PartialShape& indices = c.input(1);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(params, 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(2), 0).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t batch_dims, c.attr<int64_t>("batch_dims"));
  const auto axis = c.constant_int(2);
  if (!axis) {
    if (params.known_rank() && indices.known_rank()) {
      c.set_output(0, unknown_of_rank(params.rank() + indices.rank() - 1 -
                                      (batch_dims < 0 ? batch_dims + indices.rank() : batch_dims)));
    }
    return absl::OkStatus();
  }
  if (*axis < -Shape::kMaxRank || *axis > Shape::kMaxRank || batch_dims < -Shape::kMaxRank ||
      batch_dims > Shape::kMaxRank) {
    return invalid(absl::StrCat("Shape must be at least rank ", *axis, " but is rank ", params.rank()));
  }
  const int at = static_cast<int>(*axis);
  const int batch = static_cast<int>(batch_dims);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(params, at < 0 ? -at : at + 1));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(indices, batch < 0 ? -batch : batch));
  PartialShape out = concatenate(subshape(params, 0, at), subshape(indices, batch));
  if (at != -1) out = concatenate(out, subshape(params, at + 1));
  c.set_output(0, std::move(out));
  if (const KnownInts* v = c.known(1).ints.get(); v != nullptr && params.rank() == 1 && indices.rank() <= 1) {
    take_values(c, v->values);
  }
  return absl::OkStatus();
}

absl::Status gather_nd(ShapeContext& c) {
  auto out = gather_nd_shape(c.input(0), c.input(1));
  if (!out.ok()) return out.status();
  c.set_output(0, *std::move(out));
  return absl::OkStatus();
}

absl::Status scatter_nd(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), 1));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(1), 1));
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, c.input_as_shape(2));
  TROUPE_RETURN_IF_ERROR(check_scatter_nd(c.input(0), c.input(1), out));
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status tensor_scatter(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), 1));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(check_scatter_nd(c.input(1), c.input(2), c.input(0)));
  return unchanged(c);
}

absl::Status one_hot(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  if (axis < -1) return invalid("axis must be >= -1");
  TROUPE_ASSIGN_OR_RETURN(int64_t depth, dim_from_input(c, 1));
  const PartialShape& indices = c.input(0);
  if (!indices.known_rank()) return absl::OkStatus();
  const int64_t rank = indices.rank() + 1;
  // TensorFlow wraps an axis that is too large.
  const int64_t at = axis < 0 ? rank - 1 : axis % rank;
  Dims dims = indices.dims();
  dims.insert(dims.begin() + at, depth);
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status reverse(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape dims, with_rank(c.input(1), 1));
  PartialShape in = c.input(0);
  if (dim_of(dims, 0) >= 0) {
    TROUPE_ASSIGN_OR_RETURN(in, with_rank(in, dim_of(dims, 0)));
  }
  if (in.rank() > 8) return invalid("reverse does not work on tensors with more than 8 dimensions");
  c.set_output(0, std::move(in));
  return absl::OkStatus();
}

absl::Status reverse_v2(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 1).status());
  if (in.rank() > 8) return invalid("reverse does not work on tensors with more than 8 dimensions");
  const auto axes = c.all_ints(1);
  if (axes && in.known_rank()) {
    std::vector<bool> seen(in.rank(), false);
    for (size_t i = 0; i < axes->size(); ++i) {
      const auto axis = canonical_axis((*axes)[i], in.rank());
      if (!axis) {
        return invalid(
            absl::StrCat("'axis'[", i, "] = ", (*axes)[i], " is out of valid range [0, ", in.rank() - 1));
      }
      if (seen[*axis]) return invalid(absl::StrCat("axis ", *axis, " specified more than once."));
      seen[*axis] = true;
    }
  }
  return unchanged(c);
}

absl::Status reverse_sequence(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(PartialShape lengths, with_rank(c.input(1), 1));
  TROUPE_ASSIGN_OR_RETURN(int64_t seq, c.attr<int64_t>("seq_dim"));
  TROUPE_ASSIGN_OR_RETURN(int64_t batch, c.attr<int64_t>("batch_dim"));
  if (!in.known_rank()) return absl::OkStatus();
  if (batch >= in.rank())
    return invalid(absl::StrCat("batch_dim must be < input rank: ", batch, " vs. ", in.rank()));
  if (seq >= in.rank())
    return invalid(absl::StrCat("seq_dim must be < input rank: ", seq, " vs. ", in.rank()));
  if (batch < 0) return invalid(absl::StrCat("batch_dim must be >=0, got ", batch));
  TROUPE_ASSIGN_OR_RETURN(int64_t dim, merge_dims(dim_of(in, static_cast<int>(batch)), dim_of(lengths, 0)));
  c.set_output(0, replace_dim(in, static_cast<int>(batch), dim));
  return absl::OkStatus();
}

absl::Status where(ShapeContext& c) {
  c.set_output(0, PartialShape({kUnknownDim, c.input(0).known_rank() ? c.input(0).rank() : kUnknownDim}));
  return absl::OkStatus();
}

absl::Status select(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape data, merge(c.input(1), c.input(2)));
  const PartialShape& cond = c.input(0);
  if (cond.known_rank() && data.known_rank() && cond.rank() > 0) {
    if (cond.rank() != 1 || data.rank() == 0) {
      TROUPE_ASSIGN_OR_RETURN(data, merge(data, cond));
    } else {
      TROUPE_RETURN_IF_ERROR(merge(cond, PartialShape({data.dim(0)})).status());
    }
  }
  c.set_output(0, std::move(data));
  return absl::OkStatus();
}

absl::Status unique_with_counts(ShapeContext& c) {
  c.set_output(0, PartialShape({kUnknownDim}));
  c.set_output(1, c.input(0));
  c.set_output(2, PartialShape({kUnknownDim}));
  return absl::OkStatus();
}

absl::Status unique_v2(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  c.set_output(0, unknown_of_rank(in.rank()));
  c.set_output(1, PartialShape({kUnknownDim}));
  if (const KnownInts* axis = c.ints(1); axis != nullptr && in.known_rank()) {
    if (axis->shape.rank() != 1) return invalid("axis expects a 1D vector.");
    if (axis->values.size() > 1)
      return invalid("axis does not support input tensors larger than 1 elements.");
    if (axis->values.empty()) {
      if (in.rank() != 1) return invalid(absl::StrCat("Shape must be rank 1 but is rank ", in.rank()));
      c.set_output(1, in);
    } else if (axis->values[0] != KnownInts::kUnknown) {
      const auto at = canonical_axis(axis->values[0], in.rank());
      if (!at)
        return invalid(absl::StrCat("axis expects to be in the range [", -in.rank(), ", ", in.rank(), ")"));
      c.set_output(0, replace_dim(in, *at, kUnknownDim));
      c.set_output(1, PartialShape({in.dim(*at)}));
    }
  }
  if (c.num_outputs() > 2) c.set_output(2, PartialShape({kUnknownDim}));
  return absl::OkStatus();
}

absl::Status list_diff(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 1).status());
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 1).status());
  c.set_output(0, PartialShape({kUnknownDim}));
  c.set_output(1, PartialShape({kUnknownDim}));
  return absl::OkStatus();
}

/// Rows of params[0] replaced by those of the other inputs.
absl::Status in_place_update(ShapeContext& c) { return unchanged(c); }

constexpr ShapeRow kRows[] = {
    {"Slice", slice},
    {"StridedSlice", strided_slice},
    {"StridedSliceGrad", shape_from_input<0>},
    {"StridedSliceAssign", unchanged},
    {"ResourceStridedSliceAssign", no_outputs},
    {"TensorStridedSliceUpdate", unchanged},
    {"Gather", gather},
    {"GatherV2", gather_v2},
    {"GatherNd", gather_nd},
    {"ScatterNd", scatter_nd},
    {"ScatterNdNonAliasingAdd", tensor_scatter},
    {"TensorScatterUpdate", tensor_scatter},
    {"TensorScatterAdd", tensor_scatter},
    {"TensorScatterSub", tensor_scatter},
    {"TensorScatterMin", tensor_scatter},
    {"TensorScatterMax", tensor_scatter},
    {"OneHot", one_hot},
    {"Reverse", reverse},
    {"ReverseV2", reverse_v2},
    {"ReverseSequence", reverse_sequence},
    {"Where", where},
    {"Select", select},
    {"SelectV2", broadcast_ternary},
    {"Unique", rule<"[n] -> [?] [n]">},
    {"UniqueWithCounts", unique_with_counts},
    {"UniqueV2", unique_v2},
    {"UniqueWithCountsV2", unique_v2},
    {"ListDiff", list_diff},
    {"Roll", unchanged_rank_at_least<1>},
    {"InplaceAdd", in_place_update},
    {"InplaceSub", in_place_update},
    {"InplaceUpdate", in_place_update},
};

}  // namespace

absl::StatusOr<PartialShape> gather_nd_shape(const PartialShape& params, const PartialShape& indices) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(indices, 1));
  const int64_t depth = dim_of(indices, -1);
  if (!params.known_rank() || depth < 0) return PartialShape();
  if (depth > params.rank()) {
    return invalid(absl::StrCat("indices.shape[-1] must be <= params.rank, but saw indices shape: ",
                                text(indices), " and params shape: ", text(params)));
  }
  return concatenate(subshape(indices, 0, -1), subshape(params, static_cast<int>(depth)));
}

absl::Status check_scatter_nd(const PartialShape& indices, const PartialShape& updates,
                              const PartialShape& target) {
  if (num_elements(target) == 0 && (num_elements(indices) > 0 || num_elements(updates) > 0)) {
    return invalid("Indices and updates specified for empty input");
  }
  if (!indices.known_rank() || !updates.known_rank() || updates.rank() == 0) return absl::OkStatus();
  const int outer = indices.rank() - 1;
  const int64_t depth = dim_of(indices, -1);
  if (depth < 0) return absl::OkStatus();
  const PartialShape indices_prefix = subshape(indices, 0, outer),
                     updates_prefix = subshape(updates, 0, outer);
  if (auto s = merge(indices_prefix, updates_prefix); !s.ok()) {
    return invalid(absl::StrCat("Dimensions [0,", outer, ") of indices[shape=", text(indices),
                                "] = ", text(indices_prefix), " must match dimensions [0,", outer,
                                ") of updates[shape=", text(updates), "] = ", text(updates_prefix), ": ",
                                s.status().message()));
  }
  const PartialShape target_suffix =
      subshape(target, static_cast<int>(std::min<int64_t>(depth, std::numeric_limits<int>::max())));
  const PartialShape updates_suffix = subshape(updates, outer);
  if (auto s = merge(target_suffix, updates_suffix); !s.ok()) {
    return invalid(absl::StrCat("Dimensions [", depth, ",", target.rank(), ") of input[shape=", text(target),
                                "] = ", text(target_suffix), " must match dimensions [", outer, ",",
                                updates.rank(), ") of updates[shape=", text(updates),
                                "] = ", text(updates_suffix), ": ", s.status().message()));
  }
  return absl::OkStatus();
}

absl::Status register_index_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
