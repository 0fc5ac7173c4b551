// Filling tensors with random numbers whose need of random bits is known, or bounded.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/random/fill.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/cpu/loops/vector/vector_loops.h"

namespace troupe {
namespace {

/// Calls fn(first block's number, words) for stretches of a generator's next blocks, four words each.
template <class Fn>
void each_stretch(const Philox& generator, int64_t begin, int64_t end, Fn fn) {
  constexpr int64_t kStretch = 64;
  uint32_t words[4 * kStretch];
  Philox g = generator;
  g.skip(static_cast<uint64_t>(begin));
  for (int64_t at = begin; at < end; at += kStretch) {
    const int64_t count = std::min(kStretch, end - at);
    vector_loops().randoms.bits(g.key(), g.counter_low(), g.counter_high(), count, words);
    g.skip(static_cast<uint64_t>(count));
    fn(at, count, words);
  }
}

/// One block a group of results; groups may be calculated anywhere.
template <class T, class F>
void fill_groups(KernelContext& context, const Philox& generator, Tensor* out, int64_t cost, F&& of_block) {
  constexpr int kGroup = kPerBlock<T>;
  T* o = static_cast<T*>(out->raw());
  const int64_t n = out->num_elements();
  context.parallel().parallel_for((n + kGroup - 1) / kGroup, cost * kGroup, [&](int64_t begin, int64_t end) {
    each_stretch(generator, begin, end, [&](int64_t first, int64_t count, const uint32_t* words) {
      for (int64_t i = 0; i < count; ++i) {
        const auto values =
            of_block(Philox::Block{words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]});
        const int64_t at = (first + i) * kGroup;
        std::copy_n(values.begin(), std::min<int64_t>(kGroup, n - at), o + at);
      }
    });
  });
}

/// Uniform floats, without a stop in between.
void fill_uniform(KernelContext& context, const Philox& generator, Tensor* out) {
  float* const o = out->flat<float>().data();
  const int64_t whole = out->num_elements() / 4;
  context.parallel().parallel_for(whole, 2, [&](int64_t begin, int64_t end) {
    Philox g = generator;
    g.skip(static_cast<uint64_t>(begin));
    vector_loops().randoms.floats(g.key(), g.counter_low(), g.counter_high(), end - begin, o + 4 * begin);
  });
  Philox last = generator;
  last.skip(static_cast<uint64_t>(whole));
  const auto rest = uniform_block<float>(last());
  std::copy_n(rest.begin(), out->num_elements() - 4 * whole, o + 4 * whole);
}

/// Normal numbers, drawn again while they are not within two deviations. Every group of results has its own stretch
/// of the stream.
template <class T>
void fill_truncated(KernelContext& context, const Philox& generator, Tensor* out) {
  using C = compute_t<T>;
  constexpr int kGroup = kPerBlock<T>;
  constexpr uint64_t kBlocksPerGroup = kGroup * kSamplesPerOutput / 4;
  T* o = static_cast<T*>(out->raw());
  const int64_t n = out->num_elements();
  context.parallel().parallel_for((n + kGroup - 1) / kGroup, 40 * kGroup, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      Philox g = generator;
      g.skip(static_cast<uint64_t>(group) * kBlocksPerGroup);
      PhiloxStream next(&g);
      int64_t at = group * kGroup;
      const int64_t limit = std::min<int64_t>(n, at + kGroup);
      while (at < limit) {
        std::array<C, 2> pair;
        if constexpr (std::is_same_v<T, double>) {
          const uint32_t a = next(), b = next(), c = next(), d = next();
          pair = box_muller(uniform_double(a, b), uniform_double(c, d));
        } else {
          const uint32_t a = next(), b = next();
          pair = box_muller(uniform_float(a), uniform_float(b));
        }
        for (C v : pair) {
          if (std::abs(v) < C(2) && at < limit) o[at++] = static_cast<T>(v);
        }
      }
    }
  });
}

template <class T>
void fill_floats(KernelContext& context, RandomKind kind, const Philox& generator, Tensor* out) {
  switch (kind) {
    case RandomKind::kUniform:
      if constexpr (std::is_same_v<T, float>) return fill_uniform(context, generator, out);
      return fill_groups<T>(context, generator, out, 5,
                            [](const Philox::Block& b) { return uniform_block<T>(b); });
    case RandomKind::kNormal:
      return fill_groups<T>(context, generator, out, 25,
                            [](const Philox::Block& b) { return normal_block<T>(b); });
    case RandomKind::kTruncatedNormal: return fill_truncated<T>(context, generator, out);
  }
}

template <class T>
absl::Status fill_range(KernelContext& context, const Philox& generator, const Tensor& low,
                        const Tensor& high, Tensor* out) {
  using U = std::make_unsigned_t<T>;
  const T from = low.value<T>();
  const T to = high.value<T>();
  if (out->num_elements() == 0) return absl::OkStatus();
  if (!(from < to)) return invalid("Need minval < maxval, got ", from, " >= ", to);
  const U range = static_cast<U>(static_cast<U>(to) - static_cast<U>(from));
  fill_groups<T>(context, generator, out, 6, [=](const Philox::Block& b) {
    auto bits = integer_block<U>(b);
    std::array<T, kPerBlock<T>> values;
    for (int i = 0; i < kPerBlock<T>; ++i) values[i] = static_cast<T>(static_cast<U>(from) + bits[i] % range);
    return values;
  });
  return absl::OkStatus();
}

}  // namespace

void fill_random(KernelContext& context, RandomKind kind, Philox generator, Tensor* out) {
  switch (out->dtype()) {
    case DataType::kFloat: return fill_floats<float>(context, kind, generator, out);
    case DataType::kDouble: return fill_floats<double>(context, kind, generator, out);
    case DataType::kHalf: return fill_floats<Eigen::half>(context, kind, generator, out);
    case DataType::kBfloat16: return fill_floats<Eigen::bfloat16>(context, kind, generator, out);
    default: return;
  }
}

void fill_random_bits(KernelContext& context, Philox generator, Tensor* out) {
  if (dtype_size(out->dtype()) == 8) {
    fill_groups<uint64_t>(context, generator, out, 5,
                          [](const Philox::Block& b) { return integer_block<uint64_t>(b); });
  } else {
    fill_groups<uint32_t>(context, generator, out, 5,
                          [](const Philox::Block& b) { return integer_block<uint32_t>(b); });
  }
}

absl::Status fill_random_range(KernelContext& context, Philox generator, const Tensor& low,
                               const Tensor& high, Tensor* out) {
  if (low.rank() != 0) return invalid("minval must be 0-D, got shape ", low.shape().to_string());
  if (high.rank() != 0) return invalid("maxval must be 0-D, got shape ", high.shape().to_string());
  switch (out->dtype()) {
    case DataType::kInt32: return fill_range<int32_t>(context, generator, low, high, out);
    case DataType::kInt64: return fill_range<int64_t>(context, generator, low, high, out);
    case DataType::kUint32: return fill_range<uint32_t>(context, generator, low, high, out);
    default: return fill_range<uint64_t>(context, generator, low, high, out);
  }
}

absl::StatusOr<Philox> philox_of_key(const KernelContext& context, int i) {
  const Tensor& key = context.input(i);
  const Tensor& counter = context.input(i + 1);
  const Tensor& alg = context.input(i + 2);
  if (alg.rank() != 0) return invalid("algorithm must be of shape [], not ", alg.shape().to_string());
  const int32_t id = alg.value<int32_t>();
  if (id != 1 && id != 3) return invalid("Unsupported algorithm id: ", id);
  if (key.rank() != 1 || key.dim(0) != 1)
    return invalid("key must have shape [1], not ", key.shape().to_string());
  if (counter.rank() != 1 || counter.dim(0) < 2) {
    return invalid("counter must be a vector with length at least 2 for the Philox algorithm; got ",
                   counter.shape().to_string());
  }
  return Philox(key.flat<uint64_t>()[0], counter.flat<uint64_t>()[0], counter.flat<uint64_t>()[1]);
}

absl::StatusOr<Shape> shape_of_vector(const Tensor& t) {
  if (t.rank() != 1)
    return invalid("shape must be a vector of {int32,int64}, got shape ", t.shape().to_string());
  Indices dims = ints_of(t);
  for (int64_t d : dims) {
    if (d < 0) return invalid("Dimension ", d, " must be >= 0");
  }
  return Shape::make(std::span<const int64_t>(dims.data(), dims.size()));
}

}  // namespace troupe
