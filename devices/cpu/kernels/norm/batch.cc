#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/common/norm/batch_norm.h"
#include "devices/cpu/kernels/norm/images.h"
#include "devices/cpu/loops/vector/vector_loops.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Numbers summed in float before they are added to the double total: keeps both speed and accuracy.
constexpr int64_t kNumbersPerSum = 64;
/// Sums side by side, where channels are fewer of several pixels.
constexpr int64_t kSumsAside = 256;

/// to[i] += f(at + i, mean[i]), in vector code.
template <class F>
void add_some(float* __restrict to, const float* __restrict mean, int64_t at, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) to[i] += f(at + i, mean[i]);
}

/// Adds f(element index, mean) over all elements of each channel; `means` has one a channel, or is null, for zeros. What is added to what depends on sizes
/// only, not on threads. F: float f(int64_t index, float mean).
template <class F>
std::vector<double> channel_sums(ParallelRunner& runner, const Images& s, const float* means, F f) {
  const int64_t channels = s.channels;
  std::vector<double> total(static_cast<size_t>(channels), 0.0);
  if (channels == 0) return total;
  if (s.inner != 1) {
    runner.parallel_for(channels, s.outer * s.inner + 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const float mean = means == nullptr ? 0 : means[c];
        for (int64_t o = 0; o < s.outer; ++o) {
          const int64_t base = (o * channels + c) * s.inner;
          double sum = 0;
          for (int64_t i = 0; i < s.inner; ++i) sum += static_cast<double>(f(base + i, mean));
          total[static_cast<size_t>(c)] += sum;
        }
      }
    });
    return total;
  }
  const int64_t width = std::max<int64_t>(1, kSumsAside / channels) * channels;
  std::vector<float> repeated(static_cast<size_t>(width), 0.0f);
  for (int64_t i = 0; means != nullptr && i < width; ++i) repeated[i] = means[i % channels];
  const int64_t all = s.outer * channels, part = width * kNumbersPerSum, parts = (all + part - 1) / part;
  std::vector<double> sums(static_cast<size_t>(parts * channels), 0.0);
  runner.parallel_for(parts, part, [&](int64_t begin, int64_t end) {
    std::vector<float> aside(static_cast<size_t>(width));
    for (int64_t p = begin; p < end; ++p) {
      std::fill(aside.begin(), aside.end(), 0.0f);
      const int64_t last = std::min(all, (p + 1) * part);
      for (int64_t at = p * part; at < last; at += width) {
        add_some(aside.data(), repeated.data(), at, std::min(width, last - at), f);
      }
      for (int64_t i = 0; i < width; ++i) sums[p * channels + i % channels] += static_cast<double>(aside[i]);
    }
  });
  for (int64_t i = 0; i < parts * channels; ++i) total[i % channels] += sums[i];
  return total;
}

/// to = (from - mean) * factor + offset, by channel.
void scale_channels(ParallelRunner& runner, const Images& s, const float* from, const float* mean,
                    const float* factor, const float* offset, float* to) {
  const FloatScales& scales = vector_loops().scales;
  if (s.inner == 1) {
    runner.parallel_for(s.outer, s.channels + 1, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * s.channels;
      scales.rows(from + at, mean, factor, offset, to + at, end - begin, s.channels);
    });
    return;
  }
  runner.parallel_for(s.outer * s.channels, s.inner + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t c = r % s.channels;
      scales.channel(from + r * s.inner, mean[c], factor[c], offset[c], to + r * s.inner, s.inner);
    }
  });
}

/// FusedBatchNorm, V2, V3 and _FusedBatchNormEx. Outputs: y, batch mean, batch variance (with Bessel's correction),
/// then what the gradient wants: mean and population variance, and from V3 on something empty.
template <class T>
class BatchNormKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, BatchNormAttrs::make(c));
    std::string activation = c.node().attrs.get_or<std::string>("activation_mode", "Identity");
    if (activation != "Identity" && activation != "Relu") {
      return absl::InvalidArgumentError(absl::StrCat("Unsupported activation mode: ", activation));
    }
    relu_ = activation == "Relu";
    side_input_ = c.num_inputs() > 5;
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Images s, attrs_.check(context, side_input_));
    // The statistics first: y may be written over x.
    std::vector<float> mean(static_cast<size_t>(s.channels)), variance = mean;
    TROUPE_RETURN_IF_ERROR(statistics(context, s, &mean, &variance));
    if (context.num_outputs() > 5) {
      TROUPE_RETURN_IF_ERROR(context.allocate_output(5, Shape{0}).status());
    }
    return normalise(context, s, mean, variance);
  }

 private:
  /// Computes or reads mean and population variance, and sets outputs 1 to 4.
  absl::Status statistics(KernelContext& context, const Images& s, std::vector<float>* mean,
                          std::vector<float>* variance) const {
    Tensor* out[5] = {};
    for (int i = 1; i < 5; ++i) {
      TROUPE_ASSIGN_OR_RETURN(out[i], context.allocate_output(i, Shape{s.channels}));
    }
    auto set = [&](int i, const std::vector<float>& values) {
      std::copy(values.begin(), values.end(), out[i]->flat<float>().begin());
    };
    const size_t channels = mean->size();
    if (!attrs_.training) {
      auto m = context.input(3).flat<float>(), v = context.input(4).flat<float>();
      mean->assign(m.begin(), m.end());
      variance->assign(v.begin(), v.end());
      for (int i : {1, 3}) set(i, *mean);
      for (int i : {2, 4}) set(i, *variance);
      return absl::OkStatus();
    }
    const auto count = static_cast<double>(s.per_channel());
    if (s.per_channel() == 0) {
      const std::vector<float> nan(channels, std::numeric_limits<float>::quiet_NaN());
      for (int i = 1; i < 5; ++i) set(i, nan);
      return absl::OkStatus();
    }
    const T* x = context.input(0).flat<T>().data();
    ParallelRunner& runner = context.parallel();
    std::vector<double> sums =
        channel_sums(runner, s, nullptr, [x](int64_t i, float) { return static_cast<float>(x[i]); });
    for (size_t c = 0; c < channels; ++c) (*mean)[c] = static_cast<float>(sums[c] / count);
    sums = channel_sums(runner, s, mean->data(), [x](int64_t i, float m) {
      const float d = static_cast<float>(x[i]) - m;
      return d * d;
    });
    for (size_t c = 0; c < channels; ++c) (*variance)[c] = static_cast<float>(sums[c] / count);
    set(3, *mean);
    set(4, *variance);
    const auto bessel = static_cast<float>(count / std::max(count - 1, 1.0));
    const float f = attrs_.average_factor;
    for (size_t c = 0; c < channels; ++c) {
      float new_mean = (*mean)[c], new_variance = (*variance)[c] * bessel;
      if (f != 1) {
        new_mean = (1 - f) * context.input(3).flat<float>()[c] + f * new_mean;
        new_variance = (1 - f) * context.input(4).flat<float>()[c] + f * new_variance;
      }
      out[1]->flat<float>()[c] = new_mean;
      out[2]->flat<float>()[c] = new_variance;
    }
    return absl::OkStatus();
  }

  absl::Status normalise(KernelContext& context, const Images& s, const std::vector<float>& mean,
                         const std::vector<float>& variance) const {
    const Tensor& x = context.input(0);
    auto scale = context.input(1).flat<float>(), offset = context.input(2).flat<float>();
    std::vector<float> factor(mean.size());
    for (size_t c = 0; c < factor.size(); ++c) factor[c] = scale[c] / std::sqrt(variance[c] + attrs_.epsilon);
    TROUPE_ASSIGN_OR_RETURN(Tensor * y, context.forward_or_allocate_output({0}, 0, x.shape()));
    if (y->num_elements() == 0) return absl::OkStatus();
    const T* from = x.flat<T>().data();
    const T* side = side_input_ ? context.input(5).flat<T>().data() : nullptr;
    T* to = y->flat<T>().data();
    const float *m = mean.data(), *f = factor.data(), *o = offset.data();
    if (side == nullptr && !relu_) {
      if constexpr (std::is_same_v<T, float>) {
        scale_channels(context.parallel(), s, from, m, f, o, to);
        return absl::OkStatus();
      }
      each_element(context.parallel(), s, [=](int64_t i, int64_t c) {
        to[i] = static_cast<T>((static_cast<float>(from[i]) - m[c]) * f[c] + o[c]);
      });
      return absl::OkStatus();
    }
    each_element(context.parallel(), s, [=, relu = relu_](int64_t i, int64_t c) {
      float v = (static_cast<float>(from[i]) - m[c]) * f[c] + o[c];
      if (side != nullptr) v += static_cast<float>(side[i]);
      to[i] = static_cast<T>(relu && v < 0 ? 0.0f : v);
    });
    return absl::OkStatus();
  }

  BatchNormAttrs attrs_;
  bool relu_ = false;
  bool side_input_ = false;
};

/// FusedBatchNormGrad, V2 and V3.
template <class T>
class BatchNormGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, BatchNormAttrs::make(c));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& grad = context.input(0);
    const Tensor& x = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(Images s, attrs_.check_gradient(context));
    const T *from = x.flat<T>().data(), *dy = grad.flat<T>().data();
    auto scale = context.input(2).flat<float>(), mean = context.input(3).flat<float>(),
         variance = context.input(4).flat<float>();
    const auto channels = static_cast<size_t>(s.channels);
    std::vector<float> inverse(channels);
    for (size_t c = 0; c < channels; ++c) inverse[c] = 1.0f / std::sqrt(variance[c] + attrs_.epsilon);
    const float* m = mean.data();
    ParallelRunner& runner = context.parallel();
    std::vector<double> sum_dy =
        channel_sums(runner, s, nullptr, [dy](int64_t i, float) { return static_cast<float>(dy[i]); });
    std::vector<double> sum_dyx = channel_sums(runner, s, m, [=](int64_t i, float mean_here) {
      return static_cast<float>(dy[i]) * (static_cast<float>(from[i]) - mean_here);
    });
    TROUPE_ASSIGN_OR_RETURN(Tensor * scale_grad, context.allocate_output(1, Shape{s.channels}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * offset_grad, context.allocate_output(2, Shape{s.channels}));
    for (int i : {3, 4}) {
      // The running statistics have no gradient.
      TROUPE_ASSIGN_OR_RETURN(Tensor * none, context.allocate_output(i, Shape()));
      none->flat<float>()[0] = 0;
    }
    // dx = a * dy + b * (x - mean) + d per channel.
    std::vector<float> a(channels), b(channels, 0.0f), d(channels, 0.0f);
    const auto count = static_cast<double>(s.per_channel());
    for (size_t c = 0; c < channels; ++c) {
      offset_grad->flat<float>()[c] = static_cast<float>(sum_dy[c]);
      scale_grad->flat<float>()[c] = static_cast<float>(sum_dyx[c]) * inverse[c];
      a[c] = scale[c] * inverse[c];
      if (attrs_.training) {
        b[c] = -a[c] * inverse[c] * inverse[c] * static_cast<float>(sum_dyx[c] / count);
        d[c] = -a[c] * static_cast<float>(sum_dy[c] / count);
      }
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * x_grad, context.forward_or_allocate_output({0, 1}, 0, x.shape()));
    if (x_grad->num_elements() == 0) return absl::OkStatus();
    T* to = x_grad->flat<T>().data();
    each_element(context.parallel(), s,
                 [=, pa = a.data(), pb = b.data(), pd = d.data()](int64_t i, int64_t c) {
                   to[i] = static_cast<T>(pa[c] * static_cast<float>(dy[i]) +
                                          pb[c] * (static_cast<float>(from[i]) - m[c]) + pd[c]);
                 });
    return absl::OkStatus();
  }

 private:
  BatchNormAttrs attrs_;
};

template <class T>
void add_fused(KernelRegistry* r) {
  for (const char* op : {"FusedBatchNormV2", "FusedBatchNormV3"}) {
    r->add(KernelDef(op).type<T>("T").template type<float>("U").template kernel<BatchNormKernel<T>>());
  }
  for (const char* op : {"FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
    r->add(KernelDef(op).type<T>("T").template type<float>("U").template kernel<BatchNormGradKernel<T>>());
  }
}

}  // namespace

void register_norm_batch(KernelRegistry* r) {
  add_fused<float>(r);
  add_fused<Eigen::half>(r);
  add_fused<Eigen::bfloat16>(r);
  r->add(KernelDef("FusedBatchNorm").type<float>("T").kernel<BatchNormKernel<float>>());
  r->add(KernelDef("FusedBatchNormGrad").type<float>("T").kernel<BatchNormGradKernel<float>>());
  r->add(KernelDef("_FusedBatchNormEx").type<float>("T").kernel<BatchNormKernel<float>>());
  r->add(KernelDef("_FusedBatchNormEx").type<Eigen::half>("T").kernel<BatchNormKernel<Eigen::half>>());
  r->add(
      KernelDef("_FusedBatchNormEx").type<Eigen::bfloat16>("T").kernel<BatchNormKernel<Eigen::bfloat16>>());
}

}  // namespace troupe
