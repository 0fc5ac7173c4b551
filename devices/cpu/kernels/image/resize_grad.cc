// The gradients of what resizes pictures.
#include <Eigen/Core>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/common/image/resize.h"
#include "devices/cpu/kernels/shared/float_elements.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// ResizeNearestNeighborGrad: sums each gradient into the pixel that it was copied from.
template <class T>
class ResizeNearestGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    using Sum = std::conditional_t<std::is_integral_v<T>, uint32_t,
                                   std::conditional_t<std::is_same_v<T, double>, double, float>>;
    const Tensor& grad = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Sizes s, check_sizes(grad, context.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, s.out));
    std::vector<Sum> sum(static_cast<size_t>(out->num_elements()), Sum(0));
    const float row_scale = attrs_.scale(s.rows, s.in_rows), col_scale = attrs_.scale(s.cols, s.in_cols);
    const T* from = grad.flat<T>().data();
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t y = 0; y < s.in_rows; ++y) {
        const int64_t row = b * s.rows + attrs_.nearest(y, row_scale, s.rows);
        for (int64_t x = 0; x < s.in_cols; ++x, from += s.channels) {
          Sum* to = sum.data() + (row * s.cols + attrs_.nearest(x, col_scale, s.cols)) * s.channels;
          for (int64_t c = 0; c < s.channels; ++c) to[c] += static_cast<Sum>(from[c]);
        }
      }
    }
    std::span<T> to = out->flat<T>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(sum[i]);
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

/// ResizeBilinearGrad (N = 2) and ResizeBicubicGrad (N = 4): float gradients spread over the pixels they came from.
template <size_t N>
class ResizeGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, ResizeAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &grad = context.input(0), &image = context.input(1);
    if (grad.rank() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("input_grad must be 4-dimensional", grad.shape().to_string()));
    }
    if (image.rank() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("original_image must be 4-dimensional", image.shape().to_string()));
    }
    if (grad.dim(0) != image.dim(0) || grad.dim(3) != image.dim(3)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input_grad and original_image must agree in batch and channels: ", grad.shape().to_string(),
          " vs. ", image.shape().to_string()));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, image.shape()));
    std::vector<double> sum(static_cast<size_t>(out->num_elements()), 0.0);
    const int64_t rows = grad.dim(1), cols = grad.dim(2), in_rows = image.dim(1), in_cols = image.dim(2),
                  channels = grad.dim(3);
    if (grad.num_elements() > 0 && !sum.empty()) {
      std::vector<Taps<N>> row_taps, col_taps;
      if constexpr (N == 2) {
        row_taps = linear_taps(attrs_, in_rows, rows);
        col_taps = linear_taps(attrs_, in_cols, cols);
      } else {
        row_taps = cubic_taps(attrs_, in_rows, rows);
        col_taps = cubic_taps(attrs_, in_cols, cols);
      }
      const float* from = grad.flat<float>().data();
      for (int64_t b = 0; b < grad.dim(0); ++b) {
        double* image_sum = sum.data() + b * in_rows * in_cols * channels;
        for (const Taps<N>& row : row_taps) {
          for (const Taps<N>& col : col_taps) {
            for (size_t i = 0; i < N; ++i) {
              for (size_t j = 0; j < N; ++j) {
                double* to = image_sum + (row.at[i] * in_cols + col.at[j]) * channels;
                const float y_weight = row.weight[i], x_weight = col.weight[j];
                for (int64_t c = 0; c < channels; ++c)
                  to[c] += static_cast<double>(from[c] * y_weight * x_weight);
              }
            }
            from += channels;
          }
        }
      }
    }
    store_floats(sum, out);
    return absl::OkStatus();
  }

 private:
  ResizeAttrs attrs_;
};

}  // namespace

void register_image_resize_grad(KernelRegistry* r) {
  using D = DataType;
  r->add(KernelDef("ResizeBilinearGrad")
             .types("T", {D::kFloat, D::kDouble, D::kHalf, D::kBfloat16})
             .kernel<ResizeGradKernel<2>>());
  r->add(KernelDef("ResizeBicubicGrad").types("T", {D::kFloat, D::kDouble}).kernel<ResizeGradKernel<4>>());
  const char* nearest = "ResizeNearestNeighborGrad";
  r->add(KernelDef(nearest).type<float>("T").kernel<ResizeNearestGradKernel<float>>());
  r->add(KernelDef(nearest).type<double>("T").kernel<ResizeNearestGradKernel<double>>());
  r->add(KernelDef(nearest).type<Eigen::half>("T").kernel<ResizeNearestGradKernel<Eigen::half>>());
  r->add(KernelDef(nearest).type<Eigen::bfloat16>("T").kernel<ResizeNearestGradKernel<Eigen::bfloat16>>());
  r->add(KernelDef(nearest).type<int8_t>("T").kernel<ResizeNearestGradKernel<int8_t>>());
  r->add(KernelDef(nearest).type<uint8_t>("T").kernel<ResizeNearestGradKernel<uint8_t>>());
  r->add(KernelDef(nearest).type<int32_t>("T").kernel<ResizeNearestGradKernel<int32_t>>());
}

}  // namespace troupe
