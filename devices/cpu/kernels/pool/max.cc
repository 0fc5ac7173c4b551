#include <Eigen/Core>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/common/pool/pooling.h"
#include "devices/cpu/kernels/pool/pool_rows.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Nanoseconds for one tap of one channel, roughly.
constexpr int64_t kTapsPerNs = 4;

int64_t row_cost(const PoolProblem& p) {
  return p.w[0].kernel * p.w[1].kernel * p.w[2].kernel * p.channels / kTapsPerNs + 5;
}

template <class T>
void max_over_depth(const PoolProblem& p, const T* in, T* out) {
  const int64_t count = p.out.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    T best = in[i * p.depth_window];
    for (int64_t d = 1; d < p.depth_window; ++d) best = std::max(best, in[i * p.depth_window + d]);
    out[i] = best;
  }
}

/// NaN is never greater.
template <class T>
struct GreatestOfRows {
  using Sum = T;
  static T start() { return std::numeric_limits<T>::lowest(); }
  template <class V>
  static V join(V a, V b) {
    return a < b ? b : a;
  }
  template <class V>
  static V finish(V greatest, T) {
    return greatest;
  }
};

template <class T>
void max_pool(ParallelRunner& runner, const PoolProblem& p, const T* in, T* out) {
  if (p.depth_window > 1) return max_over_depth(p, in, out);
  using Rows = PoolRows<T, GreatestOfRows<T>>;
  if (Rows::suits(p)) return Rows(p).run(runner, in, out);
  const int64_t pixels = p.out_pixels(), image = p.in_pixels() * p.channels, channels = p.channels;
  runner.parallel_for(p.images * pixels, row_cost(p), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* to = out + i * channels;
      const T* from = in + i / pixels * image;
      std::fill_n(to, channels, std::numeric_limits<T>::lowest());
      p.each_tap(i % pixels, [&](int64_t pixel) {
        const T* tap = from + pixel * channels;
        for (int64_t c = 0; c < channels; ++c) to[c] = to[c] < tap[c] ? tap[c] : to[c];
      });
    }
  });
}

/// The windows of one output pixel, a channel each: the greatest input, the first of equals, and which pixel of the window has it.
template <class T>
class Greatest {
 public:
  explicit Greatest(int64_t channels)
      : channels_(static_cast<size_t>(channels)), best_(channels_), tap_(channels_) {}

  /// Of the window at an output pixel.
  void find(const PoolProblem& p, int64_t position, const T* image) {
    pixels_.clear();
    p.each_tap(position, [&](int64_t pixel) {
      take(image + pixel * static_cast<int64_t>(channels_), static_cast<int32_t>(pixels_.size()));
      pixels_.push_back(pixel);
    });
  }
  /// Within the image; -1 when the window lies in the padding.
  int64_t offset(size_t channel) const {
    if (pixels_.empty()) return -1;
    return pixels_[static_cast<size_t>(tap_[channel])] * static_cast<int64_t>(channels_) +
           static_cast<int64_t>(channel);
  }
  /// Adds the gradients of that pixel's channels to those of the image.
  void spread(const T* grad, T* image) const {
    const int32_t* const tap = tap_.data();
    for (size_t t = 0; t < pixels_.size(); ++t) {
      T* const to = image + pixels_[t] * static_cast<int64_t>(channels_);
      for (size_t c = 0; c < channels_; ++c) {
        // Read whatever it is for: vector code.
        const T value = grad[c];
        to[c] = static_cast<T>(to[c] + (tap[c] == static_cast<int32_t>(t) ? value : T(0)));
      }
    }
  }

 private:
  /// Without branches: vector code.
  void take(const T* values, int32_t number) {
    T* const best = best_.data();
    int32_t* const tap = tap_.data();
    if (number == 0) {
      std::copy_n(values, channels_, best);
      std::fill_n(tap, channels_, 0);
      return;
    }
    for (size_t c = 0; c < channels_; ++c) {
      const T old = best[c], value = values[c];
      // All bits set, or none: a choice between two numbers would become a branch around the stores.
      const int32_t greater = -static_cast<int32_t>(old < value);
      tap[c] = (tap[c] & ~greater) | (number & greater);
      best[c] = old < value ? value : old;
    }
  }

  const size_t channels_;
  std::vector<T> best_;
  std::vector<int32_t> tap_;
  std::vector<int64_t> pixels_;
};

/// For every output element the offset, within its image, of the greatest input of its window: the first one, and
/// -1 when the window lies in the padding. Calls fn(image, output element, offset).
template <class T, class Fn>
void each_maximum(const PoolProblem& p, int64_t first_image, int64_t last_image, const T* in, Fn fn) {
  const int64_t pixels = p.out_pixels(), image = p.in_pixels() * p.channels, channels = p.channels;
  if (p.depth_window > 1) {
    const int64_t count = image / p.depth_window;
    for (int64_t n = first_image; n < last_image; ++n) {
      for (int64_t i = 0; i < count; ++i) {
        const T* group = in + n * image + i * p.depth_window;
        fn(n, n * count + i, i * p.depth_window + (std::max_element(group, group + p.depth_window) - group));
      }
    }
    return;
  }
  Greatest<T> greatest(channels);
  for (int64_t n = first_image; n < last_image; ++n) {
    for (int64_t i = 0; i < pixels; ++i) {
      greatest.find(p, i, in + n * image);
      for (int64_t c = 0; c < channels; ++c)
        fn(n, (n * pixels + i) * channels + c, greatest.offset(static_cast<size_t>(c)));
    }
  }
}

/// Runs fn(first image, last image) in parallel.
template <class Fn>
void over_images(ParallelRunner& runner, const PoolProblem& p, Fn fn) {
  runner.parallel_for(p.images, row_cost(p) * p.out_pixels() + p.in_pixels() * p.channels, fn);
}

template <class T>
void max_pool_grad(ParallelRunner& runner, const PoolProblem& p, const T* in, const T* grad, T* out) {
  const int64_t pixels = p.out_pixels(), image = p.in_pixels() * p.channels;
  over_images(runner, p, [&](int64_t first, int64_t last) {
    Greatest<T> greatest(p.channels);
    for (int64_t n = first; n < last; ++n) {
      std::fill_n(out + n * image, image, T(0));
      for (int64_t i = 0; i < pixels; ++i) {
        greatest.find(p, i, in + n * image);
        greatest.spread(grad + (n * pixels + i) * p.channels, out + n * image);
      }
    }
  });
}

template <class T>
void max_pool_grad_grad(ParallelRunner& runner, const PoolProblem& p, const T* in, const T* grad, T* out) {
  const int64_t image = p.in_pixels() * p.channels;
  over_images(runner, p, [&](int64_t first, int64_t last) {
    each_maximum(p, first, last, in, [&](int64_t n, int64_t element, int64_t offset) {
      out[element] = offset < 0 ? T(0) : grad[n * image + offset];
    });
  });
}

template <class T, int kSpatial, bool kV2>
class MaxPoolKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, kSpatial, !kV2));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    PoolProblem p;
    if constexpr (kV2) {
      TROUPE_ASSIGN_OR_RETURN(PoolAttrs attrs, attrs_.with_sizes(context.input(1), context.input(2)));
      TROUPE_ASSIGN_OR_RETURN(p, attrs.problem(in.shape(), "tensor_in", kSpatial == 2));
    } else {
      TROUPE_ASSIGN_OR_RETURN(p, attrs_.problem(in.shape(), "tensor_in", kSpatial == 2));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, p.out));
    if (out->num_elements() > 0) {
      max_pool<T>(context.parallel(), p, in.flat<T>().data(), out->flat<T>().data());
    }
    return absl::OkStatus();
  }

 private:
  PoolAttrs attrs_;
};

/// MaxPoolGrad (kGradGrad false: grad is like the output) and MaxPoolGradGrad (grad is like the input).
template <class T, int kSpatial, bool kV2, bool kGradGrad>
class MaxPoolGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, kSpatial, !kV2));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    const Tensor& pooled = context.input(1);
    const Tensor& grad = context.input(2);
    PoolProblem p;
    if constexpr (kV2) {
      TROUPE_ASSIGN_OR_RETURN(PoolAttrs attrs, attrs_.with_sizes(context.input(3), context.input(4)));
      TROUPE_ASSIGN_OR_RETURN(p, attrs.problem(in.shape(), "tensor_in", false));
    } else {
      TROUPE_ASSIGN_OR_RETURN(p, attrs_.problem(in.shape(), "tensor_in", false));
    }
    if (!(pooled.shape() == p.out)) {
      return absl::InvalidArgumentError(absl::StrCat("Expected orig_output shape to be ", p.out.to_string(),
                                                     ", but got ", pooled.shape().to_string()));
    }
    const Shape& wanted = kGradGrad ? in.shape() : p.out;
    if (!(grad.shape() == wanted)) {
      return absl::InvalidArgumentError(absl::StrCat("Expected grad shape to be ", wanted.to_string(),
                                                     ", but got ", grad.shape().to_string()));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, kGradGrad ? p.out : in.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    auto* run = kGradGrad ? &max_pool_grad_grad<T> : &max_pool_grad<T>;
    run(context.parallel(), p, in.flat<T>().data(), grad.flat<T>().data(), out->flat<T>().data());
    return absl::OkStatus();
  }

 private:
  PoolAttrs attrs_;
};

template <class T, class Index>
class MaxPoolWithArgmaxKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("include_batch_in_index", &include_batch_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, 2, true));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(PoolProblem p, attrs_.problem(in.shape(), "tensor_in", false));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, p.out));
    TROUPE_ASSIGN_OR_RETURN(Tensor * argmax, context.allocate_output(1, p.out));
    if (out->num_elements() == 0) return absl::OkStatus();
    const T* from = in.flat<T>().data();
    T* to = out->flat<T>().data();
    Index* at = argmax->flat<Index>().data();
    const int64_t image = p.in_pixels() * p.channels;
    over_images(context.parallel(), p, [&](int64_t first, int64_t last) {
      each_maximum(p, first, last, from, [&](int64_t n, int64_t element, int64_t offset) {
        to[element] = offset < 0 ? std::numeric_limits<T>::lowest() : from[n * image + offset];
        at[element] = static_cast<Index>(offset < 0 ? -1 : offset + (include_batch_ ? n * image : 0));
      });
    });
    return absl::OkStatus();
  }

 private:
  PoolAttrs attrs_;
  bool include_batch_ = false;
};

/// MaxPoolGradWithArgmax: adds each gradient to the input that argmax names.
template <class T>
class MaxPoolGradWithArgmaxKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("include_batch_in_index", &include_batch_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, PoolAttrs::make(c, 2, true));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    const Tensor& grad = context.input(1);
    const Tensor& argmax = context.input(2);
    TROUPE_ASSIGN_OR_RETURN(PoolProblem p, attrs_.problem(in.shape(), "tensor_in", false));
    if (!(grad.shape() == p.out)) {
      return absl::InvalidArgumentError(absl::StrCat("Expected grad shape to be ", p.out.to_string(),
                                                     ", but got ", grad.shape().to_string()));
    }
    if (!(argmax.shape() == p.out)) {
      return absl::InvalidArgumentError(absl::StrCat("Expected argmax shape to be ", p.out.to_string(),
                                                     ", but got ", argmax.shape().to_string()));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    std::span<T> to = out->flat<T>();
    std::fill(to.begin(), to.end(), T(0));
    const int64_t image = p.in_pixels() * p.channels, per_image = p.out_pixels() * p.channels;
    const T* from = grad.flat<T>().data();
    const int64_t* at = argmax.flat<int64_t>().data();
    for (int64_t i = 0; i < p.out.num_elements(); ++i) {
      const int64_t base = include_batch_ ? 0 : i / per_image * image;
      if (at[i] < 0 || at[i] >= static_cast<int64_t>(to.size()) - base) {
        return absl::InvalidArgumentError(
            absl::StrCat("Invalid argmax index ", at[i], " for an input of shape ", in.shape().to_string()));
      }
      T& sum = to[static_cast<size_t>(base + at[i])];
      sum = static_cast<T>(sum + from[i]);
    }
    return absl::OkStatus();
  }

 private:
  PoolAttrs attrs_;
  bool include_batch_ = false;
};

template <class T>
KernelDef def(const char* op) {
  return KernelDef(op).type<T>("T");
}

template <class T>
void add_2d(KernelRegistry* r) {
  r->add(def<T>("MaxPool").template kernel<MaxPoolKernel<T, 2, false>>());
  r->add(def<T>("MaxPoolV2").template kernel<MaxPoolKernel<T, 2, true>>());
  r->add(def<T>("MaxPoolGrad").template kernel<MaxPoolGradKernel<T, 2, false, false>>());
  r->add(def<T>("MaxPoolGradV2").template kernel<MaxPoolGradKernel<T, 2, true, false>>());
  r->add(def<T>("MaxPoolGradGrad").template kernel<MaxPoolGradKernel<T, 2, false, true>>());
  r->add(def<T>("MaxPoolGradGradV2").template kernel<MaxPoolGradKernel<T, 2, true, true>>());
  r->add(def<T>("MaxPoolWithArgmax")
             .template type<int32_t>("Targmax")
             .template kernel<MaxPoolWithArgmaxKernel<T, int32_t>>());
  r->add(def<T>("MaxPoolWithArgmax")
             .template type<int64_t>("Targmax")
             .template kernel<MaxPoolWithArgmaxKernel<T, int64_t>>());
  r->add(def<T>("MaxPoolGradWithArgmax")
             .template type<int64_t>("Targmax")
             .template kernel<MaxPoolGradWithArgmaxKernel<T>>());
}

template <class T>
void add_3d(KernelRegistry* r) {
  r->add(def<T>("MaxPool3D").template kernel<MaxPoolKernel<T, 3, false>>());
  r->add(def<T>("MaxPool3DGrad")
             .template type<T>("TInput")
             .template kernel<MaxPoolGradKernel<T, 3, false, false>>());
  r->add(def<T>("MaxPool3DGradGrad").template kernel<MaxPoolGradKernel<T, 3, false, true>>());
}

template <class... Ts>
void add_all_2d(KernelRegistry* r) {
  (add_2d<Ts>(r), ...);
}

}  // namespace

void register_pool_max(KernelRegistry* r) {
  add_all_2d<float, double, Eigen::half, Eigen::bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
             uint16_t, uint32_t, uint64_t>(r);
  add_3d<float>(r);
  add_3d<Eigen::bfloat16>(r);
}

}  // namespace troupe
