#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel.h"

namespace troupe {

/// float to int32 as x86 does it, which TensorFlow leaves it to: what does not fit is the lowest number.
inline int32_t to_int32(float v) {
  return v >= -2147483648.0f && v < 2147483648.0f ? static_cast<int32_t>(v)
                                                  : std::numeric_limits<int32_t>::lowest();
}
/// Sums and products in 32 bits, around at the ends.
inline int32_t wrapped_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
inline int32_t wrapped_subtract(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
inline int32_t wrapped_multiply(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

/// A positive factor in fixed point: `multiplier` / 2^31 * 2^shift.
class FixedFactor {
 public:
  /// InvalidArgument unless the factor is positive and finite. Too small ones become 0, too large ones the largest.
  static absl::StatusOr<FixedFactor> make(double factor);
  /// The product, rounded half up, cut to 32 bits.
  int32_t times(int32_t x) const;

 private:
  int32_t multiplier_ = 0;
  int shift_ = 0;
};

/// How a tensor is quantised: a scale and a zero point for all, or for each index of an axis. Holds its tensors.
class UniformScales {
 public:
  /// `axis` -1: scalars. InvalidArgument with TensorFlow's texts when the shapes do not fit the tensor's.
  static absl::StatusOr<UniformScales> make(const Shape& tensor, const Tensor& scales,
                                            const Tensor& zero_points, int64_t axis);

  bool per_axis() const { return axis_ >= 0; }
  int axis() const { return axis_; }
  int64_t count() const { return scales_.num_elements(); }
  /// For index `i` of the axis; whichever for scalars.
  float scale(int64_t i) const { return scales_.flat<float>()[per_axis() ? i : 0]; }
  int32_t zero_point(int64_t i) const { return zero_points_.flat<int32_t>()[per_axis() ? i : 0]; }
  bool all_positive() const;

 private:
  Tensor scales_, zero_points_;
  int axis_ = -1;
};

/// Which index of an axis elements of a tensor have; always 0 for axis -1.
class AxisIndex {
 public:
  AxisIndex(const Shape& shape, int axis)
      : inner_(axis < 0 ? 0 : count_dims(shape, axis + 1, shape.rank())),
        size_(axis < 0 ? 1 : shape.dim(axis)) {}
  int64_t of(int64_t element) const { return inner_ == 0 ? 0 : element / inner_ % size_; }

 private:
  int64_t inner_, size_;
};

/// Attrs `<prefix>quantization_axis`, `..._min_val` and `..._max_val`.
struct UniformAttrs {
  int64_t axis = -1;
  int32_t low = 0, high = 0;
  static absl::StatusOr<UniformAttrs> make(const KernelConstruction& c, absl::string_view prefix);
  int32_t clamp(int32_t v) const { return std::max(std::min(v, high), low); }
};

/// The integer behind element i of a qint8, quint8 or qint32 tensor.
int32_t quantized_at(const Tensor& t, int64_t i);
void set_quantized(Tensor* t, int64_t i, int32_t value);

}  // namespace troupe
