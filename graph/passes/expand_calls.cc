// The part of the inliner that puts the bodies of called functions, and of gradients, in the place of the calls.

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "graph/passes/function_differentiator.h"
#include "graph/passes/inliner.h"

namespace troupe {

absl::Status Inliner::expand_call(const Call& call, const std::string& function, const AttrMap& attrs) {
  ++calls_;
  FunctionRef ref{function, std::make_shared<AttrMap>(attrs)};
  TROUPE_ASSIGN_OR_RETURN(auto body, checked_body(call, ref, 0));
  return expand_body(call, body);
}

absl::Status Inliner::expand_body(const Call& call, const std::shared_ptr<const FunctionBody>& body) {
  TROUPE_RETURN_IF_ERROR(check_results(call, *body, call.output_types));
  std::optional<int> made;
  Splice in;
  in.body = body;
  in.prefix = absl::StrCat(call.name, "/");
  in.args = call.inputs;
  in.silent.assign(call.inputs.size(), false);
  in.conditional = call.conditional;
  in.guard_args = call.conditional && !call.controls.empty();
  in.pivot = [&]() -> absl::StatusOr<int> {
    if (made.has_value()) return *made;
    std::vector<int> after = call.controls;
    for (Endpoint e : call.inputs) {
      TROUPE_ASSIGN_OR_RETURN(int token, token_for(call, "input_token", e));
      if (std::find(after.begin(), after.end(), token) == after.end()) after.push_back(token);
    }
    made = -1;
    if (after.size() == 1) made = after[0];
    if (after.size() > 1) {
      TROUPE_ASSIGN_OR_RETURN(made, add(call, "inputs_ready", "NoOp", {}, {}, std::move(after)));
    }
    return *made;
  };
  TROUPE_ASSIGN_OR_RETURN(Spliced spliced, splice(call, in));
  for (size_t i = 0; i < spliced.rets.size(); ++i) {
    if (in.guard_args && FunctionBody::is_arg(body->rets[i])) {
      TROUPE_ASSIGN_OR_RETURN(spliced.rets[i], pass_on(call, FunctionBody::arg_of(body->rets[i])));
    }
    outputs_.set({call.id, static_cast<int>(i)}, spliced.rets[i]);
  }
  if (!call.awaited) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(std::vector<int> after, done_tokens(call, "", spliced));
  for (int c : call.controls) after.push_back(c);
  return finish(call, std::move(after));
}

const Tensor* Inliner::remote_target(const Call& call) const {
  Endpoint target = call.inputs[0];
  for (int hops = 0; hops < 8 && graph_.node(target.node).is("Identity"); ++hops)
    target = graph_.node(target.node).inputs[0];
  const Node& node = graph_.node(target.node);
  const Tensor* device = node.removed() ? nullptr : const_value(node);
  return device == nullptr || device->dtype() != DataType::kString || device->num_elements() != 1 ? nullptr
                                                                                                  : device;
}

/// The call without its target, on the device that the target names.
Inliner::Call Inliner::without_target(const Call& call, const Tensor& target) {
  Call inner = call;
  inner.device = std::string(target.flat<TString>()[0].view());
  inner.inputs.erase(inner.inputs.begin());
  inner.input_types.erase(inner.input_types.begin());
  return inner;
}

absl::Status Inliner::expand_remote_call(const Call& call) {
  TROUPE_ASSIGN_OR_RETURN(FunctionRef f, function_attr(call, "f"));
  return expand_call(without_target(call, *remote_target(call)), f.name,
                     f.attrs == nullptr ? AttrMap() : *f.attrs);
}

absl::Status Inliner::expand_gradient(const Call& call) {
  TROUPE_ASSIGN_OR_RETURN(FunctionRef f, function_attr(call, "f"));
  std::string gradient = graph_.library() == nullptr ? "" : graph_.library()->gradient_of(f.name);
  if (!gradient.empty()) return expand_call(call, gradient, f.attrs == nullptr ? AttrMap() : *f.attrs);
  if (differentiator_ == nullptr) {
    return absl::UnimplementedError(absl::StrCat("SymbolicGradient node ", call.name, ": the function ",
                                                 f.name, " has no gradient function in the graph's library"));
  }
  for (int frame = call.frame; frame >= 0; frame = frames_[frame].parent) {
    auto it = gradients_.find(frames_[frame].body);
    if (it == gradients_.end() || it->second.second != f.name) continue;
    return absl::UnimplementedError(absl::StrCat("SymbolicGradient node ", call.name,
                                                 ": the gradient of the recursive function ", f.name));
  }
  ++calls_;
  TROUPE_ASSIGN_OR_RETURN(auto body, differentiator_->differentiate(graph_, f, call.output_types));
  gradients_[body.get()] = {body, f.name};
  if (body->arg_types.size() != call.inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("The gradient of ", f.name, " takes ", body->arg_types.size(), " inputs, got ",
                     call.inputs.size(), " from ", call.op->name, " node ", call.name));
  }
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const DataType want = base_type(body->arg_types[i]), got = base_type(call.input_types[i]);
    if (want == got) continue;
    return absl::InvalidArgumentError(absl::StrCat("The gradient of ", f.name, ": argument ", i, " has type ",
                                                   dtype_name(want), ", but node ", call.name, " passes ",
                                                   dtype_name(got)));
  }
  return expand_body(call, body);
}

}  // namespace troupe
