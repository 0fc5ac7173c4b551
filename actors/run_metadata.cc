#include "actors/run_metadata.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/function_runner.h"

#include "proto/config.pb.h"
#include "proto/graph.pb.h"
#include "proto/step_stats.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

void describe_output(const NodeTiming::Output& from, const std::string& allocator, pb::NodeOutput* to) {
  to->set_slot(from.slot);
  pb::TensorDescription* t = to->mutable_tensor_description();
  t->set_dtype(static_cast<pb::DataType>(from.dtype));
  for (int i = 0; i < from.shape.rank(); ++i) t->mutable_shape()->add_dim()->set_size(from.shape.dim(i));
  pb::AllocationDescription* a = t->mutable_allocation_description();
  a->set_requested_bytes(from.bytes);
  a->set_allocated_bytes(from.bytes);
  a->set_allocator_name(allocator);
  a->set_has_single_reference(false);
}

/// "y = MatMul(x, w)", as TensorFlow labels a node.
std::string label(const CompiledPartition& partition, int node) {
  const KernelNode& info = partition.info(node);
  return absl::StrCat(info.name, " = ", info.op->name, "(", absl::StrJoin(partition.input_names(node), ", "),
                      ")");
}

void describe_node(const CompiledPartition& partition, const NodeTiming& timing, const std::string& allocator,
                   pb::NodeExecStats* to) {
  constexpr int64_t kNsPerUs = 1000;
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
  to->set_timeline_label(label(partition, timing.node));
  for (const NodeTiming::Output& o : timing.outputs) describe_output(o, allocator, to->add_output());
}

/// The executions on each device, in the order of devices in which they were first seen.
class Executions {
 public:
  void add(const CompiledPartition& partition, const std::vector<NodeTiming>& timings) {
    auto& list = of(partition.device());
    for (const NodeTiming& t : timings) {
      // As TensorFlow, which leaves transfers out.
      const std::string& op = partition.info(t.node).op->name;
      if (op != "_Send" && op != "_Recv") list.push_back({&partition, &t});
    }
  }

  void describe(pb::StepStats* to) {
    for (auto& [device, list] : by_device_) {
      std::stable_sort(list.begin(), list.end(), [](const Execution& a, const Execution& b) {
        return a.timing->end_ns < b.timing->end_ns;
      });
      pb::DeviceStepStats* stats = to->add_dev_stats();
      stats->set_device(device->name());
      const std::string allocator(device->allocator()->name());
      for (const Execution& e : list) {
        describe_node(*e.partition, *e.timing, allocator, stats->add_node_stats());
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
};

}  // namespace

std::string run_metadata(const StepSlot& slot) {
  pb::RunMetadata metadata;
  Executions executions;
  for (const auto& state : slot.states) executions.add(state->partition(), state->timings());
  const std::vector<NestedTimings> called = static_cast<SlotCalls*>(slot.functions.get())->take_timings();
  for (const NestedTimings& nested : called) executions.add(*nested.partition, nested.timings);
  executions.describe(metadata.mutable_step_stats());
  return metadata.SerializeAsString();
}

void add_partition_graphs(const std::vector<std::string>& graphs, std::string* metadata) {
  pb::RunMetadata all;
  // Our own bytes: they parse.
  (void)all.ParseFromString(*metadata);
  for (const std::string& g : graphs) (void)all.add_partition_graphs()->ParseFromString(g);
  *metadata = all.SerializeAsString();
}

}  // namespace troupe
