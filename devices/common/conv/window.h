#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/kernel.h"

namespace troupe {

enum class Padding : uint8_t { kSame, kValid, kExplicit };

/// "SAME", "VALID", "EXPLICIT"; InvalidArgument for anything else.
absl::StatusOr<Padding> parse_padding(absl::string_view text);

/// Which axis of an image is what: [batch, spatial..., channels], or channels second.
struct ImageLayout {
  int spatial_rank = 2;
  bool channels_last = true;

  int rank() const { return spatial_rank + 2; }
  int channel_axis() const { return channels_last ? rank() - 1 : 1; }
  int spatial_axis(int i) const { return (channels_last ? 1 : 2) + i; }
  /// A shape from its parts.
  absl::StatusOr<Shape> shape(int64_t batch, const int64_t* spatial, int64_t channels) const;
};

/// "NHWC", "NCHW", "NDHWC", "NCDHW", of the given spatial rank (0: whichever the text says).
absl::StatusOr<ImageLayout> parse_layout(absl::string_view text, int spatial_rank);

/// A window that slides along one axis. All but the last three are given.
struct Window {
  int64_t in = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t out = 0;
  int64_t before = 0;
  int64_t after = 0;
};

/// Sets out, before and after (these two are read for explicit padding). InvalidArgument "Computed output size would be
/// negative: ...", or when numbers are not positive or too large.
absl::Status size_window(Padding padding, Window* w);

/// Attrs of convolutions, checked: `strides`, and `dilations` when the op has it; `explicit_paddings` when padding is
/// explicit.
struct WindowAttrs {
  ImageLayout layout;
  Padding padding = Padding::kValid;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> explicit_paddings;

  static absl::StatusOr<WindowAttrs> make(const KernelConstruction& c, int spatial_rank);
  /// Whether the lists fit the layout; `make` has asked.
  absl::Status check() const;
  /// The window along spatial axis i for this input and kernel extent.
  absl::StatusOr<Window> window(int i, int64_t in, int64_t kernel) const;
};

/// The elements of an int32 or int64 vector. InvalidArgument names `what` when the tensor is of another rank.
absl::StatusOr<std::vector<int64_t>> int_vector(const Tensor& t, absl::string_view what);

}  // namespace troupe
