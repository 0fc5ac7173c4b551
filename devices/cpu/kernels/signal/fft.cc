// Fourier transforms, complex and real, in double precision: of the last one to three axes, or of any axes.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/signal/fft_line.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using Complex = std::complex<double>;

/// Longer transforms would need gigabytes for their tables.
constexpr int64_t kMaxLength = int64_t{1} << 27;
/// Lines that are transformed side by side, in registers.
constexpr int64_t kLines = 4;

/// fn(elements of their own type).
template <class Fn>
void with_elements(DataType dtype, const void* base, Fn fn) {
  switch (dtype) {
    case DataType::kFloat: return fn(static_cast<const float*>(base));
    case DataType::kDouble: return fn(static_cast<const double*>(base));
    case DataType::kComplex64: return fn(static_cast<const std::complex<float>*>(base));
    default: return fn(static_cast<const Complex*>(base));
  }
}

Complex element(const Tensor& t, int64_t i) {
  Complex value;
  with_elements(t.dtype(), t.raw(), [&](const auto* p) { value = Complex(p[i]); });
  return value;
}

void set_element(Tensor* t, int64_t i, Complex value) {
  with_elements(t->dtype(), t->raw(), [&]<class T>(const T* p) {
    if constexpr (std::is_floating_point_v<T>) {
      const_cast<T*>(p)[i] = static_cast<T>(value.real());
    } else {
      const_cast<T*>(p)[i] = static_cast<T>(value);
    }
  });
}

/// A box of up to three axes, row-major.
struct Box3 {
  int64_t size[3] = {1, 1, 1};
  int64_t elements() const { return size[0] * size[1] * size[2]; }
};

/// A transform of the last axes of a batch of items: `in` and `out` are what an item has, `work` the lengths.
struct Transform {
  int rank = 1;
  bool inverse = false;
  FftKind kind = FftKind::kComplex;
  Box3 in, work, out;

  double scale() const { return inverse ? 1.0 / static_cast<double>(work.elements()) : 1.0; }
};

/// Transforms, in place, `outer` blocks of n lines whose elements lie `stride` apart.
void transform_lines(const FftLinePlan& plan, int64_t outer, int64_t n, int64_t stride, Complex* data,
                     FftLines* x) {
  // Lines of one element's neighbours lie side by side.
  std::vector<Complex> lines(static_cast<size_t>(n * kLines));
  for (int64_t first = 0; first < outer * stride; first += kLines) {
    const int64_t count = std::min(kLines, outer * stride - first);
    const auto place = [&](int64_t l) {
      return data + (first + l) / stride * n * stride + (first + l) % stride;
    };
    for (int64_t l = 0; l < count; ++l) {
      for (int64_t k = 0; k < n; ++k) lines[l * n + k] = place(l)[k * stride];
    }
    const auto line = [&](int64_t l) { return lines.data() + l * n; };
    plan.run(count, line, line, 1, x);
    for (int64_t l = 0; l < count; ++l) {
      for (int64_t k = 0; k < n; ++k) place(l)[k * stride] = lines[l * n + k];
    }
  }
}

/// The last axis of lines [begin, end), counted over all items, from `from`, which has rows of `in`, to `to`, which has those of `out`.
template <class T, class U>
void transform_last(const Transform& t, const FftLinePlan& plan, int64_t begin, int64_t end, const T* from,
                    const Box3& in, U* to, const Box3& out, double scale, FftLines* x) {
  const auto row = [&](const Box3& box, int64_t line) {
    const int64_t j = line % t.work.size[1], i = line / t.work.size[1] % t.work.size[0];
    const int64_t item = line / t.work.size[1] / t.work.size[0];
    return ((item * box.size[0] + i) * box.size[1] + j) * box.size[2];
  };
  for (int64_t first = begin; first < end; first += kLines) {
    plan.run(
        std::min(kLines, end - first), [&](int64_t l) { return from + row(in, first + l); },
        [&](int64_t l) { return to + row(out, first + l); }, scale, x);
  }
}

/// The axes but the last of one item, whose rows have `width` elements.
void transform_others(const Transform& t, int64_t width, Complex* data, FftLines* x) {
  for (int axis = 3 - t.rank; axis < 2; ++axis) {
    const int64_t n = t.work.size[axis], stride = axis == 0 ? t.work.size[1] * width : width;
    const FftLinePlan plan(FftKind::kComplex, t.inverse, n);
    transform_lines(plan, t.work.size[0] * t.work.size[1] * width / (n * stride), n, stride, data, x);
  }
}

/// Item `b` of several axes, by way of a box of its own.
template <class T, class U>
void transform_item(const Transform& t, const FftLinePlan& last, const T* from, int64_t b, U* to) {
  const int64_t rows = t.work.size[0] * t.work.size[1];
  Box3 box = t.work;
  if (t.kind != FftKind::kComplex) box.size[2] = t.work.size[2] / 2 + 1;
  std::vector<Complex> data(static_cast<size_t>(box.elements()));
  FftLines x;
  from += b * t.in.elements();
  to += b * t.out.elements();
  if (t.kind == FftKind::kRealInverse) {
    if constexpr (!std::is_floating_point_v<T>) {
      for (int64_t i = 0; i < box.size[0]; ++i) {
        for (int64_t j = 0; j < box.size[1]; ++j) {
          const T* const row = from + (i * t.in.size[1] + j) * t.in.size[2];
          std::copy_n(row, box.size[2], data.begin() + (i * box.size[1] + j) * box.size[2]);
        }
      }
    }
    transform_others(t, box.size[2], data.data(), &x);
    return transform_last(t, last, 0, rows, data.data(), box, to, t.out, t.scale(), &x);
  }
  transform_last(t, last, 0, rows, from, t.in, data.data(), box, 1, &x);
  transform_others(t, box.size[2], data.data(), &x);
  if constexpr (!std::is_floating_point_v<U>) {
    for (int64_t i = 0; i < box.elements(); ++i) to[i] = static_cast<U>(data[i] * t.scale());
  }
}

template <class T, class U>
void transform_all(KernelContext& context, const Transform& t, int64_t batch, const T* from, U* to) {
  const FftLinePlan last(t.kind, t.inverse, t.work.size[2]);
  const int64_t cost = t.work.elements() * 10;
  if (t.rank > 1) {
    context.parallel().parallel_for(batch, cost, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) transform_item(t, last, from, b, to);
    });
    return;
  }
  const int64_t groups = (batch + kLines - 1) / kLines;
  context.parallel().parallel_for(groups, cost * kLines, [&](int64_t begin, int64_t end) {
    FftLines x;
    transform_last(t, last, begin * kLines, std::min(batch, end * kLines), from, t.in, to, t.out, t.scale(),
                   &x);
  });
}

absl::Status check_length(int64_t n) {
  if (n <= kMaxLength) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("A Fourier transform of length ", n, " is too long"));
}

/// Real and complex side of a real transform must be of one precision.
absl::Status check_types(KernelContext& context, FftKind kind) {
  if (kind == FftKind::kComplex) return absl::OkStatus();
  const DataType in = context.input_type(0), out = context.output_type(0);
  const DataType real = kind == FftKind::kRealForward ? in : out,
                 complex = kind == FftKind::kRealForward ? out : in;
  if ((real == DataType::kFloat) == (complex == DataType::kComplex64)) return absl::OkStatus();
  return invalid("Wrong types for ", kind == FftKind::kRealForward ? "forward" : "backward",
                 " real FFT: in=", static_cast<int>(in), " out=", static_cast<int>(out));
}

absl::Status fft(KernelContext& context, int rank, bool inverse, FftKind kind) {
  const Tensor& input = context.input(0);
  TROUPE_RETURN_IF_ERROR(check_types(context, kind));
  if (input.rank() < rank) {
    return invalid("Input must have rank of at least ", rank, " but got: ", input.shape().to_string());
  }
  Transform t;
  t.rank = rank;
  t.inverse = inverse;
  t.kind = kind;
  Shape shape = input.shape();
  int first = input.rank() - rank;
  for (int i = 0; i < rank; ++i) t.in.size[3 - rank + i] = input.dim(first + i);
  t.work = t.in;
  if (kind != FftKind::kComplex) {
    const Tensor& lengths = context.input(1);
    if (!is_vector(lengths) || lengths.dim(0) != rank)
      return invalid("fft_length must have shape [", rank, "]");
    for (int i = 0; i < rank; ++i) {
      int64_t length = int_at(lengths, i);
      if (length < 0) return invalid("fft_length[", i, "] must >= 0, but got: ", length);
      bool inner = i == rank - 1;
      int64_t needed = inner && kind == FftKind::kRealInverse ? (length == 0 ? 0 : length / 2 + 1) : length;
      if (input.num_elements() > 0 && input.dim(first + i) < needed) {
        return invalid("Input dimension ", first + i, " must have length of at least ", needed,
                       " but got: ", input.dim(first + i));
      }
      t.work.size[3 - rank + i] = length;
      int64_t result = inner && kind == FftKind::kRealForward ? (length == 0 ? 0 : length / 2 + 1) : length;
      shape.set_dim(first + i, result);
    }
  }
  TROUPE_ASSIGN_OR_RETURN(shape, Shape::make(shape.to_vector()));
  for (int i = 0; i < rank; ++i) t.out.size[3 - rank + i] = shape.dim(first + i);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  if (input.num_elements() == 0) {
    fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    return absl::OkStatus();
  }
  for (int64_t n : t.work.size) TROUPE_RETURN_IF_ERROR(check_length(n));
  const int64_t batch = count_dims(input.shape(), 0, first);
  with_elements(input.dtype(), input.raw(), [&]<class T>(const T* from) {
    with_elements(out->dtype(), out->raw(),
                  [&]<class U>(const U* to) { transform_all(context, t, batch, from, const_cast<U*>(to)); });
  });
  return absl::OkStatus();
}

/// What a transform of chosen axes does to shapes: `work` is transformed, `in` and `out` are the tensors
/// around it.
struct AxesPlan {
  std::vector<int> axes;
  std::vector<int64_t> in, work, out;
};

absl::StatusOr<AxesPlan> plan_axes(const Tensor& input, const Tensor& lengths, const Tensor& axes,
                                   FftKind kind) {
  if (!is_vector(lengths) || !is_vector(axes) || lengths.dim(0) != axes.dim(0)) {
    return invalid("fft_length and axes must be vectors of one size, got shapes ",
                   lengths.shape().to_string(), " and ", axes.shape().to_string());
  }
  AxesPlan plan;
  plan.in = plan.work = plan.out = input.shape().to_vector();
  const int rank = input.rank();
  for (int64_t i = 0; i < axes.dim(0); ++i) {
    int64_t axis = int_at(axes, i), length = int_at(lengths, i);
    if (axis < -rank || axis >= rank)
      return invalid("axes[", i, "] = ", axis, " is out of range for an input of rank ", rank);
    if (axis < 0) axis += rank;
    if (std::find(plan.axes.begin(), plan.axes.end(), axis) != plan.axes.end())
      return invalid("axes must be unique, got ", axis, " twice");
    if (length < 0) return invalid("fft_length[", i, "] must >= 0, but got: ", length);
    TROUPE_RETURN_IF_ERROR(check_length(length));
    plan.axes.push_back(static_cast<int>(axis));
    plan.work[axis] = plan.out[axis] = length;
    const bool last = i + 1 == axes.dim(0);
    if (last && kind == FftKind::kRealForward) plan.out[axis] = length == 0 ? 0 : length / 2 + 1;
  }
  if (kind != FftKind::kComplex && plan.axes.empty())
    return invalid("A real transform needs at least one axis");
  return plan;
}

/// Calls fn(offset in a, offset in b) for all positions that both boxes have.
template <class Fn>
void for_overlap(const std::vector<int64_t>& a, const std::vector<int64_t>& b, Fn&& fn) {
  const int rank = static_cast<int>(a.size());
  std::vector<int64_t> size(a.size()), at(a.size(), 0), a_strides(a.size(), 1), b_strides(a.size(), 1);
  for (int d = rank - 1; d >= 0; --d) {
    size[d] = std::min(a[d], b[d]);
    if (size[d] == 0) return;
    if (d + 1 < rank) {
      a_strides[d] = a_strides[d + 1] * a[d + 1];
      b_strides[d] = b_strides[d + 1] * b[d + 1];
    }
  }
  for (;;) {
    int64_t i = 0, j = 0;
    for (int d = 0; d < rank; ++d) {
      i += at[d] * a_strides[d];
      j += at[d] * b_strides[d];
    }
    fn(i, j);
    int d = rank - 1;
    while (d >= 0 && ++at[d] == size[d]) at[d--] = 0;
    if (d < 0) return;
  }
}

/// Along `axis` of `dims`, fills in the half of a Hermitian spectrum that the other half determines.
void mirror(const std::vector<int64_t>& dims, int axis, Complex* data) {
  const int64_t n = dims[axis];
  int64_t outer = 1, stride = 1;
  for (int d = 0; d < axis; ++d) outer *= dims[d];
  for (size_t d = static_cast<size_t>(axis) + 1; d < dims.size(); ++d) stride *= dims[d];
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t k = n / 2 + 1; k < n; ++k) {
      for (int64_t i = 0; i < stride; ++i)
        data[(o * n + k) * stride + i] = std::conj(data[(o * n + n - k) * stride + i]);
    }
  }
}

/// FFTND and its like: chosen axes in turn, padded with zeros or cropped to the given lengths.
absl::Status fft_of_axes(KernelContext& context, bool inverse, FftKind kind) {
  const Tensor& input = context.input(0);
  TROUPE_RETURN_IF_ERROR(check_types(context, kind));
  TROUPE_ASSIGN_OR_RETURN(AxesPlan plan, plan_axes(input, context.input(1), context.input(2), kind));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(plan.out));
  TROUPE_ASSIGN_OR_RETURN(Shape work, Shape::make(plan.work));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(Tensor temp, context.allocate_temp(DataType::kComplex128, work));
  Complex* data = temp.flat<Complex>().data();
  std::fill_n(data, work.num_elements(), Complex(0));
  for_overlap(plan.in, plan.work, [&](int64_t i, int64_t j) { data[j] = element(input, i); });
  FftLines x;
  double scale = 1;
  for (size_t i = 0; i < plan.axes.size(); ++i) {
    const int axis = plan.axes[i];
    const int64_t n = plan.work[axis];
    if (kind == FftKind::kRealInverse && i + 1 == plan.axes.size()) mirror(plan.work, axis, data);
    int64_t stride = 1;
    for (size_t d = static_cast<size_t>(axis) + 1; d < plan.work.size(); ++d) stride *= plan.work[d];
    transform_lines(FftLinePlan(FftKind::kComplex, inverse, n), work.num_elements() / (n * stride), n, stride,
                    data, &x);
    if (inverse) scale /= static_cast<double>(n);
  }
  for_overlap(plan.work, plan.out, [&](int64_t i, int64_t j) { set_element(out, j, data[i] * scale); });
  return absl::OkStatus();
}

template <bool kInverse, FftKind kKind>
absl::Status axes_fft(KernelContext& context) {
  return fft_of_axes(context, kInverse, kKind);
}

template <int kRank, bool kInverse>
absl::Status complex_fft(KernelContext& context) {
  return fft(context, kRank, kInverse, FftKind::kComplex);
}
template <int kRank, bool kInverse>
absl::Status real_fft(KernelContext& context) {
  return fft(context, kRank, kInverse, kInverse ? FftKind::kRealInverse : FftKind::kRealForward);
}

template <int kRank>
void add_rank(KernelRegistry* registry, const std::string& suffix) {
  registry->add(KernelDef("FFT" + suffix).fn(complex_fft<kRank, false>));
  registry->add(KernelDef("IFFT" + suffix).fn(complex_fft<kRank, true>));
  registry->add(KernelDef("BatchFFT" + suffix).fn(complex_fft<kRank, false>));
  registry->add(KernelDef("BatchIFFT" + suffix).fn(complex_fft<kRank, true>));
  registry->add(KernelDef("RFFT" + suffix).fn(real_fft<kRank, false>));
  registry->add(KernelDef("IRFFT" + suffix).fn(real_fft<kRank, true>));
}

}  // namespace

void register_signal_fft(KernelRegistry* registry) {
  add_rank<1>(registry, "");
  add_rank<2>(registry, "2D");
  add_rank<3>(registry, "3D");
  registry->add(KernelDef("FFTND").fn(axes_fft<false, FftKind::kComplex>));
  registry->add(KernelDef("IFFTND").fn(axes_fft<true, FftKind::kComplex>));
  registry->add(KernelDef("RFFTND").fn(axes_fft<false, FftKind::kRealForward>));
  registry->add(KernelDef("IRFFTND").fn(axes_fft<true, FftKind::kRealInverse>));
}

}  // namespace troupe
