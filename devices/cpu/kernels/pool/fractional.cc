#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/common/pool/pooling.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Philox 4x32-10 (Salmon and others, 2011), keyed as TensorFlow keys it: four numbers per call.
class Philox {
 public:
  Philox(uint64_t seed, uint64_t seed2)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}, stream_(seed2) {}

  /// The numbers number 4 * block to 4 * block + 3.
  std::array<uint32_t, 4> block(uint64_t block) const {
    std::array<uint32_t, 4> c = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                                 static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)};
    uint32_t k0 = key_[0], k1 = key_[1];
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * c[0], b = uint64_t{0xCD9E8D57} * c[2];
      c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
           static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return c;
  }

 private:
  std::array<uint32_t, 2> key_;
  uint64_t stream_;
};

/// Where the pooling regions along one axis begin, and the end of the last: Graham, "Fractional max-pooling", 2014.
std::vector<int64_t> pooling_sequence(int64_t in, int64_t out, bool pseudo_random, const Philox& random,
                                      uint64_t* next_block) {
  std::vector<int64_t> sizes(static_cast<size_t>(out));
  if (pseudo_random) {
    const auto r = random.block(*next_block);
    *next_block += 1;
    // 52 random bits as a double in [0, 1).
    const double unit = static_cast<double>((uint64_t{r[0] & 0xfffff} << 32) | r[1]) * 0x1p-52;
    const double alpha = static_cast<double>(in) / static_cast<double>(out);
    const auto k = static_cast<double>(in / out);
    const double limit = std::min((k + 2) / alpha - 1,
                                  (static_cast<double>(in) + 1 - k) / alpha - (static_cast<double>(out) - 1));
    const double u = unit * limit;
    int64_t before = 1;
    for (int64_t i = 1; i <= out; ++i) {
      const int64_t at =
          i == out ? in + 1 : static_cast<int64_t>(std::ceil(alpha * (static_cast<double>(i) + u)));
      sizes[static_cast<size_t>(i - 1)] = at - before;
      before = at;
    }
  } else {
    for (int64_t i = 0; i < out; ++i) sizes[static_cast<size_t>(i)] = in / out + (i < in % out ? 1 : 0);
    for (int64_t i = 0; i + 1 < out; ++i) {
      const auto r = random.block(*next_block + static_cast<uint64_t>(i / 4));
      const int64_t j =
          i + static_cast<int64_t>(r[static_cast<size_t>(i % 4)] % static_cast<uint64_t>(out - i));
      std::swap(sizes[static_cast<size_t>(i)], sizes[static_cast<size_t>(j)]);
    }
    *next_block += static_cast<uint64_t>(out + 3) / 4;
  }
  std::vector<int64_t> sequence = {0};
  for (int64_t s : sizes) sequence.push_back(sequence.back() + s);
  return sequence;
}

/// Regions [row_begin, row_end) x [col_begin, col_end) of one output pixel.
struct Regions {
  std::span<const int64_t> rows, cols;
  bool overlapping;
  int64_t in_rows, in_cols;

  template <class Fn>
  void each_pixel(int64_t y, int64_t x, Fn fn) const {
    const int64_t extra = overlapping ? 1 : 0;
    const int64_t y_end = std::min(rows[static_cast<size_t>(y + 1)], in_rows - extra) + extra;
    const int64_t x_end = std::min(cols[static_cast<size_t>(x + 1)], in_cols - extra) + extra;
    for (int64_t i = rows[static_cast<size_t>(y)]; i < y_end; ++i) {
      for (int64_t j = cols[static_cast<size_t>(x)]; j < x_end; ++j) fn(i * in_cols + j);
    }
  }
};

template <class T, bool kMax>
class FractionalPoolKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(auto ratio, c.attr<std::vector<float>>("pooling_ratio"));
    TROUPE_ASSIGN_OR_RETURN(bool deterministic, c.attr<bool>("deterministic"));
    TROUPE_ASSIGN_OR_RETURN(int64_t seed, c.attr<int64_t>("seed"));
    TROUPE_ASSIGN_OR_RETURN(int64_t seed2, c.attr<int64_t>("seed2"));
    const char* kind = kMax ? "max" : "average";
    if (ratio.size() != 4) return absl::InvalidArgumentError("pooling_ratio field must specify 4 dimensions");
    for (float f : ratio) {
      if (!(f >= 1))
        return absl::InvalidArgumentError(absl::StrCat("pooling_ratio cannot be smaller than 1, got: ", f));
    }
    if (ratio[0] != 1 || ratio[3] != 1) {
      return absl::UnimplementedError(absl::StrCat(
          "Fractional ", kind, " pooling is not yet supported on the batch nor channel dimension."));
    }
    if (!deterministic && (seed != 0 || seed2 != 0)) {
      return absl::InvalidArgumentError("Both seed and seed2 should be 0 if deterministic is false.");
    }
    if (seed == 0 && seed2 == 0) {
      std::random_device device;
      seed = (int64_t{device()} << 31) ^ device();
      seed2 = (int64_t{device()} << 31) ^ device();
    }
    auto k =
        std::make_unique<FractionalPoolKernel>(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2));
    k->ratio_ = std::move(ratio);
    k->deterministic_ = deterministic;
    TROUPE_ASSIGN_OR_RETURN(k->pseudo_random_, c.attr<bool>("pseudo_random"));
    TROUPE_ASSIGN_OR_RETURN(k->overlapping_, c.attr<bool>("overlapping"));
    return k;
  }
  FractionalPoolKernel(uint64_t seed, uint64_t seed2) : random_(seed, seed2) {}

  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    if (in.rank() != 4) return absl::InvalidArgumentError("tensor_in must be 4-dimensional");
    for (int i = 0; i < 4; ++i) {
      const float ratio = ratio_[static_cast<size_t>(i)];
      if (static_cast<float>(in.dim(i)) < ratio) {
        return absl::InvalidArgumentError(
            absl::StrCat("Pooling ratio is higher than input dimension size for dimension ", i,
                         ". Input dim size: ", in.dim(i), " pooling ratio: ", ratio));
      }
    }
    int64_t out[2];
    for (int i = 0; i < 2; ++i) {
      out[i] = static_cast<int64_t>(
          std::floor(static_cast<float>(in.dim(i + 1)) / ratio_[static_cast<size_t>(i + 1)]));
    }
    std::vector<int64_t> rows, cols;
    {
      std::lock_guard lock(mu_);
      if (deterministic_) next_block_ = 0;
      rows = pooling_sequence(in.dim(1), out[0], pseudo_random_, random_, &next_block_);
      cols = pooling_sequence(in.dim(2), out[1], pseudo_random_, random_, &next_block_);
    }
    const int64_t channels = in.dim(3);
    TROUPE_ASSIGN_OR_RETURN(Tensor * result,
                            context.allocate_output(0, Shape{in.dim(0), out[0], out[1], channels}));
    for (auto [i, sequence] : {std::pair(1, &rows), std::pair(2, &cols)}) {
      TROUPE_ASSIGN_OR_RETURN(Tensor * t,
                              context.allocate_output(i, Shape{static_cast<int64_t>(sequence->size())}));
      std::copy(sequence->begin(), sequence->end(), t->flat<int64_t>().begin());
    }
    const Regions regions{rows, cols, overlapping_, in.dim(1), in.dim(2)};
    T* to = result->flat<T>().data();
    for (int64_t b = 0; b < in.dim(0); ++b) {
      const T* image = in.flat<T>().data() + b * in.dim(1) * in.dim(2) * channels;
      for (int64_t y = 0; y < out[0]; ++y) {
        for (int64_t x = 0; x < out[1]; ++x, to += channels) {
          std::fill_n(to, channels, kMax ? std::numeric_limits<T>::lowest() : T(0));
          T count = 0;
          regions.each_pixel(y, x, [&](int64_t pixel) {
            const T* from = image + pixel * channels;
            for (int64_t c = 0; c < channels; ++c)
              to[c] = kMax ? std::max(to[c], from[c]) : static_cast<T>(to[c] + from[c]);
            count += 1;
          });
          if (!kMax && count != 0) {
            for (int64_t c = 0; c < channels; ++c) to[c] = static_cast<T>(to[c] / count);
          }
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  const Philox random_;
  std::vector<float> ratio_;
  bool pseudo_random_ = false, overlapping_ = false;
  bool deterministic_ = false;  // every step takes the same regions
  std::mutex mu_;
  uint64_t next_block_ = 0;  // guarded by mu_
};

/// Where the regions of one axis begin: `out` + 1 numbers that rise from 0 to `in`.
struct Axis {
  const char *name, *operand, *tensor;
};
constexpr Axis kRows{"Row", "row_pooling_sequence", "row_seq_tensor"},
    kColumns{"Column", "col_pooling_sequence", "col_seq_tensor"};

/// Every region must begin and end at or behind 0; what lies beyond the input is cut off.
absl::Status check_sequence(const Tensor& t, int axis, const Shape& grad, bool overlapping) {
  const Axis& names = axis == 1 ? kRows : kColumns;
  if (t.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(names.operand, " must be a vector, received shape ", t.shape().to_string()));
  }
  auto v = t.flat<int64_t>();
  if (t.dim(0) < grad.dim(axis) + 1) {
    return absl::InvalidArgumentError(absl::StrCat("Given out_backprop shape ", grad.to_string(), ", ",
                                                   names.tensor, " must have at least ", grad.dim(axis) + 1,
                                                   " elements, but got ", v.size()));
  }
  const bool ends_before = !overlapping && std::ranges::any_of(v.subspan(1), [](int64_t i) { return i < 1; });
  if (ends_before || std::ranges::any_of(v, [](int64_t i) { return i < 0; })) {
    return absl::InvalidArgumentError(absl::StrCat(
        names.name, " sequence tensor values must not be negative, got ", absl::StrJoin(v, " ")));
  }
  return absl::OkStatus();
}

/// A tensor with an image's four dimensions, none of them 0.
absl::Status check_images(const Tensor& t, const char* name) {
  if (t.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat(name, " should be a tensor of rank 4: ", name,
                                                   " must be 4-dimensional, got shape ",
                                                   t.shape().to_string()));
  }
  for (int64_t d : t.shape().dims()) {
    if (d == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " must not be empty: ", name, " must be positive for all dimension, got:", d));
    }
  }
  return absl::OkStatus();
}

template <bool kMax>
absl::StatusOr<Shape> input_shape(KernelContext& context) {
  if constexpr (kMax) {
    TROUPE_RETURN_IF_ERROR(check_images(context.input(0), "orig_input"));
    TROUPE_RETURN_IF_ERROR(check_images(context.input(1), "orig_output"));
    if (!(context.input(1).shape() == context.input(2).shape())) {
      return absl::InvalidArgumentError("orig_output and out_backprop must have the same shape");
    }
    return context.input(0).shape();
  }
  const Tensor& told = context.input(0);
  if (told.rank() != 1 || told.num_elements() != 4) {
    return absl::InvalidArgumentError("original input tensor shape must be1-dimensional and 4 elements");
  }
  TROUPE_RETURN_IF_ERROR(check_images(context.input(1), "out_backprop"));
  const auto dims = told.flat<int64_t>();
  if (dims[0] == 0) return absl::InvalidArgumentError("Batch dimension of input must not be 0");
  for (int64_t d : dims) {
    if (d < 0) return absl::InvalidArgumentError(absl::StrCat("Expected a non-negative size, got ", d));
  }
  return Shape::make({dims.begin(), dims.end()});
}

/// FractionalMaxPoolGrad (orig_input, orig_output, out_backprop, rows, cols) and FractionalAvgPoolGrad
/// (orig_input_shape, out_backprop, rows, cols).
template <class T, bool kMax>
absl::Status fractional_grad(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const Shape shape, input_shape<kMax>(context));
  const Tensor &grad = context.input(kMax ? 2 : 1), &rows = context.input(kMax ? 3 : 2),
               &cols = context.input(kMax ? 4 : 3);
  if (shape.dim(0) != grad.dim(0) || shape.dim(3) != grad.dim(3)) {
    return absl::InvalidArgumentError("input and out_backprop must agree in batch and channels");
  }
  const bool overlapping = context.node().attrs.get_or<bool>("overlapping", false);
  TROUPE_RETURN_IF_ERROR(check_sequence(rows, 1, grad.shape(), overlapping));
  TROUPE_RETURN_IF_ERROR(check_sequence(cols, 2, grad.shape(), overlapping));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  std::span<T> sum = out->flat<T>();
  std::fill(sum.begin(), sum.end(), T(0));
  const Regions regions{rows.flat<int64_t>(), cols.flat<int64_t>(), overlapping, shape.dim(1), shape.dim(2)};
  const int64_t channels = shape.dim(3), image = shape.dim(1) * shape.dim(2) * channels;
  const T* from = grad.flat<T>().data();
  for (int64_t b = 0; b < shape.dim(0); ++b) {
    T* to = sum.data() + b * image;
    for (int64_t y = 0; y < grad.dim(1); ++y) {
      for (int64_t x = 0; x < grad.dim(2); ++x, from += channels) {
        if constexpr (kMax) {
          const T *in = context.input(0).flat<T>().data() + b * image,
                  *told = context.input(1).flat<T>().data();
          for (int64_t c = 0; c < channels; ++c) {
            int64_t best = -1;
            regions.each_pixel(y, x, [&](int64_t pixel) {
              if (best < 0 || in[best * channels + c] < in[pixel * channels + c]) best = pixel;
            });
            if (best < 0 || in[best * channels + c] != told[from - grad.flat<T>().data() + c]) {
              return absl::InvalidArgumentError("tensor_out_dup is not the same as tensor_out");
            }
            to[best * channels + c] = static_cast<T>(to[best * channels + c] + from[c]);
          }
        } else {
          int64_t count = 0;
          regions.each_pixel(y, x, [&](int64_t) { ++count; });
          regions.each_pixel(y, x, [&](int64_t pixel) {
            for (int64_t c = 0; c < channels; ++c) {
              to[pixel * channels + c] =
                  static_cast<T>(to[pixel * channels + c] + from[c] / static_cast<T>(count));
            }
          });
        }
      }
    }
  }
  return absl::OkStatus();
}

template <class T>
void add(KernelRegistry* r) {
  r->add(KernelDef("FractionalMaxPool").type<T>("T").template kernel<FractionalPoolKernel<T, true>>());
  r->add(KernelDef("FractionalAvgPool").type<T>("T").template kernel<FractionalPoolKernel<T, false>>());
  r->add(KernelDef("FractionalMaxPoolGrad").type<T>("T").fn(fractional_grad<T, true>));
  r->add(KernelDef("FractionalAvgPoolGrad").type<T>("T").fn(fractional_grad<T, false>));
}

}  // namespace

void register_pool_fractional(KernelRegistry* r) {
  add<float>(r);
  add<double>(r);
  add<int32_t>(r);
  add<int64_t>(r);
}

}  // namespace troupe
