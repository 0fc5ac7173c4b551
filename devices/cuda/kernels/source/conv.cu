// Convolutions of two and three dimensions by their definition, an element a thread: for depthwise ones, and for where cuDNN is not.
// And what its calls need beside them: filters and images in other orders, and images with other edges.
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
TROUPE_DEVICE bool input_pixel(const ConvShape& s, const int64_t* out_at, const int64_t* tap, int64_t* pixel) {
  int64_t at[3];
  for (int d = 0; d < 3; ++d) {
    at[d] = out_at[d] * s.stride[d] - s.before[d] + tap[d] * s.dilation[d];
    if (at[d] < 0 || at[d] >= s.in[d]) return false;
  }
  *pixel = (at[0] * s.in[1] + at[1]) * s.in[2] + at[2];
  return true;
}

/// Which output position a tap takes an input position to, if any.
TROUPE_DEVICE bool output_pixel(const ConvShape& s, const int64_t* in_at, const int64_t* tap, int64_t* pixel) {
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
TROUPE_DEVICE_ONLY void conv_backward_filter(const T* input, const T* grad, compute_t<T>* partial, int64_t chunks,
                                             const ConvShape& s) {
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

template <class T>
TROUPE_DEVICE_ONLY void copy_region(const T* from, T* to, const RegionShape& s) {
  const int64_t pixels = volume(s.to);
  const ImageStrides in(s.channels_last, volume(s.from), s.channels);
  TROUPE_FOR_EACH(i, s.batch * pixels * s.channels) {
    const ImagePlace place = place_of(i, s.channels_last, pixels, s.channels);
    int64_t at[3];
    split_pixel(place.pixel, s.to, at);
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      at[d] += s.offset[d];
      inside = inside && at[d] >= 0 && at[d] < s.from[d];
    }
    const int64_t pixel = (at[0] * s.from[1] + at[1]) * s.from[2] + at[2];
    to[i] = inside ? from[place.image * in.image + pixel * in.pixel + place.channel * in.channel] : T(0);
  }
}

/// [batch, outer, inner] to [batch, inner, outer], in square tiles so that both sides walk along memory.
template <class T>
TROUPE_DEVICE_ONLY void swap_axes(const T* from, T* to, int64_t batch, int64_t outer, int64_t inner) {
  constexpr int kSide = 32;
  TROUPE_SHARED(T, tile, kSide * (kSide + 1));
  const int64_t outer_tiles = (outer + kSide - 1) / kSide, inner_tiles = (inner + kSide - 1) / kSide;
  TROUPE_FOR_BLOCKS(block, batch * outer_tiles * inner_tiles) {
    const int64_t i0 = block % inner_tiles * kSide, o0 = block / inner_tiles % outer_tiles * kSide;
    const int64_t base = block / inner_tiles / outer_tiles * outer * inner;
    const int is = static_cast<int>(inner - i0 < kSide ? inner - i0 : kSide);
    const int os = static_cast<int>(outer - o0 < kSide ? outer - o0 : kSide);
    block_sync();  // The last tile may still be read.
    TROUPE_FOR_THREADS(t, os * is) {
      const int o = static_cast<int>(t) / is, i = static_cast<int>(t) % is;
      tile[o * (kSide + 1) + i] = from[base + (o0 + o) * inner + i0 + i];
    }
    block_sync();
    TROUPE_FOR_THREADS(t, os * is) {
      const int i = static_cast<int>(t) / os, o = static_cast<int>(t) % os;
      to[base + (i0 + i) * outer + o0 + o] = tile[o * (kSide + 1) + i];
    }
  }
}

/// A filter [taps, in, out] and the same in another order: [out, in, taps], or [out, taps, in] with in_last; or back.
template <class T>
TROUPE_DEVICE_ONLY void reorder_filter(const T* from, T* to, int64_t taps, int64_t in, int64_t out, bool in_last, bool back) {
  TROUPE_FOR_EACH(i, taps * in * out) {
    const int64_t o = i % out, c = i / out % in, tap = i / out / in;
    const int64_t other = in_last ? (o * taps + tap) * in + c : (o * in + c) * taps + tap;
    if (back) {
      to[i] = from[other];
    } else {
      to[other] = from[i];
    }
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_INSTANTIATE(suffix, T)                                                                             \
  TROUPE_KERNEL(conv_forward_##suffix, (const T* input, const T* filter, T* output, troupe::ConvShape s)) {       \
    conv_forward<T>(input, filter, output, s);                                                                    \
  }                                                                                                               \
  TROUPE_KERNEL(conv_backward_input_##suffix, (const T* filter, const T* grad, T* result, troupe::ConvShape s)) { \
    conv_backward_input<T>(filter, grad, result, s);                                                              \
  }                                                                                                               \
  TROUPE_KERNEL(conv_backward_filter_##suffix,                                                                    \
                (const T* input, const T* grad, compute_t<T>* partial, int64_t chunks, troupe::ConvShape s)) {    \
    conv_backward_filter<T>(input, grad, partial, chunks, s);                                                     \
  }                                                                                                               \
  TROUPE_KERNEL(conv_sum_chunks_##suffix, (const compute_t<T>* partial, T* out, int64_t chunks, int64_t size)) {  \
    sum_chunks<T>(partial, out, chunks, size);                                                                    \
  }                                                                                                               \
  TROUPE_KERNEL(conv_region_##suffix, (const T* from, T* to, troupe::RegionShape s)) { copy_region<T>(from, to, s); } \
  TROUPE_KERNEL(conv_swap_axes_##suffix, (const T* from, T* to, int64_t batch, int64_t outer, int64_t inner)) {   \
    swap_axes<T>(from, to, batch, outer, inner);                                                                  \
  }                                                                                                               \
  TROUPE_KERNEL(conv_filter_##suffix,                                                                             \
                (const T* from, T* to, int64_t taps, int64_t in, int64_t out, bool in_last, bool back)) {         \
    reorder_filter<T>(from, to, taps, in, out, in_last, back);                                                    \
  }
TROUPE_INSTANTIATE(f32, float)
TROUPE_INSTANTIATE(f64, double)
TROUPE_INSTANTIATE(f16, half_t)
TROUPE_INSTANTIATE(bf16, bfloat16_t)
#undef TROUPE_INSTANTIATE
