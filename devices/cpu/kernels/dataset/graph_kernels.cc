// Datasets as graphs, and graphs as datasets.

#include "devices/cpu/kernels/dataset/graph.h"
#include "devices/cpu/kernels/dataset/registry_kernel.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"
#include "graph/ir/algorithm.h"
#include "graph/ir/graph_def.h"
#include "proto/graph.pb.h"
#include "proto/pb.h"

namespace troupe {
namespace {

absl::StatusOr<Graph> graph_of_input(const KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const DatasetPtr dataset, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const auto library, functions_of_step(context.step().functions));
  return graph_of_dataset(*dataset, library);
}

/// DatasetToGraph, and V2. External state is an error when the node says so.
absl::Status to_graph(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  TROUPE_ASSIGN_OR_RETURN(const Graph graph, graph_of_input(context));
  const bool fail = attrs.contains("external_state_policy")
                        ? attrs.get_or<int64_t>("external_state_policy", 0) == 2
                        : !attrs.get_or("allow_stateful", false);
  if (const absl::Status state = fail ? check_external_state(graph) : absl::OkStatus(); !state.ok()) {
    return absl::Status(state.code(),
                        absl::StrCat("Failed to serialize the input pipeline graph: ", state.message()));
  }
  pb::GraphDef proto;
  to_graph_def(graph, &proto);
  std::string bytes;
  if (!proto.SerializeToString(&bytes)) return invalid("The dataset's graph is too large for a message");
  context.set_output(0, Tensor::string_scalar(bytes));
  return absl::OkStatus();
}

absl::Status fingerprint(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const Graph graph, graph_of_input(context));
  context.set_output(0, Tensor::scalar<uint64_t>(fingerprint_of(graph)));
  return absl::OkStatus();
}

/// Outputs of a node that is run here and now.
absl::StatusOr<std::vector<Value>> evaluate(KernelContext& context, const KernelRegistry& kernels,
                                            const Graph& graph, const Node& node, std::vector<Value> inputs) {
  std::vector<Value> outputs(node.output_types.size());
  if (node.is("Const")) {
    TROUPE_ASSIGN_OR_RETURN(outputs[0].tensor, node.attrs.get<Tensor>("value"));
    return outputs;
  }
  const KernelNode info(node, graph.versions().producer);
  TROUPE_ASSIGN_OR_RETURN(const auto kernel, kernels.create(info, context.device()));
  if (kernel->is_async()) {
    return absl::UnimplementedError(
        absl::StrCat("A dataset's graph cannot hold node ", node.name, ", as op ", node.op->name, " waits"));
  }
  KernelContext inner(&context.step(), &info, inputs, outputs);
  TROUPE_RETURN_IF_ERROR(kernel->compute(inner));
  return outputs;
}

absl::Status from_graph(KernelContext& context, const KernelRegistry& kernels) {
  TROUPE_ASSIGN_OR_RETURN(const std::string bytes, input_text(context, 0, "graph_def"));
  pb::GraphDef proto;
  if (!proto.ParseFromString(bytes)) return invalid("Could not parse GraphDef");
  Graph graph;
  ImportOptions options;
  options.mode = ImportOptions::Mode::kImport;
  options.allow_internal_names = true;
  TROUPE_RETURN_IF_ERROR(import_graph_def(proto, options, &graph));
  TROUPE_ASSIGN_OR_RETURN(Tensor made, evaluate_dataset_graph(context, kernels, graph));
  if (dataset_of(made) == nullptr) return invalid("Tensor must be a Dataset object.");
  context.set_output(0, std::move(made));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Tensor> evaluate_dataset_graph(KernelContext& context, const KernelRegistry& kernels,
                                              const Graph& graph) {
  int last = -1;
  for (int i = 0; i < graph.num_ids(); ++i) {
    if (graph.node(i).is("_Retval")) last = i;
  }
  if (last < 0) return invalid("The dataset's graph_def has no _Retval node");
  const Endpoint wanted = graph.node(last).inputs[0];
  TROUPE_ASSIGN_OR_RETURN(const std::vector<int> order, topological_order(graph));
  const std::vector<int> roots = {wanted.node};
  const std::vector<bool> needed = reverse_reachable(graph, roots);
  std::vector<std::vector<Value>> made(static_cast<size_t>(graph.num_ids()));
  for (const int id : order) {
    if (!needed[static_cast<size_t>(id)]) continue;
    const Node& node = graph.node(id);
    std::vector<Value> inputs;
    for (const Endpoint input : node.inputs) {
      inputs.push_back(made[static_cast<size_t>(input.node)][static_cast<size_t>(input.slot)]);
      if (!inputs.back().present()) {
        return invalid("Node ", node.name, " of the dataset's graph_def has an input that is never set");
      }
    }
    TROUPE_ASSIGN_OR_RETURN(made[static_cast<size_t>(id)],
                            evaluate(context, kernels, graph, node, std::move(inputs)));
  }
  return made[static_cast<size_t>(wanted.node)][static_cast<size_t>(wanted.slot)].tensor;
}

void register_dataset_graph_kernels(KernelRegistry* registry) {
  for (const char* op : {"DatasetToGraph", "DatasetToGraphV2"}) registry->add(KernelDef(op).fn(to_graph));
  KernelDef from("DatasetFromGraph");
  from.factory = with_registry(from_graph, registry);
  registry->add(std::move(from));
  registry->add(KernelDef("DatasetFingerprint").fn(fingerprint));
}

}  // namespace troupe
