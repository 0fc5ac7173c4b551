#include <algorithm>

#include "actors/option_rows.h"

namespace troupe {
namespace {

using Config = ::tensorflow::ConfigProto;
using Rewriter = ::tensorflow::RewriterConfig;
using Optimizer = ::tensorflow::OptimizerOptions;
using enum OptionUse;

/// Whether the rewriter's settings let a pass run. Its list of names takes the place of the switches.
bool rewriter_runs(const Rewriter& rewriter, Rewriter::Toggle pass_switch, absl::string_view name) {
  if (rewriter.disable_meta_optimizer()) return false;
  const auto& names = rewriter.optimizers();
  if (names.empty()) return pass_switch != Rewriter::OFF;
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A pass that is asked for by its own option runs. Otherwise it runs when neither the level nor the rewriter is against it.
void read_optimizer(const Config& c, SessionOptions* o) {
  const Optimizer& options = c.graph_options().optimizer_options();
  const Rewriter& rewriter = c.graph_options().rewrite_options();
  const bool level = options.opt_level() != Optimizer::L0;
  o->fold_constants = options.do_constant_folding() ||
                      (level && rewriter_runs(rewriter, rewriter.constant_folding(), "constfold"));
  o->merge_common_subexpressions = options.do_common_subexpression_elimination() ||
                                   (level && rewriter_runs(rewriter, rewriter.common_subgraph_elimination(),
                                                           "common_subgraph_elimination"));
  o->take_known_branches = level && rewriter_runs(rewriter, rewriter.loop_optimization(), "loop");
  o->rewrite_arithmetic = level && rewriter_runs(rewriter, rewriter.arithmetic_optimization(), "arithmetic");
  o->bypass_identities = level && rewriter_runs(rewriter, rewriter.dependency_optimization(), "dependency");
  o->fuse = level && rewriter_runs(rewriter, rewriter.remapping(), "remap");
  o->inline_functions =
      options.do_function_inlining() || rewriter_runs(rewriter, rewriter.function_optimization(), "function");
  o->optimize = o->fold_constants || o->merge_common_subexpressions || o->take_known_branches ||
                o->rewrite_arithmetic || o->bypass_identities || o->fuse;
}

constexpr absl::string_view kOfNoUse = "Of no use in TensorFlow either.";
constexpr absl::string_view kNoGpu = "What needs no GPU stays on the host as the kernels' registrations say.";
constexpr absl::string_view kOtherPass = "Of a pass of TensorFlow's that this planner does not have.";
constexpr absl::string_view kTypes = "Values keep the types that the graph gives them.";
constexpr absl::string_view kNoCollectives = "Of collective ops, which this runtime does not have.";
constexpr absl::string_view kOneKernel = "A function has one implementation here.";
constexpr absl::string_view kNoPlugins = "Passes of plug-ins are not called.";
constexpr absl::string_view kReplicas = "Graphs are not replicated.";
constexpr absl::string_view kVerifier = "Every plan is checked as it is made.";

const ConfigRow kRows[] = {
    {{"graph_options.enable_recv_scheduling", kWithoutMeaning, kOfNoUse}},
    {{"graph_options.optimizer_options.do_common_subexpression_elimination", kHonoured,
      "Of nodes that compute the same keeps one, whatever opt_level and rewrite_options say."},
     read_optimizer},
    {{"graph_options.optimizer_options.do_constant_folding", kHonoured,
      "Folds constants, whatever opt_level and rewrite_options say."},
     read_optimizer},
    {{"graph_options.optimizer_options.max_folded_constant_in_bytes", kHonoured,
      "Constants larger than this are not folded; 0 and below: 10 MiB."},
     [](const Config& c, SessionOptions* o) {
       const int64_t bytes = c.graph_options().optimizer_options().max_folded_constant_in_bytes();
       if (bytes > 0) o->max_folded_constant_bytes = bytes;
     }},
    {{"graph_options.optimizer_options.do_function_inlining", kHonoured,
      "Puts functions in place of their calls, whatever rewrite_options say; so it is without it too, unless "
      "they forbid it."},
     read_optimizer},
    {{"graph_options.optimizer_options.opt_level", kHonoured,
      "L0: no pass of the planner runs but what the do_ options ask for, and that which puts functions in "
      "place of "
      "their calls."},
     read_optimizer},
    {{"graph_options.optimizer_options.global_jit_level", kWithoutMeaning,
      "Of a compiler that this runtime does not have."}},
    {{"graph_options.build_cost_model", kHonoured,
      "Every so many runs of a signature RunMetadata says what each node cost."},
     [](const Config& c, SessionOptions* o) { o->build_cost_model = c.graph_options().build_cost_model(); }},
    {{"graph_options.build_cost_model_after", kHonoured, "Runs of a signature before the first such one."},
     [](const Config& c, SessionOptions* o) {
       o->build_cost_model_after = c.graph_options().build_cost_model_after();
     }},
    {{"graph_options.infer_shapes", kHonoured,
      "Partition graphs carry the shapes of their nodes' outputs, as far as they are known "
      "(_output_shapes)."},
     [](const Config& c, SessionOptions* o) { o->infer_shapes = c.graph_options().infer_shapes(); }},
    {{"graph_options.place_pruned_graph", kHonoured,
      "Each signature places what it needs, instead of the graph when it comes."},
     [](const Config& c, SessionOptions* o) {
       o->place_pruned_graph = c.graph_options().place_pruned_graph();
     }},
    {{"graph_options.enable_bfloat16_sendrecv", kWithoutMeaning,
      "Of sessions over several machines; this one is in its process."}},
    {{"graph_options.timeline_step", kHonoured,
      "Every so many runs of a signature RunMetadata has the step's statistics, asked for or not; 0 and "
      "below: never."},
     [](const Config& c, SessionOptions* o) { o->timeline_step = c.graph_options().timeline_step(); }},
    {{"graph_options.rewrite_options.cpu_layout_conversion", kWithoutMeaning, kOtherPass}},
    {{"graph_options.rewrite_options.layout_optimizer", kWithoutMeaning, kOtherPass}},
    {{"graph_options.rewrite_options.constant_folding", kHonoured,
      "OFF: constants are not folded, unless optimizer_options.do_constant_folding."},
     read_optimizer},
    {{"graph_options.rewrite_options.shape_optimization", kWithoutMeaning, kOtherPass}},
    {{"graph_options.rewrite_options.remapping", kHonoured,
      "OFF: products and element-wise operations are not fused with those behind them."},
     read_optimizer},
    {{"graph_options.rewrite_options.common_subgraph_elimination", kHonoured,
      "OFF: nodes that compute the same stay, unless optimizer_options.do_common_subexpression_elimination."},
     read_optimizer},
    {{"graph_options.rewrite_options.arithmetic_optimization", kHonoured,
      "OFF: arithmetic stays that does nothing or could be had for less."},
     read_optimizer},
    {{"graph_options.rewrite_options.dependency_optimization", kHonoured,
      "OFF: nodes stay that only hand on, or whose results nobody reads."},
     read_optimizer},
    {{"graph_options.rewrite_options.loop_optimization", kHonoured,
      "OFF: branches stay whose predicate is a constant; loops are as they are written in any case."},
     read_optimizer},
    {{"graph_options.rewrite_options.function_optimization", kHonoured,
      "OFF: calls of functions stay calls, unless optimizer_options.do_function_inlining."},
     read_optimizer},
    {{"graph_options.rewrite_options.debug_stripper", kWithoutMeaning, kOtherPass}},
    {{"graph_options.rewrite_options.disable_model_pruning", kWithoutMeaning,
      "What a run does not need is always left out."}},
    {{"graph_options.rewrite_options.scoped_allocator_optimization", kWithoutMeaning, kNoCollectives}},
    {{"graph_options.rewrite_options.pin_to_host_optimization", kWithoutMeaning, kNoGpu}},
    {{"graph_options.rewrite_options.implementation_selector", kWithoutMeaning, kOneKernel}},
    {{"graph_options.rewrite_options.auto_mixed_precision", kWithoutMeaning, kTypes}},
    {{"graph_options.rewrite_options.auto_mixed_precision_mkl", kWithoutMeaning, kTypes}},
    {{"graph_options.rewrite_options.disable_meta_optimizer", kHonoured,
      "As all passes of rewrite_options OFF."},
     read_optimizer},
    {{"graph_options.rewrite_options.use_plugin_optimizers", kWithoutMeaning, kNoPlugins}},
    {{"graph_options.rewrite_options.meta_optimizer_iterations", kWithoutMeaning,
      "One round of the passes leaves little for a second."}},
    {{"graph_options.rewrite_options.min_graph_nodes", kHonoured,
      "Runs and functions of fewer nodes stay as they are, but for calls; 0 and below: none."},
     [](const Config& c, SessionOptions* o) {
       o->min_graph_nodes = std::max(0, c.graph_options().rewrite_options().min_graph_nodes());
     }},
    {{"graph_options.rewrite_options.experimental_disable_compressed_tensor_optimization", kWithoutMeaning,
      "Folded constants are not compressed."}},
    {{"graph_options.rewrite_options.experimental_disable_folding_quantization_emulation", kWithoutMeaning,
      "Nodes that emulate quantisation fold like others."}},
    {{"graph_options.rewrite_options.memory_optimization", kWithoutMeaning,
      "Values are freed when their last user has run; nothing is recomputed or moved."}},
    {{"graph_options.rewrite_options.memory_optimizer_target_node_name_scope", kWithoutMeaning,
      "Values are freed when their last user has run; nothing is recomputed or moved."}},
    {{"graph_options.rewrite_options.meta_optimizer_timeout_ms", kWithoutMeaning,
      "Passes take time in proportion to the graph; closing the session stops them."}},
    {{"graph_options.rewrite_options.auto_parallel.enable", kWithoutMeaning, kReplicas}},
    {{"graph_options.rewrite_options.auto_parallel.num_replicas", kWithoutMeaning, kReplicas}},
    {{"graph_options.rewrite_options.fail_on_optimizer_errors", kWithoutMeaning,
      "What cannot be folded stays; every other error of a pass is the run's."}},
    {{"graph_options.rewrite_options.scoped_allocator_opts.enable_op", kWithoutMeaning, kNoCollectives}},
    {{"graph_options.rewrite_options.optimizers", kHonoured,
      "Not empty: of \"constfold\", \"arithmetic\", \"common_subgraph_elimination\", \"dependency\", "
      "\"loop\", "
      "\"remap\" and \"function\" those in it run, whatever their switches say."},
     read_optimizer},
    {{"graph_options.rewrite_options.custom_optimizers", kWithoutMeaning, kNoPlugins}},
    {{"graph_options.rewrite_options.inter_optimizer_verifier_config", kWithoutMeaning, kVerifier}},
    {{"graph_options.rewrite_options.post_optimization_verifier_config", kWithoutMeaning, kVerifier}},
};

}  // namespace

std::span<const ConfigRow> graph_rows() { return kRows; }

}  // namespace troupe
