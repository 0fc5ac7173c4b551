// Resizing, cropping, transforming images; colours.

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

/// Height and width of NHWC images.
Val image_size(Rule& r, Val images) {
  return r.op("StridedSlice", {unary("Shape", images), r.ints({1}), r.ints({3}), r.ints({1})});
}

void resize(Rule& r, const char* op) {
  // Without floats there is nothing to move.
  if (is_floating(r.x(0).dtype())) r.dx(0, r.like(op, {r.dy(), r.x(0)}));
}

void resize_nearest(Rule& r) {
  r.dx(0, r.like("ResizeNearestNeighborGrad", {r.dy(), image_size(r, r.x(0))}));
}

void scale_and_translate(Rule& r) {
  GradientScope& scope = r.scope();
  const DataType type = r.x(0).dtype();
  Val g = r.like("ScaleAndTranslateGrad", {r.dy(), scope.cast(r.x(0), DataType::kFloat), r.x(2), r.x(3)});
  r.dx(0, scope.cast(g, type));
}

void crop_and_resize(Rule& r) {
  const DataType type = r.x(0).dtype();
  if (r.wants(0) && is_floating(type)) {
    AttrMap attrs = r.attrs_for("CropAndResizeGradImage");
    attrs.set("T", type);
    r.dx(0,
         r.op("CropAndResizeGradImage", {r.dy(), r.x(1), r.x(2), unary("Shape", r.x(0))}, std::move(attrs)));
  }
  if (r.wants(1)) {
    r.dx(1, r.op("CropAndResizeGradBoxes", {r.dy(), r.x(0), r.x(1), r.x(2)}, {{"method", "bilinear"}}));
  }
}

/// The gradient goes back by the inverse transforms.
void projective_transform(Rule& r) {
  GradientScope& scope = r.scope();
  Val flat = r.x(1);
  Val last = scope.op("OnesLike", {scope.op("Slice", {flat, scope.ints({0, 0}), scope.ints({-1, 1})})});
  Val whole = scope.op("ConcatV2", {std::vector<Val>{flat, last}, scope.int_scalar(1)});
  Val inverse = reshape(unary("MatrixInverse", reshape(whole, {-1, 3, 3})), {-1, 9});
  Val scale = scope.op("Slice", {inverse, scope.ints({0, 8}), scope.ints({-1, 1})});
  Val back = scope.op("Slice", {inverse / scale, scope.ints({0, 0}), scope.ints({-1, 8})});
  std::vector<Arg> inputs{r.dy(), back, image_size(r, r.x(0))};
  if (r.num_inputs() == 4) inputs.push_back(scope.scalar(DataType::kFloat, 0));
  const std::string op = r.node().op->name;
  AttrMap attrs = r.num_inputs() == 4 ? r.attrs({"interpolation", "fill_mode"}) : r.attrs({"interpolation"});
  r.dx(0, scope.op(op, inputs, std::move(attrs)));
}

/// With M and m the largest and smallest channel: V = M, S = 1 - m / M, H = (n / (M - m) + where) / 6, where n is the
/// difference of the two channels that are not the largest.
void rgb_to_hsv(Rule& r) {
  GradientScope& scope = r.scope();
  Val x = r.x(0);
  const DataType type = x.dtype();
  Val zero = scope.scalar(type, 0), one = scope.scalar(type, 1);
  auto one_hot = [&](const char* op) {
    return r.op("OneHot", {r.op(op, {x, r.int_scalar(-1)}), r.int_scalar(3), one, zero});
  };
  Val largest = one_hot("ArgMax"), smallest = one_hot("ArgMin");
  auto channel = [&](Val mask) { return reduce_sum(mask * x, r.int_scalar(-1), true); };
  Val max = channel(largest), min = channel(smallest), range = max - min;
  // Rows: what n counts when red, green, blue is the largest.
  Val signs = scope.cast(
      scope.constant(Tensor::from<float>(Shape{3, 3}, {0.F, 1.F, -1.F, -1.F, 0.F, 1.F, 1.F, -1.F, 0.F})),
      type);
  Val dn = reshape_like(r.op("MatMul", {reshape(largest, {-1, 3}), signs}), x);
  Val n = channel(dn);
  auto divide = [](Val a, Val b) { return binary("DivNoNan", a, b); };
  Val dh = (divide(dn, range) - divide(n * (largest - smallest), range * range)) / 6.0;
  Val ds = divide(largest * min, max * max) - divide(smallest, max);
  const std::vector<Val> dy = scope.op_outputs("Split", {r.int_scalar(-1), r.dy()}, {{"num_split", 3}});
  if (dy.size() == 3) r.dx(0, dy[0] * dh + dy[1] * ds + dy[2] * largest);
}

const RuleRow kRows[] = {
    {"ResizeBilinear", [](Rule& r) { resize(r, "ResizeBilinearGrad"); }},
    {"ResizeBicubic", [](Rule& r) { resize(r, "ResizeBicubicGrad"); }},
    {"ResizeNearestNeighbor", resize_nearest},
    {"ScaleAndTranslate", scale_and_translate},
    {"CropAndResize", crop_and_resize},
    {"ImageProjectiveTransformV2", projective_transform},
    {"ImageProjectiveTransformV3", projective_transform},
    {"RGBToHSV", rgb_to_hsv},
};

}  // namespace

std::span<const RuleRow> image_rules() { return kRows; }

}  // namespace troupe
