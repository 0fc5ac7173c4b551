#include <Eigen/Core>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/common/conv/window.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// A grey-scale dilation: extents of input and result, and the windows.
struct Problem {
  int64_t batch, depth;
  Window rows, cols;
  Shape out;
};

struct Attrs {
  std::vector<int64_t> strides, rates;
  Padding padding;

  static absl::StatusOr<Attrs> make(const KernelConstruction& c) {
    Attrs a;
    TROUPE_ASSIGN_OR_RETURN(a.strides, c.attr<std::vector<int64_t>>("strides"));
    TROUPE_ASSIGN_OR_RETURN(a.rates, c.attr<std::vector<int64_t>>("rates"));
    TROUPE_ASSIGN_OR_RETURN(std::string padding, c.attr<std::string>("padding"));
    TROUPE_ASSIGN_OR_RETURN(a.padding, parse_padding(padding));
    for (auto [values, what] : {std::pair(&a.strides, "strides"), std::pair(&a.rates, "rates")}) {
      const bool is_strides = values == &a.strides;
      if (values->size() != 4) {
        return absl::InvalidArgumentError(
            absl::StrCat(is_strides ? "Sliding window stride" : "Input stride (atrous rate)",
                         " field must specify 4 dimensions"));
      }
      if ((*values)[0] != 1 || (*values)[3] != 1) {
        return absl::UnimplementedError(is_strides ? "Stride is only supported across spatial dimensions."
                                                   : "Rate is only supported across spatial dimensions.");
      }
      if ((*values)[1] < 1 || (*values)[2] < 1) {
        return absl::InvalidArgumentError(absl::StrCat("Dilation2D ", what, " must be positive"));
      }
    }
    return a;
  }

  absl::StatusOr<Problem> problem(const Tensor& input, const Tensor& filter) const {
    if (input.rank() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("input must be 4-dimensional", input.shape().to_string()));
    }
    if (filter.rank() != 3) {
      return absl::InvalidArgumentError(
          absl::StrCat("filter must be 3-dimensional: ", filter.shape().to_string()));
    }
    if (input.dim(3) != filter.dim(2)) {
      return absl::InvalidArgumentError(
          absl::StrCat("input and filter must have the same depth: ", input.dim(3), " vs ", filter.dim(2)));
    }
    Problem p{input.dim(0), input.dim(3), {}, {}, {}};
    p.rows = {.in = input.dim(1), .kernel = filter.dim(0), .stride = strides[1], .dilation = rates[1]};
    p.cols = {.in = input.dim(2), .kernel = filter.dim(1), .stride = strides[2], .dilation = rates[2]};
    TROUPE_RETURN_IF_ERROR(size_window(padding, &p.rows));
    TROUPE_RETURN_IF_ERROR(size_window(padding, &p.cols));
    TROUPE_ASSIGN_OR_RETURN(p.out, Shape::make({{p.batch, p.rows.out, p.cols.out, p.depth}}));
    return p;
  }
};

/// Finds, for one position of the result and one channel, the greatest of input + filter: the first one, row by row.
/// Returns false when the window lies in the padding.
template <class T>
bool best_tap(const Problem& p, const T* input, const T* filter, int64_t b, int64_t y, int64_t x, int64_t c,
              T* best, int64_t* input_at, int64_t* filter_at) {
  bool found = false;
  const int64_t y0 = y * p.rows.stride - p.rows.before, x0 = x * p.cols.stride - p.cols.before;
  for (int64_t h = 0; h < p.rows.kernel; ++h) {
    const int64_t iy = y0 + h * p.rows.dilation;
    if (iy < 0 || iy >= p.rows.in) continue;
    for (int64_t w = 0; w < p.cols.kernel; ++w) {
      const int64_t ix = x0 + w * p.cols.dilation;
      if (ix < 0 || ix >= p.cols.in) continue;
      const int64_t at = ((b * p.rows.in + iy) * p.cols.in + ix) * p.depth + c;
      const int64_t tap = (h * p.cols.kernel + w) * p.depth + c;
      const T value = static_cast<T>(input[at] + filter[tap]);
      if (!found || value > *best) {
        *best = value;
        *input_at = at;
        *filter_at = tap;
        found = true;
      }
    }
  }
  return found;
}

template <class Fn>
void each_output(const Problem& p, Fn fn) {
  int64_t at = 0;
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t y = 0; y < p.rows.out; ++y) {
      for (int64_t x = 0; x < p.cols.out; ++x) {
        for (int64_t c = 0; c < p.depth; ++c, ++at) fn(at, b, y, x, c);
      }
    }
  }
}

enum class Mode { kForward, kInputGradient, kFilterGradient };

template <class T, Mode mode>
class DilationKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, Attrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Problem p, attrs_.problem(context.input(0), context.input(1)));
    const T* input = context.input(0).flat<T>().data();
    const T* filter = context.input(1).flat<T>().data();
    if constexpr (mode == Mode::kForward) {
      TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, p.out));
      T* to = out->flat<T>().data();
      each_output(p, [&](int64_t at, int64_t b, int64_t y, int64_t x, int64_t c) {
        T best = std::numeric_limits<T>::lowest();
        int64_t i, f;
        best_tap(p, input, filter, b, y, x, c, &best, &i, &f);
        to[at] = best;
      });
    } else {
      const Tensor& grad = context.input(2);
      if (!(grad.shape() == p.out)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "out_backprop has incompatible size: ", grad.shape().to_string(), " vs. ", p.out.to_string()));
      }
      constexpr int kLike = mode == Mode::kInputGradient ? 0 : 1;
      TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, context.input(kLike).shape()));
      std::span<T> to = out->flat<T>();
      std::fill(to.begin(), to.end(), T(0));
      const T* from = grad.flat<T>().data();
      each_output(p, [&](int64_t at, int64_t b, int64_t y, int64_t x, int64_t c) {
        T best = T(0);
        int64_t i, f;
        if (!best_tap(p, input, filter, b, y, x, c, &best, &i, &f)) return;
        T& sum = to[static_cast<size_t>(mode == Mode::kInputGradient ? i : f)];
        sum = static_cast<T>(sum + from[at]);
      });
    }
    return absl::OkStatus();
  }

 private:
  Attrs attrs_;
};

template <class T>
void add(KernelRegistry* r) {
  r->add(KernelDef("Dilation2D").type<T>("T").template kernel<DilationKernel<T, Mode::kForward>>());
  r->add(KernelDef("Dilation2DBackpropInput")
             .type<T>("T")
             .template kernel<DilationKernel<T, Mode::kInputGradient>>());
  r->add(KernelDef("Dilation2DBackpropFilter")
             .type<T>("T")
             .template kernel<DilationKernel<T, Mode::kFilterGradient>>());
}

template <class... Ts>
void add_all(KernelRegistry* r) {
  (add<Ts>(r), ...);
}

}  // namespace

void register_conv_dilation(KernelRegistry* r) {
  add_all<float, double, Eigen::half, Eigen::bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
          uint32_t, uint64_t>(r);
}

}  // namespace troupe
