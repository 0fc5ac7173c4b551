// Slices of tensors, and the largest elements of one.

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

constexpr std::initializer_list<const char*> kMasks = {"begin_mask", "end_mask", "ellipsis_mask",
                                                       "new_axis_mask", "shrink_axis_mask"};

void slice(Rule& r) {
  Val begin = r.x(1);
  GradientScope& scope = r.scope();
  auto dims = [&](Val v) { return scope.cast(shape_of(v), begin.dtype()); };
  Val behind = dims(r.x(0)) - dims(r.y()) - begin;
  Val paddings = r.op("Pack", {std::vector<Val>{begin, behind}}, {{"axis", 1}});
  r.dx(0, r.op("Pad", {r.dy(), paddings}));
}

void strided_slice(Rule& r) {
  Val shape = r.scope().cast(shape_of(r.x(0)), r.x(1).dtype());
  r.dx(0, r.op("StridedSliceGrad", {shape, r.x(1), r.x(2), r.x(3), r.dy()}, r.attrs(kMasks)));
}

void strided_slice_grad(Rule& r) {
  r.dx(4, r.op("StridedSlice", {r.dy(), r.x(1), r.x(2), r.x(3)}, r.attrs(kMasks)));
}

void strided_slice_update(Rule& r) {
  if (r.wants(0)) {
    r.dx(0, r.op("TensorStridedSliceUpdate", {r.dy(), r.x(1), r.x(2), r.x(3), zeros_like(r.x(4))},
                 r.attrs(kMasks)));
  }
  if (!r.wants(4)) return;
  Val part = r.op("StridedSlice", {r.dy(), r.x(1), r.x(2), r.x(3)}, r.attrs(kMasks));
  r.dx(4, sum_to_shape(part, r.x(4), part));
}

/// dy goes to where the indices say, in each row of the last dimension.
void top_k(Rule& r) {
  if (!r.has_dy(0)) return;
  GradientScope& scope = r.scope();
  Val shape = shape_of(r.x(0));
  Val row = scope.op("StridedSlice", {shape, scope.ints({-1}), scope.ints({0}), scope.ints({1})},
                     {{"shrink_axis_mask", 1}, {"end_mask", 1}});
  Val size = unary("Size", r.x(0));
  Val indices = scope.cast(r.y(1), DataType::kInt32);
  Val k = scope.op("StridedSlice", {shape_of(r.y(1)), scope.ints({-1}), scope.ints({0}), scope.ints({1})},
                   {{"end_mask", 1}});
  Val by_row =
      reshape(indices, scope.op("ConcatV2", {std::vector<Val>{scope.ints({-1}), k}, scope.int_scalar(0)}));
  Val rows = binary("FloorDiv", size, binary("Maximum", row, scope.int_scalar(1)));
  Val starts = scope.op("Range", {scope.int_scalar(0), rows, scope.int_scalar(1)}) * row;
  Val flat = reshape(by_row + reshape(starts, {-1, 1}), {-1, 1});
  Val spread = r.op("ScatterNd", {flat, reshape(r.dy(), {-1}), reshape(size, {1})});
  r.dx(0, reshape(spread, shape));
}

/// Equal parts to all elements that are the one.
void nth_element(Rule& r) {
  Val wide = r.op("ExpandDims", {r.y(), r.int_scalar(-1)});
  Val hit = r.scope().cast(binary("Equal", wide, r.x(0)), r.y().dtype());
  Val count = reduce_sum(hit, r.int_scalar(-1), true);
  r.dx(0, hit / count * r.op("ExpandDims", {r.dy(), r.int_scalar(-1)}));
}

const RuleRow kRows[] = {
    {"Slice", slice},
    {"StridedSlice", strided_slice},
    {"StridedSliceGrad", strided_slice_grad},
    {"TensorStridedSliceUpdate", strided_slice_update},
    {"TopK", top_k},
    {"TopKV2", top_k},
    {"NthElement", nth_element},
};

}  // namespace

std::span<const RuleRow> slice_rules() { return kRows; }

}  // namespace troupe
