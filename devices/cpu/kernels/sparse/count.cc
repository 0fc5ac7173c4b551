// Histograms of sparse and ragged values, and histograms as sparse tensors: SparseBincount, RaggedBincount,
// DenseCountSparseOutput, SparseCountSparseOutput, RaggedCountSparseOutput.
#include <map>

#include "devices/cpu/kernels/sparse/parts.h"

namespace troupe {
namespace {

template <class T>
void add_to(T* sum, T value) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    *sum = static_cast<T>(static_cast<U>(static_cast<U>(*sum) + static_cast<U>(value)));
  } else {
    *sum += value;
  }
}

absl::StatusOr<int64_t> read_size(const Tensor& size) {
  if (!is_scalar(size)) return invalid("Shape must be rank 0 but is rank ", size.rank());
  const int64_t n = int_at(size, 0);
  if (n < 0) return invalid("size (", n, ") must be non-negative");
  return n;
}

/// Splits of any shape that has elements count as a vector.
absl::Status check_splits(const Tensor& splits, int64_t values) {
  auto at = splits.flat<int64_t>();
  const int64_t rows = splits.num_elements() - 1;
  if (rows < 0) return invalid("Splits must be non-empty");
  if (at[0] != 0) return invalid("Splits must start with 0, not with ", at[0]);
  if (at[rows] != values)
    return invalid("Splits must end with the number of values, got ", at[rows], " instead of ", values);
  return absl::OkStatus();
}

/// Calls fn(row, position) for every value of a ragged matrix, whose splits were checked.
template <class Fn>
absl::Status for_ragged(const Tensor& splits, int64_t values, Fn&& fn) {
  auto at = splits.flat<int64_t>();
  // The last split is larger than any position, so that the row stays in range even where splits fall.
  for (int64_t i = 0, row = 0; i < values; ++i) {
    while (i >= at[row + 1]) ++row;
    TROUPE_RETURN_IF_ERROR(fn(row, i));
  }
  return absl::OkStatus();
}

/// The kernels that count into a dense matrix.
class BincountKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    TROUPE_ASSIGN_OR_RETURN(kernel->binary_, c.attr<bool>("binary_output"));
    return kernel;
  }

 protected:
  template <class T>
  void count(T* bin, const Tensor& weights, int64_t i) const {
    if (binary_) {
      *bin = T(1);
    } else {
      add_to(bin, weights.num_elements() == 0 ? T(1) : weights.flat<T>()[i]);
    }
  }
  bool binary_ = false;
};

absl::Status check_weights(const Tensor& weights, int64_t count) {
  if (weights.num_elements() == 0 || weights.num_elements() == count) return absl::OkStatus();
  return invalid("Input indices and weights must have the same size.");
}

template <class T>
class RaggedBincount final : public BincountKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<RaggedBincount>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &splits = context.input(0), &values = context.input(1), &weights = context.input(3);
    TROUPE_ASSIGN_OR_RETURN(const int64_t size, read_size(context.input(2)));
    // Before anything is allocated: the number of rows is theirs.
    TROUPE_RETURN_IF_ERROR(check_splits(splits, values.num_elements()));
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      if (int_at(values, i) < 0) return invalid("Input must be non-negative");
    }
    TROUPE_RETURN_IF_ERROR(check_weights(weights, values.num_elements()));
    const int64_t dims[2] = {std::max<int64_t>(splits.num_elements() - 1, 0), size};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    T* bins = out->flat<T>().data();
    std::fill_n(bins, shape.num_elements(), T(0));
    return for_ragged(splits, values.num_elements(), [&](int64_t row, int64_t i) -> absl::Status {
      const int64_t v = int_at(values, i);
      if (v < size) this->template count<T>(bins + row * size + v, weights, i);
      return absl::OkStatus();
    });
  }
};

template <class T>
class SparseBincount final : public BincountKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<SparseBincount>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &values = context.input(1), &weights = context.input(4);
    TROUPE_ASSIGN_OR_RETURN(const int64_t size, read_size(context.input(3)));
    TROUPE_ASSIGN_OR_RETURN(Sparse input, read_sparse(context, 0));
    const bool matrix = input.rank() > 1;
    if (input.rank() < 1) return invalid("Shape must be at least rank 1 but is rank ", input.rank());
    for (int64_t i = 0; i < input.nnz(); ++i) {
      if (within(input.row(i), input.dims)) continue;
      return invalid("Sparse index tuple indices[", i, ", :] = [",
                     absl::StrJoin(input.row(i), input.row(i) + input.rank(), ", "), "] is out of bounds");
    }
    TROUPE_RETURN_IF_ERROR(check_weights(weights, values.num_elements()));
    Shape shape = matrix ? Shape{input.dims[0], size} : Shape{size};
    TROUPE_ASSIGN_OR_RETURN(shape, Shape::make(shape.dims()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    T* bins = out->flat<T>().data();
    std::fill_n(bins, shape.num_elements(), T(0));
    for (int64_t i = 0; i < input.nnz(); ++i) {
      const int64_t v = int_at(values, i), row = matrix ? input.row(i)[0] : 0;
      if (v < 0 && !matrix) return invalid("Input arr must be non-negative!");
      if (v >= 0 && v < size) count<T>(bins + row * size + v, weights, i);
    }
    return absl::OkStatus();
  }
};

/// Counts by row and value.
template <class T>
using Counts = std::map<std::pair<int64_t, int64_t>, T>;

/// Base of the kernels that count into a sparse tensor.
template <class T>
class CountKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    TROUPE_ASSIGN_OR_RETURN(kernel->min_, c.attr<int64_t>("minlength"));
    TROUPE_ASSIGN_OR_RETURN(kernel->max_, c.attr<int64_t>("maxlength"));
    TROUPE_ASSIGN_OR_RETURN(kernel->binary_, c.attr<bool>("binary_output"));
    return kernel;
  }

 protected:
  static absl::Status check_values(const Tensor& values) {
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      if (int_at(values, i) < 0) return invalid("Input values must all be non-negative");
    }
    return absl::OkStatus();
  }
  /// `what`: what the input of the values is called.
  static absl::Status check_weights_of(const Tensor& values, const Tensor& weights, absl::string_view what) {
    if (weights.num_elements() == 0 || weights.shape() == values.shape()) return absl::OkStatus();
    return invalid("Weights and ", what,
                   " must have the same shape. Weight shape: ", weights.shape().to_string(), "; ", what,
                   " shape: ", values.shape().to_string());
  }

  void count(const Tensor& values, const Tensor& weights, int64_t row, int64_t i, Counts<T>* counts) const {
    const int64_t v = int_at(values, i);
    if (max_ >= 0 && v >= max_) return;
    T& bin = (*counts)[{row, v}];
    if (binary_) {
      bin = T(1);
    } else {
      add_to(&bin, weights.num_elements() == 0 ? T(1) : weights.flat<T>()[i]);
    }
  }

  /// Row numbers are left out where the input is a vector.
  absl::Status write(KernelContext& context, const Tensor& values, const Counts<T>& counts, int64_t rows,
                     bool matrix) const {
    int64_t largest = 0;
    for (int64_t i = 0; i < values.num_elements(); ++i) largest = std::max(largest, int_at(values, i));
    if (largest == INT64_MAX) return invalid("Input values must be smaller than ", INT64_MAX);
    const int64_t size = max_ >= 0 ? max_ : std::max(largest + 1, min_);
    const int rank = matrix ? 2 : 1;
    const auto count = static_cast<int64_t>(counts.size());
    TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(0, Shape{count, rank}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(1, Shape{count}));
    int64_t* to = indices->flat<int64_t>().data();
    int64_t at = 0;
    for (const auto& [place, sum] : counts) {
      if (matrix) *to++ = place.first;
      *to++ = place.second;
      out->flat<T>()[at++] = sum;
    }
    return output_dims(context, 2, matrix ? Indices{rows, size} : Indices{size});
  }

 private:
  int64_t min_ = -1, max_ = -1;
  bool binary_ = false;
};

template <class T>
class DenseCount final : public CountKernel<T> {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return CountKernel<T>::template make<DenseCount>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &values = context.input(0), &weights = context.input(1);
    if (values.rank() != 1 && values.rank() != 2) {
      return invalid("Input must be a 1 or 2-dimensional tensor. Got: ", values.shape().to_string());
    }
    TROUPE_RETURN_IF_ERROR(this->check_values(values));
    TROUPE_RETURN_IF_ERROR(this->check_weights_of(values, weights, "data"));
    const bool matrix = values.rank() == 2;
    const int64_t width = values.dim(values.rank() - 1);
    Counts<T> counts;
    for (int64_t i = 0; i < values.num_elements(); ++i)
      this->count(values, weights, matrix ? i / width : 0, i, &counts);
    return this->write(context, values, counts, matrix ? values.dim(0) : 1, matrix);
  }
};

template <class T>
class SparseCount final : public CountKernel<T> {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return CountKernel<T>::template make<SparseCount>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &indices = context.input(0), &values = context.input(1), &shape = context.input(2),
                 &weights = context.input(3);
    TROUPE_RETURN_IF_ERROR(check_input(indices, values, shape));
    const Indices dims = ints_of(shape);
    TROUPE_RETURN_IF_ERROR(check_places(indices, dims, shape));
    TROUPE_RETURN_IF_ERROR(this->check_values(values));
    TROUPE_RETURN_IF_ERROR(this->check_weights_of(values, weights, "values"));
    const int64_t rank = shape.dim(0);
    const bool matrix = rank != 1;
    if (matrix && dims[0] >= kMostRows)
      return invalid("Cannot allocate ", dims[0], " batches, is the dense shape too wide?");
    Counts<T> counts;
    for (int64_t i = 0; i < values.num_elements(); ++i)
      this->count(values, weights, matrix ? indices.flat<int64_t>()[i * rank] : 0, i, &counts);
    return this->write(context, values, counts, matrix ? dims[0] : 1, matrix);
  }

 private:
  static constexpr int64_t kMostRows = int64_t{1} << 58;

  static absl::Status check_input(const Tensor& indices, const Tensor& values, const Tensor& shape) {
    if (indices.rank() != 2)
      return invalid("Input indices must be a 2-dimensional tensor. Got: ", indices.shape().to_string());
    if (!is_vector(values))
      return invalid("Input values must be a vector. Got: ", values.shape().to_string());
    if (!is_vector(shape)) return invalid("Input shape must be a vector. Got: ", shape.shape().to_string());
    if (values.dim(0) != indices.dim(0)) {
      return invalid("Number of values must match first dimension of indices.Got ", values.dim(0),
                     " values, indices shape: ", indices.shape().to_string());
    }
    if (shape.dim(0) != indices.dim(1)) {
      return invalid("Number of dimensions must match second dimension of indices.Got ", shape.dim(0),
                     " dimensions, indices shape: ", indices.shape().to_string());
    }
    if (shape.dim(0) == 0) return invalid("The shape argument requires at least one element.");
    return absl::OkStatus();
  }

  static absl::Status check_places(const Tensor& indices, const Indices& dims, const Tensor& shape) {
    const int64_t rank = indices.dim(1);
    for (int64_t k = 0; k < indices.num_elements(); ++k) {
      const int64_t index = indices.flat<int64_t>()[k], size = dims[static_cast<size_t>(k % rank)];
      if (index >= 0 && index < size) continue;
      return invalid("Invalid index value at ", k / rank, ": dimension ", k % rank, " has value ", index,
                     " which is not in [0, ", size, ") (as given by dense shape ", shape.to_string());
    }
    return absl::OkStatus();
  }
};

template <class T>
class RaggedCount final : public CountKernel<T> {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return CountKernel<T>::template make<RaggedCount>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &splits = context.input(0), &values = context.input(1), &weights = context.input(2);
    TROUPE_RETURN_IF_ERROR(this->check_weights_of(values, weights, "values"));
    if (splits.num_elements() < 2) return invalid("Must provide at least 2 elements for the splits argument");
    TROUPE_RETURN_IF_ERROR(check_splits(splits, values.num_elements()));
    TROUPE_RETURN_IF_ERROR(this->check_values(values));
    Counts<T> counts;
    TROUPE_RETURN_IF_ERROR(for_ragged(splits, values.num_elements(), [&](int64_t row, int64_t i) {
      this->count(values, weights, row, i, &counts);
      return absl::OkStatus();
    }));
    return this->write(context, values, counts, splits.num_elements() - 1, true);
  }
};

template <class... Ts>
void add_types(KernelRegistry* registry) {
  (registry->add(KernelDef("RaggedBincount").type<Ts>("T").template kernel<RaggedBincount<Ts>>()), ...);
  (registry->add(KernelDef("SparseBincount").type<Ts>("T").template kernel<SparseBincount<Ts>>()), ...);
  (registry->add(
       KernelDef("DenseCountSparseOutput").type<Ts>("output_type").template kernel<DenseCount<Ts>>()),
   ...);
  (registry->add(
       KernelDef("SparseCountSparseOutput").type<Ts>("output_type").template kernel<SparseCount<Ts>>()),
   ...);
  (registry->add(
       KernelDef("RaggedCountSparseOutput").type<Ts>("output_type").template kernel<RaggedCount<Ts>>()),
   ...);
}

}  // namespace

void register_sparse_count(KernelRegistry* registry) { add_types<float, double, int32_t, int64_t>(registry); }

}  // namespace troupe
