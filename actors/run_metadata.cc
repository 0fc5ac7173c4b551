#include "actors/run_metadata.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

}  // namespace

std::string run_metadata(const StepSlot& slot) {
  pb::RunMetadata metadata;
  for (size_t i = 0; i < slot.states.size(); ++i) {
    const CompiledPartition& partition = slot.states[i]->partition();
    pb::DeviceStepStats* device = metadata.mutable_step_stats()->add_dev_stats();
    device->set_device(partition.device()->name());
    const std::string allocator(partition.device()->allocator()->name());
    for (const NodeTiming& t : slot.states[i]->timings()) {
      // As TensorFlow, which leaves transfers out.
      const std::string& op = partition.info(t.node).op->name;
      if (op == "_Send" || op == "_Recv") continue;
      describe_node(partition, t, allocator, device->add_node_stats());
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

}  // namespace troupe
