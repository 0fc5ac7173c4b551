// Range, LinSpace and the cross product.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/element_types.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/cpu/loops/whole_lines.h"

namespace troupe {
namespace {

/// Range takes vectors of one element for scalars; LinSpace does not.
absl::Status need_scalar(const KernelContext& context, int i, const char* name, bool or_one_element) {
  const Tensor& t = context.input(i);
  if (t.rank() == 0 || (or_one_element && t.rank() == 1 && t.dim(0) == 1)) return absl::OkStatus();
  return invalid(name, " must be a scalar, not shape ", t.shape().to_string());
}

template <class T>
auto printable(T v) {
  if constexpr (is_float_v<T>) {
    return static_cast<compute_t<T>>(v);
  } else {
    return static_cast<int64_t>(v);
  }
}

/// Elements of [start, limit) in steps of delta.
template <class T>
absl::StatusOr<int64_t> range_size(T start, T limit, T delta) {
  if (delta == T(0)) return invalid("Requires delta != 0: ", printable(delta));
  if (delta > T(0) && !(start <= limit)) {
    return invalid("Requires start <= limit when delta > 0: ", printable(start), "/", printable(limit));
  }
  if (!(delta > T(0)) && !(start >= limit)) {
    return invalid("Requires start >= limit when delta < 0: ", printable(start), "/", printable(limit));
  }
  constexpr char kTooMany[] = "Requires ((limit - start) / delta) <= 9223372036854775807";
  if constexpr (is_float_v<T>) {
    double count = std::ceil(std::abs((static_cast<compute_t<T>>(limit) - static_cast<compute_t<T>>(start)) /
                                      static_cast<compute_t<T>>(delta)));
    if (!(count < 9223372036854775807.0)) return invalid(kTooMany);
    return static_cast<int64_t>(count);
  } else {
    const uint64_t from = static_cast<uint64_t>(static_cast<int64_t>(start));
    const uint64_t to = static_cast<uint64_t>(static_cast<int64_t>(limit));
    const uint64_t step = static_cast<uint64_t>(static_cast<int64_t>(delta));
    const uint64_t distance = delta > T(0) ? to - from : from - to;
    const uint64_t stride = delta > T(0) ? step : uint64_t{0} - step;
    const uint64_t count = distance / stride + (distance % stride != 0);
    if (count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return invalid(kTooMany);
    return static_cast<int64_t>(count);
  }
}

template <class T>
absl::Status range(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(need_scalar(context, 0, "start", true));
  TROUPE_RETURN_IF_ERROR(need_scalar(context, 1, "limit", true));
  TROUPE_RETURN_IF_ERROR(need_scalar(context, 2, "delta", true));
  const T start = context.input(0).value<T>();
  const T delta = context.input(2).value<T>();
  TROUPE_ASSIGN_OR_RETURN(int64_t n, range_size<T>(start, context.input(1).value<T>(), delta));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{n}));
  T* o = out->flat<T>().data();
  if constexpr (std::is_integral_v<T>) {
    using U = wrap_t<T>;
    constexpr int64_t kBlock = 1024;
    context.parallel().parallel_for((n + kBlock - 1) / kBlock, kBlock / 4, [&](int64_t begin, int64_t end) {
      const int64_t from = begin * kBlock;
      write_run(o + from, std::min(n, end * kBlock) - from, [&](T* block, int64_t first, int64_t count) {
        U value = static_cast<U>(static_cast<U>(start) +
                                 static_cast<U>(static_cast<U>(from + first) * static_cast<U>(delta)));
        for (int64_t i = 0; i < count; ++i) {
          block[i] = static_cast<T>(value);
          value = static_cast<U>(value + static_cast<U>(delta));
        }
      });
    });
  } else {
    // Floats accumulate, as in the reference: element i is not start + i * delta.
    T value = start;
    for (int64_t i = 0; i < n; ++i) {
      o[i] = value;
      value = static_cast<T>(static_cast<compute_t<T>>(value) + static_cast<compute_t<T>>(delta));
    }
  }
  return absl::OkStatus();
}

template <class T>
absl::Status lin_space(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(need_scalar(context, 0, "start", false));
  TROUPE_RETURN_IF_ERROR(need_scalar(context, 1, "stop", false));
  TROUPE_RETURN_IF_ERROR(need_scalar(context, 2, "num", false));
  const T start = context.input(0).value<T>();
  const T stop = context.input(1).value<T>();
  const int64_t n = int_at(context.input(2), 0);
  if (n <= 0) return invalid("Requires num > 0: ", n);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{n}));
  T* o = out->flat<T>().data();
  o[0] = start;
  if (n > 1) {
    const T step = (stop - start) / static_cast<T>(n - 1);
    for (int64_t i = 1; i < n - 1; ++i) o[i] = start + step * static_cast<T>(i);
    o[n - 1] = stop;
  }
  return absl::OkStatus();
}

template <class T>
absl::Status cross(KernelContext& context) {
  using C = std::conditional_t<std::is_integral_v<T>,
                               wrap_t<std::conditional_t<std::is_integral_v<T>, T, int>>, compute_t<T>>;
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  if (!(a.shape() == b.shape())) {
    return invalid("Both inputs must be of same shape: ", a.shape().to_string(), " vs. ",
                   b.shape().to_string());
  }
  if (a.rank() < 1) return invalid("Input must be at least 1D", a.shape().to_string());
  if (a.dim(a.rank() - 1) != 3) {
    return absl::FailedPreconditionError("Cross-products are only defined for 3-element vectors.");
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, a.shape()));
  const T* x = a.flat<T>().data();
  const T* y = b.flat<T>().data();
  T* o = out->flat<T>().data();
  for (int64_t i = 0; i < a.num_elements(); i += 3) {
    const C u[3] = {static_cast<C>(x[i]), static_cast<C>(x[i + 1]), static_cast<C>(x[i + 2])};
    const C v[3] = {static_cast<C>(y[i]), static_cast<C>(y[i + 1]), static_cast<C>(y[i + 2])};
    o[i] = static_cast<T>(u[1] * v[2] - u[2] * v[1]);
    o[i + 1] = static_cast<T>(u[2] * v[0] - u[0] * v[2]);
    o[i + 2] = static_cast<T>(u[0] * v[1] - u[1] * v[0]);
  }
  return absl::OkStatus();
}

template <class... T>
void add_ranges(KernelRegistry* r, Types<T...>) {
  (r->add(KernelDef("Range").template type<T>("Tidx").fn(range<T>, true)), ...);
}
template <class... T>
void add_crosses(KernelRegistry* r, Types<T...>) {
  (r->add(KernelDef("Cross").template type<T>("T").fn(cross<T>)), ...);
}

}  // namespace

void register_array_sequences(KernelRegistry* r) {
  add_ranges(r, Floats());
  add_ranges(r, Types<int32_t, int64_t>());
  r->add(KernelDef("LinSpace").type<float>("T").fn(lin_space<float>));
  r->add(KernelDef("LinSpace").type<double>("T").fn(lin_space<double>));
  add_crosses(r, Floats());
  add_crosses(r, SignedInts());
  add_crosses(r, UnsignedInts());
}

}  // namespace troupe
