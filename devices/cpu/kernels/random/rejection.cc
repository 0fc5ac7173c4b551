// Distributions that are sampled by rejection: gamma, Poisson, normal within bounds.
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/random/fill.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/elementwise.h"

namespace troupe {
namespace {

/// Uniform and normal doubles of one generator, which hands out the second number of a pair first.
class Doubles {
 public:
  explicit Doubles(Philox generator) : generator_(generator) {}
  double uniform() {
    if (uniforms_ == 0) {
      uniform_ = uniform_block<double>(generator_());
      uniforms_ = 2;
    }
    return uniform_[--uniforms_];
  }
  double normal() {
    if (normals_ == 0) {
      normal_ = normal_block<double>(generator_());
      normals_ = 2;
    }
    return normal_[--normals_];
  }

 private:
  Philox generator_;
  std::array<double, 2> uniform_ = {};
  std::array<double, 2> normal_ = {};
  int uniforms_ = 0;
  int normals_ = 0;
};

/// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
double gamma_sample(double alpha, Doubles& random) {
  if (alpha == 1) return -std::log1p(-random.uniform());
  const bool small = alpha < 1;
  const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  while (true) {
    const double x = random.normal();
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = random.uniform();
    if (u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      double sample = d * v;
      if (small) sample *= std::pow(random.uniform(), 1 / alpha);
      return sample;
    }
  }
}

/// Below 10 by Knuth's products; above by Hörmann, "The transformed rejection method for generating Poisson random
/// variables" (1993). `highest` is the largest result wanted.
double poisson_sample(double rate, double highest, Doubles& random) {
  if (rate < 10) {
    const double limit = std::exp(-rate);
    double product = 1;
    for (double x = 0;; ++x) {
      product *= random.uniform();
      if (product <= limit && x <= highest) return x;
    }
  }
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  while (true) {
    const double u = random.uniform() - 0.5;
    const double v = random.uniform();
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > highest) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = std::log(v * inverse_alpha / (a / (shifted * shifted) + b));
    int sign;
    const double t = -rate + k * log_rate - lgamma_r(k + 1, &sign);
    if (s <= t) return k;
  }
}

/// sample(rate, random) for every output. Each has its own stretch of the stream, by its place when the samples of
/// one rate come together.
template <class F>
void for_samples(KernelContext& context, const Philox& generator, int64_t num_rates, int64_t total,
                 F&& sample) {
  const int64_t per_rate = total / num_rates;
  context.parallel().parallel_for(total, 100, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Philox g = generator;
      g.skip(kSamplesPerOutput * static_cast<uint64_t>(i));
      Doubles random(g);
      const int64_t rate = i / per_rate;
      sample(rate, rate + i % per_rate * num_rates, random);
    }
  });
}

template <class T>
void gamma_of(KernelContext& context, const Philox& generator, const Tensor& alphas, Tensor* out) {
  const T* alpha = alphas.flat<T>().data();
  T* o = out->flat<T>().data();
  for_samples(context, generator, alphas.num_elements(), out->num_elements(),
              [=](int64_t rate, int64_t to, Doubles& random) {
                const double a = static_cast<double>(alpha[rate]);
                // No gamma distribution has such a parameter; the loop of rejections would not end.
                o[to] = a > 0 && a < std::numeric_limits<double>::infinity()
                            ? static_cast<T>(gamma_sample(a, random))
                            : static_cast<T>(std::numeric_limits<float>::quiet_NaN());
              });
}

template <class R, class T>
void poisson_of(KernelContext& context, const Philox& generator, const Tensor& rates, Tensor* out) {
  const R* rate = rates.flat<R>().data();
  T* o = out->flat<T>().data();
  const double highest = static_cast<double>(Eigen::NumTraits<T>::highest());
  for_samples(context, generator, rates.num_elements(), out->num_elements(),
              [=](int64_t i, int64_t to, Doubles& random) {
                const double r = static_cast<double>(rate[i]);
                if (r >= 0 && r <= highest / 2) {
                  o[to] = static_cast<T>(poisson_sample(r, highest, random));
                } else if constexpr (is_float_v<T>) {
                  o[to] =
                      static_cast<T>(r > 0 ? static_cast<float>(r) : std::numeric_limits<float>::quiet_NaN());
                } else {
                  o[to] = r > 0 ? std::numeric_limits<T>::max() : T(0);
                }
              });
}

template <class R>
void poisson_from(KernelContext& context, const Philox& generator, const Tensor& rates, Tensor* out) {
  switch (out->dtype()) {
    case DataType::kHalf: return poisson_of<R, Eigen::half>(context, generator, rates, out);
    case DataType::kFloat: return poisson_of<R, float>(context, generator, rates, out);
    case DataType::kDouble: return poisson_of<R, double>(context, generator, rates, out);
    case DataType::kInt32: return poisson_of<R, int32_t>(context, generator, rates, out);
    default: return poisson_of<R, int64_t>(context, generator, rates, out);
  }
}

/// Samples of the standard normal distribution within [low, high], where low is finite, scaled: by the method of
/// least rejections of Robert, "Simulation of truncated normal variables" (1995).
template <class T>
class BoundedNormal {
 public:
  using C = compute_t<T>;
  static constexpr int kMaxIterations = 1000;

  BoundedNormal(C mean, C deviation, C low, C high) : mean_(mean), deviation_(deviation) {
    // Turned round so that a single bound is the lower one, or both are positive.
    if ((std::isinf(low) && low < 0) || high < mean) {
      std::swap(low, high);
      deviation_ = -deviation_;
    }
    low_ = round((low - mean) / deviation_);
    high_ = round((high - mean) / deviation_);
  }

  /// Writes samples to [o, end); Internal when numbers hit the range too seldom.
  absl::Status sample(Philox& g, T* o, T* end) const {
    constexpr C kEnough = static_cast<C>(1.3);
    if ((low_ < -kEnough && high_ >= 0) || (high_ > kEnough && low_ <= 0)) {
      if (by_normal(g, o, end)) return absl::OkStatus();
      return absl::InternalError("TruncatedNormal randn rejection sampler failed to accept a sample.");
    }
    const C root = std::sqrt(low_ * low_ + C(4));
    const C cutoff = C(2) * std::exp(C(0.5) + low_ * (low_ - root) / C(4)) / (low_ + root);
    const bool uniform = high_ - low_ < cutoff;
    if (uniform ? by_uniform(g, o, end) : by_exponential(g, o, end)) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("TruncatedNormal ",
                                            uniform ? "uniform" : "exponential distribution",
                                            " rejection sampler failed to accept a sample."));
  }

 private:
  /// 16-bit floats round every bound.
  static C round(C v) { return static_cast<C>(static_cast<T>(v)); }
  void put(T*& o, C v) const { *o++ = static_cast<T>(v * deviation_ + mean_); }

  bool by_normal(Philox& g, T* o, T* end) const {
    int misses = 0;
    while (o < end) {
      for (const T& element : normal_block<T>(g())) {
        const C v = static_cast<C>(element);
        if (v >= low_ && v <= high_) {
          put(o, v);
          if (o == end) break;
          misses = 0;
        } else if (++misses > kMaxIterations) {
          return false;
        }
      }
    }
    return true;
  }
  bool by_uniform(Philox& g, T* o, T* end) const {
    const C plus = low_ < 0 ? C(0) : low_ * low_;
    int misses = 0;
    while (o < end) {
      const auto a = uniform_block<T>(g());
      const auto b = uniform_block<T>(g());
      for (size_t i = 0; i < a.size() && o < end; ++i) {
        const C z = static_cast<C>(a[i]) * (high_ - low_) + low_;
        const bool accept = static_cast<C>(b[i]) <= std::exp((plus - z * z) / C(2));
        if (accept) {
          put(o, z);
          misses = 0;
        } else if (++misses >= kMaxIterations) {
          return false;
        }
      }
    }
    return true;
  }
  bool by_exponential(Philox& g, T* o, T* end) const {
    const C alpha = (low_ + std::sqrt(low_ * low_ + C(4))) / C(2);
    int misses = 0;
    while (o < end) {
      const auto a = uniform_block<T>(g());
      for (size_t i = 0; i + 1 < a.size() && o < end; i += 2) {
        const C z = -std::log(static_cast<C>(a[i])) / alpha + low_;
        const C x = low_ < alpha ? alpha - z : low_ - alpha;
        const bool accept = static_cast<C>(a[i + 1]) <= std::exp(-x * x / C(2)) && z < high_;
        if (accept) {
          put(o, z);
          misses = 0;
        } else if (++misses >= kMaxIterations) {
          return false;
        }
      }
    }
    return true;
  }

  C mean_;
  C deviation_;
  C low_;
  C high_;
};

template <class T>
absl::Status bounded_normal_of(const Philox& generator, const Tensor* parameters[4], Tensor* out) {
  using C = compute_t<T>;
  const int64_t total = out->num_elements();
  if (total == 0) return absl::OkStatus();
  int64_t rows = 1;
  for (int k = 0; k < 4; ++k) rows = std::max(rows, parameters[k]->num_elements());
  const int64_t per_row = total / rows;
  T* o = out->flat<T>().data();
  // The stream goes on from row to row: in this order, not in parallel.
  Philox g = generator;
  for (int64_t row = 0; row < rows; ++row) {
    C p[4];
    for (int k = 0; k < 4; ++k) {
      p[k] = static_cast<C>(parameters[k]->flat<T>()[parameters[k]->num_elements() == 1 ? 0 : row]);
    }
    if (!(p[1] > 0 && p[2] < p[3] && (std::isfinite(p[2]) || std::isfinite(p[3])))) {
      return invalid("Invalid parameters");
    }
    const BoundedNormal<T> normal(p[0], p[1], p[2], p[3]);
    TROUPE_RETURN_IF_ERROR(normal.sample(g, o + row * per_row, o + (row + 1) * per_row));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status fill_gamma(KernelContext& context, const Philox& generator, const Tensor& alphas, Tensor* out) {
  if (out->num_elements() == 0) return absl::OkStatus();
  switch (out->dtype()) {
    case DataType::kHalf: gamma_of<Eigen::half>(context, generator, alphas, out); break;
    case DataType::kBfloat16: gamma_of<Eigen::bfloat16>(context, generator, alphas, out); break;
    case DataType::kFloat: gamma_of<float>(context, generator, alphas, out); break;
    default: gamma_of<double>(context, generator, alphas, out);
  }
  return absl::OkStatus();
}

absl::Status fill_poisson(KernelContext& context, const Philox& generator, const Tensor& rates, Tensor* out) {
  if (out->num_elements() == 0) return absl::OkStatus();
  switch (rates.dtype()) {
    case DataType::kHalf: poisson_from<Eigen::half>(context, generator, rates, out); break;
    case DataType::kFloat: poisson_from<float>(context, generator, rates, out); break;
    case DataType::kDouble: poisson_from<double>(context, generator, rates, out); break;
    case DataType::kInt32: poisson_from<int32_t>(context, generator, rates, out); break;
    default: poisson_from<int64_t>(context, generator, rates, out);
  }
  return absl::OkStatus();
}

absl::Status fill_bounded_normal(const Philox& generator, const Tensor* parameters[4], Tensor* out) {
  switch (out->dtype()) {
    case DataType::kHalf: return bounded_normal_of<Eigen::half>(generator, parameters, out);
    case DataType::kFloat: return bounded_normal_of<float>(generator, parameters, out);
    default: return bounded_normal_of<double>(generator, parameters, out);
  }
}

}  // namespace troupe
