// RaggedTensorToTensor.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

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
    const int64_t width = count_dims(values.shape(), 1, values.rank());
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
    const int64_t width = count_dims(values.shape(), 1, values.rank());
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

}  // namespace

void register_ragged_to_tensor(KernelRegistry* registry) {
  registry->add(KernelDef("RaggedTensorToTensor").kernel<RaggedTensorToTensor>());
}

}  // namespace troupe
