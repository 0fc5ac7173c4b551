// Sparse tensors rearranged: SparseConcat, SparseSplit, SparseSlice and its gradient, SparseReshape,
// SparseReorder.
#include <functional>
#include <numeric>

#include "devices/cpu/kernels/sparse/parts.h"

namespace troupe {
namespace {

/// a + b modulo 2^64: indices come from users.
int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

class SparseConcat final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("concat_dim", &axis_); }

  absl::Status compute(KernelContext& context) override {
    const int n = context.num_inputs() / 3;
    TROUPE_ASSIGN_OR_RETURN(Indices dims, check(context, n));
    const int rank = static_cast<int>(dims.size());
    const int axis = static_cast<int>(axis_ < 0 ? axis_ + rank : axis_);
    std::vector<int64_t> rows;
    int64_t total = 0, offset = 0;
    for (int i = 0; i < n; ++i) {
      auto part = context.input(i).flat<int64_t>();
      const size_t begin = rows.size();
      rows.insert(rows.end(), part.begin(), part.end());
      for (size_t k = begin + static_cast<size_t>(axis); k < rows.size(); k += static_cast<size_t>(rank)) {
        rows[k] = wrapping_add(rows[k], offset);
      }
      total += context.input(i).dim(0);
      offset += int_at(context.input(2 * n + i), axis);
    }
    const std::vector<int64_t> order = sorted_rows(rows.data(), total, rank);
    TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(0, Shape{total, rank}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, Shape{total}));
    int64_t* to = indices->flat<int64_t>().data();
    for (int64_t i = 0; i < total; ++i) std::copy_n(rows.data() + order[i] * rank, rank, to + i * rank);
    TROUPE_ASSIGN_OR_RETURN(Tensor joined, context.allocate_temp(values->dtype(), Shape{total}));
    int64_t at = 0;
    for (int i = 0; i < n; ++i) {
      const Tensor& part = context.input(n + i);
      copy_elements(part, 0, joined, at, part.num_elements());
      at += part.num_elements();
    }
    pick_elements(values->dtype(), joined.raw(), order, values->raw());
    return output_dims(context, 2, dims);
  }

 private:
  /// The shape of the result.
  absl::StatusOr<Indices> check(KernelContext& context, int n) const {
    Indices dims;
    for (int i = 0; i < n; ++i) {
      const Tensor &indices = context.input(i), &values = context.input(n + i),
                   &shape = context.input(2 * n + i);
      if (indices.rank() != 2) {
        return invalid("Input indices should be a matrix but received shape ", indices.shape().to_string(),
                       " at position ", i);
      }
      if (!is_vector(values)) {
        return invalid("Input values should be a vector but received shape ", values.shape().to_string(),
                       " at position ", i);
      }
      if (!is_vector(shape)) {
        return invalid("Input shapes should be a vector but received shape ", shape.shape().to_string(),
                       " at position ", i);
      }
      TROUPE_RETURN_IF_ERROR(check_size(shape));
      if (i == 0) dims = ints_of(shape);
      const int64_t rank = static_cast<int64_t>(dims.size());
      if (shape.dim(0) != rank) {
        return invalid("Ranks of all input tensors must match: expected ", rank, " but got ", shape.dim(0),
                       " at position ", i);
      }
      if (indices.dim(1) != rank)
        return invalid("Index rank (", indices.dim(1), ") and shape rank (", rank, ") do not match");
      if (indices.dim(0) != values.dim(0)) {
        return invalid("indices and values rows (indexing dimension) must match. (indices = ", indices.dim(0),
                       ", values = ", values.dim(0), ")");
      }
    }
    const int64_t rank = static_cast<int64_t>(dims.size());
    if (axis_ < -rank || axis_ >= rank) {
      return invalid("Concat dimension must be in range [", -rank, ", ", rank, "), got ", axis_);
    }
    const int64_t axis = axis_ < 0 ? axis_ + rank : axis_;
    for (int i = 1; i < n; ++i) {
      for (int64_t d = 0; d < rank; ++d) {
        const int64_t size = int_at(context.input(2 * n + i), d);
        if (d == axis) {
          if (__builtin_add_overflow(dims[d], size, &dims[d])) return absl::InternalError(kTooLarge);
        } else if (size != dims[d]) {
          return invalid("Input shapes must match: expected ", dims[d], " for dimension ", d, " but got ",
                         size, " at position ", i);
        }
      }
    }
    if (!Shape::make({dims.data(), dims.size()}).ok()) return absl::InternalError(kTooLarge);
    return dims;
  }

  static absl::Status check_size(const Tensor& shape) {
    const Indices dims = ints_of(shape);
    if (!Shape::make({dims.data(), dims.size()}).ok()) return absl::InternalError(kTooLarge);
    return absl::OkStatus();
  }

  static constexpr char kTooLarge[] = "Encountered overflow from large input shape.";
  int64_t axis_ = 0;
};

class SparseSplit final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("num_split", &parts_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& split_dim = context.input(0);
    if (!is_scalar(split_dim))
      return invalid("Input axis should be a scalar but received shape ", split_dim.shape().to_string());
    TROUPE_RETURN_IF_ERROR(check_sparse_ranks(context, 1));
    TROUPE_ASSIGN_OR_RETURN(Sparse input, read_sparse(context, 1));
    const int rank = input.rank();
    for (int64_t i = 0; i < input.nnz(); ++i) {
      if (within(input.row(i), input.dims)) continue;
      return invalid("Sparse index tuple indices[", i, ", :] = [",
                     absl::StrJoin(input.row(i), input.row(i) + rank, ", "), "] is out of bounds");
    }
    const int64_t given = split_dim.value<int64_t>();
    if (given < -rank || given >= rank)
      return invalid("Input axis should be in range [", -rank, ", ", rank, "), got ", given);
    const int axis = static_cast<int>(given < 0 ? given + rank : given);
    const int64_t size = input.dims[axis];
    if (parts_ < 1 || parts_ > size) {
      return invalid("Input num_split should be between 1 and the splitting dimension size (", size,
                     "), got ", parts_);
    }
    // The first size % parts_ slices are one longer than the rest.
    const int64_t length = size / parts_, longer = size % parts_;
    auto part_of = [&](int64_t index) {
      const int64_t border = longer * (length + 1);
      return index < border ? index / (length + 1) : longer + (index - border) / length;
    };
    auto start_of = [&](int64_t part) { return part * length + std::min(part, longer); };
    std::vector<std::vector<int64_t>> members(static_cast<size_t>(parts_));
    for (int64_t i = 0; i < input.nnz(); ++i) members[part_of(input.row(i)[axis])].push_back(i);
    for (int64_t p = 0; p < parts_; ++p) {
      const auto& mine = members[p];
      const auto count = static_cast<int64_t>(mine.size());
      const int out = static_cast<int>(p), n = static_cast<int>(parts_);
      TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(out, Shape{count, rank}));
      TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(n + out, Shape{count}));
      int64_t* to = indices->flat<int64_t>().data();
      for (int64_t i = 0; i < count; ++i) {
        std::copy_n(input.row(mine[i]), rank, to + i * rank);
        to[i * rank + axis] -= start_of(p);
      }
      pick_elements(values->dtype(), input.values->raw(), mine, values->raw());
      Indices dims = input.dims;
      dims[axis] = length + (p < longer ? 1 : 0);
      TROUPE_RETURN_IF_ERROR(output_dims(context, 2 * n + out, dims));
    }
    return absl::OkStatus();
  }

 private:
  int64_t parts_ = 1;
};

absl::Status sparse_slice(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Sparse input, read_sparse(context, 0));
  const int rank = input.rank();
  for (int i : {3, 4}) {
    const Tensor& t = context.input(i);
    const char* name = i == 3 ? "start" : "size";
    if (!is_vector(t))
      return invalid("Input ", name, " should be a vector but received shape ", t.shape().to_string());
    if (t.dim(0) != rank)
      return invalid("Expected ", name, " to be a vector of length ", rank, " but got length ", t.dim(0));
  }
  const Indices start = ints_of(context.input(3)), size = ints_of(context.input(4));
  Indices dims(static_cast<size_t>(rank));
  for (int d = 0; d < rank; ++d) {
    if (size[d] < 0) return invalid("Expected a non-negative size, got ", size[d]);
    int64_t left = 0;
    if (__builtin_sub_overflow(input.dims[d], start[d], &left)) left = INT64_MAX;
    dims[d] = std::max<int64_t>(0, std::min(size[d], left));
  }
  TROUPE_RETURN_IF_ERROR(Shape::make({dims.data(), dims.size()}).status());
  std::vector<int64_t> mine, rows;
  for (int64_t i = 0; i < input.nnz(); ++i) {
    bool inside = true;
    for (int d = 0; d < rank && inside; ++d) {
      const int64_t index = input.row(i)[d];
      inside = index >= start[d] && static_cast<uint64_t>(index) - static_cast<uint64_t>(start[d]) <
                                        static_cast<uint64_t>(size[d]);
    }
    if (!inside) continue;
    mine.push_back(i);
    for (int d = 0; d < rank; ++d) rows.push_back(wrapping_add(input.row(i)[d], -start[d]));
  }
  const auto count = static_cast<int64_t>(mine.size());
  TROUPE_RETURN_IF_ERROR(output_rows(context, 0, rows, count, rank));
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, Shape{count}));
  pick_elements(values->dtype(), input.values->raw(), mine, values->raw());
  return output_dims(context, 2, dims);
}

/// Both lists of rows are in the same order, so that one walk matches them.
absl::Status sparse_slice_grad(KernelContext& context) {
  const Tensor &grad = context.input(0), &rows = context.input(1), &start = context.input(2),
               &out_rows = context.input(3);
  if (!is_vector(grad))
    return invalid("Input backprop_val_grad should be a vector but received shape: ",
                   grad.shape().to_string());
  if (rows.rank() != 2 || out_rows.rank() != 2) {
    return invalid("Input and output indices should be matrices but received shapes: ",
                   rows.shape().to_string(), " and ", out_rows.shape().to_string());
  }
  if (!is_vector(start))
    return invalid("Input start should be a vector but received shape: ", start.shape().to_string());
  if (rows.dim(1) != out_rows.dim(1)) {
    return invalid("The input and output should have the same ndims: got: ", rows.dim(1), " and ",
                   out_rows.dim(1));
  }
  if (out_rows.dim(0) > rows.dim(0)) {
    return invalid("# rows of output_indices should be not greater than of input_indices, got ",
                   out_rows.dim(0), " and ", rows.dim(0));
  }
  if (start.dim(0) != rows.dim(1)) {
    return invalid("The input and the starting point should have the same ndims: got: ", rows.dim(1), " and ",
                   start.dim(0));
  }
  if (grad.dim(0) != out_rows.dim(0)) {
    return invalid("# elements of backprop_val_grad and # rows of output_indices should match: got ",
                   grad.dim(0), " and ", out_rows.dim(0));
  }
  const int64_t rank = rows.dim(1), count = rows.dim(0);
  const int64_t *in = rows.flat<int64_t>().data(), *sliced = out_rows.flat<int64_t>().data();
  const int64_t* from = start.flat<int64_t>().data();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{count}));
  fill_zero(context.parallel(), out->dtype(), out->raw(), count);
  int64_t used = 0;
  for (int64_t i = 0; i < count && used < grad.dim(0); ++i) {
    bool same = true;
    for (int64_t d = 0; d < rank && same; ++d)
      same = in[i * rank + d] == wrapping_add(sliced[used * rank + d], from[d]);
    if (same) copy_elements(grad, used++, *out, i, 1);
  }
  if (used != grad.dim(0)) {
    return absl::InternalError(absl::StrCat(
        "Elements of backprop_val_grad aren't all propagated. Num elements:", grad.dim(0), ", used: ", used));
  }
  return absl::OkStatus();
}

/// The requested shape with -1 worked out.
absl::StatusOr<Indices> infer_shape(const Indices& from, Indices to) {
  TROUPE_RETURN_IF_ERROR(check_dims(from));
  const int64_t elements = std::accumulate(from.begin(), from.end(), int64_t{1}, std::multiplies<>());
  int64_t product = 1;
  int unknown = -1;
  for (int d = 0; d < static_cast<int>(to.size()); ++d) {
    if (to[d] == -1) {
      if (unknown >= 0) return invalid("only one output dimension may be -1, not both ", unknown, " and ", d);
      unknown = d;
      to[d] = 1;
    } else {
      if (to[d] < 0) return invalid("size ", d, " must be non-negative, not ", to[d]);
      const int64_t before = product;
      if (multiply_overflows(product, to[d], &product))
        return invalid("Encountered overflow when multiplying ", before, " with ", to[d], ", result: -1");
    }
  }
  const std::string shapes =
      absl::StrCat(" input_shape=", bracketed(from.data(), static_cast<int>(from.size())),
                   " output_shape=", bracketed(to.data(), static_cast<int>(to.size())));
  if (unknown >= 0) {
    if (product == 0) {
      return invalid(
          "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes "
          "are non-zero");
    }
    if (elements % product != 0) {
      return invalid("Input to reshape is a SparseTensor with ", elements,
                     " dense values, but the requested shape requires a multiple of ", product, ".", shapes);
    }
    to[unknown] = elements / product;
    product = elements;
  }
  if (product != elements) {
    return invalid("Input to reshape is a tensor with ", elements,
                   " dense values, but the requested shape has ", product, ".", shapes);
  }
  return to;
}

absl::Status sparse_reshape(KernelContext& context) {
  const Tensor &indices = context.input(0), &in_shape = context.input(1), &new_shape = context.input(2);
  if (indices.rank() != 2) return invalid("Input must be a matrix.");
  if (!is_vector(in_shape)) return invalid("Input shape must be a vector.");
  if (indices.dim(1) != in_shape.dim(0)) return invalid("Input tensor rank must match input shape length.");
  if (!is_vector(new_shape))
    return invalid("Target shape should be a vector but received shape ", new_shape.shape().to_string());
  const Indices from = ints_of(in_shape);
  TROUPE_ASSIGN_OR_RETURN(Indices to, infer_shape(from, ints_of(new_shape)));
  const int64_t nnz = indices.dim(0);
  const int in_rank = static_cast<int>(from.size()), out_rank = static_cast<int>(to.size());
  if (from == to) {
    context.forward_input(0, 0);
    return output_dims(context, 1, to);
  }
  const bool empty = std::find(to.begin(), to.end(), 0) != to.end();
  if (empty && nnz > 0)
    return invalid("Input tensor has ", nnz, " non zero elements but input shape has zero elements.");
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{nnz, out_rank}));
  TROUPE_RETURN_IF_ERROR(output_dims(context, 1, to));
  const int64_t* rows = indices.flat<int64_t>().data();
  int64_t* moved = out->flat<int64_t>().data();
  for (int64_t i = 0; i < nnz; ++i) {
    uint64_t at = 0;
    for (int d = 0; d < in_rank; ++d)
      at = at * static_cast<uint64_t>(from[d]) + static_cast<uint64_t>(rows[i * in_rank + d]);
    for (int d = out_rank - 1; d >= 0; --d) {
      // What lies past the first dimension stays there, as TensorFlow leaves it.
      moved[i * out_rank + d] = static_cast<int64_t>(d == 0 ? at : at % static_cast<uint64_t>(to[d]));
      at /= static_cast<uint64_t>(to[d]);
    }
  }
  return absl::OkStatus();
}

absl::Status sparse_reorder(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Sparse input, read_sparse(context, 0));
  const std::vector<int64_t> order =
      sorted_rows(input.indices->flat<int64_t>().data(), input.nnz(), input.rank());
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(0, input.indices->shape()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, input.values->shape()));
  int64_t* to = indices->flat<int64_t>().data();
  for (size_t i = 0; i < order.size(); ++i)
    std::copy_n(input.row(order[i]), input.rank(), to + static_cast<int64_t>(i) * input.rank());
  pick_elements(values->dtype(), input.values->raw(), order, values->raw());
  return absl::OkStatus();
}

}  // namespace

void register_sparse_shape(KernelRegistry* registry) {
  registry->add(KernelDef("SparseConcat").types("T", every_type()).kernel<SparseConcat>());
  registry->add(KernelDef("SparseSplit").types("T", every_type()).kernel<SparseSplit>());
  registry->add(KernelDef("SparseSlice").types("T", every_type()).fn(sparse_slice));
  registry->add(KernelDef("SparseSliceGrad").types("T", number_types()).fn(sparse_slice_grad));
  registry->add(KernelDef("SparseReshape").fn(sparse_reshape));
  registry->add(KernelDef("SparseReorder").types("T", every_type()).fn(sparse_reorder));
}

}  // namespace troupe
