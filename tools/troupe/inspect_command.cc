#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

#include "CLI/CLI.hpp"
#include "graph/gradients/function_gradient.h"
#include "graph/ir/graph_file.h"
#include "graph/status.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "tools/troupe/command_options.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/config_report.h"
#include "tools/troupe/files.h"
#include "tools/troupe/graph_difference.h"
#include "tools/troupe/graph_picture.h"
#include "tools/troupe/graph_summary.h"
#include "tools/troupe/messages.h"
#include "tools/troupe/model_loader.h"
#include "tools/troupe/plan_report.h"

namespace troupe {
namespace {

constexpr char kExamples[] = R"(
Examples:
  troupe inspect model.pb
  troupe inspect saved_model --json
  troupe inspect model.pb --fetch y --pass all
  troupe inspect model.pb --fetch y --pass constant_folding --dot folding.dot
  troupe inspect model.pb --dot graph.dot && dot -Tsvg graph.dot > graph.svg
  troupe inspect model.pb --fetch y --cpus 2 --dot plan.dot

With --fetch or --target, or a --signature, the graph is planned for that run: pruned, optimised, placed and split by
device. --pass shows what each pass did, or for one of them which nodes it removed (-), added (+) and changed (~); --dot then
draws the graph before and after it. Without --pass, --dot draws the plan rather than the graph as written.
)";

struct Flags {
  std::string graph;
  std::string config;
  std::vector<std::string> tags;
  PlanSignature signature;
  std::string signature_key;
  std::string pass;
  std::string dot;
  int cpus = 1;
  int gpus = 0;
  bool raw = false;
  bool soft_placement = false;
  bool json = false;
  bool all = false;
};

/// How many entries of a list are shown.
size_t most(const Flags& flags) { return flags.all ? std::numeric_limits<size_t>::max() : 20; }

std::string kind_name(GraphFile::Kind kind) {
  switch (kind) {
    case GraphFile::Kind::kGraphDef: return "GraphDef";
    case GraphFile::Kind::kMetaGraphDef: return "MetaGraphDef";
    case GraphFile::Kind::kSavedModel: return "SavedModel";
  }
  return "?";
}

/// "x=x:0 float [?]": keys in order.
std::vector<std::string> signature_lines(const google::protobuf::Map<std::string, pb::TensorInfo>& tensors) {
  std::vector<std::string> lines;
  for (const auto& [key, info] : tensors) {
    std::string dims;
    for (const auto& dim : info.tensor_shape().dim()) {
      absl::StrAppend(&dims, dims.empty() ? "" : ",", dim.size() < 0 ? "?" : absl::StrCat(dim.size()));
    }
    const std::string shape = info.tensor_shape().unknown_rank() ? "<unknown>" : absl::StrCat("[", dims, "]");
    lines.push_back(
        absl::StrCat(key, " = ", info.name(), "  ", dtype_name(static_cast<DataType>(info.dtype())), shape));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string model_text(const GraphFile& model) {
  std::string out = absl::StrCat(kind_name(model.kind), ": ", model.path, "\n");
  for (const std::string& name : signature_names(model)) {
    const pb::SignatureDef& signature = *find_signature(model, name).value();
    absl::StrAppend(&out, "signature ", name, "\n");
    for (const std::string& line : signature_lines(signature.inputs()))
      absl::StrAppend(&out, "  takes ", line, "\n");
    for (const std::string& line : signature_lines(signature.outputs()))
      absl::StrAppend(&out, "  gives ", line, "\n");
  }
  if (!model.init_op.empty()) absl::StrAppend(&out, "initialised by ", model.init_op, "\n");
  if (!model.variables_prefix.empty()) absl::StrAppend(&out, "variables in ", model.variables_prefix, "\n");
  for (const auto& [tensor, path] : model.assets) absl::StrAppend(&out, "asset ", tensor, " = ", path, "\n");
  return out;
}

absl::StatusOr<PlanSignature> planned_signature(const Flags& flags, const GraphFile& model) {
  PlanSignature signature = flags.signature;
  if (flags.signature_key.empty()) return signature;
  TROUPE_ASSIGN_OR_RETURN(const pb::SignatureDef* def, find_signature(model, flags.signature_key));
  for (const auto& [key, info] : def->inputs()) signature.feeds.push_back(info.name());
  for (const auto& [key, info] : def->outputs()) signature.fetches.push_back(info.name());
  std::sort(signature.feeds.begin(), signature.feeds.end());
  std::sort(signature.fetches.begin(), signature.fetches.end());
  return signature;
}

/// What the watched pass did at each of its runs, or the lines of all passes, and what the plan looks like.
absl::StatusOr<std::string> passes_text(const Flags& flags, const PlanReport& report) {
  std::string out;
  if (flags.pass == "all") {
    out = absl::StrCat(absl::StrJoin(report.passes, "\n"), "\n");
  } else if (report.runs.empty()) {
    std::vector<std::string> names;
    for (const std::string& line : report.passes) names.push_back(line.substr(0, line.find(':')));
    return absl::NotFoundError(
        absl::StrCat("no pass '", flags.pass, "' ran; these did: ", absl::StrJoin(names, " ")));
  }
  for (const PassRun& run : report.runs) {
    if (flags.pass != "all")
      absl::StrAppend(&out, run.summary, "\n", to_text(difference(run.before, run.after), most(flags)));
  }
  absl::StrAppend(&out, "plan: ", report.nodes_before, " -> ", report.nodes_after, " nodes in ",
                  report.partitions.size(), " partitions\n");
  for (const auto& [device, graph] : report.partitions) {
    absl::StrAppend(&out, "  ", device, ": ", graph.node_size(), " nodes\n");
  }
  return out;
}

/// The graph before and after a pass side by side; else the plan; else the graph as written.
std::string picture(const Flags& flags, const GraphFile& model, const PlanReport& report, bool planned) {
  if (!planned) return graph_picture(model.graph_def());
  if (flags.pass.empty() || flags.pass == "all") return parts_picture(report.partitions);
  std::vector<std::pair<std::string, pb::GraphDef>> sides;
  for (const PassRun& run : report.runs) {
    sides.emplace_back(absl::StrCat("before ", run.summary), run.before);
    sides.emplace_back(absl::StrCat("after ", run.pass), run.after);
  }
  return parts_picture(sides);
}

absl::StatusOr<std::string> inspect(const Flags& flags) {
  if (!flags.config.empty()) {
    if (!flags.graph.empty())
      return absl::InvalidArgumentError("--config shows a ConfigProto: leave the graph out");
    return config_report(flags.config, flags.all);
  }
  if (flags.graph.empty()) return absl::InvalidArgumentError("what to inspect: a model, or --config FILE");
  TROUPE_ASSIGN_OR_RETURN(const GraphFile model, read_graph_file(flags.graph, flags.tags));
  TROUPE_ASSIGN_OR_RETURN(const PlanSignature signature, planned_signature(flags, model));
  const bool planned = !signature.fetches.empty() || !signature.targets.empty();
  if (!flags.pass.empty() && !planned) {
    return absl::InvalidArgumentError(
        "--pass needs --fetch, --target or --signature: passes work on what a run needs");
  }
  PlanReport report;
  if (planned) {
    PlanOptions options;
    options.optimize = !flags.raw;
    options.allow_soft_placement = flags.soft_placement;
    options.differentiator = &builtin_differentiator();
    TROUPE_ASSIGN_OR_RETURN(report, plan_report(model.graph_def(), signature, flags.cpus, options,
                                                flags.pass == "all" ? "" : flags.pass, flags.gpus));
  }
  std::string passes;
  if (!flags.pass.empty()) {
    TROUPE_ASSIGN_OR_RETURN(passes, passes_text(flags, report));
  }
  if (!flags.dot.empty()) {
    TROUPE_RETURN_IF_ERROR(write_file(flags.dot, picture(flags, model, report, planned)));
  }
  if (!flags.pass.empty()) return passes;
  const GraphSummary summary = summarize(model.graph_def());
  if (flags.json) return to_json(summary);
  return absl::StrCat(model_text(model), to_text(summary, most(flags)));
}

int run_inspect(const Flags& flags) {
  const absl::StatusOr<std::string> text = inspect(flags);
  if (!text.ok()) return fail("inspect", text.status());
  std::fputs(text->c_str(), stdout);
  return 0;
}

}  // namespace

void add_inspect_command(CLI::App& app, Command* chosen) {
  auto flags = std::make_shared<Flags>();
  CLI::App* sub =
      app.add_subcommand("inspect", "Shows what a graph contains and what the planner makes of it");
  sub->footer(kExamples);
  sub->add_option("graph", flags->graph, "The model")->type_name("GRAPH");
  sub->add_option("--config", flags->config, "Show what the fields of a ConfigProto do here")
      ->type_name("FILE");
  add_texts(sub, "--tag", &flags->tags, "Tags of the meta graph (default: serve)");
  add_texts(sub, "--feed", &flags->signature.feeds, "Plan a run that feeds this tensor")->type_name("NAME");
  add_texts(sub, "--fetch", &flags->signature.fetches, "Plan a run that fetches it")->type_name("NAME");
  add_texts(sub, "--target", &flags->signature.targets, "Plan a run that runs it")->type_name("NAME");
  sub->add_option("--signature", flags->signature_key, "Plan a call of this signature")->type_name("KEY");
  sub->add_option("--pass", flags->pass, "Show what this pass did, or all of them")->type_name("NAME|all");
  sub->add_option("--dot", flags->dot, "Write a picture for Graphviz")->type_name("FILE");
  sub->add_option("--cpus", flags->cpus, "CPU devices to plan for")->check(CLI::Range(1, 1024));
  sub->add_option("--gpus", flags->gpus, "GPUs to plan for; they need not be there")
      ->check(CLI::Range(0, 1024));
  sub->add_flag("--raw", flags->raw, "Plan without optimisation");
  sub->add_flag("--soft-placement", flags->soft_placement, "Plan with allow_soft_placement");
  sub->add_flag("--json", flags->json, "The summary as JSON");
  sub->add_flag("--all", flags->all, "Do not shorten lists");
  sub->callback([flags, chosen] { *chosen = [flags] { return run_inspect(*flags); }; });
}

}  // namespace troupe
