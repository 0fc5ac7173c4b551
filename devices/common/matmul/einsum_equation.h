#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/tensor/shape.h"

namespace troupe {

/// A subscript as it is written; kEllipsis stands for the broadcast axes.
using Subscript = std::vector<int>;
inline constexpr int kEllipsis = -1;
/// Axes under an ellipsis are counted from the last: kBroadcast + 0 is the innermost.
inline constexpr int kBroadcast = 256;
inline constexpr int kLabels = kBroadcast + Shape::kMaxRank;

struct Equation {
  std::vector<Subscript> inputs;
  Subscript output;
};
absl::StatusOr<Equation> parse_equation(const std::string& text);

/// The labels of every axis of a tensor of that rank: the ellipsis is spelled out.
absl::StatusOr<std::vector<int>> expand_ellipsis(const Subscript& s, int rank, int input);

}  // namespace troupe
