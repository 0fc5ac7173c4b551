#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/cpu/loops/vector/vector_loops.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Nanoseconds per class, roughly: an exponential in vector code.
constexpr int64_t kClassNs = 3;

template <class T>
constexpr bool kNarrow = std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;
template <class T>
using Wide = std::conditional_t<kNarrow<T>, float, T>;
/// Through the tensor's own dtype: differences of half numbers may be infinite.
template <class T>
Wide<T> rounded(Wide<T> v) {
  return static_cast<Wide<T>>(static_cast<T>(v));
}
template <class W>
using Row = Eigen::Map<Eigen::Array<W, Eigen::Dynamic, 1>>;
template <class W>
using ConstRow = Eigen::Map<const Eigen::Array<W, Eigen::Dynamic, 1>>;

// Floats in vector_loops(), doubles by Eigen.

/// NaN if there is one.
template <class W>
W greatest(const W* in, int64_t n) {
  if constexpr (std::is_same_v<W, float>) {
    return vector_loops().folds.maximum(in, n);
  } else {
    return ConstRow<W>(in, n).template maxCoeff<Eigen::PropagateNaN>();
  }
}
/// The sum of exp(in - shift).
template <class W>
W exp_sum(const W* in, W shift, int64_t n) {
  if constexpr (std::is_same_v<W, float>) {
    return vector_loops().folds.exp_sum(in, shift, n);
  } else {
    return (ConstRow<W>(in, n) - shift).exp().sum();
  }
}
/// The same, and each of them in out, which may be `in`.
template <class W>
W exp_shifted(const W* in, W shift, W* out, int64_t n) {
  if constexpr (std::is_same_v<W, float>) {
    return vector_loops().folds.exp_shifted(in, shift, out, n);
  } else {
    Row<W> y(out, n);
    y = (ConstRow<W>(in, n) - shift).exp();
    return y.sum();
  }
}

/// What a row becomes that holds NaN or +inf, or nothing but -inf.
enum class NanRow {
  /// As oneDNN has it: a NaN weighs more than everything else and stays NaN.
  kElement,
  kAll,
};
template <class T>
constexpr NanRow kNanRow =
    std::is_same_v<T, float> || std::is_same_v<T, Eigen::bfloat16> ? NanRow::kElement : NanRow::kAll;

template <class W>
void not_a_number_row(const W* in, int64_t classes, NanRow rule, W* out) {
  const W inf = std::numeric_limits<W>::infinity(), nan = std::numeric_limits<W>::quiet_NaN();
  const bool hopeless = rule == NanRow::kAll || std::all_of(in, in + classes, [&](W v) { return v == -inf; });
  for (int64_t i = 0; i < classes; ++i) {
    out[i] = hopeless || std::isnan(in[i]) || in[i] == inf ? nan : W(0);
  }
}

/// out = softmax(in), or its logarithm. `out` may be `in`.
template <class W>
void softmax_row(const W* in, int64_t classes, bool log, NanRow rule, W* out) {
  Row<W> y(out, classes);
  const W top = greatest(in, classes);
  if (!std::isfinite(top)) {
    if (!log) return not_a_number_row(in, classes, rule, out);
    y.setConstant(std::numeric_limits<W>::quiet_NaN());
  } else if (log) {
    const W sum = exp_sum(in, top, classes);
    y = ConstRow<W>(in, classes) - top - std::log(sum);
  } else {
    const W sum = exp_shifted(in, top, out, classes);
    y *= W(1) / sum;
  }
}

template <class T>
absl::Status softmax(KernelContext& context, bool log) {
  const Tensor& in = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
  if (out->num_elements() == 0) return absl::OkStatus();
  const int64_t classes = in.dim(in.rank() - 1);
  const T* from = in.flat<T>().data();
  T* to = out->flat<T>().data();
  context.parallel().parallel_for(
      in.num_elements() / classes, classes * kClassNs + 20, [&](int64_t begin, int64_t end) {
        if constexpr (kNarrow<T>) {
          std::vector<float> wide(static_cast<size_t>(classes));
          for (int64_t r = begin; r < end; ++r) {
            for (size_t i = 0; i < wide.size(); ++i)
              wide[i] = static_cast<float>(from[r * classes + static_cast<int64_t>(i)]);
            softmax_row(wide.data(), classes, log, kNanRow<T>, wide.data());
            for (size_t i = 0; i < wide.size(); ++i)
              to[r * classes + static_cast<int64_t>(i)] = static_cast<T>(wide[i]);
          }
        } else {
          for (int64_t r = begin; r < end; ++r)
            softmax_row(from + r * classes, classes, log, kNanRow<T>, to + r * classes);
        }
      });
  return absl::OkStatus();
}

absl::Status check_rank(const Tensor& t) {
  if (t.rank() >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("logits must have >= 1 dimension, got ", t.shape().to_string()));
}

template <class T>
absl::Status softmax_op(KernelContext& context) {
  const Tensor& in = context.input(0);
  // TensorFlow computes these two dtypes with oneDNN, which refuses other ranks; so do we, for equal answers.
  if (std::is_same_v<T, float> || std::is_same_v<T, Eigen::bfloat16>) {
    if (in.rank() < 1 || in.rank() > 5) return absl::AbortedError("Input dims must be <= 5 and >=1");
  }
  TROUPE_RETURN_IF_ERROR(check_rank(in));
  return softmax<T>(context, false);
}

template <class T>
absl::Status log_softmax_op(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_rank(context.input(0)));
  return softmax<T>(context, true);
}

/// Copies one row as wide numbers, repeating a single element when the row is broadcast.
template <class T>
void load_row(const T* from, int64_t count, bool repeat, std::vector<Wide<T>>* to) {
  for (size_t i = 0; i < to->size(); ++i) {
    (*to)[i] = static_cast<Wide<T>>(from[repeat || count == 1 ? 0 : static_cast<int64_t>(i)]);
  }
}

/// The shape both operands broadcast to, seen as matrices; false when they do not fit.
bool broadcast_matrices(const Shape& a, const Shape& b, int64_t* rows, int64_t* cols) {
  auto dim = [](const Shape& s, int i) { return s.rank() - 2 + i < 0 ? 1 : s.dim(s.rank() - 2 + i); };
  for (auto [i, out] : {std::pair(0, rows), std::pair(1, cols)}) {
    const int64_t x = dim(a, i), y = dim(b, i);
    if (x != y && x != 1 && y != 1) return false;
    *out = x == 1 ? y : x;
  }
  return true;
}

template <class T>
absl::Status softmax_cross_entropy(KernelContext& context) {
  const Tensor &logits = context.input(0), &labels = context.input(1);
  int64_t rows, cols;
  if (!broadcast_matrices(logits.shape(), labels.shape(), &rows, &cols)) {
    return absl::InvalidArgumentError(
        absl::StrCat("logits and labels must be broadcastable: logits_size=", logits.shape().to_string(),
                     " labels_size=", labels.shape().to_string()));
  }
  if (std::max(logits.rank(), labels.rank()) != 2) {
    return absl::InvalidArgumentError(
        "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional");
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{rows, cols}}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * loss, context.allocate_output(0, Shape{rows}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * grad, context.allocate_output(1, shape));
  if (cols == 0) {
    for (T& v : loss->flat<T>()) v = T(0);
    return absl::OkStatus();
  }
  if (rows == 0) return absl::OkStatus();
  const T *x = logits.flat<T>().data(), *p = labels.flat<T>().data();
  T *l = loss->flat<T>().data(), *g = grad->flat<T>().data();
  auto columns = [](const Tensor& t) { return t.rank() == 0 ? 1 : t.dim(t.rank() - 1); };
  const int64_t x_cols = columns(logits), p_cols = columns(labels);
  const bool x_repeats = logits.num_elements() == x_cols, p_repeats = labels.num_elements() == p_cols;
  context.parallel().parallel_for(rows, cols * kClassNs * 3 + 50, [&](int64_t begin, int64_t end) {
    using W = Wide<T>;
    std::vector<W> row(static_cast<size_t>(cols)), label(row.size()), power(row.size());
    for (int64_t r = begin; r < end; ++r) {
      load_row(x + (x_repeats ? 0 : r * x_cols), x_cols, x_cols == 1, &row);
      load_row(p + (p_repeats ? 0 : r * p_cols), p_cols, p_cols == 1, &label);
      Row<W> v(row.data(), cols);
      v -= greatest(row.data(), cols);
      for (W& shifted : row) shifted = rounded<T>(shifted);
      const W sum = exp_shifted(row.data(), W(0), power.data(), cols), log_sum = rounded<T>(std::log(sum));
      W total = 0;
      // Of what cannot be, even a share of 0 makes NaN, as in TensorFlow.
      for (size_t i = 0; i < row.size(); ++i) total += rounded<T>(label[i] * rounded<T>(log_sum - row[i]));
      l[r] = static_cast<T>(total);
      for (size_t i = 0; i < row.size(); ++i)
        g[r * cols + static_cast<int64_t>(i)] = static_cast<T>(power[i] / sum - label[i]);
    }
  });
  return absl::OkStatus();
}

template <class Label>
absl::Status check_labels(std::span<const Label> labels, int64_t classes) {
  for (Label label : labels) {
    if (label >= 0 && static_cast<int64_t>(label) < classes) continue;
    std::string all;
    for (size_t i = 0; i < labels.size() && i < 10; ++i) absl::StrAppend(&all, i == 0 ? "" : " ", labels[i]);
    if (labels.size() > 10) all += "...";
    return absl::InvalidArgumentError(absl::StrCat("Received a label value of ", label,
                                                   " which is outside the valid range of [0, ", classes,
                                                   ").  Label values: ", all));
  }
  return absl::OkStatus();
}

template <class T, class Label>
absl::Status sparse_softmax_cross_entropy(KernelContext& context) {
  const Tensor &logits = context.input(0), &labels = context.input(1);
  if (logits.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("logits must be 2-D, but got shape ", logits.shape().to_string()));
  }
  if (labels.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("labels must be 1-D, but got shape ", labels.shape().to_string()));
  }
  if (logits.dim(0) != labels.dim(0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("logits and labels must have the same first dimension, got logits shape ",
                     logits.shape().to_string(), " and labels shape ", labels.shape().to_string()));
  }
  if (logits.dim(1) <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Must have at least one class, but got logits shape ", logits.shape().to_string()));
  }
  const int64_t rows = logits.dim(0), cols = logits.dim(1);
  auto label = labels.flat<Label>();
  TROUPE_RETURN_IF_ERROR(check_labels<Label>(label, cols));
  TROUPE_ASSIGN_OR_RETURN(Tensor * loss, context.allocate_output(0, Shape{rows}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * grad, context.allocate_output(1, logits.shape()));
  const T* x = logits.flat<T>().data();
  T *l = loss->flat<T>().data(), *g = grad->flat<T>().data();
  context.parallel().parallel_for(rows, cols * kClassNs * 2 + 50, [&](int64_t begin, int64_t end) {
    using W = Wide<T>;
    std::vector<W> row(static_cast<size_t>(cols));
    for (int64_t r = begin; r < end; ++r) {
      load_row(x + r * cols, cols, cols == 1, &row);
      const W top = greatest(row.data(), cols);
      const auto hit = static_cast<size_t>(label[static_cast<size_t>(r)]);
      const W at_label = row[hit] - top;
      const W sum = exp_shifted(row.data(), top, row.data(), cols);
      l[r] = static_cast<T>(std::log(sum) - at_label);
      Row<W>(row.data(), cols) /= sum;
      row[hit] -= W(1);
      for (size_t i = 0; i < row.size(); ++i) g[r * cols + static_cast<int64_t>(i)] = static_cast<T>(row[i]);
    }
  });
  return absl::OkStatus();
}

template <class T>
void add(KernelRegistry* r) {
  r->add(KernelDef("Softmax").type<T>("T").fn(softmax_op<T>));
  r->add(KernelDef("LogSoftmax").type<T>("T").fn(log_softmax_op<T>));
  r->add(KernelDef("SoftmaxCrossEntropyWithLogits").type<T>("T").fn(softmax_cross_entropy<T>));
  const char* sparse = "SparseSoftmaxCrossEntropyWithLogits";
  r->add(KernelDef(sparse).type<T>("T").template type<int32_t>("Tlabels").fn(
      sparse_softmax_cross_entropy<T, int32_t>));
  r->add(KernelDef(sparse).type<T>("T").template type<int64_t>("Tlabels").fn(
      sparse_softmax_cross_entropy<T, int64_t>));
}

}  // namespace

void register_nn_softmax(KernelRegistry* r) {
  add<float>(r);
  add<double>(r);
  add<Eigen::half>(r);
  add<Eigen::bfloat16>(r);
}

}  // namespace troupe
