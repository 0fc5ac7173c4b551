#pragma once

#include <algorithm>
#include <vector>

#include "devices/cpu/kernels/quantized/uniform.h"

namespace troupe {

/// The checked scales of the operands and of the output, and what turns sums into the output's steps.
struct ProductScales {
  UniformScales lhs, rhs, output;
  /// One per output channel when the right operand has a scale per channel, else one.
  std::vector<FixedFactor> factors;

  absl::Status make_factors() {
    const int64_t count = rhs.per_axis() ? rhs.count() : 1;
    for (int64_t c = 0; c < count; ++c) {
      TROUPE_ASSIGN_OR_RETURN(FixedFactor f, FixedFactor::make(static_cast<double>(lhs.scale(0)) *
                                                               static_cast<double>(rhs.scale(c)) /
                                                               static_cast<double>(output.scale(c))));
      factors.push_back(f);
    }
    return absl::OkStatus();
  }
  int32_t output_steps(int32_t sum, int64_t channel) const {
    return wrapped_add(factors[static_cast<size_t>(rhs.per_axis() ? channel : 0)].times(sum),
                       output.zero_point(channel));
  }
};

/// A left operand in steps, with a scale and a zero point per row (all the same unless it was quantised on the way).
struct QuantizedRows {
  std::vector<int32_t> steps;
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
};

/// Steps of -128 to 127 for the floats of one row, whose range includes 0. First all are included, then the scale is chosen.
class RowQuantizer {
 public:
  void include(float v) {
    low_ = std::min(low_, v);
    high_ = std::max(high_, v);
  }
  void choose() {
    if (low_ == high_) return;
    const double low = static_cast<double>(low_), high = static_cast<double>(high_);
    const double scale = (high - low) / (kHighest - kLowest);
    const double from_low = kLowest - low / scale, from_high = kHighest - high / scale;
    const double error_low = std::abs(kLowest) + std::abs(low / scale),
                 error_high = std::abs(kHighest) + std::abs(high / scale);
    const double zero = error_low < error_high ? from_low : from_high;
    zero_point_ = static_cast<int32_t>(zero <= kLowest   ? kLowest
                                       : zero < kHighest ? std::round(zero)
                                                         : kHighest);
    scale_ = static_cast<float>(scale);
  }
  int32_t step(float v) const {
    if (low_ == high_) return 0;
    const int32_t steps = to_int32(std::floor(v * (1.0f / scale_) + 0.5f));
    return std::clamp(wrapped_add(steps, zero_point_), int32_t{-128}, int32_t{127});
  }
  float scale() const { return scale_; }
  int32_t zero_point() const { return zero_point_; }

 private:
  static constexpr double kLowest = -128, kHighest = 127;
  float low_ = 0, high_ = 0, scale_ = 1;
  int32_t zero_point_ = 0;
};

/// `row_of` says which row an element belongs to.
template <class RowOf>
QuantizedRows quantize_rows(const Tensor& t, int64_t rows, const RowOf& row_of) {
  std::vector<RowQuantizer> quantizers(static_cast<size_t>(rows));
  const auto in = t.flat<float>();
  for (size_t i = 0; i < in.size(); ++i) quantizers[row_of(i)].include(in[i]);
  QuantizedRows out;
  for (RowQuantizer& q : quantizers) {
    q.choose();
    out.scales.push_back(q.scale());
    out.zero_points.push_back(q.zero_point());
  }
  out.steps.reserve(in.size());
  for (size_t i = 0; i < in.size(); ++i) out.steps.push_back(quantizers[row_of(i)].step(in[i]));
  return out;
}

/// The steps of a qint8 operand.
QuantizedRows same_rows(const Tensor& t, int64_t rows, const UniformScales& scales);

/// Inputs 2 and up: scales and zero points of the operands and the output; the hybrid forms know only the right one's.
absl::StatusOr<ProductScales> read_scales(const KernelContext& context, bool hybrid, int64_t rhs_axis,
                                          int64_t output_axis, const Shape& output, int output_channel_axis);

/// What both products have: attrs.
struct ProductAttrs {
  UniformAttrs lhs, rhs, output;

  static absl::StatusOr<ProductAttrs> make(const KernelConstruction& c, bool hybrid);
};

/// Writes a sum: in the output's steps, or as a float.
void put_sum(Tensor* out, int64_t i, int32_t sum, const ProductAttrs& attrs, const ProductScales& scales,
             float row_scale, int64_t channel);

}  // namespace troupe
