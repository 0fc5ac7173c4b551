#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "devices/gpu_options.h"
#include "graph/passes/tensor_watch.h"

namespace troupe {

class CancellationToken;
class DeviceSet;
class RemoteMaster;
class RemoteTasks;
class StepExchange;
class ThreadPool;

/// One entry of ConfigProto.session_inter_op_thread_pool.
struct InterOpPoolOptions {
  /// 0: as many as cores.
  int num_threads = 0;
  /// Empty: the session's own. Otherwise shared by all sessions of the runtime that name it.
  std::string global_name;

  friend bool operator==(const InterOpPoolOptions&, const InterOpPoolOptions&) = default;
};

/// How a session behaves: the fields of ConfigProto that have a meaning here, as plain data. What makes no
/// sense is an InvalidArgument when the session opens; a shared pool of another size, as in TensorFlow, when it is to have its graph.
struct SessionOptions {
  /// "": in this process. Which session factory opens the session (actors/session_factories.h).
  std::string target;
  /// The client's name for it, unlike those of the runtime's other open sessions; "": none.
  std::string handle;
  /// How many devices of each type ("CPU"); absent: one CPU, all GPUs that `gpu` lets be seen.
  std::map<std::string, int> device_count;
  /// Of the session's GPUs.
  GpuOptions gpu;
  /// Null: devices of its own. Otherwise these (Runtime::make_devices), whose resources are those of all sessions that have them, as the sessions of
  /// one TensorFlow server share theirs; then device_count and intra_op_threads say nothing.
  std::shared_ptr<DeviceSet> devices;
  /// Of a session of several tasks, with `devices` of all of them: set by who opens it (actors/node). Null: of this process alone.
  std::shared_ptr<StepExchange> exchange;
  std::shared_ptr<RemoteTasks> remote;
  /// Of a session whose graph is elsewhere and whose steps run there: set by the factory of such targets, of whose sessions the other options are
  /// the master's, by `config`. Null: of this process.
  std::shared_ptr<RemoteMaster> master;
  /// Cancelled when whoever has the session opened does not wait for it any more: a factory that waits for tasks of a cluster gives up then, with its
  /// reason. Null: he waits.
  std::shared_ptr<CancellationToken> given_up;
  /// Of a pool of the session's own; 0: the runtime's pool; below 0: every run on its caller's thread.
  int inter_op_threads = 0;
  /// For loops inside kernels, shared with sessions that ask for as many, at most 1,024; 0: the runtime's.
  int intra_op_threads = 0;
  /// A pool of its own also when inter_op_threads is 0: as many threads as cores.
  bool use_per_session_threads = false;
  /// Instead of that pool: RunOptions::inter_op_pool says which.
  std::vector<InterOpPoolOptions> inter_op_pools;
  /// Threads that wait, for files and for functions of datasets, at most; shared with sessions that ask for as many. 0: the runtime's.
  int io_threads = 0;
  /// From its begin, of every step that has none of its own, and of each turn of a partial run; zero: none.
  std::chrono::milliseconds operation_timeout{0};
  /// A node whose device cannot run it goes where it can.
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  /// Each signature places what it needs, instead of the graph when it comes.
  bool place_pruned_graph = false;
  /// False: every node is executed as written, whatever the next say.
  bool optimize = true;
  bool fold_constants = true;
  bool take_known_branches = true;
  bool rewrite_arithmetic = true;
  bool merge_common_subexpressions = true;
  bool bypass_identities = true;
  /// Several nodes become one with a kernel of its own.
  bool fuse = true;
  int64_t max_folded_constant_bytes = 10 << 20;
  /// What a run or function needs of a graph is changed by these passes when it is as many nodes as this or more.
  int min_graph_nodes = 0;
  /// False: calls of functions stay calls. Loops, and branches that ask for it, are lowered all the same.
  bool inline_functions = true;
  /// Partition graphs carry the shapes of their nodes' outputs ("_output_shapes").
  bool infer_shapes = false;
  /// The graph may not be extended; RunOptions::output_partition_graphs is an error.
  bool optimize_for_static_graph = false;
  bool disable_output_partition_graphs = false;
  /// Every that many runs of a signature, after the first build_cost_model_after, RunMetadata says what each node cost; 0: never.
  int64_t build_cost_model = 0;
  int64_t build_cost_model_after = 0;
  /// Every that many runs of a signature RunMetadata has the step's statistics, asked for or not; 0: never.
  int64_t timeline_step = 0;
  /// "", "DEFAULT" or "SINGLE_THREADED_EXECUTOR".
  std::string executor_type;
  /// experimental.session_metadata: name and version must be unique among the runtime's open sessions.
  std::string metadata_name;
  int64_t metadata_version = 0;
  bool has_metadata = false;
  /// Signatures kept compiled; the least recently used go first.
  int max_signatures = 1024;
  /// A partial run in which nobody takes a turn for so long is abandoned; zero: never. Each may say otherwise.
  std::chrono::milliseconds partial_run_lease{std::chrono::minutes(10)};
  /// How long the end of a Session waits for its runs, which are cancelled then.
  std::chrono::milliseconds close_patience{std::chrono::seconds(10)};
  /// The ConfigProto that this was made from, as bytes: kernels of plug-ins may ask for it.
  std::string config;
  /// Of its fields those that do nothing here, each with the reason: logged when a session opens.
  std::vector<std::string> without_meaning;

  friend bool operator==(const SessionOptions&, const SessionOptions&) = default;

  /// From the bytes of a ConfigProto. InvalidArgument when they do not parse, or a field is out of its range: naming it and the value.
  static absl::StatusOr<SessionOptions> from_config(absl::string_view config_bytes);
  /// From a ConfigProto in text format.
  static absl::StatusOr<SessionOptions> from_config_text(absl::string_view text);
};

/// What debuggers watch in a run.
struct DebugOptions {
  std::vector<TensorWatch> watches;
  /// The client's own count of its runs.
  int64_t global_step = 0;
};

/// How one run behaves: the fields of RunOptions that have a meaning here.
struct RunOptions {
  /// From the step's begin. Zero: the session's operation_timeout; below zero: none.
  std::chrono::milliseconds timeout{0};
  /// Index into the session's pools; -1: everything on the caller's thread.
  int inter_op_pool = 0;
  /// Threads of the caller's own (devices/thread_pool.h), for the kernels of this run unless inter_op_pool is -1, and for the loops inside them.
  /// Null: the session's. He keeps them until the run has ended; with a callable, until it is released.
  ThreadPool* inter_op_threads = nullptr;
  ThreadPool* intra_op_threads = nullptr;
  /// Where kernels of several runs wait for the same pool, those of the higher priority go first; 0 unless this is set.
  bool use_run_handler_pool = false;
  int64_t priority = 0;
  /// Both go into RunStats::metadata: what nodes took, and what the partitions are.
  bool collect_stats = false;
  bool output_partition_graphs = false;
  /// An error for want of memory names what the step's kernels hold, the largest first.
  bool report_tensor_allocations_upon_oom = false;
  /// Of the fields that are set those that do nothing here, each with the reason: a session logs each once.
  std::vector<std::string> without_meaning;
  /// Of runs, by message too; callables and partial runs are not watched.
  DebugOptions debug;

  /// From the bytes of the proto. InvalidArgument when they do not parse, or a field is out of its range.
  static absl::StatusOr<RunOptions> from_bytes(absl::string_view run_options_bytes);
};

/// What a callable feeds and fetches, and how it runs: CallableOptions as plain data.
struct CallableOptions {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions run_options;
  /// (from, to): output `to` takes the value that `from` has in the same step.
  std::vector<std::pair<std::string, std::string>> tensor_connections;
  /// By the name of a feed or fetch, as it stands above: the full name of the device where its tensor is. Others are on the client's, and
  /// so must these be. Names of other tensors are ignored.
  std::map<std::string, std::string> feed_devices;
  std::map<std::string, std::string> fetch_devices;
  /// A run returns before its devices are done with the fetches. Must be set where there are fetch_devices.
  bool fetch_skip_sync = false;

  /// As RunOptions::from_bytes. What the session must know to judge (names, devices) is judged when the callable is made.
  static absl::StatusOr<CallableOptions> from_bytes(absl::string_view callable_options_bytes);
};

}  // namespace troupe
