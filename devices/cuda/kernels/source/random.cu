// Random numbers by position: a thread makes those of one block, or of one stretch of the stream.
#include "devices/cuda/kernels/source/launchable.h"
#include "devices/cuda/kernels/source/philox.h"

namespace troupe::launchable {

/// Numbers of type T that one block gives.
template <class T>
inline constexpr int kPerBlock = sizeof(T) == 8 ? 2 : 4;

template <class T>
struct Numbers {
  T of[kPerBlock<T>];
};

/// Uniform in [0, 1): random bits as the mantissa of a number in [1, 2), less 1.
TROUPE_DEVICE float uniform(float, const Philox::Block& b, int i) {
  return bits_as<float>((b.words[i] & 0x7fffffU) | (127U << 23)) - 1.0F;
}
TROUPE_DEVICE double uniform(double, const Philox::Block& b, int i) {
  const uint64_t mantissa = (static_cast<uint64_t>(b.words[2 * i] & 0xfffffU) << 32) | b.words[2 * i + 1];
  return bits_as<double>(mantissa | (static_cast<uint64_t>(1023) << 52)) - 1.0;
}
TROUPE_DEVICE half_t uniform(half_t, const Philox::Block& b, int i) {
  return half_t(half_t::to_float(static_cast<uint16_t>((b.words[i] & 0x3ffU) | (15U << 10))) - 1.0F);
}
TROUPE_DEVICE bfloat16_t uniform(bfloat16_t, const Philox::Block& b, int i) {
  return bfloat16_t(bits_as<float>(((b.words[i] & 0x7fU) | (127U << 7)) << 16) - 1.0F);
}

/// Two independent normal numbers from two uniform ones (Box and Muller, 1958). The first is kept off 0.
template <class C>
struct NormalPair {
  C of[2];
};
template <class C>
TROUPE_DEVICE NormalPair<C> box_muller(C u, C v) {
  const C least = static_cast<C>(1.0e-7);
  const C radius = std::sqrt(C(-2) * std::log(u < least ? least : u));
  const C angle = static_cast<C>(2 * 3.14159265358979323846) * v;
  return {{std::sin(angle) * radius, std::cos(angle) * radius}};
}

template <class T>
struct UniformBlock {
  TROUPE_DEVICE Numbers<T> operator()(const Philox::Block& b) const {
    Numbers<T> numbers;
    for (int i = 0; i < kPerBlock<T>; ++i) numbers.of[i] = uniform(T(), b, i);
    return numbers;
  }
};
template <class T>
struct NormalBlock {
  TROUPE_DEVICE Numbers<T> operator()(const Philox::Block& b) const {
    using C = compute_t<T>;
    Numbers<T> numbers;
    for (int i = 0; i < kPerBlock<T>; i += 2) {
      const auto pair = box_muller(uniform(C(), b, i), uniform(C(), b, i + 1));
      numbers.of[i] = static_cast<T>(pair.of[0]);
      numbers.of[i + 1] = static_cast<T>(pair.of[1]);
    }
    return numbers;
  }
};
/// Integers with all their bits random.
template <class U>
struct BitsBlock {
  TROUPE_DEVICE Numbers<U> operator()(const Philox::Block& b) const {
    Numbers<U> numbers;
    for (int i = 0; i < kPerBlock<U>; ++i) {
      if constexpr (sizeof(U) == 8) {
        numbers.of[i] = (static_cast<uint64_t>(b.words[2 * i + 1]) << 32) | b.words[2 * i];
      } else {
        numbers.of[i] = b.words[i];
      }
    }
    return numbers;
  }
};
/// Integers from [low, low + range).
template <class U>
struct RangeBlock {
  U low, range;
  TROUPE_DEVICE Numbers<U> operator()(const Philox::Block& b) const {
    Numbers<U> numbers = BitsBlock<U>()(b);
    for (U& v : numbers.of) v = low + v % range;
    return numbers;
  }
};

template <class T, class F>
TROUPE_DEVICE_ONLY void fill_blocks(T* out, int64_t n, const Philox& generator, F of_block) {
  constexpr int kGroup = kPerBlock<T>;
  TROUPE_FOR_EACH(group, (n + kGroup - 1) / kGroup) {
    Philox g = generator.after(static_cast<uint64_t>(group));
    const Numbers<T> numbers = of_block(g());
    for (int i = 0; i < kGroup && group * kGroup + i < n; ++i) out[group * kGroup + i] = numbers.of[i];
  }
}

/// The next two numbers of a stream, whose blocks are used up word by word.
struct PairsOf {
  Philox generator;
  Philox::Block block = {};
  int used = 4;

  TROUPE_DEVICE NormalPair<float> next(float) {
    if (used == 4) refill();
    const auto pair = box_muller(uniform(0.0F, block, used), uniform(0.0F, block, used + 1));
    used += 2;
    return pair;
  }
  TROUPE_DEVICE NormalPair<double> next(double) {
    refill();
    return box_muller(uniform(0.0, block, 0), uniform(0.0, block, 1));
  }

 private:
  TROUPE_DEVICE void refill() {
    block = generator();
    used = 0;
  }
};

/// Normal numbers, drawn again while they are not within two deviations. Every group of results has its own stretch of the stream.
template <class T>
TROUPE_DEVICE_ONLY void fill_truncated(T* out, int64_t n, const Philox& generator) {
  using C = compute_t<T>;
  constexpr int kGroup = kPerBlock<T>;
  constexpr uint64_t kBlocksPerGroup = kGroup * kSamplesPerOutput / 4;
  TROUPE_FOR_EACH(group, (n + kGroup - 1) / kGroup) {
    PairsOf pairs{generator.after(static_cast<uint64_t>(group) * kBlocksPerGroup)};
    int64_t at = group * kGroup;
    const int64_t limit = at + kGroup < n ? at + kGroup : n;
    while (at < limit) {
      const NormalPair<C> pair = pairs.next(C());
      for (const C v : pair.of) {
        if (std::fabs(v) < C(2) && at < limit) out[at++] = static_cast<T>(v);
      }
    }
  }
}

}  // namespace troupe::launchable

#define TROUPE_RANDOM_FLOATS(sfx, T)                                              \
  TROUPE_KERNEL(random_uniform_##sfx, (T * out, int64_t n, Philox generator)) {   \
    fill_blocks(out, n, generator, UniformBlock<T>());                            \
  }                                                                               \
  TROUPE_KERNEL(random_normal_##sfx, (T * out, int64_t n, Philox generator)) {    \
    fill_blocks(out, n, generator, NormalBlock<T>());                             \
  }                                                                               \
  TROUPE_KERNEL(random_truncated_##sfx, (T * out, int64_t n, Philox generator)) { \
    fill_truncated(out, n, generator);                                            \
  }
TROUPE_RANDOM_FLOATS(f32, float)
TROUPE_RANDOM_FLOATS(f64, double)
TROUPE_RANDOM_FLOATS(f16, half_t)
TROUPE_RANDOM_FLOATS(bf16, bfloat16_t)

#define TROUPE_RANDOM_INTS(sfx, U)                                                            \
  TROUPE_KERNEL(random_bits_##sfx, (U * out, int64_t n, Philox generator)) {                  \
    fill_blocks(out, n, generator, BitsBlock<U>());                                           \
  }                                                                                           \
  TROUPE_KERNEL(random_range_##sfx, (U * out, int64_t n, Philox generator, U low, U range)) { \
    fill_blocks(out, n, generator, RangeBlock<U>{low, range});                                \
  }
TROUPE_RANDOM_INTS(u32, uint32_t)
TROUPE_RANDOM_INTS(u64, uint64_t)
