#include "devices/common/matmul/einsum.h"

#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "devices/common/array_values.h"

namespace troupe {
namespace {

/// Between two orders of the same axes.
BoxAxes box_axes(const EinsumAxes& from, const EinsumAxes& to) {
  BoxAxes axes;
  for (size_t i = 0; i < from.size(); ++i) axes.push_back({from[i].size, from[i].stride, to[i].stride});
  return axes;
}

int64_t size_of(const EinsumOperand& o, const std::vector<int>& labels) {
  return elements_of(in_order(o.axes, labels));
}

}  // namespace

absl::Status EinsumKernel::init(const KernelConstruction& c) {
  TROUPE_ASSIGN_OR_RETURN(std::string text, c.attr<std::string>("equation"));
  TROUPE_ASSIGN_OR_RETURN(equation_, parse_equation(text));
  if (static_cast<int>(equation_.inputs.size()) != c.num_inputs()) {
    return invalid("Expected ", equation_.inputs.size(), " inputs for equation '", text,
                   "' but got: ", c.num_inputs());
  }
  return absl::OkStatus();
}

absl::Status EinsumKernel::compute(KernelContext& context) {
  absl::InlinedVector<const Shape*, 2> shapes;
  for (int i = 0; i < context.num_inputs(); ++i) shapes.push_back(&context.input(i).shape());
  TROUPE_ASSIGN_OR_RETURN(const EinsumPlan plan, plan_einsum(equation_, shapes));
  std::vector<EinsumOperand> operands;
  for (size_t i = 0; i < plan.operands.size(); ++i)
    operands.push_back({context.input(static_cast<int>(i)), plan.operands[i]});
  EinsumOperand result;
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

absl::StatusOr<EinsumOperand> EinsumKernel::arrange(KernelContext& context, const EinsumOperand& o,
                                                    const std::vector<int>& labels) const {
  EinsumAxes from = in_order(o.axes, labels);
  if (is_dense(from)) return EinsumOperand{o.data, std::move(from)};
  EinsumOperand result{Tensor(), from};
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(o.data.dtype(), Shape{elements_of(from)}));
  TROUPE_RETURN_IF_ERROR(copy_(context, o.data, 0, box_axes(from, result.axes), &result.data));
  return result;
}

/// Sums over all labels that are not in `kept`, whose order the result has.
absl::StatusOr<EinsumOperand> EinsumKernel::sum_out(KernelContext& context, const EinsumOperand& o,
                                                    const std::vector<int>& kept) const {
  if (kept.size() == o.axes.size()) return arrange(context, o, kept);
  EinsumOperand result{Tensor(), in_order(o.axes, kept)};
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(result.data,
                          context.allocate_temp(o.data.dtype(), Shape{elements_of(result.axes)}));
  TROUPE_RETURN_IF_ERROR(sum(context, o, kept, &result.data));
  return result;
}

/// The operand as a batch of matrices, rows by columns, transposed when its memory has it that way.
absl::StatusOr<EinsumOperand> EinsumKernel::as_matrices(KernelContext& context, const EinsumOperand& o,
                                                        const std::vector<int>& batch,
                                                        const std::vector<int>& rows,
                                                        const std::vector<int>& cols,
                                                        bool* transposed) const {
  const std::vector<int> plain = joined({&batch, &rows, &cols}), turned = joined({&batch, &cols, &rows});
  *transposed = !is_dense(in_order(o.axes, plain)) && is_dense(in_order(o.axes, turned));
  return arrange(context, o, *transposed ? turned : plain);
}

/// The product of two operands without solo labels; `wanted` are the output's labels in order.
absl::StatusOr<EinsumOperand> EinsumKernel::contract(KernelContext& context, const EinsumOperand* a,
                                                     const EinsumOperand* b,
                                                     const std::vector<int>& wanted) const {
  const Contraction c = plan_contraction(a->axes, b->axes, wanted);
  if (c.swapped) std::swap(a, b);
  EinsumProduct p{size_of(*a, c.batch), size_of(*a, c.rows), size_of(*b, c.cols), size_of(*a, c.inner)};
  TROUPE_ASSIGN_OR_RETURN(const EinsumOperand left,
                          as_matrices(context, *a, c.batch, c.rows, c.inner, &p.transpose_a));
  TROUPE_ASSIGN_OR_RETURN(const EinsumOperand right,
                          as_matrices(context, *b, c.batch, c.inner, c.cols, &p.transpose_b));
  EinsumOperand result;
  result.axes = in_order(a->axes, joined({&c.batch, &c.rows}));
  for (const EinsumAxis& axis : in_order(b->axes, c.cols)) result.axes.push_back(axis);
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{p.batch, p.m, p.n}}));
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(a->data.dtype(), shape));
  if (shape.num_elements() > 0)
    TROUPE_RETURN_IF_ERROR(multiply(context, p, left.data, right.data, &result.data));
  return result;
}

/// Puts the result into the order of the output, on the diagonal where a label is repeated.
absl::Status EinsumKernel::write(KernelContext& context, const EinsumPlan& plan,
                                 const EinsumOperand& result) const {
  const EinsumAxes from = in_order(result.axes, plan.wanted), to = plan.in_output(result.axes);
  if (plan.shape.num_elements() > 0 && is_dense(from) && is_dense(to)) {
    context.set_output(0, result.data.reshaped(plan.shape));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  if (elements_of(to) != out->num_elements()) TROUPE_RETURN_IF_ERROR(zero(context, out));
  return copy_(context, result.data, 0, box_axes(from, to), out);
}

}  // namespace troupe
