// LoadAndRemapMatrix: rows and columns of a matrix in a checkpoint, in other places; what is new comes from an input.
#include <algorithm>

#include "devices/checkpoint/bundle_reader.h"
#include "devices/cpu/kernels/checkpoint/names.h"
#include "devices/cpu/kernels/shared/array_util.h"

#include "absl/container/flat_hash_map.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Old rows, or columns, by where they go; -1 and what else is negative: nowhere.
struct Remapping {
  std::vector<int64_t> old;
  bool identity = false;

  int64_t operator()(int64_t i) const { return identity ? i : old[static_cast<size_t>(i)]; }
};

absl::StatusOr<Remapping> read_remapping(const Tensor& t, const char* name) {
  if (t.rank() != 1) {
    return invalid("The `", name, "` tensor must be 1-D, got a tensor of shape ", t.shape().to_string());
  }
  Remapping r;
  absl::flat_hash_map<int64_t, int64_t> places;
  for (int64_t old : t.flat<int64_t>()) {
    const int64_t place = static_cast<int64_t>(r.old.size());
    r.old.push_back(old);
    if (old < 0) continue;
    const auto [it, fresh] = places.emplace(old, place);
    if (fresh) continue;
    return absl::UnimplementedError(absl::StrCat("Old ID ", old, " is mapped to both new ID ", it->second,
                                                 " and ", place, ", which is not supported."));
  }
  return r;
}

/// Rows of the old matrix, read as they are asked for: a range at a time.
class OldRows {
 public:
  OldRows(BundleReader* reader, std::string name, const Shape& shape, int64_t rows_at_once)
      : reader_(reader), name_(std::move(name)), shape_(shape),
        rows_at_once_(std::max<int64_t>(1, rows_at_once)) {}

  absl::StatusOr<const float*> row(int64_t i) {
    if (i < begin_ || i >= end_) {
      const int64_t begin = i / rows_at_once_ * rows_at_once_;
      const int64_t end = std::min(shape_.dim(0), begin + rows_at_once_);
      TROUPE_ASSIGN_OR_RETURN(TensorSlice slice,
                              TensorSlice::parse(absl::StrCat(begin, ",", end - begin, ":-")));
      TROUPE_ASSIGN_OR_RETURN(rows_, reader_->lookup_slice(name_, slice));
      begin_ = begin;
      end_ = end;
    }
    return rows_.flat<float>().data() + (i - begin_) * shape_.dim(1);
  }

 private:
  BundleReader* const reader_;
  const std::string name_;
  const Shape shape_;
  const int64_t rows_at_once_;
  Tensor rows_;
  int64_t begin_ = 0;
  int64_t end_ = 0;
};

class LoadAndRemap final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("num_rows", &rows_)("num_cols", &cols_); }
  absl::Status init(const KernelConstruction& c) {
    max_rows_ = c.node().attrs.get_or<int64_t>("max_rows_in_memory", -1);
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Remapping rows, read_remapping(context.input(2), "row_remapping"));
    TROUPE_ASSIGN_OR_RETURN(Remapping cols, read_remapping(context.input(3), "col_remapping"));
    TROUPE_RETURN_IF_ERROR(check_sizes(rows, cols));
    cols.identity = cols.old.empty();
    TROUPE_ASSIGN_OR_RETURN(const std::string path, input_path(context, 0, "ckpt_path"));
    TROUPE_ASSIGN_OR_RETURN(const std::string name, input_path(context, 1, "old_tensor_name"));
    BundleReader reader;
    TROUPE_RETURN_IF_ERROR(reader.open(path));
    TROUPE_ASSIGN_OR_RETURN(const BundleReader::Info info, reader.info(name));
    TROUPE_RETURN_IF_ERROR(check_stored(info, name, cols.identity));
    TROUPE_RETURN_IF_ERROR(check_range(rows, info.shape.dim(0), "row"));
    TROUPE_RETURN_IF_ERROR(check_range(cols, info.shape.dim(1), "column"));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{rows_, cols_}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    OldRows old(&reader, name, info.shape, max_rows_ > 0 ? max_rows_ : info.shape.dim(0));
    return fill(rows, cols, context.input(4), &old, out);
  }

 private:
  absl::Status check_sizes(const Remapping& rows, const Remapping& cols) const {
    const int64_t given_rows = static_cast<int64_t>(rows.old.size());
    const int64_t given_cols = static_cast<int64_t>(cols.old.size());
    if (given_rows != rows_) {
      return invalid("Size of row_remapping is ", given_rows, " instead of being equal to num_rows=", rows_);
    }
    if (given_cols != 0 && given_cols != cols_) {
      return invalid("Provided col_remapping, but its size is ", given_cols,
                     " instead of being equal to num_cols=", cols_);
    }
    return absl::OkStatus();
  }

  absl::Status check_stored(const BundleReader::Info& info, const std::string& name, bool all_cols) const {
    if (info.dtype != DataType::kFloat) {
      return invalid("Tensor ", name, " has invalid type ", dtype_name(info.dtype),
                     " instead of expected type float");
    }
    if (info.shape.rank() != 2) {
      return invalid("Tensor ", name, " has shape ", info.shape.to_string(), " of invalid rank ",
                     info.shape.rank(), " instead of expected shape of rank 2.");
    }
    if (all_cols && info.shape.dim(1) != cols_) {
      return invalid("Tensor ", name, " has shape ", info.shape.to_string(),
                     ", where the size of its 2nd dimension is ", info.shape.dim(1),
                     " instead of being equal to num_cols=", cols_);
    }
    return absl::OkStatus();
  }

  static absl::Status check_range(const Remapping& r, int64_t size, const char* what) {
    for (int64_t old : r.old) {
      if (old < size) continue;
      return invalid("The old ", what, " ", old, " is out of bounds: there are ", size);
    }
    return absl::OkStatus();
  }

  /// What has no old place takes the next of the new values.
  absl::Status fill(const Remapping& rows, const Remapping& cols, const Tensor& fresh, OldRows* old,
                    Tensor* out) const {
    const auto values = fresh.flat<float>();
    size_t used = 0;
    float* to = out->flat<float>().data();
    for (int64_t r = 0; r < rows_; ++r) {
      const float* from = nullptr;
      if (rows(r) >= 0) {
        TROUPE_ASSIGN_OR_RETURN(from, old->row(rows(r)));
      }
      for (int64_t c = 0; c < cols_; ++c, ++to) {
        const int64_t column = cols(c);
        if (from != nullptr && column >= 0) {
          *to = from[column];
        } else if (used < values.size()) {
          *to = values[used++];
        } else {
          return invalid("initializing_values contained ", values.size(),
                         " elements, but more missing values remain.");
        }
      }
    }
    if (used == values.size()) return absl::OkStatus();
    return invalid("initializing_values contained ", values.size(), " elements, but only ", used,
                   " elements were used to fill in missing values.");
  }

  int64_t rows_ = 0;
  int64_t cols_ = 0;
  int64_t max_rows_ = -1;
};

}  // namespace

void register_checkpoint_load_remap(KernelRegistry* registry) {
  registry->add(KernelDef("LoadAndRemapMatrix").kernel<LoadAndRemap>());
}

}  // namespace troupe
