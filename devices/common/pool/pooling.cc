#include "devices/common/pool/pooling.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "devices/kernel_registry.h"

namespace troupe {

absl::Status PoolAttrs::check() const {
  const auto rank = static_cast<size_t>(layout.rank());
  if (ksize.size() != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("Sliding window ksize field must specify ", rank, " dimensions"));
  }
  if (strides.size() != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("Sliding window stride field must specify ", rank, " dimensions"));
  }
  for (size_t i = 0; i < rank; ++i) {
    if (ksize[i] <= 0) {
      return absl::InvalidArgumentError(absl::StrCat("Sliding window ksize for dimension ", i, " was zero."));
    }
    if (strides[i] <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Sliding window stride for dimension ", i, " was zero."));
    }
  }
  if (ksize[0] != 1 || strides[0] != 1) {
    return absl::UnimplementedError("Pooling is not yet supported on the batch dimension.");
  }
  if (padding == Padding::kExplicit) {
    if (explicit_paddings.size() != 2 * rank) {
      return absl::InvalidArgumentError(absl::StrCat("explicit_paddings attribute must contain ", 2 * rank,
                                                     " values, but got: ", explicit_paddings.size()));
    }
    for (size_t i = 0; i < rank; ++i) {
      for (int64_t p : {explicit_paddings[2 * i], explicit_paddings[2 * i + 1]}) {
        if (p >= 0 && p < ksize[i]) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("Pooling padding must be nonnegative and smaller than the "
                         "window: ",
                         p, " with ksize ", ksize[i]));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<PoolAttrs> PoolAttrs::make(const KernelConstruction& c, int spatial_rank,
                                          bool attrs_tell_sizes) {
  PoolAttrs a;
  const AttrMap& attrs = c.node().attrs;
  std::string format = attrs.get_or<std::string>("data_format", spatial_rank == 3 ? "NDHWC" : "NHWC");
  TROUPE_ASSIGN_OR_RETURN(a.layout, parse_layout(format, spatial_rank));
  TROUPE_ASSIGN_OR_RETURN(std::string padding, c.attr<std::string>("padding"));
  TROUPE_ASSIGN_OR_RETURN(a.padding, parse_padding(padding));
  a.explicit_paddings = attrs.get_or<std::vector<int64_t>>("explicit_paddings", {});
  if (attrs_tell_sizes) {
    TROUPE_ASSIGN_OR_RETURN(a.ksize, c.attr<std::vector<int64_t>>("ksize"));
    TROUPE_ASSIGN_OR_RETURN(a.strides, c.attr<std::vector<int64_t>>("strides"));
    TROUPE_RETURN_IF_ERROR(a.check());
  }
  return a;
}

absl::StatusOr<PoolAttrs> PoolAttrs::with_sizes(const Tensor& ksize_tensor,
                                                const Tensor& strides_tensor) const {
  PoolAttrs a = *this;
  TROUPE_ASSIGN_OR_RETURN(a.ksize, int_vector(ksize_tensor, "ksize"));
  TROUPE_ASSIGN_OR_RETURN(a.strides, int_vector(strides_tensor, "strides"));
  TROUPE_RETURN_IF_ERROR(a.check());
  return a;
}

absl::StatusOr<PoolProblem> PoolAttrs::problem(const Shape& input, absl::string_view input_name,
                                               bool allow_depth) const {
  if (input.rank() != layout.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat(input_name, " must be ", layout.rank(), "-dimensional ", input.to_string()));
  }
  PoolProblem p;
  const auto channel = static_cast<size_t>(layout.channel_axis());
  const int64_t batch = input.dim(0), depth = input.dim(layout.channel_axis());
  int64_t spatial_out[3] = {1, 1, 1};
  for (int i = 0; i < layout.spatial_rank; ++i) {
    const auto axis = static_cast<size_t>(layout.spatial_axis(i));
    Window& w = p.w[static_cast<size_t>(i + 3 - layout.spatial_rank)];
    w.in = input.dim(static_cast<int>(axis));
    w.kernel = ksize[axis];
    w.stride = strides[axis];
    if (padding == Padding::kExplicit) {
      w.before = explicit_paddings[2 * axis];
      w.after = explicit_paddings[2 * axis + 1];
    }
    TROUPE_RETURN_IF_ERROR(size_window(padding, &w));
    spatial_out[i] = w.out;
  }
  if (layout.spatial_rank == 2) p.w[0] = Window{.in = 1, .out = 1};
  int64_t out_depth = depth;
  if (ksize[channel] != 1 || strides[channel] != 1) {
    if (!allow_depth) {
      return absl::UnimplementedError("Pooling across the depth dimension is not supported here.");
    }
    for (const Window& w : p.w) {
      if (w.kernel == 1 && w.stride == 1) continue;
      return absl::UnimplementedError(
          "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
    }
    if (depth % ksize[channel] != 0) {
      return absl::UnimplementedError(
          "Depthwise max pooling requires the depth window to evenly divide the input depth");
    }
    if (ksize[channel] != strides[channel]) {
      return absl::UnimplementedError(
          "Depthwise max pooling requires the depth window to equal the depth stride");
    }
    if (!layout.channels_last) {
      return absl::UnimplementedError("Depthwise max pooling is only implemented for NHWC");
    }
    p.depth_window = ksize[channel];
    out_depth = depth / p.depth_window;
  }
  TROUPE_ASSIGN_OR_RETURN(p.out, layout.shape(batch, spatial_out, out_depth));
  p.images = layout.channels_last ? batch : batch * depth;
  p.channels = layout.channels_last ? depth : 1;
  return p;
}

}  // namespace troupe
