// Convolutions and their gradients.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/reused.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/ops/shapes/window.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

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

constexpr ShapeRow kRows[] = {
    {"Conv2D", conv_2d},
    {"_FusedConv2D", conv_2d},
    {"Conv2DBackpropInput", conv_2d_input_gradient},
    {"Conv2DBackpropFilter", window_gradient<1, 4>},
    {"Conv", conv_nd},
    {"Conv3D", conv_3d},
    {"Conv3DBackpropInput", unchanged_rank<5>},
    {"Conv3DBackpropFilter", rule<"* [?,?,?,?,?]">},
    {"Conv3DBackpropInputV2", window_gradient<0, 5>},
    {"Conv3DBackpropFilterV2", window_gradient<1, 5>},
    {"DepthwiseConv2dNative", depthwise_conv_2d},
    {"_FusedDepthwiseConv2dNative", depthwise_conv_2d},
    {"DepthwiseConv2dNativeBackpropInput", window_gradient<0, 4>},
    {"DepthwiseConv2dNativeBackpropFilter", window_gradient<1, 4>},
};

}  // namespace

absl::Status register_conv_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
