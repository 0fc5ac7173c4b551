#pragma once

#include "devices/common/norm/images.h"
#include "devices/kernel.h"

namespace troupe {

/// What FusedBatchNorm and its gradient have as attrs, in all their versions, and what they take.
struct BatchNormAttrs {
  ImageLayout layout;
  float epsilon = 0;
  float average_factor = 1;
  bool training = true;

  static absl::StatusOr<BatchNormAttrs> make(const KernelConstruction& c);
  /// The images (input 0), once scale, offset and statistics fit them; with `side_input` what is added (input 5), too.
  absl::StatusOr<Images> check(const KernelContext& c, bool side_input) const;
  /// The images of a gradient (input 1), once what came for y, scale and the statistics of the forward pass fit them.
  absl::StatusOr<Images> check_gradient(const KernelContext& c) const;
};

}  // namespace troupe
