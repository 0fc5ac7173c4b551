#include "devices/cpu/kernels/variable/update.h"

#include <Eigen/Core>
#include <type_traits>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// out[i] = a[i] + b[i] or a[i] - b[i]; `out` may be `a`. Integers wrap.
using UpdateLoop = void (*)(void* out, const void* a, const void* b, int64_t n);

template <class T, bool kSubtract>
void update(void* out, const void* a, const void* b, int64_t n) {
  T* o = static_cast<T*>(out);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      o[i] = kSubtract ? static_cast<T>(static_cast<U>(x[i]) - static_cast<U>(y[i]))
                       : static_cast<T>(static_cast<U>(x[i]) + static_cast<U>(y[i]));
    } else {
      o[i] = kSubtract ? x[i] - y[i] : x[i] + y[i];
    }
  }
}

template <class T>
UpdateLoop pick(bool subtract) {
  return subtract ? update<T, true> : update<T, false>;
}

/// Null for dtypes without addition.
UpdateLoop update_loop(DataType dtype, bool subtract) {
  switch (dtype) {
    case DataType::kFloat: return pick<float>(subtract);
    case DataType::kDouble: return pick<double>(subtract);
    case DataType::kHalf: return pick<Eigen::half>(subtract);
    case DataType::kBfloat16: return pick<Eigen::bfloat16>(subtract);
    case DataType::kComplex64: return pick<std::complex<float>>(subtract);
    case DataType::kComplex128: return pick<std::complex<double>>(subtract);
    case DataType::kInt8: return pick<int8_t>(subtract);
    case DataType::kInt16: return pick<int16_t>(subtract);
    case DataType::kInt32: return pick<int32_t>(subtract);
    case DataType::kInt64: return pick<int64_t>(subtract);
    case DataType::kUint8: return pick<uint8_t>(subtract);
    case DataType::kUint16: return pick<uint16_t>(subtract);
    case DataType::kUint32: return pick<uint32_t>(subtract);
    case DataType::kUint64: return pick<uint64_t>(subtract);
    default: return nullptr;
  }
}

}  // namespace

const std::vector<DataType>& update_dtypes() {
  static const auto* list = [] {
    auto* v = new std::vector<DataType>;
    for (DataType t : all_dtypes()) {
      if (update_loop(t, false) != nullptr) v->push_back(t);
    }
    return v;
  }();
  return *list;
}

absl::Status update_tensor(KernelContext& context, bool subtract, const Tensor& value, Tensor* target) {
  const UpdateLoop loop = update_loop(target->dtype(), subtract);
  const int64_t n = target->num_elements();
  Tensor out;
  if (target->unique()) {
    out = *target;
  } else {
    TROUPE_ASSIGN_OR_RETURN(out, context.allocate_temp(target->dtype(), target->shape()));
  }
  const size_t size = dtype_size(target->dtype());
  char* o = static_cast<char*>(out.raw());
  const char* a = static_cast<const char*>(target->raw());
  const char* b = static_cast<const char*>(value.raw());
  context.parallel().parallel_for(n, 1, [&](int64_t begin, int64_t end) {
    const size_t at = static_cast<size_t>(begin) * size;
    loop(o + at, a + at, b + at, end - begin);
  });
  *target = std::move(out);
  return absl::OkStatus();
}

absl::StatusOr<Tensor> count_up(const Tensor& counter, int64_t limit) {
  if (!counter.initialized())
    return absl::FailedPreconditionError("Attempting to count with an uninitialized value");
  if (counter.rank() != 0) {
    return absl::InvalidArgumentError("input is not a scalar: " + counter.shape().to_string());
  }
  const bool is_wide = counter.dtype() == DataType::kInt64;
  if (!is_wide && counter.dtype() != DataType::kInt32) {
    return absl::InvalidArgumentError("cannot count in dtype " + dtype_name(counter.dtype()));
  }
  const int64_t now = is_wide ? counter.value<int64_t>() : counter.value<int32_t>();
  const int64_t most = is_wide ? INT64_MAX : INT32_MAX;
  if (now >= limit || now >= most) return absl::OutOfRangeError(absl::StrCat("Reached limit of ", limit));
  return is_wide ? Tensor::scalar<int64_t>(now + 1) : Tensor::scalar<int32_t>(static_cast<int32_t>(now + 1));
}

}  // namespace troupe
