#include "actors/option_table.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/config.pb.h"

namespace troupe {
namespace {

using Config = ::tensorflow::ConfigProto;
using Rewriter = ::tensorflow::RewriterConfig;
using Optimizer = ::tensorflow::OptimizerOptions;
using enum OptionUse;

/// The optimiser level, what it switches by itself, and the rewriter's switches of the same passes.
void read_optimizer(const Config& c, SessionOptions* o) {
  const Optimizer& options = c.graph_options().optimizer_options();
  const bool all = options.opt_level() != Optimizer::L0;
  const Rewriter& rewriter = c.graph_options().rewrite_options();
  o->fold_constants = (all || options.do_constant_folding()) && rewriter.constant_folding() != Rewriter::OFF;
  o->merge_common_subexpressions = (all || options.do_common_subexpression_elimination()) &&
                                   rewriter.common_subgraph_elimination() != Rewriter::OFF;
  o->optimize = o->fold_constants || o->merge_common_subexpressions;
}

void read_pools(const Config& c, SessionOptions* o) {
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
constexpr absl::string_view kOtherPasses = "Of a pass of TensorFlow's that this planner does not have.";
constexpr absl::string_view kNoGpu = "Of GPUs, of which this build has none.";

const OptionRow kRows[] = {
    {"device_count", kHonoured, "Devices by type: so many CPUs; other types are not there.",
     [](const Config& c, SessionOptions* o) {
       for (const auto& [type, count] : c.device_count()) o->device_count[type] = count;
     }},
    {"intra_op_parallelism_threads", kHonoured, "Threads of the loops inside kernels; 0: as many as cores.",
     [](const Config& c, SessionOptions* o) { o->intra_op_threads = c.intra_op_parallelism_threads(); }},
    {"inter_op_parallelism_threads", kHonoured,
     "Threads that run kernels side by side, the session's own; 0: the runtime's; below 0: the caller's.",
     [](const Config& c, SessionOptions* o) { o->inter_op_threads = c.inter_op_parallelism_threads(); }},
    {"use_per_session_threads", kHonoured, "Threads of the session's own instead of the runtime's.",
     [](const Config& c, SessionOptions* o) { o->use_per_session_threads = c.use_per_session_threads(); }},
    {"session_inter_op_thread_pool", kHonoured, "Pools to choose from by RunOptions; named ones are shared.",
     read_pools},
    {"placement_period", kWithoutMeaning, "Of no use in TensorFlow either."},
    {"device_filters", kWithoutMeaning, kCluster},
    {"gpu_options", kWithoutMeaning, kNoGpu},
    {"allow_soft_placement", kHonoured, "A node whose device cannot run it goes where it can.",
     [](const Config& c, SessionOptions* o) { o->allow_soft_placement = c.allow_soft_placement(); }},
    {"log_device_placement", kHonoured, "Says where each node is.",
     [](const Config& c, SessionOptions* o) { o->log_device_placement = c.log_device_placement(); }},
    {"graph_options.enable_recv_scheduling", kWithoutMeaning, "Of no use in TensorFlow either."},
    {"graph_options.optimizer_options.opt_level", kHonoured,
     "L0: every node runs as written, but for what the next two ask for.", read_optimizer},
    {"graph_options.optimizer_options.do_constant_folding", kHonoured, "Folds constants, with L0 too.",
     read_optimizer},
    {"graph_options.optimizer_options.do_common_subexpression_elimination", kHonoured,
     "Of nodes that compute the same keeps one, with L0 too.", read_optimizer},
    {"graph_options.optimizer_options.max_folded_constant_in_bytes", kHonoured,
     "Constants larger than this are not folded; 0: 10 MiB.",
     [](const Config& c, SessionOptions* o) {
       const int64_t bytes = c.graph_options().optimizer_options().max_folded_constant_in_bytes();
       if (bytes > 0) o->max_folded_constant_bytes = bytes;
     }},
    {"graph_options.optimizer_options.do_function_inlining", kWithoutMeaning,
     "Functions are put in place of their calls unless they are recursive or marked."},
    {"graph_options.optimizer_options.global_jit_level", kWithoutMeaning, kCompiler},
    {"graph_options.build_cost_model", kHonoured,
     "Every so many runs of a signature RunMetadata says what each node cost.",
     [](const Config& c, SessionOptions* o) { o->build_cost_model = c.graph_options().build_cost_model(); }},
    {"graph_options.build_cost_model_after", kHonoured, "Runs of a signature before the first such one.",
     [](const Config& c, SessionOptions* o) {
       o->build_cost_model_after = c.graph_options().build_cost_model_after();
     }},
    {"graph_options.infer_shapes", kWithoutMeaning, "Shapes are inferred where a pass wants them."},
    {"graph_options.place_pruned_graph", kHonoured,
     "Each signature places what it needs, instead of the graph when it comes.",
     [](const Config& c, SessionOptions* o) {
       o->place_pruned_graph = c.graph_options().place_pruned_graph();
     }},
    {"graph_options.enable_bfloat16_sendrecv", kWithoutMeaning, kCluster},
    {"graph_options.timeline_step", kWithoutMeaning,
     "Of no use in TensorFlow either; RunOptions.trace_level is."},
    {"graph_options.rewrite_options.constant_folding", kHonoured, "OFF: constants are not folded.",
     read_optimizer},
    {"graph_options.rewrite_options.common_subgraph_elimination", kHonoured,
     "OFF: nodes that compute the same stay.", read_optimizer},
    {"graph_options.rewrite_options", kWithoutMeaning, kOtherPasses},
    {"operation_timeout_in_ms", kHonoured, "The deadline of every step that has none of its own.",
     [](const Config& c, SessionOptions* o) {
       o->operation_timeout = std::chrono::milliseconds(c.operation_timeout_in_ms());
     }},
    {"rpc_options", kWithoutMeaning, kCluster},
    {"cluster_def", kWithoutMeaning, kCluster},
    {"isolate_session_state", kWithoutMeaning, kCluster},
    {"share_cluster_devices_in_session", kWithoutMeaning, kCluster},
    {"experimental.executor_type", kHonoured, "\"\", \"DEFAULT\" or \"SINGLE_THREADED_EXECUTOR\".",
     [](const Config& c, SessionOptions* o) { o->executor_type = c.experimental().executor_type(); }},
    {"experimental.session_metadata", kHonoured,
     "Name and version, unlike those of the runtime's other sessions.", read_metadata},
    {"experimental.optimize_for_static_graph", kHonoured, "The graph may not be extended.",
     [](const Config& c, SessionOptions* o) {
       o->optimize_for_static_graph = c.experimental().optimize_for_static_graph();
     }},
    {"experimental.disable_output_partition_graphs", kHonoured,
     "RunOptions.output_partition_graphs is an error.",
     [](const Config& c, SessionOptions* o) {
       o->disable_output_partition_graphs = c.experimental().disable_output_partition_graphs();
     }},
    {"experimental.disable_thread_spinning", kWithoutMeaning, "No thread spins here."},
    {"experimental.use_numa_affinity", kWithoutMeaning, "Threads are not bound to nodes of memory."},
    {"experimental.enable_mlir_bridge", kWithoutMeaning, kCompiler},
    {"experimental.mlir_bridge_rollout", kWithoutMeaning, kCompiler},
    {"experimental.enable_mlir_graph_optimization", kWithoutMeaning, kCompiler},
    {"experimental.xla_fusion_autotuner_thresh", kWithoutMeaning, kCompiler},
    {"experimental.use_tfrt", kWithoutMeaning, kCompiler},
    {"experimental", kWithoutMeaning, kCluster},
    {"session_handle", kCarried, "The client's name for its session."},
    {"tensor_fuse", kWithoutMeaning, kCluster},
    {"global_io_parallelism_threads", kWithoutMeaning,
     "Threads that wait are made as they are needed, up to a limit."},
    {"run_graph_mode", kWithoutMeaning, kCluster},
};

std::string text_of(const google::protobuf::Message& message,
                    const google::protobuf::FieldDescriptor* field) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  const int size = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
  for (int i = 0; i < size; ++i) {
    std::string one;
    printer.PrintFieldValueToString(message, field, field->is_repeated() ? i : -1, &one);
    if (field->message_type() != nullptr) one = absl::StrCat("{ ", absl::StripAsciiWhitespace(one), " }");
    absl::StrAppend(&text, i == 0 ? "" : ", ", one);
  }
  return text;
}

void add_set(const google::protobuf::Message& message, const std::string& within,
             std::vector<SetOption>* out) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const auto* field : fields) {
    const std::string path = absl::StrCat(within, field->name());
    const OptionRow* row = option_row(path);
    const bool is_message = !field->is_repeated() && field->message_type() != nullptr;
    // What has a row of its own as a whole is not taken apart.
    if (is_message && (row == nullptr || row->path != path || row->use != kHonoured)) {
      add_set(message.GetReflection()->GetMessage(message, field), path + ".", out);
    } else {
      out->push_back({path, text_of(message, field), row});
    }
  }
}

}  // namespace

std::span<const OptionRow> option_rows() { return kRows; }

const OptionRow* option_row(absl::string_view path) {
  const OptionRow* best = nullptr;
  for (const OptionRow& row : kRows) {
    const bool around = path == row.path || absl::StartsWith(path, absl::StrCat(row.path, "."));
    if (around && (best == nullptr || row.path.size() > best->path.size())) best = &row;
  }
  return best;
}

std::vector<SetOption> set_options(const Config& config) {
  std::vector<SetOption> out;
  add_set(config, "", &out);
  return out;
}

}  // namespace troupe
