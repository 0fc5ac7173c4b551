#pragma once

#include "devices/cuda/kernels/broadcast_plan.h"
#include "devices/cuda/kernels/source/launchable.h"

// Element-wise kernels: an operation is a function object of compute_t<T>; here are the loops around it, which move 16 bytes at a
// time where they can. An output may lie over an operand: an element is read by the thread that then writes it.

namespace troupe::launchable {

using troupe::BroadcastPlan;

/// An unsigned type in which sums and products of integers T wrap without promotion to int.
template <class T>
using wrap_t = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>>;

template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
  T v[kCount];
};

/// Elements that fit into 16 bytes of the widest of T.
template <class... T>
TROUPE_DEVICE constexpr int pack_size() {
  size_t widest = 1;
  ((widest = sizeof(T) > widest ? sizeof(T) : widest), ...);
  return static_cast<int>(16 / widest);
}

template <int kCount, class T>
TROUPE_DEVICE bool is_aligned(const T* p) {
  return reinterpret_cast<uintptr_t>(p) % (sizeof(T) * kCount) == 0;
}

template <class Op, class R, class... T>
TROUPE_DEVICE R applied(const Op& op, T... x) {
  return static_cast<R>(op(static_cast<compute_t<T>>(x)...));
}

/// y[i] = op(x[i]).
template <class Op, class T, class R>
TROUPE_DEVICE_ONLY void map_unary(const T* x, R* y, int64_t n, const Op& op = Op()) {
  constexpr int kPack = pack_size<T, R>();
  const int64_t packs = is_aligned<kPack>(x) && is_aligned<kPack>(y) ? n / kPack : 0;
  TROUPE_FOR_EACH(p, packs) {
    const auto in = reinterpret_cast<const Pack<T, kPack>*>(x)[p];
    Pack<R, kPack> out;
    for (int j = 0; j < kPack; ++j) out.v[j] = applied<Op, R, T>(op, in.v[j]);
    reinterpret_cast<Pack<R, kPack>*>(y)[p] = out;
  }
  const int64_t done = packs * kPack;
  TROUPE_FOR_EACH(i, n - done) { y[done + i] = applied<Op, R, T>(op, x[done + i]); }
}

/// y[i] = op(a[i * step_a], b[i * step_b]); steps are 0 or 1.
template <class Op, class A, class B, class R>
TROUPE_DEVICE_ONLY void map_flat(const A* a, int64_t step_a, const B* b, int64_t step_b, R* y, int64_t n, const Op& op) {
  constexpr int kPack = pack_size<A, B, R>();
  const bool aligned = (step_a == 0 || is_aligned<kPack>(a)) && (step_b == 0 || is_aligned<kPack>(b)) && is_aligned<kPack>(y);
  const int64_t packs = aligned ? n / kPack : 0;
  TROUPE_FOR_EACH(p, packs) {
    Pack<A, kPack> pa;
    Pack<B, kPack> pb;
    if (step_a != 0) {
      pa = reinterpret_cast<const Pack<A, kPack>*>(a)[p];
    } else {
      for (int j = 0; j < kPack; ++j) pa.v[j] = a[0];
    }
    if (step_b != 0) {
      pb = reinterpret_cast<const Pack<B, kPack>*>(b)[p];
    } else {
      for (int j = 0; j < kPack; ++j) pb.v[j] = b[0];
    }
    Pack<R, kPack> out;
    for (int j = 0; j < kPack; ++j) out.v[j] = applied<Op, R, A, B>(op, pa.v[j], pb.v[j]);
    reinterpret_cast<Pack<R, kPack>*>(y)[p] = out;
  }
  const int64_t done = packs * kPack;
  TROUPE_FOR_EACH(j, n - done) {
    const int64_t i = done + j;
    y[i] = applied<Op, R, A, B>(op, a[i * step_a], b[i * step_b]);
  }
}

/// Where element i of the output is in each operand. Index: uint32_t where it suffices, as division by 64 bits is slow.
template <class Index, int kOperands>
TROUPE_DEVICE void locate(const BroadcastPlan<kOperands>& plan, Index i, Index (&at)[kOperands]) {
  for (int k = 0; k < kOperands; ++k) at[k] = 0;
  TROUPE_KEEP_LOOP
  for (int d = plan.rank - 1; d > 0; --d) {
    const Index size = static_cast<Index>(plan.sizes[d]);
    const Index outer = i / size;
    const Index here = i - outer * size;
    for (int k = 0; k < kOperands; ++k) at[k] += here * static_cast<Index>(plan.strides[k][d]);
    i = outer;
  }
  for (int k = 0; k < kOperands; ++k) at[k] += i * static_cast<Index>(plan.strides[k][0]);
}

template <int kOperands>
TROUPE_DEVICE int64_t elements_of(const BroadcastPlan<kOperands>& plan) {
  int64_t n = 1;
  TROUPE_KEEP_LOOP
  for (int d = 0; d < plan.rank; ++d) n *= plan.sizes[d];
  return n;
}

/// Calls f(i, at) for all elements of the output.
template <int kOperands, class F>
TROUPE_DEVICE_ONLY void for_each_located(const BroadcastPlan<kOperands>& plan, const F& f) {
  const int64_t n = elements_of(plan);
  if (n <= 0x7fffffff) {
    TROUPE_FOR_EACH(i, n) {
      uint32_t at[kOperands];
      locate<uint32_t>(plan, static_cast<uint32_t>(i), at);
      f(i, at);
    }
  } else {
    TROUPE_FOR_EACH(i, n) {
      uint64_t at[kOperands];
      locate<uint64_t>(plan, static_cast<uint64_t>(i), at);
      f(i, at);
    }
  }
}

/// y = op(a, b) where the operands broadcast by `plan`.
template <class Op, class A, class B, class R>
TROUPE_DEVICE_ONLY void map_binary(const A* a, const B* b, R* y, const BroadcastPlan<2>& plan, const Op& op = Op()) {
  if (plan.rank == 1) {
    map_flat<Op>(a, plan.strides[0][0], b, plan.strides[1][0], y, plan.sizes[0], op);
  } else {
    for_each_located(plan, [&](int64_t i, const auto& at) { y[i] = applied<Op, R, A, B>(op, a[at[0]], b[at[1]]); });
  }
}

}  // namespace troupe::launchable

/// Kernels of an operation for one element type: `name`_`suffix`. As they are listed below: M(name, Op, suffix, T).
#define TROUPE_UNARY(name, Op, suffix, T) \
  TROUPE_KERNEL(name##_##suffix, (const T* x, T* y, int64_t n)) { map_unary<Op>(x, y, n); }
#define TROUPE_UNARY_BOOL(name, Op, suffix, T) \
  TROUPE_KERNEL(name##_##suffix, (const T* x, bool* y, int64_t n)) { map_unary<Op>(x, y, n); }
#define TROUPE_BINARY(name, Op, suffix, T) \
  TROUPE_KERNEL(name##_##suffix, (const T* a, const T* b, T* y, BroadcastPlan<2> plan)) { map_binary<Op>(a, b, y, plan); }
#define TROUPE_BINARY_BOOL(name, Op, suffix, T) \
  TROUPE_KERNEL(name##_##suffix, (const T* a, const T* b, bool* y, BroadcastPlan<2> plan)) { map_binary<Op>(a, b, y, plan); }

#define TROUPE_WIDE(M, name, Op) M(name, Op, f32, float) M(name, Op, f64, double)
#define TROUPE_NARROW(M, name, Op) M(name, Op, f16, half_t) M(name, Op, bf16, bfloat16_t)
#define TROUPE_FLOATS(M, name, Op) TROUPE_WIDE(M, name, Op) TROUPE_NARROW(M, name, Op)
#define TROUPE_COMPLEXES(M, name, Op) M(name, Op, c64, complex64_t) M(name, Op, c128, complex128_t)
#define TROUPE_UNSIGNED(M, name, Op) \
  M(name, Op, u8, uint8_t) M(name, Op, u16, uint16_t) M(name, Op, u32, uint32_t) M(name, Op, u64, uint64_t)
/// Without int32, which is computed on the host.
#define TROUPE_SIGNED(M, name, Op) M(name, Op, i8, int8_t) M(name, Op, i16, int16_t) M(name, Op, i64, int64_t)
#define TROUPE_INTS(M, name, Op) TROUPE_SIGNED(M, name, Op) TROUPE_UNSIGNED(M, name, Op)
