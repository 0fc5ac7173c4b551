// ArgMax and ArgMin.
#include <algorithm>
#include <limits>

#include "devices/common/reduce/axis.h"
#include "devices/cpu/kernels/reduce/reduction.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/element_types.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/cpu/loops/vector/vector_loops.h"

namespace troupe {
namespace {

/// The lowest index of the best of n elements, which are `stride` apart. NaN is never better.
template <class T, bool kMax>
int64_t best_index(const T* x, int64_t n, int64_t stride) {
  using C = compute_t<T>;
  C best = kMax ? std::numeric_limits<C>::lowest() : std::numeric_limits<C>::max();
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    const C v = static_cast<C>(x[i * stride]);
    if (kMax ? v > best : v < best) {
      best = v;
      at = i;
    }
  }
  return at;
}

/// The same of the greatest of neighbouring floats.
int64_t greatest_index(const float* x, int64_t n) {
  constexpr int64_t kBlock = 1024;
  const auto maximum = vector_loops().folds.maximum;
  float best = std::numeric_limits<float>::lowest();
  // Where the best is, in a block, or where itself.
  int64_t block = -1, at = 0;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = std::min(kBlock, n - begin);
    const float m = maximum(x + begin, count);
    if (m > best) {
      best = m;
      block = begin;
    } else if (m != m) {
      // NaN hides what else there is.
      for (int64_t i = begin; i < begin + count; ++i) {
        if (!(x[i] > best)) continue;
        best = x[i];
        block = -1;
        at = i;
      }
    }
  }
  if (block < 0) return at;
  return std::find(x + block, x + n, best) - x;
}

void store_index(Tensor* out, int64_t i, int64_t value) {
  switch (out->dtype()) {
    case DataType::kInt32: out->flat<int32_t>()[i] = static_cast<int32_t>(value); break;
    case DataType::kInt16: out->flat<int16_t>()[i] = static_cast<int16_t>(value); break;
    case DataType::kUint16: out->flat<uint16_t>()[i] = static_cast<uint16_t>(value); break;
    default: out->flat<int64_t>()[i] = value;
  }
}

template <class T, bool kMax>
absl::Status arg_best(KernelContext& context) {
  const Tensor& x = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(const int at, arg_axis(x, context.input(1)));
  Shape shape = x.shape();
  shape.remove_dim(at);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  const int64_t length = x.dim(at);
  const int64_t inner = x.shape().num_elements(at + 1, x.rank());
  const T* p = x.flat<T>().data();
  context.parallel().parallel_for(out->num_elements(), length, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if constexpr (kMax && std::is_same_v<T, float>) {
        if (inner == 1 && length >= kVectorFrom) {
          store_index(out, i, greatest_index(p + i * length, length));
          continue;
        }
      }
      store_index(out, i, best_index<T, kMax>(p + i / inner * length * inner + i % inner, length, inner));
    }
  });
  return absl::OkStatus();
}

template <class... T>
void add_args(KernelRegistry* r, Types<T...>) {
  const std::vector<DataType> max_types = {DataType::kInt16, DataType::kUint16, DataType::kInt32,
                                           DataType::kInt64};
  (r->add(KernelDef("ArgMax").template type<T>("T").types("output_type", max_types).fn(arg_best<T, true>)),
   ...);
  (r->add(
       KernelDef("ArgMin").template type<T>("T").types("output_type", index_types()).fn(arg_best<T, false>)),
   ...);
}

}  // namespace

void register_reduce_arg(KernelRegistry* r) {
  add_args(r, Floats());
  add_args(r, SignedInts());
  add_args(r, UnsignedInts());
  add_args(r, Types<bool>());
}

}  // namespace troupe
