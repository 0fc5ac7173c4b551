#include "graph/gradients/arithmetic.h"

namespace troupe {

Val binary(absl::string_view op, Val a, Val b) {
  return a.valid() && b.valid() ? a.scope()->op(op, {a, b}) : Val();
}
Val unary(absl::string_view op, Val x) { return x.valid() ? x.scope()->op(op, {x}) : Val(); }

Val operator+(Val a, Val b) { return binary("AddV2", a, b); }
Val operator-(Val a, Val b) { return binary("Sub", a, b); }
Val operator*(Val a, Val b) { return binary("Mul", a, b); }
Val operator/(Val a, Val b) { return binary("RealDiv", a, b); }
Val operator-(Val a) { return unary("Neg", a); }

namespace {
Val number(Val like, double value) {
  return like.valid() ? like.scope()->scalar(like.dtype(), value) : Val();
}
}  // namespace

Val operator+(Val a, double b) { return a + number(a, b); }
Val operator-(Val a, double b) { return a - number(a, b); }
Val operator*(Val a, double b) { return a * number(a, b); }
Val operator/(Val a, double b) { return a / number(a, b); }
Val operator+(double a, Val b) { return number(b, a) + b; }
Val operator-(double a, Val b) { return number(b, a) - b; }
Val operator*(double a, Val b) { return number(b, a) * b; }
Val operator/(double a, Val b) { return number(b, a) / b; }

Val conj(Val x) { return is_complex(x.dtype()) ? unary("Conj", x) : x; }
Val zeros_like(Val x) { return unary("ZerosLike", x); }

Val shape_of(Val x) {
  if (!x.valid()) return Val();
  // A constant is cheaper, above all in loops, where forward values would have to be kept.
  if (auto known = x.scope()->shape(x).to_shape(); known && known->num_elements() <= INT32_MAX) {
    std::vector<int> dims(known->dims().begin(), known->dims().end());
    return x.scope()->ints(dims);
  }
  return unary("Shape", x);
}

Val reshape(Val x, Val shape) { return binary("Reshape", x, shape); }
Val reshape(Val x, const std::vector<int>& shape) {
  return x.valid() ? reshape(x, x.scope()->ints(shape)) : Val();
}
Val reshape_like(Val x, Val like) { return reshape(x, shape_of(like)); }

Val reduce_sum(Val x, Val axes, bool keep_dims) {
  return x.valid() && axes.valid() ? x.scope()->op("Sum", {x, axes}, {{"keep_dims", keep_dims}}) : Val();
}

Val select(Val cond, Val a, Val b) {
  return cond.valid() && a.valid() && b.valid() ? cond.scope()->op("SelectV2", {cond, a, b}) : Val();
}

Val sum_to_shape(Val grad, Val x, Val other) {
  if (!grad.valid()) return grad;
  GradientScope& scope = *grad.scope();
  const auto mine = scope.shape(x).to_shape();
  const auto result = scope.shape(grad).to_shape();
  if (mine && result && *mine == *result) return grad;
  Val shape = shape_of(x);
  Val axes = scope.op("BroadcastGradientArgs", {shape, shape_of(other)})[0];
  return reshape(reduce_sum(grad, axes), shape);
}

Val sum_batch_to_shape(Val grad, Val x, Val other) {
  if (!grad.valid()) return grad;
  GradientScope& scope = *grad.scope();
  const PartialShape have = scope.shape(grad), want = scope.shape(x);
  if (have.fully_defined() && have == want) return grad;
  auto batch = [&](Val v) {
    return scope.op("StridedSlice", {shape_of(v), scope.ints({0}), scope.ints({-2}), scope.ints({1})},
                    {{"begin_mask", 1}});
  };
  Val axes = scope.op("BroadcastGradientArgs", {batch(x), batch(other)})[0];
  return reshape_like(reduce_sum(grad, axes), x);
}

}  // namespace troupe
