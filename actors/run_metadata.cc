#include "actors/run_metadata.h"

#include <caf/actor_system.hpp>

#include <algorithm>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

#include "proto/config.pb.h"
#include "proto/graph.pb.h"
#include "proto/step_stats.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

constexpr int64_t kNsPerUs = 1000;

void add_dims(const Shape& from, pb::TensorShapeProto* to) {
  for (int i = 0; i < from.rank(); ++i) to->add_dim()->set_size(from.dim(i));
}

void describe_output(const NodeTiming::Output& from, const std::string& allocator, pb::NodeOutput* to) {
  to->set_slot(from.slot);
  pb::TensorDescription* t = to->mutable_tensor_description();
  t->set_dtype(static_cast<pb::DataType>(from.dtype));
  if (from.shape.rank() > 0) add_dims(from.shape, t->mutable_shape());
  pb::AllocationDescription* a = t->mutable_allocation_description();
  a->set_requested_bytes(from.bytes);
  a->set_allocated_bytes(from.bytes);
  a->set_allocator_name(allocator);
  a->set_has_single_reference(false);
}

using Sources = std::vector<std::vector<CompiledPartition::Source>>;

/// "y = MatMul(x, w)", as TensorFlow labels a node.
std::string label(const CompiledPartition& partition, const Sources& sources, int node) {
  const KernelNode& info = partition.info(node);
  auto append = [&](std::string* to, const CompiledPartition::Source& s) { *to += partition.name_of(s); };
  return absl::StrCat(info.name, " = ", info.op->name, "(", absl::StrJoin(sources[node], ", ", append), ")");
}

void describe_node(const CompiledPartition& partition, const Sources& sources, const NodeTiming& timing,
                   const std::string& allocator, pb::NodeExecStats* to) {
  const int64_t length = timing.end_ns - timing.begin_ns;
  to->set_node_name(partition.info(timing.node).name);
  to->set_all_start_micros(timing.begin_ns / kNsPerUs);
  to->set_all_start_nanos(timing.begin_ns);
  to->set_op_end_rel_micros(length / kNsPerUs);
  to->set_op_end_rel_nanos(length);
  to->set_all_end_rel_micros(length / kNsPerUs);
  to->set_all_end_rel_nanos(length);
  to->set_scheduled_micros(timing.begin_ns / kNsPerUs);
  to->set_scheduled_nanos(timing.begin_ns);
  to->set_thread_id(timing.thread);
  to->set_timeline_label(label(partition, sources, timing.node));
  for (const NodeTiming::Output& o : timing.outputs) describe_output(o, allocator, to->add_output());
}

/// The executions on each device, in the order of devices in which they were first seen.
class Executions {
 public:
  void add(const CompiledPartition& partition, const std::vector<NodeTiming>& timings) {
    auto& list = of(partition.device());
    auto [known, first] = sources_.try_emplace(&partition);
    if (first) known->second = partition.sources();
    for (const NodeTiming& t : timings) {
      // As TensorFlow, which leaves transfers out.
      const std::string& op = partition.info(t.node).op->name;
      if (op != "_Send" && op != "_Recv") list.push_back({&partition, &t});
    }
  }

  /// Of a partition that was added.
  const Sources& sources_of(const CompiledPartition& partition) const { return sources_.at(&partition); }

  void describe(pb::StepStats* to) {
    for (auto& [device, list] : by_device_) {
      std::stable_sort(list.begin(), list.end(), [](const Execution& a, const Execution& b) {
        return a.timing->end_ns < b.timing->end_ns;
      });
      pb::DeviceStepStats* stats = to->add_dev_stats();
      stats->set_device(device->name());
      const std::string allocator(device->allocator()->name());
      for (const Execution& e : list) {
        describe_node(*e.partition, sources_of(*e.partition), *e.timing, allocator, stats->add_node_stats());
      }
    }
  }

 private:
  struct Execution {
    const CompiledPartition* partition;
    const NodeTiming* timing;
  };
  std::vector<Execution>& of(const Device* device) {
    for (auto& [known, list] : by_device_) {
      if (known == device) return list;
    }
    return by_device_.emplace_back(device, std::vector<Execution>()).second;
  }

  std::vector<std::pair<const Device*, std::vector<Execution>>> by_device_;
  absl::node_hash_map<const CompiledPartition*, Sources> sources_;
};

/// What one output of a node took, the largest of all its executions.
void note_cost(const NodeTiming::Output& from, pb::CostGraphDef::Node::OutputInfo* to) {
  if (from.bytes < to->size()) return;
  to->set_size(from.bytes);
  to->set_dtype(static_cast<pb::DataType>(from.dtype));
  to->clear_shape();
  if (from.shape.rank() > 0) add_dims(from.shape, to->mutable_shape());
}

/// The nodes of one partition, from the id that `to` has room at, with what this step's executions took.
void describe_costs(const CompiledPartition& partition, const Sources& sources,
                    const std::vector<NodeTiming>& timings, pb::CostGraphDef* to) {
  const int first = to->node_size();
  for (int i = 0; i < partition.num_nodes(); ++i) {
    const CompiledNode& n = partition.node(i);
    pb::CostGraphDef::Node* node = to->add_node();
    node->set_name(partition.info(i).name);
    node->set_device(partition.device()->name());
    node->set_id(first + i);
    node->set_is_final(partition.info(i).op->name == "_Send");
    for (const CompiledPartition::Source& s : sources[i]) {
      if (s.slot < 0) {
        node->add_control_input(first + s.node);
        continue;
      }
      pb::CostGraphDef::Node::InputInfo* input = node->add_input_info();
      input->set_preceding_node(first + s.node);
      input->set_preceding_port(s.slot);
    }
    for (int k = 0; k < n.num_outputs; ++k) {
      pb::CostGraphDef::Node::OutputInfo* output = node->add_output_info();
      output->set_size(-1);
      output->set_alias_input_port(-1);
      output->mutable_shape()->set_unknown_rank(true);
    }
    if (n.kind != NodeKind::kConst) continue;
    const Tensor& value = partition.constant(n.aux);
    note_cost({0, value.dtype(), value.shape(), static_cast<int64_t>(value.bytes())},
              node->mutable_output_info(0));
    node->set_persistent_memory_size(static_cast<int64_t>(value.bytes()));
  }
  for (const NodeTiming& t : timings) {
    pb::CostGraphDef::Node* node = to->mutable_node(first + t.node);
    node->set_compute_cost(std::max<int64_t>(node->compute_cost(), (t.end_ns - t.begin_ns) / kNsPerUs));
    for (const NodeTiming::Output& o : t.outputs) note_cost(o, node->mutable_output_info(o.slot));
  }
}

}  // namespace

std::string run_metadata(const StepSlot& slot) {
  pb::RunMetadata metadata;
  Executions executions;
  for (const auto& state : slot.states) executions.add(state->partition(), state->timings());
  const std::vector<NestedTimings> called = slot.functions->take_timings();
  for (const NestedTimings& nested : called) executions.add(*nested.partition, nested.timings);
  executions.describe(metadata.mutable_step_stats());
  if (slot.build_cost_model) {
    for (const auto& state : slot.states) {
      const CompiledPartition& partition = state->partition();
      describe_costs(partition, executions.sources_of(partition), state->timings(),
                     metadata.mutable_cost_graph());
    }
  }
  return metadata.SerializeAsString();
}

void add_partition_graphs(const std::vector<std::string>& graphs, std::string* metadata) {
  pb::RunMetadata all;
  // Our own bytes: they parse.
  (void)all.ParseFromString(*metadata);
  for (const std::string& g : graphs) (void)all.add_partition_graphs()->ParseFromString(g);
  *metadata = all.SerializeAsString();
}

std::map<std::string, int> message_counts(const StepSlot& slot) {
  std::map<std::string, int> out;
  const caf::uniform_type_info_map& types = slot.unit->system().types();
  for (const auto& [type, n] : slot.unit->tally.counts()) {
    out[std::string(absl::StripPrefix(types.portable_name(0, type), "troupe::"))] += n;
  }
  return out;
}

}  // namespace troupe
