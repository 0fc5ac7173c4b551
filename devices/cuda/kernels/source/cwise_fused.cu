// _FusedElementwise: interprets a program for several elements at a time, so that finding an operation costs less than doing it. Inputs
// are read once, and nothing is written but the result.
#include "devices/cuda/kernels/fused_program.h"
#include "devices/cuda/kernels/source/functions.h"

#ifdef __CUDACC__
#pragma nv_diag_suppress 549  // A slot is written before a program reads it.
#endif

namespace troupe::launchable {

template <class T, int kPack>
TROUPE_DEVICE void run_step(FusedOp op, const Pack<T, kPack>& a, const Pack<T, kPack>& b, Pack<T, kPack>* out) {
  switch (op) {
#define TROUPE_FUSED_PAIR(name, Op)                                          \
  case FusedOp::name:                                                        \
    for (int j = 0; j < kPack; ++j) out->v[j] = Op()(a.v[j], b.v[j]);        \
    break;
#define TROUPE_FUSED_FUNCTION(name, Op)                             \
  case FusedOp::name:                                               \
    for (int j = 0; j < kPack; ++j) out->v[j] = Op()(a.v[j]);       \
    break;
    TROUPE_FUSED_PAIRS(TROUPE_FUSED_PAIR)
    TROUPE_FUSED_FUNCTIONS(TROUPE_FUSED_FUNCTION)
#undef TROUPE_FUSED_PAIR
#undef TROUPE_FUSED_FUNCTION
  }
}

/// The result of all steps, where input(k) is a pack of input k's elements.
template <class T, int kPack, class Input>
TROUPE_DEVICE Pack<T, kPack> run_program(const FusedProgram& program, const Input& input) {
  using P = Pack<T, kPack>;
  P slots[kFusedSlots];
  P last = {};
  auto operand = [&](uint8_t at) -> P {
    if (at == kFusedLast || at == kFusedNone) return last;
    return at >= kFusedSlot ? slots[at - kFusedSlot] : input(at);
  };
  TROUPE_KEEP_LOOP
  for (int s = 0; s < program.num_steps; ++s) {
    const FusedStep step = program.steps[s];
    const P a = operand(step.a);
    const P b = operand(step.b);
    run_step(step.op, a, b, &last);
    if (step.slot != kFusedNone) slots[step.slot] = last;
  }
  return last;
}

template <class T>
TROUPE_DEVICE_ONLY void run_flat(const FusedProgram& program, T* y) {
  constexpr int kPack = pack_size<T>();
  const int64_t n = program.plan.sizes[0];
  bool aligned = is_aligned<kPack>(y);
  for (int k = 0; k < program.num_inputs; ++k) {
    aligned &= program.plan.strides[k][0] == 0 || is_aligned<kPack>(static_cast<const T*>(program.inputs[k]));
  }
  const int64_t packs = aligned ? n / kPack : 0;
  TROUPE_FOR_EACH(p, packs) {
    reinterpret_cast<Pack<T, kPack>*>(y)[p] = run_program<T, kPack>(program, [&](int k) {
      const T* x = static_cast<const T*>(program.inputs[k]);
      if (program.plan.strides[k][0] != 0) return reinterpret_cast<const Pack<T, kPack>*>(x)[p];
      Pack<T, kPack> same;
      for (int j = 0; j < kPack; ++j) same.v[j] = x[0];
      return same;
    });
  }
  const int64_t done = packs * kPack;
  TROUPE_FOR_EACH(i, n - done) {
    y[done + i] = run_program<T, 1>(program, [&](int k) {
                    return Pack<T, 1>{{static_cast<const T*>(program.inputs[k])[(done + i) * program.plan.strides[k][0]]}};
                  }).v[0];
  }
}

template <class T, class Index>
TROUPE_DEVICE_ONLY void run_broadcast(const FusedProgram& program, T* y, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    const auto input = [&](int k) {
      Index rest = static_cast<Index>(i);
      Index at = 0;
      TROUPE_KEEP_LOOP
      for (int d = program.plan.rank - 1; d > 0; --d) {
        const Index size = static_cast<Index>(program.plan.sizes[d]);
        const Index outer = rest / size;
        at += (rest - outer * size) * static_cast<Index>(program.plan.strides[k][d]);
        rest = outer;
      }
      at += rest * static_cast<Index>(program.plan.strides[k][0]);
      return Pack<T, 1>{{static_cast<const T*>(program.inputs[k])[at]}};
    };
    y[i] = run_program<T, 1>(program, input).v[0];
  }
}

template <class T>
TROUPE_DEVICE_ONLY void run_fused(const FusedProgram& program, T* y) {
  if (program.plan.rank == 1) return run_flat(program, y);
  const int64_t n = elements_of(program.plan);
  if (n <= 0x7fffffff) {
    run_broadcast<T, uint32_t>(program, y, n);
  } else {
    run_broadcast<T, uint64_t>(program, y, n);
  }
}

}  // namespace troupe::launchable

using troupe::FusedProgram;
TROUPE_KERNEL(fused_f32, (FusedProgram program, float* y)) { run_fused(program, y); }
TROUPE_KERNEL(fused_f64, (FusedProgram program, double* y)) { run_fused(program, y); }
