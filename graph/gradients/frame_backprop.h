#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph/gradients/backprop.h"

namespace troupe {

/// Reverse mode from where `y` stands: the root, or the body of a loop, whose derivatives are those of one iteration. From a body it goes on in the
/// frames around, through what their loops do not change; gradients are all computed where y stands.
class FrameBackprop {
 public:
  /// All must outlive this.
  FrameBackprop(GradientScope* scope, const GradientRegistry* registry, LoopFrames* frames)
      : scope_(*scope), registry_(*registry), frames_(*frames) {}

  /// As Backprop::prepare. From now on the scope adds nodes where y stands. InvalidArgument when that is in several frames.
  absl::Status prepare(std::span<const Endpoint> y, std::span<const Endpoint> x);
  /// Whether y depends on the node of `e` at all, by data.
  bool reaches(Endpoint e) const;
  /// As Backprop::run. InvalidArgument when an x would get a gradient through the initial value of a loop variable, which is another iteration's.
  absl::Status run(std::span<const Val> dy, std::vector<Val>* dx);

 private:
  /// Where a value comes into a frame: by an Enter, seen as an output of it, or of the Merge or Switch of a loop variable.
  struct Entrance {
    int enter = -1;
    Endpoint inside;
  };
  /// What is done in one frame.
  struct Stage {
    int frame = 0;
    std::vector<Endpoint> y;
    /// Those that stand there, by their place in the caller's list; then what hands a gradient on, by its place among the entrances.
    std::vector<Endpoint> x;
    std::vector<int> own;
    std::vector<size_t> handing_on;
    /// What y depends on, one for each y of the next stage.
    std::vector<Entrance> entrances;
    std::unique_ptr<Backprop> backprop;
  };
  absl::StatusOr<int> frame_of_all(std::span<const Endpoint> y) const;
  absl::Status find_stages(std::span<const Endpoint> y, std::span<const Endpoint> x);
  Endpoint outside(const Entrance& entrance) const;
  absl::StatusOr<std::vector<Entrance>> entrances_before(const Stage& stage);
  absl::Status prepare_stage(size_t i);
  absl::Status initial_value_error(const Entrance& entrance, const Stage& around);
  void enter_body();

  GradientScope& scope_;
  const GradientRegistry& registry_;
  LoopFrames& frames_;
  size_t num_x_ = 0;
  /// From y's frame outwards.
  std::vector<Stage> stages_;
};

}  // namespace troupe
