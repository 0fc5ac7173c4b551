#include "actors/run_metadata.h"

#include <caf/actor_system.hpp>

#include <algorithm>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

#include "proto/config.pb.h"
#include "proto/cost_graph.pb.h"
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
  a->set_allocation_id(from.allocation_id);
  a->set_has_single_reference(from.single_reference);
  a->set_ptr(reinterpret_cast<uintptr_t>(from.data));
}

/// What the node's kernel allocated, and what became of it until the end of the step. Nothing when it allocated nothing.
void describe_memory(const NodeTiming& timing, pb::NodeExecStats* to) {
  pb::MemoryStats* stats = to->mutable_memory_stats();
  stats->set_persistent_memory_size(timing.persistent_bytes);
  if (timing.memory == nullptr || timing.bytes.total == 0) return;
  stats->set_temp_memory_size(timing.bytes.total - timing.bytes.live);
  pb::AllocatorMemoryUsed* used = to->add_memory();
  used->set_allocator_name(std::string(timing.memory->name()));
  used->set_total_bytes(timing.bytes.total);
  used->set_peak_bytes(timing.bytes.peak);
  used->set_live_bytes(timing.bytes.live);
  used->set_allocator_bytes_in_use(timing.device_bytes_in_use);
  for (const AllocationRecord& record : timing.memory->records()) {
    pb::AllocationRecord* r = used->add_allocation_records();
    r->set_alloc_micros(record.micros);
    r->set_alloc_bytes(record.bytes);
  }
}

using Sources = std::vector<std::vector<CompiledPartition::Source>>;

/// "y = MatMul(x, w)", as TensorFlow labels a node; one that allocated much: "[cpu 0.4MB 0.4MB] y = ...", in total and at most.
std::string label(const CompiledPartition& partition, const Sources& sources, const NodeTiming& timing) {
  constexpr double kMegabyte = 1 << 20;
  const int node = timing.node;
  const KernelNode& info = partition.info(node);
  const double total = static_cast<double>(timing.bytes.total) / kMegabyte;
  std::string memory;
  if (total >= 0.1) {
    memory = absl::StrFormat("[%s %.1fMB %.1fMB] ", timing.memory->name(), total,
                             static_cast<double>(timing.bytes.peak) / kMegabyte);
  }
  auto append = [&](std::string* to, const CompiledPartition::Source& s) { *to += partition.name_of(s); };
  return absl::StrCat(memory, info.name, " = ", info.op->name, "(",
                      absl::StrJoin(sources[node], ", ", append), ")");
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
  to->set_timeline_label(label(partition, sources, timing));
  describe_memory(timing, to);
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

}  // namespace

std::string run_metadata(const StepSlot& slot, const std::vector<NestedTimings>& called,
                         const CostModel* costs) {
  pb::RunMetadata metadata;
  Executions executions;
  for (const auto& state : slot.states) executions.add(state->partition(), state->timings());
  for (const NestedTimings& nested : called) executions.add(*nested.partition, nested.timings);
  executions.describe(metadata.mutable_step_stats());
  for (const RemotePart::End& elsewhere : slot.remote_ends) {
    // Our own bytes: they parse.
    pb::StepStats stats;
    if (stats.ParseFromString(elsewhere.step_stats)) metadata.mutable_step_stats()->MergeFrom(stats);
  }
  if (costs != nullptr) costs->describe(slot.states, metadata.mutable_cost_graph());
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
