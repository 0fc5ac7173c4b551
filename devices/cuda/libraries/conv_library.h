#pragma once

#include <array>
#include <cstdint>

#include "devices/cuda/libraries/library_call.h"
#include "graph/tensor/dtype.h"

namespace troupe {

enum class ConvPass : uint8_t { kForward, kBackwardInput, kBackwardFilter };

/// A convolution as cuDNN knows them. Images x and y are channels first or last; the filter w is [out, in / groups, spatial...] or, with
/// channels last, [out, spatial..., in / groups]. The same padding on both sides. The first `spatial_rank` of the arrays count.
struct LibraryConv {
  ConvPass pass = ConvPass::kForward;
  /// float, double, half or bfloat16 (the last two summed in float).
  DataType dtype = DataType::kFloat;
  bool channels_last = true;
  int spatial_rank = 2;
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  std::array<int64_t, 3> in = {1, 1, 1};
  std::array<int64_t, 3> out = {1, 1, 1};
  std::array<int64_t, 3> kernel = {1, 1, 1};
  std::array<int64_t, 3> stride = {1, 1, 1};
  std::array<int64_t, 3> dilation = {1, 1, 1};
  std::array<int64_t, 3> padding = {0, 0, 0};

  friend bool operator==(const LibraryConv&, const LibraryConv&) = default;
  template <class H>
  friend H AbslHashValue(H h, const LibraryConv& c) {
    return H::combine(std::move(h), c.pass, c.dtype, c.channels_last, c.spatial_rank, c.batch, c.in_channels,
                      c.out_channels, c.groups, c.in, c.out, c.kernel, c.stride, c.dilation, c.padding);
  }
};

/// A library of convolutions on one GPU. Thread-safe.
class ConvLibrary {
 public:
  virtual ~ConvLibrary() = default;
  /// Whether the library has that convolution.
  virtual absl::StatusOr<bool> has(const LibraryConv& conv, const LibraryOptions& options) = 0;
  /// Enqueues a convolution that it has. The pass says which of x, w and y is written: y, x or w. ResourceExhausted when there is no
  /// memory for any algorithm; Unimplemented when none of them ran: nothing has been enqueued then.
  virtual absl::Status convolve(const LibraryConv& conv, void* x, void* w, void* y, LibraryCall& call) = 0;
};

}  // namespace troupe
