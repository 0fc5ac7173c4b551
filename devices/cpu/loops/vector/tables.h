#pragma once

#include "devices/cpu/loops/row.h"

namespace troupe {

/// out[i] = f(in[i]); `out` may be `in`.
using FloatMap = void (*)(const float* in, float* out, int64_t n);

/// Angles beyond are for the C library.
constexpr float kMostAngle = 20000.0f;

/// Functions of one float; see float_math.h for their errors.
struct FloatFunctions {
  FloatMap exp, expm1, log, log1p, sqrt, rsqrt, sigmoid, tanh, softplus, softsign, elu, selu, erf, erfc;
  FloatMap relu, relu6, abs, neg, square, reciprocal;
  /// To whole numbers: down, up, to the nearest (half to even).
  FloatMap floor, ceil, round;
  /// Of angles up to kMostAngle either way; NaN else, or anything.
  FloatMap sin, cos;
};

/// Those of one double; see double_math.h.
using DoubleMap = void (*)(const double* in, double* out, int64_t n);
struct DoubleFunctions {
  DoubleMap exp, log, sigmoid, tanh;
};

/// Rows of two operands of elements T, as binary_row has them; they never fail, and `out` may be either operand. Integers wrap.
struct IntPairs {
  BinaryRow add, sub, mul, maximum, minimum, squared_difference;
};
struct FloatPairs : IntPairs {
  BinaryRow div, mul_no_nan, div_no_nan;
  /// The angle of the point (b, a).
  BinaryRow atan2;
  /// Of outputs y and their gradients.
  BinaryRow sigmoid_grad, tanh_grad, sqrt_grad, rsqrt_grad;
  /// Of gradients, and features or outputs.
  BinaryRow relu_grad, relu6_grad, elu_grad, selu_grad, softplus_grad, softsign_grad;
};

/// Rows of two operands of elements T whose results are bools; `out` is none of the operands.
struct Comparisons {
  BinaryRow less, less_equal, equal, not_equal;
};

/// Rows of floats folded. The order of additions depends on n only, and is the same for every set.
struct FloatFolds {
  /// 0 of nothing.
  float (*sum)(const float* in, int64_t n);
  /// NaN if there is one; minus infinity of nothing.
  float (*maximum)(const float* in, int64_t n);
  /// Sum of exp(in[i] - shift).
  float (*exp_sum)(const float* in, float shift, int64_t n);
  /// The same, and each of them in out, which may be `in`.
  float (*exp_shifted)(const float* in, float shift, float* out, int64_t n);
};

/// Conversions between floats and half, bfloat16 (both rounded to even) and int32 (cut; the lowest for what does not fit).
/// `out` may be `in` where the element sizes are equal.
struct FloatCasts {
  UnaryRow from_half, to_half, from_bfloat16, to_bfloat16, from_int, to_int;
};

/// (x - mean) * factor + offset, in this order.
struct FloatScales {
  /// Of `rows` rows of `channels` floats; the three have one element a channel. `out` may be `in`.
  void (*rows)(const float* in, const float* mean, const float* factor, const float* offset, float* out,
               int64_t rows, int64_t channels);
  /// Of n floats of one channel.
  void (*channel)(const float* in, float mean, float factor, float offset, float* out, int64_t n);
};

/// Steps of optimisers over n elements, by the formulas of the ops ApplyX (dense, float). Slots may share memory with each
/// other only if they are the same.
struct FloatUpdates {
  void (*descent)(float* var, const float* grad, float alpha, int64_t n);
  void (*momentum)(float* var, float* accum, const float* grad, float lr, float momentum, bool nesterov,
                   int64_t n);
  void (*adagrad)(float* var, float* accum, const float* grad, float lr, bool update_slots, int64_t n);
  /// rest1 and rest2 are 1 - beta1 and 1 - beta2; alpha is the step with its corrections of bias.
  void (*adam)(float* var, float* m, float* v, const float* grad, float alpha, float beta1, float rest1,
               float rest2, float epsilon, bool nesterov, int64_t n);
  void (*rms_prop)(float* var, float* ms, float* mom, const float* grad, float lr, float rest, float momentum,
                   float epsilon, int64_t n);
};

/// C[m,n] = A * B, or C += A * B; A's element (i, l) is a[i * a_row + l * a_col], B and C are row-major. Each element is summed in the order of k,
/// multiplied and added in one rounding.
template <class T>
using Product = void (*)(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_col,
                         const T* b, int64_t ldb, T* c, int64_t ldc, bool accumulate);
/// Products of small matrices. Null in sets that cannot multiply and add in one rounding.
struct Products {
  Product<float> floats = nullptr;
  Product<double> doubles = nullptr;
};

/// Numbers of Philox 4x32-10: the blocks of `blocks` counters from (high, low) on, four numbers each.
struct Randoms {
  void (*bits)(uint64_t key, uint64_t low, uint64_t high, int64_t blocks, uint32_t* out);
  /// As `uniform_float` makes them of the bits.
  void (*floats)(uint64_t key, uint64_t low, uint64_t high, int64_t blocks, float* out);
};

/// All that is compiled for one instruction set. Any function may be called from any thread.
struct VectorLoops {
  FloatFunctions functions;
  DoubleFunctions double_functions;
  FloatPairs floats;
  IntPairs ints, longs, doubles;
  Comparisons float_comparisons, double_comparisons, int_comparisons, long_comparisons;
  FloatFolds folds;
  FloatCasts casts;
  FloatScales scales;
  FloatUpdates updates;
  Products products;
  Randoms randoms;
};

}  // namespace troupe
