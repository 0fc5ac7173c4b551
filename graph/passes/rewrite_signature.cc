#include "graph/passes/rewrite_signature.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/algorithm.h"
#include "graph/ir/names.h"
#include "graph/passes/client_device.h"
#include "graph/passes/place.h"

namespace troupe {
namespace {

bool is_placeholder(const Node& n) { return n.is("Placeholder") || n.is("PlaceholderV2"); }

class Rewriter {
 public:
  Rewriter(const Graph& graph, const PlanSignature& signature, const Placement* placement, Plan* plan)
      : graph_(graph), signature_(signature), placement_(placement), plan_(plan) {}

  absl::StatusOr<Draft> run() {
    TROUPE_RETURN_IF_ERROR(check_names());
    TROUPE_RETURN_IF_ERROR(resolve());
    mark_needed();
    draft_.graph = Graph(&graph_.ops());
    draft_.graph.set_library(graph_.library());
    draft_.graph.versions() = graph_.versions();
    TROUPE_RETURN_IF_ERROR(add_args());
    TROUPE_RETURN_IF_ERROR(add_connections());
    TROUPE_RETURN_IF_ERROR(copy_nodes());
    TROUPE_RETURN_IF_ERROR(join_connections());
    TROUPE_RETURN_IF_ERROR(add_retvals());
    for (int t : targets_) draft_.roots.push_back(copied_[t]);
    return std::move(draft_);
  }

 private:
  absl::Status check_names() const {
    if (signature_.fetches.empty() && signature_.targets.empty()) {
      return absl::InvalidArgumentError("Must specify at least one target to fetch or execute.");
    }
    absl::flat_hash_set<absl::string_view> fed;
    for (const std::string& f : signature_.feeds) {
      if (!fed.insert(f).second) {
        return absl::InvalidArgumentError(absl::StrCat("Endpoint \"", f, "\" fed more than once."));
      }
    }
    for (const auto& [from, to] : signature_.connections) {
      if (!fed.insert(to).second) {
        return absl::InvalidArgumentError(absl::StrCat("Endpoint \"", to, "\" fed more than once."));
      }
    }
    for (const std::string& f : signature_.fetches) {
      if (fed.contains(f)) return absl::InvalidArgumentError(absl::StrCat(f, " is both fed and fetched."));
    }
    return absl::OkStatus();
  }

  /// A feed or fetch of a run, which is looked up before the graph is cut down to what it needs.
  absl::StatusOr<Endpoint> find_tensor(const std::string& text) const {
    const TensorName name = parse_tensor_name(text);
    const Node* n = graph_.find(name.node);
    if (n == nullptr) {
      const std::string shown =
          name.is_control() ? absl::StrCat("^", name.node) : tensor_text(name.node, name.slot);
      return absl::InvalidArgumentError(
          absl::StrCat("Tensor ", shown,
                       ", specified in either feed_devices or fetch_devices was not found in the Graph"));
    }
    if (name.is_control() || name.slot >= n->num_outputs()) {
      return absl::OutOfRangeError(absl::StrCat("Node '", n->name, "' (type: '", n->op->name,
                                                "', num of outputs: ", n->num_outputs(),
                                                ") does not have output ", name.slot));
    }
    return Endpoint{n->id, name.slot};
  }

  /// A feed of a partial run, or the end of a connection.
  absl::StatusOr<Endpoint> find_fed(const std::string& text) const {
    TensorName name = parse_tensor_name(text);
    const Node* n = name.is_control() ? nullptr : graph_.find(name.node);
    if (n == nullptr) {
      return absl::NotFoundError(absl::StrCat("FeedInputs: unable to find feed output ", text));
    }
    if (name.slot >= n->num_outputs()) {
      return absl::InvalidArgumentError(
          absl::StrCat("FeedInputs: ", text, " should have output index < ", n->num_outputs()));
    }
    return Endpoint{n->id, name.slot};
  }

  /// What a connection starts from.
  absl::StatusOr<Endpoint> find_source(const std::string& text) const {
    TensorName name = parse_tensor_name(text);
    const Node* n = name.is_control() ? nullptr : graph_.find(name.node);
    if (n == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("Requested tensor connection from unknown node: \"", text, "\"."));
    }
    if (name.slot >= n->num_outputs()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Requested tensor connection from unknown edge: \"", text, "\"."));
    }
    return Endpoint{n->id, name.slot};
  }

  /// A fetch of a partial run.
  absl::StatusOr<Endpoint> find_fetched(const std::string& text) const {
    TensorName name = parse_tensor_name(text);
    const Node* n = name.is_control() ? nullptr : graph_.find(name.node);
    if (n == nullptr) return absl::NotFoundError(absl::StrCat("FetchOutputs node ", text, ": not found"));
    if (n->num_outputs() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Tried to fetch data for '", text,
                       "', which produces no output.  To run to a node but not fetch "
                       "any data, pass '",
                       text,
                       "' as an argument to the 'target_node_names' argument of the "
                       "Session::Run API."));
    }
    if (name.slot >= n->num_outputs()) {
      return absl::InvalidArgumentError(
          absl::StrCat("FetchOutputs ", text, ": output index too large, must be < ", n->num_outputs()));
    }
    return Endpoint{n->id, name.slot};
  }

  /// Refuses what cannot be in the memory of the device that the signature says, if it says one.
  absl::Status check_device(const std::map<std::string, std::string>& devices, const std::string& text,
                            Endpoint tensor) const {
    const auto found = devices.find(text);
    return found == devices.end() ? absl::OkStatus() : check_client_device(graph_, tensor, found->second);
  }

  static void set_device(const std::map<std::string, std::string>& devices, const std::string& text,
                         Node* end) {
    if (const auto found = devices.find(text); found != devices.end())
      end->attrs.set(kClientDevice, found->second);
  }

  int num_fed() const { return static_cast<int>(signature_.feeds.size()); }

  absl::Status resolve() {
    for (const std::string& text : signature_.feeds) {
      TROUPE_ASSIGN_OR_RETURN(Endpoint fed, signature_.partial ? find_fed(text) : find_tensor(text));
      feeds_.push_back(fed);
      plan_->feed_types.push_back(base_type(graph_.type_of(fed)));
      TROUPE_RETURN_IF_ERROR(check_device(signature_.feed_devices, text, fed));
    }
    for (const auto& [from, to] : signature_.connections) {
      TROUPE_ASSIGN_OR_RETURN(Endpoint source, find_source(from));
      TROUPE_ASSIGN_OR_RETURN(Endpoint fed, find_fed(to));
      feeds_.push_back(fed);
      sources_.push_back(source);
    }
    choose_feeds();
    for (const std::string& text : signature_.fetches) {
      TROUPE_ASSIGN_OR_RETURN(Endpoint fetch, signature_.partial ? find_fetched(text) : find_tensor(text));
      fetches_.push_back(fetch);
      plan_->fetch_types.push_back(base_type(graph_.type_of(fetch)));
      TROUPE_RETURN_IF_ERROR(check_device(signature_.fetch_devices, text, fetch));
    }
    std::string missing;
    for (const std::string& text : signature_.targets) {
      const Node* n = graph_.find(parse_tensor_name(text).node);
      if (n == nullptr) {
        absl::StrAppend(&missing, text, " ");
      } else {
        targets_.push_back(n->id);
      }
    }
    if (!missing.empty()) {
      return absl::NotFoundError(absl::StrCat("PruneForTargets: Some target nodes not found: ", missing));
    }
    return absl::OkStatus();
  }

  /// Of two spellings of one fed tensor the first in the order of texts counts, whatever the caller's order is.
  void choose_feeds() {
    for (int i = 0; i < static_cast<int>(feeds_.size()); ++i) {
      const auto [it, is_new] = feed_of_.try_emplace(feeds_[i], i);
      if (is_new || i >= num_fed()) continue;
      if (signature_.feeds[i] < signature_.feeds[it->second]) it->second = i;
    }
  }

  /// The feed that takes the place of a control edge from this node: a fed placeholder does not run.
  int feed_for_control(int id) const {
    if (!is_placeholder(graph_.node(id))) return -1;
    auto it = feed_of_.find(Endpoint{id, 0});
    return it == feed_of_.end() ? -1 : it->second;
  }

  void mark_needed() {
    needed_.assign(graph_.num_ids(), false);
    feed_needed_.assign(feeds_.size(), false);
    std::vector<int> stack;
    auto visit = [&](int id) {
      if (needed_[id]) return;
      needed_[id] = true;
      stack.push_back(id);
    };
    // A needed connection needs what it starts from, which may be another one's end.
    auto visit_feed = [&](int feed) {
      while (true) {
        if (feed_needed_[feed]) return;
        feed_needed_[feed] = true;
        if (feed < num_fed()) return;
        Endpoint source = sources_[feed - num_fed()];
        auto next = feed_of_.find(source);
        if (next == feed_of_.end()) return visit(source.node);
        feed = next->second;
      }
    };
    auto visit_output = [&](Endpoint e) {
      auto fed = feed_of_.find(e);
      if (fed == feed_of_.end()) {
        visit(e.node);
      } else {
        visit_feed(fed->second);
      }
    };
    auto visit_control = [&](int id) {
      int feed = feed_for_control(id);
      if (feed < 0) {
        visit(id);
      } else {
        visit_feed(feed);
      }
    };
    for (Endpoint e : fetches_) visit_output(e);
    for (int t : targets_) visit(t);
    while (!stack.empty()) {
      const Node& n = graph_.node(stack.back());
      stack.pop_back();
      for (Endpoint e : n.inputs) {
        if (e.node >= 0) visit_output(e);
      }
      for (int c : n.control_inputs) visit_control(c);
    }
  }

  absl::Status add_args() {
    args_.assign(feeds_.size(), -1);
    for (int i = 0; i < num_fed(); ++i) {
      if (!feed_needed_[i]) continue;
      const std::string& name = graph_.node(feeds_[i].node).name;
      absl::StatusOr<Node*> arg;
      if (signature_.partial) {
        AttrMap attrs = transfer_attrs(signature_.feeds[i]);
        attrs.set("tensor_type", plan_->feed_types[i]);
        arg = draft_.graph.add_node(transfer_name("_recv_", feeds_[i], i), "_Recv", std::move(attrs), {});
      } else {
        arg = draft_.graph.add_node(absl::StrCat("_arg_", name, "_", feeds_[i].slot, "_", i), "_Arg",
                                    {{"T", plan_->feed_types[i]}, {"index", static_cast<int64_t>(i)}}, {});
      }
      TROUPE_RETURN_IF_ERROR(arg.status());
      set_device(signature_.feed_devices, signature_.feeds[i], *arg);
      args_[i] = (*arg)->id;
    }
    return absl::OkStatus();
  }

  /// As TensorFlow names it, which messages show; with a number when the tensor has such a node by another spelling.
  std::string transfer_name(absl::string_view kind, const Endpoint& tensor, int number) const {
    std::string name = absl::StrCat(kind, graph_.node(tensor.node).name, "_", tensor.slot);
    if (draft_.graph.find(name) != nullptr) absl::StrAppend(&name, "_", number);
    return name;
  }

  static AttrMap transfer_attrs(const std::string& tensor) {
    return {{"tensor_name", tensor},
            {"send_device", std::string()},
            {"send_device_incarnation", int64_t{0}},
            {"recv_device", std::string()},
            {"client_terminated", true}};
  }

  /// Identity nodes, whose inputs join_connections sets once these exist.
  absl::Status add_connections() {
    const OpDef* identity = graph_.find_op("Identity");
    for (size_t i = num_fed(); i < feeds_.size(); ++i) {
      if (!feed_needed_[i]) continue;
      const DataType type = base_type(graph_.type_of(sources_[i - num_fed()]));
      TROUPE_ASSIGN_OR_RETURN(
          Node * node, draft_.graph.add_node(absl::StrCat("_identity_", graph_.node(feeds_[i].node).name, "_",
                                                          feeds_[i].slot, "_", i),
                                             identity, {{"T", type}}));
      args_[i] = node->id;
    }
    return absl::OkStatus();
  }

  absl::Status join_connections() {
    if (sources_.empty()) return absl::OkStatus();
    for (size_t i = num_fed(); i < feeds_.size(); ++i) {
      if (args_[i] >= 0) draft_.graph.node(args_[i]).inputs[0] = map(sources_[i - num_fed()]);
    }
    if (find_cycle(draft_.graph).empty()) return absl::OkStatus();
    const auto& [from, to] = signature_.connections.front();
    return absl::InvalidArgumentError(absl::StrCat("Requested Tensor connection between nodes \"", to,
                                                   "\" and \"", from, "\" would create a cycle."));
  }

  absl::Status copy_nodes() {
    copied_.assign(graph_.num_ids(), -1);
    draft_.graph.reserve(static_cast<int>(std::count(needed_.begin(), needed_.end(), true)));
    for (int id = 0; id < graph_.num_ids(); ++id) {
      if (!needed_[id]) continue;
      const Node& n = graph_.node(id);
      TROUPE_RETURN_IF_ERROR(n.defect);
      TROUPE_ASSIGN_OR_RETURN(Node * copy, draft_.graph.add_node(n.name, n.op, n.attrs));
      copy->requested_device = n.requested_device;
      if (placement_ != nullptr) copy->device = placement_->device_of(id);
      copied_[id] = copy->id;
    }
    for (int id = 0; id < graph_.num_ids(); ++id) {
      if (copied_[id] < 0) continue;
      const Node& n = graph_.node(id);
      Node& copy = draft_.graph.node(copied_[id]);
      for (int s = 0; s < n.num_inputs(); ++s) {
        copy.inputs[s] = map(n.inputs[s]);
        DataType have = draft_.graph.type_of(copy.inputs[s]);
        if (is_ref(copy.input_types[s]) && !is_ref(have)) {
          return absl::InvalidArgumentError(
              absl::StrCat("Input ", s, " of node ", n.name, " was passed ", dtype_name(have), " from ",
                           tensor_text(draft_.graph.node(copy.inputs[s].node).name, copy.inputs[s].slot),
                           " incompatible with expected ", dtype_name(copy.input_types[s]), "."));
        }
      }
      std::vector<int> controls;
      for (int c : n.control_inputs) {
        int feed = feed_for_control(c);
        controls.push_back(feed < 0 ? copied_[c] : args_[feed]);
      }
      draft_.graph.add_control_inputs(copy.id, controls);
    }
    return absl::OkStatus();
  }

  Endpoint map(Endpoint e) const {
    auto fed = feed_of_.find(e);
    if (fed != feed_of_.end()) return {args_[fed->second], 0};
    return {copied_[e.node], e.slot};
  }

  absl::Status add_retvals() {
    for (size_t i = 0; i < fetches_.size(); ++i) {
      const std::string name =
          absl::StrCat(graph_.node(fetches_[i].node).name, "_", fetches_[i].slot, "_", i);
      absl::StatusOr<Node*> ret;
      if (signature_.partial) {
        AttrMap attrs = transfer_attrs(signature_.fetches[i]);
        attrs.set("T", plan_->fetch_types[i]);
        ret = draft_.graph.add_node(transfer_name("_send_", fetches_[i], static_cast<int>(i)), "_Send",
                                    std::move(attrs), {map(fetches_[i])});
      } else {
        ret = draft_.graph.add_node(absl::StrCat("_retval_", name), "_Retval",
                                    {{"T", plan_->fetch_types[i]}, {"index", static_cast<int64_t>(i)}},
                                    {map(fetches_[i])});
      }
      TROUPE_RETURN_IF_ERROR(ret.status());
      set_device(signature_.fetch_devices, signature_.fetches[i], *ret);
      draft_.roots.push_back((*ret)->id);
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  const PlanSignature& signature_;
  const Placement* placement_;
  Plan* plan_;
  Draft draft_;
  /// What is fed, then the ends of the connections; `sources_` are their beginnings.
  std::vector<Endpoint> feeds_;
  std::vector<Endpoint> sources_;
  std::vector<Endpoint> fetches_;
  std::vector<int> targets_;
  absl::flat_hash_map<Endpoint, int> feed_of_;
  std::vector<bool> needed_;
  std::vector<bool> feed_needed_;
  std::vector<int> args_;
  std::vector<int> copied_;
};

}  // namespace

bool is_client_transfer(const Node& node) {
  return (node.is("_Recv") || node.is("_Send")) && node.attrs.get_or("client_terminated", false) &&
         node.attrs.get_or("send_device", std::string()).empty();
}

absl::StatusOr<Draft> rewrite_signature(const Graph& graph, const PlanSignature& signature,
                                        const Placement* placement, Plan* plan) {
  return Rewriter(graph, signature, placement, plan).run();
}

}  // namespace troupe
