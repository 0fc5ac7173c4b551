#include "actors/remote_graph.h"

#include <google/protobuf/util/message_differencer.h>

#include "absl/strings/str_cat.h"
#include "graph/ir/graph_def.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// Whether a node is in `graph` as it is in `before`.
bool same_node(const Graph& before, const Graph& graph, int id) {
  if (before.node(id).removed() || graph.node(id).removed())
    return before.node(id).removed() == graph.node(id).removed();
  tensorflow::NodeDef old_def, new_def;
  to_node_def(before, before.node(id), &old_def);
  to_node_def(graph, graph.node(id), &new_def);
  return google::protobuf::util::MessageDifferencer::Equals(old_def, new_def);
}

}  // namespace

absl::StatusOr<tensorflow::GraphDef> RemoteGraph::next(const CreateGraph& change) {
  return next(ExtendGraph{change.proto, change.graph});
}

absl::StatusOr<tensorflow::GraphDef> RemoteGraph::next(const ExtendGraph& change) {
  before_ = Before{graph_, by_proto_, std::nullopt};
  if (change.proto != nullptr) {
    graph_ = nullptr;
    by_proto_ = true;
    return *change.proto;
  }
  if (by_proto_) {
    return absl::FailedPreconditionError(
        absl::StrCat("the graph of the session at ", target_,
                     " came as a GraphDef, and is extended by GraphDefs that hold the nodes that are new"));
  }
  return change.graph != nullptr ? adopt(change.graph) : append(*change.increment);
}

absl::StatusOr<tensorflow::GraphDef> RemoteGraph::adopt(std::shared_ptr<const Graph> graph) {
  const int known = graph_ == nullptr ? 0 : graph_->num_ids();
  if (graph->num_ids() < known) {
    return absl::FailedPreconditionError(absl::StrCat("the graph has ", graph->num_ids(), " nodes, but ",
                                                      target_, " has ", known, " of them already"));
  }
  for (int id = 0; id < known; ++id) {
    if (same_node(*graph_, *graph, id)) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "node '", graph_->node(id).name, "' was changed after it was sent to ", target_,
        ", where nodes cannot be changed: make the change before the first run, or open a new session"));
  }
  graph_ = std::move(graph);
  return beyond(known);
}

absl::StatusOr<tensorflow::GraphDef> RemoteGraph::append(const GraphIncrement& increment) {
  if (graph_ == nullptr) return absl::FailedPreconditionError("the session has no graph to extend");
  if (own_ == nullptr || own_ != graph_) own_ = std::make_shared<Graph>(graph_->clone());
  before_->graph = own_;
  before_->mark.emplace(*own_);
  graph_ = own_;
  TROUPE_RETURN_IF_ERROR(troupe::append(increment, own_.get()));
  return beyond(before_->mark->num_ids());
}

tensorflow::GraphDef RemoteGraph::beyond(int num_ids) const {
  tensorflow::GraphDef def;
  to_graph_def(*graph_, &def, num_ids);
  return def;
}

void RemoteGraph::refused() {
  if (!before_) return;
  if (before_->mark) before_->mark->restore(own_.get());
  graph_ = before_->graph;
  by_proto_ = before_->by_proto;
  before_.reset();
}

}  // namespace troupe
