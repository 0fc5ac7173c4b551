// Pooling over images and volumes, and its gradients. Every element of a result is made by one thread, in one order: the same in every
// run, but for what an argmax of any kind scatters.
#include "devices/cuda/kernels/pool_shape.h"
#include "devices/cuda/kernels/source/launchable.h"

namespace troupe::launchable {
namespace {

TROUPE_DEVICE float lowest_of(float) { return -3.402823466e+38F; }
TROUPE_DEVICE double lowest_of(double) { return -1.7976931348623157e+308; }
TROUPE_DEVICE half_t lowest_of(half_t) { return bits_as<half_t>(uint16_t{0xfbff}); }
TROUPE_DEVICE bfloat16_t lowest_of(bfloat16_t) { return bits_as<bfloat16_t>(uint16_t{0xff7f}); }

TROUPE_DEVICE int64_t volume(const int64_t* extents) { return extents[0] * extents[1] * extents[2]; }

/// Pixels [begin, end) along each dimension.
struct Range {
  int64_t begin[3], end[3];

  TROUPE_DEVICE int64_t count() const {
    int64_t n = 1;
    for (int d = 0; d < 3; ++d) n *= end[d] > begin[d] ? end[d] - begin[d] : 0;
    return n;
  }
};

/// The part of the image that is in the window of an output pixel.
TROUPE_DEVICE Range window_of(const PoolShape& s, const int64_t* at) {
  Range r;
  for (int d = 0; d < 3; ++d) {
    const int64_t first = at[d] * s.stride[d] - s.before[d];
    r.begin[d] = first > 0 ? first : 0;
    r.end[d] = first + s.kernel[d] < s.in[d] ? first + s.kernel[d] : s.in[d];
  }
  return r;
}
TROUPE_DEVICE Range window_of(const PoolShape& s, int64_t pixel) {
  const int64_t at[3] = {pixel / s.out[2] / s.out[1], pixel / s.out[2] % s.out[1], pixel % s.out[2]};
  return window_of(s, at);
}

/// The output pixels in whose windows an input pixel is.
TROUPE_DEVICE Range windows_over(const PoolShape& s, int64_t pixel) {
  const int64_t at[3] = {pixel / s.in[2] / s.in[1], pixel / s.in[2] % s.in[1], pixel % s.in[2]};
  Range r;
  for (int d = 0; d < 3; ++d) {
    const int64_t from = at[d] + s.before[d];
    r.begin[d] = from < s.kernel[d] ? 0 : (from - s.kernel[d]) / s.stride[d] + 1;
    r.end[d] = from / s.stride[d] + 1 < s.out[d] ? from / s.stride[d] + 1 : s.out[d];
  }
  return r;
}

/// Calls fn(pixel) for the pixels of a range, in their order; `extents` are those of the image.
template <class Fn>
TROUPE_DEVICE void each_pixel(const Range& r, const int64_t* extents, Fn fn) {
  for (int64_t z = r.begin[0]; z < r.end[0]; ++z) {
    for (int64_t y = r.begin[1]; y < r.end[1]; ++y) {
      for (int64_t x = r.begin[2]; x < r.end[2]; ++x) fn((z * extents[1] + y) * extents[2] + x);
    }
  }
}

/// Image, pixel and channel of element i of images of `pixels` pixels.
struct PoolPlace {
  int64_t image, pixel, channel;
  TROUPE_DEVICE PoolPlace(int64_t i, int64_t pixels, int64_t channels)
      : image(i / channels / pixels), pixel(i / channels % pixels), channel(i % channels) {}
};

/// Nothing compares with what is no number: such taps do not count.
template <class T>
TROUPE_DEVICE_ONLY void max_pool(const T* in, T* out, const PoolShape& s) {
  const int64_t pixels = volume(s.out), out_channels = s.channels / s.depth_window;
  const int64_t image = volume(s.in) * s.channels;
  TROUPE_FOR_EACH(i, s.images * pixels * out_channels) {
    if (s.depth_window > 1) {
      T best = in[i * s.depth_window];
      for (int64_t d = 1; d < s.depth_window; ++d) {
        if (best < in[i * s.depth_window + d]) best = in[i * s.depth_window + d];
      }
      out[i] = best;
      continue;
    }
    const PoolPlace at(i, pixels, s.channels);
    const T* from = in + at.image * image + at.channel;
    T best = lowest_of(T());
    each_pixel(window_of(s, at.pixel), s.in, [&](int64_t pixel) {
      const T tap = from[pixel * s.channels];
      if (best < tap) best = tap;
    });
    out[i] = best;
  }
}

/// The offset within its image of the greatest element of a window: the first one; -1 when there is none.
template <class T>
TROUPE_DEVICE int64_t greatest(const T* image, const PoolPlace& at, const PoolShape& s) {
  int64_t where = -1;
  each_pixel(window_of(s, at.pixel), s.in, [&](int64_t pixel) {
    const int64_t offset = pixel * s.channels + at.channel;
    if (where < 0 || image[where] < image[offset]) where = offset;
  });
  return where;
}

template <class T>
TROUPE_DEVICE_ONLY void max_pool_where(const T* in, int64_t* where, const PoolShape& s) {
  const int64_t pixels = volume(s.out), image = volume(s.in) * s.channels;
  TROUPE_FOR_EACH(i, s.images * pixels * s.channels) {
    const PoolPlace at(i, pixels, s.channels);
    where[i] = greatest(in + at.image * image, at, s);
  }
}

template <class T>
TROUPE_DEVICE_ONLY void max_pool_with_argmax(const T* in, T* out, int64_t* argmax, bool include_batch,
                                             const PoolShape& s) {
  const int64_t pixels = volume(s.out), image = volume(s.in) * s.channels;
  TROUPE_FOR_EACH(i, s.images * pixels * s.channels) {
    const PoolPlace at(i, pixels, s.channels);
    const T* from = in + at.image * image;
    const int64_t where = greatest(from, at, s);
    out[i] = where < 0 ? lowest_of(T()) : from[where];
    argmax[i] = where < 0 ? -1 : where + (include_batch ? at.image * image : 0);
  }
}

template <class T>
TROUPE_DEVICE_ONLY void max_pool_grad(const int64_t* where, const T* grad, T* out, const PoolShape& s) {
  using C = compute_t<T>;
  const int64_t pixels = volume(s.in), out_image = volume(s.out) * s.channels;
  TROUPE_FOR_EACH(i, s.images * pixels * s.channels) {
    const PoolPlace at(i, pixels, s.channels);
    const int64_t own = at.pixel * s.channels + at.channel;
    C sum(0);
    each_pixel(windows_over(s, at.pixel), s.out, [&](int64_t pixel) {
      const int64_t window = at.image * out_image + pixel * s.channels + at.channel;
      if (where[window] == own) sum += static_cast<C>(grad[window]);
    });
    out[i] = static_cast<T>(sum);
  }
}

/// out[i] = grad[where[i]], within the image unless positions are those of the whole batch; 0 where there is no such element.
template <class T>
TROUPE_DEVICE_ONLY void max_pool_take(const int64_t* where, const T* grad, T* out, int64_t images,
                                      int64_t image, int64_t out_image, bool include_batch) {
  TROUPE_FOR_EACH(i, images * out_image) {
    const int64_t base = include_batch ? 0 : i / out_image * image;
    const bool there = where[i] >= 0 && where[i] < images * image - base;
    out[i] = there ? grad[base + where[i]] : T(0);
  }
}

/// The reverse: sums[where[i]] += grad[i].
template <class T>
TROUPE_DEVICE_ONLY void max_pool_scatter(const int64_t* where, const T* grad, compute_t<T>* sums,
                                         int64_t images, int64_t image, int64_t out_image,
                                         bool include_batch) {
  TROUPE_FOR_EACH(i, images * out_image) {
    const int64_t base = include_batch ? 0 : i / out_image * image;
    if (where[i] >= 0 && where[i] < images * image - base)
      atomic_add(&sums[base + where[i]], static_cast<compute_t<T>>(grad[i]));
  }
}

template <class T>
TROUPE_DEVICE_ONLY void narrow(const compute_t<T>* from, T* to, int64_t count) {
  TROUPE_FOR_EACH(i, count) { to[i] = static_cast<T>(from[i]); }
}

/// Padding does not count.
template <class T>
TROUPE_DEVICE_ONLY void avg_pool(const T* in, T* out, const PoolShape& s) {
  using C = compute_t<T>;
  const int64_t pixels = volume(s.out), image = volume(s.in) * s.channels;
  TROUPE_FOR_EACH(i, s.images * pixels * s.channels) {
    const PoolPlace at(i, pixels, s.channels);
    const T* from = in + at.image * image + at.channel;
    const Range window = window_of(s, at.pixel);
    C sum(0);
    each_pixel(window, s.in, [&](int64_t pixel) { sum += static_cast<C>(from[pixel * s.channels]); });
    const int64_t count = window.count();
    out[i] = static_cast<T>(sum / static_cast<C>(count > 1 ? count : 1));
  }
}

template <class T>
TROUPE_DEVICE_ONLY void avg_pool_grad(const T* grad, T* out, const PoolShape& s) {
  using C = compute_t<T>;
  const int64_t pixels = volume(s.in), out_image = volume(s.out) * s.channels;
  TROUPE_FOR_EACH(i, s.images * pixels * s.channels) {
    const PoolPlace at(i, pixels, s.channels);
    const T* from = grad + at.image * out_image + at.channel;
    C sum(0);
    each_pixel(windows_over(s, at.pixel), s.out, [&](int64_t pixel) {
      const auto share = C(1) / static_cast<C>(window_of(s, pixel).count());
      sum += static_cast<C>(from[pixel * s.channels]) * share;
    });
    out[i] = static_cast<T>(sum);
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_INSTANTIATE(suffix, T)                                                                       \
  TROUPE_KERNEL(max_pool_##suffix, (const T* in, T* out, troupe::PoolShape s)) { max_pool<T>(in, out, s); } \
  TROUPE_KERNEL(max_pool_where_##suffix, (const T* in, int64_t* where, troupe::PoolShape s)) {              \
    max_pool_where<T>(in, where, s);                                                                        \
  }                                                                                                         \
  TROUPE_KERNEL(max_pool_with_argmax_##suffix,                                                              \
                (const T* in, T* out, int64_t* argmax, bool include_batch, troupe::PoolShape s)) {          \
    max_pool_with_argmax<T>(in, out, argmax, include_batch, s);                                             \
  }                                                                                                         \
  TROUPE_KERNEL(max_pool_grad_##suffix,                                                                     \
                (const int64_t* where, const T* grad, T* out, troupe::PoolShape s)) {                       \
    max_pool_grad<T>(where, grad, out, s);                                                                  \
  }                                                                                                         \
  TROUPE_KERNEL(max_pool_take_##suffix, (const int64_t* where, const T* grad, T* out, int64_t images,       \
                                         int64_t image, int64_t out_image, bool include_batch)) {           \
    max_pool_take<T>(where, grad, out, images, image, out_image, include_batch);                            \
  }                                                                                                         \
  TROUPE_KERNEL(max_pool_scatter_##suffix,                                                                  \
                (const int64_t* where, const T* grad, compute_t<T>* sums, int64_t images, int64_t image,    \
                 int64_t out_image, bool include_batch)) {                                                  \
    max_pool_scatter<T>(where, grad, sums, images, image, out_image, include_batch);                        \
  }                                                                                                         \
  TROUPE_KERNEL(pool_narrow_##suffix, (const compute_t<T>* from, T* to, int64_t count)) {                   \
    narrow<T>(from, to, count);                                                                             \
  }                                                                                                         \
  TROUPE_KERNEL(avg_pool_##suffix, (const T* in, T* out, troupe::PoolShape s)) { avg_pool<T>(in, out, s); } \
  TROUPE_KERNEL(avg_pool_grad_##suffix, (const T* grad, T* out, troupe::PoolShape s)) {                     \
    avg_pool_grad<T>(grad, out, s);                                                                         \
  }
TROUPE_INSTANTIATE(f32, float)
TROUPE_INSTANTIATE(f64, double)
TROUPE_INSTANTIATE(f16, half_t)
TROUPE_INSTANTIATE(bf16, bfloat16_t)
#undef TROUPE_INSTANTIATE
