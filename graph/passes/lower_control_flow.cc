#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "graph/passes/inliner.h"

namespace troupe {
namespace {

constexpr int kNone = -1;

}  // namespace

/// A loop to be built around a condition and a body.
struct Inliner::Loop {
  std::vector<Endpoint> inits;
  std::vector<DataType> types;
  /// Which variables the body hands on unchanged.
  std::vector<bool> constant;
  int64_t parallel_iterations = 10;
  /// Given the variables and a node that is alive once per iteration: one bool, and effects.
  std::function<absl::StatusOr<Spliced>(const Call& inside, const std::vector<Endpoint>& args, int pivot)>
      cond;
  /// Given the variables: their next values, and effects.
  std::function<absl::StatusOr<Spliced>(const Call& inside, const std::vector<Endpoint>& args,
                                        const std::function<absl::StatusOr<int>()>& pivot)>
      body;
};

/// If and Case: every input goes through a Switch, every output through a Merge.
absl::Status Inliner::expand_branches(const Call& call, const std::vector<FunctionRef>& branches,
                                      Endpoint selector, bool is_if) {
  ++branches_;
  const int n = static_cast<int>(branches.size());
  std::vector<std::shared_ptr<const FunctionBody>> bodies;
  for (const FunctionRef& ref : branches) {
    TROUPE_ASSIGN_OR_RETURN(auto body, body_of(call, ref, 1));
    TROUPE_RETURN_IF_ERROR(check_results(call, *body, call.output_types));
    bodies.push_back(std::move(body));
  }
  // A Switch has its false output first.
  auto route = [&](const std::string& name, Endpoint data, DataType type) -> absl::StatusOr<int> {
    AttrMap attrs{{"T", base_type(type)}};
    if (!is_if) attrs.set("num_outs", n);
    return add(call, name, is_if ? "Switch" : "_SwitchN", std::move(attrs), {data, selector});
  };
  auto output_of = [&](int branch) { return is_if ? 1 - branch : branch; };
  std::vector<int> routed(call.inputs.size(), kNone);
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    const bool used =
        std::any_of(bodies.begin(), bodies.end(), [&](const auto& b) { return b->arg_used[i - 1]; });
    if (!used) continue;
    TROUPE_ASSIGN_OR_RETURN(routed[i],
                            route(absl::StrCat("switch_", i - 1), call.inputs[i], call.input_types[i]));
  }
  const DataType selector_type = is_if ? DataType::kBool : DataType::kInt32;
  int pivot_switch = kNone;
  std::vector<int> pivots(n, kNone);
  auto pivot_of = [&](int branch) -> absl::StatusOr<int> {
    if (pivot_switch == kNone) {
      TROUPE_ASSIGN_OR_RETURN(pivot_switch, route("switch_pivot", selector, selector_type));
    }
    if (pivots[branch] == kNone) {
      TROUPE_ASSIGN_OR_RETURN(pivots[branch],
                              add(call, absl::StrCat("pivot_", branch), "Identity", {{"T", selector_type}},
                                  {{pivot_switch, output_of(branch)}}));
    }
    return pivots[branch];
  };
  std::vector<Spliced> spliced;
  for (int b = 0; b < n; ++b) {
    Splice in;
    in.body = bodies[b];
    in.prefix = is_if ? absl::StrCat(call.name, b == 0 ? "/then/" : "/else/")
                      : absl::StrCat(call.name, "/branch_", b, "/");
    for (size_t i = 1; i < call.inputs.size(); ++i) in.args.push_back({routed[i], output_of(b)});
    in.silent.assign(in.args.size(), false);
    in.conditional = true;
    in.pivot = [&pivot_of, b] { return pivot_of(b); };
    TROUPE_ASSIGN_OR_RETURN(Spliced s, splice(call, in));
    spliced.push_back(std::move(s));
  }
  std::vector<int> done;
  for (size_t i = 0; i < call.output_types.size(); ++i) {
    std::vector<Endpoint> alternatives;
    for (const Spliced& s : spliced) alternatives.push_back(s.rets[i]);
    AttrMap attrs{{"T", base_type(call.output_types[i])}, {"N", n}};
    TROUPE_ASSIGN_OR_RETURN(
        int merge, add(call, absl::StrCat("merge_", i), "Merge", std::move(attrs), std::move(alternatives)));
    outputs_.set({call.id, static_cast<int>(i)}, {merge, 0});
    done.push_back(merge);
  }
  if (!call.awaited) return absl::OkStatus();
  if (std::any_of(spliced.begin(), spliced.end(), [](const Spliced& s) { return !s.effects.empty(); })) {
    // What a branch did is over when its token is there; one of the tokens is alive.
    std::vector<Endpoint> tokens;
    for (int b = 0; b < n; ++b) {
      for (int e : spliced[b].effects) await(e);
      TROUPE_ASSIGN_OR_RETURN(int pivot, pivot_of(b));
      TROUPE_ASSIGN_OR_RETURN(int token, add(call, absl::StrCat("done_", b), "Identity",
                                             {{"T", selector_type}}, {{pivot, 0}}, spliced[b].effects));
      tokens.push_back({token, 0});
    }
    TROUPE_ASSIGN_OR_RETURN(int merge,
                            add(call, "done", "Merge", {{"T", selector_type}, {"N", n}}, std::move(tokens)));
    done.push_back(merge);
  }
  if (done.empty()) done.push_back(selector.node);
  return finish(call, std::move(done));
}

absl::Status Inliner::expand_if(const Call& call) {
  TROUPE_ASSIGN_OR_RETURN(FunctionRef then_branch, function_attr(call, "then_branch"));
  TROUPE_ASSIGN_OR_RETURN(FunctionRef else_branch, function_attr(call, "else_branch"));
  TROUPE_ASSIGN_OR_RETURN(int pred, add(call, "pred", "_ToBool", {{"T", base_type(call.input_types[0])}},
                                        {call.inputs[0]}, call.controls));
  return expand_branches(call, {then_branch, else_branch}, {pred, 0}, true);
}

absl::Status Inliner::expand_case(const Call& call) {
  TROUPE_ASSIGN_OR_RETURN(auto branches, call.attrs.get<std::vector<FunctionRef>>("branches"));
  TROUPE_ASSIGN_OR_RETURN(int index, add(call, "branch_index", "Identity", {{"T", DataType::kInt32}},
                                         {call.inputs[0]}, call.controls));
  return expand_branches(call, branches, {index, 0}, false);
}

/// The frame of one loop while it is built. Variable i is carried from iteration to iteration, or constant in the loop.
absl::StatusOr<std::vector<Endpoint>> Inliner::build_loop(const Call& call, const Loop& loop) {
  ++loops_;
  const size_t n = loop.inits.size();
  auto enter = [&](size_t i, bool constant) {
    AttrMap attrs{{"T", base_type(loop.types[i])},
                  {"frame_name", call.name},
                  {"is_constant", constant},
                  {"parallel_iterations", loop.parallel_iterations}};
    return add(call, absl::StrCat("enter_", i), "Enter", std::move(attrs), {loop.inits[i]}, call.controls);
  };
  size_t first_carried = 0;
  while (first_carried < n && loop.constant[first_carried]) ++first_carried;
  if (first_carried == n) return absl::InternalError("a loop needs a variable that changes");

  std::vector<int> merges(n, kNone), switches(n, kNone);
  std::vector<Endpoint> cond_args(n), body_args(n);
  for (size_t i = 0; i < n; ++i) {
    TROUPE_ASSIGN_OR_RETURN(int in, enter(i, loop.constant[i]));
    if (loop.constant[i]) {
      cond_args[i] = body_args[i] = {in, 0};
      continue;
    }
    TROUPE_ASSIGN_OR_RETURN(merges[i], add(call, absl::StrCat("merge_", i), "Merge",
                                           {{"T", base_type(loop.types[i])}, {"N", 2}}, {{in, 0}, {in, 0}}));
    cond_args[i] = {merges[i], 0};
  }
  Call inside = call;
  inside.conditional = true;
  TROUPE_ASSIGN_OR_RETURN(Spliced cond, loop.cond(inside, cond_args, merges[first_carried]));
  for (int e : cond.effects) await(e);
  TROUPE_ASSIGN_OR_RETURN(int loop_cond,
                          add(inside, "loop_cond", "LoopCond", {}, {cond.rets[0]}, cond.effects));
  for (size_t i = 0; i < n; ++i) {
    if (loop.constant[i]) continue;
    TROUPE_ASSIGN_OR_RETURN(switches[i],
                            add(inside, absl::StrCat("switch_", i), "Switch",
                                {{"T", base_type(loop.types[i])}}, {{merges[i], 0}, {loop_cond, 0}}));
    body_args[i] = {switches[i], 1};
  }
  int pivot = kNone;
  auto body_pivot = [&]() -> absl::StatusOr<int> {
    if (pivot == kNone) {
      TROUPE_ASSIGN_OR_RETURN(pivot, add(inside, "body_pivot", "Identity",
                                         {{"T", base_type(loop.types[first_carried])}},
                                         {{switches[first_carried], 1}}));
    }
    return pivot;
  };
  TROUPE_ASSIGN_OR_RETURN(Spliced body, loop.body(inside, body_args, body_pivot));
  for (int e : body.effects) await(e);
  std::vector<Endpoint> outputs(n);
  for (size_t i = 0; i < n; ++i) {
    if (loop.constant[i]) continue;
    // The next iteration begins when the effects of this one are over.
    std::vector<int> after;
    if (i == first_carried) after = body.effects;
    // A loop constant is there in the iteration after the last too.
    const size_t from = std::find(body_args.begin(), body_args.end(), body.rets[i]) - body_args.begin();
    if (from < n && loop.constant[from]) {
      TROUPE_ASSIGN_OR_RETURN(int p, body_pivot());
      after.push_back(p);
    }
    AttrMap attrs{{"T", base_type(loop.types[i])}};
    TROUPE_ASSIGN_OR_RETURN(int next, add(inside, absl::StrCat("next_", i), "NextIteration", attrs,
                                          {body.rets[i]}, std::move(after)));
    graph_.node(merges[i]).inputs[1] = {next, 0};
    TROUPE_ASSIGN_OR_RETURN(int exit, add(call, absl::StrCat("exit_", i), "Exit", attrs, {{switches[i], 0}}));
    outputs[i] = {exit, 0};
  }
  return outputs;
}

absl::Status Inliner::expand_while(const Call& call) {
  TROUPE_ASSIGN_OR_RETURN(FunctionRef cond_ref, function_attr(call, "cond"));
  TROUPE_ASSIGN_OR_RETURN(FunctionRef body_ref, function_attr(call, "body"));
  TROUPE_ASSIGN_OR_RETURN(auto cond, body_of(call, cond_ref, 0));
  TROUPE_ASSIGN_OR_RETURN(auto body, body_of(call, body_ref, 0));
  if (cond->ret_types.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("Loop condition ", cond_ref.name, " of node ", call.name,
                                                   " has ", cond->ret_types.size(), " results, expected 1"));
  }
  TROUPE_RETURN_IF_ERROR(check_results(call, *body, call.input_types));
  const size_t n = call.inputs.size();
  Loop loop;
  loop.inits = call.inputs;
  loop.types = call.input_types;
  loop.parallel_iterations = call.attrs.get_or<int64_t>("parallel_iterations", 10);
  for (size_t i = 0; i < n; ++i)
    loop.constant.push_back(body->passed_through(static_cast<int>(i)) == static_cast<int>(i));
  if (std::find(loop.constant.begin(), loop.constant.end(), false) == loop.constant.end()) {
    // Something has to go round.
    TROUPE_ASSIGN_OR_RETURN(int token, add(call, "token", "Const",
                                           {{"dtype", DataType::kBool}, {"value", Tensor::scalar(true)}}, {},
                                           call.controls));
    loop.inits.push_back({token, 0});
    loop.types.push_back(DataType::kBool);
    loop.constant.push_back(false);
  }
  loop.cond = [&](const Call& inside, const std::vector<Endpoint>& args,
                  int pivot) -> absl::StatusOr<Spliced> {
    Splice in;
    in.body = cond;
    in.prefix = absl::StrCat(call.name, "/cond/");
    in.args.assign(args.begin(), args.begin() + n);
    in.silent.assign(loop.constant.begin(), loop.constant.begin() + n);
    in.conditional = true;
    in.pivot = [pivot] { return pivot; };
    TROUPE_ASSIGN_OR_RETURN(Spliced s, splice(inside, in));
    const DataType type = base_type(cond->ret_types[0]);
    if (type == DataType::kBool) return s;
    TROUPE_ASSIGN_OR_RETURN(int go_on, add(inside, "go_on", "_ToBool", {{"T", type}}, {s.rets[0]}));
    s.rets[0] = {go_on, 0};
    return s;
  };
  loop.body = [&](const Call& inside, const std::vector<Endpoint>& args,
                  const std::function<absl::StatusOr<int>()>& pivot) -> absl::StatusOr<Spliced> {
    Splice in;
    in.body = body;
    in.prefix = absl::StrCat(call.name, "/body/");
    in.args.assign(args.begin(), args.begin() + n);
    in.silent.assign(loop.constant.begin(), loop.constant.begin() + n);
    in.conditional = true;
    in.pivot = pivot;
    TROUPE_ASSIGN_OR_RETURN(Spliced s, splice(inside, in));
    for (size_t i = n; i < args.size(); ++i) s.rets.push_back(args[i]);
    return s;
  };
  TROUPE_ASSIGN_OR_RETURN(std::vector<Endpoint> exits, build_loop(call, loop));
  std::vector<int> done;
  for (size_t i = 0; i < exits.size(); ++i) {
    if (!loop.constant[i]) done.push_back(exits[i].node);
    if (i >= n) continue;
    if (loop.constant[i]) {
      TROUPE_ASSIGN_OR_RETURN(exits[i], pass_on(call, i));
    }
    outputs_.set({call.id, static_cast<int>(i)}, exits[i]);
  }
  return finish(call, std::move(done));
}

/// For(start, limit, delta, ...): a While whose first variable counts.
absl::Status Inliner::expand_for(const Call& call) {
  TROUPE_ASSIGN_OR_RETURN(FunctionRef body_ref, function_attr(call, "body"));
  // The body takes the counter, then the variables.
  Call with_counter = call;
  with_counter.inputs.erase(with_counter.inputs.begin() + 1, with_counter.inputs.begin() + 3);
  with_counter.input_types.erase(with_counter.input_types.begin() + 1, with_counter.input_types.begin() + 3);
  TROUPE_ASSIGN_OR_RETURN(auto body, body_of(with_counter, body_ref, 0));
  TROUPE_RETURN_IF_ERROR(check_results(call, *body, call.output_types));
  const AttrMap int_attrs{{"T", DataType::kInt32}};
  const AttrMap bool_attrs{{"T", DataType::kBool}};
  const Endpoint start = call.inputs[0], limit = call.inputs[1], delta = call.inputs[2];

  auto compare = [&](const Call& c, const std::string& name, absl::string_view op, Endpoint a, Endpoint b) {
    return add(c, name, op, int_attrs, {a, b});
  };
  auto select = [&](const Call& c, const std::string& name, int which, int yes, int no) {
    return add(c, name, "Select", bool_attrs, {{which, 0}, {yes, 0}, {no, 0}});
  };
  TROUPE_ASSIGN_OR_RETURN(int zero, add(call, "zero", "Const",
                                        {{"dtype", DataType::kInt32}, {"value", Tensor::scalar(int32_t{0})}},
                                        {}, call.controls));
  TROUPE_ASSIGN_OR_RETURN(int up, compare(call, "up", "Greater", delta, {zero, 0}));
  TROUPE_ASSIGN_OR_RETURN(int down, compare(call, "down", "Less", delta, {zero, 0}));
  TROUPE_ASSIGN_OR_RETURN(int below, compare(call, "below", "LessEqual", start, limit));
  TROUPE_ASSIGN_OR_RETURN(int above, compare(call, "above", "GreaterEqual", start, limit));
  TROUPE_ASSIGN_OR_RETURN(int at, compare(call, "at", "Equal", start, limit));
  TROUPE_ASSIGN_OR_RETURN(int not_up, select(call, "ok_down", down, above, at));
  TROUPE_ASSIGN_OR_RETURN(int ok, select(call, "ok", up, below, not_up));
  TROUPE_ASSIGN_OR_RETURN(int text, add(call, "text", "Const",
                                        {{"dtype", DataType::kString},
                                         {"value", Tensor::scalar(TString("Invalid start/limit/delta"))}},
                                        {}, call.controls));
  AttrMap assert_attrs{
      {"T", std::vector<DataType>{DataType::kString, DataType::kInt32, DataType::kInt32, DataType::kInt32}}};
  TROUPE_ASSIGN_OR_RETURN(int checked, add(call, "check", "Assert", std::move(assert_attrs),
                                           {{ok, 0}, {text, 0}, start, limit, delta}));
  Call after_check = call;
  after_check.controls.push_back(checked);

  Loop loop;
  loop.inits = {start, limit, delta};
  loop.types = {DataType::kInt32, DataType::kInt32, DataType::kInt32};
  loop.constant = {false, true, true};
  const size_t n = with_counter.inputs.size();
  for (size_t i = 1; i < n; ++i) {
    loop.inits.push_back(with_counter.inputs[i]);
    loop.types.push_back(with_counter.input_types[i]);
    loop.constant.push_back(body->passed_through(static_cast<int>(i) - 1) == static_cast<int>(i));
  }
  loop.cond = [&](const Call& inside, const std::vector<Endpoint>& args,
                  int pivot) -> absl::StatusOr<Spliced> {
    TROUPE_ASSIGN_OR_RETURN(
        int none, add(inside, "cond/zero", "Const",
                      {{"dtype", DataType::kInt32}, {"value", Tensor::scalar(int32_t{0})}}, {}, {pivot}));
    TROUPE_ASSIGN_OR_RETURN(int counts_up, compare(inside, "cond/up", "Greater", args[2], {none, 0}));
    TROUPE_ASSIGN_OR_RETURN(int less, compare(inside, "cond/less", "Less", args[0], args[1]));
    TROUPE_ASSIGN_OR_RETURN(int greater, compare(inside, "cond/greater", "Greater", args[0], args[1]));
    TROUPE_ASSIGN_OR_RETURN(int go_on, select(inside, "cond/go_on", counts_up, less, greater));
    return Spliced{{{go_on, 0}}, {}};
  };
  loop.body = [&](const Call& inside, const std::vector<Endpoint>& args,
                  const std::function<absl::StatusOr<int>()>& pivot) -> absl::StatusOr<Spliced> {
    Splice in;
    in.body = body;
    in.prefix = absl::StrCat(call.name, "/body/");
    in.args = {args[0]};
    in.silent = {false};
    in.args.insert(in.args.end(), args.begin() + 3, args.end());
    in.silent.insert(in.silent.end(), loop.constant.begin() + 3, loop.constant.end());
    in.conditional = true;
    in.pivot = pivot;
    TROUPE_ASSIGN_OR_RETURN(Spliced s, splice(inside, in));
    TROUPE_ASSIGN_OR_RETURN(int next, add(inside, "counter", "Add", int_attrs, {args[0], args[2]}));
    s.rets.insert(s.rets.begin(), {Endpoint{next, 0}, args[1], args[2]});
    return s;
  };
  TROUPE_ASSIGN_OR_RETURN(std::vector<Endpoint> exits, build_loop(after_check, loop));
  std::vector<int> done = {exits[0].node};
  for (size_t i = 3; i < exits.size(); ++i) {
    if (!loop.constant[i]) done.push_back(exits[i].node);
    if (loop.constant[i]) {
      TROUPE_ASSIGN_OR_RETURN(exits[i], pass_on(after_check, i));
    }
    outputs_.set({call.id, static_cast<int>(i) - 3}, exits[i]);
  }
  return finish(call, std::move(done));
}

}  // namespace troupe
