#include "actors/cost_model.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

#include "proto/cost_graph.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

constexpr int64_t kNsPerUs = 1000;

using Sources = std::vector<std::vector<CompiledPartition::Source>>;

void describe_inputs(const std::vector<CompiledPartition::Source>& sources, int first,
                     pb::CostGraphDef::Node* to) {
  for (const CompiledPartition::Source& s : sources) {
    if (s.slot < 0) {
      to->add_control_input(first + s.node);
      continue;
    }
    pb::CostGraphDef::Node::InputInfo* input = to->add_input_info();
    input->set_preceding_node(first + s.node);
    input->set_preceding_port(s.slot);
  }
}

}  // namespace

void CostModel::add(States states) {
  std::lock_guard lock(mu_);
  partitions_.resize(states.size());
  for (size_t i = 0; i < states.size(); ++i) add_partition(*states[i], &partitions_[i]);
}

void CostModel::add_partition(const ExecutorState& state, std::vector<Node>* nodes) {
  const CompiledPartition& partition = state.partition();
  const Sources sources = partition.sources();
  if (nodes->empty()) {
    nodes->resize(static_cast<size_t>(partition.num_nodes()));
    for (int i = 0; i < partition.num_nodes(); ++i) {
      const CompiledNode& n = partition.node(i);
      Node& node = (*nodes)[i];
      node.outputs.resize(n.num_outputs);
      if (n.kind != NodeKind::kConst) continue;
      // It need not run for its consumers to have it.
      const Tensor& value = partition.constant(n.aux);
      node.persistent_bytes = static_cast<int64_t>(value.bytes());
      node.outputs[0] = {node.persistent_bytes, value.dtype(), value.shape()};
    }
  }
  // Where the values of this run lie, as far as nodes have ended.
  absl::flat_hash_map<std::pair<int, int>, const void*> places;
  for (const NodeTiming& t : state.timings()) {
    Node& node = (*nodes)[t.node];
    node.micros = std::max(node.micros, (t.end_ns - t.begin_ns) / kNsPerUs);
    node.temporary_bytes = std::max(node.temporary_bytes, t.bytes.total - t.bytes.live);
    node.persistent_bytes = std::max(node.persistent_bytes, t.persistent_bytes);
    for (const NodeTiming::Output& o : t.outputs) {
      Output& output = node.outputs[o.slot];
      places[{t.node, o.slot}] = o.data;
      output.alias = -1;
      for (size_t k = 0; k < sources[t.node].size() && output.alias < 0 && o.bytes > 0; ++k) {
        const CompiledPartition::Source& s = sources[t.node][k];
        const auto place = places.find({s.node, s.slot});
        if (place != places.end() && place->second == o.data) output.alias = static_cast<int>(k);
      }
      if (o.bytes < output.bytes) continue;
      output.bytes = o.bytes;
      output.dtype = o.dtype;
      output.shape = o.shape;
    }
  }
}

void CostModel::describe(States states, pb::CostGraphDef* to) const {
  std::lock_guard lock(mu_);
  for (size_t p = 0; p < partitions_.size(); ++p) {
    const CompiledPartition& partition = states[p]->partition();
    const Sources sources = partition.sources();
    const int first = to->node_size();
    for (int i = 0; i < partition.num_nodes(); ++i) {
      const Node& cost = partitions_[p][i];
      pb::CostGraphDef::Node* node = to->add_node();
      node->set_name(partition.info(i).name);
      node->set_device(partition.device()->name());
      node->set_id(first + i);
      node->set_is_final(partition.info(i).op->name == "_Send");
      node->set_compute_cost(cost.micros);
      node->set_temporary_memory_size(cost.temporary_bytes);
      node->set_persistent_memory_size(cost.persistent_bytes);
      describe_inputs(sources[i], first, node);
      for (const Output& o : cost.outputs) {
        pb::CostGraphDef::Node::OutputInfo* output = node->add_output_info();
        output->set_size(o.bytes);
        output->set_alias_input_port(o.alias);
        output->set_dtype(static_cast<pb::DataType>(o.dtype));
        output->mutable_shape()->set_unknown_rank(o.bytes < 0);
        for (int d = 0; o.bytes >= 0 && d < o.shape.rank(); ++d)
          output->mutable_shape()->add_dim()->set_size(o.shape.dim(d));
      }
    }
  }
}

}  // namespace troupe
