// SparseReduceSum, SparseReduceMax and their sparse forms.
#include "devices/cpu/kernels/sparse/parts.h"
#include "devices/cpu/loops/combine.h"

namespace troupe {
namespace {

/// Entries in groups that are reduced to one: those that agree in all kept dimensions.
struct Groups {
  std::vector<bool> reduced;    // per dimension
  std::vector<int64_t> order;   // entries, group after group
  std::vector<int64_t> begins;  // into `order`, and its end
  Indices dims;                 // of the result
};

template <Combine kOp, bool kSparse>
class SparseReduce final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("keep_dims", &keep_); }

  absl::Status compute(KernelContext& context) override {
    TROUPE_RETURN_IF_ERROR(check(context));
    const Sparse input{&context.input(0), &context.input(1), ints_of(context.input(2))};
    TROUPE_RETURN_IF_ERROR(check_dims(input.dims));
    const Groups groups = group(input, context.input(3));
    const auto count = static_cast<int64_t>(groups.begins.size()) - 1;
    TROUPE_ASSIGN_OR_RETURN(Tensor sums, context.allocate_temp(input.values->dtype(), Shape{count}));
    const CombineLoop combine = combine_loop(kOp, sums.dtype());
    for (int64_t g = 0; g < count; ++g) {
      copy_elements(*input.values, groups.order[groups.begins[g]], sums, g, 1);
      for (int64_t i = groups.begins[g] + 1; i < groups.begins[g + 1]; ++i) {
        combine(element_at(sums, g), element_at(*input.values, groups.order[i]), 1);
      }
    }
    return kSparse ? write_sparse(context, input, groups, std::move(sums))
                   : write_dense(context, input, groups, sums);
  }

 private:
  static absl::Status check(KernelContext& context) {
    const Tensor &indices = context.input(0), &values = context.input(1), &shape = context.input(2),
                 &axes = context.input(3);
    if (!is_vector(shape))
      return invalid("Expected input_shape to be a vector; got shape: ", shape.shape().to_string());
    if (axes.rank() > 1) {
      return invalid("Expected reduction_axes to be a scalar or a vector, got shape ",
                     axes.shape().to_string());
    }
    const int64_t rank = shape.dim(0);
    for (int64_t axis : ints_of(axes)) {
      if (axis < -rank || axis >= rank)
        return invalid("Invalid reduction dimension ", axis, ", for input with ", rank, " dimensions.");
    }
    if (indices.rank() != 2)
      return invalid("indices must be a matrix, but got: ", indices.shape().to_string());
    if (!is_vector(values)) return invalid("vals must be a vec, but got: ", values.shape().to_string());
    if (indices.dim(0) != values.dim(0)) {
      return invalid("indices and values rows (indexing dimension) must match. (indices = ", indices.dim(0),
                     ", values = ", values.dim(0), ")");
    }
    if (indices.dim(1) != rank) return invalid("Order length must be SparseTensor rank.");
    return absl::OkStatus();
  }

  Groups group(const Sparse& input, const Tensor& axes) const {
    const int rank = input.rank();
    Groups g;
    g.reduced.assign(static_cast<size_t>(rank), false);
    for (int64_t axis : ints_of(axes)) g.reduced[axis < 0 ? axis + rank : axis] = true;
    std::vector<int> kept;
    for (int d = 0; d < rank; ++d) {
      if (!g.reduced[d]) kept.push_back(d);
      if (!g.reduced[d]) g.dims.push_back(input.dims[d]);
      if (g.reduced[d] && keep_) g.dims.push_back(1);
    }
    auto compare = [&](int64_t a, int64_t b) {
      for (int d : kept) {
        if (input.row(a)[d] != input.row(b)[d]) return input.row(a)[d] < input.row(b)[d] ? -1 : 1;
      }
      return 0;
    };
    g.order.resize(static_cast<size_t>(input.nnz()));
    std::iota(g.order.begin(), g.order.end(), 0);
    std::stable_sort(g.order.begin(), g.order.end(), [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
    for (int64_t i = 0; i < input.nnz(); ++i) {
      if (i == 0 || compare(g.order[i - 1], g.order[i]) != 0) g.begins.push_back(i);
    }
    g.begins.push_back(input.nnz());
    return g;
  }

  /// The place of group number `i` in the result, one number per dimension of it.
  Indices place(const Sparse& input, const Groups& g, size_t i) const {
    Indices at;
    const int64_t* row = input.row(g.order[g.begins[i]]);
    for (int d = 0; d < input.rank(); ++d) {
      if (!g.reduced[d]) at.push_back(row[d]);
      if (g.reduced[d] && keep_) at.push_back(0);
    }
    return at;
  }

  absl::Status write_dense(KernelContext& context, const Sparse& input, const Groups& g,
                           const Tensor& sums) const {
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({g.dims.data(), g.dims.size()}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    const Indices strides = strides_of(shape);
    for (size_t i = 0; i + 1 < g.begins.size(); ++i) {
      const Indices at = place(input, g, i);
      uint64_t sum = 0;
      for (size_t d = 0; d < at.size(); ++d)
        sum += static_cast<uint64_t>(at[d]) * static_cast<uint64_t>(strides[d]);
      const auto offset = static_cast<int64_t>(sum);
      if (offset < 0 || offset >= out->num_elements()) {
        return absl::InternalError(absl::StrCat("Obtained a write index of ", offset,
                                                " which is outside of bounds of [0, ", out->num_elements(),
                                                ")"));
      }
      copy_elements(sums, static_cast<int64_t>(i), *out, offset, 1);
    }
    return absl::OkStatus();
  }

  absl::Status write_sparse(KernelContext& context, const Sparse& input, const Groups& g, Tensor sums) const {
    std::vector<int64_t> rows;
    for (size_t i = 0; i + 1 < g.begins.size(); ++i) {
      const Indices at = place(input, g, i);
      rows.insert(rows.end(), at.begin(), at.end());
    }
    TROUPE_RETURN_IF_ERROR(
        output_rows(context, 0, rows, sums.num_elements(), static_cast<int>(g.dims.size())));
    context.set_output(1, std::move(sums));
    return output_dims(context, 2, g.dims);
  }

  bool keep_ = false;
};

}  // namespace

void register_sparse_reduce(KernelRegistry* registry) {
  registry->add(
      KernelDef("SparseReduceSum").types("T", number_types()).kernel<SparseReduce<Combine::kAdd, false>>());
  registry->add(KernelDef("SparseReduceSumSparse")
                    .types("T", number_types())
                    .kernel<SparseReduce<Combine::kAdd, true>>());
  registry->add(KernelDef("SparseReduceMax")
                    .types("T", real_number_types())
                    .kernel<SparseReduce<Combine::kMax, false>>());
  registry->add(KernelDef("SparseReduceMaxSparse")
                    .types("T", real_number_types())
                    .kernel<SparseReduce<Combine::kMax, true>>());
}

}  // namespace troupe
