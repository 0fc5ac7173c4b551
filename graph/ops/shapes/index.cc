// Ops that pick elements out of arrays, or put them there, by position.

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/index.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/ops/shapes/values.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

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
