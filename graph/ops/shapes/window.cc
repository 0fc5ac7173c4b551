// Windows that slide over an image or a volume; the ops dilation and patches.

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/window.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

}  // namespace

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

absl::StatusOr<std::vector<int64_t>> window_attr(const ShapeContext& c, absl::string_view attr,
                                                 absl::string_view label, size_t size) {
  TROUPE_ASSIGN_OR_RETURN(auto list, c.attr<std::vector<int64_t>>(attr));
  if (list.size() != size) {
    return invalid(absl::StrCat(label, " attribute to contain ", size, " values, but got: ", list.size()));
  }
  return list;
}

absl::StatusOr<Padding> padding_of(const ShapeContext& c, const Layout& l, size_t sizes) {
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

absl::Status check_vector_channels(const ShapeContext& c, const Layout& l, const PartialShape& in) {
  if (l.rank != 5 || c.attrs().get_or<std::string>("data_format", "") != "NCHW_VECT_C")
    return absl::OkStatus();
  const int64_t size = dim_of(in, 4);
  if (size == 4 || size == 32) return absl::OkStatus();
  return invalid(absl::StrCat("VECT_C dimension must be 4 or 32, but is ", size));
}

namespace {

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

absl::Status dilation_2d_gradient(ShapeContext& c) {
  c.set_output(0, c.input(absl::EndsWith(c.op().name, "Filter") ? 1 : 0));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"Dilation2D", dilation_2d},
    {"Dilation2DBackpropInput", dilation_2d_gradient},
    {"Dilation2DBackpropFilter", dilation_2d_gradient},
    {"ExtractImagePatches", image_patches},
};

}  // namespace

absl::Status register_window_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
