// Ragged tensors: RaggedRange, RaggedGather, RaggedTensorToSparse.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Elements of start, start + delta, ... before limit; -1 when there are 2^63 or more.
template <class T>
int64_t range_size(T start, T limit, T delta) {
  if ((delta > T(0) && limit < start) || (delta < T(0) && limit > start)) return 0;
  if constexpr (std::is_integral_v<T>) {
    const auto distance = limit < start ? static_cast<uint64_t>(start) - static_cast<uint64_t>(limit)
                                        : static_cast<uint64_t>(limit) - static_cast<uint64_t>(start);
    const uint64_t step =
        delta < 0 ? uint64_t{0} - static_cast<uint64_t>(delta) : static_cast<uint64_t>(delta);
    const uint64_t size = distance / step + (distance % step != 0 ? 1 : 0);
    return size >> 63 != 0 ? -1 : static_cast<int64_t>(size);
  } else {
    const double size = std::ceil(
        std::abs((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta)));
    return size < 0x1p63 ? static_cast<int64_t>(size) : -1;
  }
}

template <class T>
T next_value(T value, T delta) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(value) + static_cast<uint64_t>(delta));
  } else {
    return static_cast<T>(value + delta);
  }
}

template <class T>
absl::Status ragged_range(KernelContext& context) {
  constexpr const char* kNames[] = {"starts", "limits", "deltas"};
  int64_t rows = -1;
  for (int i = 0; i < 3; ++i) {
    const Tensor& t = context.input(i);
    if (t.rank() > 1) return invalid(kNames[i], " must be a scalar or vector");
    if (t.rank() == 0) continue;
    if (rows >= 0 && rows != t.dim(0)) return invalid("starts, limits, and deltas must have the same shape");
    rows = t.dim(0);
  }
  if (rows < 0) rows = 1;
  auto value = [&](int i, int64_t row) {
    const Tensor& t = context.input(i);
    return t.flat<T>()[t.rank() == 0 ? 0 : row];
  };
  const bool narrow = context.output_type(0) == DataType::kInt32;
  const int64_t most = narrow ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  TROUPE_ASSIGN_OR_RETURN(Tensor * splits, context.allocate_output(0, Shape{rows + 1}));
  int64_t total = 0;
  set_int(splits, 0, 0);
  for (int64_t r = 0; r < rows; ++r) {
    if (value(2, r) == T(0)) return invalid("Requires delta != 0");
    const int64_t size = range_size<T>(value(0, r), value(1, r), value(2, r));
    if (size < 0 || size > most - total) return invalid("Requires ((limit - start) / delta) <= ", most);
    total += size;
    set_int(splits, r + 1, total);
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, Shape{total}));
  T* to = values->flat<T>().data();
  for (int64_t r = 0; r < rows; ++r) {
    T v = value(0, r);
    const T delta = value(2, r);
    for (int64_t n = int_at(*splits, r + 1) - int_at(*splits, r); n > 0; --n) {
      *to++ = v;
      v = next_value(v, delta);
    }
  }
  return absl::OkStatus();
}

/// Splits of one level over `length` elements of the next.
absl::Status check_splits(const Tensor& splits, int64_t length, bool exact) {
  if (!is_vector(splits) || splits.dim(0) == 0)
    return invalid(
        "Invalid ragged splits: ragged splits must be a vector and have at least one splits, but is empty");
  if (int_at(splits, 0) != 0 && exact) return invalid("First value of ragged splits must be 0.");
  if (int_at(splits, 0) < 0) return invalid("Ragged splits must be non-negative");
  for (int64_t i = 1; i < splits.dim(0); ++i) {
    if (int_at(splits, i) < int_at(splits, i - 1)) {
      return invalid("Ragged splits should be non decreasing, but we got ", int_at(splits, i - 1),
                     " followed by ", int_at(splits, i));
    }
  }
  const int64_t last = int_at(splits, splits.dim(0) - 1);
  if (last > length && !exact) return invalid("Ragged splits must not point past values");
  if (last != length && exact)
    return invalid("Final value of ragged splits must match the length the corresponding ragged values.");
  return absl::OkStatus();
}

/// Inputs [first, first + levels) are splits, each over the rows of the next; the last over the rows of
/// `values`.
absl::Status check_nested(KernelContext& context, int first, int levels, const Tensor& values, bool exact) {
  if (values.rank() < 1) return invalid("Ragged values must have a rank of at least 1");
  for (int k = 0; k < levels; ++k) {
    const bool innermost = k + 1 == levels;
    const Tensor& next = innermost ? values : context.input(first + k + 1);
    if (!innermost && (!is_vector(next) || next.dim(0) == 0))
      return invalid("Invalid ragged splits: they must be vectors of at least one element");
    TROUPE_RETURN_IF_ERROR(
        check_splits(context.input(first + k), innermost ? values.dim(0) : next.dim(0) - 1, exact));
  }
  return absl::OkStatus();
}

int64_t row_elements(const Tensor& values) { return count_dims(values.shape(), 1, values.rank()); }

class RaggedGather final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("PARAMS_RAGGED_RANK", &levels_); }

  absl::Status compute(KernelContext& context) override {
    const int levels = static_cast<int>(levels_);
    const Tensor &values = context.input(levels), &indices = context.input(levels + 1);
    const int out_levels = context.num_outputs() - 1;
    if (out_levels != levels + indices.rank() - 1) {
      return invalid("Expected OUTPUT_RAGGED_RANK to be ", levels + indices.rank() - 1, " but got ",
                     out_levels);
    }
    TROUPE_RETURN_IF_ERROR(check_nested(context, 0, levels, values, false));
    const int64_t rows = context.input(0).dim(0) - 1;
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      const int64_t index = int_at(indices, i);
      if (index < 0 || index >= rows)
        return invalid("indices", position(indices, i), " = ", index, " is not in [0, ", rows, ")");
      ranges.emplace_back(index, index + 1);
    }
    int out = 0;
    TROUPE_RETURN_IF_ERROR(write_uniform(context, indices, &out));
    for (int k = 0; k < levels; ++k) {
      // The row that a scalar picks is no dimension of the result.
      const bool skip = k == 0 && indices.rank() == 0;
      TROUPE_RETURN_IF_ERROR(descend(context, context.input(k), skip ? -1 : out, &ranges));
      if (!skip) ++out;
    }
    int64_t total = 0;
    for (auto [begin, end] : ranges) total += end - begin;
    std::vector<int64_t> dims = values.shape().to_vector();
    dims[0] = total;
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * result, context.allocate_output(out, shape));
    const int64_t width = row_elements(values);
    int64_t at = 0;
    for (auto [begin, end] : ranges) {
      copy_elements(values, begin * width, *result, at, (end - begin) * width);
      at += (end - begin) * width;
    }
    return absl::OkStatus();
  }

 private:
  static std::string position(const Tensor& indices, int64_t i) {
    Indices strides = strides_of(indices.shape());
    std::string text = "[";
    for (int d = 0; d < indices.rank(); ++d)
      absl::StrAppend(&text, d > 0 ? "," : "", i / strides[d] % indices.dim(d));
    return text + "]";
  }

  /// The inner dimensions of `indices`, which are uniform.
  static absl::Status write_uniform(KernelContext& context, const Tensor& indices, int* out) {
    int64_t count = 1;
    for (int d = 0; d + 1 < indices.rank(); ++d) {
      count *= indices.dim(d);
      TROUPE_ASSIGN_OR_RETURN(Tensor * splits, context.allocate_output((*out)++, Shape{count + 1}));
      for (int64_t i = 0; i <= count; ++i) set_int(splits, i, i * indices.dim(d + 1));
    }
    return absl::OkStatus();
  }

  /// Writes the splits of all rows in the ranges, unless `out` is -1, and turns the ranges into those of the
  /// next level.
  static absl::Status descend(KernelContext& context, const Tensor& splits, int out,
                              std::vector<std::pair<int64_t, int64_t>>* ranges) {
    int64_t rows = 0;
    for (auto [begin, end] : *ranges) {
      if (__builtin_add_overflow(rows, end - begin, &rows)) return invalid("Too many rows");
    }
    Tensor* result = nullptr;
    if (out >= 0) {
      TROUPE_ASSIGN_OR_RETURN(result, context.allocate_output(out, Shape{rows + 1}));
      set_int(result, 0, 0);
    }
    int64_t at = 0, row = 0;
    for (auto& [begin, end] : *ranges) {
      for (int64_t r = begin; r < end; ++r) {
        if (__builtin_add_overflow(at, int_at(splits, r + 1) - int_at(splits, r), &at))
          return invalid("Too many values");
        if (result != nullptr) set_int(result, ++row, at);
      }
      begin = int_at(splits, begin);
      end = int_at(splits, end);
    }
    if (out >= 0 && result->dtype() == DataType::kInt32 && at > std::numeric_limits<int32_t>::max())
      return invalid("Too many values for int32 splits");
    return absl::OkStatus();
  }

  int64_t levels_ = 1;
};

absl::Status ragged_to_sparse(KernelContext& context) {
  const int levels = context.num_inputs() - 1;
  const Tensor& values = context.input(levels);
  TROUPE_RETURN_IF_ERROR(check_nested(context, 0, levels, values, true));
  const int rank = levels + values.rank();
  const int64_t total = values.num_elements(), width = row_elements(values);
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(0, Shape{total, rank}));
  context.set_output(1, values.reshaped(Shape{total}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * shape, context.allocate_output(2, Shape{rank}));
  auto dims = shape->flat<int64_t>();
  dims[0] = context.input(0).dim(0) - 1;
  for (int k = 0; k < levels; ++k) {
    const Tensor& splits = context.input(k);
    dims[k + 1] = 0;
    for (int64_t i = 1; i < splits.dim(0); ++i)
      dims[k + 1] = std::max(dims[k + 1], int_at(splits, i) - int_at(splits, i - 1));
  }
  for (int d = 1; d < values.rank(); ++d) dims[levels + d] = values.dim(d);
  Indices strides = strides_of(values.shape());
  std::vector<int64_t> row(static_cast<size_t>(levels), 0);  // of each level that holds the present value
  int64_t* to = indices->flat<int64_t>().data();
  for (int64_t v = 0; width > 0 && v < values.dim(0); ++v) {
    int64_t inner = v;
    std::vector<int64_t> place(static_cast<size_t>(levels) + 1);
    for (int k = levels - 1; k >= 0; --k) {
      const Tensor& splits = context.input(k);
      while (inner >= int_at(splits, row[k] + 1)) ++row[k];
      place[k + 1] = inner - int_at(splits, row[k]);
      inner = row[k];
    }
    place[0] = inner;
    for (int64_t w = 0; w < width; ++w) {
      to = std::copy(place.begin(), place.end(), to);
      for (int d = 1; d < values.rank(); ++d) *to++ = w / strides[d] % values.dim(d);
    }
  }
  return absl::OkStatus();
}

template <class... Ts>
void add_ranges(KernelRegistry* registry) {
  (registry->add(KernelDef("RaggedRange").type<Ts>("T").fn(ragged_range<Ts>)), ...);
}

}  // namespace

void register_ragged_tensors(KernelRegistry* registry) {
  add_ranges<float, double, int32_t, int64_t>(registry);
  registry->add(KernelDef("RaggedGather").kernel<RaggedGather>());
  registry->add(KernelDef("RaggedTensorToSparse").fn(ragged_to_sparse));
}

}  // namespace troupe
