#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/gradients/gradient_scope.h"
#include "graph/gradients/loop_frames.h"

namespace troupe {

/// The gradient of one loop: a loop that goes through its iterations backwards. Values of the forward iterations that rules
/// need are kept in lists, which become loop variables of the forward loop and, popped, of the backward one.
class LoopGradient : public ValueImporter {
 public:
  LoopGradient(GradientScope* scope, const GradientRegistry* registry, LoopFrames* frames, int frame)
      : scope_(*scope), registry_(*registry), frames_(*frames), frame_(frame) {}

  /// `exit_dy` by Exit node, `active` by Enter node: whether a gradient is wanted for its input. Gradients for those inputs
  /// come back by Enter node.
  absl::Status build(const absl::flat_hash_map<int, Val>& exit_dy,
                     const absl::flat_hash_map<int, bool>& active, absl::flat_hash_map<int, Val>* gradients);

  absl::StatusOr<Endpoint> import(Endpoint e) override;

 private:
  class Forward;
  /// A variable of the backward loop.
  struct BackVar {
    int merge = -1;
    Endpoint in_body;
    Endpoint after;
  };

  absl::Status choose_vars(const absl::flat_hash_map<int, Val>& exit_dy,
                           const absl::flat_hash_map<int, bool>& active);
  absl::StatusOr<Endpoint> add_forward_var(Forward& forward, Endpoint init,
                                           const std::function<Endpoint(Endpoint)>& step);
  DataType type_of_gradient(int enter);
  DataType type_read_from(Endpoint handle);
  Val zeros_of_constant(int enter);
  absl::Status count_iterations();
  absl::Status open();
  BackVar back_var(Endpoint init);
  void finish_entry(BackVar* var);
  void close(const BackVar& var, Endpoint next);
  absl::Status build_body(const std::vector<BackVar>& vars, const std::vector<BackVar>& sums);
  absl::StatusOr<Endpoint> at_entry(Endpoint e);
  absl::StatusOr<Endpoint> remember(Endpoint e);
  Endpoint guarded(std::span<const Guard> guards, Endpoint list,
                   const std::function<Endpoint(Endpoint)>& change);
  absl::StatusOr<Endpoint> from_outside(Endpoint e);
  Val exit_dy_or_zeros(LoopVar& var, const absl::flat_hash_map<int, Val>& exit_dy);

  GradientScope& scope_;
  const GradientRegistry& registry_;
  LoopFrames& frames_;
  const int frame_;

  ForwardLoop loop_;
  /// Indices into loop_.vars and loop_.constants that get gradients.
  std::vector<int> vars_;
  std::vector<int> constants_;
  /// The types of variables by Enter, as those who read them tell, and who uses handles.
  absl::flat_hash_map<int, DataType> types_read_;
  absl::flat_hash_map<Endpoint, std::vector<int>> users_of_handles_;
  bool knows_users_ = false;
  /// Where the backward loop is entered.
  ValueImporter* outer_ = nullptr;
  int outer_pivot_ = -1;
  std::string frame_name_;
  Endpoint count_;
  Endpoint loop_cond_;
  int body_pivot_ = -1;
  absl::flat_hash_map<Endpoint, Endpoint> imported_;
};

}  // namespace troupe
