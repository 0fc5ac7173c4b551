// Transposes and products of matrices in compressed rows.
#include <algorithm>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/sparse/csr_matrix.h"

namespace troupe {
namespace {

template <class T>
T conjugate(const T& v) {
  if constexpr (std::is_floating_point_v<T>) {
    return v;
  } else {
    return std::conj(v);
  }
}

Shape transposed_shape(const Shape& shape) {
  std::vector<int64_t> dims = shape.to_vector();
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return *Shape::make(dims);
}

/// All matrices transposed: the elements of a column come in the order of their rows.
absl::StatusOr<std::shared_ptr<CsrMatrix>> transposed(const KernelContext& context, const CsrMatrix& in,
                                                      bool conj) {
  TROUPE_ASSIGN_OR_RETURN(auto out,
                          new_csr(context, transposed_shape(in.shape), in.dtype(), in.values.num_elements()));
  out->batch_starts = in.batch_starts;
  auto pointers = out->row_pointers.flat<int32_t>();
  TROUPE_ASSIGN_OR_RETURN(Tensor places, context.allocate_temp(DataType::kInt32, Shape{out->rows()}));
  auto next = places.flat<int32_t>();
  with_csr_type(in.dtype(), [&]<class T>(T) {
    for (int64_t b = 0; b < in.batches(); ++b) {
      const int32_t* starts = in.row_starts(b);
      const int32_t* columns = in.columns(b);
      int32_t* to = pointers.data() + b * (out->rows() + 1);
      for (int64_t k = 0; k < in.count(b); ++k) ++to[columns[k] + 1];
      for (int64_t row = 0; row < out->rows(); ++row) to[row + 1] += to[row];
      std::copy_n(to, next.size(), next.begin());
      const size_t first = static_cast<size_t>(in.batch_starts[static_cast<size_t>(b)]);
      for (int64_t row = 0; row < in.rows(); ++row) {
        for (int32_t k = starts[row]; k < starts[row + 1]; ++k) {
          const size_t at = first + static_cast<size_t>(next[static_cast<size_t>(columns[k])]++);
          out->column_indices.flat<int32_t>()[at] = static_cast<int32_t>(row);
          const T v = in.elements<T>(b)[k];
          out->values.template flat<T>()[at] = conj ? conjugate(v) : v;
        }
      }
    }
  });
  return out;
}

absl::Status transpose(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto in, input_csr(context, 0));
  TROUPE_ASSIGN_OR_RETURN(DataType type, context.node().attrs.get<DataType>("type"));
  if (in->dtype() != type) {
    return invalid("dtype of input is not equal to 'type': ", dtype_name(in->dtype()), " vs. ",
                   dtype_name(type));
  }
  TROUPE_ASSIGN_OR_RETURN(auto out,
                          transposed(context, *in, context.node().attrs.get_or<bool>("conjugate", false)));
  output_csr(context, std::move(out));
  return absl::OkStatus();
}

/// Conj of a variant: the elements, where they are.
absl::Status conjugate_elements(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto in, input_csr(context, 0));
  auto out = std::make_shared<CsrMatrix>(*in);
  TROUPE_ASSIGN_OR_RETURN(out->values, context.allocate_temp(in->dtype(), in->values.shape()));
  with_csr_type(in->dtype(), [&]<class T>(T) {
    std::ranges::transform(std::as_const(in->values).template flat<T>(),
                           out->values.template flat<T>().begin(), conjugate<T>);
  });
  output_csr(context, std::move(out));
  return absl::OkStatus();
}

/// What is done to an operand before the product.
struct Operand {
  bool transpose = false;
  bool conjugate = false;
};

absl::StatusOr<Operand> operand_of(const KernelConstruction& c, const char* name) {
  TROUPE_ASSIGN_OR_RETURN(bool transpose, c.attr<bool>(absl::StrCat("transpose_", name)));
  TROUPE_ASSIGN_OR_RETURN(bool adjoint, c.attr<bool>(absl::StrCat("adjoint_", name)));
  if (transpose && adjoint) {
    return invalid("Only one of adjoint_", name, " and transpose_", name, " may be true.");
  }
  return Operand{transpose || adjoint, adjoint};
}

absl::StatusOr<std::shared_ptr<const CsrMatrix>> prepared(const KernelContext& context,
                                                          std::shared_ptr<const CsrMatrix> matrix,
                                                          const Operand& operand) {
  if (!operand.transpose) return matrix;
  TROUPE_ASSIGN_OR_RETURN(auto turned, transposed(context, *matrix, operand.conjugate));
  return std::shared_ptr<const CsrMatrix>(std::move(turned));
}

/// A dense matrix seen through strides, so that it need not be transposed in memory.
template <class T>
struct DenseView {
  T* data;
  int64_t row_stride;
  int64_t col_stride;

  T& operator()(int64_t row, int64_t col) const { return data[row * row_stride + col * col_stride]; }
};

template <class T>
DenseView<T> view(T* data, int64_t rows, int64_t cols, bool transposed) {
  return transposed ? DenseView<T>{data, 1, rows} : DenseView<T>{data, cols, 1};
}

/// Sparse times dense: inputs a (variant) and b.
class SparseDenseProduct final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("transpose_output", &transpose_output_)("conjugate_output", &conjugate_output_);
  }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(a_, operand_of(c, "a"));
    TROUPE_ASSIGN_OR_RETURN(b_, operand_of(c, "b"));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(auto given, input_csr(context, 0));
    const Tensor& b = context.input(1);
    TROUPE_RETURN_IF_ERROR(check(*given, b));
    TROUPE_ASSIGN_OR_RETURN(auto a, prepared(context, given, a_));
    const int64_t cols = b.dim(b.rank() - (b_.transpose ? 2 : 1));
    std::vector<int64_t> dims = a->shape.to_vector();
    dims[dims.size() - 1] = cols;
    if (transpose_output_) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    with_csr_type(b.dtype(), [&]<class T>(T) { multiply<T>(context, *a, b, cols, out); });
    return absl::OkStatus();
  }

 private:
  absl::Status check(const CsrMatrix& a, const Tensor& b) const {
    if (a.dtype() != b.dtype()) {
      return invalid("Input types don't match.  a.dtype == ", dtype_name(a.dtype()),
                     " vs. b.dtype == ", dtype_name(b.dtype()));
    }
    if (a.rank() != b.rank())
      return invalid("Ranks of a and b must match, saw: ", a.rank(), " vs. ", b.rank(), ".");
    if (b.rank() == 3 && a.shape.dim(0) != b.dim(0)) {
      return invalid("Batch sizes of a and b must match, saw: ", a.shape.dim(0), " vs. ", b.dim(0), ".");
    }
    const int64_t inner = b.dim(b.rank() - (b_.transpose ? 1 : 2));
    if ((a_.transpose ? a.rows() : a.cols()) != inner) {
      return invalid("Inner product dimensions of A and B do not agree.  Shapes are: ", a.shape.to_string(),
                     " vs. ", b.shape().to_string());
    }
    return absl::OkStatus();
  }

  template <class T>
  void multiply(KernelContext& context, const CsrMatrix& a, const Tensor& b, int64_t cols,
                Tensor* out) const {
    const int64_t rows = a.rows(), inner = a.cols();
    std::fill(out->flat<T>().begin(), out->flat<T>().end(), T(0));
    const int64_t cost = 1 + cols * (a.values.num_elements() / std::max<int64_t>(1, rows * a.batches()) + 1);
    context.parallel().parallel_for(rows * a.batches(), cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t batch = i / rows, row = i % rows;
        auto from = view(b.flat<T>().data() + batch * inner * cols, inner, cols, b_.transpose);
        auto to = view(out->flat<T>().data() + batch * rows * cols, rows, cols, transpose_output_);
        const int32_t* starts = a.row_starts(batch);
        for (int32_t k = starts[row]; k < starts[row + 1]; ++k) {
          const T v = a.elements<T>(batch)[k];
          const int64_t at = a.columns(batch)[k];
          for (int64_t j = 0; j < cols; ++j) {
            const T other = from(at, j);
            to(row, j) += v * (b_.conjugate ? conjugate(other) : other);
          }
        }
        for (int64_t j = 0; conjugate_output_ && j < cols; ++j) to(row, j) = conjugate(to(row, j));
      }
    });
  }

  Operand a_;
  Operand b_;
  bool transpose_output_ = false;
  bool conjugate_output_ = false;
};

/// Sparse times sparse. Elements that cancel out stay, as zeros.
class SparseSparseProduct final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("type", &type_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(a_, operand_of(c, "a"));
    TROUPE_ASSIGN_OR_RETURN(b_, operand_of(c, "b"));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(auto given_a, input_csr(context, 0));
    TROUPE_ASSIGN_OR_RETURN(auto given_b, input_csr(context, 1));
    TROUPE_RETURN_IF_ERROR(check(*given_a, *given_b));
    TROUPE_ASSIGN_OR_RETURN(auto a, prepared(context, given_a, a_));
    TROUPE_ASSIGN_OR_RETURN(auto b, prepared(context, given_b, b_));
    return with_csr_type(type_, [&]<class T>(T) { return multiply<T>(context, *a, *b); });
  }

 private:
  absl::Status check(const CsrMatrix& a, const CsrMatrix& b) const {
    if (a.dtype() != type_ || b.dtype() != type_) {
      return invalid("dtypes of a and b are not equal to 'type': ", dtype_name(a.dtype()), " and ",
                     dtype_name(b.dtype()), " vs. ", dtype_name(type_));
    }
    const int64_t inner = b_.transpose ? b.cols() : b.rows();
    if (a.rank() != b.rank() || (a_.transpose ? a.rows() : a.cols()) != inner) {
      return invalid("Inner product dimensions of A and B do not agree.  Shapes are: ", a.shape.to_string(),
                     " vs. ", b.shape.to_string());
    }
    if (a.batches() != b.batches()) {
      return invalid("Batch sizes of a and b must match, saw: ", a.batches(), " vs. ", b.batches(), ".");
    }
    return absl::OkStatus();
  }

  template <class T>
  static absl::Status multiply(KernelContext& context, const CsrMatrix& a, const CsrMatrix& b) {
    std::vector<int32_t> row_counts, columns;
    std::vector<T> values;
    std::vector<int64_t> batch_counts;
    std::vector<std::pair<int32_t, T>> terms;
    for (int64_t batch = 0; batch < a.batches(); ++batch) {
      const size_t before = values.size();
      for (int64_t row = 0; row < a.rows(); ++row) {
        const size_t row_begin = values.size();
        row_terms(a, b, batch, row, &terms);
        for (const auto& [col, product] : terms) {
          if (values.size() > row_begin && columns.back() == col) {
            values.back() += product;
          } else {
            columns.push_back(col);
            values.push_back(product);
          }
        }
        row_counts.push_back(static_cast<int32_t>(values.size() - row_begin));
      }
      batch_counts.push_back(static_cast<int64_t>(values.size() - before));
    }
    std::vector<int64_t> dims = a.shape.to_vector();
    dims[dims.size() - 1] = b.cols();
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(auto out,
                            new_csr(context, shape, a.dtype(), static_cast<int64_t>(values.size())));
    auto pointers = out->row_pointers.flat<int32_t>();
    for (int64_t batch = 0; batch < a.batches(); ++batch) {
      out->batch_starts[static_cast<size_t>(batch) + 1] =
          static_cast<int32_t>(batch_counts[static_cast<size_t>(batch)]);
      std::copy_n(row_counts.begin() + batch * a.rows(), a.rows(),
                  pointers.begin() + batch * (a.rows() + 1) + 1);
    }
    sum_csr_counts(out.get());
    std::copy(columns.begin(), columns.end(), out->column_indices.flat<int32_t>().begin());
    std::copy(values.begin(), values.end(), out->values.template flat<T>().begin());
    output_csr(context, std::move(out));
    return absl::OkStatus();
  }

  /// The products that add up to one row, by column; those of a column in the order of the inner dimension.
  template <class T>
  static void row_terms(const CsrMatrix& a, const CsrMatrix& b, int64_t batch, int64_t row,
                        std::vector<std::pair<int32_t, T>>* terms) {
    terms->clear();
    const int32_t* starts = a.row_starts(batch);
    const int32_t* other = b.row_starts(batch);
    for (int32_t k = starts[row]; k < starts[row + 1]; ++k) {
      const T v = a.elements<T>(batch)[k];
      const int32_t inner = a.columns(batch)[k];
      for (int32_t m = other[inner]; m < other[inner + 1]; ++m) {
        terms->emplace_back(b.columns(batch)[m], v * b.elements<T>(batch)[m]);
      }
    }
    std::stable_sort(terms->begin(), terms->end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
  }

  Operand a_;
  Operand b_;
  DataType type_ = DataType::kFloat;
};

}  // namespace

void register_sparse_csr_math(KernelRegistry* r) {
  r->add(KernelDef("SparseMatrixTranspose").types("type", csr_types()).fn(transpose));
  r->add(KernelDef("Conj").types("T", {DataType::kVariant}).fn(conjugate_elements));
  r->add(KernelDef("SparseMatrixMatMul").types("T", csr_types()).kernel<SparseDenseProduct>());
  r->add(KernelDef("SparseMatrixSparseMatMul").types("type", csr_types()).kernel<SparseSparseProduct>());
}

}  // namespace troupe
