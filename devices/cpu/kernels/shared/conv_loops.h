#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "devices/cpu/primitives/gemm.h"
#include "devices/cpu/primitives/onednn.h"

namespace troupe {

/// Convolutions without oneDNN, for channels-last images: im2col and matrix products, or direct loops when every
/// channel is its own group. T is float, double, int32, half or bfloat16.
template <class T>
class PlainConv {
 public:
  using Problem = ConvProblem;
  /// Elements of the patch matrix at a time.
  static constexpr int64_t kPatchElements = int64_t{1} << 18;

  explicit PlainConv(const Problem& p)
      : p_(p), group_in_(p.in_channels / p.groups), group_out_(p.out_channels / p.groups),
        taps_(p.kernel[0] * p.kernel[1] * p.kernel[2]), positions_(p.out[0] * p.out[1] * p.out[2]) {}

  void forward(ParallelRunner& runner, const T* input, const T* filter, T* output) const {
    std::fill_n(output, p_.batch * p_.out_image(), T(0));
    each_image(runner, [&](int64_t image) {
      const T* in = input + image * p_.in_image();
      T* out = output + image * p_.out_image();
      if (depthwise()) return depthwise_forward(in, filter, out);
      std::vector<T> patches(static_cast<size_t>(block_rows() * taps_ * group_in_));
      each_block([&](int64_t group, int64_t first, int64_t rows) {
        gather(in, group, first, rows, patches.data());
        gemm_accumulate<T>(false, false, rows, group_out_, taps_ * group_in_, patches.data(),
                           taps_ * group_in_, filter + group * group_out_, p_.out_channels,
                           out + first * p_.out_channels + group * group_out_, p_.out_channels);
      });
    });
  }

  void backward_input(ParallelRunner& runner, const T* filter, const T* out_backprop, T* in_backprop) const {
    std::fill_n(in_backprop, p_.batch * p_.in_image(), T(0));
    each_image(runner, [&](int64_t image) {
      T* in = in_backprop + image * p_.in_image();
      const T* out = out_backprop + image * p_.out_image();
      if (depthwise()) return depthwise_backward_input(filter, out, in);
      std::vector<T> patches(static_cast<size_t>(block_rows() * taps_ * group_in_));
      each_block([&](int64_t group, int64_t first, int64_t rows) {
        std::fill(patches.begin(), patches.end(), T(0));
        gemm_accumulate<T>(false, true, rows, taps_ * group_in_, group_out_,
                           out + first * p_.out_channels + group * group_out_, p_.out_channels,
                           filter + group * group_out_, p_.out_channels, patches.data(), taps_ * group_in_);
        scatter(patches.data(), group, first, rows, in);
      });
    });
  }

  /// backward_input of a depthwise convolution as TensorFlow's loops round it: a sum for each filter of a channel, over its
  /// taps in order, and then the sum of those. `T` has 16 bits.
  void depthwise_backward_input_rounded(const T* filter, const T* out_backprop, T* in_backprop) const {
    const int64_t channels = p_.in_channels, per = group_out_;
    std::vector<T> sums(static_cast<size_t>(p_.in_image() * per));
    for (int64_t image = 0; image < p_.batch; ++image) {
      std::fill(sums.begin(), sums.end(), T(0));
      const T* out = out_backprop + image * p_.out_image();
      for (int64_t tap = 0; tap < taps_; ++tap) {
        for (int64_t position = 0; position < positions_; ++position) {
          const int64_t offset = input_offset(position, tap);
          if (offset < 0) continue;
          const T *g = out + position * p_.out_channels, *f = filter + tap * p_.out_channels;
          T* to = sums.data() + offset * per;
          for (int64_t c = 0; c < channels * per; ++c)
            to[c] = T(static_cast<float>(to[c]) + static_cast<float>(g[c]) * static_cast<float>(f[c]));
        }
      }
      T* in = in_backprop + image * p_.in_image();
      for (int64_t i = 0; i < p_.in_image(); ++i) {
        T sum(0);
        for (int64_t m = 0; m < per; ++m) sum += sums[static_cast<size_t>(i * per + m)];
        in[i] = sum;
      }
    }
  }

  void backward_filter(const T* input, const T* out_backprop, T* filter_backprop) const {
    std::fill_n(filter_backprop, p_.filter_size(), T(0));
    for (int64_t image = 0; image < p_.batch; ++image) {
      const T* in = input + image * p_.in_image();
      const T* out = out_backprop + image * p_.out_image();
      if (depthwise()) {
        depthwise_backward_filter(in, out, filter_backprop);
        continue;
      }
      std::vector<T> patches(static_cast<size_t>(block_rows() * taps_ * group_in_));
      each_block([&](int64_t group, int64_t first, int64_t rows) {
        gather(in, group, first, rows, patches.data());
        gemm_accumulate<T>(true, false, taps_ * group_in_, group_out_, rows, patches.data(),
                           taps_ * group_in_, out + first * p_.out_channels + group * group_out_,
                           p_.out_channels, filter_backprop + group * group_out_, p_.out_channels);
      });
    }
  }

 private:
  bool depthwise() const { return p_.groups > 1 && group_in_ == 1; }

  int64_t block_rows() const {
    return std::clamp<int64_t>(kPatchElements / std::max<int64_t>(1, taps_ * group_in_), 1, positions_);
  }

  template <class Fn>
  void each_image(ParallelRunner& runner, Fn fn) const {
    auto cost = static_cast<int64_t>(std::min(p_.flops_per_image() / 2, 1e15)) + 100;
    runner.parallel_for(p_.batch, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) fn(i);
    });
  }

  template <class Fn>
  void each_block(Fn fn) const {
    const int64_t size = block_rows();
    for (int64_t group = 0; group < p_.groups; ++group) {
      for (int64_t first = 0; first < positions_; first += size)
        fn(group, first, std::min(size, positions_ - first));
    }
  }

  /// Calls fn(tap, offset) for the taps of an output position; offset is that of the input pixel, or -1 in padding.
  template <class Fn>
  void each_tap(int64_t position, Fn fn) const {
    const int64_t x = position % p_.out[2], y = position / p_.out[2] % p_.out[1],
                  z = position / p_.out[2] / p_.out[1];
    const int64_t out[3] = {z, y, x};
    int64_t start[3];
    for (size_t i = 0; i < 3; ++i) start[i] = out[i] * p_.stride[i] - p_.pad_before[i];
    int64_t tap = 0;
    for (int64_t a = 0; a < p_.kernel[0]; ++a) {
      const int64_t iz = start[0] + a * p_.dilation[0];
      for (int64_t b = 0; b < p_.kernel[1]; ++b) {
        const int64_t iy = start[1] + b * p_.dilation[1];
        const bool inside = iz >= 0 && iz < p_.in[0] && iy >= 0 && iy < p_.in[1];
        for (int64_t c = 0; c < p_.kernel[2]; ++c, ++tap) {
          const int64_t ix = start[2] + c * p_.dilation[2];
          fn(tap, inside && ix >= 0 && ix < p_.in[2] ? ((iz * p_.in[1] + iy) * p_.in[2] + ix) * p_.in_channels
                                                     : -1);
        }
      }
    }
  }

  /// The offset of the input pixel under one tap of an output position, or -1 in padding.
  int64_t input_offset(int64_t position, int64_t tap) const {
    const int64_t out[3] = {position / p_.out[2] / p_.out[1], position / p_.out[2] % p_.out[1],
                            position % p_.out[2]};
    const int64_t at[3] = {tap / p_.kernel[2] / p_.kernel[1], tap / p_.kernel[2] % p_.kernel[1],
                           tap % p_.kernel[2]};
    int64_t pixel = 0;
    for (size_t i = 0; i < 3; ++i) {
      const int64_t in = out[i] * p_.stride[i] - p_.pad_before[i] + at[i] * p_.dilation[i];
      if (in < 0 || in >= p_.in[i]) return -1;
      pixel = pixel * p_.in[i] + in;
    }
    return pixel * p_.in_channels;
  }

  void gather(const T* in, int64_t group, int64_t first, int64_t rows, T* patches) const {
    for (int64_t r = 0; r < rows; ++r) {
      T* row = patches + r * taps_ * group_in_;
      each_tap(first + r, [&](int64_t tap, int64_t offset) {
        T* to = row + tap * group_in_;
        if (offset < 0) {
          std::fill_n(to, group_in_, T(0));
        } else {
          std::copy_n(in + offset + group * group_in_, group_in_, to);
        }
      });
    }
  }

  void scatter(const T* patches, int64_t group, int64_t first, int64_t rows, T* in) const {
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = patches + r * taps_ * group_in_;
      each_tap(first + r, [&](int64_t tap, int64_t offset) {
        if (offset < 0) return;
        T* to = in + offset + group * group_in_;
        for (int64_t i = 0; i < group_in_; ++i) to[i] += row[tap * group_in_ + i];
      });
    }
  }

  void depthwise_forward(const T* in, const T* filter, T* out) const {
    const int64_t channels = p_.in_channels, per = group_out_;
    for (int64_t position = 0; position < positions_; ++position) {
      T* to = out + position * p_.out_channels;
      each_tap(position, [&](int64_t tap, int64_t offset) {
        if (offset < 0) return;
        const T* from = in + offset;
        const T* f = filter + tap * p_.out_channels;
        if (per == 1) {
          for (int64_t c = 0; c < channels; ++c) to[c] += from[c] * f[c];
        } else {
          for (int64_t c = 0; c < channels; ++c) {
            for (int64_t m = 0; m < per; ++m) to[c * per + m] += from[c] * f[c * per + m];
          }
        }
      });
    }
  }

  void depthwise_backward_input(const T* filter, const T* out, T* in) const {
    const int64_t channels = p_.in_channels, per = group_out_;
    for (int64_t position = 0; position < positions_; ++position) {
      const T* from = out + position * p_.out_channels;
      each_tap(position, [&](int64_t tap, int64_t offset) {
        if (offset < 0) return;
        T* to = in + offset;
        const T* f = filter + tap * p_.out_channels;
        if (per == 1) {
          for (int64_t c = 0; c < channels; ++c) to[c] += from[c] * f[c];
        } else {
          for (int64_t c = 0; c < channels; ++c) {
            for (int64_t m = 0; m < per; ++m) to[c] += from[c * per + m] * f[c * per + m];
          }
        }
      });
    }
  }

  void depthwise_backward_filter(const T* in, const T* out, T* filter) const {
    const int64_t channels = p_.in_channels, per = group_out_;
    for (int64_t position = 0; position < positions_; ++position) {
      const T* g = out + position * p_.out_channels;
      each_tap(position, [&](int64_t tap, int64_t offset) {
        if (offset < 0) return;
        const T* from = in + offset;
        T* to = filter + tap * p_.out_channels;
        if (per == 1) {
          for (int64_t c = 0; c < channels; ++c) to[c] += from[c] * g[c];
        } else {
          for (int64_t c = 0; c < channels; ++c) {
            for (int64_t m = 0; m < per; ++m) to[c * per + m] += from[c] * g[c * per + m];
          }
        }
      });
    }
  }

  const Problem& p_;
  const int64_t group_in_, group_out_, taps_, positions_;
};

/// [batch, outer, inner] to [batch, inner, outer].
template <class T>
void transpose_images(const T* from, int64_t batch, int64_t outer, int64_t inner, T* to) {
  for (int64_t b = 0; b < batch; ++b, from += outer * inner, to += outer * inner) {
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t o = 0; o < outer; ++o) to[i * outer + o] = from[o * inner + i];
    }
  }
}

}  // namespace troupe
