#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"
#include "devices/cpu/loops/vector/vector_loops.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

struct LrnAttrs {
  int64_t radius = 0;
  float bias = 0, alpha = 0, beta = 0;

  static absl::StatusOr<LrnAttrs> make(const KernelConstruction& c) {
    LrnAttrs a;
    TROUPE_ASSIGN_OR_RETURN(a.radius, c.attr<int64_t>("depth_radius"));
    if (a.radius < 0 || a.radius > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("depth_radius = ", a.radius, " larger than int max"));
    }
    TROUPE_ASSIGN_OR_RETURN(a.bias, c.attr<float>("bias"));
    TROUPE_ASSIGN_OR_RETURN(a.alpha, c.attr<float>("alpha"));
    TROUPE_ASSIGN_OR_RETURN(a.beta, c.attr<float>("beta"));
    return a;
  }

  /// Of pixels of `depth` channels each: norm = bias + alpha * the sum of the squares of the channels within the radius of a channel; power = norm to the
  /// -beta. `squares` is of one pixel, with zeros on both sides.
  void norms(const std::vector<float>& pixels, int64_t depth, std::vector<float>* squares,
             std::vector<float>* norm, std::vector<float>* power) const {
    const int64_t reach = std::min(radius, depth - 1);
    squares->assign(static_cast<size_t>(depth + 2 * reach), 0.0f);
    float* const around = squares->data();
    const auto size = static_cast<int64_t>(pixels.size());
    for (int64_t at = 0; at < size; at += depth) {
      const float* const pixel = pixels.data() + at;
      float* const sums = norm->data() + at;
      for (int64_t c = 0; c < depth; ++c) around[reach + c] = pixel[c] * pixel[c];
      std::fill_n(sums, depth, 0.0f);
      // In the order of the channels.
      for (int64_t d = 0; d <= 2 * reach; ++d) {
#pragma GCC ivdep
        for (int64_t c = 0; c < depth; ++c) sums[c] += around[c + d];
      }
    }
    for (int64_t i = 0; i < size; ++i)
      (*norm)[static_cast<size_t>(i)] = bias + alpha * (*norm)[static_cast<size_t>(i)];
    vector_loops().functions.log(norm->data(), power->data(), size);
    for (float& p : *power) p *= -beta;
    vector_loops().functions.exp(power->data(), power->data(), size);
  }
};

/// What is kept of some pixels while they are normalised.
struct Pixels {
  void resize(int64_t count, int64_t depth) {
    for (std::vector<float>* v : {&values, &norm, &power}) v->resize(static_cast<size_t>(count * depth));
  }
  std::vector<float> values, norm, power, squares;
};
/// As many as fill rows of vector code.
int64_t pixels_at_once(int64_t depth) { return std::max<int64_t>(1, 1024 / depth); }

template <class T>
void load(const T* from, std::vector<float>* to) {
  for (size_t i = 0; i < to->size(); ++i) (*to)[i] = static_cast<float>(from[i]);
}

template <class T>
class LrnKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, LrnAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& in = context.input(0);
    if (in.rank() != 4) return absl::InvalidArgumentError("in must be 4-dimensional");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    const int64_t depth = in.dim(3);
    const T* from = in.flat<T>().data();
    T* to = out->flat<T>().data();
    const int64_t at_once = pixels_at_once(depth);
    context.parallel().parallel_for(in.num_elements() / depth, depth * 4, [&](int64_t begin, int64_t end) {
      Pixels p;
      for (int64_t i = begin; i < end; i += at_once) {
        p.resize(std::min(at_once, end - i), depth);
        load(from + i * depth, &p.values);
        attrs_.norms(p.values, depth, &p.squares, &p.norm, &p.power);
        for (size_t k = 0; k < p.values.size(); ++k)
          to[i * depth + static_cast<int64_t>(k)] = static_cast<T>(p.values[k] * p.power[k]);
      }
    });
    return absl::OkStatus();
  }

 private:
  LrnAttrs attrs_;
};

template <class T>
class LrnGradKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, LrnAttrs::make(c));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &grads = context.input(0), &in = context.input(1), &result = context.input(2);
    if (in.rank() != 4 || grads.rank() != 4)
      return absl::InvalidArgumentError("inputs must be 4-dimensional");
    if (!(grads.shape() == in.shape()) || !(result.shape() == in.shape())) {
      return absl::InvalidArgumentError("input_grads, input_image, and out_image should have the same shape");
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    const int64_t depth = in.dim(3);
    const T *g = grads.flat<T>().data(), *x = in.flat<T>().data(), *y = result.flat<T>().data();
    T* to = out->flat<T>().data();
    context.parallel().parallel_for(in.num_elements() / depth, depth * 20, [&](int64_t begin, int64_t end) {
      Pixels p;
      p.resize(1, depth);
      std::vector<float> sum(static_cast<size_t>(depth));
      for (int64_t i = begin; i < end; ++i) {
        load(x + i * depth, &p.values);
        attrs_.norms(p.values, depth, &p.squares, &p.norm, &p.power);
        std::fill(sum.begin(), sum.end(), 0.0f);
        for (int64_t c = 0; c < depth; ++c) {
          const auto at = static_cast<size_t>(c);
          const float grad = static_cast<float>(g[i * depth + c]);
          const float share =
              -2.0f * attrs_.alpha * attrs_.beta * static_cast<float>(y[i * depth + c]) / p.norm[at] * grad;
          const int64_t first = std::max<int64_t>(0, c - attrs_.radius),
                        last = std::min(depth, c + attrs_.radius + 1);
          for (int64_t k = first; k < last; ++k)
            sum[static_cast<size_t>(k)] += share * p.values[static_cast<size_t>(k)];
          sum[at] += p.power[at] * grad;
        }
        for (int64_t c = 0; c < depth; ++c) to[i * depth + c] = static_cast<T>(sum[static_cast<size_t>(c)]);
      }
    });
    return absl::OkStatus();
  }

 private:
  LrnAttrs attrs_;
};

/// The sum of squares in lanes, which vector code has, of so few elements that floats hold it.
template <class Sum, class T>
Sum sum_of_squares(const T* in, int64_t n) {
  constexpr int64_t kLanes = 16;
  Sum lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) {
      const auto v = static_cast<Sum>(in[i + j]);
      lanes[j] += v * v;
    }
  }
  for (int64_t j = 0; i < n; ++i, ++j) {
    const auto v = static_cast<Sum>(in[i]);
    lanes[j] += v * v;
  }
  Sum sum = 0;
  for (const Sum lane : lanes) sum += lane;
  return sum;
}

/// Half the sum of squares: in double for doubles, else in pieces of float added up in double. Pieces and their order do not depend on threads.
template <class T>
absl::Status l2_loss(KernelContext& context) {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  constexpr int64_t kPiece = 1024;
  const std::span<const T> in = context.input(0).flat<T>();
  const auto n = static_cast<int64_t>(in.size());
  std::vector<double> parts(static_cast<size_t>((n + kPiece - 1) / kPiece));
  context.parallel().parallel_for(
      static_cast<int64_t>(parts.size()), kPiece / 4, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          const T* const from = in.data() + p * kPiece;
          parts[static_cast<size_t>(p)] =
              static_cast<double>(sum_of_squares<Sum>(from, std::min(kPiece, n - p * kPiece)));
        }
      });
  double total = 0;
  for (const double part : parts) total += part;
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<T>()[0] = static_cast<T>(total / 2);
  return absl::OkStatus();
}

}  // namespace

void register_norm_lrn(KernelRegistry* r) {
  r->add(KernelDef("LRN").type<float>("T").kernel<LrnKernel<float>>());
  r->add(KernelDef("LRN").type<Eigen::half>("T").kernel<LrnKernel<Eigen::half>>());
  r->add(KernelDef("LRNGrad").type<float>("T").kernel<LrnGradKernel<float>>());
  r->add(KernelDef("LRNGrad").type<Eigen::half>("T").kernel<LrnGradKernel<Eigen::half>>());
  r->add(KernelDef("L2Loss").type<float>("T").fn(l2_loss<float>));
  r->add(KernelDef("L2Loss").type<double>("T").fn(l2_loss<double>));
  r->add(KernelDef("L2Loss").type<Eigen::half>("T").fn(l2_loss<Eigen::half>));
  r->add(KernelDef("L2Loss").type<Eigen::bfloat16>("T").fn(l2_loss<Eigen::bfloat16>));
}

}  // namespace troupe
