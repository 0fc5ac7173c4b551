// Einsum of one or two operands: diagonals and permutations are copies, solo labels are summed first, and
// what is left is a batch of matrix products.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "devices/common/matmul/einsum_equation.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/primitives/gemm.h"

namespace troupe {
namespace {

/// One axis of an operand; `stride` adds up where a label is repeated, which reads the diagonal.
struct Axis {
  int label;
  int64_t size;
  int64_t stride;
};
using Axes = std::vector<Axis>;

bool has_label(const Axes& axes, int label) {
  return std::any_of(axes.begin(), axes.end(), [&](const Axis& a) { return a.label == label; });
}

int64_t elements_of(const Axes& axes) {
  int64_t n = 1;
  for (const Axis& a : axes) n *= a.size;
  return n;
}

/// Row-major strides for axes in the given order.
void set_dense_strides(Axes* axes) {
  int64_t stride = 1;
  for (size_t i = axes->size(); i-- > 0;) {
    (*axes)[i].stride = stride;
    stride *= (*axes)[i].size;
  }
}

/// An operand, or an intermediate: its memory, and the axes longer than 1 in the order of the memory.
struct Operand {
  Tensor data;
  Axes axes;
};

/// The axes of `o` in the order of `labels`, all of which it has.
Axes in_order(const Operand& o, const std::vector<int>& labels) {
  Axes axes;
  for (int label : labels) {
    axes.push_back(
        *std::find_if(o.axes.begin(), o.axes.end(), [&](const Axis& a) { return a.label == label; }));
  }
  return axes;
}

bool is_dense(const Axes& axes) {
  int64_t stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    if (axes[i].stride != stride) return false;
    stride *= axes[i].size;
  }
  return true;
}

/// The operand with its axes in that order and dense: a copy unless it is so already.
absl::StatusOr<Operand> arrange(KernelContext& context, const Operand& o, const std::vector<int>& labels) {
  Axes from = in_order(o, labels);
  if (is_dense(from)) return Operand{o.data, std::move(from)};
  Operand result{Tensor(), from};
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(o.data.dtype(), Shape{elements_of(from)}));
  Box box;
  for (size_t i = 0; i < from.size(); ++i) box.add(from[i].size, from[i].stride, result.axes[i].stride);
  copy_box(context.parallel(), o.data.dtype(), box, o.data.raw(), result.data.raw());
  return result;
}

template <class T>
using Sum =
    std::conditional_t<std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>, float,
                       std::conditional_t<std::is_same_v<T, int32_t>, uint32_t,
                                          std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>>>;

/// Sums over all labels that are not in `kept`, whose order the result has.
template <class T>
absl::StatusOr<Operand> sum_out(KernelContext& context, const Operand& o, const std::vector<int>& kept) {
  std::vector<int> order = kept;
  for (const Axis& a : o.axes) {
    if (std::find(kept.begin(), kept.end(), a.label) == kept.end()) order.push_back(a.label);
  }
  TROUPE_ASSIGN_OR_RETURN(Operand rows, arrange(context, o, order));
  if (order.size() == kept.size()) return rows;
  Operand result{Tensor(), Axes(rows.axes.begin(), rows.axes.begin() + static_cast<int64_t>(kept.size()))};
  const int64_t count = elements_of(result.axes);
  const int64_t width =
      elements_of(Axes(rows.axes.begin() + static_cast<int64_t>(kept.size()), rows.axes.end()));
  set_dense_strides(&result.axes);
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(o.data.dtype(), Shape{count}));
  const T* from = rows.data.flat<T>().data();
  T* to = result.data.flat<T>().data();
  context.parallel().parallel_for(count, width, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Sum<T> lanes[4] = {Sum<T>(0), Sum<T>(0), Sum<T>(0), Sum<T>(0)};
      for (int64_t k = 0; k < width; ++k) lanes[k % 4] += static_cast<Sum<T>>(from[i * width + k]);
      to[i] = static_cast<T>((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
    }
  });
  return result;
}

/// C[b] = A[b] * B[b], with the shortcuts that products with extents of 1 deserve.
template <class T>
void multiply(ParallelRunner& runner, bool transpose_a, bool transpose_b, int64_t batch, int64_t m, int64_t n,
              int64_t k, const T* a, const T* b, T* c) {
  using S = Sum<T>;
  if (m == 1 && n == 1) {
    runner.parallel_for(batch, k, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        S sum(0);
        for (int64_t j = 0; j < k; ++j) sum += static_cast<S>(a[i * k + j]) * static_cast<S>(b[i * k + j]);
        c[i] = static_cast<T>(sum);
      }
    });
    return;
  }
  const MatrixOp op_a = transpose_a ? MatrixOp::kTranspose : MatrixOp::kNone;
  const MatrixOp op_b = transpose_b ? MatrixOp::kTranspose : MatrixOp::kNone;
  if (batch == 1) return parallel_gemm<T>(runner, op_a, op_b, m, n, k, a, b, c);
  const double cost = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / 10 + 300;
  runner.parallel_for(batch, static_cast<int64_t>(std::min(cost, 1e12)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      gemm<T>(op_a, op_b, m, n, k, a + i * m * k, b + i * k * n, c + i * m * n);
    }
  });
}

std::vector<int> joined(std::initializer_list<const std::vector<int>*> parts) {
  std::vector<int> all;
  for (const auto* p : parts) all.insert(all.end(), p->begin(), p->end());
  return all;
}

int64_t size_of(const Operand& o, const std::vector<int>& labels) { return elements_of(in_order(o, labels)); }

/// The operand as a batch of matrices, rows by columns, transposed when its memory has it that way.
absl::StatusOr<Operand> as_matrices(KernelContext& context, const Operand& o, const std::vector<int>& batch,
                                    const std::vector<int>& rows, const std::vector<int>& cols,
                                    bool* transposed) {
  *transposed = !is_dense(in_order(o, joined({&batch, &rows, &cols}))) &&
                is_dense(in_order(o, joined({&batch, &cols, &rows})));
  return arrange(context, o, *transposed ? joined({&batch, &cols, &rows}) : joined({&batch, &rows, &cols}));
}

/// The product of two operands without solo labels; `wanted` are the output's labels in order.
template <class T>
absl::StatusOr<Operand> contract(KernelContext& context, const Operand* a, const Operand* b,
                                 const std::vector<int>& wanted) {
  std::vector<int> batch, rows, cols, inner;
  for (int label : wanted) {
    const bool in_a = has_label(a->axes, label), in_b = has_label(b->axes, label);
    if (in_a || in_b) (in_a && in_b ? batch : in_a ? rows : cols).push_back(label);
  }
  for (const Axis& axis : a->axes) {
    if (std::find(wanted.begin(), wanted.end(), axis.label) == wanted.end()) inner.push_back(axis.label);
  }
  std::vector<int> direct = wanted;
  if (direct == joined({&batch, &cols, &rows})) {
    std::swap(a, b);
    std::swap(rows, cols);
  }
  const int64_t count = size_of(*a, batch), m = size_of(*a, rows), n = size_of(*b, cols),
                k = size_of(*a, inner);
  bool transpose_a = false, transpose_b = false;
  TROUPE_ASSIGN_OR_RETURN(Operand left, as_matrices(context, *a, batch, rows, inner, &transpose_a));
  TROUPE_ASSIGN_OR_RETURN(Operand right, as_matrices(context, *b, batch, inner, cols, &transpose_b));
  Operand result;
  for (const auto& axis : in_order(*a, joined({&batch, &rows}))) result.axes.push_back(axis);
  for (const auto& axis : in_order(*b, cols)) result.axes.push_back(axis);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{count, m, n}}));
  TROUPE_ASSIGN_OR_RETURN(result.data, context.allocate_temp(a->data.dtype(), shape));
  set_dense_strides(&result.axes);
  if (shape.num_elements() > 0) {
    multiply<T>(context.parallel(), transpose_a, transpose_b, count, m, n, k, left.data.flat<T>().data(),
                right.data.flat<T>().data(), result.data.flat<T>().data());
  }
  return result;
}

template <class T>
class Einsum final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string text, c.attr<std::string>("equation"));
    TROUPE_ASSIGN_OR_RETURN(equation_, parse_equation(text));
    if (static_cast<int>(equation_.inputs.size()) != c.num_inputs()) {
      return invalid("Expected ", equation_.inputs.size(), " inputs for equation '", text,
                     "' but got: ", c.num_inputs());
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    std::vector<int64_t> sizes(kLabels, -1);
    std::vector<Operand> operands;
    int broadcast_rank = 0;
    for (int i = 0; i < context.num_inputs(); ++i) {
      TROUPE_ASSIGN_OR_RETURN(Operand o, read(context, i, &sizes, &broadcast_rank));
      operands.push_back(std::move(o));
    }
    Shape shape;
    std::vector<int> labels;
    TROUPE_RETURN_IF_ERROR(plan_output(sizes, broadcast_rank, &labels, &shape));
    std::vector<int> wanted;  // without repetitions and axes of length 1
    for (int label : labels) {
      if (sizes[label] != 1 && std::find(wanted.begin(), wanted.end(), label) == wanted.end())
        wanted.push_back(label);
    }
    Operand result;
    if (operands.size() == 1) {
      TROUPE_ASSIGN_OR_RETURN(result, sum_out<T>(context, operands[0], wanted));
    } else {
      for (size_t i = 0; i < 2; ++i) {
        TROUPE_RETURN_IF_ERROR(drop_solo(context, operands[1 - i], wanted, &operands[i]));
      }
      TROUPE_ASSIGN_OR_RETURN(result, contract<T>(context, &operands[0], &operands[1], wanted));
    }
    return write(context, result, labels, wanted, shape);
  }

 private:
  /// Input i with its axes; fills in and checks the sizes of labels.
  absl::StatusOr<Operand> read(KernelContext& context, int i, std::vector<int64_t>* sizes,
                               int* broadcast_rank) const {
    const Tensor& t = context.input(i);
    const Subscript& s = equation_.inputs[i];
    TROUPE_ASSIGN_OR_RETURN(std::vector<int> labels, expand_ellipsis(s, t.rank(), i));
    if (std::find(s.begin(), s.end(), kEllipsis) != s.end()) {
      *broadcast_rank = std::max(*broadcast_rank, t.rank() - static_cast<int>(s.size()) + 1);
    }
    Indices strides = strides_of(t.shape());
    Operand o{t, {}};
    for (int d = 0; d < t.rank(); ++d) {
      const int label = labels[d];
      const int64_t size = t.dim(d);
      int64_t& known = (*sizes)[label];
      if (known == -1 || (label >= kBroadcast && known == 1)) {
        known = size;
      } else if (known != size && !(label >= kBroadcast && size == 1)) {
        if (label >= kBroadcast) {
          return invalid("In[0] and In[1] must have compatible batch dimensions: ",
                         context.input(0).shape().to_string(), " vs. ", t.shape().to_string());
        }
        return invalid("Expected dimension ", known, " at axis ", d, " of the input shaped ",
                       t.shape().to_string(), " but got dimension ", size);
      }
      if (size == 1) continue;
      auto same = std::find_if(o.axes.begin(), o.axes.end(), [&](const Axis& a) { return a.label == label; });
      if (same == o.axes.end()) {
        o.axes.push_back({label, size, strides[d]});
      } else {
        same->stride += strides[d];
      }
    }
    return o;
  }

  absl::Status plan_output(const std::vector<int64_t>& sizes, int broadcast_rank, std::vector<int>* labels,
                           Shape* shape) const {
    std::vector<int64_t> dims;
    bool ellipsis = false;
    for (int label : equation_.output) {
      if (label == kEllipsis) {
        ellipsis = true;
        for (int i = broadcast_rank - 1; i >= 0; --i) labels->push_back(kBroadcast + i);
      } else if (sizes[label] < 0) {
        return invalid("Output subscript label '", std::string(1, static_cast<char>(label)),
                       "' does not appear in any input subscript");
      } else {
        labels->push_back(label);
      }
    }
    if (broadcast_rank > 0 && !ellipsis) {
      return invalid("Output contains ", broadcast_rank,
                     " broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.");
    }
    for (int label : *labels) dims.push_back(sizes[label]);
    TROUPE_ASSIGN_OR_RETURN(*shape, Shape::make(dims));
    return absl::OkStatus();
  }

  /// Sums over the labels that only this operand has and the output does not.
  absl::Status drop_solo(KernelContext& context, const Operand& other, const std::vector<int>& wanted,
                         Operand* o) const {
    std::vector<int> kept;
    for (const Axis& a : o->axes) {
      if (has_label(other.axes, a.label) || std::find(wanted.begin(), wanted.end(), a.label) != wanted.end())
        kept.push_back(a.label);
    }
    if (kept.size() == o->axes.size()) return absl::OkStatus();
    TROUPE_ASSIGN_OR_RETURN(*o, sum_out<T>(context, *o, kept));
    return absl::OkStatus();
  }

  /// Puts the result into the order of the output, on the diagonal where a label is repeated.
  absl::Status write(KernelContext& context, const Operand& result, const std::vector<int>& labels,
                     const std::vector<int>& wanted, const Shape& shape) const {
    Axes from = in_order(result, wanted);
    Indices strides = strides_of(shape);
    Axes to = from;
    for (Axis& axis : to) {
      axis.stride = 0;
      for (size_t d = 0; d < labels.size(); ++d) axis.stride += labels[d] == axis.label ? strides[d] : 0;
    }
    if (shape.num_elements() > 0 && is_dense(from) && is_dense(to)) {
      context.set_output(0, result.data.reshaped(shape));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    if (elements_of(to) != shape.num_elements())
      fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    Box box;
    for (size_t i = 0; i < from.size(); ++i) box.add(from[i].size, from[i].stride, to[i].stride);
    copy_box(context.parallel(), out->dtype(), box, result.data.raw(), out->raw());
    return absl::OkStatus();
  }

  Equation equation_;
};

template <class... Ts>
void add_types(KernelRegistry* registry) {
  (registry->add(KernelDef("Einsum").type<Ts>("T").template kernel<Einsum<Ts>>()), ...);
}

}  // namespace

void register_matmul_einsum(KernelRegistry* registry) {
  add_types<float, double, Eigen::half, Eigen::bfloat16, int32_t, int64_t, std::complex<float>,
            std::complex<double>>(registry);
}

}  // namespace troupe
