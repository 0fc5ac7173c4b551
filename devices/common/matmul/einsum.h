#pragma once

#include <vector>

#include "devices/common/array/box_copy.h"
#include "devices/common/matmul/einsum_axes.h"
#include "devices/kernel_attrs.h"

namespace troupe {

/// An operand of Einsum, or an intermediate: its memory, and the axes longer than 1 in the order of the memory.
struct EinsumOperand {
  Tensor data;
  EinsumAxes axes;
};

/// c[b] = op(a[b]) op(b[b]) for every b of a batch, dense and row-major; op transposes or does nothing, op(a) is m by k, op(b) k by n.
struct EinsumProduct {
  int64_t batch, m, n, k;
  bool transpose_a = false, transpose_b = false;
};

/// Einsum of one or two operands: labels of one operand alone are summed first, diagonals and permutations are copies, and what is left is
/// a batch of products of matrices. How a device copies, sums and multiplies its subclasses say.
class EinsumKernel : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c);
  absl::Status compute(KernelContext& context) final;

 protected:
  explicit EinsumKernel(BoxCopy copy) : copy_(copy) {}

  /// The operand with its axes in that order and dense: a copy unless it is so already.
  absl::StatusOr<EinsumOperand> arrange(KernelContext& context, const EinsumOperand& o,
                                        const std::vector<int>& labels) const;

 private:
  /// Fills `out` with zeros.
  virtual absl::Status zero(KernelContext& context, Tensor* out) const = 0;
  /// Fills `out`, whose axes are those of `kept` in that order, with the sums over all other labels, of which there are some.
  virtual absl::Status sum(KernelContext& context, const EinsumOperand& o, const std::vector<int>& kept,
                           Tensor* out) const = 0;
  /// Fills `out`, which has elements; `k` may be 0.
  virtual absl::Status multiply(KernelContext& context, const EinsumProduct& product, const Tensor& a,
                                const Tensor& b, Tensor* out) const = 0;

  absl::StatusOr<EinsumOperand> sum_out(KernelContext& context, const EinsumOperand& o,
                                        const std::vector<int>& kept) const;
  absl::StatusOr<EinsumOperand> as_matrices(KernelContext& context, const EinsumOperand& o,
                                            const std::vector<int>& batch, const std::vector<int>& rows,
                                            const std::vector<int>& cols, bool* transposed) const;
  absl::StatusOr<EinsumOperand> contract(KernelContext& context, const EinsumOperand* a,
                                         const EinsumOperand* b, const std::vector<int>& wanted) const;
  absl::Status write(KernelContext& context, const EinsumPlan& plan, const EinsumOperand& result) const;

  const BoxCopy copy_;
  Equation equation_;
};

}  // namespace troupe
