#include "devices/cpu/kernels/sparse/csr_matrix.h"

#include <limits>

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {

std::vector<DataType> csr_types() {
  return {DataType::kFloat, DataType::kDouble, DataType::kComplex64, DataType::kComplex128};
}

absl::StatusOr<CsrSize> csr_size(const Shape& shape) {
  if (shape.rank() != 2 && shape.rank() != 3) {
    return invalid("CSR sparse matrices must have rank 2 or 3, got shape ", shape.to_string());
  }
  CsrSize size;
  if (shape.rank() == 3) size.batches = shape.dim(0);
  size.rows = shape.dim(shape.rank() - 2);
  size.cols = shape.dim(shape.rank() - 1);
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (size.rows >= kMax || size.cols > kMax || size.batches >= kMax) {
    return invalid("CSR sparse matrices count rows and columns in 32 bits, got shape ", shape.to_string());
  }
  return size;
}

absl::StatusOr<std::shared_ptr<CsrMatrix>> new_csr(const KernelContext& context, const Shape& shape,
                                                   DataType dtype, int64_t count) {
  TROUPE_ASSIGN_OR_RETURN(CsrSize size, csr_size(shape));
  if (count > std::numeric_limits<int32_t>::max()) {
    return invalid("CSR sparse matrices count elements in 32 bits, got ", count);
  }
  auto matrix = std::make_shared<CsrMatrix>();
  matrix->shape = shape;
  // rows + 1 and batches fit 31 bits each, so the product fits.
  TROUPE_ASSIGN_OR_RETURN(matrix->row_pointers,
                          context.allocate_temp(DataType::kInt32, Shape{size.batches * (size.rows + 1)}));
  TROUPE_ASSIGN_OR_RETURN(matrix->column_indices, context.allocate_temp(DataType::kInt32, Shape{count}));
  TROUPE_ASSIGN_OR_RETURN(matrix->values, context.allocate_temp(dtype, Shape{count}));
  auto rows = matrix->row_pointers.flat<int32_t>();
  std::fill(rows.begin(), rows.end(), 0);
  matrix->batch_starts.assign(static_cast<size_t>(size.batches) + 1, 0);
  return matrix;
}

void sum_csr_counts(CsrMatrix* matrix) {
  for (size_t b = 1; b < matrix->batch_starts.size(); ++b)
    matrix->batch_starts[b] += matrix->batch_starts[b - 1];
  auto rows = matrix->row_pointers.flat<int32_t>();
  const size_t stride = static_cast<size_t>(matrix->rows()) + 1;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (i % stride != 0) rows[i] += rows[i - 1];
  }
}

absl::StatusOr<std::shared_ptr<const CsrMatrix>> input_csr(const KernelContext& context, int i) {
  const Tensor& t = context.input(i);
  if (!is_scalar(t)) return invalid("Invalid input matrix: Shape must be rank 0 but is rank ", t.rank());
  auto matrix = std::dynamic_pointer_cast<const CsrMatrix>(t.value<Variant>().value());
  if (matrix == nullptr) return invalid("Could not retrieve Variant input ", i);
  return matrix;
}

void output_csr(KernelContext& context, std::shared_ptr<CsrMatrix> matrix) {
  Tensor handle(DataType::kVariant, Shape());
  handle.flat<Variant>()[0] = Variant(std::move(matrix));
  context.set_output(0, std::move(handle));
}

namespace {

absl::Status check_sparse_tensor(const Tensor& indices, const Tensor& values, const Tensor& shape) {
  if (indices.rank() != 2) return invalid("Sparse indices must be rank 2 but is rank ", indices.rank());
  if (values.rank() != 1) return invalid("Sparse values must be rank 1 but is rank ", values.rank());
  if (shape.rank() != 1) return invalid("Sparse shape must be rank 1 but is rank ", shape.rank());
  if (indices.dim(0) != values.dim(0)) {
    return invalid("Number of elements in indices (", indices.dim(0), ") and values (", values.dim(0),
                   ") do not match");
  }
  if (indices.dim(1) != shape.dim(0)) {
    return invalid("Index rank (", indices.dim(1), ") and shape rank (", shape.dim(0), ") do not match");
  }
  return absl::OkStatus();
}

std::string index_text(const int64_t* index, int rank) {
  std::string text = absl::StrCat("[", index[0]);
  for (int d = 1; d < rank; ++d) absl::StrAppend(&text, ", ", index[d]);
  return text + "]";
}

bool within(const int64_t* index, std::span<const int64_t> dims) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (index[d] < 0 || index[d] >= dims[d]) return false;
  }
  return true;
}

/// Pointers and columns of elements at `indices`, which are all within the shape and in order of their rows.
void place_elements(const Tensor& indices, CsrMatrix* matrix) {
  const int rank = matrix->rank();
  const int64_t* index = indices.flat<int64_t>().data();
  auto rows = matrix->row_pointers.flat<int32_t>();
  auto columns = matrix->column_indices.flat<int32_t>();
  for (size_t i = 0; i < columns.size(); ++i, index += rank) {
    const int64_t batch = rank == 3 ? index[0] : 0;
    ++matrix->batch_starts[static_cast<size_t>(batch) + 1];
    ++rows[static_cast<size_t>(batch * (matrix->rows() + 1) + index[rank - 2] + 1)];
    columns[i] = static_cast<int32_t>(index[rank - 1]);
  }
  sum_csr_counts(matrix);
}

absl::Status from_sparse_tensor(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const Tensor& values = context.input(1);
  const Tensor& dense_shape = context.input(2);
  TROUPE_RETURN_IF_ERROR(check_sparse_tensor(indices, values, dense_shape));
  const int rank = static_cast<int>(indices.dim(1));
  auto dims = dense_shape.flat<int64_t>();
  for (int64_t i = 0; rank > 0 && i < indices.dim(0); ++i) {
    const int64_t* index = indices.flat<int64_t>().data() + i * rank;
    if (!within(index, dims)) {
      return invalid("Sparse index tuple indices[", i, ", :] = ", index_text(index, rank),
                     " is out of bounds");
    }
  }
  if (rank != 2 && rank != 3) {
    return invalid("SparseTensor must have rank 2 or 3; but indices has rank: ", rank);
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
  TROUPE_ASSIGN_OR_RETURN(auto matrix, new_csr(context, shape, values.dtype(), values.num_elements()));
  place_elements(indices, matrix.get());
  matrix->values = values;
  output_csr(context, std::move(matrix));
  return absl::OkStatus();
}

absl::Status from_dense(KernelContext& context) {
  const Tensor& dense = context.input(0);
  const Tensor& indices = context.input(1);
  const int rank = dense.rank();
  if (rank != 2 && rank != 3) {
    return invalid("params must have rank == 2 or 3; but saw shape: ", dense.shape().to_string());
  }
  if (indices.rank() != 2)
    return invalid("indices must be a matrix, but saw shape: ", indices.shape().to_string());
  if (indices.dim(1) != rank) {
    return invalid("indices.shape[1] must be equal to the rank of params, but saw: ", indices.dim(1), " vs. ",
                   rank);
  }
  TROUPE_ASSIGN_OR_RETURN(auto matrix, new_csr(context, dense.shape(), dense.dtype(), indices.dim(0)));
  const Indices strides = strides_of(dense.shape());
  for (int64_t i = 0; i < indices.dim(0); ++i) {
    const int64_t* index = indices.flat<int64_t>().data() + i * rank;
    if (!within(index, dense.shape().dims())) {
      return invalid("indices[", i, "] = ", index_text(index, rank), " does not index into param shape ",
                     dense.shape().to_string());
    }
    int64_t from = 0;
    for (int d = 0; d < rank; ++d) from += index[d] * strides[static_cast<size_t>(d)];
    copy_elements(dense, from, matrix->values, i, 1);
  }
  place_elements(indices, matrix.get());
  output_csr(context, std::move(matrix));
  return absl::OkStatus();
}

/// f(batch, row, place of the element) for all elements in order.
template <class F>
void for_elements(const CsrMatrix& matrix, F&& f) {
  for (int64_t b = 0; b < matrix.batches(); ++b) {
    const int32_t* starts = matrix.row_starts(b);
    for (int64_t row = 0; row < matrix.rows(); ++row) {
      for (int32_t k = starts[row]; k < starts[row + 1]; ++k) {
        f(b, row, static_cast<int64_t>(matrix.batch_starts[static_cast<size_t>(b)]) + k);
      }
    }
  }
}

absl::Status to_sparse_tensor(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto matrix, input_csr(context, 0));
  if (matrix->dtype() != context.output_type(1)) {
    return invalid("Expected a CSRSparseMatrix of type ", dtype_name(context.output_type(1)),
                   " but saw type: ", dtype_name(matrix->dtype()));
  }
  const int rank = matrix->rank();
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices,
                          context.allocate_output(0, Shape{matrix->values.num_elements(), int64_t{rank}}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * dense_shape, context.allocate_output(2, Shape{int64_t{rank}}));
  context.set_output(1, matrix->values);
  std::copy(matrix->shape.dims().begin(), matrix->shape.dims().end(), dense_shape->flat<int64_t>().begin());
  int64_t* to = indices->flat<int64_t>().data();
  const int32_t* columns = matrix->column_indices.flat<int32_t>().data();
  for_elements(*matrix, [&](int64_t batch, int64_t row, int64_t at) {
    int64_t* index = to + at * rank;
    if (rank == 3) *index++ = batch;
    index[0] = row;
    index[1] = columns[at];
  });
  return absl::OkStatus();
}

absl::Status to_dense(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto matrix, input_csr(context, 0));
  if (matrix->dtype() != context.output_type(0)) {
    return invalid("Asked for a CSRSparseMatrix of type ", dtype_name(context.output_type(0)),
                   " but saw dtype: ", dtype_name(matrix->dtype()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, matrix->shape));
  const int32_t* columns = matrix->column_indices.flat<int32_t>().data();
  with_csr_type(matrix->dtype(), [&]<class T>(T zero) {
    auto o = out->flat<T>();
    std::fill(o.begin(), o.end(), zero);
    const T* v = matrix->values.template flat<T>().data();
    for_elements(*matrix, [&](int64_t batch, int64_t row, int64_t at) {
      o[static_cast<size_t>((batch * matrix->rows() + row) * matrix->cols() + columns[at])] = v[at];
    });
  });
  return absl::OkStatus();
}

absl::Status components(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto matrix, input_csr(context, 0));
  const Tensor& index = context.input(1);
  if (matrix->dtype() != context.output_type(2)) {
    return invalid("dtype of input is not equal to 'type': ", dtype_name(matrix->dtype()), " vs. ",
                   dtype_name(context.output_type(2)));
  }
  if (!is_scalar(index)) return invalid("index should be a scalar, but saw: ", index.to_string());
  const int64_t batch = index.value<int32_t>();
  if (batch < 0 || batch >= matrix->batches()) {
    return invalid("index (", batch, ") not in [0, ", matrix->batches(), ")");
  }
  const int64_t count = matrix->count(batch);
  const int64_t start = matrix->batch_starts[static_cast<size_t>(batch)];
  TROUPE_ASSIGN_OR_RETURN(Tensor * rows, context.allocate_output(0, Shape{matrix->rows() + 1}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * columns, context.allocate_output(1, Shape{count}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(2, Shape{count}));
  copy_elements(matrix->row_pointers, batch * (matrix->rows() + 1), *rows, 0, matrix->rows() + 1);
  copy_elements(matrix->column_indices, start, *columns, 0, count);
  copy_elements(matrix->values, start, *values, 0, count);
  return absl::OkStatus();
}

absl::Status count_elements(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto matrix, input_csr(context, 0));
  const bool one = matrix->rank() == 2;
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, one ? Shape() : Shape{matrix->batches()}));
  for (int64_t b = 0; b < matrix->batches(); ++b) {
    out->flat<int32_t>()[static_cast<size_t>(b)] = static_cast<int32_t>(matrix->count(b));
  }
  return absl::OkStatus();
}

}  // namespace

void register_sparse_csr_matrix(KernelRegistry* r) {
  auto add = [r](const char* op, const char* attr, KernelFn fn) {
    r->add(KernelDef(op).types(attr, csr_types()).fn(fn));
  };
  add("SparseTensorToCSRSparseMatrix", "T", from_sparse_tensor);
  add("DenseToCSRSparseMatrix", "T", from_dense);
  add("CSRSparseMatrixToSparseTensor", "type", to_sparse_tensor);
  add("CSRSparseMatrixToDense", "type", to_dense);
  add("CSRSparseMatrixComponents", "type", components);
  r->add(KernelDef("SparseMatrixNNZ").fn(count_elements, true));
}

}  // namespace troupe
