// Sparse tensors as (indices, values, shape), and segments picked by indices.

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

absl::Status sparse_segment(ShapeContext& c) {
  const PartialShape& data = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(data, 1));
  TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(1), 1));
  TROUPE_ASSIGN_OR_RETURN(PartialShape ids, with_rank(c.input(2), 1));
  TROUPE_RETURN_IF_ERROR(merge(indices, ids).status());
  c.set_output(0, concatenate(PartialShape({kUnknownDim}), subshape(data, 1)));
  return absl::OkStatus();
}

absl::Status sparse_segment_n(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(sparse_segment(c));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(3), 0).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t n, dim_from_input(c, 3));
  c.set_output(0, concatenate(PartialShape({n}), subshape(c.input(0), 1)));
  return absl::OkStatus();
}

absl::Status sparse_segment_gradient(ShapeContext& c) {
  const PartialShape& data = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(data, 1));
  const PartialShape& indices = c.input(1);
  TROUPE_ASSIGN_OR_RETURN(PartialShape indices_vector, with_rank(indices, 1));
  TROUPE_RETURN_IF_ERROR(merge(c.input(2), indices_vector).status());
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(3), 0).status());
  const auto n = c.constant_int(3);
  if (n && *n < 0) return invalid("Cannot specify a negative value for output_dim0");
  c.set_output(0, concatenate(PartialShape({n ? *n : kUnknownDim}), subshape(data, 1)));
  return absl::OkStatus();
}

absl::Status sparse_concat(ShapeContext& c) {
  const int n = c.num_inputs() / 3;
  PartialShape out_shape;
  int64_t rows = 0, columns = kUnknownDim;
  for (int i = 0; i < n; ++i) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(i), 2));
    TROUPE_ASSIGN_OR_RETURN(PartialShape values, with_rank(c.input(n + i), 1));
    TROUPE_ASSIGN_OR_RETURN(PartialShape shape, with_rank(c.input(2 * n + i), 1));
    TROUPE_ASSIGN_OR_RETURN(int64_t count, merge_dims(dim_of(indices, 0), dim_of(values, 0)));
    TROUPE_ASSIGN_OR_RETURN(columns, merge_dims(dim_of(indices, 1), columns));
    TROUPE_ASSIGN_OR_RETURN(rows, add_dims(rows, count));
    TROUPE_ASSIGN_OR_RETURN(out_shape, merge(out_shape, shape));
  }
  c.set_output(0, PartialShape({rows, columns}));
  c.set_output(1, PartialShape({rows}));
  c.set_output(2, std::move(out_shape));
  return absl::OkStatus();
}

absl::Status fill_empty_rows(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(0), 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape values, with_rank(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(indices, 0), dim_of(values, 0)).status());
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, with_rank(c.input(2), 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(3), 0).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t rank, merge_dims(dim_of(indices, 1), dim_of(shape, 0)));
  TROUPE_ASSIGN_OR_RETURN(PartialShape dense, c.input_as_shape(2));
  c.set_output(0, PartialShape({kUnknownDim, rank}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, PartialShape({dense.known_rank() ? dim_of(dense, 0) : kUnknownDim}));
  c.set_output(3, PartialShape({dim_of(indices, 0)}));
  return absl::OkStatus();
}

absl::Status sparse_reorder(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(0), 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape values, with_rank(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(2), 1).status());
  c.set_output(0, std::move(indices));
  c.set_output(1, std::move(values));
  return absl::OkStatus();
}

absl::Status sparse_reshape(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(0), 2));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 1).status());
  TROUPE_ASSIGN_OR_RETURN(PartialShape target, with_rank(c.input(2), 1));
  c.set_output(0, PartialShape({dim_of(indices, 0), dim_of(target, 0)}));
  c.set_output(1, std::move(target));
  return absl::OkStatus();
}

absl::Status sparse_slice(ShapeContext& c) {
  const PartialShape& shape = c.input(2);
  c.set_output(0, PartialShape({kUnknownDim, num_elements(shape)}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, shape);
  return absl::OkStatus();
}

absl::Status sparse_dense_mat_mul(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(bool ta, c.attr<bool>("adjoint_a"));
  TROUPE_ASSIGN_OR_RETURN(bool tb, c.attr<bool>("adjoint_b"));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 2).status());
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 1).status());
  TROUPE_ASSIGN_OR_RETURN(PartialShape a, c.input_as_shape(2));
  TROUPE_ASSIGN_OR_RETURN(a, with_rank(a, 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape b, with_rank(c.input(3), 2));
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(a, ta ? 0 : 1), dim_of(b, tb ? 1 : 0)).status());
  c.set_output(0, PartialShape({dim_of(a, ta ? 1 : 0), dim_of(b, tb ? 0 : 1)}));
  return absl::OkStatus();
}

absl::Status edit_distance(ShapeContext& c) {
  for (int at : {0, 3}) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(at), 2));
    TROUPE_ASSIGN_OR_RETURN(PartialShape values, with_rank(c.input(at + 1), 1));
    TROUPE_ASSIGN_OR_RETURN(PartialShape shape, with_rank(c.input(at + 2), 1));
    const int64_t rank = dim_of(shape, 0), index_rank = dim_of(indices, 1);
    if (index_rank >= 0 && rank >= 0 && index_rank != rank) {
      return invalid(absl::StrCat("Index rank (", index_rank, ") and shape rank (", rank, ") do not match."));
    }
    const int64_t n = dim_of(indices, 0), m = dim_of(values, 0);
    if (n >= 0 && m >= 0 && n != m) {
      return invalid(
          absl::StrCat("Number of elements in index (", n, ") and values (", m, ") do not match."));
    }
  }
  const auto hypothesis = c.all_ints(2), truth = c.all_ints(5);
  if (!hypothesis || !truth) return absl::OkStatus();
  if (hypothesis->size() != truth->size()) {
    return invalid(absl::StrCat("Num elements of hypothesis_shape does not match truth_shape: ",
                                hypothesis->size(), " vs. ", truth->size()));
  }
  Dims dims;
  for (size_t i = 0; i + 1 < truth->size(); ++i) {
    const int64_t d = std::max((*hypothesis)[i], (*truth)[i]);
    if (d < -1) return invalid(absl::StrCat("Dimension ", d, " must be >= 0"));
    dims.push_back(d);
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status set_operation(ShapeContext& c) {
  const int64_t rank = c.input(0).known_rank() ? c.input(0).rank() : c.input(1).rank();
  if (rank >= 0 && rank < 2) return invalid(absl::StrCat("Input 0 expected rank >= 2, got ", rank, "."));
  c.set_output(0, PartialShape({kUnknownDim, rank}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, PartialShape({rank}));
  return absl::OkStatus();
}

absl::Status ragged_range(ShapeContext& c) {
  // Scalars and vectors of one length.
  int64_t rows = 1;
  bool known = true;
  PartialShape vectors;
  for (int i = 0; i < 3; ++i) {
    TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(i), 1));
    known &= c.input(i).known_rank();
    if (c.input(i).rank() == 1) {
      TROUPE_ASSIGN_OR_RETURN(vectors, merge(vectors, c.input(i)));
      rows = dim_of(vectors, 0);
      if (rows >= 0) break;
    }
  }
  int64_t splits = kUnknownDim;
  if (rows >= 0 && (known || vectors.known_rank())) {
    TROUPE_ASSIGN_OR_RETURN(splits, add_dims(rows, 1));
  }
  c.set_output(0, PartialShape({splits}));
  c.set_output(1, PartialShape({kUnknownDim}));
  return absl::OkStatus();
}

/// Values and row splits, each a vector.
absl::Status ragged_cross(ShapeContext& c) {
  c.set_output(0, unknown_of_rank(1));
  c.set_output(1, unknown_of_rank(1));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"RaggedCross", ragged_cross},
    {"EditDistance", edit_distance},
    {"SparseAdd", rule<"[?,r] [?] [?] [?,?] [?] [?] [] -> [?,?] [?] [?]">},
    {"SparseConcat", sparse_concat},
    {"SparseFillEmptyRows", fill_empty_rows},
    {"SparseReorder", sparse_reorder},
    {"SparseReshape", sparse_reshape},
    {"SparseSegmentMean", sparse_segment},
    {"SparseSegmentSqrtN", sparse_segment},
    {"SparseSegmentSum", sparse_segment},
    {"SparseSegmentMeanWithNumSegments", sparse_segment_n},
    {"SparseSegmentSqrtNWithNumSegments", sparse_segment_n},
    {"SparseSegmentSumWithNumSegments", sparse_segment_n},
    {"SparseSegmentMeanGrad", sparse_segment_gradient},
    {"SparseSegmentSqrtNGrad", sparse_segment_gradient},
    {"SparseSegmentSumGrad", sparse_segment_gradient},
    {"SparseSlice", sparse_slice},
    {"SparseTensorDenseMatMul", sparse_dense_mat_mul},
    {"SparseTensorDenseAdd", rule<"* * * S -> S">},
    {"DenseToDenseSetOperation", set_operation},
    {"RaggedRange", ragged_range},
    {"SparseToDense", shape_from_input<1>},
};

}  // namespace

absl::Status register_sparse_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
