// SobolSample: points that fill a cube evenly (Antonov and Saleev's order), from the direction numbers of Joe and Kuo.
#include <array>
#include <bit>
#include <limits>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

// For each dimension from the second on, lowest bits first: the degree s of its polynomial (5 bits), the polynomial's s - 1 inner
// coefficients, and the numbers m_2 to m_s, which are odd and below 2^i, without their last bit.
asm(".section .rodata\n"
    "troupe_sobol_numbers: .incbin \"" TROUPE_SOBOL_NUMBERS
    "\"\n"
    "troupe_sobol_numbers_end:\n"
    ".previous\n");
extern "C" {
extern const unsigned char troupe_sobol_numbers[] __attribute__((visibility("hidden")));
extern const unsigned char troupe_sobol_numbers_end[] __attribute__((visibility("hidden")));
}

namespace troupe {
namespace {

constexpr int64_t kMaxDim = 21200;
/// Points have numbers below 2^31.
constexpr int kBits = 31;
using Directions = std::array<uint32_t, kBits>;

class BitReader {
 public:
  uint32_t take(int bits) {
    uint32_t value = 0;
    for (int b = 0; b < bits; ++b, ++at_) value |= (troupe_sobol_numbers[at_ / 8] >> (at_ % 8) & 1u) << b;
    return value;
  }

 private:
  size_t at_ = 0;
};

/// Direction i as a fraction of 2^32.
Directions next_directions(BitReader& in) {
  const int degree = static_cast<int>(in.take(5));
  const uint32_t inner = in.take(degree - 1);
  std::array<uint32_t, kBits> m{};
  m[0] = 1;
  for (int i = 1; i < degree; ++i) m[i] = in.take(i) << 1 | 1;
  for (int i = degree; i < kBits; ++i) {
    m[i] = m[i - degree] ^ m[i - degree] << degree;
    for (int k = 1; k < degree; ++k) {
      if (inner >> (degree - 1 - k) & 1) m[i] ^= m[i - k] << k;
    }
  }
  for (int i = 0; i < kBits; ++i) m[i] <<= 31 - i;
  return m;
}

std::vector<Directions> directions_of(int64_t dims) {
  std::vector<Directions> all(static_cast<size_t>(dims));
  for (int i = 0; i < kBits; ++i) all[0][i] = 1u << (31 - i);
  BitReader in;
  for (size_t d = 1; d < all.size(); ++d) all[d] = next_directions(in);
  return all;
}

template <class T>
absl::Status sobol_sample(KernelContext& context) {
  constexpr const char* kNames[] = {"dim", "num_results", "skip"};
  for (int i = 0; i < 3; ++i) {
    if (!is_scalar(context.input(i))) return invalid(kNames[i], " must be a scalar");
  }
  const int64_t dims = int_at(context.input(0), 0), count = int_at(context.input(1), 0),
                skip = int_at(context.input(2), 0);
  if (count < 1) return invalid("num_results must be at least one");
  if (dims < 1) return invalid("dim must be at least one");
  if (dims > kMaxDim) return invalid("dim must be at most ", kMaxDim);
  if (skip < 0) return invalid("skip must be non-negative");
  if (count + skip >= std::numeric_limits<int32_t>::max())
    return invalid("num_results+skip must be less than ", std::numeric_limits<int32_t>::max());
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{count, dims}));
  const std::vector<Directions> directions = directions_of(dims);
  T* const to = out->flat<T>().data();
  // The point of number 0, the corner, is left out.
  context.parallel().parallel_for(count, dims * 2, [&](int64_t begin, int64_t end) {
    std::vector<uint32_t> point(static_cast<size_t>(dims), 0);
    const uint32_t first = static_cast<uint32_t>(skip + 1 + begin), gray = first ^ first >> 1;
    for (size_t d = 0; d < point.size(); ++d) {
      for (int i = 0; i < kBits; ++i) point[d] ^= gray >> i & 1 ? directions[d][i] : 0;
    }
    for (int64_t r = begin; r < end; ++r) {
      const int flips = std::countr_zero(static_cast<uint32_t>(skip + 2 + r));
      for (size_t d = 0; d < point.size(); ++d) {
        to[r * dims + static_cast<int64_t>(d)] = static_cast<T>(point[d]) * static_cast<T>(0x1p-32);
        if (flips < kBits) point[d] ^= directions[d][flips];
      }
    }
  });
  return absl::OkStatus();
}

}  // namespace

void register_random_sobol(KernelRegistry* registry) {
  registry->add(KernelDef("SobolSample").type<float>("dtype").fn(sobol_sample<float>));
  registry->add(KernelDef("SobolSample").type<double>("dtype").fn(sobol_sample<double>));
}

}  // namespace troupe
