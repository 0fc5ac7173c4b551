#include <algorithm>

#include "actors/option_rows.h"

namespace troupe {
namespace {

using Config = ::tensorflow::ConfigProto;
using enum OptionUse;

void read_pools(const Config& c, SessionOptions* o) {
  o->inter_op_pools.clear();
  for (const auto& p : c.session_inter_op_thread_pool())
    o->inter_op_pools.push_back({p.num_threads(), p.global_name()});
}

void read_metadata(const Config& c, SessionOptions* o) {
  if (!c.experimental().has_session_metadata()) return;
  o->has_metadata = true;
  o->metadata_name = c.experimental().session_metadata().name();
  o->metadata_version = c.experimental().session_metadata().version();
}

constexpr absl::string_view kCluster = "Of sessions over several machines; this one is in its process.";
constexpr absl::string_view kCompiler = "Of a compiler that this runtime does not have.";
constexpr absl::string_view kNoCollectives = "Of collective ops, which this runtime does not have.";

const ConfigRow kRows[] = {
    {{"device_count", kHonoured,
      "Devices by type: so many CPUs, at most so many of the GPUs that are there."},
     [](const Config& c, SessionOptions* o) {
       for (const auto& [type, count] : c.device_count()) o->device_count[type] = count;
     }},
    {{"intra_op_parallelism_threads", kHonoured,
      "Threads of the loops inside kernels; 0: TF_NUM_INTRAOP_THREADS, or as many as cores."},
     [](const Config& c, SessionOptions* o) { o->intra_op_threads = c.intra_op_parallelism_threads(); }},
    {{"placement_period", kWithoutMeaning, "Of no use in TensorFlow either."}},
    {{"device_filters", kWithoutMeaning, kCluster}},
    {{"inter_op_parallelism_threads", kHonoured,
      "Threads that run kernels side by side, the session's own; 0: the runtime's; below 0: the caller's."},
     [](const Config& c, SessionOptions* o) { o->inter_op_threads = c.inter_op_parallelism_threads(); }},
    {{"allow_soft_placement", kHonoured, "A node whose device cannot run it goes where it can."},
     [](const Config& c, SessionOptions* o) { o->allow_soft_placement = c.allow_soft_placement(); }},
    {{"log_device_placement", kHonoured, "Says where each node is."},
     [](const Config& c, SessionOptions* o) { o->log_device_placement = c.log_device_placement(); }},
    {{"use_per_session_threads", kHonoured, "Threads of the session's own instead of the runtime's."},
     [](const Config& c, SessionOptions* o) { o->use_per_session_threads = c.use_per_session_threads(); }},
    {{"operation_timeout_in_ms", kHonoured,
      "The deadline of every step that has none of its own; 0 and below: none."},
     [](const Config& c, SessionOptions* o) {
       o->operation_timeout = std::chrono::milliseconds(std::max<int64_t>(0, c.operation_timeout_in_ms()));
     }},
    {{"session_inter_op_thread_pool", kHonoured, "Pools that RunOptions.inter_op_thread_pool chooses from."},
     read_pools},
    {{"session_inter_op_thread_pool.num_threads", kHonoured, "How many threads; 0: as many as cores."},
     read_pools},
    {{"session_inter_op_thread_pool.global_name", kHonoured,
      "Shared by all sessions of the runtime that name it, with one size; empty: the session's own."},
     read_pools},
    {{"rpc_options", kWithoutMeaning, kCluster}},
    {{"cluster_def", kWithoutMeaning, kCluster}},
    {{"isolate_session_state", kWithoutMeaning, kCluster}},
    {{"share_cluster_devices_in_session", kWithoutMeaning, kCluster}},
    {{"session_handle", kHonoured,
      "The client's name for its session, in logs and in what inspect says; unlike those of the runtime's "
      "other open sessions."},
     [](const Config& c, SessionOptions* o) { o->handle = c.session_handle(); }},
    {{"tensor_fuse", kWithoutMeaning,
      "Values that cross machines go together anyway, as many as wait when the node looks; between devices "
      "of "
      "this process they are handed over, and nothing is sent."}},
    {{"global_io_parallelism_threads", kHonoured,
      "Threads that wait for files and for functions of datasets, at most; 0: the runtime's limit."},
     [](const Config& c, SessionOptions* o) { o->io_threads = c.global_io_parallelism_threads(); }},
    {{"run_graph_mode", kWithoutMeaning,
      "So it always is: a step's actors get one message each, and values are pushed."}},
};

const ConfigRow kExperimental[] = {
    {{"experimental.collective_group_leader", kWithoutMeaning, kNoCollectives}},
    {{"experimental.executor_type", kHonoured, "\"\", \"DEFAULT\" or \"SINGLE_THREADED_EXECUTOR\"."},
     [](const Config& c, SessionOptions* o) { o->executor_type = c.experimental().executor_type(); }},
    {{"experimental.recv_buf_max_chunk", kWithoutMeaning, kCluster}},
    {{"experimental.use_numa_affinity", kWithoutMeaning, "Threads are not bound to nodes of memory."}},
    {{"experimental.collective_deterministic_sequential_execution", kWithoutMeaning, kNoCollectives}},
    {{"experimental.collective_nccl", kWithoutMeaning, kNoCollectives}},
    {{"experimental.share_session_state_in_clusterspec_propagation", kWithoutMeaning, kCluster}},
    {{"experimental.disable_thread_spinning", kWithoutMeaning,
      "Threads spin for 60 us at most, those of a cluster's connections."}},
    {{"experimental.share_cluster_devices_in_session", kWithoutMeaning, kCluster}},
    {{"experimental.session_metadata", kHonoured,
      "Name and version, unlike those of the runtime's other sessions."},
     read_metadata},
    {{"experimental.optimize_for_static_graph", kHonoured, "The graph may not be extended."},
     [](const Config& c, SessionOptions* o) {
       o->optimize_for_static_graph = c.experimental().optimize_for_static_graph();
     }},
    {{"experimental.enable_mlir_bridge", kWithoutMeaning, kCompiler}},
    {{"experimental.mlir_bridge_rollout", kWithoutMeaning, kCompiler}},
    {{"experimental.enable_mlir_graph_optimization", kWithoutMeaning, kCompiler}},
    {{"experimental.disable_output_partition_graphs", kHonoured,
      "RunOptions.output_partition_graphs is an error."},
     [](const Config& c, SessionOptions* o) {
       o->disable_output_partition_graphs = c.experimental().disable_output_partition_graphs();
     }},
    {{"experimental.xla_fusion_autotuner_thresh", kWithoutMeaning, kCompiler}},
    {{"experimental.use_tfrt", kWithoutMeaning, kCompiler}},
    {{"experimental.coordination_service", kWithoutMeaning, kCluster}},
    {{"experimental.fetch_remote_devices_in_multi_client", kWithoutMeaning, kCluster}},
};

}  // namespace

std::span<const ConfigRow> config_rows() { return kRows; }
std::span<const ConfigRow> experimental_rows() { return kExperimental; }

}  // namespace troupe
