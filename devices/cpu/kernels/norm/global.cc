// BatchNormWithGlobalNormalization and its gradient.
#include <Eigen/Core>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/norm/images.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// BatchNormWithGlobalNormalization: given statistics, optional scale.
template <class T>
class GlobalNormKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("variance_epsilon", &epsilon_)("scale_after_normalization", &scale_after_);
  }
  absl::Status compute(KernelContext& context) override {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const Tensor& x = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Images s, split_images(x, ImageLayout(), "input"));
    static constexpr const char* kNames[] = {"", "mean", "var", "beta", "gamma"};
    for (int i = 1; i < 5; ++i) {
      TROUPE_RETURN_IF_ERROR(check_vector(context.input(i), kNames[i]));
      TROUPE_RETURN_IF_ERROR(check_length(context.input(i), kNames[i], s.channels));
    }
    auto m = context.input(1).flat<T>(), v = context.input(2).flat<T>(), beta = context.input(3).flat<T>(),
         gamma = context.input(4).flat<T>();
    std::vector<Wide> factor(static_cast<size_t>(s.channels)), offset = factor;
    for (size_t c = 0; c < factor.size(); ++c) {
      factor[c] = Wide(1) / std::sqrt(static_cast<Wide>(v[c]) + static_cast<Wide>(epsilon_));
      if (scale_after_) factor[c] *= static_cast<Wide>(gamma[c]);
      offset[c] = static_cast<Wide>(beta[c]) - static_cast<Wide>(m[c]) * factor[c];
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, x.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    const T* from = x.flat<T>().data();
    T* to = out->flat<T>().data();
    each_element(context.parallel(), s, [=, f = factor.data(), o = offset.data()](int64_t i, int64_t c) {
      to[i] = static_cast<T>(static_cast<Wide>(from[i]) * f[c] + o[c]);
    });
    return absl::OkStatus();
  }

 private:
  float epsilon_ = 0;
  bool scale_after_ = false;
};

/// BatchNormWithGlobalNormalizationGrad: gradients of t, m, v, beta, gamma.
template <class T>
class GlobalNormGradKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("variance_epsilon", &epsilon_)("scale_after_normalization", &scale_after_);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    const Tensor& grad = context.input(4);
    TROUPE_ASSIGN_OR_RETURN(Images s, split_images(x, ImageLayout(), "input"));
    static constexpr const char* kNames[] = {"", "mean", "var", "gamma"};
    for (int i = 1; i < 4; ++i) {
      TROUPE_RETURN_IF_ERROR(check_vector(context.input(i), kNames[i]));
      TROUPE_RETURN_IF_ERROR(check_length(context.input(i), kNames[i], s.channels));
    }
    if (!(grad.shape() == x.shape())) {
      return absl::InvalidArgumentError(
          absl::StrCat("out_backprop must have the shape of the input: ", grad.shape().to_string(), " vs. ",
                       x.shape().to_string()));
    }
    auto m = context.input(1).flat<T>(), v = context.input(2).flat<T>(), gamma = context.input(3).flat<T>();
    Tensor* out[5] = {};
    TROUPE_ASSIGN_OR_RETURN(out[0], context.allocate_output(0, x.shape()));
    for (int i = 1; i < 5; ++i) {
      TROUPE_ASSIGN_OR_RETURN(out[i], context.allocate_output(i, Shape{s.channels}));
    }
    const auto channels = static_cast<size_t>(s.channels);
    std::vector<double> inverse(channels), factor(channels), sum(channels, 0.0), sum_x(channels, 0.0);
    for (size_t c = 0; c < channels; ++c) {
      inverse[c] = 1.0 / std::sqrt(static_cast<double>(v[c]) + static_cast<double>(epsilon_));
      factor[c] = inverse[c] * (scale_after_ ? static_cast<double>(gamma[c]) : 1.0);
    }
    auto from = x.flat<T>(), dy = grad.flat<T>();
    std::span<T> dx = out[0]->flat<T>();
    for (size_t i = 0; i < dx.size(); ++i) {
      const size_t c = i % channels;
      const auto g = static_cast<double>(dy[i]);
      dx[i] = static_cast<T>(g * factor[c]);
      sum[c] += g;
      sum_x[c] += g * (static_cast<double>(from[i]) - static_cast<double>(m[c]));
    }
    for (size_t c = 0; c < channels; ++c) {
      out[1]->flat<T>()[c] = static_cast<T>(-sum[c] * factor[c]);
      out[2]->flat<T>()[c] = static_cast<T>(-0.5 * sum_x[c] * factor[c] * inverse[c] * inverse[c]);
      out[3]->flat<T>()[c] = static_cast<T>(sum[c]);
      out[4]->flat<T>()[c] = static_cast<T>(scale_after_ ? sum_x[c] * inverse[c] : 0.0);
    }
    return absl::OkStatus();
  }

 private:
  float epsilon_ = 0;
  bool scale_after_ = false;
};

template <class T>
void add_global(KernelRegistry* r) {
  r->add(KernelDef("BatchNormWithGlobalNormalization").type<T>("T").template kernel<GlobalNormKernel<T>>());
  r->add(KernelDef("BatchNormWithGlobalNormalizationGrad")
             .type<T>("T")
             .template kernel<GlobalNormGradKernel<T>>());
}

}  // namespace

void register_norm_global(KernelRegistry* r) {
  add_global<float>(r);
  add_global<double>(r);
  add_global<Eigen::half>(r);
}

}  // namespace troupe
