#include <Eigen/Core>
#include <complex>

#include "absl/strings/str_cat.h"
#include "devices/common/conv/window.h"
#include "devices/cpu/loops/vector/vector_loops.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// A tensor as [outer, channels, inner]: channels last has inner 1.
struct Channels {
  int64_t outer, channels, inner;
};

absl::StatusOr<Channels> split(const Shape& shape, bool channels_last) {
  if (shape.rank() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("Input tensor must be at least 2D: ", shape.to_string()));
  }
  if (channels_last) return Channels{shape.num_elements(0, shape.rank() - 1), shape.dim(shape.rank() - 1), 1};
  return Channels{shape.dim(0), shape.dim(1), shape.num_elements(2, shape.rank())};
}

template <class T>
void add_bias(ParallelRunner& runner, const Channels& s, const T* in, const T* bias, T* out) {
  if (s.inner == 1) {
    runner.parallel_for(s.outer, s.channels / 2 + 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* from = in + r * s.channels;
        T* to = out + r * s.channels;
        if constexpr (std::is_same_v<T, float>) {
          vector_loops().floats.add(from, bias, to, s.channels, RowMode::kBoth);
          continue;
        }
        for (int64_t c = 0; c < s.channels; ++c) to[c] = static_cast<T>(from[c] + bias[c]);
      }
    });
    return;
  }
  runner.parallel_for(s.outer * s.channels, s.inner / 2 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T b = bias[r % s.channels];
      const T* from = in + r * s.inner;
      T* to = out + r * s.inner;
      if constexpr (std::is_same_v<T, float>) {
        vector_loops().floats.add(from, &b, to, s.inner, RowMode::kScalarB);
        continue;
      }
      for (int64_t i = 0; i < s.inner; ++i) to[i] = static_cast<T>(from[i] + b);
    }
  });
}

/// Integers add as unsigned numbers of their size, so that they wrap.
template <class T>
class BiasAddKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(ImageLayout layout,
                            parse_layout(c.node().attrs.get_or<std::string>("data_format", "NHWC"), 0));
    channels_last_ = layout.channels_last;
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    const Tensor& bias = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(Channels s, split(in.shape(), channels_last_));
    if (bias.rank() != 1) {
      return absl::InvalidArgumentError(absl::StrCat("Biases must be 1D: ", bias.shape().to_string()));
    }
    if (bias.dim(0) != s.channels) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Must provide as many biases as the last dimension of the input tensor: ", bias.shape().to_string(),
          " vs. ", in.shape().to_string()));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    add_bias(context.parallel(), s, static_cast<const T*>(in.raw()), static_cast<const T*>(bias.raw()),
             static_cast<T*>(out->raw()));
    return absl::OkStatus();
  }

 private:
  bool channels_last_ = true;
};

template <class T, class Sum>
class BiasAddGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(ImageLayout layout,
                            parse_layout(c.node().attrs.get_or<std::string>("data_format", "NHWC"), 0));
    channels_last_ = layout.channels_last;
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& grad = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Channels s, split(grad.shape(), channels_last_));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{s.channels}));
    std::vector<Sum> sum(static_cast<size_t>(s.channels), Sum(0));
    const T* from = static_cast<const T*>(grad.raw());
    for (int64_t o = 0; o < s.outer; ++o) {
      if (s.inner == 1) {
        for (size_t c = 0; c < sum.size(); ++c) sum[c] += static_cast<Sum>(from[c]);
        from += s.channels;
        continue;
      }
      for (Sum& total : sum) {
        Sum part(0);
        for (int64_t i = 0; i < s.inner; ++i) part += static_cast<Sum>(from[i]);
        total += part;
        from += s.inner;
      }
    }
    T* to = static_cast<T*>(out->raw());
    for (size_t c = 0; c < sum.size(); ++c) to[c] = static_cast<T>(sum[c]);
    return absl::OkStatus();
  }

 private:
  bool channels_last_ = true;
};

template <class T, class Sum>
void add(KernelRegistry* r, const std::vector<DataType>& types) {
  r->add(KernelDef("BiasAdd").types("T", types).template kernel<BiasAddKernel<T>>());
  r->add(KernelDef("BiasAddV1").types("T", types).template kernel<BiasAddKernel<T>>());
  r->add(KernelDef("BiasAddGrad").types("T", types).template kernel<BiasAddGradKernel<T, Sum>>());
}

}  // namespace

void register_norm_bias(KernelRegistry* r) {
  using D = DataType;
  add<float, float>(r, {D::kFloat});
  add<double, double>(r, {D::kDouble});
  add<Eigen::half, float>(r, {D::kHalf});
  add<Eigen::bfloat16, float>(r, {D::kBfloat16});
  add<std::complex<float>, std::complex<float>>(r, {D::kComplex64});
  add<std::complex<double>, std::complex<double>>(r, {D::kComplex128});
  add<uint8_t, uint32_t>(r, {D::kInt8, D::kUint8});
  add<uint16_t, uint32_t>(r, {D::kInt16, D::kUint16});
  add<uint32_t, uint32_t>(r, {D::kInt32, D::kUint32});
  add<uint64_t, uint64_t>(r, {D::kInt64, D::kUint64});
}

}  // namespace troupe
