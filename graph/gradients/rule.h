#pragma once

#include <vector>

#include "graph/gradients/arithmetic.h"
#include "graph/gradients/gradient_scope.h"

namespace troupe {

/// What a gradient rule sees: one node of the forward graph and the gradients of its outputs. It says what the gradients of
/// the inputs are; an input that it leaves out, or sets to an invalid value, gets none.
class Rule {
 public:
  /// `dy` has an entry for each output, invalid where no gradient arrives.
  Rule(GradientScope* scope, int node, std::vector<Val> dy, std::vector<bool> wanted);

  /// Input and output of the node; negative numbers count from the end.
  Val x(int i) const;
  Val y(int i = 0) const;
  int num_inputs() const { return static_cast<int>(dx_.size()); }
  int num_outputs() const { return static_cast<int>(dy_.size()); }
  /// The gradient of output i; zeros when none arrives.
  Val dy(int i = 0);
  bool has_dy(int i) const { return dy_[i].valid(); }
  /// Whether the gradient of input i is used; rules need not compute it otherwise.
  bool wants(int i) const { return wanted_[i < 0 ? i + num_inputs() : i]; }
  void dx(int i, Val gradient) { dx_[i < 0 ? i + num_inputs() : i] = gradient; }
  /// Inputs or outputs [begin, end).
  std::vector<Val> xs(int begin, int end) const;
  std::vector<Val> dys(int begin, int end);

  const Node& node() const;
  template <class T>
  T attr(absl::string_view name, T fallback = T()) const {
    return node().attrs.get_or<T>(name, std::move(fallback));
  }
  /// Those of the node's attrs that are named: to hand on to a node of the gradient.
  AttrMap attrs(std::initializer_list<const char*> names) const;

  /// Those of the node's attrs that are no types and that `op` has as well.
  AttrMap attrs_for(absl::string_view op) const;
  /// An op with those attrs.
  Val like(absl::string_view op, const std::vector<Arg>& inputs) const {
    return scope_.op(op, inputs, attrs_for(op));
  }

  GradientScope& scope() const { return scope_; }
  Val op(absl::string_view name, const std::vector<Arg>& inputs, AttrMap attrs = {}) const {
    return scope_.op(name, inputs, std::move(attrs));
  }
  Val ints(const std::vector<int>& values) const { return scope_.ints(values); }
  Val int_scalar(int value) const { return scope_.int_scalar(value); }
  /// A scalar of the dtype of output 0.
  Val scalar(double value) const { return scope_.scalar(y().dtype(), value); }
  PartialShape shape(Val v) const { return scope_.shape(v); }
  /// Unimplemented, naming the node.
  void refuse(absl::string_view why) const;

  const std::vector<Val>& gradients() const { return dx_; }

 private:
  GradientScope& scope_;
  const int node_;
  std::vector<Val> dy_;
  const std::vector<bool> wanted_;
  std::vector<Val> dx_;
};

using RuleFn = void (*)(Rule& rule);

/// One line of a rule table: an op, and what adds its gradient. Null: none flows through the op.
struct RuleRow {
  const char* op;
  RuleFn fn;
};

}  // namespace troupe
