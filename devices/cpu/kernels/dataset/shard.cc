// One worker's share of a dataset: every n-th element, or every n-th of the files that it reads.

#include <map>
#include <set>

#include "absl/strings/match.h"
#include "devices/cpu/kernels/dataset/graph.h"
#include "devices/cpu/kernels/dataset/registry_kernel.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "proto/function.pb.h"
#include "proto/pb.h"

namespace troupe {
namespace {

/// Stands for numbers that AutoShardDataset puts in, under the policy kHint.
constexpr int64_t kShardHint = -1;

struct Share {
  int64_t of = 1;
  int64_t index = 0;
  /// An error when others would get nothing.
  bool others_need_some = false;

  absl::Status too_few() const {
    return invalid(
        "Could not apply FILE based sharding: the dataset only has ", index + 1,
        " file(s), which is not enough for the required ", of,
        " shards/workers. If you are using datasets with distribution strategy, consider setting the auto "
        "sharding policy to either DATA or OFF using the `experimental_distribute.auto_shard_policy` option "
        "of "
        "`tf.data.Options()`. Or, split your input files into a larger number of small files such that "
        "number of "
        "files is greater than number of shards/workers.");
  }
};

/// Every share.of-th element. Used by one thread at a time.
class ShardIterator {
 public:
  ShardIterator(IteratorPtr input, const Share& share) : input_(std::move(input)), share_(share) {}

  NextElement next(const ElementContext& step) {
    if (share_.of == kShardHint) {
      return absl::FailedPreconditionError(
          "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
          "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
          "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data service with "
          "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.");
    }
    while (true) {
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, advance(step));
      if (!element.has_value()) return std::nullopt;
      if ((at_ - 1) % share_.of != share_.index) continue;
      while (share_.others_need_some && at_ < share_.of) {
        TROUPE_ASSIGN_OR_RETURN(const std::optional<Element> other, advance(step));
        if (!other.has_value()) return share_.too_few();
      }
      return element;
    }
  }

 private:
  NextElement advance(const ElementContext& step) {
    TROUPE_RETURN_IF_ERROR(step.check());
    TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(step));
    if (element.has_value()) ++at_;
    return element;
  }

  const IteratorPtr input_;
  const Share share_;
  int64_t at_ = 0;
};

absl::Status output_share(KernelContext& context, const DatasetPtr& input, const Share& share) {
  auto dataset = make_dataset("Shard", {input}, [input, share](const std::string& name) {
    auto shard = std::make_unique<ShardIterator>(input->iterate(name), share);
    return iterator_of([shard = std::move(shard)](const ElementContext& step) { return shard->next(step); });
  });
  const int64_t n = input->cardinality;
  if (share.of > 0) {
    dataset->cardinality = n < 0 ? n : n / share.of + (share.index < n % share.of ? 1 : 0);
    if (input->at != nullptr) {
      dataset->at = [input, share](const ElementContext& step, int64_t i) {
        return input->at(step, i * share.of + share.index);
      };
    }
  }
  dataset->batch_size = input->batch_size;
  return output_dataset(context, std::move(dataset));
}

absl::Status make_shard(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const DatasetPtr input, input_dataset(context, 0));
  Share share;
  TROUPE_ASSIGN_OR_RETURN(share.of, input_count(context, 1, "num_shards"));
  TROUPE_ASSIGN_OR_RETURN(share.index, input_count(context, 2, "index"));
  const bool hint = share.of == kShardHint;
  if (share.of <= 0 && !hint) {
    return invalid("Number of shards must be greater than zero (currently num_shards = ", share.of, ").");
  }
  if (!hint && (share.index < 0 || share.index >= share.of)) {
    return invalid("Index must be between 0 and ", share.of - 1, " (currently index = ", share.index, ").");
  }
  share.others_need_some = context.node().attrs.get_or("require_non_empty", false);
  return output_share(context, input, share);
}

// --- shares of files ---

bool reads_files(absl::string_view op) {
  for (const char* reader : {"TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset"}) {
    if (absl::StartsWith(op, reader)) return true;
  }
  return false;
}

/// Puts "every n-th" before whatever turns names of files into elements.
class FileSharder {
 public:
  FileSharder(Graph* graph, const Share& share) : graph_(graph), share_(share) {}

  /// NotFound when a dataset of this graph comes from no files, or from files whose names are no dataset.
  absl::Status shard(int id) {
    if (!done_.insert(id).second) return absl::OkStatus();
    const Node& node = graph_->node(id);
    if (reads_files(node.op->name)) {
      return absl::NotFoundError(absl::StrCat(
          "Unable to shard this input. You may need to wrap the inputs to your reader dataset in a "
          "TensorSliceDataset. Input node is ",
          node.name));
    }
    if (calls_reader(node.attrs) && !node.inputs.empty()) return insert(id);
    std::vector<int> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const int from = node.inputs[i].node;
      if (node.input_types[i] == DataType::kVariant && !graph_->node(from).is("Const"))
        inputs.push_back(from);
    }
    if (inputs.empty()) {
      return absl::NotFoundError(absl::StrCat("Found an unshardable source dataset: ", node.name));
    }
    for (const int input : inputs) TROUPE_RETURN_IF_ERROR(shard(input));
    return absl::OkStatus();
  }

 private:
  bool calls_reader(const AttrMap& attrs) {
    for (const auto& [name, value] : attrs) {
      const FunctionRef* function = value.get<FunctionRef>();
      if (function != nullptr && function_reads(function->name)) return true;
    }
    return false;
  }
  bool function_reads(const std::string& name) {
    const pb::FunctionDef* def = graph_->library()->find(name);
    if (def == nullptr) return false;
    // A function that calls itself reads nothing by that.
    const auto [known, fresh] = reads_.emplace(name, false);
    if (!fresh) return known->second;
    bool reads = false;
    for (const auto& node : def->node_def()) {
      reads = reads || reads_files(node.op()) || function_reads(node.op());
      for (const auto& [key, value] : node.attr()) {
        reads = reads || (value.has_func() && function_reads(value.func().name()));
      }
    }
    return reads_[name] = reads;
  }
  absl::StatusOr<Endpoint> number(int64_t n) {
    TROUPE_ASSIGN_OR_RETURN(
        Node * node,
        graph_->add_node(graph_->unique_name("ShardNumber"), "Const",
                         {{"dtype", DataType::kInt64}, {"value", Tensor::scalar<int64_t>(n)}}, {}));
    return Endpoint{node->id, 0};
  }
  absl::Status insert(int id) {
    const Endpoint input = graph_->node(id).inputs[0];
    const AttrMap& of_input = graph_->node(input.node).attrs;
    AttrMap attrs = {{"require_non_empty", true}, {"metadata", ""}};
    const char* const types = of_input.contains("Toutput_types") ? "Toutput_types" : "output_types";
    attrs.set("output_types", of_input.get_or(types, std::vector<DataType>{DataType::kString}));
    attrs.set("output_shapes", of_input.get_or("output_shapes", std::vector<PartialShape>{
                                                                    PartialShape(std::vector<int64_t>())}));
    TROUPE_ASSIGN_OR_RETURN(const Endpoint of, number(share_.of));
    TROUPE_ASSIGN_OR_RETURN(const Endpoint index, number(share_.index));
    TROUPE_ASSIGN_OR_RETURN(Node * shard,
                            graph_->add_node(graph_->unique_name("ShardDataset"), "ShardDataset",
                                             std::move(attrs), {input, of, index}));
    graph_->node(id).inputs[0] = Endpoint{shard->id, 0};
    return absl::OkStatus();
  }

  Graph* const graph_;
  const Share share_;
  std::set<int> done_;
  std::map<std::string, bool> reads_;
};

/// Replaces the numbers of shards that are hints. False when there is none.
bool fill_hints(Graph* graph, const Share& share) {
  bool any = false;
  const auto number = [graph](Endpoint e) -> Node& { return graph->node(e.node); };
  for (int id = 0; id < graph->num_ids(); ++id) {
    if (!graph->node(id).is("ShardDataset")) continue;
    const auto& inputs = graph->node(id).inputs;
    const auto of = number(inputs[1]).attrs.get<Tensor>("value");
    if (!of.ok() || of->value<int64_t>() != kShardHint) continue;
    number(inputs[1]).attrs.set("value", Tensor::scalar<int64_t>(share.of));
    number(inputs[2]).attrs.set("value", Tensor::scalar<int64_t>(share.index));
    any = true;
  }
  return any;
}

/// Values of the attr auto_shard_policy.
enum Policy : int64_t { kOff = -1, kAuto = 0, kFile = 1, kData = 2, kHint = 3 };

absl::StatusOr<Tensor> rewritten(KernelContext& context, const KernelRegistry& kernels, const Dataset& input,
                                 Policy policy, const Share& share) {
  TROUPE_ASSIGN_OR_RETURN(const auto library, functions_of_step(context.step().functions));
  TROUPE_ASSIGN_OR_RETURN(Graph graph, graph_of_dataset(input, library));
  const int made = graph.node(graph.num_ids() - 1).inputs[0].node;
  if (policy != kHint) {
    TROUPE_RETURN_IF_ERROR(FileSharder(&graph, share).shard(made));
  } else if (!fill_hints(&graph, share)) {
    return context.input(0);
  }
  return evaluate_dataset_graph(context, kernels, graph);
}

absl::Status make_auto_shard(KernelContext& context, const KernelRegistry& kernels) {
  TROUPE_ASSIGN_OR_RETURN(const DatasetPtr input, input_dataset(context, 0));
  Share share;
  TROUPE_ASSIGN_OR_RETURN(share.of, input_count(context, 1, "num_workers"));
  TROUPE_ASSIGN_OR_RETURN(share.index, input_count(context, 2, "index"));
  if (share.of <= 0) return invalid("num_workers must be greater than zero.");
  if (share.index < 0 || share.index >= share.of)
    return invalid("index must be between 0 and ", share.of - 1);
  const auto policy = static_cast<Policy>(context.node().attrs.get_or<int64_t>("auto_shard_policy", kAuto));
  if (policy == kOff || share.of == 1) {
    context.set_output(0, context.input(0));
    return absl::OkStatus();
  }
  if (policy == kData) return output_share(context, input, share);
  absl::StatusOr<Tensor> by_files = rewritten(context, kernels, *input, policy, share);
  // What cannot be shared out by files is by elements.
  if (!by_files.ok() && policy == kAuto) return output_share(context, input, share);
  TROUPE_RETURN_IF_ERROR(by_files.status());
  context.set_output(0, *std::move(by_files));
  return absl::OkStatus();
}

}  // namespace

void register_dataset_shard(KernelRegistry* registry) {
  registry->add(KernelDef("ShardDataset").fn(make_shard, /*cheap=*/true));
  for (const char* op : {"AutoShardDataset", "ExperimentalAutoShardDataset"}) {
    KernelDef def(op);
    def.factory = with_registry(make_auto_shard, registry);
    registry->add(std::move(def));
  }
}

}  // namespace troupe
