// Crosses of features: SparseCross, SparseCrossV2, SparseCrossHashed.
#include <limits>
#include <optional>
#include <string>

#include "devices/cpu/kernels/shared/cross_hash.h"
#include "devices/cpu/kernels/shared/hash_string.h"
#include "devices/cpu/kernels/sparse/parts.h"

namespace troupe {
namespace {

/// The features of all examples of one input: a row of a matrix, or the entries of a sparse tensor's row.
class Column {
 public:
  /// Row `i` of a matrix.
  explicit Column(const Tensor& dense) : values_(&dense), width_(dense.dim(1)) {}
  /// Entries of a sparse tensor; those outside of the batch are left out.
  Column(const Tensor& indices, const Tensor& values, int64_t batch) : values_(&values) {
    auto rows = indices.flat<int64_t>();
    const int64_t nnz = indices.dim(0);
    starts_.assign(static_cast<size_t>(batch) + 1, 0);
    for (int64_t i = 0; i < nnz; ++i) {
      const int64_t row = rows[i * 2];
      if (row >= 0 && row < batch) ++starts_[row + 1];
    }
    for (int64_t b = 0; b < batch; ++b) starts_[b + 1] += starts_[b];
    positions_.resize(static_cast<size_t>(starts_[batch]));
    std::vector<int64_t> next(starts_.begin(), starts_.end() - 1);
    for (int64_t i = 0; i < nnz; ++i) {
      const int64_t row = rows[i * 2];
      if (row >= 0 && row < batch) positions_[next[row]++] = i;
    }
  }

  int64_t count(int64_t row) const { return starts_.empty() ? width_ : starts_[row + 1] - starts_[row]; }
  int64_t position(int64_t row, int64_t n) const {
    return starts_.empty() ? row * width_ + n : positions_[starts_[row] + n];
  }
  const Tensor& values() const { return *values_; }
  bool is_string() const { return values_->dtype() == DataType::kString; }

 private:
  const Tensor* values_;
  int64_t width_ = 0;
  std::vector<int64_t> starts_, positions_;
};

/// The inputs that all three ops begin with.
absl::StatusOr<std::vector<Column>> read_columns(KernelContext& context, int n, int dense_count,
                                                 int64_t* batch) {
  *batch = 0;
  std::vector<Column> columns;
  for (int i = 0; i < n; ++i) {
    const Tensor &indices = context.input(i), &values = context.input(n + i),
                 &shape = context.input(2 * n + i);
    if (indices.rank() != 2) {
      return invalid("Input indices should be a matrix but received shape ", indices.shape().to_string(),
                     " at position ", i);
    }
    if (indices.dim(1) != 2)
      return invalid("Expected D2 of index to be 2 got ", indices.dim(1), " at position ", i);
    if (!is_vector(values)) {
      return invalid("Input values should be a vector but received shape ", values.shape().to_string(),
                     " at position ", i);
    }
    if (values.dim(0) != indices.dim(0)) {
      return invalid("Expected size of values to be ", indices.dim(0), " got ", values.dim(0),
                     " at position ", i);
    }
    if (!is_vector(shape)) {
      return invalid("Input shapes should be a vector but received shape ", shape.shape().to_string(),
                     " at position ", i);
    }
    if (shape.dim(0) != 2)
      return invalid("shape should imply a 2D tensor, but got ", shape.shape().to_string(), " at position ",
                     i);
    const int64_t rows = int_at(shape, 0);
    if (i == 0) *batch = rows;
    if (rows != *batch) return invalid("Expected batch size ", *batch, " got ", rows, " at input ", i);
  }
  for (int i = 0; i < dense_count; ++i) {
    const Tensor& dense = context.input(3 * n + i);
    if (dense.rank() != 2) {
      return invalid("Dense inputs should be a matrix but received shape ", dense.shape().to_string(),
                     " at position ", i);
    }
    if (n == 0 && i == 0) *batch = dense.dim(0);
    if (dense.dim(0) != *batch)
      return invalid("Expected batch size ", *batch, " got ", dense.dim(0), " at dense tensor ", i);
  }
  if (*batch < 0) return invalid("The batch size must not be negative, got ", *batch);
  // Refuses batches that memory cannot hold before the columns take theirs.
  const int64_t dims[1] = {*batch};
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
  TROUPE_RETURN_IF_ERROR(context.allocate_temp(DataType::kComplex128, shape).status());
  for (int i = 0; i < n; ++i) columns.emplace_back(context.input(i), context.input(n + i), *batch);
  for (int i = 0; i < dense_count; ++i) columns.emplace_back(context.input(3 * n + i));
  return columns;
}

/// Calls fn(row, number in the row, positions) for every choice of one feature per column; the last column
/// turns fastest. `positions` holds one place in each column's values.
template <class Fn>
void for_crosses(const std::vector<Column>& columns, int64_t batch, const std::vector<int64_t>& counts,
                 Fn&& fn) {
  std::vector<int64_t> choice(columns.size()), positions(columns.size());
  for (int64_t b = 0; b < batch; ++b) {
    std::fill(choice.begin(), choice.end(), 0);
    for (int64_t k = 0; k < counts[b]; ++k) {
      for (size_t c = 0; c < columns.size(); ++c) positions[c] = columns[c].position(b, choice[c]);
      fn(b, k, positions);
      for (size_t c = columns.size(); c-- > 0;) {
        if (++choice[c] < columns[c].count(b)) break;
        choice[c] = 0;
      }
    }
  }
}

/// Outputs 0 to 2; `make(positions, i)` writes value i.
template <class Make>
absl::Status cross(KernelContext& context, const std::vector<Column>& columns, int64_t batch, Make&& make) {
  std::vector<int64_t> counts(static_cast<size_t>(batch), 0);
  int64_t total = 0, widest = 0;
  for (int64_t b = 0; b < batch; ++b) {
    int64_t product = columns.empty() ? 0 : 1;
    for (const Column& c : columns) {
      if (multiply_overflows(product, c.count(b), &product)) return invalid("Too many crosses in row ", b);
    }
    counts[b] = product;
    widest = std::max(widest, product);
    if (__builtin_add_overflow(total, product, &total)) return invalid("Too many crosses");
  }
  const int64_t dims[2] = {total, 2};
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, Shape{total}));
  int64_t* to = indices->flat<int64_t>().data();
  int64_t at = 0;
  for_crosses(columns, batch, counts, [&](int64_t b, int64_t k, const std::vector<int64_t>& positions) {
    to[at * 2] = b;
    to[at * 2 + 1] = k;
    make(positions, values, at++);
  });
  return output_dims(context, 2, Indices{batch, widest});
}

auto join_texts(const std::vector<Column>& columns, absl::string_view separator) {
  return [&columns, separator](const std::vector<int64_t>& positions, Tensor* out, int64_t i) {
    std::string text;
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) absl::StrAppend(&text, separator);
      if (columns[c].is_string()) {
        absl::StrAppend(&text, columns[c].values().flat<TString>()[positions[c]].view());
      } else {
        absl::StrAppend(&text, int_at(columns[c].values(), positions[c]));
      }
    }
    out->flat<TString>()[i].assign(text);
  };
}

/// How features become one number: strings are hashed, with SipHash under a key when there is one.
struct Hashing {
  /// Comes before the first feature, if it is set.
  std::optional<uint64_t> start;
  bool strong = false;
  uint64_t key[2] = {0, 0};
  /// 0: all of 63 bits.
  int64_t buckets = 0;
};

auto join_hashes(const std::vector<Column>& columns, const Hashing& h) {
  return [&columns, h](const std::vector<int64_t>& positions, Tensor* out, int64_t i) {
    uint64_t hash = h.start.value_or(0);
    for (size_t c = 0; c < columns.size(); ++c) {
      uint64_t feature = 0;
      if (columns[c].is_string()) {
        const absl::string_view text = columns[c].values().flat<TString>()[positions[c]].view();
        feature = h.strong ? sip_hash(h.key[0], h.key[1], text) : farm_fingerprint64(text);
      } else {
        feature = static_cast<uint64_t>(int_at(columns[c].values(), positions[c]));
      }
      hash = c == 0 && !h.start ? feature : join_fingerprints(hash, feature);
    }
    const auto buckets =
        static_cast<uint64_t>(h.buckets > 0 ? h.buckets : std::numeric_limits<int64_t>::max());
    out->flat<int64_t>()[i] = static_cast<int64_t>(hash % buckets);
  };
}

class CrossKernel : public Kernel {
 protected:
  absl::Status read(const KernelConstruction& c, int more_inputs) {
    TROUPE_ASSIGN_OR_RETURN(int64_t n, c.attr<int64_t>("N"));
    TROUPE_ASSIGN_OR_RETURN(auto types, c.attr<std::vector<DataType>>("sparse_types"));
    if (static_cast<int64_t>(types.size()) != n) {
      return invalid("Expected values lists to be of same size as indices: ", n, " but got ", types.size());
    }
    sparse_ = static_cast<int>(n);
    dense_ = c.num_inputs() - 3 * sparse_ - more_inputs;
    return absl::OkStatus();
  }
  int sparse_ = 0, dense_ = 0;
};

/// The first form: everything but the features is an attr.
class SparseCross final : public CrossKernel {
 public:
  void attributes(AttrReader& a) { a("internal_type", &internal_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_RETURN_IF_ERROR(read(c, 0));
    TROUPE_ASSIGN_OR_RETURN(hashing_.buckets, c.attr<int64_t>("num_buckets"));
    TROUPE_ASSIGN_OR_RETURN(int64_t key, c.attr<int64_t>("hash_key"));
    hashing_.start = static_cast<uint64_t>(key);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    int64_t batch = 0;
    TROUPE_ASSIGN_OR_RETURN(std::vector<Column> columns, read_columns(context, sparse_, dense_, &batch));
    for (const Column& c : columns) {
      if (internal_ == DataType::kString && !c.is_string()) {
        return invalid("Input values should be of internal type ", static_cast<int>(internal_),
                       " but received ", static_cast<int>(c.values().dtype()));
      }
    }
    if (context.output_type(1) == DataType::kString)
      return cross(context, columns, batch, join_texts(columns, "_X_"));
    return cross(context, columns, batch, join_hashes(columns, hashing_));
  }

 private:
  Hashing hashing_;
  DataType internal_ = DataType::kString;
};

class SparseCrossV2 final : public CrossKernel {
 public:
  absl::Status init(const KernelConstruction& c) { return read(c, 1); }
  absl::Status compute(KernelContext& context) override {
    int64_t batch = 0;
    TROUPE_ASSIGN_OR_RETURN(std::vector<Column> columns, read_columns(context, sparse_, dense_, &batch));
    const Tensor& separator = context.input(3 * sparse_ + dense_);
    if (!is_scalar(separator))
      return invalid("Input separator should be a scalar. Received: ", separator.to_string());
    return cross(context, columns, batch, join_texts(columns, separator.value<TString>().view()));
  }
};

class SparseCrossHashed final : public CrossKernel {
 public:
  absl::Status init(const KernelConstruction& c) { return read(c, 3); }
  absl::Status compute(KernelContext& context) override {
    int64_t batch = 0;
    TROUPE_ASSIGN_OR_RETURN(std::vector<Column> columns, read_columns(context, sparse_, dense_, &batch));
    const int first = 3 * sparse_ + dense_;
    const Tensor &buckets = context.input(first), &strong = context.input(first + 1),
                 &salt = context.input(first + 2);
    if (!is_scalar(buckets))
      return invalid("Input num_buckets should be a scalar. Received: ", buckets.to_string());
    if (!is_scalar(strong))
      return invalid("Input strong_hash should be a scalar. Received: ", strong.to_string());
    if (!is_vector(salt) || salt.dim(0) != 2)
      return invalid("Input salt should be a vector of 2 elements. Received: ", salt.to_string());
    Hashing h;
    h.buckets = buckets.value<int64_t>();
    h.strong = strong.value<bool>();
    for (int i = 0; i < 2; ++i) h.key[i] = static_cast<uint64_t>(salt.flat<int64_t>()[i]);
    return cross(context, columns, batch, join_hashes(columns, h));
  }
};

}  // namespace

void register_sparse_cross(KernelRegistry* registry) {
  registry->add(KernelDef("SparseCross").kernel<SparseCross>());
  registry->add(KernelDef("SparseCrossV2").kernel<SparseCrossV2>());
  registry->add(KernelDef("SparseCrossHashed").kernel<SparseCrossHashed>());
}

}  // namespace troupe
