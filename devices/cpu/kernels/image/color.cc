#include <Eigen/Core>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/image/dtypes.h"
#include "devices/cpu/kernels/shared/float_elements.h"

namespace troupe {
namespace {

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Hue in [0, 1) of a colour; 0 for greys.
template <class W>
W hue_of(W r, W g, W b, W top, W range) {
  if (!(range > 0)) return W(0);
  const W unit = W(1) / (W(6) * range);
  W h = r == top ? unit * (g - b) : g == top ? unit * (b - r) + W(2) / W(6) : unit * (r - g) + W(4) / W(6);
  return h < 0 ? h + W(1) : h;
}

/// How much of red, green and blue a hue has, in [0, 1].
template <class W>
void hue_parts(W hue, W* parts) {
  const W h = hue * W(6);
  auto clip = [](W v) { return std::min(W(1), std::max(W(0), v)); };
  parts[0] = clip(std::abs(h - W(3)) - W(1));
  parts[1] = clip(W(2) - std::abs(h - W(2)));
  parts[2] = clip(W(2) - std::abs(h - W(4)));
}

template <class W>
void rgb_to_hsv(const W* rgb, W* hsv) {
  const W top = std::max({rgb[0], rgb[1], rgb[2]}), bottom = std::min({rgb[0], rgb[1], rgb[2]});
  const W range = top - bottom;
  hsv[0] = hue_of(rgb[0], rgb[1], rgb[2], top, range);
  hsv[1] = top > 0 ? range / top : W(0);
  hsv[2] = top;
}

template <class W>
void hsv_to_rgb(const W* hsv, W* rgb) {
  W parts[3];
  hue_parts(hsv[0], parts);
  for (int i = 0; i < 3; ++i) rgb[i] = (W(1) - hsv[1] + hsv[1] * parts[i]) * hsv[2];
}

/// Runs fn(3 numbers in, 3 numbers out) over the pixels of a tensor.
template <class T, class Fn>
void each_pixel(ParallelRunner& runner, const Tensor& in, Tensor* out, Fn fn) {
  using W = Wide<T>;
  const T* from = in.flat<T>().data();
  T* to = out->flat<T>().data();
  runner.parallel_for(in.num_elements() / 3, 15, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      W a[3], b[3];
      for (int k = 0; k < 3; ++k) a[k] = static_cast<W>(from[i * 3 + k]);
      fn(a, b);
      for (int k = 0; k < 3; ++k) to[i * 3 + k] = static_cast<T>(b[k]);
    }
  });
}

template <class T, bool kToHsv>
absl::Status convert_space(KernelContext& context) {
  const Tensor& in = context.input(0);
  if (in.rank() < 1) {
    return absl::InvalidArgumentError(absl::StrCat("input must be at least 1D", in.shape().to_string()));
  }
  const int64_t channels = in.dim(in.rank() - 1);
  if (channels != 3) {
    return absl::FailedPreconditionError(
        absl::StrCat("input must have 3 channels but input only has ", channels, " channels."));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
  using W = Wide<T>;
  each_pixel<T>(context.parallel(), in, out, kToHsv ? &rgb_to_hsv<W> : &hsv_to_rgb<W>);
  return absl::OkStatus();
}

absl::StatusOr<float> adjustment(KernelContext& context, const char* name, bool needs_rgb) {
  const Tensor &in = context.input(0), &amount = context.input(1);
  if (in.rank() < 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("input must be at least 3-D, got shape", in.shape().to_string()));
  }
  if (amount.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, " must be scalar: ", amount.shape().to_string()));
  }
  if (needs_rgb && in.dim(in.rank() - 1) != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("input must have 3 channels but instead has ", in.dim(in.rank() - 1), " channels."));
  }
  return amount.value<float>();
}

absl::Status adjust_hue(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const float delta, adjustment(context, "delta", true));
  const Tensor& in = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
  each_pixel<float>(context.parallel(), in, out, [delta](const float* rgb, float* to) {
    const float top = std::max({rgb[0], rgb[1], rgb[2]}), bottom = std::min({rgb[0], rgb[1], rgb[2]});
    float hue = hue_of(rgb[0], rgb[1], rgb[2], top, top - bottom) + delta;
    hue -= std::floor(hue);
    float parts[3];
    hue_parts(hue, parts);
    for (int i = 0; i < 3; ++i) to[i] = bottom + (top - bottom) * parts[i];
  });
  return absl::OkStatus();
}

absl::Status adjust_saturation(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const float scale, adjustment(context, "scale", true));
  const Tensor& in = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, in.shape()));
  each_pixel<float>(context.parallel(), in, out, [scale](const float* rgb, float* to) {
    float hsv[3];
    rgb_to_hsv(rgb, hsv);
    hsv[1] = std::min(1.0f, std::max(0.0f, hsv[1] * scale));
    hsv_to_rgb(hsv, to);
  });
  return absl::OkStatus();
}

/// Spreads the values of each channel of each image about their mean; then clips to [low, high].
void adjust_contrast_images(const Tensor& in, const float* from, float factor, float low, float high,
                            float* to) {
  const int64_t rows = in.dim(in.rank() - 3), cols = in.dim(in.rank() - 2), channels = in.dim(in.rank() - 1);
  const int64_t area = rows * cols, image = area * channels;
  const int64_t images = image == 0 ? 0 : in.num_elements() / image;
  std::vector<double> sum(static_cast<size_t>(channels));
  for (int64_t b = 0; b < images; ++b, from += image, to += image) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int64_t i = 0; i < area; ++i) {
      for (int64_t c = 0; c < channels; ++c)
        sum[static_cast<size_t>(c)] += static_cast<double>(from[i * channels + c]);
    }
    for (int64_t c = 0; c < channels; ++c) {
      const auto mean = static_cast<float>(sum[static_cast<size_t>(c)] / static_cast<double>(area));
      for (int64_t i = c; i < image; i += channels) {
        to[i] = std::max(low, std::min(high, (from[i] - mean) * factor + mean));
      }
    }
  }
}

template <bool kV2>
absl::Status adjust_contrast(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const float factor, adjustment(context, "contrast_factor", false));
  float low = -std::numeric_limits<float>::infinity(), high = -low;
  if constexpr (!kV2) {
    for (int i : {2, 3}) {
      if (context.input(i).rank() != 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            i == 2 ? "min_value" : "max_value", " must be scalar: ", context.input(i).shape().to_string()));
      }
    }
    low = context.input(2).value<float>();
    high = context.input(3).value<float>();
  }
  const Tensor& in = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
  std::vector<float> store;
  adjust_contrast_images(in, as_floats(in, &store), factor, low, high, out->flat<float>().data());
  return absl::OkStatus();
}

/// Colours for DrawBoundingBoxes: yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
constexpr float kBoxColors[10][4] = {{1, 1, 0, 1},       {0, 0, 1, 1},       {1, 0, 0, 1},    {0, 1, 0, 1},
                                     {0.5f, 0, 0.5f, 1}, {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1},
                                     {0, 1, 1, 1},       {1, 0, 1, 1}};

/// A box edge in pixels, kept within what an int64 holds.
int64_t to_pixel(float edge, int64_t size) {
  const float at = edge * static_cast<float>(size - 1);
  if (std::isnan(at)) return -1;
  return static_cast<int64_t>(std::min(1e15f, std::max(-1e15f, at)));
}

/// The box table of a node: the default one, or the rows of `colors`.
absl::StatusOr<std::vector<std::vector<float>>> box_colors(const Tensor* colors, int64_t depth) {
  std::vector<std::vector<float>> table;
  if (colors != nullptr && colors->num_elements() > 0) {
    if (colors->rank() != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("colors must be a 2-D matrix", colors->shape().to_string()));
    }
    if (colors->dim(1) < depth) {
      return absl::InvalidArgumentError(
          absl::StrCat("colors must have equal or more channels than the image provided: ", colors->dim(1),
                       " vs. ", depth));
    }
    const float* c = colors->flat<float>().data();
    for (int64_t i = 0; i < colors->dim(0); ++i)
      table.emplace_back(c + i * colors->dim(1), c + (i + 1) * colors->dim(1));
    return table;
  }
  if (depth > 4)
    return absl::InvalidArgumentError("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  for (const auto& c : kBoxColors) {
    table.emplace_back(c, c + 4);
    if (depth == 1) table.back()[0] = 1;
  }
  return table;
}

template <class T>
absl::Status draw_boxes(KernelContext& context) {
  const Tensor &in = context.input(0), &boxes = context.input(1);
  if (in.rank() != 4) {
    return absl::InvalidArgumentError("The rank of the images should be 4");
  }
  if (boxes.rank() != 3) return absl::InvalidArgumentError("The rank of the boxes tensor should be 3");
  if (boxes.dim(2) != 4) return absl::InvalidArgumentError("boxes must have 4 columns");
  if (in.dim(0) != boxes.dim(0)) return absl::InvalidArgumentError("The batch sizes should be the same");
  const int64_t rows = in.dim(1), cols = in.dim(2), depth = in.dim(3);
  TROUPE_ASSIGN_OR_RETURN(auto colors,
                          box_colors(context.num_inputs() > 2 ? &context.input(2) : nullptr, depth));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
  copy_elements(in, 0, *out, 0, in.num_elements());
  if (out->num_elements() == 0) return absl::OkStatus();
  T* to = out->flat<T>().data();
  const float* all = boxes.flat<float>().data();
  for (int64_t b = 0; b < in.dim(0); ++b) {
    for (int64_t k = 0; k < boxes.dim(1); ++k) {
      const float* box = all + (b * boxes.dim(1) + k) * 4;
      const int64_t top = to_pixel(box[0], rows), left = to_pixel(box[1], cols),
                    bottom = to_pixel(box[2], rows), right = to_pixel(box[3], cols);
      if (top > bottom || left > right || top >= rows || bottom < 0 || left >= cols || right < 0) continue;
      const std::vector<float>& color = colors[static_cast<size_t>(k) % colors.size()];
      auto paint = [&](int64_t y, int64_t x) {
        T* pixel = to + ((b * rows + y) * cols + x) * depth;
        for (int64_t c = 0; c < depth; ++c) pixel[c] = static_cast<T>(color[static_cast<size_t>(c)]);
      };
      const int64_t y0 = std::max<int64_t>(top, 0), y1 = std::min(bottom, rows - 1);
      const int64_t x0 = std::max<int64_t>(left, 0), x1 = std::min(right, cols - 1);
      for (int64_t x = x0; x <= x1; ++x) {
        if (top >= 0) paint(y0, x);
        if (bottom < rows) paint(y1, x);
      }
      for (int64_t y = y0; y <= y1; ++y) {
        if (left >= 0) paint(y, x0);
        if (right < cols) paint(y, x1);
      }
    }
  }
  return absl::OkStatus();
}

template <class T>
void add_spaces(KernelRegistry* r) {
  r->add(KernelDef("RGBToHSV").type<T>("T").fn(convert_space<T, true>));
  r->add(KernelDef("HSVToRGB").type<T>("T").fn(convert_space<T, false>));
}

}  // namespace

void register_image_color(KernelRegistry* r) {
  using D = DataType;
  add_spaces<float>(r);
  add_spaces<double>(r);
  add_spaces<Eigen::half>(r);
  add_spaces<Eigen::bfloat16>(r);
  r->add(KernelDef("AdjustHue").type<float>("T").fn(adjust_hue));
  r->add(KernelDef("AdjustSaturation").type<float>("T").fn(adjust_saturation));
  r->add(KernelDef("AdjustContrastv2").type<float>("T").fn(adjust_contrast<true>));
  r->add(KernelDef("AdjustContrast")
             .types("T", {D::kDouble, D::kFloat, D::kInt16, D::kInt32, D::kInt8, D::kUint8})
             .fn(adjust_contrast<false>));
  for (const char* op : {"DrawBoundingBoxes", "DrawBoundingBoxesV2"}) {
    r->add(KernelDef(op).type<float>("T").fn(draw_boxes<float>));
    r->add(KernelDef(op).type<Eigen::half>("T").fn(draw_boxes<Eigen::half>));
  }
}

}  // namespace troupe
