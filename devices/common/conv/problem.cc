#include "devices/common/conv/problem.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

absl::Status check_extents(const ConvProblem& p) {
  for (size_t i = 0; i < 3; ++i) {
    for (int64_t v : {p.in[i], p.out[i], p.kernel[i], p.pad_before[i], p.pad_after[i]}) {
      if (v > std::numeric_limits<int32_t>::max())
        return absl::InvalidArgumentError("Convolution extent too large");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ConvProblem> make_problem(const WindowAttrs& a, bool depthwise, const Shape& input,
                                         const Shape& filter) {
  const ImageLayout& layout = a.layout;
  const int rank = layout.rank(), spatial = layout.spatial_rank;
  if (input.rank() != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("input must be ", rank, "-dimensional: ", input.to_string()));
  }
  if (filter.rank() != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter must be ", rank, "-dimensional: ", filter.to_string()));
  }
  if (filter.num_elements() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter must not have zero elements (i.e. all dimensions must be non-zero)"));
  }
  ConvProblem p;
  p.spatial_rank = spatial;
  p.channels_last = layout.channels_last;
  p.batch = input.dim(0);
  p.in_channels = input.dim(layout.channel_axis());
  const int64_t filter_in = filter.dim(rank - 2);
  if (depthwise) {
    if (p.in_channels != filter_in) {
      return absl::InvalidArgumentError(
          absl::StrCat("input and filter must have the same depth: ", p.in_channels, " vs ", filter_in));
    }
    p.groups = p.in_channels;
    p.out_channels = filter_in * filter.dim(rank - 1);
  } else {
    if (p.in_channels % filter_in != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input depth must be evenly divisible by filter depth: ", p.in_channels, " vs ", filter_in));
    }
    p.out_channels = filter.dim(rank - 1);
    p.groups = std::max<int64_t>(1, p.in_channels / filter_in);
    if (p.in_channels == 0 || p.out_channels % p.groups != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("output depth must be evenly divisible by number of groups: ", p.out_channels, " vs ",
                       p.in_channels == 0 ? 0 : p.groups));
    }
  }
  // Two-dimensional problems leave the first of three loops empty for the plain code, and the last for oneDNN.
  for (int i = 0; i < spatial; ++i) {
    TROUPE_ASSIGN_OR_RETURN(Window w, a.window(i, input.dim(layout.spatial_axis(i)), filter.dim(i)));
    const auto at = static_cast<size_t>(i);
    p.in[at] = w.in;
    p.out[at] = w.out;
    p.kernel[at] = w.kernel;
    p.stride[at] = w.stride;
    p.dilation[at] = w.dilation;
    p.pad_before[at] = w.before;
    // What the windows really reach: padding that no window reads is left off.
    p.pad_after[at] =
        std::max<int64_t>(0, (w.out - 1) * w.stride + (w.kernel - 1) * w.dilation + 1 - w.in - w.before);
  }
  TROUPE_RETURN_IF_ERROR(check_extents(p));
  return p;
}

absl::Status check_out_backprop(const WindowAttrs& a, const ConvProblem& p, const Shape& out,
                                absl::string_view op) {
  const ImageLayout& layout = a.layout;
  if (out.rank() != layout.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat(op, ": out_backprop must be ", layout.rank(), "-dimensional, got: ", out.to_string()));
  }
  if (out.dim(0) != p.batch) {
    return absl::InvalidArgumentError(
        absl::StrCat(op, ": input and out_backprop must have the same batch size. Input batch: ", p.batch,
                     ", outbackprop batch: ", out.dim(0), ", batch_dim: 0"));
  }
  if (out.dim(layout.channel_axis()) != p.out_channels) {
    return absl::InvalidArgumentError(
        absl::StrCat(op, ": filter and out_backprop must have the same out_depth. Filter: ", p.out_channels,
                     ", out_backprop: ", out.dim(layout.channel_axis())));
  }
  for (int i = 0; i < layout.spatial_rank; ++i) {
    const auto s = static_cast<size_t>(i);
    const int64_t actual = out.dim(layout.spatial_axis(i));
    if (actual == p.out[s]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        op, ": Size of out_backprop doesn't match computed: actual = ", actual, ", computed = ", p.out[s],
        ", spatial_dim: ", layout.spatial_axis(i), " input: ", p.in[s], " filter: ", p.kernel[s],
        " output: ", actual, " stride: ", p.stride[s], " dilation: ", p.dilation[s]));
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> told_shape(const Tensor& t, bool as_tensor, const ImageLayout& layout,
                                 const Tensor& filter, const Tensor& out_backprop, bool image) {
  if (as_tensor) return t.shape();
  TROUPE_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, int_vector(t, image ? "input_sizes" : "filter_sizes"));
  for (int64_t s : sizes) {
    if (s < 0) return absl::InvalidArgumentError(absl::StrCat("Dimension ", s, " must be >= 0"));
  }
  if (image && static_cast<int>(sizes.size()) == layout.spatial_rank &&
      out_backprop.rank() == layout.rank() && filter.rank() == layout.rank()) {
    return layout.shape(out_backprop.dim(0), sizes.data(), filter.dim(layout.rank() - 2));
  }
  if (static_cast<int>(sizes.size()) != layout.rank()) {
    return absl::InvalidArgumentError(absl::StrCat(image ? "input_sizes" : "filter_sizes",
                                                   " must be a vector of ", layout.rank(), " integers, got ",
                                                   sizes.size()));
  }
  return Shape::make(sizes);
}

}  // namespace troupe
