// Einsum of one or two operands: diagonals and permutations are copies, solo labels are summed first, and
// what is left is a batch of matrix products.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "devices/common/matmul/einsum_axes.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/primitives/gemm.h"

namespace troupe {
namespace {

/// An operand, or an intermediate: its memory, and the axes longer than 1 in the order of the memory.
struct Operand {
  Tensor data;
  EinsumAxes axes;
};

/// The operand with its axes in that order and dense: a copy unless it is so already.
absl::StatusOr<Operand> arrange(KernelContext& context, const Operand& o, const std::vector<int>& labels) {
  EinsumAxes from = in_order(o.axes, labels);
  if (is_dense(from)) return Operand{o.data, std::move(from)};
  Operand result{Tensor(), from};
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(o.data.dtype(), Shape{elements_of(from)}));
  Box box;
  for (size_t i = 0; i < from.size(); ++i) box.add(from[i].size, from[i].stride, result.axes[i].stride);
  copy_box(context.parallel(), o.data.dtype(), box, o.data.raw(), result.data.raw());
  return result;
}

template <class T>
using Sum =
    std::conditional_t<std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>, float,
                       std::conditional_t<std::is_same_v<T, int32_t>, uint32_t,
                                          std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>>>;

/// Sums over all labels that are not in `kept`, whose order the result has.
template <class T>
absl::StatusOr<Operand> sum_out(KernelContext& context, const Operand& o, const std::vector<int>& kept) {
  std::vector<int> order = kept;
  for (const EinsumAxis& a : o.axes) {
    if (!has_label(kept, a.label)) order.push_back(a.label);
  }
  TROUPE_ASSIGN_OR_RETURN(Operand rows, arrange(context, o, order));
  if (order.size() == kept.size()) return rows;
  Operand result{Tensor(), in_order(rows.axes, kept)};
  const int64_t count = elements_of(result.axes);
  const int64_t width =
      elements_of(EinsumAxes(rows.axes.begin() + static_cast<int64_t>(kept.size()), rows.axes.end()));
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(o.data.dtype(), Shape{count}));
  const T* from = rows.data.flat<T>().data();
  T* to = result.data.flat<T>().data();
  context.parallel().parallel_for(count, width, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Sum<T> lanes[4] = {Sum<T>(0), Sum<T>(0), Sum<T>(0), Sum<T>(0)};
      for (int64_t k = 0; k < width; ++k) lanes[k % 4] += static_cast<Sum<T>>(from[i * width + k]);
      to[i] = static_cast<T>((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
    }
  });
  return result;
}

/// C[b] = A[b] * B[b], with the shortcuts that products with extents of 1 deserve.
template <class T>
void multiply(ParallelRunner& runner, bool transpose_a, bool transpose_b, int64_t batch, int64_t m, int64_t n,
              int64_t k, const T* a, const T* b, T* c) {
  using S = Sum<T>;
  if (m == 1 && n == 1) {
    runner.parallel_for(batch, k, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        S sum(0);
        for (int64_t j = 0; j < k; ++j) sum += static_cast<S>(a[i * k + j]) * static_cast<S>(b[i * k + j]);
        c[i] = static_cast<T>(sum);
      }
    });
    return;
  }
  const MatrixOp op_a = transpose_a ? MatrixOp::kTranspose : MatrixOp::kNone;
  const MatrixOp op_b = transpose_b ? MatrixOp::kTranspose : MatrixOp::kNone;
  if (batch == 1) return parallel_gemm<T>(runner, op_a, op_b, m, n, k, a, b, c);
  const double cost = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / 10 + 300;
  runner.parallel_for(batch, static_cast<int64_t>(std::min(cost, 1e12)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      gemm<T>(op_a, op_b, m, n, k, a + i * m * k, b + i * k * n, c + i * m * n);
    }
  });
}

int64_t size_of(const Operand& o, const std::vector<int>& labels) {
  return elements_of(in_order(o.axes, labels));
}

/// The operand as a batch of matrices, rows by columns, transposed when its memory has it that way.
absl::StatusOr<Operand> as_matrices(KernelContext& context, const Operand& o, const std::vector<int>& batch,
                                    const std::vector<int>& rows, const std::vector<int>& cols,
                                    bool* transposed) {
  *transposed = !is_dense(in_order(o.axes, joined({&batch, &rows, &cols}))) &&
                is_dense(in_order(o.axes, joined({&batch, &cols, &rows})));
  return arrange(context, o, *transposed ? joined({&batch, &cols, &rows}) : joined({&batch, &rows, &cols}));
}

/// The product of two operands without solo labels; `wanted` are the output's labels in order.
template <class T>
absl::StatusOr<Operand> contract(KernelContext& context, const Operand* a, const Operand* b,
                                 const std::vector<int>& wanted) {
  const auto [batch, rows, cols, inner, swapped] = plan_contraction(a->axes, b->axes, wanted);
  if (swapped) std::swap(a, b);
  const int64_t count = size_of(*a, batch), m = size_of(*a, rows), n = size_of(*b, cols),
                k = size_of(*a, inner);
  bool transpose_a = false, transpose_b = false;
  TROUPE_ASSIGN_OR_RETURN(Operand left, as_matrices(context, *a, batch, rows, inner, &transpose_a));
  TROUPE_ASSIGN_OR_RETURN(Operand right, as_matrices(context, *b, batch, inner, cols, &transpose_b));
  Operand result;
  for (const auto& axis : in_order(a->axes, joined({&batch, &rows}))) result.axes.push_back(axis);
  for (const auto& axis : in_order(b->axes, cols)) result.axes.push_back(axis);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{count, m, n}}));
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(a->data.dtype(), shape));
  set_dense_strides(&result.axes);
  if (shape.num_elements() > 0) {
    multiply<T>(context.parallel(), transpose_a, transpose_b, count, m, n, k, left.data.flat<T>().data(),
                right.data.flat<T>().data(), result.data.flat<T>().data());
  }
  return result;
}

template <class T>
class Einsum final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string text, c.attr<std::string>("equation"));
    TROUPE_ASSIGN_OR_RETURN(equation_, parse_equation(text));
    if (static_cast<int>(equation_.inputs.size()) != c.num_inputs()) {
      return invalid("Expected ", equation_.inputs.size(), " inputs for equation '", text,
                     "' but got: ", c.num_inputs());
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    absl::InlinedVector<const Shape*, 2> shapes;
    for (int i = 0; i < context.num_inputs(); ++i) shapes.push_back(&context.input(i).shape());
    TROUPE_ASSIGN_OR_RETURN(const EinsumPlan plan, plan_einsum(equation_, shapes));
    std::vector<Operand> operands;
    for (size_t i = 0; i < plan.operands.size(); ++i)
      operands.push_back({context.input(static_cast<int>(i)), plan.operands[i]});
    Operand result;
    if (operands.size() == 1) {
      TROUPE_ASSIGN_OR_RETURN(result, sum_out<T>(context, operands[0], plan.wanted));
    } else {
      for (size_t i = 0; i < 2; ++i) {
        const std::vector<int> kept = plan.kept(i);
        if (kept.size() == operands[i].axes.size()) continue;
        TROUPE_ASSIGN_OR_RETURN(operands[i], sum_out<T>(context, operands[i], kept));
      }
      TROUPE_ASSIGN_OR_RETURN(result, contract<T>(context, &operands[0], &operands[1], plan.wanted));
    }
    return write(context, plan, result);
  }

 private:
  /// Puts the result into the order of the output, on the diagonal where a label is repeated.
  absl::Status write(KernelContext& context, const EinsumPlan& plan, const Operand& result) const {
    const EinsumAxes from = in_order(result.axes, plan.wanted), to = plan.in_output(result.axes);
    if (plan.shape.num_elements() > 0 && is_dense(from) && is_dense(to)) {
      context.set_output(0, result.data.reshaped(plan.shape));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (elements_of(to) != out->num_elements())
      fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    Box box;
    for (size_t i = 0; i < from.size(); ++i) box.add(from[i].size, from[i].stride, to[i].stride);
    copy_box(context.parallel(), out->dtype(), box, result.data.raw(), out->raw());
    return absl::OkStatus();
  }

  Equation equation_;
};

template <class... Ts>
void add_types(KernelRegistry* registry) {
  (registry->add(KernelDef("Einsum").type<Ts>("T").template kernel<Einsum<Ts>>()), ...);
}

}  // namespace

void register_matmul_einsum(KernelRegistry* registry) {
  add_types<float, double, Eigen::half, Eigen::bfloat16, int32_t, int64_t, std::complex<float>,
            std::complex<double>>(registry);
}

}  // namespace troupe
