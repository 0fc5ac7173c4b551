// Sparse tensors that meet dense ones: SparseToDense, SparseTensorDenseAdd, SparseDenseCwiseAdd, -Mul, -Div.
#include <Eigen/Core>

#include "devices/cpu/kernels/sparse/parts.h"
#include "devices/cpu/loops/combine.h"

namespace troupe {
namespace {

/// One number, one per row of a vector, or rows of a matrix: SparseToDense takes indices of any rank up to 2.
class SparseToDense final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("validate_indices", &validate_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor &indices = context.input(0), &dims = context.input(1), &values = context.input(2);
    if (indices.rank() > 2) {
      return invalid("sparse_indices should be a scalar, vector, or matrix, got shape ",
                     indices.shape().to_string());
    }
    const int64_t count = indices.rank() > 0 ? indices.dim(0) : 1;
    const int64_t rank = indices.rank() > 1 ? indices.dim(1) : 1;
    if (!is_vector(dims)) return invalid("output_shape must be rank 1, got shape ", dims.shape().to_string());
    if (dims.num_elements() != rank) {
      return invalid("output_shape has incorrect number of elements: ", dims.num_elements(),
                     " should be: ", rank);
    }
    if (!is_scalar(values) && !(is_vector(values) && values.dim(0) == count)) {
      return invalid("sparse_values has incorrect shape ", values.shape().to_string(), ", should be [] or [",
                     count, "]");
    }
    if (!is_scalar(context.input(3))) return invalid("default_value should be a scalar.");
    Indices sizes = ints_of(dims), rows = ints_of(indices);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({sizes.data(), sizes.size()}));
    TROUPE_RETURN_IF_ERROR(check(rows, count, sizes, shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    fill_flat(context.parallel(), out->dtype(), context.input(3).raw(), out->raw(), out->num_elements());
    Indices strides = strides_of(shape);
    with_storage(out->dtype(), [&]<class T>(T*) {
      const T* from = static_cast<const T*>(values.raw());
      T* to = static_cast<T*>(out->raw());
      const int64_t step = is_scalar(values) ? 0 : 1;
      for (int64_t i = 0; i < count; ++i) {
        int64_t at = 0;
        for (int64_t d = 0; d < rank; ++d) at += rows[i * rank + d] * strides[d];
        to[at] = from[i * step];
      }
    });
    return absl::OkStatus();
  }

 private:
  absl::Status check(const Indices& rows, int64_t count, const Indices& sizes, const Shape& shape) const {
    if (validate_) return check_indices(rows.data(), count, sizes, true);
    if (!check_indices(rows.data(), count, sizes, false).ok()) {
      return invalid("Indices are not valid (out of bounds).  Shape: ", shape.to_string());
    }
    return absl::OkStatus();
  }

  bool validate_ = true;
};

/// Sums `values` into `out` at the rows of `indices`, after checking all of them.
absl::Status sparse_tensor_dense_add(KernelContext& context) {
  const Tensor &indices = context.input(0), &values = context.input(1), &dims = context.input(2),
               &dense = context.input(3);
  if (indices.rank() != 2)
    return invalid("Input a_indices should be a matrix but received shape: ", indices.shape().to_string());
  if (!is_vector(values) || !is_vector(dims)) {
    return invalid("Inputs a_values and a_shape should be vectors but received shapes: ",
                   values.shape().to_string(), " and ", dims.shape().to_string());
  }
  if (indices.dim(0) != values.dim(0))
    return invalid("Dimensions ", indices.dim(0), " and ", values.dim(0), " are not compatible");
  if (indices.dim(1) != dims.dim(0))
    return invalid("Dimensions ", indices.dim(1), " and ", dims.dim(0), " are not compatible");
  if (dims.dim(0) != dense.rank()) {
    return invalid("Two operands have different ranks; received: ", dims.dim(0), " and ", dense.rank());
  }
  for (int d = 0; d < dense.rank(); ++d) {
    if (int_at(dims, d) != dense.dim(d)) {
      return invalid("Dimension ", d, " does not equal (no broadcasting is supported): sparse side ",
                     int_at(dims, d), " vs dense side ", dense.dim(d));
    }
  }
  Indices rows = ints_of(indices), strides = strides_of(dense.shape());
  const int rank = dense.rank();
  std::vector<int64_t> at(static_cast<size_t>(values.num_elements()), 0);
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    for (int d = 0; d < rank; ++d) {
      const int64_t index = rows[i * rank + d];
      if (index < 0 || index >= dense.dim(d)) {
        return invalid("Sparse tensor has an invalid index on dimension ", d, ": a_indices(", i, ",", d,
                       ") = ", index, ", dense tensor shape: ", absl::StrJoin(dense.shape().dims(), " "));
      }
      at[i] += index * strides[d];
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({3}, 0, dense.shape()));
  if (out->raw() != dense.raw())
    copy_flat(context.parallel(), out->dtype(), dense.raw(), out->raw(), out->num_elements());
  const CombineLoop add = combine_loop(Combine::kAdd, out->dtype());
  for (size_t i = 0; i < at.size(); ++i)
    add(element_at(*out, at[i]), element_at(values, static_cast<int64_t>(i)), 1);
  return absl::OkStatus();
}

/// values op dense, where the dense side broadcasts to the sparse one's shape.
template <Combine kOp>
absl::Status sparse_dense_cwise(KernelContext& context) {
  const Tensor &indices = context.input(0), &values = context.input(1), &dims = context.input(2),
               &dense = context.input(3);
  if (indices.rank() != 2)
    return invalid("Input sp_indices should be a matrix but received shape: ", indices.shape().to_string());
  if (!is_vector(values) || !is_vector(dims)) {
    return invalid("Inputs sp_values and sp_shape should be vectors but received shapes: ",
                   values.shape().to_string(), " and ", dims.shape().to_string());
  }
  if (dims.dim(0) == 0) return invalid("The shape argument requires at least one element.");
  if (values.dim(0) != indices.dim(0)) {
    return invalid("The first dimension of values and indices should match. (", values.dim(0), " vs. ",
                   indices.dim(0), ")");
  }
  if (dims.dim(0) != indices.dim(1)) {
    return invalid("Number of dimensions must match second dimension of indices. Got ", dims.dim(0),
                   " dimensions, indices shape: ", indices.shape().to_string());
  }
  const Indices sizes = ints_of(dims);
  TROUPE_RETURN_IF_ERROR(check_dims(sizes));
  const int rank = static_cast<int>(sizes.size()), skipped = rank - dense.rank();
  bool fits = skipped >= 0;
  for (int d = 0; fits && d < dense.rank(); ++d)
    fits = dense.dim(d) == 1 || dense.dim(d) == sizes[d + skipped];
  if (!fits) {
    return invalid("SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: ",
                   bracketed(sizes.data(), rank), " vs. ", dense.shape().to_string());
  }
  Indices dense_strides = strides_of(dense.shape()), strides(sizes.size(), 0);
  for (int d = 0; d < dense.rank(); ++d) strides[d + skipped] = dense.dim(d) == 1 ? 0 : dense_strides[d];
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, values.shape()));
  const int64_t* rows = indices.flat<int64_t>().data();
  std::vector<int64_t> at(static_cast<size_t>(values.num_elements()), 0);
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    if (!within(rows + i * rank, sizes)) {
      return invalid("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape");
    }
    for (int d = 0; d < rank; ++d) at[i] += rows[i * rank + d] * strides[d];
  }
  if (at.empty()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(Tensor right, context.allocate_temp(values.dtype(), values.shape()));
  pick_elements(values.dtype(), dense.raw(), at, right.raw());
  if (kOp == Combine::kDiv && has_integer_zero(right.dtype(), right.raw(), right.num_elements())) {
    return invalid("Integer division by zero");
  }
  copy_flat(context.parallel(), out->dtype(), values.raw(), out->raw(), out->num_elements());
  combine_loop(kOp, out->dtype())(out->raw(), right.raw(), out->num_elements());
  return absl::OkStatus();
}

}  // namespace

void register_sparse_dense(KernelRegistry* registry) {
  registry->add(KernelDef("SparseToDense")
                    .types("T", with(value_types(), {DataType::kQint8, DataType::kQuint8, DataType::kQint16,
                                                     DataType::kQuint16}))
                    .kernel<SparseToDense>());
  registry->add(KernelDef("SparseTensorDenseAdd").types("T", number_types()).fn(sparse_tensor_dense_add));
  registry->add(
      KernelDef("SparseDenseCwiseAdd").types("T", real_number_types()).fn(sparse_dense_cwise<Combine::kAdd>));
  registry->add(
      KernelDef("SparseDenseCwiseMul").types("T", real_number_types()).fn(sparse_dense_cwise<Combine::kMul>));
  registry->add(
      KernelDef("SparseDenseCwiseDiv").types("T", real_number_types()).fn(sparse_dense_cwise<Combine::kDiv>));
}

}  // namespace troupe
