#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "devices/kernel.h"

namespace troupe {

// What the loss and the decoders of connectionist temporal classification share. Probabilities are logarithms.

inline constexpr double kLogZero = -std::numeric_limits<double>::infinity();

/// log(exp(a) + exp(b)). Of float scores all is rounded to float; of double scores, as in TensorFlow, only
/// what the smaller one adds.
template <class T = float>
double log_add(double a, double b) {
  if constexpr (std::is_same_v<T, double>) {
    if (a == kLogZero) return b;
    if (b == kLogZero) return a;
    if (a < b) std::swap(a, b);
    return a + std::log1p(std::exp(static_cast<float>(b - a)));
  }
  const auto x = static_cast<float>(a), y = static_cast<float>(b);
  if (a == kLogZero) return y;
  if (b == kLogZero) return x;
  return x > y ? x + std::log1p(std::exp(y - x)) : y + std::log1p(std::exp(x - y));
}

/// Scores [time, batch, classes] and the length of each sequence.
struct Sequences {
  int64_t steps, batch, classes;
  std::span<const int32_t> length;
};

/// FailedPrecondition when the lengths do not fit.
absl::StatusOr<Sequences> read_sequences(const Tensor& inputs, const Tensor& length);

/// log softmax of the scores of one time step.
template <class T>
std::vector<double> log_probabilities(const T* scores, int64_t classes) {
  std::vector<double> p(scores, scores + classes);
  const double top = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double v : p) sum += std::exp(v - top);
  const double offset = top + std::log(sum);
  for (double& v : p) v -= offset;
  return p;
}

}  // namespace troupe
