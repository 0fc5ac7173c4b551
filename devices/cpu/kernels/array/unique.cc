// Kernels whose output size depends on values: Where, Unique and its versions, ListDiff.
#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Calls fn(i) for every element that is not zero. Subnormal floats count as zero, as they do in TensorFlow, which
/// computes with denormals flushed.
template <class T, class Fn>
void each_nonzero(const void* data, int64_t n, T mask, Fn&& fn) {
  const T* p = static_cast<const T*>(data);
  for (int64_t i = 0; i < n; ++i) {
    if ((p[i] & mask) != 0) fn(i);
  }
}

template <class Fn>
void each_nonzero(const Tensor& t, Fn&& fn) {
  int64_t n = t.num_elements();
  switch (t.dtype()) {
    case DataType::kFloat: return each_nonzero<uint32_t>(t.raw(), n, 0x7f800000u, fn);
    case DataType::kDouble: return each_nonzero<uint64_t>(t.raw(), n, 0x7ff0000000000000u, fn);
    case DataType::kComplex64: return each_nonzero<uint64_t>(t.raw(), n, 0x7f8000007f800000u, fn);
    case DataType::kHalf:
    case DataType::kBfloat16: return each_nonzero<uint16_t>(t.raw(), n, 0x7fffu, fn);
    case DataType::kComplex128: {
      const auto* p = static_cast<const uint64_t*>(t.raw());
      for (int64_t i = 0; i < n; ++i) {
        if (((p[2 * i] | p[2 * i + 1]) & 0x7ff0000000000000u) != 0) fn(i);
      }
      return;
    }
    default: break;
  }
  switch (dtype_size(t.dtype())) {
    case 1: return each_nonzero<uint8_t>(t.raw(), n, 0xffu, fn);
    case 2: return each_nonzero<uint16_t>(t.raw(), n, 0xffffu, fn);
    case 4: return each_nonzero<uint32_t>(t.raw(), n, ~uint32_t{0}, fn);
    default: return each_nonzero<uint64_t>(t.raw(), n, ~uint64_t{0}, fn);
  }
}

absl::Status where(KernelContext& context) {
  const Tensor& input = context.input(0);
  int rank = input.rank();
  if (rank == 0) return invalid("WhereOp : Unhandled input dimensions: 0");
  int64_t count = 0;
  each_nonzero(input, [&](int64_t) { ++count; });
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{count, rank}));
  int64_t* to = out->flat<int64_t>().data();
  if (rank == 1) {
    each_nonzero(input, [&](int64_t i) { *to++ = i; });
    return absl::OkStatus();
  }
  Indices strides = strides_of(input.shape());
  each_nonzero(input, [&](int64_t i) {
    for (int d = 0; d < rank; ++d) {
      *to++ = i / strides[d];
      i %= strides[d];
    }
  });
  return absl::OkStatus();
}

/// What a dtype's numbers have besides their size: the sign of a float, and the bits that only NaN exceeds; no sign, and all bits, for others.
struct NumberBits {
  uint64_t sign = 0;
  uint64_t infinity = ~uint64_t{0};
};

NumberBits bits_of(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat: return {0x80000000u, 0x7f800000u};
    case DataType::kDouble: return {uint64_t{1} << 63, 0x7ff0000000000000u};
    case DataType::kHalf: return {0x8000u, 0x7c00u};
    case DataType::kBfloat16: return {0x8000u, 0x7f80u};
    default: return {};
  }
}

/// A number's bits such that equal numbers have equal bits; false for NaN, which equals nothing.
bool canonical_bits(DataType dtype, const void* element, uint64_t* bits) {
  *bits = 0;
  std::memcpy(bits, element, std::min<size_t>(dtype_size(dtype), 8));
  const NumberBits in = bits_of(dtype);
  if (in.sign != 0 && *bits == in.sign) *bits = 0;
  return (*bits & ~in.sign) <= in.infinity;
}

/// Numbers the distinct items 0, 1, ... by first occurrence.
class Numbering {
 public:
  /// `ids` gets the number of each of the n items; returns the positions of first occurrences.
  static std::vector<int64_t> of_elements(const Tensor& x, std::vector<int64_t>* ids) {
    int64_t n = x.num_elements();
    std::vector<int64_t> firsts;
    ids->resize(static_cast<size_t>(n));
    if (x.dtype() == DataType::kString) {
      absl::flat_hash_map<absl::string_view, int64_t> seen;
      auto values = x.flat<TString>();
      for (int64_t i = 0; i < n; ++i) {
        auto [it, fresh] = seen.try_emplace(values[i].view(), firsts.size());
        (*ids)[i] = it->second;
        if (fresh) firsts.push_back(i);
      }
      return firsts;
    }
    switch (dtype_size(x.dtype())) {
      case 1: return of_numbers<uint8_t>(x, ids);
      case 2: return of_numbers<uint16_t>(x, ids);
      case 4: return of_numbers<uint32_t>(x, ids);
      default: return of_numbers<uint64_t>(x, ids);
    }
  }

  /// The same for the slices along an axis.
  static std::vector<int64_t> of_slices(const Tensor& x, int axis, std::vector<int64_t>* ids) {
    int64_t n = x.dim(axis);
    int64_t outer = count_dims(x.shape(), 0, axis), inner = count_dims(x.shape(), axis + 1, x.rank());
    std::vector<int64_t> firsts;
    ids->resize(static_cast<size_t>(n));
    absl::flat_hash_map<std::string, int64_t> seen;
    for (int64_t i = 0; i < n; ++i) {
      std::string key;
      bool comparable = true;
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t k = 0; k < inner; ++k) comparable &= append_key(x, (o * n + i) * inner + k, &key);
      }
      if (!comparable) {
        (*ids)[i] = static_cast<int64_t>(firsts.size());
        firsts.push_back(i);
        continue;
      }
      auto [it, fresh] = seen.try_emplace(std::move(key), firsts.size());
      (*ids)[i] = it->second;
      if (fresh) firsts.push_back(i);
    }
    return firsts;
  }

 private:
  /// Of numbers that are as large as `Bits`.
  template <class Bits>
  static std::vector<int64_t> of_numbers(const Tensor& x, std::vector<int64_t>* ids) {
    const NumberBits in = bits_of(x.dtype());
    const auto sign = static_cast<Bits>(in.sign), infinity = static_cast<Bits>(in.infinity);
    const auto* const p = static_cast<const Bits*>(x.raw());
    std::vector<int64_t> firsts;
    absl::flat_hash_map<Bits, int64_t> seen;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const Bits bits = sign != 0 && p[i] == sign ? Bits{0} : p[i];
      bool fresh = true;
      // NaN equals nothing.
      if (static_cast<Bits>(bits & ~sign) <= infinity) {
        const auto [it, added] = seen.try_emplace(bits, firsts.size());
        (*ids)[i] = it->second;
        fresh = added;
      } else {
        (*ids)[i] = static_cast<int64_t>(firsts.size());
      }
      if (fresh) firsts.push_back(i);
    }
    return firsts;
  }

  static bool append_key(const Tensor& x, int64_t i, std::string* key) {
    uint64_t bits;
    bool comparable = true;
    absl::string_view text;
    if (x.dtype() == DataType::kString) {
      text = x.flat<TString>()[i].view();
      bits = text.size();
    } else {
      comparable = canonical_bits(x.dtype(), element_at(x, i), &bits);
    }
    key->append(reinterpret_cast<const char*>(&bits), sizeof(bits));
    key->append(text.data(), text.size());
    return comparable;
  }
};

/// The axis of UniqueV2, or -1 for none.
absl::StatusOr<int> unique_axis(const Tensor& x, const Tensor* axis_tensor) {
  if (axis_tensor != nullptr) {
    if (!is_vector(*axis_tensor)) return invalid("axis expects a 1D vector.");
    if (axis_tensor->dim(0) > 1) return invalid("axis does not support input tensors larger than 1 elements");
  }
  if (axis_tensor == nullptr || axis_tensor->dim(0) == 0) {
    if (!is_vector(x)) return invalid("unique expects a 1D vector.");
    return -1;
  }
  int64_t axis = int_at(*axis_tensor, 0);
  if (axis < 0) axis += x.rank();
  if (axis < 0 || axis >= x.rank()) return invalid("axis has to be between [0, ", x.rank(), ")");
  return static_cast<int>(axis);
}

absl::Status unique_any(KernelContext& context, bool has_axis, bool has_counts) {
  const Tensor& x = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(int axis, unique_axis(x, has_axis ? &context.input(1) : nullptr));
  if (x.num_elements() > INT32_MAX)
    return invalid("unique does not support input tensors larger than ", INT32_MAX, " elements");
  std::vector<int64_t> ids;
  std::vector<int64_t> firsts =
      axis < 0 || x.rank() == 1 ? Numbering::of_elements(x, &ids) : Numbering::of_slices(x, axis, &ids);
  if (axis < 0) axis = 0;
  int64_t count = static_cast<int64_t>(firsts.size());
  Shape shape = x.shape();
  shape.set_dim(axis, count);
  TROUPE_ASSIGN_OR_RETURN(Tensor * y, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Tensor * idx, context.allocate_output(1, Shape{static_cast<int64_t>(ids.size())}));
  for (size_t i = 0; i < ids.size(); ++i) set_int(idx, static_cast<int64_t>(i), ids[i]);
  if (has_counts) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * counts, context.allocate_output(2, Shape{count}));
    for (int64_t i = 0; i < count; ++i) set_int(counts, i, 0);
    for (int64_t id : ids) set_int(counts, id, int_at(*counts, id) + 1);
  }
  if (shape.num_elements() == 0) return absl::OkStatus();
  int64_t outer = count_dims(shape, 0, axis), inner = count_dims(shape, axis + 1, shape.rank());
  int64_t n = x.dim(axis);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < count; ++i)
      copy_elements(x, (o * n + firsts[i]) * inner, *y, (o * count + i) * inner, inner);
  }
  return absl::OkStatus();
}

absl::Status unique(KernelContext& context) { return unique_any(context, false, false); }
absl::Status unique_v2(KernelContext& context) { return unique_any(context, true, false); }
absl::Status unique_with_counts(KernelContext& context) { return unique_any(context, false, true); }
absl::Status unique_with_counts_v2(KernelContext& context) { return unique_any(context, true, true); }

absl::Status list_diff(KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  if (!is_vector(x)) return invalid("x should be a 1D vector.");
  if (!is_vector(y)) return invalid("y should be a 1D vector.");
  std::vector<int64_t> kept;
  int64_t n = x.dim(0), m = y.dim(0);
  if (x.dtype() == DataType::kString) {
    absl::flat_hash_set<absl::string_view> gone;
    for (const TString& s : y.flat<TString>()) gone.insert(s.view());
    for (int64_t i = 0; i < n; ++i) {
      if (!gone.contains(x.flat<TString>()[i].view())) kept.push_back(i);
    }
  } else {
    absl::flat_hash_set<uint64_t> gone;
    uint64_t bits;
    for (int64_t i = 0; i < m; ++i) {
      if (canonical_bits(y.dtype(), element_at(y, i), &bits)) gone.insert(bits);
    }
    for (int64_t i = 0; i < n; ++i) {
      if (!canonical_bits(x.dtype(), element_at(x, i), &bits) || !gone.contains(bits)) kept.push_back(i);
    }
  }
  Shape shape{static_cast<int64_t>(kept.size())};
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Tensor * idx, context.allocate_output(1, shape));
  for (size_t i = 0; i < kept.size(); ++i) {
    copy_elements(x, kept[i], *out, static_cast<int64_t>(i), 1);
    set_int(idx, static_cast<int64_t>(i), kept[i]);
  }
  return absl::OkStatus();
}

}  // namespace

void register_array_unique(KernelRegistry* registry) {
  auto listed = with(real_number_types(), {DataType::kString});
  auto types = with(listed, {DataType::kBool});
  registry->add(KernelDef("Where").types("T", pod_types()).fn(where));
  registry->add(KernelDef("Unique").types("T", types).types("out_idx", index_types()).fn(unique));
  registry->add(KernelDef("UniqueV2").types("T", types).types("out_idx", index_types()).fn(unique_v2));
  registry->add(
      KernelDef("UniqueWithCounts").types("T", types).types("out_idx", index_types()).fn(unique_with_counts));
  registry->add(KernelDef("UniqueWithCountsV2")
                    .types("T", types)
                    .types("out_idx", index_types())
                    .fn(unique_with_counts_v2));
  registry->add(KernelDef("ListDiff").types("T", listed).types("out_idx", index_types()).fn(list_diff));
}

}  // namespace troupe
