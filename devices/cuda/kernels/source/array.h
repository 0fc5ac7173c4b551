#pragma once

#include "devices/cuda/kernels/array_args.h"
#include "devices/cuda/kernels/source/launchable.h"

// What the kernels that move elements share.

using troupe::Element16;  // NOLINT: kernels are written at the top

/// M(size, T) for each size of elements; M(suffix, T) for each dtype of a group.
#define TROUPE_EACH_SIZE(M) M(1, uint8_t) M(2, uint16_t) M(4, uint32_t) M(8, uint64_t) M(16, Element16)
#define TROUPE_EACH_FLOAT(M) M(f32, float) M(f64, double) M(f16, half_t) M(bf16, bfloat16_t)
#define TROUPE_EACH_COMPLEX(M) M(c64, complex64_t) M(c128, complex128_t)
#define TROUPE_EACH_INT(M)                                                                         \
  M(i8, int8_t)                                                                                    \
  M(u8, uint8_t) M(i16, int16_t) M(u16, uint16_t) M(i32, int32_t) M(u32, uint32_t) M(i64, int64_t) \
      M(u64, uint64_t)

namespace troupe::launchable {

/// Takes the innermost coordinate off a flat position. Divisions of 64 bits are slow on GPUs: those of 32 do where they can.
TROUPE_DEVICE int64_t take_coordinate(int64_t* position, int64_t size) {
  if ((static_cast<uint64_t>(*position) | static_cast<uint64_t>(size)) <= 0xffffffffU) {
    const auto p = static_cast<uint32_t>(*position);
    const auto s = static_cast<uint32_t>(size);
    *position = p / s;
    return p % s;
  }
  const int64_t coordinate = *position % size;
  *position /= size;
  return coordinate;
}

}  // namespace troupe::launchable
