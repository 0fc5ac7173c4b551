#include "devices/cpu/kernels/training/sdca_loss.h"

#include <algorithm>

namespace troupe {
namespace {

constexpr double kNoLoss = std::numeric_limits<double>::max();
/// Newton's method converges quadratically: enough for the last digit.
constexpr int kNewtonSteps = 10;

absl::Status binary_label(float* label) {
  if (*label == 0) {
    *label = -1;
  } else if (*label != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Only labels of 0.0 or 1.0 are supported right now. Found example with label: ", *label));
  }
  return absl::OkStatus();
}

class Logistic final : public SdcaLoss {
 public:
  absl::Status convert_label(float* label) const override { return binary_label(label); }
  double updated_dual(const SdcaExample& e) const override {
    // The dual is (1 + tanh(x)) / 2 / label.
    double x = 0;
    for (int i = 0; i < kNewtonSteps; ++i) {
      const double t = std::tanh(x);
      const double value = -2 * e.label * x - e.wx - e.pull() * (0.5 * (1 + t) / e.label - e.dual);
      const double slope = -2 * e.label - e.pull() * (1 - t * t) * 0.5 / e.label;
      x -= value / slope;
    }
    return 0.5 * (1 + std::tanh(x)) / e.label;
  }
  double dual_loss(double dual, double label, double weight) const override {
    const double ay = dual * label, rest = 1 - ay;
    const double log_ay = ay > 0 ? std::log(ay) : 0, log_rest = rest > 0 ? std::log(rest) : 0;
    return (ay * log_ay + rest * log_rest) * weight;
  }
  double primal_loss(double wx, double label, double weight) const override {
    const double ywx = label * wx;
    // Neither exponential overflows.
    return (ywx > 0 ? std::log1p(std::exp(-ywx)) : std::log1p(std::exp(ywx)) - ywx) * weight;
  }
  double primal_derivative(double wx, double label) const override {
    const double ywx = label * wx;
    const double share = ywx > 0 ? std::exp(-ywx) / (1 + std::exp(-ywx)) : 1 / (1 + std::exp(ywx));
    return -label * share;
  }
  double smoothness() const override { return 4; }
};

class Squared final : public SdcaLoss {
 public:
  absl::Status convert_label(float*) const override { return absl::OkStatus(); }
  double updated_dual(const SdcaExample& e) const override {
    return e.dual + (e.label - e.dual - e.wx) / (1 + e.pull());
  }
  double dual_loss(double dual, double label, double weight) const override {
    return dual * (0.5 * dual - label) * weight;
  }
  double primal_loss(double wx, double label, double weight) const override {
    return (wx - label) * (wx - label) * weight * 0.5;
  }
  double primal_derivative(double wx, double label) const override { return wx - label; }
};

/// Within [0, label].
double bounded_dual(double dual, double label) {
  if (label * dual < 0) return 0;
  return label * dual > 1 ? label : dual;
}

class Hinge final : public SdcaLoss {
 public:
  absl::Status convert_label(float* label) const override { return binary_label(label); }
  double updated_dual(const SdcaExample& e) const override {
    return bounded_dual(e.dual + (e.label - e.wx) / e.pull(), e.label);
  }
  double dual_loss(double dual, double label, double weight) const override {
    const double ay = dual * label;
    return ay < 0 || ay > 1 ? kNoLoss : -ay * weight;
  }
  double primal_loss(double wx, double label, double weight) const override {
    return std::max(0.0, 1 - label * wx) * weight;
  }
  double primal_derivative(double wx, double label) const override { return label * wx < 1 ? -label : 0; }
};

/// The hinge with a parabola of width 1 in its corner.
class SmoothHinge final : public SdcaLoss {
 public:
  absl::Status convert_label(float* label) const override { return binary_label(label); }
  double updated_dual(const SdcaExample& e) const override {
    return bounded_dual(e.dual + (e.label - e.wx - e.dual) / (e.pull() + 1), e.label);
  }
  double dual_loss(double dual, double label, double weight) const override {
    const double ay = dual * label;
    return ay < 0 || ay > 1 ? kNoLoss : (-ay + 0.5 * dual * dual) * weight;
  }
  double primal_loss(double wx, double label, double weight) const override {
    const double ywx = label * wx;
    if (ywx >= 1) return 0;
    return (ywx <= 0 ? 0.5 - ywx : 0.5 * (1 - ywx) * (1 - ywx)) * weight;
  }
  double primal_derivative(double wx, double label) const override {
    const double ywx = label * wx;
    if (ywx >= 1) return 0;
    return ywx <= 0 ? -label : (ywx - 1) * label;
  }
};

class Poisson final : public SdcaLoss {
 public:
  absl::Status convert_label(float* label) const override {
    if (*label >= 0) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "Only non-negative labels can be used with the Poisson log loss. Found example with label: ",
        *label));
  }
  double updated_dual(const SdcaExample& e) const override {
    // The dual is label - exp(x).
    const double rest = e.label - e.dual;
    double x = rest > 0 ? std::log(rest) : 0;
    for (int i = 0; i < kNewtonSteps; ++i) {
      const double exp_x = std::exp(x);
      x -= (x - e.wx - e.pull() * (rest - exp_x)) / (1 + e.pull() * exp_x);
    }
    return e.label - std::exp(x);
  }
  double dual_loss(double dual, double label, double weight) const override {
    const double rest = label - dual;
    if (rest == 0) return 0;
    return rest < 0 ? kNoLoss : rest * (std::log(rest) - 1) * weight;
  }
  double primal_loss(double wx, double label, double weight) const override {
    return (std::exp(wx) - wx * label) * weight;
  }
  double primal_derivative(double wx, double label) const override { return std::exp(wx) - label; }
};

}  // namespace

absl::StatusOr<std::unique_ptr<SdcaLoss>> make_sdca_loss(const std::string& name) {
  if (name == "logistic_loss") return std::make_unique<Logistic>();
  if (name == "squared_loss") return std::make_unique<Squared>();
  if (name == "hinge_loss") return std::make_unique<Hinge>();
  if (name == "smooth_hinge_loss") return std::make_unique<SmoothHinge>();
  if (name == "poisson_loss") return std::make_unique<Poisson>();
  return absl::InvalidArgumentError(absl::StrCat("Unsupported loss type: ", name));
}

}  // namespace troupe
