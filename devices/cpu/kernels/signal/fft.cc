// Fourier transforms, complex and real, in double precision: of the last one to three axes, or of any axes.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/signal/fft_plan.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using Complex = FftPlan::Complex;

/// Longer transforms would need gigabytes for their tables.
constexpr int64_t kMaxLength = int64_t{1} << 27;

Complex element(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DataType::kFloat: return t.flat<float>()[i];
    case DataType::kDouble: return t.flat<double>()[i];
    case DataType::kComplex64: return t.flat<std::complex<float>>()[i];
    default: return t.flat<Complex>()[i];
  }
}

void set_element(Tensor* t, int64_t i, Complex value) {
  switch (t->dtype()) {
    case DataType::kFloat: t->flat<float>()[i] = static_cast<float>(value.real()); break;
    case DataType::kDouble: t->flat<double>()[i] = value.real(); break;
    case DataType::kComplex64:
      t->flat<std::complex<float>>()[i] = static_cast<std::complex<float>>(value);
      break;
    default: t->flat<Complex>()[i] = value; break;
  }
}

/// A box of up to three axes, row-major.
struct Box3 {
  int64_t size[3] = {1, 1, 1};
  int64_t elements() const { return size[0] * size[1] * size[2]; }
};

enum class Kind { kComplex, kRealForward, kRealInverse };

/// One item of the batch: `in` elements of the input's box are read, `work` is transformed, `out` is written.
struct Transform {
  int rank = 1;
  bool inverse = false;
  Kind kind = Kind::kComplex;
  Box3 in, work, out;
  std::vector<FftPlan> plans;  // one per axis of `work`
};

/// Transforms `outer` blocks of n lines whose elements lie `stride` apart.
void transform_lines(const FftPlan& plan, bool inverse, int64_t outer, int64_t n, int64_t stride,
                     Complex* data, std::vector<Complex>* line, std::vector<Complex>* scratch) {
  line->resize(static_cast<size_t>(n));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < stride; ++i) {
      Complex* base = data + o * n * stride + i;
      for (int64_t k = 0; k < n; ++k) (*line)[k] = base[k * stride];
      plan.run(line->data(), inverse, scratch);
      for (int64_t k = 0; k < n; ++k) base[k * stride] = (*line)[k];
    }
  }
}

void transform_axis(const Transform& t, int axis, std::vector<Complex>* data, std::vector<Complex>* line,
                    std::vector<Complex>* scratch) {
  const int64_t n = t.work.size[axis];
  int64_t stride = 1;
  for (int i = axis + 1; i < 3; ++i) stride *= t.work.size[i];
  transform_lines(t.plans[axis], t.inverse, t.work.elements() / (n * stride), n, stride, data->data(), line,
                  scratch);
}

void transform_item(const Transform& t, const Tensor& input, int64_t b, Tensor* out) {
  std::vector<Complex> data(static_cast<size_t>(t.work.elements())), line, scratch;
  const int64_t* w = t.work.size;
  // Read the part that is transformed; for a real inverse the last axis holds half of the spectrum.
  int64_t last = t.kind == Kind::kRealInverse ? w[2] / 2 + 1 : w[2];
  for (int64_t i = 0; i < w[0]; ++i) {
    for (int64_t j = 0; j < w[1]; ++j) {
      int64_t from = ((b * t.in.size[0] + i) * t.in.size[1] + j) * t.in.size[2];
      for (int64_t k = 0; k < last; ++k) data[(i * w[1] + j) * w[2] + k] = element(input, from + k);
    }
  }
  for (int axis = 3 - t.rank; axis < 2; ++axis) transform_axis(t, axis, &data, &line, &scratch);
  if (t.kind == Kind::kRealInverse) {
    // With the other axes done, each line of a real result has a Hermitian spectrum: its other half is known.
    for (int64_t r = 0; r < w[0] * w[1]; ++r) {
      for (int64_t k = last; k < w[2]; ++k) data[r * w[2] + k] = std::conj(data[r * w[2] + w[2] - k]);
    }
  }
  transform_axis(t, 2, &data, &line, &scratch);
  double scale = t.inverse ? 1.0 / static_cast<double>(t.work.elements()) : 1.0;
  const int64_t* o = t.out.size;
  for (int64_t r = 0; r < o[0] * o[1]; ++r) {
    for (int64_t k = 0; k < o[2]; ++k)
      set_element(out, (b * o[0] * o[1] + r) * o[2] + k, data[r * w[2] + k] * scale);
  }
}

absl::Status check_length(int64_t n) {
  if (n <= kMaxLength) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("A Fourier transform of length ", n, " is too long"));
}

/// Real and complex side of a real transform must be of one precision.
absl::Status check_types(KernelContext& context, Kind kind) {
  if (kind == Kind::kComplex) return absl::OkStatus();
  const DataType in = context.input_type(0), out = context.output_type(0);
  const DataType real = kind == Kind::kRealForward ? in : out,
                 complex = kind == Kind::kRealForward ? out : in;
  if ((real == DataType::kFloat) == (complex == DataType::kComplex64)) return absl::OkStatus();
  return invalid("Wrong types for ", kind == Kind::kRealForward ? "forward" : "backward",
                 " real FFT: in=", static_cast<int>(in), " out=", static_cast<int>(out));
}

absl::Status fft(KernelContext& context, int rank, bool inverse, Kind kind) {
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
  if (kind != Kind::kComplex) {
    const Tensor& lengths = context.input(1);
    if (!is_vector(lengths) || lengths.dim(0) != rank)
      return invalid("fft_length must have shape [", rank, "]");
    for (int i = 0; i < rank; ++i) {
      int64_t length = int_at(lengths, i);
      if (length < 0) return invalid("fft_length[", i, "] must >= 0, but got: ", length);
      bool inner = i == rank - 1;
      int64_t needed = inner && kind == Kind::kRealInverse ? (length == 0 ? 0 : length / 2 + 1) : length;
      if (input.num_elements() > 0 && input.dim(first + i) < needed) {
        return invalid("Input dimension ", first + i, " must have length of at least ", needed,
                       " but got: ", input.dim(first + i));
      }
      t.work.size[3 - rank + i] = length;
      int64_t result = inner && kind == Kind::kRealForward ? (length == 0 ? 0 : length / 2 + 1) : length;
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
  for (int64_t n : t.work.size) t.plans.emplace_back(n);
  int64_t batch = count_dims(input.shape(), 0, first);
  context.parallel().parallel_for(batch, t.work.elements() * 40, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) transform_item(t, input, b, out);
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
                                   Kind kind) {
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
    if (last && kind == Kind::kRealForward) plan.out[axis] = length == 0 ? 0 : length / 2 + 1;
  }
  if (kind != Kind::kComplex && plan.axes.empty()) return invalid("A real transform needs at least one axis");
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
absl::Status fft_of_axes(KernelContext& context, bool inverse, Kind kind) {
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
  std::vector<Complex> line, scratch;
  double scale = 1;
  for (size_t i = 0; i < plan.axes.size(); ++i) {
    const int axis = plan.axes[i];
    const int64_t n = plan.work[axis];
    if (kind == Kind::kRealInverse && i + 1 == plan.axes.size()) mirror(plan.work, axis, data);
    int64_t stride = 1;
    for (size_t d = static_cast<size_t>(axis) + 1; d < plan.work.size(); ++d) stride *= plan.work[d];
    transform_lines(FftPlan(n), inverse, work.num_elements() / (n * stride), n, stride, data, &line,
                    &scratch);
    if (inverse) scale /= static_cast<double>(n);
  }
  for_overlap(plan.work, plan.out, [&](int64_t i, int64_t j) { set_element(out, j, data[i] * scale); });
  return absl::OkStatus();
}

template <bool kInverse, Kind kKind>
absl::Status axes_fft(KernelContext& context) {
  return fft_of_axes(context, kInverse, kKind);
}

template <int kRank, bool kInverse>
absl::Status complex_fft(KernelContext& context) {
  return fft(context, kRank, kInverse, Kind::kComplex);
}
template <int kRank, bool kInverse>
absl::Status real_fft(KernelContext& context) {
  return fft(context, kRank, kInverse, kInverse ? Kind::kRealInverse : Kind::kRealForward);
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
  registry->add(KernelDef("FFTND").fn(axes_fft<false, Kind::kComplex>));
  registry->add(KernelDef("IFFTND").fn(axes_fft<true, Kind::kComplex>));
  registry->add(KernelDef("RFFTND").fn(axes_fft<false, Kind::kRealForward>));
  registry->add(KernelDef("IRFFTND").fn(axes_fft<true, Kind::kRealInverse>));
}

}  // namespace troupe
