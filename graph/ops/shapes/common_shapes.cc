#include "graph/ops/shapes/common_shapes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

}  // namespace

PartialShape unknown_of_rank(int64_t rank) {
  if (rank < 0 || rank > Shape::kMaxRank) return PartialShape();
  return PartialShape(Dims(static_cast<size_t>(rank), kUnknownDim));
}

absl::StatusOr<PartialShape> with_rank(const PartialShape& shape, int64_t rank) {
  if (!shape.known_rank()) return unknown_of_rank(rank);
  if (shape.rank() == rank) return shape;
  return invalid(absl::StrCat("Shape must be rank ", rank, " but is rank ", shape.rank()));
}

absl::Status check_rank_at_least(const PartialShape& shape, int64_t rank) {
  if (!shape.known_rank() || shape.rank() >= rank) return absl::OkStatus();
  return invalid(absl::StrCat("Shape must be at least rank ", rank, " but is rank ", shape.rank()));
}

absl::Status check_rank_at_most(const PartialShape& shape, int64_t rank) {
  if (!shape.known_rank() || shape.rank() <= rank) return absl::OkStatus();
  return invalid(absl::StrCat("Shape must be at most rank ", rank, " but is rank ", shape.rank()));
}

absl::StatusOr<int64_t> merge_dims(int64_t a, int64_t b) {
  if (a < 0) return b < 0 ? kUnknownDim : b;
  if (b < 0 || a == b) return a;
  return invalid(absl::StrCat("Dimensions must be equal, but are ", a, " and ", b));
}

absl::StatusOr<int64_t> with_value(int64_t dim, int64_t value) {
  if (dim < 0 || dim == value) return value;
  return invalid(absl::StrCat("Dimension must be ", value, " but is ", dim));
}

absl::StatusOr<PartialShape> merge(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank()) return b;
  if (!b.known_rank()) return a;
  if (a.rank() != b.rank()) {
    return invalid(absl::StrCat("Shapes must be equal rank, but are ", a.rank(), " and ", b.rank()));
  }
  Dims dims = a.dims();
  for (int i = 0; i < a.rank(); ++i) {
    auto dim = merge_dims(a.dim(i), b.dim(i));
    if (!dim.ok()) {
      return invalid(absl::StrCat("Dimension ", i, " in both shapes must be equal, but are ", a.dim(i),
                                  " and ", b.dim(i), ". Shapes are ", a.to_string(), " and ", b.to_string(),
                                  "."));
    }
    dims[i] = *dim;
  }
  return PartialShape(std::move(dims));
}

absl::StatusOr<PartialShape> merge_prefix(const PartialShape& shape, const PartialShape& prefix) {
  if (!shape.known_rank() || !prefix.known_rank()) return shape;
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(shape, prefix.rank()));
  Dims dims = shape.dims();
  for (int i = 0; i < prefix.rank(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(dims[i], merge_dims(shape.dim(i), prefix.dim(i)));
  }
  return PartialShape(std::move(dims));
}

PartialShape subshape(const PartialShape& shape, int begin, int end) {
  if (!shape.known_rank()) {
    if (begin >= 0 && end >= begin && end < std::numeric_limits<int>::max())
      return unknown_of_rank(end - begin);
    return PartialShape();
  }
  const int rank = shape.rank();
  if (begin < 0) begin += rank;
  if (end < 0) end += rank;
  begin = std::clamp(begin, 0, rank);
  end = std::clamp(end, begin, rank);
  return PartialShape(Dims(shape.dims().begin() + begin, shape.dims().begin() + end));
}

PartialShape concatenate(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return PartialShape();
  Dims dims = a.dims();
  dims.insert(dims.end(), b.dims().begin(), b.dims().end());
  return PartialShape(std::move(dims));
}

PartialShape append(const PartialShape& shape, int64_t dim) {
  return concatenate(shape, PartialShape({dim}));
}

PartialShape replace_dim(const PartialShape& shape, int i, int64_t dim) {
  if (!shape.known_rank()) return shape;
  if (i < 0) i += shape.rank();
  if (i < 0 || i >= shape.rank()) return shape;
  Dims dims = shape.dims();
  dims[i] = dim;
  return PartialShape(std::move(dims));
}

int64_t dim_of(const PartialShape& shape, int i) {
  if (!shape.known_rank()) return kUnknownDim;
  if (i < 0) i += shape.rank();
  return i >= 0 && i < shape.rank() ? shape.dim(i) : kUnknownDim;
}

int64_t num_elements(const PartialShape& shape) {
  if (!shape.known_rank()) return kUnknownDim;
  int64_t n = 1;
  bool known = true;
  for (int64_t d : shape.dims()) {
    if (d == 0) return 0;
    if (d < 0 || multiply_overflows(n, d, &n)) {
      known = false;
      n = 1;
    }
  }
  return known ? n : kUnknownDim;
}

absl::StatusOr<int64_t> add_dims(int64_t a, int64_t b) {
  if (a == 0) return b;
  if (b == 0) return a;
  if (a < 0 || b < 0) return kUnknownDim;
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) {
    return invalid(absl::StrCat("Dimension size overflow from adding ", a, " and ", b));
  }
  return sum;
}

absl::StatusOr<int64_t> subtract_dims(int64_t a, int64_t b) {
  if (b == 0) return a;
  if (a < 0 || b < 0) return kUnknownDim;
  if (a < b) return invalid(absl::StrCat("Negative dimension size caused by subtracting ", b, " from ", a));
  return a - b;
}

absl::StatusOr<int64_t> multiply_dims(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a < 0 || b < 0) return a == 1 ? b : b == 1 ? a : kUnknownDim;
  int64_t product;
  if (multiply_overflows(a, b, &product)) {
    return invalid(
        absl::StrCat("Negative dimension size caused by overflow when multiplying ", a, " and ", b));
  }
  return product;
}

absl::StatusOr<int64_t> divide_dim(int64_t a, int64_t b, bool even) {
  if (b == 1) return a;
  if (a < 0 || b < 0) return kUnknownDim;
  if (b == 0) return invalid("Divisor must be positive but is 0");
  if (even && a % b != 0) {
    return invalid(absl::StrCat("Dimension size must be evenly divisible by ", b, " but is ", a));
  }
  return a / b;
}

absl::StatusOr<PartialShape> broadcast(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return PartialShape();
  const int rank = std::max(a.rank(), b.rank());
  Dims dims(rank);
  for (int i = 0; i < rank; ++i) {
    const int ai = i - (rank - a.rank());
    const int bi = i - (rank - b.rank());
    const int64_t x = ai < 0 ? 1 : a.dim(ai);
    const int64_t y = bi < 0 ? 1 : b.dim(bi);
    if (x == y) {
      dims[i] = x;
    } else if (x < 0 || y < 0) {
      // One that is known and over 1 wins: the other must then be 1 or the same.
      const int64_t known = std::max(x, y);
      dims[i] = known == 1 ? kUnknownDim : known;
    } else if (x == 1 || y == 1) {
      dims[i] = x == 1 ? y : x;
    } else {
      TROUPE_ASSIGN_OR_RETURN(dims[i], merge_dims(x, y));
    }
  }
  return PartialShape(std::move(dims));
}

std::string text(const PartialShape& shape) { return shape.known_rank() ? shape.to_string() : "?"; }

std::optional<int> canonical_axis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

absl::StatusOr<int64_t> dim_from_input(const ShapeContext& c, int i) {
  if (const KnownInts* v = c.ints(i); v != nullptr && v->shape.rank() != 0) {
    return invalid(absl::StrCat("Input must be scalar but has rank ", v->shape.rank()));
  }
  std::optional<int64_t> value = c.constant_int(i);
  if (!value) return kUnknownDim;
  if (*value < 0) {
    return invalid(
        absl::StrCat("Dimension size, given by scalar input ", i, ", must be non-negative but is ", *value));
  }
  return *value;
}

absl::Status unknown(ShapeContext&) { return absl::OkStatus(); }

absl::Status no_outputs(ShapeContext&) { return absl::OkStatus(); }

absl::Status scalar(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape(Dims()));
  return absl::OkStatus();
}

absl::Status unchanged(ShapeContext& c) {
  c.set_output(0, c.input(0));
  return absl::OkStatus();
}

absl::Status identity(ShapeContext& c) {
  c.set_output_known(0, c.known(0));
  return absl::OkStatus();
}

absl::Status identity_n(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output_known(i, c.known(i));
  return absl::OkStatus();
}

absl::StatusOr<PartialShape> merged_from_last(const ShapeContext& c) {
  // From the last to the first, as TensorFlow does, whose messages show the shapes in that order.
  PartialShape all = c.input(c.num_inputs() - 1);
  for (int i = c.num_inputs() - 2; i >= 0; --i) {
    auto merged = merge(c.input(i), all);
    if (!merged.ok()) {
      return annotate(merged.status(), "", absl::StrCat("\n\tFrom merging shape ", i, " with other shapes."));
    }
    all = *std::move(merged);
  }
  return all;
}

absl::Status merged_inputs(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape all, merged_from_last(c));
  c.set_output(0, std::move(all));
  return absl::OkStatus();
}

absl::Status merged_pair(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, merge(c.input(0), c.input(1)));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status broadcast_binary(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, broadcast(c.input(0), c.input(1)));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status broadcast_ternary(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape tail, broadcast(c.input(1), c.input(2)));
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, broadcast(c.input(0), tail));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::StatusOr<bool> reduce_axes(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(bool keep, c.attr<bool>("keep_dims"));
  const auto axes = c.all_ints(1);
  if (!axes || !in.known_rank()) {
    if (keep) c.set_output(0, unknown_of_rank(in.rank()));
    return false;
  }
  std::vector<bool> reduced(in.rank(), false);
  for (int64_t a : *axes) {
    const auto axis = canonical_axis(a, in.rank());
    if (!axis) {
      return invalid(
          absl::StrCat("Invalid reduction dimension ", a, " for input with ", in.rank(), " dimensions."));
    }
    reduced[*axis] = true;
  }
  Dims dims;
  for (int i = 0; i < in.rank(); ++i) {
    if (!reduced[i]) {
      dims.push_back(in.dim(i));
    } else if (keep) {
      dims.push_back(1);
    }
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return true;
}

absl::Status shape_attr(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status output_shapes_attr(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(auto shapes, c.attr<std::vector<PartialShape>>("output_shapes"));
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return absl::InvalidArgumentError(absl::StrCat("`output_shapes` must be the same length as num outputs (",
                                                   shapes.size(), " vs. ", c.num_outputs()));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, std::move(shapes[i]));
  return absl::OkStatus();
}

}  // namespace troupe::shapes
