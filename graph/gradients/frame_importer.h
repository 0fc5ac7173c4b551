#pragma once

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/gradient_scope.h"
#include "graph/gradients/loop_frames.h"

namespace troupe {

/// Brings values of the frames around a loop's body into it, where gradients of one iteration are computed: by the Enter nodes that are there, or new
/// ones. What is in the body is there already.
class FrameImporter : public ValueImporter {
 public:
  /// Both must outlive it.
  FrameImporter(GradientScope* scope, LoopFrames* frames, int frame)
      : scope_(*scope), frames_(*frames), frame_(frame) {}

  /// InvalidArgument for a value of a frame that is not around the body.
  absl::StatusOr<Endpoint> import(Endpoint e) override;

 private:
  absl::StatusOr<Endpoint> bring(Endpoint e, int into);
  /// -1: the loop has none.
  int constant_enter(Endpoint e, int frame) const;

  GradientScope& scope_;
  LoopFrames& frames_;
  const int frame_;
  /// By value and frame.
  absl::flat_hash_map<std::pair<Endpoint, int>, Endpoint> brought_;
};

}  // namespace troupe
