#include "devices/common/conv/window.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Extents, strides, dilations and paddings beyond this are refused: products of two stay below 2^63.
constexpr int64_t kMaxExtent = std::numeric_limits<int32_t>::max();

absl::Status check_batch_and_depth(const std::vector<int64_t>& values, const ImageLayout& layout,
                                   absl::string_view what) {
  if (static_cast<int>(values.size()) != layout.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Sliding window ", what, " field must specify ", layout.rank(), " dimensions"));
  }
  if (values[0] != 1 || values[static_cast<size_t>(layout.channel_axis())] != 1) {
    std::string text = absl::StrCat("Current implementation does not yet support ", what,
                                    " in the batch and depth dimensions.");
    return what == "strides" ? absl::UnimplementedError(text) : absl::InvalidArgumentError(text);
  }
  for (int64_t v : values) {
    if (v > 0 && v <= kMaxExtent) continue;
    return absl::InvalidArgumentError(what == "strides" ? "Sliding window strides field must be positive: "
                                                          "Spatial strides should be larger than 0."
                                                        : "Dilated rates should be larger than 0.");
  }
  return absl::OkStatus();
}

absl::Status check_explicit(const WindowAttrs& a) {
  const int rank = a.layout.rank();
  if (a.padding != Padding::kExplicit) {
    if (a.explicit_paddings.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
  }
  if (static_cast<int>(a.explicit_paddings.size()) != 2 * rank) {
    return absl::InvalidArgumentError(absl::StrCat("explicit_paddings attribute must contain ", 2 * rank,
                                                   " values, but got: ", a.explicit_paddings.size()));
  }
  for (int64_t p : a.explicit_paddings) {
    if (p < 0 || p > kMaxExtent) {
      return absl::InvalidArgumentError(
          absl::StrCat("All elements of explicit_paddings must be nonnegative, got: ", p));
    }
  }
  const auto channel = static_cast<size_t>(a.layout.channel_axis());
  if (a.explicit_paddings[0] != 0 || a.explicit_paddings[1] != 0 || a.explicit_paddings[2 * channel] != 0 ||
      a.explicit_paddings[2 * channel + 1] != 0) {
    return absl::InvalidArgumentError(
        "Nonzero explicit padding in the batch or depth dimensions is not supported");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Padding> parse_padding(absl::string_view text) {
  if (text == "SAME") return Padding::kSame;
  if (text == "VALID") return Padding::kValid;
  if (text == "EXPLICIT") return Padding::kExplicit;
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not an allowed padding type"));
}

absl::StatusOr<Shape> ImageLayout::shape(int64_t batch, const int64_t* spatial, int64_t channels) const {
  std::vector<int64_t> dims = {batch};
  if (!channels_last) dims.push_back(channels);
  dims.insert(dims.end(), spatial, spatial + spatial_rank);
  if (channels_last) dims.push_back(channels);
  return Shape::make(dims);
}

absl::StatusOr<ImageLayout> parse_layout(absl::string_view text, int spatial_rank) {
  static constexpr struct {
    const char* name;
    int spatial_rank;
    bool channels_last;
  } kLayouts[] = {{"NHWC", 2, true}, {"NCHW", 2, false}, {"NDHWC", 3, true}, {"NCDHW", 3, false}};
  for (const auto& l : kLayouts) {
    if (text != l.name) continue;
    if (spatial_rank != 0 && spatial_rank != l.spatial_rank) break;
    return ImageLayout{l.spatial_rank, l.channels_last};
  }
  return absl::InvalidArgumentError(absl::StrCat("Invalid data format: ", text));
}

absl::Status size_window(Padding padding, Window* w) {
  int64_t reach;
  if (w->stride <= 0)
    return absl::InvalidArgumentError(absl::StrCat("Stride must be > 0, but got ", w->stride));
  if (w->dilation < 1) {
    return absl::InvalidArgumentError(absl::StrCat("Dilation rate must be >= 1, but got ", w->dilation));
  }
  if (w->kernel < 1 || w->in < 0 || multiply_overflows(w->kernel - 1, w->dilation, &reach) ||
      reach >= (int64_t{1} << 62) || w->in >= (int64_t{1} << 61) || w->stride > kMaxExtent) {
    return absl::InvalidArgumentError(absl::StrCat("Invalid window: input ", w->in, ", filter ", w->kernel,
                                                   ", dilation ", w->dilation, ", stride ", w->stride));
  }
  const int64_t effective = reach + 1;
  if (padding == Padding::kSame) {
    w->out = (w->in + w->stride - 1) / w->stride;
    const int64_t total =
        w->out == 0 ? 0 : std::max<int64_t>(0, (w->out - 1) * w->stride + effective - w->in);
    w->before = total / 2;
    w->after = total - w->before;
    return absl::OkStatus();
  }
  if (padding == Padding::kValid) w->before = w->after = 0;
  const int64_t room = w->in + w->before + w->after - effective + w->stride;
  // Division that truncates, as TensorFlow's does.
  w->out = room / w->stride;
  if (w->out < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Computed output size would be negative: ", w->out, " [input_size: ", w->in + w->before + w->after,
        ", effective_filter_size: ", effective, ", stride: ", w->stride, "]"));
  }
  return absl::OkStatus();
}

absl::StatusOr<WindowAttrs> WindowAttrs::make(const KernelConstruction& c, int spatial_rank) {
  WindowAttrs a;
  const AttrMap& attrs = c.node().attrs;
  std::string format = attrs.get_or<std::string>("data_format", spatial_rank == 3 ? "NDHWC" : "NHWC");
  TROUPE_ASSIGN_OR_RETURN(a.layout, parse_layout(format, spatial_rank));
  TROUPE_ASSIGN_OR_RETURN(std::string padding, c.attr<std::string>("padding"));
  TROUPE_ASSIGN_OR_RETURN(a.padding, parse_padding(padding));
  TROUPE_ASSIGN_OR_RETURN(a.strides, c.attr<std::vector<int64_t>>("strides"));
  a.dilations = attrs.get_or<std::vector<int64_t>>("dilations", {});
  if (a.dilations.empty()) a.dilations.assign(static_cast<size_t>(a.layout.rank()), 1);
  a.explicit_paddings = attrs.get_or<std::vector<int64_t>>("explicit_paddings", {});
  TROUPE_RETURN_IF_ERROR(a.check());
  return a;
}

absl::Status WindowAttrs::check() const {
  TROUPE_RETURN_IF_ERROR(check_batch_and_depth(strides, layout, "strides"));
  TROUPE_RETURN_IF_ERROR(check_batch_and_depth(dilations, layout, "dilations"));
  return check_explicit(*this);
}

absl::StatusOr<Window> WindowAttrs::window(int i, int64_t in, int64_t kernel) const {
  const auto axis = static_cast<size_t>(layout.spatial_axis(i));
  Window w;
  w.in = in;
  w.kernel = kernel;
  w.stride = strides[axis];
  w.dilation = dilations[axis];
  if (padding == Padding::kExplicit) {
    w.before = explicit_paddings[2 * axis];
    w.after = explicit_paddings[2 * axis + 1];
  }
  TROUPE_RETURN_IF_ERROR(size_window(padding, &w));
  return w;
}

absl::StatusOr<std::vector<int64_t>> int_vector(const Tensor& t, absl::string_view what) {
  if (t.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(what, " must be a vector: ", t.shape().to_string()));
  }
  if (t.dtype() == DataType::kInt32) {
    auto v = t.flat<int32_t>();
    return std::vector<int64_t>(v.begin(), v.end());
  }
  auto v = t.flat<int64_t>();
  return std::vector<int64_t>(v.begin(), v.end());
}

}  // namespace troupe
