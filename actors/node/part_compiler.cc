#include "actors/node/part_compiler.h"

#include "absl/strings/str_cat.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_def.h"
#include "graph/status.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

/// More feeds or fetches than any client names.
constexpr int kMostValues = 1 << 24;

absl::Status check(const wire::RegisterPart& part) {
  if (part.partitions_size() == 0 || part.partitions_size() != part.devices_size())
    return absl::InvalidArgumentError("a part without a device for each of its partitions");
  if (part.num_feeds() < 0 || part.num_feeds() > kMostValues || part.num_fetches() < 0 ||
      part.num_fetches() > kMostValues) {
    return absl::InvalidArgumentError(
        absl::StrCat("a part with ", part.num_feeds(), " feeds and ", part.num_fetches(), " fetches"));
  }
  for (int arg : part.args()) {
    if (arg < 0 || arg >= part.num_feeds())
      return absl::InvalidArgumentError(absl::StrCat("there is no feed ", arg));
  }
  for (int retval : part.retvals()) {
    if (retval < 0 || retval >= part.num_fetches())
      return absl::InvalidArgumentError(absl::StrCat("there is no fetch ", retval));
  }
  return absl::OkStatus();
}

/// `_Arg` and `_Retval` nodes index what a step has.
absl::Status check_indices(const Graph& graph, const wire::RegisterPart& part) {
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (n.removed()) continue;
    const bool arg = n.op->name == "_Arg";
    if (!arg && n.op->name != "_Retval") continue;
    TROUPE_ASSIGN_OR_RETURN(const int64_t index, n.attrs.get<int64_t>("index"));
    if (index < 0 || index >= (arg ? part.num_feeds() : part.num_fetches()))
      return absl::InvalidArgumentError(absl::StrCat("node ", n.name, " has the index ", index));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const CompiledPartition>> compile(SessionCore& core, const Graph& graph,
                                                                 const std::string& device) {
  Device* const on = core.devices->find(device);
  if (on == nullptr) return absl::InvalidArgumentError(absl::StrCat("there is no device ", device));
  return CompiledPartition::compile(graph, on, core.devices->kernels(), &core.stateful, core.nodes.get());
}

}  // namespace

absl::StatusOr<std::shared_ptr<const SignatureAlias>> compile_part(SessionCore& core,
                                                                   const wire::RegisterPart& part) {
  TROUPE_RETURN_IF_ERROR(check(part));
  auto code = std::make_shared<SignatureCode>();
  code->crosses_tasks = code->has_transfers = true;
  code->feeds.resize(static_cast<size_t>(part.num_feeds()));
  code->fetches.resize(static_cast<size_t>(part.num_fetches()));
  // What a feed must be was checked where it came in.
  code->feed_types.resize(code->feeds.size(), DataType::kInvalid);
  code->fetch_types.resize(code->fetches.size(), DataType::kInvalid);
  ImportOptions as_made;
  as_made.allow_internal_names = true;
  std::shared_ptr<const FunctionLibrary> functions;
  for (int i = 0; i < part.partitions_size(); ++i) {
    if (core.closing.cancelled()) return core.closing.reason();
    Graph graph(core.ops);
    if (functions != nullptr) graph.set_library(functions);
    TROUPE_RETURN_IF_ERROR(import_graph_def(part.partitions(i), as_made, &graph));
    TROUPE_RETURN_IF_ERROR(check_indices(graph, part));
    functions = graph.library();
    TROUPE_ASSIGN_OR_RETURN(auto compiled, compile(core, graph, part.devices(i)));
    code->partitions.push_back(std::move(compiled));
    if (functions == nullptr || functions->empty()) continue;
    // Those of all partitions so far.
    auto library = std::make_shared<Graph>(core.ops);
    library->set_library(functions);
    library->versions() = graph.versions();
    code->functions = std::move(library);
  }
  auto alias = std::make_shared<SignatureAlias>();
  alias->signature = std::make_shared<Signature>(std::move(code));
  alias->feed_at.assign(part.args().begin(), part.args().end());
  alias->fetch_at.assign(part.retvals().begin(), part.retvals().end());
  return alias;
}

}  // namespace troupe
