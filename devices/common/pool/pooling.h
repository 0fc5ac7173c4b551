#pragma once

#include <array>
#include <optional>

#include "devices/common/conv/window.h"

namespace troupe {

/// A pooling in the form that loops like: images of channels-last pixels in three spatial dimensions. Channels-first
/// images are read as many images of one channel.
struct PoolProblem {
  int64_t images = 0;
  int64_t channels = 0;
  std::array<Window, 3> w;
  /// More than 1: the maximum is taken over so many neighbouring channels, and the spatial windows are 1.
  int64_t depth_window = 1;
  Shape out;

  int64_t in_pixels() const { return w[0].in * w[1].in * w[2].in; }
  int64_t out_pixels() const { return w[0].out * w[1].out * w[2].out; }

  /// Calls fn(pixel, offset of that pixel in the image) for the pixels in the window of an output pixel.
  template <class Fn>
  void each_tap(int64_t position, Fn fn) const {
    const int64_t at[3] = {position / w[2].out / w[1].out, position / w[2].out % w[1].out,
                           position % w[2].out};
    int64_t begin[3], end[3];
    for (size_t i = 0; i < 3; ++i) {
      begin[i] = at[i] * w[i].stride - w[i].before;
      end[i] = std::min(begin[i] + w[i].kernel, w[i].in);
      begin[i] = std::max<int64_t>(begin[i], 0);
    }
    for (int64_t z = begin[0]; z < end[0]; ++z) {
      for (int64_t y = begin[1]; y < end[1]; ++y) {
        for (int64_t x = begin[2]; x < end[2]; ++x) fn((z * w[1].in + y) * w[2].in + x);
      }
    }
  }
};

/// The attrs of pooling ops. In the V2 ops ksize and strides are inputs; they are then read at each run.
struct PoolAttrs {
  ImageLayout layout;
  Padding padding = Padding::kValid;
  std::vector<int64_t> ksize;
  std::vector<int64_t> strides;
  std::vector<int64_t> explicit_paddings;

  /// `attrs_tell_sizes` is false for the V2 ops.
  static absl::StatusOr<PoolAttrs> make(const KernelConstruction& c, int spatial_rank, bool attrs_tell_sizes);
  /// A copy with ksize and strides from two int32 vectors.
  absl::StatusOr<PoolAttrs> with_sizes(const Tensor& ksize, const Tensor& strides) const;
  /// The problem for an input of this shape. `input_name` is for messages. Depth windows are refused
  /// (Unimplemented) unless allowed.
  absl::StatusOr<PoolProblem> problem(const Shape& input, absl::string_view input_name,
                                      bool allow_depth) const;

 private:
  absl::Status check() const;
};

}  // namespace troupe
