// Element-wise operations of three or more operands of one shape.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/cwise/rows.h"
#include "devices/cpu/loops/vector/vector_loops.h"

namespace troupe {
namespace {

template <class T>
T plus(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<wrap_t<T>>(a) + static_cast<wrap_t<T>>(b));
  } else {
    return a + b;
  }
}

/// Adds rows of T by vectors, to the bits of `plus`; null where there are no such loops.
template <class T>
BinaryRow vector_add() {
  const VectorLoops& loops = vector_loops();
  if constexpr (std::is_same_v<T, float>) return loops.floats.add;
  if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(int32_t)) return loops.ints.add;
  if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(int64_t)) return loops.longs.add;
  return nullptr;
}

/// Elements that are summed completely before the next: they stay in the first cache.
constexpr int64_t kSumBlock = 1024;

/// out[i] = the sum of element at + i of all inputs, in their order, for n <= kSumBlock. `out` may be the first input's.
template <class T>
void sum_block(const KernelContext& context, int64_t at, int64_t n, T* out) {
  using C = compute_t<T>;
  C sum[kSumBlock];
  const T* x = context.input(0).flat<T>().data() + at;
  for (int64_t i = 0; i < n; ++i) sum[i] = element_cast<C>(x[i]);
  for (int k = 1; k < context.num_inputs(); ++k) {
    x = context.input(k).flat<T>().data() + at;
    for (int64_t i = 0; i < n; ++i) sum[i] = plus(sum[i], element_cast<C>(x[i]));
  }
  for (int64_t i = 0; i < n; ++i) out[i] = element_cast<T>(sum[i]);
}

/// The same of two inputs at least.
template <class T>
void sum_block(const KernelContext& context, BinaryRow add, int64_t at, int64_t n, T* out) {
  const auto input = [&](int k) { return context.input(k).flat<T>().data() + at; };
  add(input(0), input(1), out, n, RowMode::kBoth);
  for (int k = 2; k < context.num_inputs(); ++k) add(out, input(k), out, n, RowMode::kBoth);
}

template <class T>
absl::Status add_n(KernelContext& context) {
  const Tensor& first = context.input(0);
  const int inputs = context.num_inputs();
  for (int k = 1; k < inputs; ++k) {
    if (!(context.input(k).shape() == first.shape())) {
      return absl::InvalidArgumentError(
          absl::StrCat("Inputs to operation ", context.node().name, " of type ", context.node().op->name,
                       " must have the same size and shape.  Input 0: ", first.shape().to_string(),
                       " != input ", k, ": ", context.input(k).shape().to_string()));
    }
  }
  if (inputs == 1) {
    context.forward_input(0, 0);
    return absl::OkStatus();
  }
  // Only the first operand is given up: the others are still to be read when the block is first written.
  const int64_t n = first.num_elements();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, first.shape()));
  T* const to = out->flat<T>().data();
  const BinaryRow add = vector_add<T>();
  auto part = [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += kSumBlock) {
      const int64_t count = std::min(kSumBlock, end - at);
      if (add != nullptr) {
        sum_block(context, add, at, count, to + at);
      } else {
        sum_block(context, at, count, to + at);
      }
    }
  };
  const int64_t cost = add != nullptr ? std::max(1, inputs / 16) : inputs;
  if (n * inputs < kParallelElements) {
    part(0, n);
  } else {
    context.parallel().parallel_for(n, cost, part);
  }
  return absl::OkStatus();
}

/// The larger of `low` and the smaller of x and `high`; NaN stays. Complex numbers part by part.
template <class T>
T clip(const T& x, const T& low, const T& high) {
  if constexpr (is_complex_v<T>) {
    return T(clip(x.real(), low.real(), high.real()), clip(x.imag(), low.imag(), high.imag()));
  } else {
    T t = high < x ? high : x;
    return t < low ? low : t;
  }
}

template <class T>
absl::Status clip_by_value(KernelContext& context) {
  using C = compute_t<T>;
  const Tensor& x = context.input(0);
  const Tensor& low = context.input(1);
  const Tensor& high = context.input(2);
  auto fits = [&](const Tensor& t) { return t.rank() == 0 || t.shape() == x.shape(); };
  if (!fits(low) || !fits(high)) {
    return absl::InvalidArgumentError(
        absl::StrCat("clip_value_min and clip_value_max must be either of the same shape as input, or a "
                     "scalar. input shape: ",
                     x.shape().to_string(), "clip_value_min shape: ", low.shape().to_string(),
                     "clip_value_max shape: ", high.shape().to_string()));
  }
  const T* px = x.flat<T>().data();
  const T* pl = low.flat<T>().data();
  const T* ph = high.flat<T>().data();
  const int64_t n = x.num_elements();
  const bool bounds = low.rank() == 0 && high.rank() == 0;
  const int64_t step_l = low.rank() == 0 ? 0 : 1;
  const int64_t step_h = high.rank() == 0 ? 0 : 1;
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, x.shape()));
  T* o = out->flat<T>().data();
  auto part = [=](int64_t begin, int64_t end) {
    if (bounds) {
      const C l = element_cast<C>(*pl);
      const C h = element_cast<C>(*ph);
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) o[i] = element_cast<T>(clip(element_cast<C>(px[i]), l, h));
    } else {
      for (int64_t i = begin; i < end; ++i) {
        o[i] = element_cast<T>(
            clip(element_cast<C>(px[i]), element_cast<C>(pl[i * step_l]), element_cast<C>(ph[i * step_h])));
      }
    }
  };
  if (n < kParallelElements) {
    part(0, n);
  } else {
    context.parallel().parallel_for(n, 1, part);
  }
  return absl::OkStatus();
}

template <class T>
class ApproximateEqual final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(float tolerance, c.attr<float>("tolerance"));
    return std::make_unique<ApproximateEqual>(tolerance);
  }
  explicit ApproximateEqual(float tolerance) : tolerance_(static_cast<T>(tolerance)) {}
  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    const Tensor& y = context.input(1);
    if (!(x.shape() == y.shape())) {
      return absl::InvalidArgumentError(
          absl::StrCat("x and y must be of the same shape. x shape: ", x.shape().to_string(),
                       ". y shape: ", y.shape().to_string()));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, x.shape()));
    const T* px = x.flat<T>().data();
    const T* py = y.flat<T>().data();
    bool* o = out->flat<bool>().data();
    context.parallel().parallel_for(x.num_elements(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) o[i] = std::abs(px[i] - py[i]) < tolerance_;
    });
    return absl::OkStatus();
  }

 private:
  const T tolerance_;
};

template <class... T>
void add_sums(KernelRegistry* r, Types<T...>) {
  (r->add(KernelDef("AddN").template type<T>("T").fn(add_n<T>, true)), ...);
  (r->add(KernelDef("AccumulateNV2").template type<T>("T").fn(add_n<T>, true)), ...);
}
template <class... T>
void add_clips(KernelRegistry* r, Types<T...>) {
  (r->add(KernelDef("ClipByValue").template type<T>("T").fn(clip_by_value<T>, true)), ...);
}

}  // namespace

void register_cwise_many(KernelRegistry* r) {
  add_sums(r, Floats());
  add_sums(r, Complexes());
  add_sums(r, SignedInts());
  add_sums(r, UnsignedInts());
  add_clips(r, Floats());
  add_clips(r, Complexes());
  add_clips(r, SignedInts());
  add_clips(r, Types<uint8_t, uint16_t>());
  r->add(KernelDef("ApproximateEqual").type<float>("T").kernel<ApproximateEqual<float>>());
  r->add(KernelDef("ApproximateEqual").type<double>("T").kernel<ApproximateEqual<double>>());
}

}  // namespace troupe
