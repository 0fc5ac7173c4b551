// How reverse mode goes through a whole loop.

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/backprop.h"
#include "graph/gradients/loop_gradient.h"

namespace troupe {

absl::Status Backprop::visit_loop(int unit) {
  const int frame = LoopFrames::loop_frame(unit);
  TROUPE_ASSIGN_OR_RETURN(const ForwardLoop loop, frames_.loop(frame));
  absl::flat_hash_map<int, Val> exit_dy;
  for (const LoopVar& var : loop.vars) {
    if (var.exit < 0) continue;
    if (const Val dy = total({var.exit, 0}); dy.valid()) exit_dy[var.exit] = dy;
  }
  if (exit_dy.empty()) return scope_.status();
  absl::flat_hash_map<int, bool> active;
  for (int enter : frames_.enters(frame)) active[enter] = is_active(scope_.graph().node(enter).inputs[0]);
  scope_.keep(std::make_unique<LoopGradient>(&scope_, &registry_, &frames_, frame));
  auto* loop_gradient = static_cast<LoopGradient*>(scope_.last_kept());
  absl::flat_hash_map<int, Val> gradients;
  TROUPE_RETURN_IF_ERROR(loop_gradient->build(exit_dy, active, &gradients));
  for (int enter : frames_.enters(frame)) {
    if (auto it = gradients.find(enter); it != gradients.end()) {
      add_gradient(scope_.graph().node(enter).inputs[0], it->second);
    }
  }
  return scope_.status();
}

}  // namespace troupe
