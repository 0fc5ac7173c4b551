#pragma once

#include "absl/strings/str_cat.h"
#include "devices/common/conv/window.h"

namespace troupe {

/// Images as [outer, channels, inner]; channels last has inner 1.
struct Images {
  int64_t outer, channels, inner;
  int64_t per_channel() const { return outer * inner; }
};

inline absl::Status check_vector(const Tensor& t, absl::string_view name) {
  if (t.rank() == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " must be 1-dimensional", t.shape().to_string()));
}

inline absl::Status check_length(const Tensor& t, absl::string_view name, int64_t channels) {
  if (t.num_elements() == channels) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must have the same number of elements as the channels of x, got ",
                   t.num_elements(), " and ", channels));
}

inline absl::StatusOr<Images> split_images(const Tensor& x, const ImageLayout& layout,
                                           absl::string_view name) {
  if (x.rank() != 4 && !(x.rank() == 5 && layout.spatial_rank == 3)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " must be 4-dimensional", x.shape().to_string()));
  }
  if (layout.channels_last) return Images{x.shape().num_elements(0, x.rank() - 1), x.dim(x.rank() - 1), 1};
  return Images{x.dim(0), x.dim(1), x.shape().num_elements(2, x.rank())};
}

}  // namespace troupe
