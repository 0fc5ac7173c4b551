// Ops that make arrays or give them another shape without looking into them.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/reused.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/ops/shapes/values.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

absl::Status constant(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Tensor value, c.attr<Tensor>("value"));
  Known known;
  known.shape = value.shape();
  known.ints = known_ints(value);
  known.constant = std::move(value);
  c.set_output_known(0, std::move(known));
  return absl::OkStatus();
}

absl::Status placeholder_with_default(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  TROUPE_RETURN_IF_ERROR(merge(c.input(0), shape).status());
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status ensure_shape(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  PartialShape in = c.input(0);
  if (shape.known_rank()) {
    TROUPE_ASSIGN_OR_RETURN(in, with_rank(in, shape.rank()));
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape merged, merge(shape, in));
  c.set_output(0, std::move(merged));
  return absl::OkStatus();
}

absl::Status shape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    const PartialShape& in = c.input(i);
    c.set_output(i, PartialShape({in.known_rank() ? in.rank() : kUnknownDim}));
  }
  return shape_values(c);
}

absl::Status size_or_rank(ShapeContext& c) {
  c.set_output(0, PartialShape(Dims()));
  const PartialShape& in = c.input(0);
  if (!in.known_rank()) return absl::OkStatus();
  const int64_t value = c.op().name == "Rank" ? in.rank() : num_elements(in);
  if (value >= 0) set_scalar_value(c, value);
  return absl::OkStatus();
}

/// The product of the dimensions that are known, and which is not; nothing when two are not or it overflows.
struct Product {
  int64_t elements = 1;
  int unknown = -1;
};
std::optional<Product> product_of(const PartialShape& shape) {
  Product p;
  if (num_elements(shape) == 0) return Product{0, -1};
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) < 0) {
      if (p.unknown >= 0) return std::nullopt;
      p.unknown = i;
    } else if (multiply_overflows(p.elements, shape.dim(i), &p.elements)) {
      return std::nullopt;
    }
  }
  return p;
}

absl::Status reshape(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, c.input_as_shape(1));
  const PartialShape& in = c.input(0);
  if (out.known_rank() && in.known_rank()) {
    const auto to = product_of(out);
    const auto from = product_of(in);
    if (to && from) {
      if (from->unknown < 0 && to->unknown < 0) {
        if (from->elements != to->elements) {
          return invalid(absl::StrCat("Cannot reshape a tensor with ", from->elements, " elements to shape ",
                                      text(out), " (", to->elements, " elements)"));
        }
      } else if (from->unknown < 0 && to->elements > 0) {
        TROUPE_ASSIGN_OR_RETURN(int64_t dim, divide_dim(from->elements, to->elements, true));
        out = replace_dim(out, to->unknown, dim);
      } else if (to->unknown < 0 && from->elements != 0) {
        TROUPE_RETURN_IF_ERROR(divide_dim(to->elements, from->elements, true).status());
      }
    }
  }
  c.set_output(0, std::move(out));
  return pass_values(c);
}

absl::Status expand_dims(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const auto axis = c.all_ints(1);
  if (axis && axis->size() != 1) return invalid("'dim' input must be a tensor with a single value");
  if (!axis || !in.known_rank()) return absl::OkStatus();
  int64_t at = (*axis)[0];
  if (at < -1 - in.rank() || at > in.rank()) {
    return invalid(absl::StrCat("dim ", at, " not in the interval [", -1 - in.rank(), ", ", in.rank(), "]."));
  }
  if (at < 0) at += in.rank() + 1;
  Dims dims = in.dims();
  dims.insert(dims.begin() + at, 1);
  c.set_output(0, PartialShape(std::move(dims)));
  return pass_values(c);
}

absl::Status squeeze(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(auto axes, c.attr<std::vector<int64_t>>("squeeze_dims"));
  if (!in.known_rank()) return absl::OkStatus();
  std::vector<bool> named(in.rank(), false);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = canonical_axis(axes[i], in.rank());
    if (!axis)
      return invalid(absl::StrCat("squeeze_dims[", i, "] not in [", -in.rank(), ",", in.rank(), ")."));
    named[*axis] = true;
  }
  Dims dims;
  for (int i = 0; i < in.rank(); ++i) {
    if (axes.empty()) {
      if (in.dim(i) < 0) return absl::OkStatus();
      if (in.dim(i) == 1) continue;
    } else if (named[i]) {
      if (in.dim(i) < 0 || in.dim(i) == 1) continue;
      return invalid(
          absl::StrCat("Can not squeeze dim[", i, "], expected a dimension of 1, got ", in.dim(i)));
    }
    dims.push_back(in.dim(i));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return pass_values(c);
}

absl::Status transpose(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const PartialShape& perm_shape = c.input(1);
  const auto perm = c.all_ints(1);
  const int64_t perm_size = num_elements(perm_shape);
  if (!in.known_rank() && perm_size < 0) return absl::OkStatus();
  const int64_t rank = in.known_rank() ? in.rank() : perm_size;
  if (!in.known_rank() && rank < 2) return absl::OkStatus();
  if (rank > Shape::kMaxRank)
    return invalid(absl::StrCat("Permutation of ", rank, " dimensions is too long"));
  TROUPE_RETURN_IF_ERROR(with_rank(perm_shape, 1).status());
  TROUPE_RETURN_IF_ERROR(with_value(perm_size, rank).status());
  PartialShape out = unknown_of_rank(rank);
  if (perm) {
    Dims dims(static_cast<size_t>(rank), kUnknownDim);
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t from = (*perm)[i];
      if (from >= rank || from < -rank) {
        return invalid(absl::StrCat("perm dim ", from, " is out of range of input rank ", rank));
      }
      dims[i] = dim_of(in, static_cast<int>(from));
    }
    out = PartialShape(std::move(dims));
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

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

absl::Status fill(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 1).status());
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  if (const auto dims = c.all_ints(0)) {
    for (int64_t d : *dims) {
      if (d < 0) return invalid("Fill dimensions must be >= 0");
    }
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, c.input_as_shape(0));
  c.set_output(0, std::move(out));
  return fill_values(c, 1);
}

absl::Status tile(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(PartialShape multiples, c.input_as_shape(1));
  if (in.known_rank()) {
    TROUPE_ASSIGN_OR_RETURN(multiples, with_rank(multiples, in.rank()));
    TROUPE_RETURN_IF_ERROR(merge(c.input(1), PartialShape({in.rank()})).status());
  }
  if (!multiples.known_rank()) return absl::OkStatus();
  Dims dims(multiples.rank());
  for (int i = 0; i < multiples.rank(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(dims[i], multiply_dims(dim_of(in, i), multiples.dim(i)));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status pad(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape paddings, with_rank(c.input(1), 2));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(paddings, 1), 2).status());
  PartialShape in = c.input(0);
  int64_t rank = dim_of(paddings, 0);
  if (rank >= 0) {
    TROUPE_ASSIGN_OR_RETURN(in, with_rank(in, rank));
  } else if (in.known_rank()) {
    rank = in.rank();
  }
  const KnownInts* sizes = c.ints(1);
  if (sizes == nullptr || sizes->values.size() != static_cast<size_t>(2 * rank) || !in.known_rank()) {
    c.set_output(0, unknown_of_rank(rank));
    return absl::OkStatus();
  }
  Dims dims(in.rank());
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t low = sizes->values[2 * i], high = sizes->values[2 * i + 1];
    dims[i] = kUnknownDim;
    if (low == KnownInts::kUnknown || high == KnownInts::kUnknown) continue;
    if (low < 0 || high < 0) return invalid("Paddings must be non-negative");
    TROUPE_ASSIGN_OR_RETURN(int64_t both, add_dims(low, high));
    TROUPE_ASSIGN_OR_RETURN(dims[i], add_dims(in.dim(i), both));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status mirror_pad_grad(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape paddings, with_rank(c.input(1), 2));
  const int64_t rank = dim_of(paddings, 0);
  if (rank < 0) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), rank));
  TROUPE_RETURN_IF_ERROR(merge(paddings, PartialShape({rank, 2})).status());
  const auto sizes = c.all_ints(1);
  if (!sizes) {
    c.set_output(0, unknown_of_rank(rank));
    return absl::OkStatus();
  }
  Dims dims(in.known_rank() ? in.rank() : 0);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t low = (*sizes)[2 * i], high = (*sizes)[2 * i + 1];
    if (low < 0 || high < 0) return invalid("Paddings must be non-negative");
    TROUPE_ASSIGN_OR_RETURN(int64_t both, add_dims(low, high));
    TROUPE_ASSIGN_OR_RETURN(dims[i], subtract_dims(in.dim(static_cast<int>(i)), both));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status broadcast_to(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 1).status());
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, c.input_as_shape(1));
  const PartialShape& in = c.input(0);
  if (out.known_rank() && in.known_rank()) {
    TROUPE_RETURN_IF_ERROR(check_rank_at_most(in, out.rank()));
    for (int i = 1; i <= in.rank(); ++i) {
      if (dim_of(in, -i) <= 1) continue;
      TROUPE_ASSIGN_OR_RETURN(int64_t dim, merge_dims(dim_of(in, -i), dim_of(out, -i)));
      out = replace_dim(out, -i, dim);
    }
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status broadcast_args(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape a, with_rank(c.input(0), 1));
  TROUPE_ASSIGN_OR_RETURN(PartialShape b, with_rank(c.input(1), 1));
  const bool known = a.dim(0) >= 0 && b.dim(0) >= 0;
  c.set_output(0, PartialShape({known ? std::max(a.dim(0), b.dim(0)) : kUnknownDim}));
  return broadcast_args_values(c);
}

absl::Status space_and_depth(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(auto format, c.attr<std::string>("data_format"));
  TROUPE_ASSIGN_OR_RETURN(int64_t block, c.attr<int64_t>("block_size"));
  const bool to_depth = c.op().name == "SpaceToDepth";
  const int rank = format == "NCHW_VECT_C" ? 5 : 4;
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), rank));
  const int height = format == "NHWC" ? 1 : 2;
  const int depth = format == "NHWC" ? 3 : 1;
  int64_t area;
  if (block < 1 || multiply_overflows(block, block, &area)) return invalid("block_size is out of range");
  Dims dims = in.dims();
  auto scale = [&](int i, int64_t by, bool up) -> absl::Status {
    TROUPE_ASSIGN_OR_RETURN(dims[i], up ? multiply_dims(dims[i], by) : divide_dim(dims[i], by, true));
    return absl::OkStatus();
  };
  TROUPE_RETURN_IF_ERROR(scale(height, block, !to_depth));
  TROUPE_RETURN_IF_ERROR(scale(height + 1, block, !to_depth));
  TROUPE_RETURN_IF_ERROR(scale(depth, area, to_depth));
  if (rank == 5) dims[4] = 4;
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

/// SpaceToBatch and BatchToSpace: `block_shape` of n blocks, `edges` the [n, 2] paddings or crops.
absl::Status blocks(ShapeContext& c, PartialShape block_shape, std::optional<std::vector<int64_t>> block,
                    int edges_input) {
  const bool to_batch = absl::string_view(c.op().name).substr(0, 5) == "Space";
  if (!block_shape.known_rank() || block_shape.rank() != 1) return invalid("block_shape must have rank 1.");
  const int64_t n = block_shape.dim(0);
  if (n < 0) return invalid("block_shape must have known size.");
  if (n >= Shape::kMaxRank) return invalid("block_shape is too long");
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, n + 1));
  TROUPE_RETURN_IF_ERROR(merge(c.input(edges_input), PartialShape({n, 2})).status());
  if (block && static_cast<int64_t>(block->size()) != n) block.reset();
  const auto edges = c.all_ints(edges_input);

  Dims dims(static_cast<size_t>(n) + 1, kUnknownDim);
  int64_t batch = dim_of(in, 0);
  if (block) {
    for (int64_t b : *block) {
      if (b < 1) return invalid("block_shape must be positive");
      TROUPE_ASSIGN_OR_RETURN(batch, to_batch ? multiply_dims(batch, b) : divide_dim(batch, b, true));
    }
  } else if (n > 0) {
    batch = kUnknownDim;
  }
  dims[0] = batch;
  for (int i = 0; edges && i < n; ++i) {
    const int64_t low = (*edges)[2 * i], high = (*edges)[2 * i + 1];
    if (low < 0 || high < 0)
      return invalid(to_batch ? "paddings cannot be negative" : "crops cannot be negative");
    if (!block) continue;
    int64_t dim = dim_of(in, i + 1);
    if (to_batch) {
      TROUPE_ASSIGN_OR_RETURN(dim, add_dims(dim, low));
      TROUPE_ASSIGN_OR_RETURN(dim, add_dims(dim, high));
      TROUPE_ASSIGN_OR_RETURN(dims[i + 1], divide_dim(dim, (*block)[i], true));
    } else {
      TROUPE_ASSIGN_OR_RETURN(dim, multiply_dims(dim, (*block)[i]));
      TROUPE_ASSIGN_OR_RETURN(dim, subtract_dims(dim, low));
      TROUPE_ASSIGN_OR_RETURN(dims[i + 1], subtract_dims(dim, high));
    }
  }
  c.set_output(0, concatenate(PartialShape(std::move(dims)), subshape(in, static_cast<int>(n) + 1)));
  return absl::OkStatus();
}

absl::Status blocks_nd(ShapeContext& c) { return blocks(c, c.input(1), c.all_ints(1), 2); }

absl::Status blocks_2d(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 4).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t block, c.attr<int64_t>("block_size"));
  return blocks(c, PartialShape({2}), std::vector<int64_t>{block, block}, 1);
}

absl::Status bitcast(ShapeContext& c) {
  const int64_t from = static_cast<int64_t>(dtype_size(c.input_dtype(0)));
  const int64_t to = static_cast<int64_t>(dtype_size(c.output_dtype(0)));
  PartialShape out = c.input(0);
  if (from == 0 || to == 0) return invalid(absl::StrCat("Cannot bitcast types of size ", from, " to ", to));
  if (from < to) {
    TROUPE_RETURN_IF_ERROR(check_rank_at_least(out, 1));
    const int64_t last = dim_of(out, -1);
    if (out.known_rank()) {
      if (last >= 0 && last * from != to) {
        return invalid(absl::StrCat("Cannot bitcast from ", static_cast<int>(c.input_dtype(0)), " to ",
                                    static_cast<int>(c.output_dtype(0)), " due to shape. ", last,
                                    " does not match ", to / from));
      }
      out = subshape(out, 0, -1);
    }
  } else if (from > to) {
    out = append(out, from / to);
  }
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status quantize_and_dequantize(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  TROUPE_ASSIGN_OR_RETURN(PartialShape range, with_rank(c.input(1), axis == -1 ? 0 : 1));
  TROUPE_ASSIGN_OR_RETURN(range, merge(c.input(2), range));
  if (axis < -1) return invalid(absl::StrCat("axis should be at least -1, got ", axis));
  if (axis >= Shape::kMaxRank) return invalid(absl::StrCat("axis is out of range: ", axis));
  if (axis >= 0) {
    TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), axis + 1));
    TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(range, 0), dim_of(c.input(0), static_cast<int>(axis))).status());
  }
  return unchanged(c);
}

constexpr ShapeRow kRows[] = {
    {"Const", constant},
    {"HostConst", constant},
    {"ImmutableConst", shape_attr},
    {"FakeParam", shape_attr},
    {"Placeholder", shape_attr},
    {"PlaceholderV2", shape_attr},
    {"PlaceholderWithDefault", placeholder_with_default},
    {"EnsureShape", ensure_shape},
    {"Identity", identity},
    {"RefIdentity", identity},
    {"StopGradient", identity},
    {"PreventGradient", identity},
    {"Snapshot", identity},
    {"GuaranteeConst", identity},
    {"DeepCopy", unchanged},
    {"IdentityN", identity_n},
    {"CheckNumerics", unchanged},
    {"CheckNumericsV2", unchanged},
    {"DebugGradientIdentity", unchanged},
    {"DebugGradientRefIdentity", unchanged},
    {"Shape", shape},
    {"ShapeN", shape},
    {"Size", size_or_rank},
    {"Rank", size_or_rank},
    {"Reshape", reshape},
    {"ExpandDims", expand_dims},
    {"Squeeze", squeeze},
    {"Transpose", transpose},
    {"ConjugateTranspose", transpose},
    {"InvertPermutation", rule<"[n] -> [n]">},
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
    {"Fill", fill},
    {"ZerosLike", unchanged},
    {"OnesLike", unchanged},
    {"Empty", shape_from_input<0>},
    {"Tile", tile},
    {"Pad", pad},
    {"PadV2", pad},
    {"MirrorPad", pad},
    {"MirrorPadGrad", mirror_pad_grad},
    {"BroadcastTo", broadcast_to},
    {"BroadcastArgs", broadcast_args},
    {"BroadcastGradientArgs", rule<"[?] [?] -> [?] [?]">},
    {"SpaceToDepth", space_and_depth},
    {"DepthToSpace", space_and_depth},
    {"SpaceToBatchND", blocks_nd},
    {"BatchToSpaceND", blocks_nd},
    {"SpaceToBatch", blocks_2d},
    {"BatchToSpace", blocks_2d},
    {"Bitcast", bitcast},
    {"Dequantize", unchanged},
    {"QuantizeAndDequantizeV2", quantize_and_dequantize},
    {"QuantizeAndDequantizeV4", quantize_and_dequantize},
    {"FakeQuantWithMinMaxArgs", unchanged},
    {"FakeQuantWithMinMaxArgsGradient", unchanged},
    {"FakeQuantWithMinMaxVars", rule<"S [] [] -> S">},
    {"FakeQuantWithMinMaxVarsGradient", rule<"S S [] [] -> S [] []">},
    {"FakeQuantWithMinMaxVarsPerChannel", rule<"[B*,d] [d] [d] -> [B*,d]">},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", rule<"[B*,d] [B*,d] [d] [d] -> [B*,d] [d] [d]">},
};

}  // namespace

absl::Status register_array_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
