// Pooling and its gradients.

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/ops/shapes/window.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

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

constexpr ShapeRow kRows[] = {
    {"AvgPool", avg_pool},
    {"AvgPoolGrad", window_gradient<0, 4>},
    {"AvgPool3D", pool_3d},
    {"AvgPool3DGrad", window_gradient<0, 5>},
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
};

}  // namespace

absl::Status register_pool_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
