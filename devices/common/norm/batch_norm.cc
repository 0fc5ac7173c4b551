#include "devices/common/norm/batch_norm.h"

#include <string>

namespace troupe {

absl::StatusOr<BatchNormAttrs> BatchNormAttrs::make(const KernelConstruction& c) {
  BatchNormAttrs a;
  TROUPE_ASSIGN_OR_RETURN(std::string format, c.attr<std::string>("data_format"));
  TROUPE_ASSIGN_OR_RETURN(a.layout, parse_layout(format, 0));
  TROUPE_ASSIGN_OR_RETURN(a.epsilon, c.attr<float>("epsilon"));
  TROUPE_ASSIGN_OR_RETURN(a.training, c.attr<bool>("is_training"));
  a.average_factor = c.node().attrs.get_or<float>("exponential_avg_factor", 1.0f);
  return a;
}

absl::StatusOr<Images> BatchNormAttrs::check(const KernelContext& c, bool side_input) const {
  const Tensor& x = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(Images s, split_images(x, layout, "input"));
  static constexpr const char* kNames[] = {"", "scale", "offset", "estimated_mean", "estimated_variance"};
  for (int i = 1; i < 5; ++i) TROUPE_RETURN_IF_ERROR(check_vector(c.input(i), kNames[i]));
  TROUPE_RETURN_IF_ERROR(check_length(c.input(1), "scale", s.channels));
  TROUPE_RETURN_IF_ERROR(check_length(c.input(2), "offset", s.channels));
  if (!training || average_factor != 1) {
    const char* when = training ? "When exponential_avg_factor != 1, " : "When is_training=false, ";
    TROUPE_RETURN_IF_ERROR(check_length(c.input(3), absl::StrCat(when, "mean"), s.channels));
    TROUPE_RETURN_IF_ERROR(check_length(c.input(4), absl::StrCat(when, "variance"), s.channels));
  }
  if (side_input && !(c.input(5).shape() == x.shape())) {
    return absl::InvalidArgumentError(
        absl::StrCat("side_input shape must be equal to input shape: ", c.input(5).shape().to_string(),
                     " != ", x.shape().to_string()));
  }
  return s;
}

absl::StatusOr<Images> BatchNormAttrs::check_gradient(const KernelContext& c) const {
  const Tensor &grad = c.input(0), &x = c.input(1);
  TROUPE_RETURN_IF_ERROR(split_images(grad, layout, "input").status());
  TROUPE_ASSIGN_OR_RETURN(Images s, split_images(x, layout, "input"));
  TROUPE_RETURN_IF_ERROR(check_vector(c.input(2), "scale"));
  TROUPE_RETURN_IF_ERROR(check_vector(c.input(3), "saved mean"));
  TROUPE_RETURN_IF_ERROR(check_vector(c.input(4), "saved variance"));
  if (!(x.shape() == grad.shape())) {
    return absl::InvalidArgumentError(absl::StrCat("x and y_backprop must have same shape, but x has shape ",
                                                   x.shape().to_string(), " and y_backprop has shape ",
                                                   grad.shape().to_string()));
  }
  TROUPE_RETURN_IF_ERROR(check_length(c.input(2), "scale", s.channels));
  TROUPE_RETURN_IF_ERROR(check_length(c.input(3), "reserve_space_1", s.channels));
  TROUPE_RETURN_IF_ERROR(check_length(c.input(4), "reserve_space_2", s.channels));
  return s;
}

}  // namespace troupe
