#include "graph/gradients/function_gradient.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/gradients/gradients.h"
#include "graph/ir/algorithm.h"
#include "graph/ir/function_library.h"
#include "graph/passes/inline_functions.h"

namespace troupe {
namespace {

bool carries_gradient(DataType t) { return is_floating(t) || is_complex(t); }

/// The gradients that are being made, the one within the other; the outermost has no name.
class Differentiator final : public FunctionDifferentiator {
 public:
  explicit Differentiator(const Differentiator* outer = nullptr, std::string name = "")
      : outer_(outer), name_(std::move(name)), depth_(outer == nullptr ? 0 : outer->depth_ + 1) {}
  absl::StatusOr<std::shared_ptr<const FunctionBody>> differentiate(
      const Graph& graph, const FunctionRef& f, absl::Span<const DataType> results) const override;

 private:
  /// Gradients of gradients of ... of ops; each costs stack.
  static constexpr int kMaxDepth = 32;

  const Differentiator* const outer_;
  const std::string name_;
  const int depth_;
};

/// One function on its way to its gradient.
class FunctionGradient {
 public:
  FunctionGradient(const Graph& graph, const FunctionRef& f, absl::Span<const DataType> results,
                   const FunctionDifferentiator& differentiator)
      : f_(f), results_(results), differentiator_(differentiator) {
    draft_.graph = Graph(&graph.ops());
    draft_.graph.set_library(graph.library());
    draft_.graph.versions() = graph.versions();
  }

  absl::StatusOr<std::shared_ptr<const FunctionBody>> run() {
    const bool is_function = graph().library() != nullptr && graph().library()->find(f_.name) != nullptr;
    TROUPE_RETURN_IF_ERROR(is_function ? copy_function() : copy_op());
    if (results_.size() != args_.size()) {
      return absl::InvalidArgumentError(absl::StrCat("The gradient of ", f_.name, " has ", args_.size(),
                                                     " results, but ", results_.size(), " are asked for"));
    }
    TROUPE_RETURN_IF_ERROR(inline_functions(&draft_, "", &differentiator_, InlineScope::kAll).status());
    TROUPE_RETURN_IF_ERROR(add());
    return body();
  }

 private:
  Graph& graph() { return draft_.graph; }
  AttrMap attrs() const { return f_.attrs == nullptr ? AttrMap() : *f_.attrs; }

  absl::StatusOr<Endpoint> add_arg(DataType type) {
    const auto index = static_cast<int64_t>(num_args_++);
    TROUPE_ASSIGN_OR_RETURN(Node * arg,
                            graph().add_node(graph().unique_name(absl::StrCat("arg_", index)), "_Arg",
                                             {{"T", base_type(type)}, {"index", index}}, {}));
    return Endpoint{arg->id, 0};
  }

  /// Keeps a result through what happens to the node that makes it.
  absl::Status add_ret(Endpoint e) {
    const auto index = static_cast<int64_t>(rets_.size());
    const DataType type = base_type(graph().type_of(e));
    TROUPE_ASSIGN_OR_RETURN(Node * ret, graph().add_node(graph().unique_name(absl::StrCat("ret_", index)),
                                                         "_Retval", {{"T", type}, {"index", index}}, {e}));
    rets_.push_back(ret->id);
    draft_.roots.push_back(ret->id);
    return absl::OkStatus();
  }

  absl::Status copy_function() {
    FunctionBodies bodies(graph());
    TROUPE_ASSIGN_OR_RETURN(auto body, bodies.get(f_.name, attrs()));
    std::vector<int> ids;
    for (const FunctionBody::BodyNode& n : body->nodes) {
      TROUPE_ASSIGN_OR_RETURN(Node * node, graph().add_node(n.name, n.op, n.attrs));
      node->requested_device = n.device;
      ids.push_back(node->id);
    }
    for (DataType t : body->arg_types) {
      TROUPE_ASSIGN_OR_RETURN(const Endpoint arg, add_arg(t));
      args_.push_back(arg);
    }
    auto map = [&](Endpoint e) {
      return FunctionBody::is_arg(e) ? args_[FunctionBody::arg_of(e)] : Endpoint{ids[e.node], e.slot};
    };
    for (size_t i = 0; i < ids.size(); ++i) {
      const FunctionBody::BodyNode& n = body->nodes[i];
      for (size_t s = 0; s < n.inputs.size(); ++s) graph().node(ids[i]).inputs[s] = map(n.inputs[s]);
      std::vector<int> controls;
      for (int c : n.controls) controls.push_back(c >= 0 ? ids[c] : args_[-1 - c].node);
      graph().add_control_inputs(ids[i], controls);
    }
    for (Endpoint e : body->rets) TROUPE_RETURN_IF_ERROR(add_ret(map(e)));
    return absl::OkStatus();
  }

  absl::Status copy_op() {
    const OpDef* op = graph().ops().find(f_.name);
    if (op == nullptr) return absl::NotFoundError(absl::StrCat("Function ", f_.name, " is not defined."));
    std::vector<DataType> inputs, outputs;
    TROUPE_RETURN_IF_ERROR(op_types(*op, attrs(), &inputs, &outputs));
    for (DataType t : inputs) {
      TROUPE_ASSIGN_OR_RETURN(const Endpoint arg, add_arg(t));
      args_.push_back(arg);
    }
    TROUPE_ASSIGN_OR_RETURN(Node * node, graph().add_node(f_.name, f_.name, attrs(), args_));
    const int id = node->id;
    for (size_t i = 0; i < outputs.size(); ++i) {
      TROUPE_RETURN_IF_ERROR(add_ret({id, static_cast<int>(i)}));
    }
    return absl::OkStatus();
  }

  absl::Status add() {
    std::vector<Endpoint> y, dy, x, dx;
    std::vector<int> sources, y_nodes;
    for (int ret : rets_) {
      const Endpoint result = graph().node(ret).inputs[0];
      const DataType type = base_type(graph().node(ret).input_types[0]);
      TROUPE_ASSIGN_OR_RETURN(const Endpoint gradient, add_arg(type));
      gradient_args_.push_back(gradient);
      if (!carries_gradient(type) && type != DataType::kVariant) continue;
      y.push_back(result);
      y_nodes.push_back(result.node);
      dy.push_back(gradient);
    }
    const std::vector<bool> reached = reverse_reachable(graph(), y_nodes);
    for (size_t i = 0; i < args_.size(); ++i) {
      const DataType t = results_[i];
      if (!reached[args_[i].node] || !(carries_gradient(t) || t == DataType::kVariant)) continue;
      sources.push_back(static_cast<int>(i));
      x.push_back(args_[i]);
    }
    // Control edges count above, but hand no gradient on.
    const int before = graph().num_ids();
    gradients_.assign(args_.size(), Endpoint{-1, 0});
    for (size_t i = x.size(); i-- > 0;) {
      if (depends_by_data(y, x[i])) continue;
      x.erase(x.begin() + static_cast<std::ptrdiff_t>(i));
      sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(i));
    }
    TROUPE_RETURN_IF_ERROR(add_gradients(&graph(), {}, y, x, dy, &dx));
    for (int id = before; id < graph().num_ids(); ++id) {
      if (!graph().node(id).is("SymbolicGradient")) continue;
      return absl::UnimplementedError(absl::StrCat("The gradient of function ", f_.name,
                                                   ", which calls functions that cannot be inlined"));
    }
    for (size_t i = 0; i < dx.size(); ++i) gradients_[sources[i]] = dx[i];
    for (size_t i = 0; i < gradients_.size(); ++i) TROUPE_RETURN_IF_ERROR(fill_in(i));
    return absl::OkStatus();
  }

  bool depends_by_data(const std::vector<Endpoint>& y, Endpoint x) {
    if (!data_reached_.has_value()) {
      data_reached_.emplace(graph().num_ids(), false);
      std::vector<int> work;
      auto visit = [&](int node) {
        if ((*data_reached_)[node]) return;
        (*data_reached_)[node] = true;
        work.push_back(node);
      };
      for (Endpoint e : y) visit(e.node);
      while (!work.empty()) {
        const int node = work.back();
        work.pop_back();
        for (Endpoint e : graph().node(node).inputs) visit(e.node);
      }
    }
    return (*data_reached_)[x.node];
  }

  /// Zeros where no gradient arrives; what cannot be zero is handed back as it came.
  absl::Status fill_in(size_t i) {
    const DataType want = results_[i], arg_type = base_type(graph().type_of(args_[i]));
    Endpoint& gradient = gradients_[i];
    if (gradient.node < 0) {
      if (want == DataType::kResource || want == DataType::kString) {
        gradient = args_[i];
      } else if (arg_type == DataType::kResource) {
        TROUPE_RETURN_IF_ERROR(zeros_of_variable(args_[i], want, &gradient));
      } else {
        TROUPE_ASSIGN_OR_RETURN(Node * zeros, graph().add_node(graph().unique_name("zeros"), "ZerosLike",
                                                               {{"T", arg_type}}, {args_[i]}));
        gradient = {zeros->id, 0};
      }
    }
    const DataType have = base_type(graph().type_of(gradient));
    if (have == want) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("The gradient of argument ", i, " of ", f_.name, " is ",
                                                   dtype_name(have), ", but ", dtype_name(want),
                                                   " is asked for"));
  }

  absl::Status zeros_of_variable(Endpoint handle, DataType type, Endpoint* out) {
    TROUPE_ASSIGN_OR_RETURN(Node * shape,
                            graph().add_node(graph().unique_name("shape"), "VariableShape", {}, {handle}));
    const Endpoint dims{shape->id, 0};
    TROUPE_ASSIGN_OR_RETURN(Node * zero,
                            graph().add_node(graph().unique_name("zero"), "Const",
                                             {{"dtype", type}, {"value", zeros(type, Shape())}}, {}));
    const Endpoint value{zero->id, 0};
    TROUPE_ASSIGN_OR_RETURN(
        Node * filled, graph().add_node(graph().unique_name("zeros"), "Fill", {{"T", type}}, {dims, value}));
    *out = {filled->id, 0};
    return absl::OkStatus();
  }

  std::shared_ptr<const FunctionBody> body() {
    auto out = std::make_shared<FunctionBody>();
    out->name = absl::StrCat(f_.name, "_gradient");
    std::vector<Endpoint> all = args_;
    all.insert(all.end(), gradient_args_.begin(), gradient_args_.end());
    absl::flat_hash_map<int, int> arg_of, id_of;
    for (size_t i = 0; i < all.size(); ++i) {
      arg_of[all[i].node] = static_cast<int>(i);
      out->arg_types.push_back(graph().type_of(all[i]));
    }
    out->arg_used.assign(all.size(), false);
    std::vector<int> roots;
    for (Endpoint e : gradients_) roots.push_back(e.node);
    const std::vector<bool> needed = reverse_reachable(graph(), roots);
    for (int id = 0; id < graph().num_ids(); ++id) {
      if (!needed[id] || graph().node(id).removed() || arg_of.contains(id)) continue;
      id_of[id] = static_cast<int>(id_of.size());
    }
    auto map = [&](Endpoint e) {
      auto it = arg_of.find(e.node);
      if (it == arg_of.end()) return Endpoint{id_of[e.node], e.slot};
      out->arg_used[it->second] = true;
      return Endpoint{-1 - it->second, 0};
    };
    out->nodes.resize(id_of.size());
    for (auto [id, index] : id_of) copy_node(graph().node(id), map, &out->nodes[index]);
    for (const FunctionBody::BodyNode& n : out->nodes) {
      for (int c : n.controls) {
        if (c >= 0) out->nodes[c].awaited = true;
      }
    }
    for (size_t i = 0; i < gradients_.size(); ++i) {
      out->rets.push_back(map(gradients_[i]));
      out->ret_types.push_back(results_[i]);
    }
    return out;
  }

  template <class Map>
  static void copy_node(const Node& node, Map& map, FunctionBody::BodyNode* out) {
    out->name = node.name;
    out->op = node.op;
    out->attrs = node.attrs;
    out->device = node.requested_device;
    for (Endpoint e : node.inputs) out->inputs.push_back(map(e));
    for (int c : node.control_inputs) out->controls.push_back(map({c, 0}).node);
    out->output_types.assign(node.output_types.begin(), node.output_types.end());
    out->effect = has_side_effects(*node.op);
  }

  const FunctionRef& f_;
  const absl::Span<const DataType> results_;
  const FunctionDifferentiator& differentiator_;
  Draft draft_;
  int num_args_ = 0;
  std::vector<Endpoint> args_;
  std::vector<Endpoint> gradient_args_;
  std::vector<int> rets_;
  std::vector<Endpoint> gradients_;
  std::optional<std::vector<bool>> data_reached_;
};

absl::StatusOr<std::shared_ptr<const FunctionBody>> Differentiator::differentiate(
    const Graph& graph, const FunctionRef& f, absl::Span<const DataType> results) const {
  bool within = depth_ >= kMaxDepth;
  const bool is_op = graph.ops().find(f.name) != nullptr;
  for (const Differentiator* d = this; d != nullptr && !is_op; d = d->outer_)
    within = within || d->name_ == f.name;
  if (within) {
    return absl::UnimplementedError(absl::StrCat("The gradient of function ", f.name,
                                                 " needs itself, or gradients ", kMaxDepth, " deep"));
  }
  const Differentiator inner(this, f.name);
  return FunctionGradient(graph, f, results, inner).run();
}

}  // namespace

const FunctionDifferentiator& builtin_differentiator() {
  static const auto* differentiator = new Differentiator;
  return *differentiator;
}

}  // namespace troupe
