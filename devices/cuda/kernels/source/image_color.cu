// Colours: HSV, hue, saturation, contrast. Amounts are in the GPU's memory.
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

template <class W>
TROUPE_DEVICE W greater(W a, W b) {
  return a < b ? b : a;
}
template <class W>
TROUPE_DEVICE W lesser(W a, W b) {
  return b < a ? b : a;
}
template <class W>
TROUPE_DEVICE W top_of(const W* v) {
  return greater(greater(v[0], v[1]), v[2]);
}
template <class W>
TROUPE_DEVICE W bottom_of(const W* v) {
  return lesser(lesser(v[0], v[1]), v[2]);
}

/// Hue in [0, 1) of a colour; 0 for greys.
template <class W>
TROUPE_DEVICE W hue_of(const W* rgb, W top, W range) {
  if (!(range > 0)) return W(0);
  const W unit = W(1) / (W(6) * range);
  const W h = rgb[0] == top   ? unit * (rgb[1] - rgb[2])
              : rgb[1] == top ? unit * (rgb[2] - rgb[0]) + W(2) / W(6)
                              : unit * (rgb[0] - rgb[1]) + W(4) / W(6);
  return h < 0 ? h + W(1) : h;
}

/// How much of red, green and blue a hue has, in [0, 1].
template <class W>
TROUPE_DEVICE void hue_parts(W hue, W* parts) {
  const W h = hue * W(6);
  parts[0] = lesser(W(1), greater(W(0), std::fabs(h - W(3)) - W(1)));
  parts[1] = lesser(W(1), greater(W(0), W(2) - std::fabs(h - W(2))));
  parts[2] = lesser(W(1), greater(W(0), W(2) - std::fabs(h - W(4))));
}

template <class W>
TROUPE_DEVICE void to_hsv(const W* rgb, W* hsv) {
  const W top = top_of(rgb), range = top - bottom_of(rgb);
  hsv[0] = hue_of(rgb, top, range);
  hsv[1] = top > 0 ? range / top : W(0);
  hsv[2] = top;
}

template <class W>
TROUPE_DEVICE void to_rgb(const W* hsv, W* rgb) {
  W parts[3];
  hue_parts(hsv[0], parts);
  for (int i = 0; i < 3; ++i) rgb[i] = (W(1) - hsv[1] + hsv[1] * parts[i]) * hsv[2];
}

struct RgbToHsv {
  template <class W>
  TROUPE_DEVICE void operator()(const W* in, W* out) const {
    to_hsv(in, out);
  }
};
struct HsvToRgb {
  template <class W>
  TROUPE_DEVICE void operator()(const W* in, W* out) const {
    to_rgb(in, out);
  }
};
struct AdjustHue {
  const float* delta;
  TROUPE_DEVICE void operator()(const float* rgb, float* to) const {
    const float top = top_of(rgb), bottom = bottom_of(rgb);
    float hue = hue_of(rgb, top, top - bottom) + *delta;
    hue -= std::floor(hue);
    float parts[3];
    hue_parts(hue, parts);
    for (int i = 0; i < 3; ++i) to[i] = bottom + (top - bottom) * parts[i];
  }
};
struct AdjustSaturation {
  const float* scale;
  TROUPE_DEVICE void operator()(const float* rgb, float* to) const {
    float hsv[3];
    to_hsv(rgb, hsv);
    hsv[1] = lesser(1.0F, greater(0.0F, hsv[1] * *scale));
    to_rgb(hsv, to);
  }
};

/// Over pixels of three numbers; in and out may be the same.
template <class T, class Fn>
TROUPE_DEVICE_ONLY void each_pixel(const T* in, T* out, int64_t pixels, Fn fn) {
  using W = compute_t<T>;
  TROUPE_FOR_EACH(i, pixels) {
    W a[3], b[3];
    for (int k = 0; k < 3; ++k) a[k] = static_cast<W>(in[i * 3 + k]);
    fn(a, b);
    for (int k = 0; k < 3; ++k) out[i * 3 + k] = static_cast<T>(b[k]);
  }
}

/// The mean of each channel of each picture of `area` pixels.
template <class T>
TROUPE_DEVICE_ONLY void channel_means(const T* in, float* means, int64_t area, int64_t channels,
                                      int64_t total) {
  TROUPE_FOR_BLOCKS(b, total) {
    const T* picture = in + b / channels * area * channels + b % channels;
    double sum = 0;
    TROUPE_FOR_THREADS(i, area) {
      sum += static_cast<double>(static_cast<compute_t<T>>(picture[i * channels]));
    }
    sum = block_sum(sum);
    if (thread_index() == 0) means[b] = static_cast<float>(sum / static_cast<double>(area));
  }
}

template <class T>
TROUPE_DEVICE_ONLY void adjust_contrast(const T* in, const float* means, const float* factor, T* out,
                                        int64_t area, int64_t channels, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    const float mean = means[i / (area * channels) * channels + i % channels];
    out[i] = static_cast<T>((static_cast<float>(in[i]) - mean) * *factor + mean);
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_SPACES(suffix, T)                                              \
  TROUPE_KERNEL(rgb_to_hsv_##suffix, (const T* in, T* out, int64_t pixels)) { \
    each_pixel(in, out, pixels, RgbToHsv());                                  \
  }                                                                           \
  TROUPE_KERNEL(hsv_to_rgb_##suffix, (const T* in, T* out, int64_t pixels)) { \
    each_pixel(in, out, pixels, HsvToRgb());                                  \
  }
TROUPE_EACH_FLOAT(TROUPE_SPACES)

#define TROUPE_ADJUST(suffix, T)                                                                          \
  TROUPE_KERNEL(adjust_hue_##suffix, (const T* in, const float* amount, T* out, int64_t pixels)) {        \
    each_pixel(in, out, pixels, AdjustHue{amount});                                                       \
  }                                                                                                       \
  TROUPE_KERNEL(adjust_saturation_##suffix, (const T* in, const float* amount, T* out, int64_t pixels)) { \
    each_pixel(in, out, pixels, AdjustSaturation{amount});                                                \
  }                                                                                                       \
  TROUPE_KERNEL(channel_means_##suffix,                                                                   \
                (const T* in, float* means, int64_t area, int64_t channels, int64_t total)) {             \
    channel_means(in, means, area, channels, total);                                                      \
  }                                                                                                       \
  TROUPE_KERNEL(adjust_contrast_##suffix, (const T* in, const float* means, const float* factor, T* out,  \
                                           int64_t area, int64_t channels, int64_t n)) {                  \
    adjust_contrast(in, means, factor, out, area, channels, n);                                           \
  }
TROUPE_ADJUST(f32, float)
TROUPE_ADJUST(f16, half_t)
