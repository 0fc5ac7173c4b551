// SparseFillEmptyRows, RaggedFillEmptyRows and their gradients.
#include "devices/cpu/kernels/sparse/parts.h"
#include "devices/cpu/loops/combine.h"

namespace troupe {
namespace {

/// What is known of the rows after the checks: `width` columns of indices, of which the first is the row.
struct Rows {
  const int64_t* indices;
  int64_t nnz;
  int64_t width;
  int64_t count;
};

/// Outputs 0 to 3: entries grouped by rows in their order, the default in rows without any.
absl::Status fill(KernelContext& context, const Rows& rows, const Tensor& values, const Tensor& value) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * empty, context.allocate_output(2, Shape{rows.count}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * reverse, context.allocate_output(3, Shape{rows.nnz}));
  // Where the next entry of each row goes.
  TROUPE_ASSIGN_OR_RETURN(Tensor next, context.allocate_temp(DataType::kInt64, Shape{rows.count}));
  int64_t* at = next.flat<int64_t>().data();
  bool* is_empty = empty->flat<bool>().data();
  std::fill_n(at, rows.count, 0);
  for (int64_t i = 0; i < rows.nnz; ++i) ++at[rows.indices[i * rows.width]];
  int64_t total = 0;
  for (int64_t r = 0; r < rows.count; ++r) {
    is_empty[r] = at[r] == 0;
    const int64_t entries = is_empty[r] ? 1 : at[r];
    at[r] = total;
    total += entries;
  }
  Shape shape = rows.width == 1 && context.input(0).rank() == 1 ? Shape{total} : Shape{total, rows.width};
  TROUPE_ASSIGN_OR_RETURN(shape, Shape::make(shape.dims()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Tensor * filled, context.allocate_output(1, Shape{total}));
  int64_t* to = indices->flat<int64_t>().data();
  for (int64_t r = 0; r < rows.count; ++r) {
    if (!is_empty[r]) continue;
    std::fill_n(to + at[r] * rows.width, rows.width, 0);
    to[at[r] * rows.width] = r;
  }
  with_storage(filled->dtype(), [&]<class T>(T*) {
    const T *from = static_cast<const T*>(values.raw()), *filler = static_cast<const T*>(value.raw());
    T* out = static_cast<T*>(filled->raw());
    for (int64_t r = 0; r < rows.count; ++r) {
      if (is_empty[r]) out[at[r]] = *filler;
    }
    for (int64_t i = 0; i < rows.nnz; ++i) {
      const int64_t place = at[rows.indices[i * rows.width]]++;
      std::copy_n(rows.indices + i * rows.width, rows.width, to + place * rows.width);
      out[place] = from[i];
      reverse->flat<int64_t>()[i] = place;
    }
  });
  return absl::OkStatus();
}

absl::Status sparse_fill_empty_rows(KernelContext& context) {
  const Tensor &indices = context.input(0), &values = context.input(1), &dims = context.input(2),
               &value = context.input(3);
  if (!is_vector(dims)) return invalid("dense_shape must be a vector, saw: ", dims.shape().to_string());
  if (indices.rank() != 2) return invalid("indices must be a matrix, saw: ", indices.shape().to_string());
  if (!is_vector(values)) return invalid("values must be a vector, saw: ", values.shape().to_string());
  if (indices.dim(0) != values.dim(0)) {
    return invalid("The length of `values` (", values.dim(0),
                   ") must match the first dimension of `indices` (", indices.dim(0), ").");
  }
  if (indices.dim(1) != dims.dim(0)) {
    return invalid("The length of `dense_shape` (", dims.dim(0),
                   ") must match the second dimension of `indices` (", indices.dim(1), ").");
  }
  if (!is_scalar(value)) return invalid("default_value must be a scalar, saw: ", value.shape().to_string());
  if (dims.num_elements() == 0) return invalid("Dense shape cannot be empty.");
  Rows rows{indices.flat<int64_t>().data(), indices.dim(0), indices.dim(1), int_at(dims, 0)};
  if (rows.count < 0) return invalid("dense_shape[0] must not be negative, saw: ", rows.count);
  if (rows.count == 0 && rows.nnz > 0) {
    return invalid("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = ", rows.nnz);
  }
  for (int64_t i = 0; i < rows.nnz; ++i) {
    const int64_t r = rows.indices[i * rows.width];
    if (r < 0) return invalid("indices(", i, ", 0) is invalid: ", r, " < 0");
    if (r >= rows.count) return invalid("indices(", i, ", 0) is invalid: ", r, " >= ", rows.count);
  }
  return fill(context, rows, values, value);
}

absl::Status ragged_fill_empty_rows(KernelContext& context) {
  const Tensor &ids = context.input(0), &values = context.input(1), &count = context.input(2),
               &value = context.input(3);
  if (!is_scalar(count)) return invalid("nrows must be a scalar, saw: ", count.shape().to_string());
  if (!is_vector(ids)) return invalid("value_rowids must be a vector, saw: ", ids.shape().to_string());
  if (!is_vector(values)) return invalid("values must be a vector, saw: ", values.shape().to_string());
  if (ids.dim(0) != values.dim(0)) {
    return invalid("The length of `values` (", values.dim(0),
                   ") must match the first dimension of `value_rowids` (", ids.dim(0), ").");
  }
  if (!is_scalar(value)) return invalid("default_value must be a scalar, saw: ", value.shape().to_string());
  Rows rows{ids.flat<int64_t>().data(), ids.dim(0), 1, count.value<int64_t>()};
  if (rows.count < 0) return invalid("nrows must not be negative, saw: ", rows.count);
  if (rows.count == 0 && rows.nnz > 0)
    return invalid("Received RaggedTensor with nrows = 0 but nnz = ", rows.nnz);
  for (int64_t i = 0; i < rows.nnz; ++i) {
    if (rows.indices[i] < 0) return invalid("value_rowids(", i, ") is invalid: ", rows.indices[i], " < 0");
    if (rows.indices[i] >= rows.count)
      return invalid("value_rowids(", i, ") is invalid: ", rows.indices[i], " >= ", rows.count);
  }
  return fill(context, rows, values, value);
}

/// Values take the gradient of where they went; the default takes the sum of the others.
absl::Status fill_empty_rows_grad(KernelContext& context) {
  const Tensor &reverse = context.input(0), &grad = context.input(1);
  if (!is_vector(reverse))
    return invalid("reverse_index_map must be a vector, saw: ", reverse.shape().to_string());
  if (!is_vector(grad)) return invalid("grad_values must be a vector, saw: ", grad.shape().to_string());
  const int64_t full = grad.dim(0);
  std::vector<int64_t> places(reverse.flat<int64_t>().begin(), reverse.flat<int64_t>().end());
  std::vector<char> visited(static_cast<size_t>(full), 0);
  for (int64_t place : places) {
    if (place < 0 || place >= full)
      return invalid("Elements in reverse index must be in [0, ", full, ") but got ", place);
    visited[place] = 1;
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(0, reverse.shape()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * rest, context.allocate_output(1, Shape()));
  pick_elements(grad.dtype(), grad.raw(), places, values->raw());
  fill_zero(context.parallel(), rest->dtype(), rest->raw(), 1);
  const CombineLoop add = combine_loop(Combine::kAdd, grad.dtype());
  for (int64_t i = 0; i < full; ++i) {
    if (visited[i] == 0) add(rest->raw(), element_at(grad, i), 1);
  }
  return absl::OkStatus();
}

}  // namespace

void register_sparse_fill(KernelRegistry* registry) {
  registry->add(KernelDef("SparseFillEmptyRows").types("T", every_type()).fn(sparse_fill_empty_rows));
  registry->add(KernelDef("RaggedFillEmptyRows").types("T", every_type()).fn(ragged_fill_empty_rows));
  registry->add(KernelDef("SparseFillEmptyRowsGrad").types("T", number_types()).fn(fill_empty_rows_grad));
  registry->add(KernelDef("RaggedFillEmptyRowsGrad").types("T", number_types()).fn(fill_empty_rows_grad));
}

}  // namespace troupe
