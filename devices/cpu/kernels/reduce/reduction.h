#pragma once

#include <algorithm>
#include <vector>

#include "devices/common/reduce/reduce_plan.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// A kernel that folds dimensions of its input. Op has, for elements T:
///   using Sum = ...;                               what is accumulated, and
///   static Sum start();                            its first value,
///   static void fold(Sum&, const T&);              an element added,
///   static void join(Sum&, const Sum&);            another partial result added,
///   static T finish(const Sum&, int64_t count);    the result of `count` elements.
/// With `kChangesSingles` the result of a single element is not that element. An Op may have its own ways to fold n
/// elements: `static Sum fold_run(const T*, n)`, and each into its sum: `static void fold_row(Sum*, const T*, n)`.
/// The order of additions depends on sizes only, not on threads.
template <class Op, class T>
class Reduction final : public Kernel {
 public:
  using Sum = typename Op::Sum;

  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(bool keep_dims, c.attr<bool>("keep_dims"));
    return std::make_unique<Reduction>(keep_dims);
  }
  explicit Reduction(bool keep_dims) : keep_dims_(keep_dims) {}

  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    ReducePlan plan;
    TROUPE_RETURN_IF_ERROR(plan.init(in.shape(), context.input(1), keep_dims_));
    constexpr bool kCopies = !requires { Op::kChangesSingles; };
    if (kCopies && plan.identity()) {
      context.set_output(0, in.reshaped(plan.output()));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.output()));
    if (out->num_elements() == 0) return absl::OkStatus();
    const T* x = in.flat<T>().data();
    T* o = out->flat<T>().data();
    if (plan.count() == 0) {
      for (int64_t i = 0; i < out->num_elements(); ++i) o[i] = Op::finish(Op::start(), 0);
    } else if (!plan.inner_reduced()) {
      fold_rows(context, plan, x, o);
    } else if (plan.num_kept() == 1 && plan.reduced().empty()) {
      o[0] = fold_all(context, x, plan.inner());
    } else {
      fold_runs(context, plan, x, o);
    }
    return absl::OkStatus();
  }

 private:
  /// Elements folded by several partial results side by side, which the compiler keeps in vector registers.
  static constexpr int kLanes = 8;
  /// Elements of a partial result: bounds the error of long sums, and is the unit of parallel work.
  static constexpr int64_t kBlock = 16384;
  /// Results calculated side by side when the kept dimension is the inner one.
  static constexpr int64_t kColumns = 256;

  static Sum fold_run(const T* x, int64_t n) {
    if constexpr (requires { Op::fold_run(x, n); }) {
      if (n >= kLanes) return Op::fold_run(x, n);
    }
    Sum lanes[kLanes];
    for (Sum& s : lanes) s = Op::start();
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) Op::fold(lanes[k], x[i + k]);
    }
    for (int k = 0; i < n; ++i, ++k) Op::fold(lanes[k], x[i]);
    for (int64_t k = 1; k < std::min<int64_t>(kLanes, n); ++k) Op::join(lanes[0], lanes[k]);
    return lanes[0];
  }
  static Sum fold_long_run(const T* x, int64_t n) {
    if (n <= kBlock) return fold_run(x, n);
    Sum sum = Op::start();
    for (int64_t at = 0; at < n; at += kBlock) Op::join(sum, fold_run(x + at, std::min(kBlock, n - at)));
    return sum;
  }

  static T fold_all(KernelContext& context, const T* x, int64_t n) {
    if (n <= 2 * kBlock) return Op::finish(fold_long_run(x, n), n);
    const int64_t blocks = (n + kBlock - 1) / kBlock;
    std::vector<Sum> sums(static_cast<size_t>(blocks));
    context.parallel().parallel_for(blocks, kBlock, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        sums[b] = fold_run(x + b * kBlock, std::min(kBlock, n - b * kBlock));
    });
    Sum sum = Op::start();
    for (const Sum& s : sums) Op::join(sum, s);
    return Op::finish(sum, n);
  }

  static void fold_runs(KernelContext& context, const ReducePlan& plan, const T* x, T* o) {
    context.parallel().parallel_for(plan.num_kept(), plan.count(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* first = x + ReducePlan::offset(plan.kept(), i);
        Sum sum = Op::start();
        for (int64_t r = 0; r < plan.num_reduced(); ++r) {
          Op::join(sum, fold_long_run(first + ReducePlan::offset(plan.reduced(), r), plan.inner()));
        }
        o[i] = Op::finish(sum, plan.count());
      }
    });
  }

  static void fold_row(Sum* sums, const T* row, int64_t n) {
    if constexpr (requires { Op::fold_row(sums, row, n); }) {
      if (n >= kVectorFrom) return Op::fold_row(sums, row, n);
    }
    for (int64_t k = 0; k < n; ++k) Op::fold(sums[k], row[k]);
  }

  static void fold_rows(KernelContext& context, const ReducePlan& plan, const T* x, T* o) {
    const int64_t columns = std::min(kColumns, plan.inner());
    const int64_t strips = (plan.inner() + columns - 1) / columns;
    auto part = [&](int64_t begin, int64_t end) {
      Sum sums[kColumns];
      for (int64_t i = begin; i < end; ++i) {
        const int64_t column = i % strips * columns;
        const int64_t n = std::min(columns, plan.inner() - column);
        const T* first = x + ReducePlan::offset(plan.kept(), i / strips) + column;
        for (int64_t k = 0; k < n; ++k) sums[k] = Op::start();
        for (int64_t r = 0; r < plan.num_reduced(); ++r)
          fold_row(sums, first + ReducePlan::offset(plan.reduced(), r), n);
        T* to = o + i / strips * plan.inner() + column;
        for (int64_t k = 0; k < n; ++k) to[k] = Op::finish(sums[k], plan.count());
      }
    };
    context.parallel().parallel_for(plan.num_kept() * strips, plan.count() * columns, part);
  }

  const bool keep_dims_;
};

template <template <class> class Op, class... T>
void add_reductions(KernelRegistry* r, const char* op) {
  (r->add(KernelDef(op)
              .template type<T>("T")
              .types("Tidx", {DataType::kInt32, DataType::kInt64})
              .template kernel<Reduction<Op<T>, T>>()),
   ...);
}

}  // namespace troupe
