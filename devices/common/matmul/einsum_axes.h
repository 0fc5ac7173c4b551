#pragma once

#include <span>
#include <vector>

#include "devices/common/matmul/einsum_equation.h"

namespace troupe {

/// One axis of an operand of Einsum; `stride` (in elements) adds up where a label is repeated, which reads the diagonal.
struct EinsumAxis {
  int label;
  int64_t size;
  int64_t stride;
};
/// The axes longer than 1 of an operand, or of an intermediate, each label once.
using EinsumAxes = std::vector<EinsumAxis>;

bool has_label(const EinsumAxes& axes, int label);
bool has_label(const std::vector<int>& labels, int label);
int64_t elements_of(const EinsumAxes& axes);
/// Row-major strides for axes in the given order.
void set_dense_strides(EinsumAxes* axes);
bool is_dense(const EinsumAxes& axes);
/// The axes of these labels, all of which are there, in their order.
EinsumAxes in_order(const EinsumAxes& axes, const std::vector<int>& labels);
std::vector<int> joined(std::initializer_list<const std::vector<int>*> parts);

/// What an equation asks of operands of certain shapes.
struct EinsumPlan {
  std::vector<EinsumAxes> operands;
  /// The output's labels, an axis each, and its shape.
  std::vector<int> labels;
  Shape shape;
  /// The labels that the result of all sums and products has: those of the output without repetitions and axes of length 1.
  std::vector<int> wanted;

  /// The labels of operand i that the other operand or the output has, too: the rest is summed first.
  std::vector<int> kept(size_t i) const;
  /// The result's axes, in the order of `wanted`, where they are in the output: on the diagonal where a label is repeated.
  EinsumAxes in_output(const EinsumAxes& result) const;
};
/// InvalidArgument when shapes do not fit the equation.
absl::StatusOr<EinsumPlan> plan_einsum(const Equation& equation, std::span<const Shape* const> shapes);

/// A product of two operands without labels of their own, as a batch of products of matrices: rows of the left by columns of the right.
struct Contraction {
  std::vector<int> batch, rows, cols, inner;
  /// The left one is the second operand.
  bool swapped = false;
};
/// The one whose result is in the order of `wanted`, where there is such.
Contraction plan_contraction(const EinsumAxes& a, const EinsumAxes& b, const std::vector<int>& wanted);

}  // namespace troupe
