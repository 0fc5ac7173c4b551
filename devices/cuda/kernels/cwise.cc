#include "devices/cuda/kernels/cwise.h"

#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/cwise_rows.h"
#include "devices/cuda/kernels/cwise_parts.h"
#include "devices/cuda/kernels/host_kernel.h"

namespace troupe {
namespace {

using enum DataType;

/// Sets of dtypes, as those of source/elementwise.h.
enum Dtypes : unsigned {
  kWide = 1,
  kNarrow = 2,
  kFloats = kWide | kNarrow,
  kComplexes = 4,
  kNumbers = kFloats | kComplexes,
  /// int8, int16, int64.
  kSigned = 8,
  kUnsigned = 16,
  kInts = kSigned | kUnsigned,
  kInt32s = 32,
  kBools = 64,
  kHalves = 128,
  kInt64s = 256,
};

std::vector<DataType> dtypes_of(unsigned set) {
  std::vector<DataType> out;
  auto add = [&](unsigned which, std::initializer_list<DataType> dtypes) {
    if ((set & which) != 0) out.insert(out.end(), dtypes);
  };
  add(kWide, {kFloat, kDouble});
  add(kNarrow, {kHalf, kBfloat16});
  add(kHalves, {kHalf});
  add(kComplexes, {kComplex64, kComplex128});
  add(kSigned, {kInt8, kInt16, kInt64});
  add(kUnsigned, {kUint8, kUint16, kUint32, kUint64});
  add(kInt32s, {kInt32});
  add(kInt64s, {kInt64});
  add(kBools, {kBool});
  return out;
}

/// An op, the name of its kernels without their suffixes, and the dtypes of its attr T that have one.
struct Row {
  const char* op;
  CwiseKind kind;
  const char* kernel;
  unsigned dtypes;
};

constexpr Row kOperators[] = {
    {"Add", CwiseKind::kBinary, "add", kNumbers | kInts},
    {"AddV2", CwiseKind::kBinary, "add", kNumbers | kInts},
    {"Sub", CwiseKind::kBinary, "sub", kNumbers | kInts},
    {"Mul", CwiseKind::kBinary, "mul", kNumbers | kInts},
    {"MulNoNan", CwiseKind::kBinary, "mul_no_nan", kNumbers},
    {"SquaredDifference", CwiseKind::kBinary, "squared_difference", kNumbers | kInt64s},
    {"Maximum", CwiseKind::kBinary, "maximum", kFloats | kInts},
    {"Minimum", CwiseKind::kBinary, "minimum", kFloats | kInts},
    {"Div", CwiseKind::kBinary, "divide", kNumbers},
    {"Div", CwiseKind::kBinary, "truncate_div", kInts},
    {"RealDiv", CwiseKind::kBinary, "divide", kNumbers},
    {"TruncateDiv", CwiseKind::kBinary, "truncate_div", kFloats | kInts},
    {"FloorDiv", CwiseKind::kBinary, "floor_div", kFloats | kInts},
    {"FloorMod", CwiseKind::kBinary, "floor_mod", kFloats | kInts},
    {"Mod", CwiseKind::kBinary, "truncate_mod", kWide | kInt64s},
    {"TruncateMod", CwiseKind::kBinary, "truncate_mod", kWide | kInt64s},
    {"DivNoNan", CwiseKind::kBinary, "div_no_nan", kNumbers},
    {"Xdivy", CwiseKind::kBinary, "xdivy", kNumbers},
    {"Pow", CwiseKind::kBinary, "pow", kNumbers | kSigned},
    {"Less", CwiseKind::kBinary, "less", kFloats | kInts},
    {"LessEqual", CwiseKind::kBinary, "less_equal", kFloats | kInts},
    {"Greater", CwiseKind::kBinary, "greater", kFloats | kInts},
    {"GreaterEqual", CwiseKind::kBinary, "greater_equal", kFloats | kInts},
    {"Equal", CwiseKind::kEqual, "equal", kNumbers | kInts | kBools},
    {"NotEqual", CwiseKind::kNotEqual, "not_equal", kNumbers | kInts | kBools},
    {"BitwiseAnd", CwiseKind::kBinary, "bitwise_and", kInts | kInt32s},
    {"BitwiseOr", CwiseKind::kBinary, "bitwise_or", kInts | kInt32s},
    {"BitwiseXor", CwiseKind::kBinary, "bitwise_xor", kInts | kInt32s},
    {"LeftShift", CwiseKind::kBinary, "left_shift", kInts | kInt32s},
    {"RightShift", CwiseKind::kBinary, "right_shift", kInts | kInt32s},
    {"Invert", CwiseKind::kUnary, "invert", kInts | kInt32s},
    {"PopulationCount", CwiseKind::kUnary, "population_count", kInts | kInt32s},
};

constexpr Row kFunctions[] = {
    {"Abs", CwiseKind::kUnary, "abs", kFloats | kSigned},
    {"Neg", CwiseKind::kUnary, "neg", kNumbers | kSigned},
    {"Sign", CwiseKind::kUnary, "sign", kNumbers | kSigned},
    {"Square", CwiseKind::kUnary, "square", kNumbers | kInts},
    {"Reciprocal", CwiseKind::kUnary, "reciprocal", kNumbers},
    {"Inv", CwiseKind::kUnary, "reciprocal", kNumbers},
    {"Floor", CwiseKind::kUnary, "floor", kFloats},
    {"Ceil", CwiseKind::kUnary, "ceil", kFloats},
    {"Round", CwiseKind::kUnary, "round", kFloats},
    {"Rint", CwiseKind::kUnary, "round", kWide},
    {"IsNan", CwiseKind::kUnary, "is_nan", kFloats},
    {"IsInf", CwiseKind::kUnary, "is_inf", kFloats},
    {"IsFinite", CwiseKind::kUnary, "is_finite", kFloats},
    {"Exp", CwiseKind::kUnary, "exp", kNumbers},
    {"Log", CwiseKind::kUnary, "log", kNumbers},
    {"Sqrt", CwiseKind::kUnary, "sqrt", kNumbers},
    {"Rsqrt", CwiseKind::kUnary, "rsqrt", kNumbers},
    {"Expm1", CwiseKind::kUnary, "expm1", kNumbers},
    {"Log1p", CwiseKind::kUnary, "log1p", kNumbers},
    {"Sigmoid", CwiseKind::kUnary, "sigmoid", kNumbers},
    {"Tanh", CwiseKind::kUnary, "tanh", kNumbers},
    {"Xlogy", CwiseKind::kBinary, "xlogy", kNumbers},
    {"Xlog1py", CwiseKind::kBinary, "xlog1py", kNumbers},
    {"Sin", CwiseKind::kUnary, "sin", kNumbers},
    {"Cos", CwiseKind::kUnary, "cos", kNumbers},
    {"Tan", CwiseKind::kUnary, "tan", kNumbers},
    {"Sinh", CwiseKind::kUnary, "sinh", kNumbers},
    {"Cosh", CwiseKind::kUnary, "cosh", kNumbers},
    {"Asin", CwiseKind::kUnary, "asin", kFloats},
    {"Acos", CwiseKind::kUnary, "acos", kFloats},
    {"Atan", CwiseKind::kUnary, "atan", kFloats},
    {"Asinh", CwiseKind::kUnary, "asinh", kFloats},
    {"Acosh", CwiseKind::kUnary, "acosh", kFloats},
    {"Atanh", CwiseKind::kUnary, "atanh", kFloats},
    {"Atan2", CwiseKind::kBinary, "atan2", kFloats},
    {"Erf", CwiseKind::kUnary, "erf", kFloats},
    {"Erfc", CwiseKind::kUnary, "erfc", kFloats},
    {"Lgamma", CwiseKind::kUnary, "lgamma", kWide | kHalves},
    {"Digamma", CwiseKind::kUnary, "digamma", kWide | kHalves},
    {"Erfinv", CwiseKind::kUnary, "erfinv", kWide},
    {"Ndtri", CwiseKind::kUnary, "ndtri", kWide},
    {"BesselI0", CwiseKind::kUnary, "bessel_i0", kWide | kHalves},
    {"BesselI0e", CwiseKind::kUnary, "bessel_i0e", kWide | kHalves},
    {"BesselI1", CwiseKind::kUnary, "bessel_i1", kWide | kHalves},
    {"BesselI1e", CwiseKind::kUnary, "bessel_i1e", kWide | kHalves},
    {"BesselJ0", CwiseKind::kUnary, "bessel_j0", kWide | kHalves},
    {"BesselJ1", CwiseKind::kUnary, "bessel_j1", kWide | kHalves},
    {"BesselK0", CwiseKind::kUnary, "bessel_k0", kWide | kHalves},
    {"BesselK0e", CwiseKind::kUnary, "bessel_k0e", kWide | kHalves},
    {"BesselK1", CwiseKind::kUnary, "bessel_k1", kWide | kHalves},
    {"BesselK1e", CwiseKind::kUnary, "bessel_k1e", kWide | kHalves},
    {"BesselY0", CwiseKind::kUnary, "bessel_y0", kWide | kHalves},
    {"BesselY1", CwiseKind::kUnary, "bessel_y1", kWide | kHalves},
    {"Igamma", CwiseKind::kBinary, "igamma", kWide},
    {"Igammac", CwiseKind::kBinary, "igammac", kWide},
    {"IgammaGradA", CwiseKind::kBinary, "igamma_grad_a", kWide},
    {"RandomGammaGrad", CwiseKind::kBinary, "random_gamma_grad", kWide},
    {"Zeta", CwiseKind::kBinary, "zeta", kWide},
    {"Polygamma", CwiseKind::kBinary, "polygamma", kWide},
    {"NextAfter", CwiseKind::kBinary, "next_after", kWide},
};

constexpr Row kActivations[] = {
    {"Relu", CwiseKind::kUnary, "relu", kFloats},
    {"Relu6", CwiseKind::kUnary, "relu6", kFloats},
    {"Elu", CwiseKind::kUnary, "elu", kFloats},
    {"Selu", CwiseKind::kUnary, "selu", kFloats},
    {"Softplus", CwiseKind::kUnary, "softplus", kFloats},
    {"Softsign", CwiseKind::kUnary, "softsign", kFloats},
    {"ReluGrad", CwiseKind::kActivationGrad, "relu_grad", kFloats},
    {"Relu6Grad", CwiseKind::kActivationGrad, "relu6_grad", kFloats},
    {"EluGrad", CwiseKind::kActivationGrad, "elu_grad", kFloats},
    {"SeluGrad", CwiseKind::kActivationGrad, "selu_grad", kFloats},
    {"SoftplusGrad", CwiseKind::kActivationGrad, "softplus_grad", kFloats},
    {"SoftsignGrad", CwiseKind::kActivationGrad, "softsign_grad", kFloats},
    {"SigmoidGrad", CwiseKind::kOutputGrad, "sigmoid_grad", kNumbers},
    {"TanhGrad", CwiseKind::kOutputGrad, "tanh_grad", kNumbers},
    {"SqrtGrad", CwiseKind::kOutputGrad, "sqrt_grad", kNumbers},
    {"RsqrtGrad", CwiseKind::kOutputGrad, "rsqrt_grad", kNumbers},
    {"InvGrad", CwiseKind::kOutputGrad, "reciprocal_grad", kNumbers},
    {"ReciprocalGrad", CwiseKind::kOutputGrad, "reciprocal_grad", kNumbers},
};

void add_rows(KernelRegistry* registry, std::span<const Row> rows) {
  for (const Row& row : rows) {
    for (DataType dtype : dtypes_of(row.dtypes)) {
      KernelDef def = KernelDef(row.op).device("GPU").types("T", {dtype});
      def.factory = cuda_cwise_factory(row.kind, with_suffix(row.kernel, dtype));
      registry->add(std::move(def));
    }
  }
}

/// Without dtypes, or with two of them.
void add_others(KernelRegistry* registry) {
  auto add = [&](KernelDef def, CwiseKind kind, const char* kernel) {
    def.factory = cuda_cwise_factory(kind, kernel);
    registry->add(std::move(def));
  };
  add(KernelDef("LogicalAnd").device("GPU"), CwiseKind::kBinary, "logical_and_b");
  add(KernelDef("LogicalOr").device("GPU"), CwiseKind::kBinary, "logical_or_b");
  add(KernelDef("LogicalNot").device("GPU"), CwiseKind::kUnary, "logical_not_b");
  for (const auto& [complex, real] : {std::pair(kComplex64, kFloat), std::pair(kComplex128, kDouble)}) {
    auto add_part = [&, c = complex, r = real](const char* op, const char* kernel) {
      add(KernelDef(op).device("GPU").types("T", {c}).types("Tout", {r}), CwiseKind::kUnary, with_suffix(kernel, c).c_str());
    };
    add_part("Real", "real");
    add_part("Imag", "imag");
    add_part("Angle", "angle");
    add_part("ComplexAbs", "complex_abs");
    add(KernelDef("Conj").device("GPU").types("T", {complex}), CwiseKind::kUnary, with_suffix("conj", complex).c_str());
    add(KernelDef("Complex").device("GPU").types("T", {real}).types("Tout", {complex}), CwiseKind::kBinary,
        with_suffix("complex", real).c_str());
  }
}

/// What TensorFlow computes of int32 is shapes and sizes, so it does that on the host.
void add_host_rows(KernelRegistry* registry) {
  for (const char* op : {"Add", "AddV2", "Sub", "Mul", "SquaredDifference", "Maximum", "Minimum", "FloorDiv", "FloorMod", "Div",
                         "TruncateDiv", "Mod", "TruncateMod", "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"}) {
    add_host_kernel(registry, KernelDef(op).device("GPU").types("T", {kInt32}).host_memory({"x", "y", "z"}));
  }
  for (const char* op : {"Abs", "Neg", "Sign", "Square"}) {
    add_host_kernel(registry, KernelDef(op).device("GPU").types("T", {kInt32}).host_memory({"x", "y"}));
  }
}

}  // namespace

void register_cuda_cwise_kernels(KernelRegistry* registry) {
  add_rows(registry, kOperators);
  add_rows(registry, kFunctions);
  add_rows(registry, kActivations);
  add_others(registry);
  add_host_rows(registry);
  register_cuda_cwise_many(registry);
  register_cuda_cwise_select(registry);
  register_cuda_cwise_cast(registry);
  register_cuda_fused_elementwise(registry);
}

}  // namespace troupe
