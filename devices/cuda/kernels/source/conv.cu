// Convolutions of two and three dimensions by their definition, an element a thread: for depthwise ones, and for where cuDNN is not.
#include "devices/cuda/kernels/conv_shape.h"
#include "devices/cuda/kernels/source/launchable.h"

namespace troupe::launchable {
namespace {

TROUPE_DEVICE int64_t volume(const int64_t* extents) { return extents[0] * extents[1] * extents[2]; }

/// Where an element of images is, in either layout.
struct ImagePlace {
  int64_t image, pixel, channel;
};

/// Strides of images of `pixels` pixels.
struct ImageStrides {
  int64_t image, pixel, channel;

  TROUPE_DEVICE ImageStrides(bool channels_last, int64_t pixels, int64_t channels)
      : image(pixels * channels), pixel(channels_last ? channels : 1), channel(channels_last ? 1 : pixels) {}
};

TROUPE_DEVICE ImagePlace place_of(int64_t i, bool channels_last, int64_t pixels, int64_t channels) {
  if (channels_last) return {i / channels / pixels, i / channels % pixels, i % channels};
  return {i / pixels / channels, i % pixels, i / pixels % channels};
}

TROUPE_DEVICE void split_pixel(int64_t pixel, const int64_t* extents, int64_t* at) {
  at[2] = pixel % extents[2];
  at[1] = pixel / extents[2] % extents[1];
  at[0] = pixel / extents[2] / extents[1];
}

/// Whether a tap (numbered as in the filter) of an output position lies in the image, and on which pixel.
TROUPE_DEVICE bool input_pixel(const ConvShape& s, const int64_t* out_at, const int64_t* tap,
                               int64_t* pixel) {
  int64_t at[3];
  for (int d = 0; d < 3; ++d) {
    at[d] = out_at[d] * s.stride[d] - s.before[d] + tap[d] * s.dilation[d];
    if (at[d] < 0 || at[d] >= s.in[d]) return false;
  }
  *pixel = (at[0] * s.in[1] + at[1]) * s.in[2] + at[2];
  return true;
}

/// Which output position a tap takes an input position to, if any.
TROUPE_DEVICE bool output_pixel(const ConvShape& s, const int64_t* in_at, const int64_t* tap,
                                int64_t* pixel) {
  int64_t at[3];
  for (int d = 0; d < 3; ++d) {
    const int64_t from = in_at[d] + s.before[d] - tap[d] * s.dilation[d];
    if (from < 0 || from % s.stride[d] != 0) return false;
    at[d] = from / s.stride[d];
    if (at[d] >= s.out[d]) return false;
  }
  *pixel = (at[0] * s.out[1] + at[1]) * s.out[2] + at[2];
  return true;
}

template <class T>
TROUPE_DEVICE_ONLY void conv_forward(const T* input, const T* filter, T* output, const ConvShape& s) {
  using C = compute_t<T>;
  const int64_t group_in = s.in_channels / s.groups, group_out = s.out_channels / s.groups;
  const int64_t pixels = volume(s.out);
  const ImageStrides in(s.channels_last, volume(s.in), s.in_channels);
  TROUPE_FOR_EACH(i, s.batch * pixels * s.out_channels) {
    const ImagePlace to = place_of(i, s.channels_last, pixels, s.out_channels);
    int64_t at[3], tap[3], pixel;
    split_pixel(to.pixel, s.out, at);
    const T* image = input + to.image * in.image + to.channel / group_out * group_in * in.channel;
    const T* weights = filter + to.channel;
    C sum(0);
    for (tap[0] = 0; tap[0] < s.kernel[0]; ++tap[0]) {
      for (tap[1] = 0; tap[1] < s.kernel[1]; ++tap[1]) {
        for (tap[2] = 0; tap[2] < s.kernel[2]; ++tap[2], weights += group_in * s.out_channels) {
          if (!input_pixel(s, at, tap, &pixel)) continue;
          const T* from = image + pixel * in.pixel;
          for (int64_t c = 0; c < group_in; ++c)
            sum += static_cast<C>(from[c * in.channel]) * static_cast<C>(weights[c * s.out_channels]);
        }
      }
    }
    output[i] = static_cast<T>(sum);
  }
}

template <class T>
TROUPE_DEVICE_ONLY void conv_backward_input(const T* filter, const T* grad, T* result, const ConvShape& s) {
  using C = compute_t<T>;
  const int64_t group_in = s.in_channels / s.groups, group_out = s.out_channels / s.groups;
  const int64_t pixels = volume(s.in);
  const ImageStrides out(s.channels_last, volume(s.out), s.out_channels);
  TROUPE_FOR_EACH(i, s.batch * pixels * s.in_channels) {
    const ImagePlace to = place_of(i, s.channels_last, pixels, s.in_channels);
    int64_t at[3], tap[3], pixel;
    split_pixel(to.pixel, s.in, at);
    const int64_t first_out = to.channel / group_in * group_out;
    const T* image = grad + to.image * out.image + first_out * out.channel;
    const T* weights = filter + to.channel % group_in * s.out_channels + first_out;
    C sum(0);
    for (tap[0] = 0; tap[0] < s.kernel[0]; ++tap[0]) {
      for (tap[1] = 0; tap[1] < s.kernel[1]; ++tap[1]) {
        for (tap[2] = 0; tap[2] < s.kernel[2]; ++tap[2], weights += group_in * s.out_channels) {
          if (!output_pixel(s, at, tap, &pixel)) continue;
          const T* from = image + pixel * out.pixel;
          for (int64_t c = 0; c < group_out; ++c)
            sum += static_cast<C>(from[c * out.channel]) * static_cast<C>(weights[c]);
        }
      }
    }
    result[i] = static_cast<T>(sum);
  }
}

/// The filter's gradient over each of `chunks` runs of output positions: partial[chunk, filter element].
template <class T>
TROUPE_DEVICE_ONLY void conv_backward_filter(const T* input, const T* grad, compute_t<T>* partial,
                                             int64_t chunks, const ConvShape& s) {
  using C = compute_t<T>;
  const int64_t group_in = s.in_channels / s.groups, group_out = s.out_channels / s.groups;
  const int64_t pixels = volume(s.out), positions = s.batch * pixels;
  const int64_t size = volume(s.kernel) * group_in * s.out_channels;
  const ImageStrides in(s.channels_last, volume(s.in), s.in_channels);
  const ImageStrides out(s.channels_last, pixels, s.out_channels);
  TROUPE_FOR_EACH(i, chunks * size) {
    const int64_t chunk = i / size, element = i % size;
    const int64_t channel = element % s.out_channels, depth = element / s.out_channels % group_in;
    int64_t at[3], tap[3], pixel;
    split_pixel(element / s.out_channels / group_in, s.kernel, tap);
    const int64_t begin = positions * chunk / chunks, end = positions * (chunk + 1) / chunks;
    const T* from = input + (channel / group_out * group_in + depth) * in.channel;
    const T* weights = grad + channel * out.channel;
    int64_t image = begin / pixels, out_pixel = begin % pixels;
    split_pixel(out_pixel, s.out, at);
    C sum(0);
    for (int64_t position = begin; position < end; ++position) {
      if (input_pixel(s, at, tap, &pixel)) {
        sum += static_cast<C>(from[image * in.image + pixel * in.pixel]) *
               static_cast<C>(weights[image * out.image + out_pixel * out.pixel]);
      }
      ++out_pixel;
      if (++at[2] < s.out[2]) continue;
      at[2] = 0;
      if (++at[1] < s.out[1]) continue;
      at[1] = 0;
      if (++at[0] < s.out[0]) continue;
      at[0] = 0;
      out_pixel = 0;
      ++image;
    }
    partial[i] = sum;
  }
}

template <class T>
TROUPE_DEVICE_ONLY void sum_chunks(const compute_t<T>* partial, T* out, int64_t chunks, int64_t size) {
  TROUPE_FOR_EACH(i, size) {
    compute_t<T> sum(0);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += partial[chunk * size + i];
    out[i] = static_cast<T>(sum);
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_INSTANTIATE(suffix, T)                                                                       \
  TROUPE_KERNEL(conv_forward_##suffix, (const T* input, const T* filter, T* output, troupe::ConvShape s)) { \
    conv_forward<T>(input, filter, output, s);                                                              \
  }                                                                                                         \
  TROUPE_KERNEL(conv_backward_input_##suffix,                                                               \
                (const T* filter, const T* grad, T* result, troupe::ConvShape s)) {                         \
    conv_backward_input<T>(filter, grad, result, s);                                                        \
  }                                                                                                         \
  TROUPE_KERNEL(conv_backward_filter_##suffix, (const T* input, const T* grad, compute_t<T>* partial,       \
                                                int64_t chunks, troupe::ConvShape s)) {                     \
    conv_backward_filter<T>(input, grad, partial, chunks, s);                                               \
  }                                                                                                         \
  TROUPE_KERNEL(conv_sum_chunks_##suffix,                                                                   \
                (const compute_t<T>* partial, T* out, int64_t chunks, int64_t size)) {                      \
    sum_chunks<T>(partial, out, chunks, size);                                                              \
  }
TROUPE_INSTANTIATE(f32, float)
TROUPE_INSTANTIATE(f64, double)
TROUPE_INSTANTIATE(f16, half_t)
TROUPE_INSTANTIATE(bf16, bfloat16_t)
#undef TROUPE_INSTANTIATE
