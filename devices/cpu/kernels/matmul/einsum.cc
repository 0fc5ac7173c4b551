// How CPUs sum and multiply in Einsum (devices/common/matmul/einsum.h).
#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <type_traits>
#include <vector>

#include "devices/common/matmul/einsum.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/box_copy.h"
#include "devices/cpu/primitives/gemm.h"

namespace troupe {
namespace {

template <class T>
using Sum =
    std::conditional_t<std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>, float,
                       std::conditional_t<std::is_same_v<T, int32_t>, uint32_t,
                                          std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>>>;

/// With the shortcuts that products with extents of 1 deserve.
template <class T>
void multiply_matrices(ParallelRunner& runner, const EinsumProduct& p, const T* a, const T* b, T* c) {
  using S = Sum<T>;
  const int64_t batch = p.batch, m = p.m, n = p.n, k = p.k;
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
  const MatrixOp op_a = p.transpose_a ? MatrixOp::kTranspose : MatrixOp::kNone;
  const MatrixOp op_b = p.transpose_b ? MatrixOp::kTranspose : MatrixOp::kNone;
  if (batch == 1) return parallel_gemm<T>(runner, op_a, op_b, m, n, k, a, b, c);
  const double cost = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / 10 + 300;
  runner.parallel_for(batch, static_cast<int64_t>(std::min(cost, 1e12)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      gemm<T>(op_a, op_b, m, n, k, a + i * m * k, b + i * k * n, c + i * m * n);
    }
  });
}

template <class T>
class Einsum final : public EinsumKernel {
 public:
  Einsum() : EinsumKernel(copy_axes) {}

 private:
  absl::Status zero(KernelContext& context, Tensor* out) const override {
    fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    return absl::OkStatus();
  }

  absl::Status sum(KernelContext& context, const EinsumOperand& o, const std::vector<int>& kept,
                   Tensor* out) const override {
    std::vector<int> order = kept;
    for (const EinsumAxis& a : o.axes) {
      if (!has_label(kept, a.label)) order.push_back(a.label);
    }
    TROUPE_ASSIGN_OR_RETURN(const EinsumOperand rows, arrange(context, o, order));
    const int64_t width =
        elements_of(EinsumAxes(rows.axes.begin() + static_cast<int64_t>(kept.size()), rows.axes.end()));
    const T* from = rows.data.flat<T>().data();
    T* to = out->flat<T>().data();
    context.parallel().parallel_for(out->num_elements(), width, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Sum<T> lanes[4] = {Sum<T>(0), Sum<T>(0), Sum<T>(0), Sum<T>(0)};
        for (int64_t k = 0; k < width; ++k) lanes[k % 4] += static_cast<Sum<T>>(from[i * width + k]);
        to[i] = static_cast<T>((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
      }
    });
    return absl::OkStatus();
  }

  absl::Status multiply(KernelContext& context, const EinsumProduct& p, const Tensor& a, const Tensor& b,
                        Tensor* out) const override {
    multiply_matrices<T>(context.parallel(), p, a.flat<T>().data(), b.flat<T>().data(),
                         out->flat<T>().data());
    return absl::OkStatus();
  }
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
