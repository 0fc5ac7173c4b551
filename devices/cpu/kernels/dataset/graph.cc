#include "devices/cpu/kernels/dataset/graph.h"

#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/function_runner.h"
#include "graph/ir/attr_proto.h"
#include "graph/ir/graph_def.h"
#include "proto/function.pb.h"
#include "proto/pb.h"

namespace troupe {
namespace {

/// Puts datasets into a graph, each once, its inputs before it.
class GraphMaker {
 public:
  explicit GraphMaker(Graph* graph) : graph_(graph) {}

  absl::StatusOr<Endpoint> add(const Dataset& dataset) {
    if (const auto known = added_.find(&dataset); known != added_.end()) return known->second;
    TROUPE_ASSIGN_OR_RETURN(const DatasetOrigin origin, origin_of(dataset));
    std::vector<Endpoint> inputs;
    for (const Tensor& input : origin.inputs) {
      TROUPE_ASSIGN_OR_RETURN(const Endpoint made, add_tensor(input));
      inputs.push_back(made);
    }
    AttrMap attrs = origin.attrs;
    attrs.erase("_class");
    TROUPE_ASSIGN_OR_RETURN(const Endpoint made, add_node(origin.op, std::move(attrs), std::move(inputs)));
    added_.emplace(&dataset, made);
    return made;
  }

 private:
  static absl::StatusOr<DatasetOrigin> origin_of(const Dataset& dataset) {
    if (dataset.origin != nullptr) return *dataset.origin;
    if (dataset.at == nullptr || dataset.blocks || dataset.cardinality < 0) {
      return absl::UnimplementedError(
          absl::StrCat(dataset.name, "Dataset was made by no node, and has no graph"));
    }
    // A window: its elements.
    DatasetOrigin origin{"WindowOp", {}, {}};
    std::vector<DataType> types;
    for (int64_t i = 0; i < dataset.cardinality; ++i) {
      TROUPE_ASSIGN_OR_RETURN(Element element, dataset.at(ElementContext(), i));
      for (Tensor& component : element) {
        types.push_back(component.dtype());
        origin.inputs.push_back(std::move(component));
      }
    }
    origin.attrs = {{"Tinputs", types}, {"output_types", dataset.types}, {"output_shapes", dataset.shapes}};
    return origin;
  }
  absl::StatusOr<Endpoint> add_tensor(const Tensor& tensor) {
    if (const DatasetPtr dataset = dataset_of(tensor)) return add(*dataset);
    if (tensor.dtype() == DataType::kVariant && tensor.num_elements() > 0) {
      for (const Variant& v : tensor.flat<Variant>()) {
        std::string bytes;
        std::vector<Tensor> parts;
        if (!v.empty() && !v.value()->serialize(&bytes, &parts)) {
          return absl::UnimplementedError(
              absl::StrCat("A dataset of ", v.value()->type_name(), " cannot be serialized"));
        }
      }
    }
    return add_node("Const", {{"dtype", tensor.dtype()}, {"value", tensor}}, {});
  }
  absl::StatusOr<Endpoint> add_node(const std::string& op, AttrMap attrs, std::vector<Endpoint> inputs) {
    TROUPE_ASSIGN_OR_RETURN(Node * node, graph_->add_node(absl::StrCat(op, "/_", graph_->num_ids()), op,
                                                          std::move(attrs), std::move(inputs)));
    return Endpoint{node->id, 0};
  }

  Graph* const graph_;
  absl::flat_hash_map<const Dataset*, Endpoint> added_;
};

using Needed = std::set<std::string>;

void collect(const pb::AttrValue& value, Needed* names) {
  if (value.has_func()) names->insert(value.func().name());
  for (const auto& function : value.list().func()) names->insert(function.name());
}

/// Adds the functions that `names` need, and those that these need.
void close_over(const FunctionLibrary& library, Needed* names, pb::FunctionDefLibrary* out) {
  Needed done;
  while (!names->empty()) {
    const std::string name = *names->begin();
    names->erase(names->begin());
    const pb::FunctionDef* def = library.find(name);
    if (def == nullptr || !done.insert(name).second) continue;
    *out->add_function() = *def;
    Needed next;
    for (const auto& node : def->node_def()) {
      next.insert(node.op());
      for (const auto& [key, value] : node.attr()) collect(value, &next);
    }
    for (const std::string& n : next) {
      if (!done.contains(n)) names->insert(n);
    }
  }
}

Needed functions_in(const AttrMap& attrs) {
  Needed names;
  for (const auto& [key, value] : attrs) {
    if (const FunctionRef* function = value.get<FunctionRef>()) names.insert(function->name);
    if (const auto* list = value.get<std::vector<FunctionRef>>()) {
      for (const FunctionRef& function : *list) names.insert(function.name);
    }
  }
  return names;
}

/// Ops that are stateful in name only, as TensorFlow lists them for datasets.
bool is_harmless(const OpDef& op) {
  const bool makes_dataset = op.outputs.size() == 1 && op.outputs[0].type == DataType::kVariant &&
                             (absl::EndsWith(op.name, "Dataset") || absl::EndsWith(op.name, "DatasetV2"));
  return !op.is_stateful || makes_dataset || op.name == "Assert" || op.name == "LookupTableFind" ||
         op.name == "LookupTableFindV2" || op.name == "LookupTableSize" || op.name == "LookupTableSizeV2";
}

}  // namespace

absl::StatusOr<std::shared_ptr<const FunctionLibrary>> functions_of_step(const FunctionRunner* functions) {
  auto library = std::make_shared<FunctionLibrary>();
  pb::FunctionDefLibrary proto;
  if (functions != nullptr && !proto.ParseFromString(functions->serialized_library())) {
    return absl::InternalError("The session's functions are malformed");
  }
  TROUPE_RETURN_IF_ERROR(library->add(proto));
  return library;
}

absl::StatusOr<Graph> graph_of_dataset(const Dataset& dataset,
                                       const std::shared_ptr<const FunctionLibrary>& library) {
  Graph graph;
  graph.versions().producer = kGraphDefVersion;
  TROUPE_ASSIGN_OR_RETURN(const Endpoint made, GraphMaker(&graph).add(dataset));
  Needed names;
  for (int i = 0; i < graph.num_ids(); ++i) names.merge(functions_in(graph.node(i).attrs));
  pb::FunctionDefLibrary needed;
  close_over(*library, &names, &needed);
  auto own = std::make_shared<FunctionLibrary>();
  TROUPE_RETURN_IF_ERROR(own->add(needed));
  graph.set_library(std::move(own));
  TROUPE_RETURN_IF_ERROR(
      graph.add_node("dataset", "_Retval", {{"T", DataType::kVariant}, {"index", 0}}, {made}).status());
  return graph;
}

absl::Status check_external_state(const Graph& graph) {
  std::vector<std::string> names = graph.library()->names();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const pb::FunctionDef& def = *graph.library()->find(name);
    if (!def.signature().is_stateful()) continue;
    for (const auto& node : def.node_def()) {
      // Functions are looked into themselves.
      const OpDef* op = graph.ops().find(node.op());
      if (op == nullptr || is_harmless(*op) || node.op() == "If" || node.op() == "While") continue;
      return absl::FailedPreconditionError(absl::StrCat(node.op(), " is stateful."));
    }
  }
  return absl::OkStatus();
}

}  // namespace troupe
