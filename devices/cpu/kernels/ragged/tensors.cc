// Ragged tensors: RaggedRange, RaggedGather, RaggedTensorToTensor, RaggedTensorToSparse.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
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

/// Ragged rows laid out in a box and filled up with a default.
class RaggedTensorToTensor final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(auto types, c.attr<std::vector<std::string>>("row_partition_types"));
    for (size_t i = 0; i < types.size(); ++i) {
      if (types[i] == "FIRST_DIM_SIZE" && i == 0) {
        has_first_ = true;
      } else if (types[i] == "ROW_SPLITS") {
        partitions_.push_back(Partition::kSplits);
      } else if (types[i] == "VALUE_ROWIDS") {
        partitions_.push_back(Partition::kRowIds);
      } else if (types[i] == "FIRST_DIM_SIZE" || types[i] == "ROW_LENGTHS" || types[i] == "ROW_LIMITS" ||
                 types[i] == "ROW_STARTS") {
        return invalid("Unsupported row partition type: ", types[i]);
      } else {
        return invalid("Unknown string for partition info type: ", types[i]);
      }
    }
    if (partitions_.empty()) return invalid("row_partition_types must hold at least one row partition");
    if (!has_first_ && partitions_[0] == Partition::kRowIds) {
      return invalid("Cannot handle VALUE_ROWIDS in first dimension.");
    }
    if (c.num_inputs() != 3 + static_cast<int>(types.size()))
      return invalid("Expected one row partition tensor per type");
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& values = context.input(1);
    if (values.rank() < 1) return invalid("Ragged values must have a rank of at least 1");
    TROUPE_ASSIGN_OR_RETURN(std::vector<int64_t> dims, natural_dims(context, values));
    TROUPE_RETURN_IF_ERROR(apply_shape(context.input(0), &dims));
    TROUPE_RETURN_IF_ERROR(check_default(context.input(2), values));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    fill_default(context, context.input(2), values, out);
    TROUPE_ASSIGN_OR_RETURN(std::vector<int64_t> places, place_rows(context, shape, values));
    const int64_t width = row_elements(values);
    const auto count = std::min<int64_t>(static_cast<int64_t>(places.size()), values.dim(0));
    for (int64_t i = 0; i < count; ++i) {
      if (places[i] >= 0) copy_elements(values, i * width, *out, places[i] * width, width);
    }
    return absl::OkStatus();
  }

 private:
  enum class Partition { kSplits, kRowIds };
  int first_partition() const { return has_first_ ? 4 : 3; }

  /// Size of the first dimension, longest row of every partition, inner dimensions of the values.
  absl::StatusOr<std::vector<int64_t>> natural_dims(KernelContext& context, const Tensor& values) const {
    std::vector<int64_t> dims;
    if (has_first_) {
      if (!is_scalar(context.input(3))) return invalid("FIRST_DIM_SIZE must be a scalar");
      dims.push_back(int_at(context.input(3), 0));
      if (dims[0] < 0) return invalid("FIRST_DIM_SIZE must not be negative, got ", dims[0]);
    }
    for (size_t p = 0; p < partitions_.size(); ++p) {
      const Tensor& t = context.input(first_partition() + static_cast<int>(p));
      if (!is_vector(t)) return invalid("Row partitions must be vectors, got shape ", t.shape().to_string());
      int64_t widest = 0;
      if (partitions_[p] == Partition::kSplits) {
        if (t.dim(0) == 0) return invalid("Invalid row split size.");
        if (dims.empty()) dims.push_back(t.dim(0) - 1);
        for (int64_t i = 1; i < t.dim(0); ++i) {
          if (int_at(t, i - 1) < 0 || int_at(t, i) < int_at(t, i - 1))
            return invalid("Invalid row split size.");
          widest = std::max(widest, int_at(t, i) - int_at(t, i - 1));
        }
      } else {
        for (int64_t i = 0, run = 0; i < t.dim(0); ++i) {
          run = i > 0 && int_at(t, i) == int_at(t, i - 1) ? run + 1 : 1;
          widest = std::max(widest, run);
        }
      }
      dims.push_back(widest);
    }
    for (int d = 1; d < values.rank(); ++d) dims.push_back(values.dim(d));
    return dims;
  }

  /// What the caller wants of the shape; -1 leaves a dimension as it is.
  absl::Status apply_shape(const Tensor& wanted, std::vector<int64_t>* dims) const {
    if (is_scalar(wanted)) {
      if (int_at(wanted, 0) == -1) return absl::OkStatus();
      return invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1.");
    }
    if (!is_vector(wanted))
      return invalid("shape must be a scalar or a vector, got shape ", wanted.shape().to_string());
    Indices sizes = ints_of(wanted);
    auto text = [&] {
      std::vector<std::string> parts;
      for (int64_t s : sizes) parts.push_back(s < 0 ? "?" : absl::StrCat(s));
      return absl::StrCat("[", absl::StrJoin(parts, ","), "]");
    };
    if (sizes.size() != dims->size()) {
      return invalid("rt_input.shape and shape=", text(), " are incompatible: rt_input.rank = ", dims->size(),
                     " but shape.rank = ", sizes.size());
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] < -1) return invalid("Dimension ", sizes[d], " must be >= -1");
      if (sizes[d] < 0) continue;
      if (d > partitions_.size() && sizes[d] != (*dims)[d]) {
        return invalid("rt_input.shape and shape=", text(), " are incompatible: rt_input.shape[", d,
                       "] = ", (*dims)[d], " but shape[", d, "] = ", sizes[d]);
      }
      (*dims)[d] = sizes[d];
    }
    return absl::OkStatus();
  }

  static absl::Status check_default(const Tensor& value, const Tensor& values) {
    auto prefix = [&] {
      return absl::StrCat("default_value.shape=", value.shape().to_string(),
                          " and rt_input.flat_values.shape=", values.shape().to_string(),
                          " are incompatible: ");
    };
    if (value.rank() >= values.rank()) {
      return invalid(prefix(), "default_value.rank = ", value.rank(),
                     "  must be less than rt_input.flat_values.rank = ", values.rank());
    }
    for (int d = 0; d < value.rank(); ++d) {
      const int64_t size = value.dim(value.rank() - 1 - d), inner = values.dim(values.rank() - 1 - d);
      if (size != 1 && size != inner) {
        return invalid(prefix(), "default_value.shape[", value.rank() - 1 - d, "] = ", size,
                       " but rt_input.flat_values.shape[", values.rank() - 1 - d, "] = ", inner);
      }
    }
    return absl::OkStatus();
  }

  static void fill_default(KernelContext& context, const Tensor& value, const Tensor& values, Tensor* out) {
    if (value.num_elements() == 1) {
      fill_flat(context.parallel(), out->dtype(), value.raw(), out->raw(), out->num_elements());
      return;
    }
    Indices strides = strides_of(value.shape());
    const int64_t width = row_elements(values);
    Box box;
    box.add(out->num_elements() / width, 0, width);
    int64_t to = width;
    for (int d = 1; d < values.rank(); ++d) {
      to /= values.dim(d);
      const int own = d - (values.rank() - value.rank());
      box.add(values.dim(d), own < 0 || value.dim(own) == 1 ? 0 : strides[own], to);
    }
    copy_box(context.parallel(), out->dtype(), box, value.raw(), out->raw());
  }

  /// Rows of partition p that the next one, or the values, can refer to.
  absl::StatusOr<int64_t> useful_rows(KernelContext& context, size_t p, const Tensor& values) const {
    if (p + 1 == partitions_.size()) return values.dim(0);
    const Tensor& next = context.input(first_partition() + static_cast<int>(p) + 1);
    int64_t rows = next.dim(0);
    if (partitions_[p + 1] == Partition::kRowIds) {
      rows = 0;
      for (int64_t id : ints_of(next)) rows = std::max(rows, id < INT64_MAX ? id + 1 : id);
    }
    constexpr int64_t kMaxRows = int64_t{1} << 28;
    if (rows > kMaxRows)
      return absl::ResourceExhaustedError(absl::StrCat("Row partitions of ", rows, " rows are too long"));
    return rows;
  }

  /// Where in the output each row of the values goes, in rows; -1 for those that are cut off.
  absl::StatusOr<std::vector<int64_t>> place_rows(KernelContext& context, const Shape& shape,
                                                  const Tensor& values) const {
    const Tensor& first = context.input(first_partition());
    int64_t rows = has_first_ ? int_at(context.input(3), 0) : first.dim(0) - 1;
    std::vector<int64_t> places;
    int64_t stride = 1;
    for (size_t d = 1; d <= partitions_.size(); ++d) stride *= shape.dim(static_cast<int>(d));
    // Rows past what the next partition can use need no place.
    rows = std::min(rows,
                    partitions_[0] == Partition::kSplits ? first.dim(0) : std::max(shape.dim(0), int64_t{0}));
    for (int64_t i = 0; i < rows; ++i) places.push_back(i < shape.dim(0) ? i * stride : -1);
    const int64_t parents = has_first_ ? int_at(context.input(3), 0) : first.dim(0) - 1;
    int64_t expected = parents;
    for (size_t p = 0; p < partitions_.size(); ++p) {
      const Tensor& t = context.input(first_partition() + static_cast<int>(p));
      const int64_t size = shape.dim(static_cast<int>(p) + 1);
      stride /= size;
      const bool innermost = p + 1 == partitions_.size();
      TROUPE_ASSIGN_OR_RETURN(const int64_t limit, useful_rows(context, p, values));
      std::vector<int64_t> next;
      if (partitions_[p] == Partition::kSplits) {
        if (t.dim(0) - 1 != expected) return invalid("Invalid row split size.");
        for (int64_t r = 0; r + 1 < t.dim(0); ++r) {
          const int64_t length = int_at(t, r + 1) - int_at(t, r);
          for (int64_t k = 0; k < length && static_cast<int64_t>(next.size()) < limit; ++k) {
            next.push_back(places[r] >= 0 && k < size ? places[r] + k * stride : -1);
          }
        }
        expected = int_at(t, t.dim(0) - 1);
      } else {
        if (innermost && t.dim(0) != values.dim(0))
          return invalid("Invalid row ids size: ", t.dim(0), " for ", values.dim(0), " values");
        for (int64_t i = 0, k = 0; i < t.dim(0); ++i) {
          const int64_t row = int_at(t, i);
          if (row < 0 || row >= expected)
            return invalid("Got next_value_rowid=", row, " which is not less than ", expected);
          k = i > 0 && row == int_at(t, i - 1) ? k + 1 : 0;
          const int64_t parent = row < static_cast<int64_t>(places.size()) ? places[row] : -1;
          next.push_back(parent >= 0 && k < size ? parent + k * stride : -1);
        }
        expected = t.dim(0);
      }
      places = std::move(next);
    }
    return places;
  }

  bool has_first_ = false;
  std::vector<Partition> partitions_;
};

template <class... Ts>
void add_ranges(KernelRegistry* registry) {
  (registry->add(KernelDef("RaggedRange").type<Ts>("T").fn(ragged_range<Ts>)), ...);
}

}  // namespace

void register_ragged_tensors(KernelRegistry* registry) {
  add_ranges<float, double, int32_t, int64_t>(registry);
  registry->add(KernelDef("RaggedGather").kernel<RaggedGather>());
  registry->add(KernelDef("RaggedTensorToSparse").fn(ragged_to_sparse));
  registry->add(KernelDef("RaggedTensorToTensor").kernel<RaggedTensorToTensor>());
}

}  // namespace troupe
