#pragma once

#include <limits>
#include <type_traits>

#include "devices/cuda/kernels/source/folds.h"

namespace troupe::launchable {

/// What numbers are added and multiplied in: floats of 16 bits as float; integers in 64 bits, so that they wrap when they are cut.
template <class T>
struct WideType {
  using type = std::conditional_t<std::is_integral_v<T>, uint64_t, compute_t<T>>;
};
template <class T>
using wide_t = typename WideType<T>::type;

template <class A>
struct ProductFold {
  using Acc = A;
  static TROUPE_DEVICE A start() { return A(1); }
  static TROUPE_DEVICE A join(A a, A b) { return a * b; }
};

/// The greatest or least; NaN wins. Nothing gives what every T beats.
template <class T, bool kMax>
struct ExtremeFold {
  using Acc = compute_t<T>;
  using Limits = std::numeric_limits<Acc>;
  static constexpr Acc kMost = std::is_floating_point_v<Acc> ? Limits::infinity() : Limits::max();
  static constexpr Acc kLeast = std::is_floating_point_v<Acc> ? -kMost : Limits::lowest();
  static TROUPE_DEVICE Acc start() { return kMax ? kLeast : kMost; }
  static TROUPE_DEVICE Acc join(Acc a, Acc b) {
    const bool better = kMax ? b > a : b < a;
    if constexpr (std::is_floating_point_v<Acc>) {
      return (better || b != b) && a == a ? b : a;
    } else {
      return better ? b : a;
    }
  }
};
template <class T>
using MaxFold = ExtremeFold<T, true>;
template <class T>
using MinFold = ExtremeFold<T, false>;

/// Whether all are true, or any is.
template <bool kAll>
struct LogicFold {
  using Acc = int32_t;
  static TROUPE_DEVICE Acc start() { return kAll ? 1 : 0; }
  static TROUPE_DEVICE Acc join(Acc a, Acc b) { return kAll ? a & b : a | b; }
};

template <class C>
struct PlaceAcc {
  C best;
  int64_t place;
};
/// The first of the best of some elements. NaN is never better.
template <class T, bool kMax>
struct PlaceFold {
  using C = std::conditional_t<std::is_same_v<T, bool>, int32_t, compute_t<T>>;
  using Acc = PlaceAcc<C>;
  static constexpr C kWorst = kMax ? std::numeric_limits<C>::lowest() : std::numeric_limits<C>::max();
  static TROUPE_DEVICE Acc start() { return {kWorst, 0}; }
  static TROUPE_DEVICE Acc join(Acc a, Acc b) {
    if (kMax ? b.best > a.best : b.best < a.best) return b;
    // Equal to where a lane began is nothing that it saw.
    return b.best == a.best && b.place < a.place ? b : a;
  }
};

struct AsIs {
  template <class A>
  static TROUPE_DEVICE A of(A a) {
    return a;
  }
};
struct Squared {
  template <class A>
  static TROUPE_DEVICE A of(A a) {
    if constexpr (is_complex_v<A>) {
      return A(norm(a));
    } else {
      return a * a;
    }
  }
};

/// An accumulator as an element.
template <class T, class A>
TROUPE_DEVICE T finished(A acc, int64_t count, FoldFinish finish) {
  if constexpr (std::is_floating_point_v<A>) {
    if (finish == FoldFinish::kMean) return static_cast<T>(acc / static_cast<A>(count));
    if (finish == FoldFinish::kRoot) return static_cast<T>(std::sqrt(acc));
    if (finish == FoldFinish::kHalf) return static_cast<T>(acc / 2);
  } else if constexpr (is_complex_v<A>) {
    // Of nothing there is no complex mean; of squares only the real part is not 0.
    using R = decltype(acc.re);
    if (finish == FoldFinish::kMean)
      return count == 0 ? A(0) : A(acc.re / static_cast<R>(count), acc.im / static_cast<R>(count));
    if (finish == FoldFinish::kRoot) return A(std::sqrt(acc.re));
  }
  return static_cast<T>(acc);
}

template <class Y, class C>
TROUPE_DEVICE Y finished(PlaceAcc<C> acc, int64_t, FoldFinish) {
  return static_cast<Y>(acc.place);
}

template <class Fold, class Of, class T>
struct LoadElement {
  const T* x;
  TROUPE_DEVICE typename Fold::Acc operator()(int64_t offset, int64_t, int64_t) const {
    return Of::of(static_cast<typename Fold::Acc>(x[offset]));
  }
};

template <class Fold, class T>
struct LoadPlace {
  const T* x;
  TROUPE_DEVICE typename Fold::Acc operator()(int64_t offset, int64_t, int64_t k) const {
    return {static_cast<typename Fold::C>(x[offset]), k};
  }
};

/// Finishes where there is one piece an output; else leaves the pieces to the second pass.
template <class T, class A>
struct StorePiece {
  A* pieces;
  T* y;
  int64_t count;
  bool whole;
  FoldFinish finish;
  TROUPE_DEVICE void operator()(int64_t piece, A acc) const {
    if (whole) {
      y[piece] = finished<T>(acc, count, finish);
    } else {
      pieces[piece] = acc;
    }
  }
};

}  // namespace troupe::launchable

/// The three kernels of a fold of elements T, loaded by LOAD{x}, into results Y: OP_rows_SFX, OP_columns_SFX and OP_pieces_SFX.
#define TROUPE_FOLD(op, sfx, T, Y, FOLD, LOAD)                                                             \
  TROUPE_KERNEL(op##_rows_##sfx,                                                                           \
                (const T* x, FOLD::Acc* pieces, Y* y, troupe::FoldPlan plan, troupe::FoldFinish finish)) { \
    const StorePiece<Y, FOLD::Acc> store{pieces, y, plan.count, plan.chunks == 1, finish};                 \
    fold_rows<FOLD>(plan, LOAD{x}, store);                                                                 \
  }                                                                                                        \
  TROUPE_KERNEL(op##_columns_##sfx,                                                                        \
                (const T* x, FOLD::Acc* pieces, Y* y, troupe::FoldPlan plan, troupe::FoldFinish finish)) { \
    const StorePiece<Y, FOLD::Acc> store{pieces, y, plan.count, plan.chunks == 1, finish};                 \
    fold_columns<FOLD>(plan, LOAD{x}, store);                                                              \
  }                                                                                                        \
  TROUPE_KERNEL(op##_pieces_##sfx, (const FOLD::Acc* pieces, Y* y, int64_t outputs, int64_t chunks,        \
                                    int64_t count, troupe::FoldFinish finish)) {                           \
    const StorePiece<Y, FOLD::Acc> store{nullptr, y, count, true, finish};                                 \
    fold_pieces<FOLD>(pieces, outputs, chunks, store);                                                     \
  }
