// Gathering, scattering, and reductions of segments.

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

Val rows(Val params, Val indices) {
  if (!params.valid() || !indices.valid()) return Val();
  return params.scope()->op("GatherV2", {params, indices, params.scope()->int_scalar(0)});
}

/// The dimensions [begin, end) of a shape.
Val dims(GradientScope& scope, Val shape, Val begin, Val end) {
  auto vector = [](Val v) { return reshape(v, {1}); };
  return scope.op("StridedSlice", {shape, vector(begin), vector(end), scope.ints({1})});
}

Val product(GradientScope& scope, Val sizes) { return scope.op("Prod", {sizes, scope.ints({0})}); }

Val concat(GradientScope& scope, std::vector<Val> parts) {
  return scope.op("ConcatV2", {std::move(parts), scope.int_scalar(0)});
}

// ---- gather ----

/// Sums rows of dy, one for each index, into the rows of params.
Val sum_rows(Rule& r, Val dy, Val params_shape, Val indices) {
  GradientScope& scope = r.scope();
  Val row = scope.op("StridedSlice", {params_shape, scope.ints({1}), scope.ints({0}), scope.ints({1})},
                     {{"end_mask", 1}});
  Val count = scope.op("StridedSlice", {params_shape, scope.ints({0}), scope.ints({1}), scope.ints({1})},
                       {{"shrink_axis_mask", 1}});
  Val flat = reshape(indices, {-1});
  // The number of indices is told, not left open: rows may be empty.
  Val n = reshape(unary("Size", indices), {1});
  Val data = reshape(dy, concat(scope, {n, row}));
  return reshape(scope.op("UnsortedSegmentSum", {data, flat, count}), params_shape);
}

Val wide_enough(GradientScope& scope, Val indices) {
  return indices.dtype() == DataType::kInt16 ? scope.cast(indices, DataType::kInt32) : indices;
}

void gather(Rule& r) { r.dx(0, sum_rows(r, r.dy(), shape_of(r.x(0)), wide_enough(r.scope(), r.x(1)))); }

/// params as [batch, outer, axis, inner], indices as [batch, n], dy as [batch, outer, n, inner].
void gather_v2(Rule& r) {
  GradientScope& scope = r.scope();
  const int batch_dims = static_cast<int>(r.attr<int64_t>("batch_dims", 0));
  const Tensor axis = scope.constant_value(r.x(2));
  const bool first =
      axis.initialized() && axis.num_elements() == 1 &&
      (axis.dtype() == DataType::kInt32 ? axis.value<int32_t>() == 0
                                        : axis.dtype() == DataType::kInt64 && axis.value<int64_t>() == 0);
  if (batch_dims == 0 && first) return gather(r);
  Val shape = shape_of(r.x(0)), rank = unary("Size", shape), zero = scope.int_scalar(0);
  Val at = binary("FloorMod", scope.cast(r.x(2), DataType::kInt32) + rank, rank);
  Val indices = scope.cast(r.x(1), DataType::kInt32);
  Val b = scope.int_scalar(batch_dims);
  if (batch_dims < 0) b = unary("Rank", indices) + b;
  Val batch = product(scope, dims(scope, shape, zero, b));
  Val outer = product(scope, dims(scope, shape, b, at));
  Val length = product(scope, dims(scope, shape, at, at + 1));
  Val inner = product(scope, dims(scope, shape, at + 1, rank));
  Val per_batch = product(scope, dims(scope, shape_of(indices), b, unary("Rank", indices)));
  auto pack = [&](std::vector<Val> sizes) { return scope.op("Pack", {std::move(sizes)}); };
  Val dy = reshape(r.dy(), pack({batch, outer, per_batch, inner}));
  Val turned = binary("Transpose", dy, scope.ints({0, 2, 1, 3}));
  Val starts = reshape(scope.op("Range", {zero, batch, scope.int_scalar(1)}) * length, {-1, 1});
  Val ids = reshape(indices, pack({batch, per_batch})) + starts;
  Val data = reshape(turned, pack({batch * per_batch, outer, inner}));
  Val summed = scope.op("UnsortedSegmentSum", {data, reshape(ids, {-1}), batch * length});
  Val back =
      binary("Transpose", reshape(summed, pack({batch, length, outer, inner})), scope.ints({0, 2, 1, 3}));
  r.dx(0, reshape(back, shape));
}

void gather_nd(Rule& r) {
  Val indices = r.x(1);
  r.dx(0, r.op("ScatterNd", {indices, r.dy(), r.scope().cast(shape_of(r.x(0)), indices.dtype())}));
}

void resource_gather(Rule& r) {
  Val shape = r.op("VariableShape", {r.x(0)});
  r.dx(0, sum_rows(r, r.dy(), shape, wide_enough(r.scope(), r.x(1))));
}

void resource_gather_nd(Rule& r) {
  Val indices = r.x(1), shape = r.op("VariableShape", {r.x(0)}, {{"out_type", indices.dtype()}});
  r.dx(0, r.op("ScatterNd", {indices, r.dy(), shape}));
}

// ---- scatter ----

Val at_indices(Rule& r, Val v, int indices) { return r.op("GatherNd", {v, r.x(indices)}); }

void scatter_nd(Rule& r) { r.dx(1, at_indices(r, r.dy(), 0)); }

void scatter_update(Rule& r) {
  if (r.wants(0)) r.dx(0, r.op("TensorScatterUpdate", {r.dy(), r.x(1), zeros_like(r.x(2))}));
  if (r.wants(2)) r.dx(2, at_indices(r, r.dy(), 1));
}

void scatter_add(Rule& r) {
  r.dx(0, r.dy());
  if (r.wants(2)) r.dx(2, at_indices(r, r.dy(), 1));
}

void scatter_sub(Rule& r) {
  r.dx(0, r.dy());
  if (r.wants(2)) r.dx(2, -at_indices(r, r.dy(), 1));
}

/// Equal parts to all that are the extreme, of the tensor and of the updates.
void scatter_extreme(Rule& r) {
  Val indices = r.x(1), y = r.y();
  const DataType t = y.dtype();
  Val kept = r.scope().cast(binary("Equal", r.x(0), y), t);
  Val taken = r.scope().cast(binary("Equal", r.x(2), at_indices(r, y, 1)), t);
  Val shape = r.scope().cast(shape_of(y), indices.dtype());
  Val count = kept + r.op("ScatterNd", {indices, taken, shape});
  Val share = r.dy() / count;
  r.dx(0, kept * share);
  r.dx(2, taken * at_indices(r, share, 1));
}

// ---- segments ----

Val ones(Val v) { return unary("OnesLike", v); }

/// A number for each row as a tensor that broadcasts over rows of the rank of `like`.
Val over_rows(GradientScope& scope, Val per_row, Val like) {
  Val rest = binary("Fill", reshape(unary("Rank", like) - unary("Rank", per_row), {1}), scope.int_scalar(1));
  return reshape(per_row, concat(scope, {unary("Shape", per_row), rest}));
}

void segment_mean(Rule& r) {
  Val ids = r.x(1), g = rows(r.dy(), ids);
  Val counts = r.op("SegmentSum", {ones(r.scope().cast(ids, r.y().dtype())), ids});
  r.dx(0, g / over_rows(r.scope(), rows(counts, ids), g));
}

void segment_extreme(Rule& r) {
  Val ids = r.x(1);
  Val hit = binary("Equal", r.x(0), rows(r.y(), ids));
  Val share = r.dy() / r.op("SegmentSum", {r.scope().cast(hit, r.y().dtype()), ids});
  Val g = rows(share, ids);
  r.dx(0, select(hit, g, zeros_like(g)));
}

/// How rows of results are looked up, and sums over segments made, for sorted and for unsorted ids.
struct Segments {
  const char* sum;
  const char* prod;
  bool unsorted;

  Val reduce(Rule& r, const char* op, Val data) const {
    return unsorted ? r.op(op, {data, r.x(1), r.x(2)}) : r.op(op, {data, r.x(1)});
  }
  /// Rows of `per_segment`; 0 where an unsorted id is negative, which drops the row.
  Val look_up(Rule& r, Val per_segment) const {
    Val ids = r.x(1);
    if (!unsorted) return rows(per_segment, ids);
    Val g = rows(per_segment, binary("Maximum", ids, zeros_like(ids)));
    Val there = binary("GreaterEqual", ids, zeros_like(ids));
    return select(over_rows(r.scope(), there, g), g, zeros_like(g));
  }
};

constexpr Segments kSorted{"SegmentSum", "SegmentProd", false};
constexpr Segments kUnsorted{"UnsortedSegmentSum", "UnsortedSegmentProd", true};

/// The product of the others of the segment, which is that of the non-zero ones where a single factor is zero.
void segment_prod(Rule& r, const Segments& s) {
  Val x = r.x(0), zero = binary("Equal", x, zeros_like(x)), one = ones(x);
  Val zeros = s.reduce(r, s.sum, r.scope().cast(zero, DataType::kInt32));
  Val many = binary("Greater", zeros, ones(zeros));
  Val dy = select(many, zeros_like(r.dy()), r.dy());
  Val safe = select(zero, one, x);
  Val others = s.look_up(r, s.reduce(r, s.prod, safe));
  Val part = select(zero, others, s.look_up(r, r.y()) / safe);
  r.dx(0, s.look_up(r, dy) * part);
}

void unsorted_extreme(Rule& r) {
  Val ids = r.x(1);
  Val hit = binary("Equal", r.x(0), kUnsorted.look_up(r, r.y()));
  Val there = over_rows(r.scope(), binary("GreaterEqual", ids, zeros_like(ids)), r.x(0));
  hit = binary("LogicalAnd", hit, there);
  Val count = kUnsorted.reduce(r, kUnsorted.sum, r.scope().cast(hit, r.y().dtype()));
  Val g = kUnsorted.look_up(r, binary("DivNoNan", r.dy(), count));
  r.dx(0, select(hit, g, zeros_like(g)));
}

/// Elements of a segment were replaced by their mean; segments are numbered within each row.
void isotonic_regression(Rule& r) {
  if (!r.has_dy(0)) return;
  GradientScope& scope = r.scope();
  Val dy = r.dy(), zero = scope.int_scalar(0), shape = unary("Shape", dy);
  Val size = r.op("StridedSlice", {shape, r.ints({-1}), r.ints({0}), r.ints({1})},
                  {{"end_mask", 1}, {"shrink_axis_mask", 1}});
  Val all = unary("Size", dy), place = scope.op("Range", {zero, all, scope.int_scalar(1)});
  Val ids = reshape(r.y(1), {-1}) + binary("FloorDiv", place, size) * size;
  Val flat = reshape(dy, {-1});
  Val sums = r.op("UnsortedSegmentSum", {flat, ids, all});
  Val counts = r.op("UnsortedSegmentSum", {ones(flat), ids, all});
  Val means = rows(sums, ids) / rows(counts, ids);
  r.dx(0, scope.cast(reshape(means, shape), r.x(0).dtype()));
}

// ---- segments of rows picked by indices ----

enum class Scale { kNone, kMean, kRoot };

void sparse_segment(Rule& r, Scale scale) {
  GradientScope& scope = r.scope();
  Val indices = r.x(1), ids = r.x(2);
  Val dy = r.dy();
  if (scale != Scale::kNone) {
    Val segments =
        scope.op("StridedSlice", {shape_of(r.y()), scope.ints({0}), scope.ints({1}), scope.ints({1})},
                 {{"shrink_axis_mask", 1}});
    Val counts = scope.op("UnsortedSegmentSum", {ones(scope.cast(ids, dy.dtype())), ids, segments});
    if (scale == Scale::kRoot) counts = unary("Sqrt", counts);
    dy = binary("DivNoNan", dy, over_rows(scope, counts, dy));
  }
  r.dx(0, sum_rows(r, rows(dy, ids), shape_of(r.x(0)), indices));
}

const RuleRow kRows[] = {
    {"Gather", gather},
    {"GatherV2", gather_v2},
    {"GatherNd", gather_nd},
    {"ResourceGather", resource_gather},
    {"ResourceGatherNd", resource_gather_nd},
    {"ScatterNd", scatter_nd},
    {"ScatterNdNonAliasingAdd", scatter_add},
    {"TensorScatterUpdate", scatter_update},
    {"TensorScatterAdd", scatter_add},
    {"TensorScatterSub", scatter_sub},
    {"TensorScatterMax", scatter_extreme},
    {"TensorScatterMin", scatter_extreme},
    {"SegmentSum", [](Rule& r) { r.dx(0, rows(r.dy(), r.x(1))); }},
    {"IsotonicRegression", isotonic_regression},
    {"SegmentMean", segment_mean},
    {"SegmentMax", segment_extreme},
    {"SegmentMin", segment_extreme},
    {"SegmentProd", [](Rule& r) { segment_prod(r, kSorted); }},
    {"UnsortedSegmentSum", [](Rule& r) { r.dx(0, kUnsorted.look_up(r, r.dy())); }},
    {"UnsortedSegmentMax", unsorted_extreme},
    {"UnsortedSegmentMin", unsorted_extreme},
    {"UnsortedSegmentProd", [](Rule& r) { segment_prod(r, kUnsorted); }},
    {"SparseSegmentSum", [](Rule& r) { sparse_segment(r, Scale::kNone); }},
    {"SparseSegmentSumWithNumSegments", [](Rule& r) { sparse_segment(r, Scale::kNone); }},
    {"SparseSegmentMean", [](Rule& r) { sparse_segment(r, Scale::kMean); }},
    {"SparseSegmentMeanWithNumSegments", [](Rule& r) { sparse_segment(r, Scale::kMean); }},
    {"SparseSegmentSqrtN", [](Rule& r) { sparse_segment(r, Scale::kRoot); }},
    {"SparseSegmentSqrtNWithNumSegments", [](Rule& r) { sparse_segment(r, Scale::kRoot); }},
};

}  // namespace

std::span<const RuleRow> gather_rules() { return kRows; }

}  // namespace troupe
