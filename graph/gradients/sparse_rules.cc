// Sparse and ragged tensors: gradients of their values.

#include "graph/gradients/gradient_registry.h"
#include "graph/gradients/matrix_values.h"

namespace troupe {
namespace {

Val at(Val dense, Val indices) { return binary("GatherNd", dense, indices); }

/// Column i of indices.
Val column(Rule& r, Val indices, int i) {
  return r.op("StridedSlice", {indices, r.ints({0, i}), r.ints({0, i + 1}), r.ints({1, 1})},
              {{"begin_mask", 1}, {"end_mask", 1}, {"shrink_axis_mask", 2}});
}

Val sum_all(Rule& r, Val v) { return reduce_sum(reshape(v, {-1}), r.ints({0})); }

void to_dense(Rule& r) {
  Val values = at(r.dy(), r.x(0));
  // A scalar value stands for all indices.
  r.dx(2, sum_to_shape(values, r.x(2), values));
  if (r.wants(3)) r.dx(3, sum_all(r, r.dy()) - sum_all(r, values));
}

void reorder(Rule& r) {
  // Where each value went: its position, reordered with it.
  GradientScope& scope = r.scope();
  Val count = unary("Size", r.x(1));
  Val position = scope.op("Range", {scope.int_scalar(0), count, scope.int_scalar(1)});
  Val from = r.op("SparseReorder", {r.x(0), position, r.x(2)})[1];
  r.dx(1, r.op("GatherV2", {r.dy(1), unary("InvertPermutation", from), scope.int_scalar(0)}));
}

void add(Rule& r) {
  if (!r.has_dy(1)) return;
  Val g = r.op("SparseAddGrad", {r.dy(1), r.x(0), r.x(3), r.y(0)});
  r.dx(1, g);
  r.dx(4, g[1]);
}

void add_dense(Rule& r) {
  if (r.wants(1)) r.dx(1, at(r.dy(), r.x(0)));
  r.dx(3, r.dy());
}

void reduce(Rule& r) {
  GradientScope& scope = r.scope();
  Val shape = scope.cast(r.x(2), DataType::kInt32), rank = unary("Size", shape);
  Val axes = reshape(r.x(3), {-1});
  axes = binary("FloorMod", axes + rank, rank);
  Val all = scope.op("Range", {scope.int_scalar(0), rank, scope.int_scalar(1)});
  Val kept = scope.op("DynamicStitch",
                      {std::vector<Val>{all, axes}, std::vector<Val>{shape, unary("OnesLike", axes)}});
  Val scale = scope.cast(binary("FloorDiv", shape, kept), DataType::kInt64);
  r.dx(1, at(reshape(r.dy(), kept), binary("FloorDiv", r.x(0), scale)));
}

void slice(Rule& r) {
  if (r.has_dy(1)) r.dx(1, r.op("SparseSliceGrad", {r.dy(1), r.x(0), r.x(3), r.y(0)}));
}

void concat(Rule& r) {
  if (!r.has_dy(1)) return;
  // Values of the inputs one behind the other, then reordered along with their positions.
  const int n = r.num_inputs() / 3;
  GradientScope& scope = r.scope();
  std::vector<Val> positions;
  Val start = scope.int_scalar(0), one = scope.int_scalar(1);
  for (int i = 0; i < n; ++i) {
    Val next = start + unary("Size", r.x(n + i));
    positions.push_back(scope.op("Range", {start, next, one}));
    start = next;
  }
  Val from = r.op("SparseConcat", {r.xs(0, n), positions, r.xs(2 * n, 3 * n)},
                  {{"concat_dim", r.attr<int64_t>("concat_dim")}})[1];
  Val ordered = r.op("GatherV2", {r.dy(1), unary("InvertPermutation", from), scope.int_scalar(0)});
  for (int i = 0; i < n; ++i) {
    if (r.wants(n + i)) r.dx(n + i, r.op("GatherV2", {ordered, positions[i], scope.int_scalar(0)}));
  }
}

void mat_mul_dense(Rule& r) {
  const bool ta = r.attr<bool>("adjoint_a"), tb = r.attr<bool>("adjoint_b");
  Val indices = r.x(0), values = r.x(1), b = r.x(3), dy = r.dy();
  if (r.wants(3)) {
    Val g = r.op("SparseTensorDenseMatMul", {indices, values, r.x(2), dy},
                 {{"adjoint_a", !ta}, {"adjoint_b", false}});
    r.dx(3, tb ? adjoint(g) : g);
  }
  if (!r.wants(1)) return;
  Val row = column(r, indices, 0), col = column(r, indices, 1);
  if (ta) std::swap(row, col);
  Val zero = r.int_scalar(0);
  Val g = r.op("GatherV2", {dy, row, zero});
  Val partner = r.op("GatherV2", {tb ? adjoint(b) : b, col, zero});
  Val sum = reduce_sum(g * conj(partner), r.ints({-1}));
  r.dx(1, ta ? conj(sum) : sum);
}

/// The dense operand as it is broadcast to each value, and where its gradients go.
void with_dense(Rule& r, bool product) {
  GradientScope& scope = r.scope();
  Val indices = r.x(0), shape = r.x(2), dense = r.x(3), dy = r.dy();
  Val dense_shape = r.op("Shape", {dense}, {{"out_type", DataType::kInt64}});
  Val added = reshape(unary("Size", shape) - unary("Size", dense_shape), {1});
  Val ones = r.op("Fill", {added, scope.scalar(DataType::kInt64, 1)});
  Val wide = r.op("ConcatV2", {std::vector<Val>{ones, dense_shape}, scope.int_scalar(0)});
  Val scaled = binary("FloorDiv", indices, binary("FloorDiv", shape, wide));
  Val begin = r.op("ConcatV2", {std::vector<Val>{scope.ints({0}), added}, scope.int_scalar(0)});
  scaled = r.op("Slice", {scaled, begin, scope.ints({-1, -1})});
  Val partner = at(dense, scaled);
  r.dx(1, product ? dy * conj(partner) : dy / conj(partner));
  if (!r.wants(3)) return;
  Val g = product ? dy * conj(r.x(1)) : dy * conj(-r.x(1) / unary("Square", partner));
  r.dx(3, r.op("ScatterNd", {scaled, g, dense_shape}));
}

void softmax(Rule& r) {
  Val indices = r.x(0), shape = r.x(2), y = r.y(), dy = r.dy();
  Val sum = r.op("SparseReduceSum", {indices, y * dy, shape, r.ints({-1})}, {{"keep_dims", true}});
  Val size = r.op("Shape", {sum}, {{"out_type", DataType::kInt64}});
  Val row = binary("FloorDiv", indices, binary("FloorDiv", shape, size));
  r.dx(1, (dy - at(sum, row)) * y);
}

void fill_empty_rows(Rule& r) {
  if (!r.has_dy(1)) return;
  Val g = r.op("SparseFillEmptyRowsGrad", {r.y(3), r.dy(1)});
  r.dx(1, g);
  r.dx(3, g[1]);
}

void ragged_fill_empty_rows(Rule& r) {
  if (!r.has_dy(1)) return;
  Val g = r.op("RaggedFillEmptyRowsGrad", {r.y(3), r.dy(1)});
  r.dx(1, g);
  r.dx(3, g[1]);
}

void ragged_to_sparse(Rule& r) {
  if (r.has_dy(1)) r.dx(-1, reshape_like(r.dy(1), r.x(-1)));
}

/// The same op on the positions of the values tells where each element of the result comes from; -1: the default value.
void ragged_to_tensor(Rule& r) {
  GradientScope& scope = r.scope();
  int depth = 1;
  for (const std::string& type : r.attr<std::vector<std::string>>("row_partition_types")) {
    depth += type != "FIRST_DIM_SIZE" ? 1 : 0;
  }
  Val values = r.x(1), dy = r.dy(), zero = scope.int_scalar(0), one = scope.int_scalar(1);
  auto dims = [&](Val v, int begin, int end) {
    return r.op("StridedSlice", {unary("Shape", v), r.ints({begin}), r.ints({end}), r.ints({1})},
                {{"end_mask", end == 0 ? 1 : 0}});
  };
  Val count = dim_of(unary("Shape", values), 0);
  Val positions = r.op("Range", {zero, count, one});
  Val shape = scope.cast(dims(dy, 0, depth), r.x(0).dtype());
  Val from = r.op("RaggedTensorToTensor", {shape, positions, scope.int_scalar(-1), r.xs(3, r.num_inputs())},
                  r.attrs({"row_partition_types"}));
  if (r.wants(1)) {
    Val rows =
        r.op("ConcatV2", {std::vector<Val>{reshape(unary("Size", from), {1}), dims(values, 1, 0)}, zero});
    Val summed = r.op("UnsortedSegmentSum", {reshape(dy, rows), reshape(from, {-1}), count});
    r.dx(1, reshape_like(summed, values));
  }
  if (!r.wants(2)) return;
  Val inner = r.op("Fill", {reshape(unary("Rank", dy) - unary("Rank", from), {1}), one});
  Val wide = r.op("ConcatV2", {std::vector<Val>{unary("Shape", from), inner}, zero});
  Val by_default = reshape(binary("Less", from, zero), wide);
  r.dx(2, sum_to_shape(select(by_default, dy, zeros_like(dy)), r.x(2), r.y()));
}

void ragged_to_variant(Rule& r) {
  const int rank = r.num_inputs() - 1;
  Val splits = rank == 0 ? r.scope().constant(Tensor(DataType::kInt64, Shape{0})) : r.x(0);
  r.dx(-1, r.op("RaggedTensorToVariantGradient", {r.dy(), splits, unary("Shape", r.x(-1))},
                {{"Tvalues", r.x(-1).dtype()}}));
}

void ragged_from_variant(Rule& r) {
  const int last = r.num_outputs() - 1;
  std::vector<Val> splits;
  for (int i = 0; i < last; ++i) splits.push_back(r.y(i));
  const PartialShape shape = r.shape(r.x(0));
  const bool batched = shape.known_rank() ? shape.rank() == 1 : r.attr<int64_t>("output_ragged_rank") > 0;
  r.dx(0, r.op("RaggedTensorToVariant", {splits, r.dy(last)},
               {{"batched_input", batched}, {"Tsplits", r.attr<DataType>("Tsplits")}}));
}

/// Rows of the values that went into each row that was gathered, and back to them.
void ragged_gather(Rule& r) {
  const int values = r.num_inputs() - 2;
  GradientScope& scope = r.scope();
  Val zero = scope.int_scalar(0), starts = r.x(0);
  // Where each outermost row begins among the values.
  for (int i = 1; i < values; ++i) starts = r.op("GatherV2", {r.x(i), starts, zero});
  Val ends = r.op("StridedSlice", {starts, r.ints({1}), r.ints({0}), r.ints({1})}, {{"end_mask", 1}});
  Val rows = reshape(r.x(-1), {-1});
  Val begin = r.op("GatherV2", {starts, rows, zero}), end = r.op("GatherV2", {ends, rows, zero});
  Val from =
      r.op("RaggedRange", {begin, end, scope.scalar(begin.dtype(), 1)}, {{"Tsplits", begin.dtype()}})[1];
  r.dx(values, r.op("UnsortedSegmentSum", {r.dy(-1), from, dim_of(unary("Shape", r.x(values)), 0)}));
}

const RuleRow kRows[] = {
    {"SparseToDense", to_dense},
    {"SparseReorder", reorder},
    {"SparseAdd", add},
    {"SparseTensorDenseAdd", add_dense},
    {"SparseReduceSum", reduce},
    {"SparseSlice", slice},
    {"SparseConcat", concat},
    {"SparseTensorDenseMatMul", mat_mul_dense},
    {"SparseDenseCwiseMul", [](Rule& r) { with_dense(r, true); }},
    {"SparseDenseCwiseDiv", [](Rule& r) { with_dense(r, false); }},
    {"SparseSoftmax", softmax},
    {"SparseFillEmptyRows", fill_empty_rows},
    {"RaggedFillEmptyRows", ragged_fill_empty_rows},
    {"RaggedGather", ragged_gather},
    {"RaggedTensorToSparse", ragged_to_sparse},
    {"RaggedTensorToTensor", ragged_to_tensor},
    {"RaggedTensorToVariant", ragged_to_variant},
    {"RaggedTensorFromVariant", ragged_from_variant},
};

}  // namespace

std::span<const RuleRow> sparse_rules() { return kRows; }

}  // namespace troupe
