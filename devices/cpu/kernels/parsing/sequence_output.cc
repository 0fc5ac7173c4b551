// Context features and feature lists of SequenceExamples as tensors: sparse, dense, ragged.
#include <algorithm>

#include "devices/cpu/kernels/parsing/sequence.h"

namespace troupe {

absl::Status ParseSequenceKernel::write(KernelContext& context, const SequenceRequest& request,
                                        const std::vector<ContextRows>& context_rows,
                                        const std::vector<Steps>& lists) const {
  int out = 0;
  size_t column = 0;
  const int sparse = static_cast<int>(request.context_sparse.size());
  for (int i = 0; i < sparse; ++i, ++column) {
    TROUPE_RETURN_IF_ERROR(write_sparse(context, out + i, sparse, context_rows[column].values,
                                        context_rows[column].counts, request.single));
  }
  out += 3 * sparse;
  for (size_t i = 0; i < request.context_dense.size(); ++i, ++column, ++out) {
    TROUPE_RETURN_IF_ERROR(write_context_dense(context, out, request, i, context_rows[column]));
  }
  const int ragged = static_cast<int>(request.context_ragged.size());
  for (int i = 0; i < ragged; ++i, ++column) {
    TROUPE_RETURN_IF_ERROR(write_values(context, out + i, context_rows[column].values));
    TROUPE_RETURN_IF_ERROR(
        write_outer(context, out + ragged + i, context_rows[column].counts, request.single));
  }
  out += 2 * ragged;
  column = 0;
  const int list_sparse = static_cast<int>(request.list_sparse.size());
  for (int i = 0; i < list_sparse; ++i, ++column) {
    TROUPE_RETURN_IF_ERROR(write_list_sparse(context, out + i, list_sparse, lists[column], request.single));
  }
  out += 3 * list_sparse;
  const int dense = static_cast<int>(request.list_dense.size());
  for (int i = 0; i < dense; ++i, ++column) {
    const int lengths = version_ == Version::kOne ? -1 : out + dense + i;
    TROUPE_RETURN_IF_ERROR(write_list_dense(context, out + i, lengths, request, i, lists[column]));
  }
  out += version_ == Version::kOne ? dense : 2 * dense;
  const int list_ragged = static_cast<int>(request.list_ragged.size());
  for (int i = 0; i < list_ragged; ++i, ++column) {
    TROUPE_RETURN_IF_ERROR(write_values(context, out + i, lists[column].values));
    TROUPE_RETURN_IF_ERROR(write_outer(context, out + list_ragged + i, lists[column].steps, request.single));
    TROUPE_RETURN_IF_ERROR(write_splits(context, out + 2 * list_ragged + i, lists[column].counts));
  }
  return absl::OkStatus();
}

absl::Status ParseSequenceKernel::write_outer(KernelContext& context, int i, std::span<const int64_t> counts,
                                              bool single) {
  if (!single) return write_splits(context, i, counts);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, Shape()));
  set_int(out, 0, 0);
  return absl::OkStatus();
}

absl::Status ParseSequenceKernel::write_context_dense(KernelContext& context, int out_index,
                                                      const SequenceRequest& request, size_t i,
                                                      const ContextRows& rows) const {
  const DenseSpec& spec = context_specs_[i];
  const absl::string_view key = request.context_dense[i];
  const Tensor& fallback = context.input(request.first_default + static_cast<int>(i));
  TROUPE_RETURN_IF_ERROR(check_default(i, spec, fallback));
  const size_t n = rows.counts.size();
  int64_t largest = 0;
  for (size_t row = 0; row < n; ++row) {
    largest = std::max(largest, rows.found[row] ? rows.counts[row] : fallback.num_elements());
  }
  if (version_ != Version::kOne && n > 0 && largest != spec.elements) {
    return invalid("Inconsistent max number of elements for feature ", key, ": expected ", spec.elements,
                   ", but found ", largest);
  }
  TROUPE_ASSIGN_OR_RETURN(
      Tensor * out, request.single ? allocate_rows(context, out_index, {}, spec.row)
                                   : allocate_rows(context, out_index, {static_cast<int64_t>(n)}, spec.row));
  int64_t from = 0;
  for (size_t row = 0; row < n; ++row) {
    const int64_t to = static_cast<int64_t>(row) * spec.elements;
    if (!rows.found[row]) {
      if (fallback.num_elements() != spec.elements) {
        if (version_ == Version::kOne) {
          return invalid(blame(request, row), "Context feature '", key,
                         "' is required but could not be found.");
        }
        return invalid("Feature: ", key, " (data type: ", dtype_name(rows.values.dtype),
                       ") is required but could not be found.");
      }
      copy_elements(fallback, 0, *out, to, spec.elements);
      continue;
    }
    if (rows.counts[row] != spec.elements) {
      return invalid(blame(request, row), "Key: ", key, ", Index: ", row, ".  Number of ",
                     dtype_name(rows.values.dtype), " values != expected.  values size: ", rows.counts[row],
                     " but output shape: ", spec.row.to_string());
    }
    rows.values.copy_to(from, spec.elements, out, to);
    from += spec.elements;
  }
  return absl::OkStatus();
}

absl::Status ParseSequenceKernel::write_list_sparse(KernelContext& context, int i, int stride,
                                                    const Steps& list, bool single) {
  const int64_t n = list.values.size(), rank = single ? 2 : 3;
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(i, Shape{n, rank}));
  TROUPE_RETURN_IF_ERROR(write_values(context, i + stride, list.values));
  TROUPE_ASSIGN_OR_RETURN(Tensor * shape, context.allocate_output(i + 2 * stride, Shape{rank}));
  auto at = indices->flat<int64_t>();
  size_t next = 0, step = 0;
  int64_t longest = 0, widest = 0;
  for (size_t row = 0; row < list.steps.size(); ++row) {
    longest = std::max(longest, list.steps[row]);
    for (int64_t t = 0; t < list.steps[row]; ++t, ++step) {
      widest = std::max(widest, list.counts[step]);
      for (int64_t k = 0; k < list.counts[step]; ++k) {
        if (!single) at[next++] = static_cast<int64_t>(row);
        at[next++] = t;
        at[next++] = k;
      }
    }
  }
  auto dims = shape->flat<int64_t>();
  if (!single) dims[0] = static_cast<int64_t>(list.steps.size());
  dims[rank - 2] = longest;
  dims[rank - 1] = widest;
  return absl::OkStatus();
}

absl::Status ParseSequenceKernel::write_list_dense(KernelContext& context, int i, int lengths,
                                                   const SequenceRequest& request, int which,
                                                   const Steps& list) const {
  const DenseSpec& spec = list_specs_[which];
  const absl::string_view key = request.list_dense[which];
  const int64_t batch = static_cast<int64_t>(list.steps.size());
  if (version_ != Version::kOne && spec.elements > 0 && list.values.size() % spec.elements != 0) {
    return invalid("Feature list '", key,
                   "' has an unexpected number of values.  Total values size: ", list.values.size(),
                   " is not consistent with output shape: ", with_unknown_steps(spec.row).to_string());
  }
  int64_t longest = 0;
  for (int64_t n : list.steps) longest = std::max(longest, n);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, request.single
                                            ? allocate_rows(context, i, {longest}, spec.row)
                                            : allocate_rows(context, i, {batch, longest}, spec.row));
  if (out->num_elements() > 0) fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
  size_t step = 0;
  int64_t from = 0;
  for (int64_t row = 0; row < batch; ++row) {
    for (int64_t t = 0; t < list.steps[row]; ++t, ++step) {
      if (list.counts[step] != spec.elements) {
        return invalid(blame(request, static_cast<size_t>(row)), "Key: ", key, ", Index: ", t,
                       ".  Number of ",
                       version_ == Version::kOne ? absl::StrCat(dtype_name(list.values.dtype), " ") : "",
                       "values != expected.  values size: ", list.counts[step],
                       " but output shape: ", spec.row.to_string());
      }
      list.values.copy_to(from, spec.elements, out, (row * longest + t) * spec.elements);
      from += spec.elements;
    }
  }
  if (lengths < 0) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(Tensor * sizes,
                          context.allocate_output(lengths, request.single ? Shape() : Shape{batch}));
  for (int64_t row = 0; row < batch; ++row) sizes->flat<int64_t>()[row] = list.steps[row];
  return absl::OkStatus();
}

PartialShape ParseSequenceKernel::with_unknown_steps(const Shape& row) {
  std::vector<int64_t> dims = row.to_vector();
  dims.insert(dims.begin(), PartialShape::kUnknownDim);
  return PartialShape(dims);
}

}  // namespace troupe
