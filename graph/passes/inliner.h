#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "graph/passes/called_functions.h"
#include "graph/passes/function_body.h"
#include "graph/passes/inline_scope.h"
#include "graph/passes/pass.h"

namespace troupe {

class FunctionDifferentiator;

/// The machine of inline_functions: what one expansion of a caller needs. Internal to that pass.
class Inliner {
 public:
  /// `within`: the function whose body the draft is, or "".
  Inliner(Draft* draft, std::string within, const FunctionDifferentiator* differentiator, InlineScope scope)
      : draft_(*draft), graph_(draft->graph), within_(std::move(within)), differentiator_(differentiator),
        scope_(scope), bodies_(draft->graph),
        called_(draft->graph.library().get(), scope != InlineScope::kAll) {}
  absl::StatusOr<PassStats> run();
  /// Ops that call functions which they name, and are put in place of or left as calls.
  static bool is_call(const OpDef& op);

 private:
  /// Which functions are being expanded around a node, innermost first.
  struct Frame {
    const FunctionBody* body = nullptr;
    int parent = -1;
  };
  /// A caller, copied out of the graph: its node is gone while it is expanded.
  struct Call {
    int id = -1;
    std::string name;
    const OpDef* op = nullptr;
    AttrMap attrs;
    std::string device;
    int frame = -1;
    bool conditional = false;
    bool awaited = false;
    std::vector<Endpoint> inputs;
    std::vector<int> controls;
    std::vector<DataType> input_types;
    std::vector<DataType> output_types;
  };
  /// How a body is put in.
  struct Splice {
    std::shared_ptr<const FunctionBody> body;
    std::string prefix;
    std::vector<Endpoint> args;
    /// Arguments that say nothing about whether the body is alive: nodes that depend on them only need the pivot.
    std::vector<bool> silent;
    bool conditional = false;
    /// Nodes that use arguments wait for the pivot as well.
    bool guard_args = false;
    /// Makes, at the first call, the node that is alive exactly when the body is to run; -1 when it always does.
    std::function<absl::StatusOr<int>()> pivot;
  };
  struct Spliced {
    std::vector<Endpoint> rets;
    std::vector<int> effects;
  };
  struct Loop;

  void find_conditional_nodes();
  Call describe(int id) const;
  absl::Status expand(int id);
  /// The function that a node calls and that takes all its inputs (RemoteCall: all but the target), when it is one that is
  /// called and not inlined.
  absl::StatusOr<std::optional<FunctionRef>> callee_to_leave(const Call& call) const;
  /// Whether an If or Case stays as it is, for a kernel to call the branch: unless it says that it is to be lowered.
  bool leaves_branches(const Call& call) const;
  /// Makes a node a PartitionedCall of `ref`, which the executor will call.
  absl::Status leave_call(const Call& call, const FunctionRef& ref);
  bool must_call(const FunctionBody& body, int frame) const;
  /// A body of one node, which calls the function.
  absl::StatusOr<std::shared_ptr<const FunctionBody>> calling_body(const FunctionBody& body) const;
  absl::Status expand_call(const Call& call, const std::string& function, const AttrMap& attrs);
  absl::Status expand_body(const Call& call, const std::shared_ptr<const FunctionBody>& body);
  absl::Status expand_remote_call(const Call& call);
  /// The constant string that tells where a RemoteCall runs, or null.
  const Tensor* remote_target(const Call& call) const;
  static Call without_target(const Call& call, const Tensor& target);
  absl::Status expand_branches(const Call& call, const std::vector<FunctionRef>& branches, Endpoint selector,
                               bool is_if);
  absl::Status expand_if(const Call& call);
  absl::Status expand_case(const Call& call);
  absl::Status expand_while(const Call& call);
  absl::Status expand_for(const Call& call);
  /// What the variables are after the loop; for loop constants nothing.
  absl::StatusOr<std::vector<Endpoint>> build_loop(const Call& call, const Loop& loop);
  /// Input i of the caller as an output of it: there when the caller would have run, not before.
  absl::StatusOr<Endpoint> pass_on(const Call& call, size_t input);
  absl::Status expand_gradient(const Call& call);

  absl::StatusOr<std::shared_ptr<const FunctionBody>> checked_body(const Call& call, const FunctionRef& ref,
                                                                   size_t first_input) const;
  /// The same, or a body that calls it when the function is not to be inlined.
  absl::StatusOr<std::shared_ptr<const FunctionBody>> body_of(const Call& call, const FunctionRef& ref,
                                                              size_t first_input) const;
  static absl::Status check_results(const Call& call, const FunctionBody& body,
                                    absl::Span<const DataType> want);
  absl::StatusOr<Spliced> splice(const Call& call, const Splice& in);
  absl::StatusOr<bool> needs_pivot(const Splice& in, const FunctionBody::BodyNode& node) const;
  absl::StatusOr<FunctionRef> function_attr(const Call& call, absl::string_view name) const;

  /// A node of the expansion, "<caller>/<name>", on the caller's device.
  absl::StatusOr<int> add(const Call& call, const std::string& name, absl::string_view op, AttrMap attrs,
                          std::vector<Endpoint> inputs, std::vector<int> controls = {});
  /// A node to wait for by a control edge that means "e is there and alive".
  absl::StatusOr<int> token_for(const Call& call, const std::string& name, Endpoint e);
  /// Nodes that mean "this expansion has run": its effects, else its results.
  absl::StatusOr<std::vector<int>> done_tokens(const Call& call, const std::string& prefix, const Spliced& s);
  /// Who waited for the caller waits for this NoOp, which takes its name.
  absl::Status finish(const Call& call, std::vector<int> after);
  void await(int node) {
    if (static_cast<size_t>(node) >= awaited_.size()) awaited_.resize(node + 1);
    awaited_[node] = true;
  }

  Draft& draft_;
  Graph& graph_;
  const std::string within_;
  const FunctionDifferentiator* const differentiator_;
  const InlineScope scope_;
  mutable FunctionBodies bodies_;
  CalledFunctions called_;
  /// By the body that each calls.
  mutable absl::flat_hash_map<const FunctionBody*, std::shared_ptr<const FunctionBody>> calling_;
  /// Bodies that the differentiator made, to which frames point, and whose gradients they are.
  absl::flat_hash_map<const FunctionBody*, std::pair<std::shared_ptr<const FunctionBody>, std::string>>
      gradients_;
  std::vector<Frame> frames_;
  /// By node id; shorter than the graph where all is default.
  std::vector<int> frame_of_;
  std::vector<bool> conditional_;
  std::vector<bool> awaited_;
  EndpointMap outputs_;
  absl::flat_hash_map<int, int> done_;
  int64_t calls_ = 0, branches_ = 0, loops_ = 0, left_ = 0;
};

}  // namespace troupe
