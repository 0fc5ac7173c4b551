// Order: TopK, NthElement, InTopK, LowerBound, UpperBound, Bucketize.
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "devices/common/array/order_checks.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

template <class Bits, class T>
Bits float_key(T v) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const Bits bits = v == 0 ? 0 : std::bit_cast<Bits>(v);
  const Bits key = (bits & kSign) != 0 ? ~bits : bits | kSign;
  return std::isnan(v) ? 0 : key;
}

/// Numbers turned into unsigned ones of the same order, so that one loop serves all dtypes; those of up to four bytes into ones of 32 bits. -0 equals 0, NaN
/// is below everything.
template <class T>
uint64_t order_key(T v) {
  if constexpr (std::is_same_v<T, float>) {
    return float_key<uint32_t>(v);
  } else if constexpr (std::is_same_v<T, double>) {
    return float_key<uint64_t>(v);
  } else if constexpr (std::is_signed_v<T> && sizeof(T) <= 4) {
    return static_cast<uint32_t>(static_cast<int32_t>(v)) ^ uint32_t { 1 } << 31;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(v) ^ uint64_t { 1 } << 63;
  } else {
    return static_cast<uint64_t>(v);
  }
}

template <class T, class Wide = T>
void keys_of(const Tensor& t, int64_t offset, int64_t stride, int64_t n, uint64_t* keys) {
  const T* p = t.flat<T>().data() + offset;
  for (int64_t i = 0; i < n; ++i) keys[i] = order_key(static_cast<Wide>(p[i * stride]));
}

void order_keys(const Tensor& t, int64_t offset, int64_t n, uint64_t* keys, int64_t stride = 1) {
  switch (t.dtype()) {
    case DataType::kFloat: return keys_of<float>(t, offset, stride, n, keys);
    case DataType::kDouble: return keys_of<double>(t, offset, stride, n, keys);
    case DataType::kHalf: return keys_of<Eigen::half, float>(t, offset, stride, n, keys);
    case DataType::kBfloat16: return keys_of<Eigen::bfloat16, float>(t, offset, stride, n, keys);
    case DataType::kInt8: return keys_of<int8_t>(t, offset, stride, n, keys);
    case DataType::kInt16: return keys_of<int16_t>(t, offset, stride, n, keys);
    case DataType::kInt32: return keys_of<int32_t>(t, offset, stride, n, keys);
    case DataType::kInt64: return keys_of<int64_t>(t, offset, stride, n, keys);
    case DataType::kUint8: return keys_of<uint8_t>(t, offset, stride, n, keys);
    case DataType::kUint16: return keys_of<uint16_t>(t, offset, stride, n, keys);
    case DataType::kUint32: return keys_of<uint32_t>(t, offset, stride, n, keys);
    case DataType::kUint64: return keys_of<uint64_t>(t, offset, stride, n, keys);
    default: std::fill_n(keys, n, 0);
  }
}

using Ranked = std::pair<uint64_t, int64_t>;

bool larger(const Ranked& a, const Ranked& b) {
  return a.first != b.first ? a.first > b.first : a.second < b.second;
}
bool smaller(const Ranked& a, const Ranked& b) {
  return a.first != b.first ? a.first < b.first : a.second < b.second;
}

/// The first of many by a list that is kept in order: most are not better than its last.
constexpr int64_t kFew = 64;
void few_largest(const std::vector<uint64_t>& keys, int64_t k, std::vector<Ranked>* ranked) {
  ranked->assign(static_cast<size_t>(k), {0, INT64_MAX});
  const auto n = static_cast<int64_t>(keys.size());
  for (int64_t i = 0; i < n; ++i) {
    const Ranked next{keys[static_cast<size_t>(i)], i};
    if (!larger(next, ranked->back())) continue;
    auto place = ranked->end() - 1;
    for (; place != ranked->begin() && larger(next, *(place - 1)); --place) *place = *(place - 1);
    *place = next;
  }
}

/// The first k of many with keys of 32 bits: key and place are one number, of which the earlier place is the larger.
void largest_of_narrow(const std::vector<uint64_t>& keys, int64_t k, std::vector<uint64_t>* packed,
                       std::vector<Ranked>* ranked) {
  packed->resize(keys.size());
  for (size_t i = 0; i < keys.size(); ++i)
    (*packed)[i] = keys[i] << 32 | (UINT32_MAX - static_cast<uint32_t>(i));
  const auto end = packed->begin() + k;
  if (end != packed->end()) std::nth_element(packed->begin(), end, packed->end(), std::greater<>());
  std::sort(packed->begin(), end, std::greater<>());
  for (auto it = packed->begin(); it != end; ++it)
    ranked->emplace_back(*it >> 32, static_cast<int64_t>(UINT32_MAX - static_cast<uint32_t>(*it)));
}

void put_index(Tensor* t, int64_t i, int64_t value) {
  if (t->dtype() == DataType::kInt16) {
    t->flat<int16_t>()[i] = static_cast<int16_t>(value);
  } else {
    set_int(t, i, value);
  }
}

/// What is looked for along which axis.
struct TopKRequest {
  int64_t k = 0;
  int axis = 0;
  bool smallest = false;
};

absl::Status top_k(KernelContext& context, const TopKRequest& wanted) {
  const Tensor& input = context.input(0);
  const int64_t n = input.dim(wanted.axis), k = wanted.k,
                inner = count_dims(input.shape(), wanted.axis + 1, input.rank());
  Shape shape = input.shape();
  shape.set_dim(wanted.axis, k);
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(1, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  const bool is_narrow = dtype_size(input.dtype()) <= 4;
  const uint64_t all_bits = is_narrow ? UINT32_MAX : UINT64_MAX;
  context.parallel().parallel_for(input.num_elements() / n, n * 8, [&](int64_t begin, int64_t end) {
    std::vector<uint64_t> keys(static_cast<size_t>(n)), packed;
    std::vector<Ranked> ranked;
    for (int64_t r = begin; r < end; ++r) {
      const int64_t from = r / inner * n * inner + r % inner, to = r / inner * k * inner + r % inner;
      order_keys(input, from, n, keys.data(), inner);
      if (wanted.smallest) {
        for (uint64_t& key : keys) key ^= all_bits;
      }
      ranked.clear();
      if (k == 1) {
        ranked.emplace_back(0, std::max_element(keys.begin(), keys.end()) - keys.begin());
      } else if (k <= kFew && k < n / 4) {
        few_largest(keys, k, &ranked);
      } else if (is_narrow && n < UINT32_MAX) {
        largest_of_narrow(keys, k, &packed, &ranked);
      } else {
        for (int64_t i = 0; i < n; ++i) ranked.emplace_back(keys[i], i);
        if (k < n) std::nth_element(ranked.begin(), ranked.begin() + k, ranked.end(), larger);
        std::sort(ranked.begin(), ranked.begin() + k, larger);
      }
      for (int64_t j = 0; j < k; ++j) {
        put_index(indices, to + j * inner, ranked[j].second);
        copy_elements(input, from + ranked[j].second * inner, *values, to + j * inner, 1);
      }
    }
  });
  return absl::OkStatus();
}

absl::Status top_k_of_rows(KernelContext& context, int64_t k) {
  return top_k(context, {k, context.input(0).rank() - 1});
}

absl::Status top_k_v2(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t k, top_k_v2_k(context));
  return top_k_of_rows(context, k);
}

class TopK final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("k", &k_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_RETURN_IF_ERROR(check_top_k(context, k_));
    return top_k_of_rows(context, k_);
  }

 private:
  int64_t k_ = 0;
};

/// Exact, whatever recall is asked for, and always put together: k results. TensorFlow's CPU has it for the largest of the last
/// axis alone.
class ApproxTopK final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("k", &k_); }
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    axis_ = attrs.get_or<int64_t>("reduction_dimension", -1);
    smallest_ = !attrs.get_or<bool>("is_max_k", true);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const int64_t rank = input.rank(), axis = axis_ < 0 ? axis_ + rank : axis_;
    if (k_ < 0) return invalid("Need k >= 0, got ", k_);
    if (rank < 1) return invalid("input must be >= 1-D, got shape ", input.shape().to_string());
    if (axis < 0 || axis >= rank) {
      return invalid("Invalid reduction dimension: ", axis_, ". Must be within the range of [", -rank, ", ",
                     rank - 1, "]");
    }
    const int64_t n = input.dim(static_cast<int>(axis));
    if (n < k_) return invalid("input must have at least k columns. Had ", n, ", needed ", k_);
    return top_k(context, {k_, static_cast<int>(axis), smallest_});
  }

 private:
  int64_t k_ = 0, axis_ = -1;
  bool smallest_ = false;
};

class NthElement final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("reverse", &reverse_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& n_tensor = context.input(1);
    if (!is_scalar(n_tensor)) return invalid("N must be scalar but has rank ", n_tensor.rank());
    int64_t n = int_at(n_tensor, 0);
    if (n < 0) return invalid("n must be non-negative but is ", n);
    if (input.rank() < 1) return invalid("Input must be at least rank 1 but is rank 0");
    int64_t size = input.dim(input.rank() - 1);
    if (size <= n) return invalid("Input must have last dimension > n = ", n);
    Shape shape = input.shape();
    shape.remove_dim(input.rank() - 1);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    context.parallel().parallel_for(shape.num_elements(), size * 8, [&](int64_t begin, int64_t end) {
      std::vector<uint64_t> keys(static_cast<size_t>(size));
      std::vector<Ranked> ranked;
      for (int64_t r = begin; r < end; ++r) {
        order_keys(input, r * size, size, keys.data());
        ranked.clear();
        for (int64_t i = 0; i < size; ++i) ranked.emplace_back(keys[i], i);
        std::nth_element(ranked.begin(), ranked.begin() + n, ranked.end(), reverse_ ? larger : smaller);
        copy_elements(input, r * size + ranked[n].second, *out, r, 1);
      }
    });
    return absl::OkStatus();
  }

 private:
  bool reverse_ = false;
};

absl::Status in_top_k(KernelContext& context, int64_t k) {
  const Tensor& predictions = context.input(0);
  const Tensor& targets = context.input(1);
  TROUPE_RETURN_IF_ERROR(check_in_top_k(predictions, targets));
  int64_t classes = predictions.dim(1);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, targets.shape()));
  for (int64_t b = 0; b < targets.dim(0); ++b) {
    int64_t target = int_at(targets, b);
    bool known = target >= 0 && target < classes;
    const float* row = predictions.flat<float>().data() + b * classes;
    int64_t better = 0;
    if (known) {
      known = std::isfinite(row[target]);
      for (int64_t i = 0; i < classes && known && better <= k; ++i) {
        known = std::isfinite(row[i]);
        better += row[i] > row[target];
      }
    }
    out->flat<bool>()[b] = known && better < k;
  }
  return absl::OkStatus();
}

absl::Status in_top_k_v2(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t k, in_top_k_v2_k(context));
  return in_top_k(context, k);
}

class InTopK final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("k", &k_); }
  absl::Status compute(KernelContext& context) override { return in_top_k(context, k_); }

 private:
  int64_t k_ = 0;
};

absl::Status bound(KernelContext& context, bool upper) {
  const Tensor& sorted = context.input(0);
  const Tensor& values = context.input(1);
  TROUPE_RETURN_IF_ERROR(check_bounds(context));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, values.shape()));
  int64_t n = sorted.dim(1), m = values.dim(1);
  std::vector<uint64_t> rows(static_cast<size_t>(n)), wanted(static_cast<size_t>(m));
  for (int64_t b = 0; b < values.dim(0); ++b) {
    order_keys(sorted, b * n, n, rows.data());
    order_keys(values, b * m, m, wanted.data());
    for (int64_t i = 0; i < m; ++i) {
      auto at = upper ? std::upper_bound(rows.begin(), rows.end(), wanted[i])
                      : std::lower_bound(rows.begin(), rows.end(), wanted[i]);
      set_int(out, b * m + i, at - rows.begin());
    }
  }
  return absl::OkStatus();
}
absl::Status lower_bound(KernelContext& context) { return bound(context, false); }
absl::Status upper_bound(KernelContext& context) { return bound(context, true); }

class Bucketize final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("boundaries", &boundaries_); }
  absl::Status init(const KernelConstruction&) {
    if (!std::is_sorted(boundaries_.begin(), boundaries_.end())) {
      return invalid("Expected sorted boundaries");
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
    switch (input.dtype()) {
      case DataType::kFloat: sort_in(input.flat<float>(), out); break;
      case DataType::kDouble: sort_in(input.flat<double>(), out); break;
      case DataType::kInt32: sort_in(input.flat<int32_t>(), out); break;
      default: sort_in(input.flat<int64_t>(), out); break;
    }
    return absl::OkStatus();
  }

 private:
  template <class T>
  void sort_in(std::span<const T> values, Tensor* out) const {
    auto to = out->flat<int32_t>();
    for (size_t i = 0; i < values.size(); ++i) {
      auto at = std::upper_bound(boundaries_.begin(), boundaries_.end(), values[i], [](T v, float edge) {
        return v < static_cast<std::common_type_t<T, float>>(edge);
      });
      to[i] = static_cast<int32_t>(at - boundaries_.begin());
    }
  }
  std::vector<float> boundaries_;
};

}  // namespace

void register_array_sort(KernelRegistry* registry) {
  // The op has no such attr: TensorFlow 2.21 refuses every TopK by this constraint.
  registry->add(
      KernelDef("TopK").types("T", real_number_types()).types("index_type", index_types()).kernel<TopK>());
  registry->add(KernelDef("ApproxTopK")
                    .types("T", {DataType::kFloat, DataType::kHalf, DataType::kBfloat16})
                    .kernel<ApproxTopK>());
  registry->add(KernelDef("TopKV2").types("T", real_number_types()).fn(top_k_v2));
  registry->add(KernelDef("NthElement").types("T", real_number_types()).kernel<NthElement>());
  registry->add(KernelDef("InTopK").types("T", index_types()).kernel<InTopK>());
  registry->add(KernelDef("InTopKV2").types("T", index_types()).fn(in_top_k_v2));
  registry->add(KernelDef("LowerBound").types("T", real_number_types()).fn(lower_bound));
  registry->add(KernelDef("UpperBound").types("T", real_number_types()).fn(upper_bound));
  registry->add(KernelDef("Bucketize")
                    .types("T", {DataType::kInt32, DataType::kInt64, DataType::kFloat, DataType::kDouble})
                    .kernel<Bucketize>());
}

}  // namespace troupe
