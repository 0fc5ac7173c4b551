// Cumulative sums, products and log-sum-exps along one axis.
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/common/reduce/axis.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/element_types.h"
#include "devices/cpu/loops/elementwise.h"

namespace troupe {
namespace {

struct ScanSum {
  template <class T>
  static T start() {
    return T(0);
  }
  template <class T>
  static T next(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrap_t<T>>(a) + static_cast<wrap_t<T>>(b));
    } else {
      return a + b;
    }
  }
};
struct ScanProduct {
  template <class T>
  static T start() {
    return T(1);
  }
  template <class T>
  static T next(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrap_t<T>>(a) * static_cast<wrap_t<T>>(b));
    } else {
      return a * b;
    }
  }
};
struct ScanLogSumExp {
  template <class T>
  static T start() {
    return -std::numeric_limits<T>::infinity();
  }
  template <class T>
  static T next(const T& a, const T& b) {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    const T high = std::max(a, b);
    const T low = std::min(a, b);
    if (std::isinf(high)) return high;
    return high + std::log1p(std::exp(low - high));
  }
};

template <class Op, class T>
class Scan final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(bool exclusive, c.attr<bool>("exclusive"));
    TROUPE_ASSIGN_OR_RETURN(bool reverse, c.attr<bool>("reverse"));
    return std::make_unique<Scan>(exclusive, reverse);
  }
  Scan(bool exclusive, bool reverse) : exclusive_(exclusive), reverse_(reverse) {}

  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(const int at, scan_axis(x, context.input(1)));
    const int64_t outer = x.shape().num_elements(0, at);
    const int64_t length = x.dim(at);
    const int64_t inner = x.shape().num_elements(at + 1, x.rank());
    const T* in = x.flat<T>().data();
    TROUPE_ASSIGN_OR_RETURN(Tensor * result, context.allocate_output(0, x.shape()));
    T* out = result->flat<T>().data();
    if (x.num_elements() == 0) return absl::OkStatus();
    context.parallel().parallel_for(outer * inner, length * 3, [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const int64_t first = line / inner * length * inner + line % inner;
        scan_line(in + first, out + first, length, inner);
      }
    });
    return absl::OkStatus();
  }

 private:
  void scan_line(const T* in, T* out, int64_t length, int64_t stride) const {
    using C = compute_t<T>;
    C sum = Op::template start<C>();
    for (int64_t i = 0; i < length; ++i) {
      const int64_t at = (reverse_ ? length - 1 - i : i) * stride;
      if (exclusive_) out[at] = element_cast<T>(sum);
      sum = Op::next(sum, element_cast<C>(in[at]));
      if (!exclusive_) out[at] = element_cast<T>(sum);
    }
  }

  const bool exclusive_;
  const bool reverse_;
};

template <class Op, class... T>
void add_scans(KernelRegistry* r, const char* op, Types<T...>) {
  (r->add(KernelDef(op).template type<T>("T").types("Tidx", index_types()).template kernel<Scan<Op, T>>()),
   ...);
}

template <class Op>
void add_all(KernelRegistry* r, const char* op) {
  add_scans<Op>(r, op, Floats());
  add_scans<Op>(r, op, Complexes());
  add_scans<Op>(r, op, SignedInts());
  add_scans<Op>(r, op, UnsignedInts());
}

}  // namespace

void register_reduce_scans(KernelRegistry* r) {
  add_all<ScanSum>(r, "Cumsum");
  add_all<ScanProduct>(r, "Cumprod");
  add_scans<ScanLogSumExp>(r, "CumulativeLogsumexp", Floats());
}

}  // namespace troupe
