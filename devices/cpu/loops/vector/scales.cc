// Floats shifted and scaled by channel, compiled for each instruction set. Nothing is fused: alike in every set.
#include "devices/cpu/loops/vector/map.h"
#include "devices/cpu/loops/vector/sets.h"

namespace troupe::TROUPE_ISA {
namespace {

TROUPE_INLINE Floats scaled(Floats x, Floats mean, Floats factor, Floats offset) {
  return (x - mean) * factor + offset;
}

void rows(const float* in, const float* mean, const float* factor, const float* offset, float* out,
          int64_t rows, int64_t channels) {
  constexpr int64_t kStep = kWidth<float>;
  const int64_t whole = channels / kStep * kStep, rest = channels - whole;
  for (int64_t r = 0; r < rows; ++r, in += channels, out += channels) {
    for (int64_t c = 0; c < whole; c += kStep) {
      store(out + c, scaled(load(in + c), load(mean + c), load(factor + c), load(offset + c)));
    }
    if (rest == 0) continue;
    const Floats y = scaled(load_part(in + whole, rest), load_part(mean + whole, rest),
                            load_part(factor + whole, rest), load_part(offset + whole, rest));
    store_part(out + whole, y, rest);
  }
}

void channel(const float* in, float mean, float factor, float offset, float* out, int64_t n) {
  map(in, out, n,
      [=](Floats x) TROUPE_INLINE_LAMBDA { return scaled(x, splat(mean), splat(factor), splat(offset)); });
}

}  // namespace

FloatScales scales() {
  return {
      .rows = rows,
      .channel = channel,
  };
}

}  // namespace troupe::TROUPE_ISA
