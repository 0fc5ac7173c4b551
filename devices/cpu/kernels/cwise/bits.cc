// Bitwise operations of integers.
#include <algorithm>
#include <bit>
#include <span>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/cwise/rows.h"

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

/// CompareAndBitpack: eight comparisons with a threshold make one byte, the first its highest bit.
template <class T>
absl::Status compare_and_bitpack(KernelContext& c) {
  const Tensor& in = c.input(0);
  const Tensor& threshold = c.input(1);
  if (threshold.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat("Compare must be a scalar, but received tensor of shape: ",
                                                   threshold.shape().to_string()));
  }
  if (in.rank() < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input should be at least a vector, but saw a scalar: ", in.shape().to_string()));
  }
  const int last = in.rank() - 1;
  if (in.dim(last) % 8 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Inner dimension of input should be divisible by 8, but saw shape: ", in.shape().to_string()));
  }
  Shape shape = in.shape();
  shape.set_dim(last, in.dim(last) / 8);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, shape));
  const auto bound = static_cast<compute_t<T>>(threshold.value<T>());
  const std::span<const T> x = in.flat<T>();
  std::span<uint8_t> packed = out->flat<uint8_t>();
  for (size_t i = 0; i < packed.size(); ++i) {
    unsigned byte = 0;
    for (size_t bit = 0; bit < 8; ++bit) {
      const auto value = static_cast<compute_t<T>>(x[8 * i + bit]);
      // Truth values are packed as they are.
      byte = byte << 1 | ((std::is_same_v<T, bool> ? value : value > bound) ? 1U : 0U);
    }
    packed[i] = static_cast<uint8_t>(byte);
  }
  return absl::OkStatus();
}

template <class... T>
void add_bitpack(KernelRegistry* r, Types<T...>) {
  (r->add(KernelDef("CompareAndBitpack").type<T>("T").fn(compare_and_bitpack<T>)), ...);
}

}  // namespace

void register_cwise_bits(KernelRegistry* r) {
  add_bitpack(r, Types<bool, Eigen::half, float, double, int8_t, int16_t, int32_t, int64_t>());
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
