#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "devices/common/pool/pooling.h"
#include "devices/cpu/kernels/pool/pool_rows.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Sums are kept in the dtype, or in float for the 16-bit ones.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
struct MeanOfRows {
  using Sum = SumOf<T>;
  static Sum start() { return Sum(0); }
  template <class V>
  static V join(V a, V b) {
    return a + b;
  }
  template <class V>
  static V finish(V sum, Sum taps) {
    return sum / taps;
  }
};

/// Padding does not count.
template <class T>
void avg_pool(ParallelRunner& runner, const PoolProblem& p, const T* in, T* out) {
  using Rows = PoolRows<T, MeanOfRows<T>>;
  if (Rows::suits(p)) return Rows(p).run(runner, in, out);
  const int64_t pixels = p.out_pixels(), image = p.in_pixels() * p.channels, channels = p.channels;
  const int64_t cost = p.w[0].kernel * p.w[1].kernel * p.w[2].kernel * channels / 4 + 5;
  runner.parallel_for(p.images * pixels, cost, [&](int64_t begin, int64_t end) {
    std::vector<SumOf<T>> sum(static_cast<size_t>(channels));
    for (int64_t i = begin; i < end; ++i) {
      const T* from = in + i / pixels * image;
      std::fill(sum.begin(), sum.end(), SumOf<T>(0));
      int64_t count = 0;
      p.each_tap(i % pixels, [&](int64_t pixel) {
        const T* tap = from + pixel * channels;
        for (int64_t c = 0; c < channels; ++c) sum[static_cast<size_t>(c)] += static_cast<SumOf<T>>(tap[c]);
        ++count;
      });
      T* to = out + i * channels;
      const auto divisor = static_cast<SumOf<T>>(std::max<int64_t>(count, 1));
      for (int64_t c = 0; c < channels; ++c) to[c] = static_cast<T>(sum[static_cast<size_t>(c)] / divisor);
    }
  });
}

template <class T>
void avg_pool_grad(ParallelRunner& runner, const PoolProblem& p, const T* grad, T* out) {
  const int64_t pixels = p.out_pixels(), image = p.in_pixels() * p.channels, channels = p.channels;
  const int64_t cost = p.w[0].kernel * p.w[1].kernel * p.w[2].kernel * channels / 4 * pixels + image;
  runner.parallel_for(p.images, cost, [&](int64_t begin, int64_t end) {
    std::vector<SumOf<T>> sum(static_cast<size_t>(image));
    for (int64_t n = begin; n < end; ++n) {
      std::fill(sum.begin(), sum.end(), SumOf<T>(0));
      for (int64_t i = 0; i < pixels; ++i) {
        int64_t count = 0;
        p.each_tap(i, [&](int64_t) { ++count; });
        const T* from = grad + (n * pixels + i) * channels;
        const auto share = SumOf<T>(1) / static_cast<SumOf<T>>(std::max<int64_t>(count, 1));
        p.each_tap(i, [&](int64_t pixel) {
          SumOf<T>* to = sum.data() + pixel * channels;
          for (int64_t c = 0; c < channels; ++c) to[c] += static_cast<SumOf<T>>(from[c]) * share;
        });
      }
      T* to = out + n * image;
      for (int64_t i = 0; i < image; ++i) to[i] = static_cast<T>(sum[static_cast<size_t>(i)]);
    }
  });
}

template <class T, int kSpatial>
class AvgPoolKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, kSpatial, true));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(PoolProblem p, attrs_.problem(in.shape(), "tensor_in", false));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, p.out));
    if (out->num_elements() > 0) {
      avg_pool<T>(context.parallel(), p, in.flat<T>().data(), out->flat<T>().data());
    }
    return absl::OkStatus();
  }

 private:
  PoolAttrs attrs_;
};

template <class T, int kSpatial>
class AvgPoolGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, kSpatial, true));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& sizes_tensor = context.input(0);
    const Tensor& grad = context.input(1);
    if (sizes_tensor.rank() != 1 || sizes_tensor.dim(0) != attrs_.layout.rank()) {
      return absl::InvalidArgumentError(
          absl::StrCat("orig_input_shape must be 1-dimensional and ", attrs_.layout.rank(), " elements"));
    }
    TROUPE_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, int_vector(sizes_tensor, "orig_input_shape"));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(sizes));
    if (grad.rank() != attrs_.layout.rank()) {
      return absl::InvalidArgumentError(
          absl::StrCat("out_backprop must be ", attrs_.layout.rank(), "-dimensional"));
    }
    TROUPE_ASSIGN_OR_RETURN(PoolProblem p, attrs_.problem(shape, "orig_input", false));
    if (!(grad.shape() == p.out)) {
      return absl::InvalidArgumentError(absl::StrCat("Expected grad shape to be ", p.out.to_string(),
                                                     ", but got ", grad.shape().to_string()));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() > 0) {
      avg_pool_grad<T>(context.parallel(), p, grad.flat<T>().data(), out->flat<T>().data());
    }
    return absl::OkStatus();
  }

 private:
  PoolAttrs attrs_;
};

template <class T>
void add(KernelRegistry* r) {
  r->add(KernelDef("AvgPool").type<T>("T").template kernel<AvgPoolKernel<T, 2>>());
  r->add(KernelDef("AvgPoolGrad").type<T>("T").template kernel<AvgPoolGradKernel<T, 2>>());
}

template <class T>
void add_3d(KernelRegistry* r) {
  r->add(KernelDef("AvgPool3D").type<T>("T").template kernel<AvgPoolKernel<T, 3>>());
  r->add(KernelDef("AvgPool3DGrad").type<T>("T").template kernel<AvgPoolGradKernel<T, 3>>());
}

}  // namespace

void register_pool_avg(KernelRegistry* r) {
  add<float>(r);
  add<double>(r);
  add<Eigen::half>(r);
  add<Eigen::bfloat16>(r);
  // As in TensorFlow: neither half nor double.
  add_3d<float>(r);
  add_3d<Eigen::bfloat16>(r);
}

}  // namespace troupe
