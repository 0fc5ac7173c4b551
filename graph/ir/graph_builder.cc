#include "graph/ir/graph_builder.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_def.h"

namespace troupe {
namespace {

bool is_list_arg(const ArgDef& arg) { return !arg.number_attr.empty() || !arg.type_list_attr.empty(); }

}  // namespace

/// The inside of a loop or of a branch. What comes from outside is brought in once, and nodes that nothing inside
/// feeds wait for the pivot, so that they run when, and as often as, the inside does.
struct GraphBuilder::Context {
  enum Kind { kRoot, kLoop, kBranch };
  Kind kind = kRoot;
  int parent = -1;
  Out pivot;
  std::string frame;
  int parallel_iterations = 10;
  Out predicate;
  int branch = 0;
  absl::flat_hash_map<Endpoint, Out> captured;
};

GraphBuilder::GraphBuilder(const OpRegistry* ops) : graph_(ops) {
  graph_.set_library(std::make_shared<FunctionLibrary>());
  graph_.versions().producer = kGraphDefVersion;
  contexts_.push_back(std::make_unique<Context>());
}

GraphBuilder::~GraphBuilder() = default;

GraphBuilder::Guard GraphBuilder::scope(const std::string& name) {
  const std::string wanted = scopes_.empty() ? name : absl::StrCat(scopes_.back(), "/", name);
  std::string unique = wanted;
  while (!scope_names_.insert(unique).second) unique = absl::StrCat(wanted, "_", ++scope_suffix_[wanted]);
  scopes_.push_back(std::move(unique));
  return Guard([this] { scopes_.pop_back(); });
}

GraphBuilder::Guard GraphBuilder::device(const std::string& name) {
  devices_.push_back(name);
  return Guard([this] { devices_.pop_back(); });
}

GraphBuilder::Guard GraphBuilder::control(const std::vector<Out>& before) {
  std::vector<int> ids;
  for (Out o : before) {
    if (o.valid()) ids.push_back(o.node());
  }
  controls_.push_back(std::move(ids));
  return Guard([this] { controls_.pop_back(); });
}

Out GraphBuilder::fail(absl::Status status) {
  status_.Update(status);
  return Out();
}

std::string GraphBuilder::full_name(const std::string& name, const std::string& op_name) {
  const std::string base = name.empty() ? op_name : name;
  return graph_.unique_name(scopes_.empty() ? base : absl::StrCat(scopes_.back(), "/", base));
}

/// Deals the inputs out to the arguments of the op: a list argument takes a list, or as many single inputs as the
/// arguments behind it leave. Sets the attrs that follow.
bool GraphBuilder::infer_attrs(const OpDef& op, const std::vector<In>& inputs, AttrMap* attrs,
                               std::vector<Out>* flat) {
  size_t next = 0;
  auto infer = [&](const std::string& attr, AttrValue value) {
    if (!attr.empty() && !attrs->contains(attr)) attrs->set(attr, std::move(value));
  };
  for (size_t a = 0; a < op.inputs.size(); ++a) {
    const ArgDef& arg = op.inputs[a];
    std::vector<Out> taken;
    if (is_list_arg(arg)) {
      if (next < inputs.size() && inputs[next].is_list()) {
        taken = inputs[next++].outs();
      } else {
        const size_t behind = op.inputs.size() - a - 1;
        while (next + behind < inputs.size() && !inputs[next].is_list())
          taken.push_back(inputs[next++].outs()[0]);
      }
    } else if (next < inputs.size() && !inputs[next].is_list()) {
      taken = inputs[next++].outs();
    } else {
      fail(absl::InvalidArgumentError(
          absl::StrCat("Op ", op.name, " needs one input at argument '", arg.name, "'")));
      return false;
    }
    std::vector<DataType> types;
    for (Out o : taken) {
      if (type_of(o) == DataType::kInvalid) {
        fail(absl::InvalidArgumentError(
            o.valid() ? absl::StrCat("Node ", name_of(o), " has no output ", o.slot(), ", which argument '",
                                     arg.name, "' of op ", op.name, " asks for")
                      : absl::StrCat("Input of argument '", arg.name, "' of op ", op.name, " is empty")));
        return false;
      }
      types.push_back(base_type(graph_.type_of(o.endpoint())));
    }
    if (!arg.number_attr.empty()) infer(arg.number_attr, static_cast<int64_t>(taken.size()));
    if (!types.empty()) infer(arg.type_attr, types[0]);
    infer(arg.type_list_attr, types);
    flat->insert(flat->end(), taken.begin(), taken.end());
  }
  if (next == inputs.size()) return true;
  fail(absl::InvalidArgumentError(
      absl::StrCat("Op ", op.name, " takes fewer inputs than the ", inputs.size(), " given")));
  return false;
}

Out GraphBuilder::op(const std::string& op_name, const std::vector<In>& inputs, AttrMap attrs,
                     const std::string& name) {
  if (!status_.ok()) return Out();
  const OpDef* op = graph_.find_op(op_name);
  if (op == nullptr) return fail(graph_.ops().lookup(op_name).status());
  std::vector<Out> flat;
  if (!infer_attrs(*op, inputs, &attrs, &flat)) return Out();
  for (Out& x : flat) x = capture(x, context_);
  if (!status_.ok()) return Out();
  return make(op, std::move(attrs), flat, full_name(name, op_name), false);
}

/// Adds the node in the current context. `entering`: it is what brings something in, so it takes its inputs as they are
/// and waits for nothing inside.
Out GraphBuilder::make(const OpDef* op, AttrMap attrs, const std::vector<Out>& inputs,
                       const std::string& name, bool entering) {
  std::vector<Endpoint> endpoints;
  for (Out o : inputs) endpoints.push_back(o.endpoint());
  auto added = graph_.add_node(name, op->name, std::move(attrs), endpoints, {},
                               devices_.empty() ? "" : devices_.back());
  if (!added.ok()) return fail(added.status());
  Node& node = **added;
  context_of_.resize(graph_.num_ids(), 0);
  context_of_[node.id] = context_;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const DataType has = graph_.type_of(node.inputs[i]);
    const DataType wants = node.input_types[i];
    if (has != wants && (is_ref(wants) || base_type(has) != wants)) {
      return fail(absl::InvalidArgumentError(
          absl::StrCat("Input ", i, " of node ", node.name, " was passed ", dtype_name(has), " from ",
                       graph_.node(node.inputs[i].node).name, ":", node.inputs[i].slot,
                       " incompatible with expected ", dtype_name(wants), ".")));
    }
  }
  bool waits_inside = !inputs.empty();
  // No wait crosses the border of a loop or branch: what brings something in waits outside, on behalf of the rest.
  const int waits_in = entering ? contexts_[context_]->parent : context_;
  for (const auto& list : controls_) {
    for (int id : list) {
      if (context_of_[id] != waits_in) continue;
      graph_.add_control_input(node.id, id);
      waits_inside = true;
    }
  }
  if (entering) return Out({node.id, 0});
  const Out pivot = contexts_[context_]->pivot;
  if (!waits_inside && pivot.valid()) graph_.add_control_input(node.id, pivot.node());
  return Out({node.id, 0});
}

/// `x` as seen from inside `context`, which must be the context of `x` or inside of it.
Out GraphBuilder::capture(Out x, int context) {
  if (!x.valid() || context_of_[x.node()] == context) return x;
  Context& c = *contexts_[context];
  if (c.kind == Context::kRoot) {
    return fail(absl::InvalidArgumentError(
        absl::StrCat("Output of node ", graph_.node(x.node()).name,
                     " is used outside of the loop or branch that it is made in")));
  }
  if (auto it = c.captured.find(x.endpoint()); it != c.captured.end()) return it->second;
  Out outer = capture(x, c.parent);
  if (!outer.valid()) return outer;
  const int saved = std::exchange(context_, context);
  Out inner;
  if (c.kind == Context::kLoop) {
    AttrMap attrs{{"T", base_type(type_of(outer))},
                  {"frame_name", c.frame},
                  {"is_constant", true},
                  {"parallel_iterations", c.parallel_iterations}};
    inner = make(graph_.find_op("Enter"), std::move(attrs), {outer}, full_name("Enter", ""), true);
  } else {
    AttrMap attrs{{"T", base_type(type_of(outer))}};
    inner = make(graph_.find_op("Switch"), std::move(attrs), {outer, c.predicate}, full_name("Switch", ""),
                 true)[c.branch];
  }
  context_ = saved;
  contexts_[context]->captured[x.endpoint()] = inner;
  return inner;
}

int GraphBuilder::open_context(Context context) {
  context.parent = context_;
  contexts_.push_back(std::make_unique<Context>(std::move(context)));
  return context_ = static_cast<int>(contexts_.size()) - 1;
}

std::vector<Out> GraphBuilder::while_loop(const std::vector<Out>& initial, const LoopCondition& condition,
                                          const LoopBody& body, const std::string& name,
                                          int parallel_iterations) {
  if (!status_.ok()) return {};
  if (initial.empty()) {
    fail(absl::InvalidArgumentError("A loop needs at least one loop variable"));
    return {};
  }
  Guard in_scope = scope(name);
  const size_t n = initial.size();
  const int outside = context_;
  Context loop;
  loop.kind = Context::kLoop;
  loop.frame = scopes_.back();
  loop.parallel_iterations = parallel_iterations;
  std::vector<Out> outer;
  for (Out x : initial) outer.push_back(capture(x, outside));
  const int inside = open_context(std::move(loop));
  auto leave = [&]() -> std::vector<Out> {
    context_ = outside;
    return {};
  };
  std::vector<Out> merges, switches, vars, exits;
  for (Out x : outer) {
    if (!x.valid()) return leave();
    AttrMap attrs{{"T", base_type(type_of(x))},
                  {"frame_name", contexts_[inside]->frame},
                  {"parallel_iterations", parallel_iterations}};
    Out enter = make(graph_.find_op("Enter"), std::move(attrs), {x}, full_name("Enter", ""), true);
    // The second input is the next iteration, known once the body is built.
    merges.push_back(op("Merge", {enter, enter}));
  }
  if (!status_.ok()) return leave();
  contexts_[inside]->pivot = merges[0];
  Out go = op("LoopCond", {condition(merges)});
  for (Out m : merges) switches.push_back(op("Switch", {m, go}));
  for (Out s : switches) vars.push_back(op("Identity", {s[1]}));
  if (!status_.ok()) return leave();
  contexts_[inside]->pivot = vars[0];
  std::vector<Out> results = body(vars);
  if (status_.ok() && results.size() != n) {
    fail(absl::InvalidArgumentError(absl::StrCat("The body of loop ", contexts_[inside]->frame, " returns ",
                                                 results.size(), " values for ", n, " loop variables")));
  }
  for (size_t i = 0; i < n && status_.ok(); ++i) {
    Out next = op("NextIteration", {results[i]});
    if (!next.valid()) break;
    if (base_type(type_of(next)) != base_type(type_of(merges[i]))) {
      fail(absl::InvalidArgumentError(absl::StrCat("Loop variable ", i, " of ", contexts_[inside]->frame,
                                                   " is ", dtype_name(type_of(merges[i])),
                                                   " but the body returns ", dtype_name(type_of(next)))));
      break;
    }
    graph_.node(merges[i].node()).inputs[1] = next.endpoint();
    exits.push_back(op("Exit", {switches[i][0]}));
  }
  context_ = outside;
  if (!status_.ok()) return {};
  for (Out e : exits) context_of_[e.node()] = outside;
  return exits;
}

std::vector<Out> GraphBuilder::cond(Out predicate, const Branch& if_true, const Branch& if_false,
                                    const std::string& name) {
  if (!status_.ok()) return {};
  Guard in_scope = scope(name);
  const int outside = context_;
  predicate = capture(predicate, outside);
  Out pivots = op("Switch", {predicate, predicate});
  std::vector<Out> results[2];
  for (int branch : {1, 0}) {
    if (!status_.ok()) return {};
    Context context;
    context.kind = Context::kBranch;
    context.predicate = predicate;
    context.branch = branch;
    const int inside = open_context(std::move(context));
    contexts_[inside]->pivot = make(graph_.find_op("Identity"), {{"T", DataType::kBool}}, {pivots[branch]},
                                    full_name(branch == 1 ? "switch_t" : "switch_f", ""), true);
    for (Out x : branch == 1 ? if_true() : if_false()) results[branch].push_back(identity(x));
    context_ = outside;
  }
  if (!status_.ok()) return {};
  if (results[0].size() != results[1].size()) {
    fail(absl::InvalidArgumentError(absl::StrCat("The branches of ", scopes_.back(), " return ",
                                                 results[1].size(), " and ", results[0].size(), " values")));
    return {};
  }
  std::vector<Out> merged;
  for (size_t i = 0; i < results[0].size(); ++i) {
    AttrMap attrs{{"T", base_type(type_of(results[1][i]))}, {"N", 2}};
    merged.push_back(make(graph_.find_op("Merge"), std::move(attrs), {results[0][i], results[1][i]},
                          full_name("Merge", ""), true));
  }
  return status_.ok() ? merged : std::vector<Out>();
}

Out GraphBuilder::placeholder(DataType dtype, const PartialShape& shape, const std::string& name) {
  return op("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}}, name);
}

Out GraphBuilder::constant(const Tensor& value, const std::string& name) {
  return op("Const", {}, {{"dtype", value.dtype()}, {"value", value}}, name);
}

GraphBuilder::Variable GraphBuilder::ref_variable(const Tensor& initial, const std::string& name) {
  Variable v;
  v.dtype = initial.dtype();
  v.handle = op("VariableV2", {}, {{"dtype", initial.dtype()}, {"shape", initial.shape()}}, name);
  if (!v.handle.valid()) return v;
  v.initializer = assign(v, constant(initial, name + "/initial_value"), name + "/Assign");
  initializers_.push_back(v.initializer);
  return v;
}

GraphBuilder::Variable GraphBuilder::variable(const Tensor& initial, const std::string& name) {
  Variable v;
  v.dtype = initial.dtype();
  v.is_resource = true;
  v.handle = op("VarHandleOp", {}, {{"dtype", initial.dtype()}, {"shape", initial.shape()}}, name);
  if (!v.handle.valid()) return v;
  // Handles without a shared name are one variable, whatever their nodes are called.
  graph_.node(v.handle.node()).attrs.set("shared_name", name_of(v.handle));
  v.initializer = assign(v, constant(initial, name + "/initial_value"), name + "/Assign");
  initializers_.push_back(v.initializer);
  return v;
}

Out GraphBuilder::read(const Variable& v, const std::string& name) {
  if (!v.is_resource) return identity(v.handle, name);
  return op("ReadVariableOp", {v.handle}, {{"dtype", v.dtype}}, name);
}

Out GraphBuilder::assign(const Variable& v, Out value, const std::string& name) {
  if (!v.is_resource) return op("Assign", {v.handle, value}, {}, name);
  return op("AssignVariableOp", {v.handle, value}, {}, name);
}

Out GraphBuilder::assign_add(const Variable& v, Out delta, const std::string& name) {
  if (!v.is_resource) return op("AssignAdd", {v.handle, delta}, {}, name);
  return op("AssignAddVariableOp", {v.handle, delta}, {}, name);
}

Out GraphBuilder::init_all(const std::string& name) { return group(initializers_, name); }

Out GraphBuilder::group(const std::vector<Out>& before, const std::string& name) {
  Guard waiting = control(before);
  return op("NoOp", {}, {}, name);
}

Out GraphBuilder::reshape(Out x, const std::vector<int64_t>& shape, const std::string& name) {
  Out dims = constant(
      Tensor::from<int64_t>(Shape{static_cast<int64_t>(shape.size())}, std::span<const int64_t>(shape)),
      name.empty() ? "Reshape/shape" : name + "/shape");
  return op("Reshape", {x, dims}, {}, name);
}

DataType GraphBuilder::type_of(Out x) const {
  if (!x.valid() || x.slot() < 0 || x.slot() >= graph_.node(x.node()).num_outputs())
    return DataType::kInvalid;
  return graph_.type_of(x.endpoint());
}

const std::string& GraphBuilder::name_of(Out x) const {
  static const std::string none;
  return x.valid() ? graph_.node(x.node()).name : none;
}

absl::StatusOr<Graph> GraphBuilder::build() {
  if (!status_.ok()) return status_;
  return std::move(graph_);
}

}  // namespace troupe
