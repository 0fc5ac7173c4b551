// Datasets of parsed examples: ParseExampleDataset and its like, by the kernel of ParseExampleV2.

#include <algorithm>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/dataset/registry_kernel.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/dense_feature.h"
#include "devices/cpu/kernels/shared/ragged_value.h"
#include "devices/cpu/kernels/shared/tensor_variant.h"

namespace troupe {
namespace {

/// Where a component comes from: the outputs of the kernel for feature `at` of its kind.
struct Feature {
  enum class Kind { kDense, kSparse, kRagged };
  std::string key;
  Kind kind = Kind::kDense;
  size_t at = 0;
};

/// What is the same for all elements.
struct ParsePlan {
  DatasetPtr input;
  KernelNode node;
  std::unique_ptr<Kernel> kernel;
  /// All inputs of the kernel but the examples.
  Element names_and_keys;
  Element defaults;
  size_t num_sparse = 0;
  size_t num_dense = 0;
  size_t num_ragged = 0;
  /// In the order of the components.
  std::vector<Feature> features;

  NextElement parse(const ElementContext& step, const Element& examples) const;
  Element components_of(std::vector<Value>& outputs) const;
};

Tensor strings_of(const std::vector<std::string>& texts) {
  Tensor out(DataType::kString, Shape{static_cast<int64_t>(texts.size())});
  for (size_t i = 0; i < texts.size(); ++i) out.flat<TString>()[i].assign(texts[i]);
  return out;
}

NextElement ParsePlan::parse(const ElementContext& step, const Element& examples) const {
  if (examples.size() != 1 || examples[0].dtype() != DataType::kString) {
    return invalid("Input dataset should be a dataset of vectors of strings");
  }
  StepState state;
  state.device = step.where;
  state.cancellation = step.cancellation;
  std::vector<Value> inputs(6 + defaults.size() - 1), outputs(node.output_types.size());
  inputs[0].tensor = examples[0].reshaped(Shape{examples[0].num_elements()});
  size_t next = 1;
  for (const Tensor& t : names_and_keys) inputs[next++].tensor = t;
  for (const Tensor& t : defaults) inputs[next++].tensor = t;
  KernelContext context(&state, &node, inputs, outputs);
  TROUPE_RETURN_IF_ERROR(kernel->compute(context));
  return components_of(outputs);
}

Element ParsePlan::components_of(std::vector<Value>& outputs) const {
  const size_t dense = 3 * num_sparse, ragged = dense + num_dense;
  Element element;
  for (const Feature& feature : features) {
    switch (feature.kind) {
      case Feature::Kind::kDense: element.push_back(std::move(outputs[dense + feature.at].tensor)); break;
      case Feature::Kind::kSparse: {
        Tensor parts(DataType::kVariant, Shape{3});
        for (size_t k = 0; k < 3; ++k) {
          Tensor& part = outputs[k * num_sparse + feature.at].tensor;
          parts.flat<Variant>()[k] = Variant(std::make_shared<TensorVariant>(std::move(part)));
        }
        element.push_back(std::move(parts));
        break;
      }
      case Feature::Kind::kRagged: {
        Tensor out(DataType::kVariant, Shape());
        Tensor& splits = outputs[ragged + num_ragged + feature.at].tensor;
        out.flat<Variant>()[0] =
            ragged_variant({std::move(splits)}, std::move(outputs[ragged + feature.at].tensor));
        element.push_back(std::move(out));
        break;
      }
    }
  }
  return element;
}

/// The kernel's node: ParseExampleV2 with the attrs of the dataset's.
absl::Status describe_node(const AttrMap& attrs, const std::vector<std::string>& ragged_keys,
                           ParsePlan* plan) {
  static const OpDef* const kOp = [] {
    auto* op = new OpDef;
    op->name = "ParseExampleV2";
    return op;
  }();
  KernelNode& node = plan->node;
  node.name = "parse";
  node.op = kOp;
  TROUPE_ASSIGN_OR_RETURN(const auto sparse, attrs.get<std::vector<DataType>>("sparse_types"));
  TROUPE_ASSIGN_OR_RETURN(const auto dense, attrs.get<std::vector<DataType>>("Tdense"));
  TROUPE_ASSIGN_OR_RETURN(auto shapes, attrs.get<std::vector<PartialShape>>("dense_shapes"));
  const auto ragged = attrs.get_or("ragged_value_types", std::vector<DataType>());
  const auto splits = attrs.get_or("ragged_split_types", std::vector<DataType>());
  if (ragged.size() != ragged_keys.size()) return invalid("len(ragged_keys) != len(ragged_value_types)");
  if (splits.size() != ragged_keys.size()) return invalid("len(ragged_keys) != len(ragged_split_types)");
  node.attrs.set("sparse_types", sparse);
  node.attrs.set("Tdense", dense);
  node.attrs.set("dense_shapes", std::move(shapes));
  node.attrs.set("num_sparse", static_cast<int64_t>(plan->num_sparse));
  node.attrs.set("ragged_value_types", ragged);
  node.attrs.set("ragged_split_types", splits);
  auto& types = node.output_types;
  types.assign(sparse.size(), DataType::kInt64);
  for (const auto& more :
       {sparse, std::vector<DataType>(sparse.size(), DataType::kInt64), dense, ragged, splits}) {
    types.insert(types.end(), more.begin(), more.end());
  }
  node.input_types.assign(6 + dense.size() - 1, DataType::kString);
  return absl::OkStatus();
}

/// Components stand in the order of their keys.
void order_features(const std::vector<std::string>& dense, const std::vector<std::string>& sparse,
                    const std::vector<std::string>& ragged, ParsePlan* plan) {
  const auto add = [plan](const std::vector<std::string>& keys, Feature::Kind kind) {
    for (size_t i = 0; i < keys.size(); ++i) plan->features.push_back({keys[i], kind, i});
  };
  add(dense, Feature::Kind::kDense);
  add(sparse, Feature::Kind::kSparse);
  add(ragged, Feature::Kind::kRagged);
  std::stable_sort(plan->features.begin(), plan->features.end(),
                   [](const Feature& a, const Feature& b) { return a.key < b.key; });
}

absl::Status check_outputs(const AttrMap& attrs, const ParsePlan& plan) {
  TROUPE_ASSIGN_OR_RETURN(const auto types, attrs.get<std::vector<DataType>>("output_types"));
  if (types.size() != plan.features.size()) {
    return invalid("Expected len(output_types) == number of features but got: ", types.size(), " vs. ",
                   plan.features.size());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Feature& feature = plan.features[i];
    const DataType given = feature.kind == Feature::Kind::kDense
                               ? plan.node.output_types[3 * plan.num_sparse + feature.at]
                               : DataType::kVariant;
    if (types[i] == given) continue;
    return invalid("Expected output_types[", i, "] to be ", dtype_name(given), ", the type of feature ",
                   feature.key, ", but got: ", dtype_name(types[i]));
  }
  return absl::OkStatus();
}

absl::Status make_parse(KernelContext& context, const KernelRegistry& kernels) {
  const AttrMap& attrs = context.node().attrs;
  auto plan = std::make_shared<ParsePlan>();
  TROUPE_ASSIGN_OR_RETURN(plan->input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t calls, input_count(context, 1, "num_parallel_calls"));
  TROUPE_RETURN_IF_ERROR(check_parallel_calls(calls));
  TROUPE_ASSIGN_OR_RETURN(const auto sparse, attrs.get<std::vector<std::string>>("sparse_keys"));
  TROUPE_ASSIGN_OR_RETURN(const auto dense, attrs.get<std::vector<std::string>>("dense_keys"));
  const auto ragged = attrs.get_or("ragged_keys", std::vector<std::string>());
  plan->num_sparse = sparse.size();
  plan->num_dense = dense.size();
  plan->num_ragged = ragged.size();
  if (context.num_inputs() - 2 != static_cast<int>(dense.size())) {
    return invalid("Expected len(dense_defaults) == len(dense_keys) but got: ", context.num_inputs() - 2,
                   " vs. ", dense.size());
  }
  TROUPE_RETURN_IF_ERROR(describe_node(attrs, ragged, plan.get()));
  TROUPE_ASSIGN_OR_RETURN(const KernelDef* def,
                          kernels.find(plan->node.op->name, context.device()->type(), plan->node.attrs));
  if (def == nullptr) return absl::NotFoundError("There is no kernel of ParseExampleV2");
  TROUPE_ASSIGN_OR_RETURN(plan->kernel, def->factory(KernelConstruction(&plan->node, context.device())));
  TROUPE_ASSIGN_OR_RETURN(const auto shapes, plan->node.attrs.get<std::vector<PartialShape>>("dense_shapes"));
  for (size_t i = 0; i < dense.size(); ++i) {
    plan->defaults.push_back(context.input(2 + static_cast<int>(i)));
    TROUPE_ASSIGN_OR_RETURN(const DenseSpec spec, DenseSpec::make(i, shapes[i], true));
    TROUPE_RETURN_IF_ERROR(check_default(i, spec, plan->defaults.back()));
  }
  plan->names_and_keys = {strings_of({}), strings_of(sparse), strings_of(dense), strings_of(ragged)};
  order_features(dense, sparse, ragged, plan.get());
  TROUPE_RETURN_IF_ERROR(check_outputs(attrs, *plan));
  auto dataset = make_dataset("ParseExample", {plan->input}, [plan](const std::string& name) {
    return iterator_of([plan, in = plan->input->iterate(name)](const ElementContext& step) -> NextElement {
      TROUPE_ASSIGN_OR_RETURN(const std::optional<Element> examples, in->next(step));
      if (!examples.has_value()) return std::nullopt;
      return plan->parse(step, *examples);
    });
  });
  dataset->cardinality = plan->input->cardinality;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_parse(KernelRegistry* registry) {
  for (const char* op : {"ParseExampleDataset", "ParseExampleDatasetV2", "ExperimentalParseExampleDataset"}) {
    KernelDef def(op);
    def.factory = with_registry(make_parse, registry, /*cheap=*/true);
    registry->add(std::move(def));
  }
}

}  // namespace troupe
