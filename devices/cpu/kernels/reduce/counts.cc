// Histograms: Bincount, DenseBincount and HistogramFixedWidth.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/element_types.h"
#include "devices/cpu/loops/elementwise.h"

namespace troupe {
namespace {

constexpr char kNegative[] = "Input arr must be non-negative!";

/// Adds the weights (or ones) of n values to their bins; values beyond the last bin are dropped.
template <class I, class T>
absl::Status count_row(const I* values, const T* weights, int64_t n, T* bins, int64_t size, bool binary) {
  for (int64_t i = 0; i < n; ++i) {
    if (values[i] < 0) return invalid(kNegative);
    if (values[i] >= size) continue;
    T& bin = bins[values[i]];
    if (binary) {
      bin = T(1);
    } else if constexpr (std::is_integral_v<T>) {
      bin = static_cast<T>(static_cast<wrap_t<T>>(bin) +
                           static_cast<wrap_t<T>>(weights == nullptr ? T(1) : weights[i]));
    } else {
      bin += weights == nullptr ? T(1) : weights[i];
    }
  }
  return absl::OkStatus();
}

absl::Status check_size_rank(const Tensor& size) {
  if (size.rank() == 0) return absl::OkStatus();
  return invalid("Shape must be rank 0 but is rank ", size.rank());
}

absl::StatusOr<int64_t> read_size(const Tensor& size) {
  TROUPE_RETURN_IF_ERROR(check_size_rank(size));
  int64_t n = int_at(size, 0);
  if (n < 0) return invalid("size (", n, ") must be non-negative");
  return n;
}

template <class T>
absl::Status bincount(KernelContext& context) {
  const Tensor& values = context.input(0);
  const Tensor& weights = context.input(2);
  TROUPE_ASSIGN_OR_RETURN(int64_t size, read_size(context.input(1)));
  if (std::ranges::any_of(values.flat<int32_t>(), [](int32_t v) { return v < 0; })) return invalid(kNegative);
  if (weights.num_elements() != 0 && weights.num_elements() != values.num_elements()) {
    return invalid("Input indices and weights must have the same size.");
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{size}));
  std::fill_n(out->flat<T>().data(), size, T(0));
  return count_row(values.flat<int32_t>().data(),
                   weights.num_elements() == 0 ? nullptr : weights.flat<T>().data(), values.num_elements(),
                   out->flat<T>().data(), size, false);
}

template <class I, class T>
class DenseBincount final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(bool binary, c.attr<bool>("binary_output"));
    return std::make_unique<DenseBincount>(binary);
  }
  explicit DenseBincount(bool binary) : binary_(binary) {}

  absl::Status compute(KernelContext& context) override {
    const Tensor& values = context.input(0);
    const Tensor& weights = context.input(2);
    if (values.rank() > 2) return invalid("Shape must be at most rank 2 but is rank ", values.rank());
    TROUPE_RETURN_IF_ERROR(check_size_rank(context.input(1)));
    if (weights.num_elements() != 0 && !(weights.shape() == values.shape())) {
      return invalid(
          "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all "
          "weights "
          "equal to 1. Received ",
          weights.shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(int64_t size, read_size(context.input(1)));
    const bool matrix = values.rank() == 2;
    const int64_t rows = matrix ? values.dim(0) : 1;
    const int64_t columns = matrix ? values.dim(1) : values.num_elements();
    const int64_t dims[2] = {rows, size};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(matrix ? std::span<const int64_t>(dims, 2)
                                                            : std::span<const int64_t>(dims + 1, 1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    T* bins = out->flat<T>().data();
    std::fill_n(bins, rows * size, T(0));
    const I* x = values.flat<I>().data();
    const T* w = weights.num_elements() == 0 ? nullptr : weights.flat<T>().data();
    for (int64_t r = 0; r < rows; ++r) {
      TROUPE_RETURN_IF_ERROR(count_row(x + r * columns, w == nullptr ? nullptr : w + r * columns, columns,
                                       bins + r * size, size, binary_));
    }
    return absl::OkStatus();
  }

 private:
  const bool binary_;
};

template <class T, class R>
absl::Status histogram(KernelContext& context) {
  using C = compute_t<T>;
  const Tensor& values = context.input(0);
  const Tensor& range = context.input(1);
  const Tensor& nbins_tensor = context.input(2);
  if (range.rank() != 1 || range.dim(0) != 2) return invalid("value_range should be a vector of 2 elements.");
  if (nbins_tensor.rank() != 0) return invalid("nbins should be a scalar.");
  const C low = static_cast<C>(range.flat<T>()[0]);
  const C high = static_cast<C>(range.flat<T>()[1]);
  const int32_t nbins = nbins_tensor.value<int32_t>();
  if (!(low < high)) {
    return invalid("value_range should satisfy value_range[0] < value_range[1], but got '[", low, ", ", high,
                   "]'");
  }
  if (nbins <= 0) return invalid("nbins should be a positive number, but got '", nbins, "'");
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{nbins}));
  R* bins = out->flat<R>().data();
  std::fill_n(bins, nbins, R(0));
  const double step = (static_cast<double>(high) - static_cast<double>(low)) / nbins;
  for (const T& element : values.flat<T>()) {
    const C v = static_cast<C>(element);
    if constexpr (is_float_v<T>) {
      if (std::isnan(v)) return invalid("Histogram values must not contain NaN");
    }
    int64_t bin = 0;
    if (v > low) {
      const double at = (static_cast<double>(v) - static_cast<double>(low)) / step;
      bin = at >= nbins - 1 ? nbins - 1 : static_cast<int64_t>(at);
    }
    ++bins[bin];
  }
  return absl::OkStatus();
}

template <class... T>
void add_counts(KernelRegistry* r, Types<T...>) {
  (r->add(KernelDef("Bincount").template type<T>("T").fn(bincount<T>)), ...);
  (r->add(KernelDef("DenseBincount")
              .template type<T>("T")
              .template type<int32_t>("Tidx")
              .template kernel<DenseBincount<int32_t, T>>()),
   ...);
  (r->add(KernelDef("DenseBincount")
              .template type<T>("T")
              .template type<int64_t>("Tidx")
              .template kernel<DenseBincount<int64_t, T>>()),
   ...);
  (r->add(KernelDef("HistogramFixedWidth")
              .template type<T>("T")
              .template type<int32_t>("dtype")
              .fn(histogram<T, int32_t>)),
   ...);
  (r->add(KernelDef("HistogramFixedWidth")
              .template type<T>("T")
              .template type<int64_t>("dtype")
              .fn(histogram<T, int64_t>)),
   ...);
}

}  // namespace

void register_reduce_counts(KernelRegistry* r) { add_counts(r, Types<int32_t, int64_t, float, double>()); }

}  // namespace troupe
