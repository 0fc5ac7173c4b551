#pragma once

#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/gradients/gradient_scope.h"
#include "graph/gradients/loop_frames.h"

namespace troupe {

/// Reverse-mode differentiation of one frame of a graph: the root, or the body of a loop. Its units are nodes, and whole
/// loops inside; they are visited from the results to the inputs, each once, when all gradients that it gets are there.
class Backprop {
 public:
  /// `frame` as LoopFrames counts; all must outlive this.
  Backprop(GradientScope* scope, const GradientRegistry* registry, LoopFrames* frames, int frame)
      : scope_(*scope), registry_(*registry), frames_(*frames), frame_(frame) {}

  /// Looks at what `y` is computed from, stopping at `x`s and at the borders of the frame. Must come first.
  absl::Status prepare(std::span<const Endpoint> y, std::span<const Endpoint> x);
  /// Whether y depends on the node of `e` at all, by data.
  bool reaches(Endpoint e) const { return unit_index_.contains(frames_.unit_of(e, frame_)); }
  /// Whether a gradient for some x would come through `e`.
  bool is_active(Endpoint e) const;
  /// The nodes at which it stops since nothing of the frame is behind them, after `prepare`.
  std::vector<int> borders() const;
  /// Adds the gradients: dy[i] for y[i]; dx gets an entry for each x, invalid where there is none.
  absl::Status run(std::span<const Val> dy, std::vector<Val>* dx);

 private:
  struct Unit {
    /// A node, or a loop: see LoopFrames::unit_of.
    int id = -1;
    bool active = false;
  };
  std::vector<Endpoint> inputs_of(int unit) const;
  absl::Status sort_units();
  void add_gradient(Endpoint e, Val gradient);
  Val total(Endpoint e);
  /// Whether it is an op through which no gradient flows: what is behind it needs no rule.
  bool hands_nothing_on(int unit) const;
  /// Whether an input that is no integer or string depends on x.
  bool depends_smoothly(const Node& node) const;
  absl::Status visit_node(int node);
  absl::Status visit_loop(int unit);

  GradientScope& scope_;
  const GradientRegistry& registry_;
  LoopFrames& frames_;
  const int frame_;
  std::vector<Endpoint> y_;
  std::vector<Endpoint> x_;
  absl::flat_hash_map<Endpoint, int> is_x_;
  /// Producers first.
  std::vector<Unit> units_;
  absl::flat_hash_map<int, int> unit_index_;
  absl::flat_hash_map<Endpoint, std::vector<Val>> sums_;
};

}  // namespace troupe
