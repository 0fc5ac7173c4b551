#include "graph/gradients/einsum.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/gradients/matrix_values.h"

namespace troupe {
namespace {

constexpr absl::string_view kEllipsis = "...";

bool has(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }
bool has_ellipsis(const std::string& labels) { return labels.find("...") != std::string::npos; }

/// Where a label stands in the shape: counted from the end when it is behind an ellipsis.
int axis_of(const std::string& labels, char label) {
  const size_t dots = labels.find("..."), at = labels.find(label);
  if (dots == std::string::npos || at < dots) return static_cast<int>(at);
  return static_cast<int>(at) - static_cast<int>(labels.size());
}

Val einsum(Rule& r, const std::vector<Val>& operands, const std::string& equation) {
  return r.op("Einsum", {operands}, {{"equation", equation}});
}

/// Labels once each, in order; an ellipsis stays.
std::string distinct(const std::string& labels) {
  std::string out;
  for (char c : labels) {
    if (c == '.' || !has(out, c)) out += c;
  }
  return out;
}

/// From a gradient with `have` labels to one in the shape of the operand: labels that are only in the operand were summed
/// over, so the gradient is repeated along them.
Val spread(Rule& r, Val g, const std::string& have, Val operand, const std::string& labels) {
  std::string missing;
  std::vector<Val> sizes;
  for (char c : distinct(labels)) {
    if (c == '.' || has(have, c)) continue;
    missing += c;
    sizes.push_back(dim_of(unary("Shape", operand), axis_of(labels, c)));
  }
  if (missing.empty()) return have == labels ? g : einsum(r, {g}, absl::StrCat(have, "->", labels));
  Val ones = r.op("Fill", {r.op("Pack", {sizes}), r.scope().scalar(g.dtype(), 1)});
  const std::string all = have + missing;
  Val repeated = einsum(r, {g, ones}, absl::StrCat(have, ",", missing, "->", all));
  return einsum(r, {repeated}, absl::StrCat(all, "->", labels));
}

/// The gradient of one of two operands, not summed over broadcast dimensions yet.
Val operand_gradient(Rule& r, Val operand, const std::string& labels, Val other,
                     const std::string& other_labels, const std::string& result) {
  std::string kept;
  for (char c : distinct(labels)) {
    if (c == '.' || has(result, c) || has(other_labels, c)) kept += c;
  }
  Val g = einsum(r, {r.dy(), conj(other)}, absl::StrCat(result, ",", other_labels, "->", kept));
  return spread(r, g, kept, operand, labels);
}

/// The part of a shape that an ellipsis stands for.
Val ellipsis_dims(Rule& r, Val operand, const std::string& labels) {
  const int begin = static_cast<int>(labels.find("..."));
  const int behind = static_cast<int>(labels.size()) - begin - static_cast<int>(kEllipsis.size());
  return r.op("StridedSlice", {unary("Shape", operand), r.ints({begin}), r.ints({-behind}), r.ints({1})},
              {{"end_mask", behind == 0 ? 1 : 0}});
}

Val sum_ellipsis(Rule& r, Val g, Val operand, const std::string& labels, Val other,
                 const std::string& other_labels) {
  Val axes = r.op("BroadcastGradientArgs",
                  {ellipsis_dims(r, operand, labels), ellipsis_dims(r, other, other_labels)})[0];
  axes = axes + static_cast<double>(labels.find("..."));
  return reshape_like(reduce_sum(g, axes), operand);
}

}  // namespace

void einsum_rule(Rule& r) {
  const auto equation = r.attr<std::string>("equation");
  const std::vector<std::string> sides = absl::StrSplit(equation, "->");
  if (sides.size() != 2) return r.refuse(absl::StrCat("equation '", equation, "' has no ->"));
  std::vector<std::string> labels = absl::StrSplit(sides[0], ',');
  const std::string& result = sides[1];
  if (static_cast<int>(labels.size()) != r.num_inputs() || labels.size() > 2) {
    return r.refuse(absl::StrCat("equation '", equation, "' does not fit the number of inputs"));
  }
  if (labels.size() == 1) {
    const std::string kept = distinct(result);
    Val g = kept == result ? r.dy() : einsum(r, {r.dy()}, absl::StrCat(result, "->", kept));
    return r.dx(0, spread(r, g, kept, r.x(0), labels[0]));
  }
  const bool broadcast = has_ellipsis(result);
  if (broadcast) {
    for (std::string& l : labels) {
      if (!has_ellipsis(l)) l += "...";
    }
  }
  for (int i = 0; i < 2; ++i) {
    if (!r.wants(i)) continue;
    Val g = operand_gradient(r, r.x(i), labels[i], r.x(1 - i), labels[1 - i], result);
    if (broadcast) g = sum_ellipsis(r, g, r.x(i), labels[i], r.x(1 - i), labels[1 - i]);
    r.dx(i, g);
  }
}

}  // namespace troupe
