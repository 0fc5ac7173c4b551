// Bitwise operations of integers.
#include <algorithm>
#include <bit>

#include "devices/cpu/kernels/cwise.h"

namespace troupe {
namespace {

struct AndBits {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct OrBits {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct XorBits {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

/// A shift distance held within [0, bits - 1].
template <class T>
int clamped_shift(T b) {
  constexpr int kLast = sizeof(T) * 8 - 1;
  if (b < 0) return 0;
  return b > static_cast<T>(kLast) ? kLast : static_cast<int>(b);
}
struct ShiftLeft {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrap_t<T>>(a) << clamped_shift(b));
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a >> clamped_shift(b));
  }
};
struct InvertBits {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct CountBits {
  template <class T>
  uint8_t operator()(T a) const {
    return static_cast<uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
  }
};

template <class Op>
void add_both(KernelRegistry* r, const char* op) {
  add_binary<Op>(r, op, SignedInts());
  add_binary<Op>(r, op, UnsignedInts());
}

}  // namespace

void register_cwise_bits(KernelRegistry* r) {
  add_both<AndBits>(r, "BitwiseAnd");
  add_both<OrBits>(r, "BitwiseOr");
  add_both<XorBits>(r, "BitwiseXor");
  add_both<ShiftLeft>(r, "LeftShift");
  add_both<ShiftRight>(r, "RightShift");
  add_unary<InvertBits>(r, "Invert", SignedInts());
  add_unary<InvertBits>(r, "Invert", UnsignedInts());
  add_unary_to<CountBits, uint8_t>(r, "PopulationCount", SignedInts());
  add_unary_to<CountBits, uint8_t>(r, "PopulationCount", UnsignedInts());
}

}  // namespace troupe
