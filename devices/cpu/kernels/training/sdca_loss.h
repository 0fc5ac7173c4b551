#pragma once

#include <cmath>
#include <limits>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace troupe {

/// What one example asks of its dual variable.
struct SdcaExample {
  double label = 0;
  double weight = 0;
  double dual = 0;
  /// The prediction.
  double wx = 0;
  /// Squared norm of the features over l2.
  double norm = 0;
  int64_t partitions = 1;

  double pull() const { return static_cast<double>(partitions) * norm * weight; }
};

/// A convex loss as stochastic dual coordinate ascent sees it (Shalev-Shwartz and Zhang, "Stochastic Dual Coordinate Ascent
/// Methods for Regularized Loss Minimization", 2013).
class SdcaLoss {
 public:
  virtual ~SdcaLoss() = default;
  /// InvalidArgument for labels that the loss has no value for; 0 becomes -1 where there are two classes.
  virtual absl::Status convert_label(float* label) const = 0;
  /// The dual variable that is best with all others as they are.
  virtual double updated_dual(const SdcaExample& e) const = 0;
  virtual double dual_loss(double dual, double label, double weight) const = 0;
  virtual double primal_loss(double wx, double label, double weight) const = 0;
  /// By the prediction, of an example of weight 1.
  virtual double primal_derivative(double wx, double label) const = 0;
  virtual double smoothness() const { return 1; }
};

/// "logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss"; InvalidArgument for others.
absl::StatusOr<std::unique_ptr<SdcaLoss>> make_sdca_loss(const std::string& name);

}  // namespace troupe
