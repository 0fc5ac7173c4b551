// Ops that join arrays, and those that take them apart again.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ops/shapes/reused.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/ops/shapes/values.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

}  // namespace

absl::Status concat_inputs(ShapeContext& c, int begin, int end, int axis_input) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(axis_input), 0).status());
  const auto axis = c.constant_int(axis_input);
  if (!axis) {
    int rank = -1;
    for (int i = begin; i < end; ++i) {
      if (rank < 0) rank = c.input(i).rank();
      if (rank == 0) return invalid("Can't concatenate scalars (use tf.stack instead)");
      if (rank >= 0) TROUPE_RETURN_IF_ERROR(with_rank(c.input(i), rank).status());
    }
    c.set_output(0, unknown_of_rank(rank));
    return absl::OkStatus();
  }
  if (*axis < -Shape::kMaxRank || *axis >= Shape::kMaxRank) {
    return invalid(absl::StrCat("Shape must be at least rank ", *axis < 0 ? -(*axis + 1) : *axis, " + 1"));
  }
  const int at = static_cast<int>(*axis);
  PartialShape before, after;
  int64_t middle = 0;
  for (int i = end - 1; i >= begin; --i) {
    const PartialShape& in = c.input(i);
    TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, at < 0 ? -at : at + 1));
    PartialShape head = subshape(in, 0, at);
    PartialShape tail = at == -1 ? PartialShape(Dims()) : subshape(in, at + 1);
    if (i == end - 1) {
      before = std::move(head);
      after = std::move(tail);
      middle = dim_of(in, at);
      continue;
    }
    TROUPE_ASSIGN_OR_RETURN(before, merge(head, before));
    TROUPE_ASSIGN_OR_RETURN(middle, add_dims(middle, dim_of(in, at)));
    TROUPE_ASSIGN_OR_RETURN(after, merge(tail, after));
  }
  c.set_output(0, concatenate(append(before, middle), after));
  return concat_values(c, begin, end);
}

namespace {

absl::Status concat(ShapeContext& c) { return concat_inputs(c, 1, c.num_inputs(), 0); }
absl::Status concat_v2(ShapeContext& c) {
  return concat_inputs(c, 0, c.num_inputs() - 1, c.num_inputs() - 1);
}

absl::Status concat_offset(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) c.set_output(i - 1, c.input(i));
  return absl::OkStatus();
}

/// The axis that a scalar input names, for inputs of a rank that may be unknown (-1); unknown when it is not known.
absl::StatusOr<int64_t> axis_from_input(ShapeContext& c, int i, int rank) {
  if (const KnownInts* v = c.ints(i); v != nullptr && v->shape.rank() != 0) {
    return invalid(absl::StrCat("Input must be scalar but has rank ", v->shape.rank()));
  }
  if (const auto value = c.constant_int(i)) {
    if (rank < 0) return *value < 0 ? kUnknownDim : *value;
    if (const auto axis = canonical_axis(*value, rank)) return *axis;
    return invalid(absl::StrCat("Dimension size, given by scalar input ", *value, " must be in range [-",
                                rank, ", ", rank, ")"));
  }
  return kUnknownDim;
}

void set_all(ShapeContext& c, const PartialShape& shape) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
}

absl::Status split(ShapeContext& c) {
  const PartialShape& in = c.input(1);
  TROUPE_ASSIGN_OR_RETURN(int64_t axis, axis_from_input(c, 0, in.rank()));
  if (axis < 0) {
    set_all(c, unknown_of_rank(in.rank()));
    return absl::OkStatus();
  }
  auto part = divide_dim(dim_of(in, static_cast<int>(std::min<int64_t>(axis, Shape::kMaxRank))),
                         c.num_outputs(), true);
  if (!part.ok()) {
    return annotate(part.status(), "",
                    "\n\tNumber of ways to split should evenly divide the split dimension");
  }
  set_all(c, replace_dim(in, static_cast<int>(std::min<int64_t>(axis, Shape::kMaxRank)), *part));
  return absl::OkStatus();
}

absl::Status split_v(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(int64_t axis, axis_from_input(c, 2, in.rank()));
  const auto sizes = c.all_ints(1);
  if (!in.known_rank()) return absl::OkStatus();
  if (in.rank() == 0) return invalid("Can't split scalars");
  if (axis < 0) {
    set_all(c, unknown_of_rank(in.rank()));
    return absl::OkStatus();
  }
  const int at = static_cast<int>(axis);
  if (!sizes) {
    set_all(c, replace_dim(in, at, kUnknownDim));
    return absl::OkStatus();
  }
  if (static_cast<int>(sizes->size()) != c.num_outputs()) {
    return invalid("Length of size_splits should be equal to num_outputs");
  }
  int64_t total = 0;
  bool open = false;
  for (int64_t size : *sizes) {
    if (size == -1) {
      if (open) return invalid("size_splits can only have one -1");
      open = true;
    } else if (__builtin_add_overflow(total, size, &total)) {
      return invalid("The sum of size_splits is too large");
    }
  }
  const int64_t whole = in.dim(at);
  for (int i = 0; i < c.num_outputs(); ++i) {
    int64_t size = (*sizes)[i];
    if (size == -1 && whole >= 0 && __builtin_sub_overflow(whole, total, &size)) size = -2;
    if (size < -1 || (size == -1 && whole >= 0)) {
      return invalid(absl::StrCat("Split size at index ", i, " must be >= 0. Got: ", size));
    }
    c.set_output(i, replace_dim(in, at, size));
  }
  if (whole >= 0 && (open ? total > whole : total != whole)) {
    return invalid(absl::StrCat("can't split axis of size ", whole, " into pieces of size [",
                                absl::StrJoin(*sizes, ","), "]"));
  }
  return absl::OkStatus();
}

absl::StatusOr<int> pack_axis(ShapeContext& c, int rank) {
  TROUPE_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  if (const auto at = canonical_axis(axis, rank)) return *at;
  return invalid(absl::StrCat("Invalid axis: ", axis, "; must be in [", -rank, ",", rank, ")"));
}

absl::Status pack(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape all, merged_from_last(c));
  if (!all.known_rank()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(int axis, pack_axis(c, all.rank() + 1));
  Dims dims = all.dims();
  dims.insert(dims.begin() + axis, c.num_inputs());
  c.set_output(0, PartialShape(std::move(dims)));
  return concat_values(c, 0, c.num_inputs());
}

absl::Status unpack(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.known_rank()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(int axis, pack_axis(c, in.rank()));
  TROUPE_RETURN_IF_ERROR(with_value(in.dim(axis), c.num_outputs()).status());
  set_all(c, concatenate(subshape(in, 0, axis), subshape(in, axis + 1)));
  return unpack_values(c);
}

absl::Status parallel_concat(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, c.attr<PartialShape>("shape"));
  if (!out.fully_defined()) return invalid("shape attr must be fully defined.");
  if (out.rank() == 0) return invalid("Out of range dim_index 0 for shape with 0 dimensions");
  PartialShape cur = replace_dim(out, 0, 1);
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).fully_defined()) return invalid("All input shapes must be fully defined.");
    if (c.input(i).rank() < 1) {
      return invalid(
          absl::StrCat("The rank of all input shapes must be greater than 0, but input ", i, " had rank 0."));
    }
    if (c.input(i).dim(0) != 1) return invalid("Size of first dimension must be 1.");
    auto merged = merge(c.input(i), cur);
    if (!merged.ok()) {
      return annotate(merged.status(), "", absl::StrCat("\n\tFrom merging shape ", i, " with other shapes."));
    }
    cur = *std::move(merged);
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"Concat", concat},
    {"ConcatV2", concat_v2},
    {"ConcatOffset", concat_offset},
    {"Split", split},
    {"SplitV", split_v},
    {"Pack", pack},
    {"Unpack", unpack},
    {"ParallelConcat", parallel_concat},
    {"_ParallelConcatStart", shape_attr},
    {"_ParallelConcatUpdate", unchanged},
};

}  // namespace

absl::Status register_concat_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
