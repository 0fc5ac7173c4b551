// Bitwise operations of integers; int32, too, as in TensorFlow.
#include "devices/cuda/kernels/source/elementwise.h"

namespace troupe::launchable {

struct AndBits {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct OrBits {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct XorBits {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
/// A shift distance held within [0, bits - 1].
template <class T>
TROUPE_DEVICE int clamped_shift(T b) {
  constexpr int kLast = sizeof(T) * 8 - 1;
  if constexpr (std::is_signed_v<T>) {
    if (b < 0) return 0;
  }
  return b > static_cast<T>(kLast) ? kLast : static_cast<int>(b);
}
struct ShiftLeft {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrap_t<T>>(a) << clamped_shift(b));
  }
};
struct ShiftRight {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(a >> clamped_shift(b));
  }
};
struct InvertBits {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct CountBits {
  template <class T>
  TROUPE_DEVICE uint8_t operator()(T a) const {
    const auto bits = static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(a));
#ifdef __CUDA_ARCH__
    return static_cast<uint8_t>(__popcll(bits));
#else
    return static_cast<uint8_t>(__builtin_popcountll(bits));
#endif
  }
};

}  // namespace troupe::launchable

#define TROUPE_UNARY_BYTE(name, Op, suffix, T) \
  TROUPE_KERNEL(name##_##suffix, (const T* x, uint8_t* y, int64_t n)) { map_unary<Op>(x, y, n); }
#define TROUPE_ALL_INTS(M, name, Op) TROUPE_INTS(M, name, Op) M(name, Op, i32, int32_t)

TROUPE_ALL_INTS(TROUPE_BINARY, bitwise_and, AndBits)
TROUPE_ALL_INTS(TROUPE_BINARY, bitwise_or, OrBits)
TROUPE_ALL_INTS(TROUPE_BINARY, bitwise_xor, XorBits)
TROUPE_ALL_INTS(TROUPE_BINARY, left_shift, ShiftLeft)
TROUPE_ALL_INTS(TROUPE_BINARY, right_shift, ShiftRight)
TROUPE_ALL_INTS(TROUPE_UNARY, invert, InvertBits)
TROUPE_ALL_INTS(TROUPE_UNARY_BYTE, population_count, CountBits)
