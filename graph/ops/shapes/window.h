#pragma once

#include <string>
#include <vector>

#include "graph/ops/shapes/common_shapes.h"

namespace troupe::shapes {

// Windows that slide over an image or a volume.

/// Where batch, channels and the spatial dimensions stand.
struct Layout {
  int rank = 0;
  int batch = 0;
  int channel = 0;
  int space = 0;
};

/// By the attr data_format; `spatial`: how many dimensions the window has, 2 or 3.
absl::StatusOr<Layout> layout_of(const ShapeContext& c, int spatial);

/// An int list attr of `size` values, or the message of the op.
absl::StatusOr<std::vector<int64_t>> window_attr(const ShapeContext& c, absl::string_view attr,
                                                 absl::string_view label, size_t size);

struct Padding {
  enum Kind { kSame, kValid, kExplicit } kind = kValid;
  std::vector<int64_t> sizes;
};

/// `sizes`: how many explicit ones there must be.
absl::StatusOr<Padding> padding_of(const ShapeContext& c, const Layout& l, size_t sizes = 8);

/// The size of one output dimension; `window` may be unknown, `d` is the dimension for explicit padding.
absl::StatusOr<int64_t> windowed(int64_t in, int64_t window, int64_t dilation, int64_t stride,
                                 const Padding& padding, int d);

/// The same for a window that is known, as TensorFlow does it where it does not use the one above.
absl::StatusOr<int64_t> windowed_known(int64_t in, int64_t window, int64_t dilation, int64_t stride,
                                       const Padding& padding);

/// TensorFlow's check of the innermost dimension of the layout that has one.
absl::Status check_vector_channels(const ShapeContext& c, const Layout& l, const PartialShape& in);

/// The gradient of an op with a window: output 0 has the shape that input kInput holds, of kRank dimensions.
template <int kInput, int kRank>
absl::Status window_gradient(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.input_as_shape(kInput));
  TROUPE_ASSIGN_OR_RETURN(shape, with_rank(shape, kRank));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace troupe::shapes
