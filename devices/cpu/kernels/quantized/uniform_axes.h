#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troupe {

/// The attr `dimension_numbers`: which axis of each tensor is what. Without spatial axes: batch, features, then those.
struct ConvDimensionNumbers {
  int64_t input_batch = 0, input_feature = 0, kernel_input_feature = 0, kernel_output_feature = 0,
          output_batch = 0, output_feature = 0;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;

  /// From a serialised UniformQuantizedConvolutionDimensionNumbersAttr; false when it is none.
  bool parse(absl::string_view bytes);
};

/// The same as checked axes of tensors of a known rank: each axis once.
struct ConvAxes {
  int batch = 0, feature = 1, rhs_in = 1, rhs_out = 0, out_batch = 0, out_feature = 1;
  std::vector<int> lhs, rhs, out;

  static absl::StatusOr<ConvAxes> make(const ConvDimensionNumbers& n, int rank);

 private:
  absl::Status check_distinct(int rank) const;
};

/// A window along one spatial axis.
struct ConvWindow {
  int64_t in = 0, kernel = 0, stride = 1, in_dilation = 1, kernel_dilation = 1, before = 0, after = 0,
          out = 0;

  static int64_t dilated(int64_t size, int64_t by) { return size == 0 ? 0 : (size - 1) * by + 1; }
  void pad_same() {
    const int64_t size = dilated(in, in_dilation), steps = size == 0 ? 0 : (size - 1) / stride + 1;
    const int64_t total =
        std::max<int64_t>((steps - 1) * stride + dilated(kernel, kernel_dilation) - size, 0);
    before = total / 2;
    after = total - before;
  }
  void set_out() {
    const int64_t room = dilated(in, in_dilation) + before + after - dilated(kernel, kernel_dilation) + 1;
    out = room <= 0 ? 0 : (room - 1) / stride + 1;
  }
  /// The input index under tap `k` of the window at `o`; -1 in padding and between dilated elements.
  int64_t at(int64_t o, int64_t k) const {
    const int64_t p = o * stride + k * kernel_dilation - before;
    return p < 0 || p % in_dilation != 0 || p / in_dilation >= in ? -1 : p / in_dilation;
  }
};

}  // namespace troupe
