// Einsum of one or two operands: labels of one operand alone are summed first, diagonals and permutations are copies, and what is left is
// a batch of products of matrices.
#include "absl/container/inlined_vector.h"
#include "devices/common/array_values.h"
#include "devices/common/matmul/einsum_axes.h"
#include "devices/cuda/kernels/enqueue_fold.h"
#include "devices/cuda/kernels/matmul_parts.h"
#include "devices/cuda/kernels/products.h"
#include "devices/cuda/kernels/strided_copy.h"

namespace troupe {
namespace {

/// An operand, or an intermediate: its memory, and the axes longer than 1 in the order of the memory.
struct Operand {
  Tensor data;
  EinsumAxes axes;
};

absl::Status copy(KernelContext& context, const Tensor& from, const EinsumAxes& from_axes,
                  const EinsumAxes& to_axes, Tensor* to) {
  StridedCopy strided;
  for (size_t i = 0; i < from_axes.size(); ++i)
    strided.add(from_axes[i].size, from_axes[i].stride, to_axes[i].stride);
  return strided.enqueue(context, from.dtype(), from.raw(), to->raw());
}

/// The operand with its axes in that order and dense: a copy unless it is so already.
absl::StatusOr<Operand> arrange(KernelContext& context, const Operand& o, const std::vector<int>& labels) {
  EinsumAxes from = in_order(o.axes, labels);
  if (is_dense(from)) return Operand{o.data, std::move(from)};
  Operand result{Tensor(), from};
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(o.data.dtype(), Shape{elements_of(from)}));
  TROUPE_RETURN_IF_ERROR(copy(context, o.data, from, result.axes, &result.data));
  return result;
}

/// Sums over all labels that are not in `kept`, whose order the result has.
absl::StatusOr<Operand> sum_out(KernelContext& context, const Operand& o, const std::vector<int>& kept) {
  if (kept.size() == o.axes.size()) return arrange(context, o, kept);
  FoldPlan plan;
  Operand result{Tensor(), in_order(o.axes, kept)};
  for (const EinsumAxis& a : result.axes) TROUPE_RETURN_IF_ERROR(add_dim(&plan.kept, a.size, a.stride));
  for (const EinsumAxis& a : o.axes) {
    if (!has_label(kept, a.label)) TROUPE_RETURN_IF_ERROR(add_dim(&plan.reduced, a.size, a.stride));
  }
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(result.data,
                          context.allocate_temp(o.data.dtype(), Shape{elements_of(result.axes)}));
  TROUPE_RETURN_IF_ERROR(enqueue_fold(context, "sum", o.data.dtype(), o.data.raw(), result.data.raw(), plan));
  return result;
}

/// The operand as a batch of matrices, rows by columns, transposed when its memory has it that way.
absl::StatusOr<Operand> as_matrices(KernelContext& context, const Operand& o, const std::vector<int>& batch,
                                    const std::vector<int>& rows, const std::vector<int>& cols,
                                    MatrixForm* form) {
  const std::vector<int> plain = joined({&batch, &rows, &cols}), turned = joined({&batch, &cols, &rows});
  const bool transposed = !is_dense(in_order(o.axes, plain)) && is_dense(in_order(o.axes, turned));
  *form = transposed ? MatrixForm::kTransposed : MatrixForm::kPlain;
  return arrange(context, o, transposed ? turned : plain);
}

/// The product of two operands without solo labels; `wanted` are the output's labels in order.
absl::StatusOr<Operand> contract(KernelContext& context, const Operand* a, const Operand* b,
                                 const std::vector<int>& wanted) {
  const Contraction c = plan_contraction(a->axes, b->axes, wanted);
  if (c.swapped) std::swap(a, b);
  MatrixProduct p;
  p.dtype = a->data.dtype();
  p.batch = elements_of(in_order(a->axes, c.batch));
  p.m = elements_of(in_order(a->axes, c.rows));
  p.n = elements_of(in_order(b->axes, c.cols));
  p.k = elements_of(in_order(a->axes, c.inner));
  p.a_stride = p.m * p.k;
  p.b_stride = p.k * p.n;
  TROUPE_ASSIGN_OR_RETURN(const Operand left, as_matrices(context, *a, c.batch, c.rows, c.inner, &p.a));
  TROUPE_ASSIGN_OR_RETURN(const Operand right, as_matrices(context, *b, c.batch, c.inner, c.cols, &p.b));
  Operand result;
  result.axes = in_order(a->axes, joined({&c.batch, &c.rows}));
  for (const EinsumAxis& axis : in_order(b->axes, c.cols)) result.axes.push_back(axis);
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{p.batch, p.m, p.n}}));
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(p.dtype, shape));
  TROUPE_RETURN_IF_ERROR(enqueue_product(context, p, left.data.raw(), right.data.raw(), result.data.raw()));
  return result;
}

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
      TROUPE_ASSIGN_OR_RETURN(result, sum_out(context, operands[0], plan.wanted));
    } else {
      for (size_t i = 0; i < 2; ++i) {
        const std::vector<int> kept = plan.kept(i);
        if (kept.size() == operands[i].axes.size()) continue;
        TROUPE_ASSIGN_OR_RETURN(operands[i], sum_out(context, operands[i], kept));
      }
      TROUPE_ASSIGN_OR_RETURN(result, contract(context, &operands[0], &operands[1], plan.wanted));
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
    if (elements_of(to) != out->num_elements()) TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, out));
    return copy(context, result.data, from, to, out);
  }

  Equation equation_;
};

}  // namespace

void register_cuda_einsum(KernelRegistry* registry) {
  registry->add(KernelDef("Einsum")
                    .device("GPU")
                    .types("T", {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16,
                                 DataType::kComplex64, DataType::kComplex128})
                    .kernel<Einsum>());
}

}  // namespace troupe
