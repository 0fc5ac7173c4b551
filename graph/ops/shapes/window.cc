// Ops that slide a window over an image or a volume: convolution, pooling, dilation, patches.

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/reused.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

/// Where batch, channels and the spatial dimensions stand.
struct Layout {
  int rank = 0;
  int batch = 0;
  int channel = 0;
  int space = 0;
};

absl::StatusOr<Layout> layout_of(const ShapeContext& c, int spatial) {
  const std::string format = c.attrs().get_or<std::string>("data_format", spatial == 3 ? "NDHWC" : "NHWC");
  Layout l;
  l.rank = spatial + 2;
  if (format == "NHWC" || format == "NDHWC") {
    l.channel = spatial + 1;
    l.space = 1;
  } else if (format == "NCHW" || format == "NCDHW" || format == "NCHW_VECT_C") {
    l.channel = 1;
    l.space = 2;
    if (format == "NCHW_VECT_C") l.rank = 5;
  } else {
    return invalid(absl::StrCat("Invalid data format string: ", format));
  }
  return l;
}

/// An int list attr of `size` values, or the message of the op.
absl::StatusOr<std::vector<int64_t>> window_attr(const ShapeContext& c, absl::string_view attr,
                                                 absl::string_view label, size_t size) {
  TROUPE_ASSIGN_OR_RETURN(auto list, c.attr<std::vector<int64_t>>(attr));
  if (list.size() != size) {
    return invalid(absl::StrCat(label, " attribute to contain ", size, " values, but got: ", list.size()));
  }
  return list;
}

struct Padding {
  enum Kind { kSame, kValid, kExplicit } kind = kValid;
  std::vector<int64_t> sizes;
};

/// `sizes`: how many explicit ones there must be.
absl::StatusOr<Padding> padding_of(const ShapeContext& c, const Layout& l, size_t sizes = 8) {
  TROUPE_ASSIGN_OR_RETURN(std::string kind, c.attr<std::string>("padding"));
  Padding p;
  p.kind = kind == "SAME" ? Padding::kSame : kind == "EXPLICIT" ? Padding::kExplicit : Padding::kValid;
  p.sizes = c.attrs().get_or<std::vector<int64_t>>("explicit_paddings", {});
  if (p.kind != Padding::kExplicit) {
    if (!p.sizes.empty()) {
      return invalid("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
    }
    return p;
  }
  if (p.sizes.size() != sizes) {
    return invalid(absl::StrCat("explicit_paddings attribute must contain ", sizes,
                                " values, but got: ", p.sizes.size()));
  }
  for (int64_t s : p.sizes) {
    if (s < 0) return invalid("All elements of explicit_paddings must be nonnegative");
  }
  for (int d : {l.batch, l.channel}) {
    if (p.sizes[2 * d] != 0 || p.sizes[2 * d + 1] != 0) {
      return invalid("Nonzero explicit padding in the batch or depth dimensions is not supported");
    }
  }
  return p;
}

/// The size of one output dimension; `window` may be unknown, `d` is the dimension for explicit padding.
absl::StatusOr<int64_t> windowed(int64_t in, int64_t window, int64_t dilation, int64_t stride,
                                 const Padding& padding, int d) {
  if (stride <= 0) return invalid(absl::StrCat("Stride must be > 0, but got ", stride));
  if (dilation < 1) return invalid(absl::StrCat("Dilation rate must be >= 1, but got ", dilation));
  if (padding.kind == Padding::kSame) {
    TROUPE_ASSIGN_OR_RETURN(int64_t sum, add_dims(in, stride - 1));
    return divide_dim(sum, stride, false);
  }
  if (padding.kind == Padding::kExplicit && in >= 0) {
    TROUPE_ASSIGN_OR_RETURN(int64_t pads, add_dims(padding.sizes[2 * d], padding.sizes[2 * d + 1]));
    TROUPE_ASSIGN_OR_RETURN(in, add_dims(in, pads));
  }
  if (dilation > 1 && window > 0) {
    TROUPE_ASSIGN_OR_RETURN(window, multiply_dims(window - 1, dilation));
    TROUPE_ASSIGN_OR_RETURN(window, add_dims(window, 1));
  }
  TROUPE_ASSIGN_OR_RETURN(int64_t rest, subtract_dims(in, window));
  TROUPE_ASSIGN_OR_RETURN(int64_t sum, add_dims(rest, stride));
  return divide_dim(sum, stride, false);
}

/// The same for a window that is known, as TensorFlow does it where it does not use the one above.
absl::StatusOr<int64_t> windowed_known(int64_t in, int64_t window, int64_t dilation, int64_t stride,
                                       const Padding& padding) {
  if (stride <= 0) return invalid(absl::StrCat("Stride must be > 0, but got ", stride));
  if (dilation < 1) return invalid(absl::StrCat("Dilation rate must be >= 1, but got ", dilation));
  TROUPE_ASSIGN_OR_RETURN(int64_t rounded, add_dims(in, stride - 1));
  if (padding.kind == Padding::kSame) return rounded / stride;
  TROUPE_ASSIGN_OR_RETURN(int64_t spread, multiply_dims(std::max<int64_t>(window - 1, 0), dilation));
  TROUPE_ASSIGN_OR_RETURN(int64_t effective, add_dims(spread, 1));
  const int64_t size = (rounded + 1 - effective) / stride;
  if (size < 0) {
    return invalid(absl::StrCat("Computed output size would be negative: ", size, " [input_size: ", in,
                                ", effective_filter_size: ", effective, ", stride: ", stride, "]"));
  }
  return size;
}

/// TensorFlow's check of the innermost dimension of the layout that has one.
absl::Status check_vector_channels(const ShapeContext& c, const Layout& l, const PartialShape& in) {
  if (l.rank != 5 || c.attrs().get_or<std::string>("data_format", "") != "NCHW_VECT_C")
    return absl::OkStatus();
  const int64_t size = dim_of(in, 4);
  if (size == 4 || size == 32) return absl::OkStatus();
  return invalid(absl::StrCat("VECT_C dimension must be 4 or 32, but is ", size));
}

absl::Status conv(ShapeContext& c, int spatial, absl::string_view name) {
  TROUPE_ASSIGN_OR_RETURN(Layout l, layout_of(c, spatial));
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), l.rank));
  TROUPE_RETURN_IF_ERROR(check_vector_channels(c, l, in));
  TROUPE_ASSIGN_OR_RETURN(PartialShape filter, with_rank(c.input(1), l.rank));
  if (const std::string format = c.attrs().get_or<std::string>("filter_format", "HWIO"); format == "OIHW") {
    filter = PartialShape({dim_of(filter, 2), dim_of(filter, 3), dim_of(filter, 1), dim_of(filter, 0)});
  } else if (format != "HWIO") {
    filter = unknown_of_rank(l.rank);
  }
  const size_t n = static_cast<size_t>(spatial + 2);
  TROUPE_ASSIGN_OR_RETURN(auto dilations,
                          window_attr(c, "dilations", absl::StrCat(name, " requires the dilation"), n));
  TROUPE_ASSIGN_OR_RETURN(
      auto strides, window_attr(c, "strides",
                                spatial == 3 ? absl::StrCat(name, " requires the stride")
                                             : absl::StrCat(name, " on data format ",
                                                            c.attrs().get_or<std::string>("data_format", ""),
                                                            " requires the stride"),
                                n));
  const int64_t depth = dim_of(in, l.channel), filter_depth = dim_of(filter, spatial);
  int64_t out_depth = dim_of(filter, spatial + 1);
  if (depth >= 0 && filter_depth >= 0) {
    if (filter_depth == 0) return invalid("Depth of filter must not be 0");
    if (depth % filter_depth != 0) {
      return invalid(absl::StrCat("Depth of input (", depth, ") is not a multiple of input depth of filter (",
                                  filter_depth, ")"));
    }
    const int64_t groups = depth / filter_depth;
    if (groups == 0) return invalid("Number of groups must not be 0");
    if (out_depth >= 0 && out_depth % groups != 0) {
      return invalid(absl::StrCat("Depth of output (", out_depth,
                                  ") is not a multiple of the number of groups (", groups, ")"));
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Padding padding, padding_of(c, l));
  Dims dims(l.rank, kUnknownDim);
  dims[l.batch] = dim_of(in, l.batch);
  for (int i = 0; i < spatial; ++i) {
    const int d = l.space + i;
    TROUPE_ASSIGN_OR_RETURN(dims[d],
                            windowed(dim_of(in, d), dim_of(filter, i), dilations[d], strides[d], padding, d));
  }
  dims[l.channel] = out_depth;
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

}  // namespace

absl::Status conv_2d(ShapeContext& c) { return conv(c, 2, "Conv2D"); }

namespace {

absl::Status conv_3d(ShapeContext& c) { return conv(c, 3, "Conv3D"); }

/// A list attr of the convolution of any rank: one number a dimension.
absl::Status check_length(const std::vector<int64_t>& list, absl::string_view label, int rank) {
  if (static_cast<int>(list.size()) == rank) return absl::OkStatus();
  return invalid(absl::StrCat(label, " attribute should contain ", rank, " values, but got: ", list.size()));
}

absl::Status check_groups(int64_t depth, int64_t filter_depth, int64_t out_depth, int64_t groups) {
  if (depth < 0 || filter_depth < 0) return absl::OkStatus();
  if (filter_depth == 0) return invalid("Depth of filter must not be 0");
  if (depth % filter_depth != 0) {
    return invalid(absl::StrCat("Depth of input (", depth, ") is not a multiple of input depth of filter (",
                                filter_depth, ")"));
  }
  if (depth / filter_depth != groups) {
    return invalid(absl::StrCat(
        "Input depth divided by filter input depth does not match with groups parameter (", groups, ")"));
  }
  if (out_depth >= 0 && (groups == 0 || out_depth % groups != 0)) {
    return invalid(absl::StrCat("Depth of output (", out_depth,
                                ") is not a multiple of the number of groups (", groups, ")"));
  }
  return absl::OkStatus();
}

/// Conv: the input has any number of batch dimensions before the usual others.
absl::Status conv_nd(ShapeContext& c) {
  const PartialShape in = c.input(0);
  const int64_t batch = c.attrs().get_or<int64_t>("batch_dims", 1);
  if (batch < 0) return invalid("batch_dims must be non-negative");
  if (!in.known_rank()) return unknown(c);
  const int spatial = static_cast<int>(in.rank() - 1 - std::min<int64_t>(batch, in.rank()));
  const int rank = spatial + 2, before = static_cast<int>(std::min<int64_t>(batch, in.rank()));
  if (spatial < 2 || spatial > 3) {
    return invalid(
        absl::StrCat("Input tensor must be rank 4 or 5, excluding extra batch dimensions, but got: ", rank));
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape filter, with_rank(c.input(1), rank));
  TROUPE_ASSIGN_OR_RETURN(auto strides, c.attr<std::vector<int64_t>>("strides"));
  TROUPE_RETURN_IF_ERROR(check_length(strides, "Stride", rank));
  auto dilations = c.attrs().get_or<std::vector<int64_t>>("dilations", {});
  if (dilations.empty()) dilations.assign(static_cast<size_t>(rank), 1);
  TROUPE_RETURN_IF_ERROR(check_length(dilations, "Dilation", rank));
  const bool last = c.attrs().get_or<std::string>("data_format", "CHANNELS_LAST") == "CHANNELS_LAST";
  const Layout l{rank, 0, last ? rank - 1 : 1, last ? 1 : 2};
  TROUPE_ASSIGN_OR_RETURN(Padding padding, padding_of(c, l, static_cast<size_t>(rank) * 2));
  // In the input there are `before` dimensions where the layout has one.
  Dims dims(static_cast<size_t>(in.rank()), kUnknownDim);
  for (int i = 0; i < before; ++i) dims[static_cast<size_t>(i)] = in.dim(i);
  for (int i = 0; i < spatial; ++i) {
    const int d = l.space + i;
    TROUPE_ASSIGN_OR_RETURN(dims[static_cast<size_t>(d - 1 + before)],
                            windowed(in.dim(d - 1 + before), dim_of(filter, i),
                                     dilations[static_cast<size_t>(d)], strides[static_cast<size_t>(d)],
                                     padding, d));
  }
  const int channel = l.channel - 1 + before;
  TROUPE_RETURN_IF_ERROR(check_groups(in.dim(channel), dim_of(filter, spatial), dim_of(filter, spatial + 1),
                                      c.attrs().get_or<int64_t>("groups", 1)));
  dims[static_cast<size_t>(channel)] = dim_of(filter, spatial + 1);
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

}  // namespace

absl::Status depthwise_conv_2d(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Layout l, layout_of(c, 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 4));
  TROUPE_ASSIGN_OR_RETURN(PartialShape filter, with_rank(c.input(1), 4));
  TROUPE_ASSIGN_OR_RETURN(auto strides, window_attr(c, "strides", "DepthwiseConv2D requires the stride", 4));
  TROUPE_ASSIGN_OR_RETURN(auto dilations, c.attr<std::vector<int64_t>>("dilations"));
  if (dilations.size() != 4) {
    return invalid(absl::StrCat(
        "DepthwiseConv2D requires the dilations attribute to contain 4 values, but got: ", dilations.size()));
  }
  // The input has as many channels as the filter; what one says is known of both.
  TROUPE_ASSIGN_OR_RETURN(int64_t depth, merge_dims(dim_of(in, l.channel), dim_of(filter, 2)));
  TROUPE_ASSIGN_OR_RETURN(int64_t out_depth, multiply_dims(depth, dim_of(filter, 3)));
  TROUPE_ASSIGN_OR_RETURN(Padding padding, padding_of(c, l));
  Dims dims(4, kUnknownDim);
  dims[l.batch] = dim_of(in, l.batch);
  for (int i = 0; i < 2; ++i) {
    const int d = l.space + i;
    TROUPE_ASSIGN_OR_RETURN(dims[d],
                            windowed(dim_of(in, d), dim_of(filter, i), dilations[d], strides[d], padding, d));
  }
  dims[l.channel] = out_depth;
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

namespace {

absl::Status conv_2d_input_gradient(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Layout l, layout_of(c, 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape grad, with_rank(c.input(2), 4));
  TROUPE_ASSIGN_OR_RETURN(PartialShape filter, with_rank(c.input(1), 4));
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(grad, l.channel), dim_of(filter, 3)).status());
  TROUPE_ASSIGN_OR_RETURN(PartialShape sizes, c.input_as_shape(0));
  if (!sizes.known_rank()) sizes = unknown_of_rank(4);
  Dims dims(4, kUnknownDim);
  if (sizes.rank() == 4) {
    dims = sizes.dims();
    TROUPE_RETURN_IF_ERROR(merge_dims(dims[0], dim_of(grad, 0)).status());
  } else if (sizes.rank() == 2) {
    dims[l.space] = sizes.dim(0);
    dims[l.space + 1] = sizes.dim(1);
    dims[l.channel] = dim_of(filter, 2);
  } else {
    return invalid(absl::StrCat(
        "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: ", sizes.rank()));
  }
  dims[0] = dim_of(grad, 0);
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

/// The gradient of a convolution has the shape that input kInput holds.
template <int kInput, int kRank>
absl::Status conv_gradient(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.input_as_shape(kInput));
  TROUPE_ASSIGN_OR_RETURN(shape, with_rank(shape, kRank));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

/// Pooling with windows and strides that are known, or empty ones that are not.
absl::Status pool_with(ShapeContext& c, int spatial, const Layout& l, const std::vector<int64_t>& window,
                       const std::vector<int64_t>& strides, bool pools_channels) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), l.rank));
  TROUPE_RETURN_IF_ERROR(check_vector_channels(c, l, in));
  TROUPE_ASSIGN_OR_RETURN(Padding padding, padding_of(c, l));
  Dims dims(l.rank, kUnknownDim);
  dims[l.batch] = dim_of(in, l.batch);
  for (int i = 0; i < spatial; ++i) {
    const int d = l.space + i;
    TROUPE_ASSIGN_OR_RETURN(dims[d], windowed(dim_of(in, d), window[d], 1, strides[d], padding, d));
  }
  dims[l.channel] = dim_of(in, l.channel);
  if (pools_channels) {
    TROUPE_ASSIGN_OR_RETURN(dims[l.channel], windowed(dims[l.channel], window[l.channel], 1,
                                                      strides[l.channel], padding, l.channel));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape(dims));
  return absl::OkStatus();
}

absl::Status pool(ShapeContext& c, int spatial, absl::string_view name, bool pools_channels) {
  TROUPE_ASSIGN_OR_RETURN(Layout l, layout_of(c, spatial));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), l.rank).status());
  const size_t n = static_cast<size_t>(spatial + 2);
  TROUPE_ASSIGN_OR_RETURN(auto strides,
                          window_attr(c, "strides", absl::StrCat(name, " requires the stride"), n));
  TROUPE_ASSIGN_OR_RETURN(auto window, window_attr(c, "ksize", absl::StrCat(name, " requires the ksize"), n));
  return pool_with(c, spatial, l, window, strides, pools_channels);
}

absl::Status avg_pool(ShapeContext& c) { return pool(c, 2, "AvgPool", false); }
absl::Status max_pool_with_argmax(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(auto window, c.attr<std::vector<int64_t>>("ksize"));
  for (int64_t size : window) {
    if (size <= 0) return invalid(absl::StrCat("ksize must be a positive int32 value, got:", size));
  }
  return pool(c, 2, "MaxPool", true);
}
absl::Status max_pool(ShapeContext& c) { return pool(c, 2, "MaxPool", true); }
absl::Status pool_3d(ShapeContext& c) { return pool(c, 3, "Pool3D ops", false); }

absl::Status max_pool_v2(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Layout l, layout_of(c, 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), l.rank));
  TROUPE_RETURN_IF_ERROR(check_vector_channels(c, l, in));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 1).status());
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(2), 1).status());
  const auto window = c.all_ints(1), strides = c.all_ints(2);
  if (!window || !strides) {
    c.set_output(0, unknown_of_rank(4));
    return absl::OkStatus();
  }
  if (strides->size() != 4) {
    return invalid(absl::StrCat("MaxPool requires the stride attribute to contain 4 values, but got: ",
                                strides->size()));
  }
  if (window->size() != 4) {
    return invalid(
        absl::StrCat("MaxPool requires the ksize attribute to contain 4 values, but got: ", window->size()));
  }
  return pool_with(c, 2, l, *window, *strides, true);
}

absl::Status dilation_2d(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 4));
  TROUPE_ASSIGN_OR_RETURN(PartialShape filter, with_rank(c.input(1), 3));
  TROUPE_ASSIGN_OR_RETURN(auto strides, window_attr(c, "strides", "Dilation2D requires the stride", 4));
  TROUPE_ASSIGN_OR_RETURN(auto rates, window_attr(c, "rates", "Dilation2D requires the rates", 4));
  Layout l{4, 0, 3, 1};
  TROUPE_ASSIGN_OR_RETURN(Padding padding, padding_of(c, l));
  Dims dims{dim_of(in, 0), kUnknownDim, kUnknownDim, dim_of(filter, 2)};
  const bool known =
      dim_of(in, 1) >= 0 && dim_of(in, 2) >= 0 && dim_of(filter, 0) >= 0 && dim_of(filter, 1) >= 0;
  if (known) {
    TROUPE_ASSIGN_OR_RETURN(dims[3], merge_dims(dim_of(in, 3), dim_of(filter, 2)));
  }
  for (int i = 0; known && i < 2; ++i) {
    TROUPE_ASSIGN_OR_RETURN(dims[i + 1], windowed_known(dim_of(in, i + 1), dim_of(filter, i), rates[i + 1],
                                                        strides[i + 1], padding));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status image_patches(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 4));
  TROUPE_ASSIGN_OR_RETURN(auto sizes, window_attr(c, "ksizes", "ExtractImagePatches requires the ksizes", 4));
  TROUPE_ASSIGN_OR_RETURN(auto strides,
                          window_attr(c, "strides", "ExtractImagePatches requires the stride", 4));
  TROUPE_ASSIGN_OR_RETURN(auto rates, window_attr(c, "rates", "ExtractImagePatches requires the rates", 4));
  TROUPE_ASSIGN_OR_RETURN(Padding padding, padding_of(c, Layout{4, 0, 3, 1}));
  Dims dims{dim_of(in, 0), kUnknownDim, kUnknownDim, kUnknownDim};
  if (sizes[1] > 0 && sizes[2] > 0) {
    TROUPE_ASSIGN_OR_RETURN(int64_t area, multiply_dims(sizes[1], sizes[2]));
    TROUPE_ASSIGN_OR_RETURN(dims[3], multiply_dims(dim_of(in, 3), area));
  }
  for (int d = 1; d <= 2; ++d) {
    if (dim_of(in, 1) < 0 || dim_of(in, 2) < 0) break;
    TROUPE_ASSIGN_OR_RETURN(dims[d], windowed_known(dim_of(in, d), sizes[d], rates[d], strides[d], padding));
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status fractional_pool(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 4));
  TROUPE_ASSIGN_OR_RETURN(auto ratio, c.attr<std::vector<float>>("pooling_ratio"));
  if (ratio.size() != 4) return invalid("pooling_ratio field must specify 4 dimensions");
  Dims dims(4, kUnknownDim);
  for (int i = 0; i < 4; ++i) {
    if (dim_of(in, i) < 0) continue;
    const double size = static_cast<double>(dim_of(in, i)) / static_cast<double>(ratio[i]);
    if (!(size >= 0)) return invalid(absl::StrCat("size computed for ", i, "th dim is negative: ", size));
    if (size > 9e18) return invalid(absl::StrCat("size computed for ", i, "th dim is too large: ", size));
    dims[i] = static_cast<int64_t>(size);
  }
  c.set_output(1, PartialShape({dims[1]}));
  c.set_output(2, PartialShape({dims[2]}));
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

absl::Status dilation_2d_gradient(ShapeContext& c) {
  c.set_output(0, c.input(absl::EndsWith(c.op().name, "Filter") ? 1 : 0));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"Conv2D", conv_2d},
    {"_FusedConv2D", conv_2d},
    {"Conv2DBackpropInput", conv_2d_input_gradient},
    {"Conv2DBackpropFilter", conv_gradient<1, 4>},
    {"Conv", conv_nd},
    {"Conv3D", conv_3d},
    {"Conv3DBackpropInput", unchanged_rank<5>},
    {"Conv3DBackpropFilter", rule<"* [?,?,?,?,?]">},
    {"Conv3DBackpropInputV2", conv_gradient<0, 5>},
    {"Conv3DBackpropFilterV2", conv_gradient<1, 5>},
    {"DepthwiseConv2dNative", depthwise_conv_2d},
    {"DepthwiseConv2dNativeBackpropInput", conv_gradient<0, 4>},
    {"DepthwiseConv2dNativeBackpropFilter", conv_gradient<1, 4>},
    {"AvgPool", avg_pool},
    {"AvgPoolGrad", conv_gradient<0, 4>},
    {"AvgPool3D", pool_3d},
    {"AvgPool3DGrad", conv_gradient<0, 5>},
    {"MaxPool", max_pool},
    {"MaxPoolV2", max_pool_v2},
    {"MaxPoolGrad", unchanged_rank<4>},
    {"MaxPoolGradV2", unchanged_rank<4>},
    {"MaxPoolGradGrad", max_pool},
    {"MaxPoolWithArgmax", max_pool_with_argmax},
    {"MaxPoolGradWithArgmax", unchanged_rank<4>},
    {"MaxPool3D", pool_3d},
    {"MaxPool3DGrad", unchanged_rank<5>},
    {"MaxPool3DGradGrad", pool_3d},
    {"FractionalMaxPool", fractional_pool},
    {"FractionalAvgPool", fractional_pool},
    {"FractionalMaxPoolGrad", unchanged_rank<4>},
    {"Dilation2D", dilation_2d},
    {"Dilation2DBackpropInput", dilation_2d_gradient},
    {"Dilation2DBackpropFilter", dilation_2d_gradient},
    {"ExtractImagePatches", image_patches},
};

}  // namespace

absl::Status register_window_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
