// Identities, shapes, concatenation, padding, moving elements around.

#include "absl/strings/str_cat.h"
#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

void pass(Rule& r) { r.dx(0, r.dy()); }

void pass_each(Rule& r) {
  for (int i = 0; i < r.num_inputs(); ++i) {
    if (r.has_dy(i)) r.dx(i, r.dy(i));
  }
}

void same_elements(Rule& r) { r.dx(0, reshape_like(r.dy(), r.x(0))); }

void prevent(Rule& r) {
  r.scope().fail(absl::FailedPreconditionError(
      absl::StrCat("Gradient explicitly disabled. Reason: ", r.attr<std::string>("message"))));
}

/// The same op on the gradient, with all inputs but the first as they are.
void again(Rule& r, const char* op, std::initializer_list<const char*> attrs) {
  std::vector<Arg> inputs{r.dy()};
  for (int i = 1; i < r.num_inputs(); ++i) inputs.push_back(r.x(i));
  r.dx(0, r.op(op, inputs, r.attrs(attrs)));
}

// ---- concatenation ----

void concat_parts(Rule& r, int axis_input, int first) {
  const int n = r.num_inputs() - 1;
  if (n == 1) return r.dx(first, r.dy());
  std::vector<Val> shapes;
  for (Val v : r.xs(first, first + n)) shapes.push_back(shape_of(v));
  Val axis = r.scope().cast(r.x(axis_input), DataType::kInt32);
  const std::vector<Val> begins = r.scope().op_outputs("ConcatOffset", {axis, shapes});
  for (int i = 0; i < n && i < static_cast<int>(begins.size()); ++i) {
    if (r.wants(first + i)) r.dx(first + i, r.op("Slice", {r.dy(), begins[i], shapes[i]}));
  }
}

/// One part is the whole: there is no concatenation of one.
Val joined(Rule& r, Val axis) {
  if (r.num_outputs() == 1) return r.dy();
  return r.op("ConcatV2", {r.dys(0, r.num_outputs()), axis});
}

void pack(Rule& r) {
  const int n = r.num_inputs();
  Val parts = r.op("Unpack", {r.dy()}, {{"num", n}, {"axis", r.attr<int64_t>("axis")}});
  for (int i = 0; i < n; ++i) r.dx(i, parts[i]);
}

void unpack(Rule& r) {
  r.dx(0, r.op("Pack", {r.dys(0, r.num_outputs())}, {{"axis", r.attr<int64_t>("axis")}}));
}

void parallel_concat(Rule& r) {
  const int n = r.num_inputs();
  Val parts = r.op("Split", {r.int_scalar(0), r.dy()}, {{"num_split", n}});
  for (int i = 0; i < n; ++i) r.dx(i, parts[i]);
}

// ---- padding ----

void pad(Rule& r) {
  Val paddings = r.x(1);
  Val before = r.op("Unpack", {paddings}, {{"num", 2}, {"axis", 1}});
  Val inside = r.op("Slice", {r.dy(), before, r.scope().cast(shape_of(r.x(0)), paddings.dtype())});
  r.dx(0, inside);
  if (r.num_inputs() < 3 || !r.wants(2)) return;
  auto sum = [&](Val v) { return reduce_sum(reshape(v, {-1}), r.ints({0})); };
  r.dx(2, sum(r.dy()) - sum(inside));
}

// ---- repetition ----

void tile(Rule& r) {
  Val multiples = r.scope().cast(r.x(1), DataType::kInt32);
  Val shape = shape_of(r.x(0));
  // Every dimension as (how often, how long), then summed over how often.
  Val pairs = reshape(r.op("Pack", {std::vector<Val>{multiples, shape}}, {{"axis", 1}}), {-1});
  Val axes = r.op("Range", {r.int_scalar(0), unary("Size", pairs), r.int_scalar(2)});
  r.dx(0, reshape(reduce_sum(reshape(r.dy(), pairs), axes), shape));
}

void broadcast_to(Rule& r) { r.dx(0, sum_to_shape(r.dy(), r.x(0), r.y())); }

void fill(Rule& r) { r.dx(1, reduce_sum(reshape(r.dy(), {-1}), r.ints({0}))); }

// ---- moving ----

void transpose(Rule& r) { r.dx(0, r.op(r.node().op->name, {r.dy(), unary("InvertPermutation", r.x(1))})); }

void roll(Rule& r) { r.dx(0, r.op("Roll", {r.dy(), -r.x(1), r.x(2)})); }

/// Patches of ksizes from the spatial dimensions of x: every element of dy goes to where it was taken from.
void patches(Rule& r, int spatial, std::initializer_list<const char*> attrs) {
  GradientScope& scope = r.scope();
  Val shape = shape_of(r.x(0));
  const std::vector<Val> dims = scope.op_outputs("Unpack", {shape}, {{"num", spatial + 2}, {"axis", 0}});
  if (dims.empty()) return;
  Val one = scope.int_scalar(1), count = dims[1];
  for (int i = 2; i <= spatial; ++i) count = count * dims[i];
  // The same op on an image of positions tells where elements come from; 0 is padding.
  std::vector<Val> position_dims{one};
  for (int i = 1; i <= spatial; ++i) position_dims.push_back(dims[i]);
  position_dims.push_back(one);
  Val positions = scope.op("Range", {one, count + one, one});
  Val image = reshape(positions, scope.op("Pack", {position_dims}));
  Val from = reshape(r.op(r.node().op->name, {image}, r.attrs(attrs)), {-1});
  Val batch = dims[0], depth = dims[spatial + 1];
  Val flat = reshape(r.dy(), scope.op("Pack", {std::vector<Val>{batch, scope.int_scalar(-1), depth}}));
  Val turned = binary("Transpose", flat, scope.ints({1, 0, 2}));
  Val summed = scope.op("UnsortedSegmentSum", {turned, from, count + one});
  Val inside = scope.op("Slice", {summed, scope.ints({1, 0, 0}), scope.ints({-1, -1, -1})});
  r.dx(0, reshape(binary("Transpose", inside, scope.ints({1, 0, 2})), shape));
}

// ---- diagonals ----

void matrix_diag_part(Rule& r) { r.dx(0, r.op("MatrixSetDiag", {zeros_like(r.x(0)), r.dy()})); }

void matrix_set_diag(Rule& r) {
  if (r.wants(0)) r.dx(0, r.op("MatrixSetDiag", {r.dy(), zeros_like(r.x(1))}));
  if (r.wants(1)) r.dx(1, r.op("MatrixDiagPart", {r.dy()}));
}

/// V2 and V3 take diagonals k, V3 aligned.
template <char kVersion>
struct Diagonals {
  static AttrMap align(const Rule& r) { return r.attrs({"align"}); }
  static std::string op(absl::string_view name) { return absl::StrCat(name, "V", std::string(1, kVersion)); }

  static void diag(Rule& r) { r.dx(0, r.op(op("MatrixDiagPart"), {r.dy(), r.x(1), r.scalar(0)}, align(r))); }
  static void diag_part(Rule& r) {
    r.dx(0, r.op(op("MatrixSetDiag"), {zeros_like(r.x(0)), r.dy(), r.x(1)}, align(r)));
  }
  static void set_diag(Rule& r) {
    if (r.wants(0)) r.dx(0, r.op(op("MatrixSetDiag"), {r.dy(), zeros_like(r.x(1)), r.x(2)}, align(r)));
    if (r.wants(1)) r.dx(1, r.op(op("MatrixDiagPart"), {r.dy(), r.x(2), r.scalar(0)}, align(r)));
  }
};

// ---- quantisation ----

void fake_quant_args(Rule& r) {
  r.dx(0, r.op("FakeQuantWithMinMaxArgsGradient", {r.dy(), r.x(0)},
               r.attrs({"min", "max", "num_bits", "narrow_range"})));
}

void fake_quant_vars(Rule& r) {
  const std::string op = absl::StrCat(r.node().op->name, "Gradient");
  Val g = r.op(op, {r.dy(), r.x(0), r.x(1), r.x(2)}, r.attrs({"num_bits", "narrow_range"}));
  for (int i = 0; i < 3; ++i) r.dx(i, g[i]);
}

void quantize_v4(Rule& r) {
  Val g = r.op("QuantizeAndDequantizeV4Grad", {r.dy(), r.x(0), r.x(1), r.x(2)}, r.attrs({"axis"}));
  for (int i = 0; i < 3; ++i) r.dx(i, g[i]);
}

const RuleRow kRows[] = {
    {"Identity", pass},
    {"RefIdentity", pass},
    {"IdentityN", pass_each},
    {"Snapshot", pass},
    {"DeepCopy", pass},
    {"Copy", pass},
    {"CopyHost", pass},
    {"DebugGradientIdentity", pass},
    {"DebugIdentityV2", pass},
    {"DebugGradientRefIdentity", pass},
    {"EnsureShape", pass},
    {"GuaranteeConst", pass},
    {"PlaceholderWithDefault", pass},
    {"Print", pass},
    {"CheckNumerics",
     [](Rule& r) {
       r.dx(0, r.op("CheckNumerics", {r.dy()},
                    {{"message", "Not a number (NaN) or infinity (Inf) values detected in gradient."}}));
     }},
    {"CheckNumericsV2",
     [](Rule& r) {
       r.dx(0, r.op("CheckNumericsV2", {r.dy()},
                    {{"message", "Not a number (NaN) or infinity (Inf) values detected in gradient."}}));
     }},
    {"PreventGradient", prevent},
    {"StopGradient", nullptr},
    {"Reshape", same_elements},
    {"ExpandDims", same_elements},
    {"Squeeze", same_elements},
    {"Concat", [](Rule& r) { concat_parts(r, 0, 1); }},
    {"ConcatV2", [](Rule& r) { concat_parts(r, -1, 0); }},
    {"ParallelConcat", parallel_concat},
    {"Split", [](Rule& r) { r.dx(1, joined(r, r.x(0))); }},
    {"SplitV", [](Rule& r) { r.dx(0, joined(r, r.x(2))); }},
    {"Pack", pack},
    {"Unpack", unpack},
    {"Pad", pad},
    {"PadV2", pad},
    {"MirrorPad", [](Rule& r) { again(r, "MirrorPadGrad", {"mode"}); }},
    {"MirrorPadGrad", [](Rule& r) { again(r, "MirrorPad", {"mode"}); }},
    {"Tile", tile},
    {"BroadcastTo", broadcast_to},
    {"Fill", fill},
    {"Transpose", transpose},
    {"ConjugateTranspose", transpose},
    {"Reverse", [](Rule& r) { again(r, "Reverse", {}); }},
    {"ReverseV2", [](Rule& r) { again(r, "ReverseV2", {}); }},
    {"ReverseSequence",
     [](Rule& r) {
       again(r, "ReverseSequence", {"seq_dim", "batch_dim"});
     }},
    {"Roll", roll},
    {"SpaceToBatch", [](Rule& r) { again(r, "BatchToSpace", {"block_size"}); }},
    {"BatchToSpace", [](Rule& r) { again(r, "SpaceToBatch", {"block_size"}); }},
    {"SpaceToBatchND", [](Rule& r) { again(r, "BatchToSpaceND", {}); }},
    {"BatchToSpaceND", [](Rule& r) { again(r, "SpaceToBatchND", {}); }},
    {"SpaceToDepth",
     [](Rule& r) {
       again(r, "DepthToSpace", {"block_size", "data_format"});
     }},
    {"DepthToSpace",
     [](Rule& r) {
       again(r, "SpaceToDepth", {"block_size", "data_format"});
     }},
    {"ExtractImagePatches",
     [](Rule& r) {
       patches(r, 2, {"ksizes", "strides", "rates", "padding"});
     }},
    {"ExtractVolumePatches",
     [](Rule& r) {
       patches(r, 3, {"ksizes", "strides", "padding"});
     }},
    {"Diag", [](Rule& r) { r.dx(0, r.op("DiagPart", {r.dy()})); }},
    {"DiagPart", [](Rule& r) { r.dx(0, r.op("Diag", {r.dy()})); }},
    {"MatrixDiag", [](Rule& r) { r.dx(0, r.op("MatrixDiagPart", {r.dy()})); }},
    {"BatchMatrixDiag", [](Rule& r) { r.dx(0, r.op("MatrixDiagPart", {r.dy()})); }},
    {"MatrixDiagPart", matrix_diag_part},
    {"BatchMatrixDiagPart", matrix_diag_part},
    {"MatrixSetDiag", matrix_set_diag},
    {"BatchMatrixSetDiag", matrix_set_diag},
    {"MatrixDiagV2", Diagonals<'2'>::diag},
    {"MatrixDiagPartV2", Diagonals<'2'>::diag_part},
    {"MatrixSetDiagV2", Diagonals<'2'>::set_diag},
    {"MatrixDiagV3", Diagonals<'3'>::diag},
    {"MatrixDiagPartV3", Diagonals<'3'>::diag_part},
    {"MatrixSetDiagV3", Diagonals<'3'>::set_diag},
    {"MatrixBandPart", [](Rule& r) { again(r, "MatrixBandPart", {}); }},
    {"BatchMatrixBandPart", [](Rule& r) { again(r, "MatrixBandPart", {}); }},
    {"FakeQuantWithMinMaxArgs", fake_quant_args},
    {"FakeQuantWithMinMaxVars", fake_quant_vars},
    {"FakeQuantWithMinMaxVarsPerChannel", fake_quant_vars},
    {"QuantizeAndDequantize", pass},
    {"QuantizeAndDequantizeV2", pass},
    {"QuantizeAndDequantizeV3", pass},
    {"QuantizeAndDequantizeV4", quantize_v4},
};

}  // namespace

std::span<const RuleRow> array_rules() { return kRows; }

}  // namespace troupe
