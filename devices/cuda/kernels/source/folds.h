#pragma once

#include "devices/cuda/kernels/fold_plan.h"
#include "devices/cuda/kernels/source/launchable.h"

// Loops that fold what a FoldPlan describes. A fold has
//   using Acc = ...;                                 what is accumulated: trivial, a multiple of 4 bytes,
//   static TROUPE_DEVICE Acc start();                its first value, and
//   static TROUPE_DEVICE Acc join(Acc, Acc);         two parts together.
// `load(offset, output, k)` gives the k-th element of an output as Acc; `store(piece, acc)` takes the result of piece
// chunk * outputs + output.

namespace troupe::launchable {

/// Where a walk has its i-th element.
TROUPE_DEVICE int64_t offset_of(const FoldWalk& walk, int64_t i) {
  if (walk.rank == 0) return 0;
  int64_t at = 0;
  for (int d = walk.rank - 1; d > 0; --d) {
    const int64_t size = walk.sizes[d];
    // Division of 32 bits takes a fraction of the time.
    const int64_t above =
        (i | size) >> 32 == 0 ? static_cast<uint32_t>(i) / static_cast<uint32_t>(size) : i / size;
    at += (i - above * size) * walk.strides[d];
    i = above;
  }
  return at + i * walk.strides[0];
}

TROUPE_DEVICE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

template <class Fold>
struct JoinOf {
  using Acc = typename Fold::Acc;
  TROUPE_DEVICE Acc operator()(Acc a, Acc b) const { return Fold::join(a, b); }
};

/// A block a piece: for elements that lie side by side.
template <class Fold, class Load, class Store>
TROUPE_DEVICE_ONLY void fold_rows(const FoldPlan& plan, Load load, Store store) {
  TROUPE_FOR_BLOCKS(piece, plan.outputs * plan.chunks) {
    const int64_t chunk = piece / plan.outputs;
    const int64_t output = piece - chunk * plan.outputs;
    const int64_t first = chunk * plan.chunk;
    const int64_t from = offset_of(plan.kept, output);
    auto acc = Fold::start();
    TROUPE_FOR_THREADS(k, least(plan.chunk, plan.count - first)) {
      acc = Fold::join(acc, load(from + offset_of(plan.reduced, first + k), output, first + k));
    }
    acc = block_reduce(acc, JoinOf<Fold>());
    if (thread_index() == 0) store(piece, acc);
  }
}

/// A thread a piece: for outputs that lie side by side, and for small pieces.
template <class Fold, class Load, class Store>
TROUPE_DEVICE_ONLY void fold_columns(const FoldPlan& plan, Load load, Store store) {
  TROUPE_FOR_EACH(piece, plan.outputs * plan.chunks) {
    const int64_t chunk = piece / plan.outputs;
    const int64_t output = piece - chunk * plan.outputs;
    const int64_t first = chunk * plan.chunk;
    const int64_t end = least(first + plan.chunk, plan.count);
    const int64_t from = offset_of(plan.kept, output);
    auto acc = Fold::start();
    for (int64_t k = first; k < end; ++k) {
      acc = Fold::join(acc, load(from + offset_of(plan.reduced, k), output, k));
    }
    store(piece, acc);
  }
}

/// The second pass, a block an output: `store(output, acc)`.
template <class Fold, class Store>
TROUPE_DEVICE_ONLY void fold_pieces(const typename Fold::Acc* pieces, int64_t outputs, int64_t chunks,
                                    Store store) {
  TROUPE_FOR_BLOCKS(output, outputs) {
    auto acc = Fold::start();
    TROUPE_FOR_THREADS(c, chunks) acc = Fold::join(acc, pieces[c * outputs + output]);
    acc = block_reduce(acc, JoinOf<Fold>());
    if (thread_index() == 0) store(output, acc);
  }
}

/// Sums of numbers of type A.
template <class A>
struct SumFold {
  using Acc = A;
  static TROUPE_DEVICE A start() { return A(0); }
  static TROUPE_DEVICE A join(A a, A b) { return a + b; }
};

}  // namespace troupe::launchable
