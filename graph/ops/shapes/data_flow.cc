// Queues, tables, stacks, tensor arrays, staging areas, accumulators, and what splits and joins data by partitions.

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

/// What is known behind the handle of input 0, one entry per output; null otherwise.
const HandleShapes* components(const ShapeContext& c) {
  const HandleShapes* handle = c.input_handle(0);
  return handle != nullptr && static_cast<int>(handle->size()) == c.num_outputs() ? handle : nullptr;
}

absl::Status dequeue(ShapeContext& c) {
  const HandleShapes* handle = components(c);
  for (int i = 0; handle != nullptr && i < c.num_outputs(); ++i) c.set_output(i, (*handle)[i].second);
  return absl::OkStatus();
}

absl::Status dequeue_many(ShapeContext& c) {
  const HandleShapes* handle = components(c);
  if (handle == nullptr) return absl::OkStatus();
  int64_t n = kUnknownDim;
  if (!absl::StrContains(c.op().name, "UpTo")) {
    TROUPE_ASSIGN_OR_RETURN(n, dim_from_input(c, 1));
  }
  for (int i = 0; i < c.num_outputs(); ++i)
    c.set_output(i, concatenate(PartialShape({n}), (*handle)[i].second));
  return absl::OkStatus();
}

absl::Status dynamic_partition(ShapeContext& c) {
  const PartialShape& partitions = c.input(1);
  if (!partitions.known_rank()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(PartialShape data, merge_prefix(c.input(0), partitions));
  const PartialShape out = concatenate(PartialShape({kUnknownDim}), subshape(data, partitions.rank()));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, out);
  return absl::OkStatus();
}

absl::Status dynamic_stitch(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(int64_t n, c.attr<int64_t>("N"));
  if (n < 1 || c.num_inputs() != 2 * n) return invalid("DynamicStitch needs as much data as indices");
  bool all_known = true;
  int64_t last = -1;
  PartialShape extra;
  for (int i = 0; i < n; ++i) {
    const PartialShape &indices = c.input(i), &data = c.input(static_cast<int>(n) + i);
    if (!indices.known_rank()) {
      all_known = false;
      continue;
    }
    TROUPE_ASSIGN_OR_RETURN(PartialShape merged, merge_prefix(data, indices));
    TROUPE_ASSIGN_OR_RETURN(extra, merge(extra, subshape(merged, indices.rank())));
    const auto values = c.all_ints(i);
    if (!values) {
      all_known = false;
      continue;
    }
    for (int64_t v : *values) last = std::max(last, v);
  }
  if (last == std::numeric_limits<int64_t>::max()) return invalid("DynamicStitch: an index is too large");
  c.set_output(0, concatenate(PartialShape({all_known ? last + 1 : kUnknownDim}), extra));
  return absl::OkStatus();
}

absl::Status tensor_array(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 0).status());
  c.set_output(0, PartialShape({2}));
  c.set_output(1, PartialShape(Dims()));
  TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("dtype"));
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, c.attr<PartialShape>("element_shape"));
  if (element.fully_defined() || c.attrs().get_or<bool>("identical_element_shapes", false)) {
    c.set_output_handle(0, {{dtype, std::move(element)}});
  }
  return absl::OkStatus();
}

/// The element shape that the handle tells; unknown rank when it does not.
PartialShape element_shape(const ShapeContext& c) {
  const HandleShapes* handle = c.input_handle(0);
  return handle == nullptr || handle->empty() ? PartialShape() : (*handle)[0].second;
}

absl::Status check_array(const ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape handle, with_rank(c.input(0), 1));
  return with_value(dim_of(handle, 0), 2).status();
}

absl::Status tensor_array_grad(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_array(c));
  c.set_output(0, PartialShape({2}));
  c.set_output(1, PartialShape(Dims()));
  if (const HandleShapes* handle = c.input_handle(0)) c.set_output_handle(0, *handle);
  return absl::OkStatus();
}

absl::Status tensor_array_write(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_array(c));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(3), 0).status());
  TROUPE_RETURN_IF_ERROR(merge(element_shape(c), c.input(2)).status());
  return scalar(c);
}

absl::Status tensor_array_read(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_array(c));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(2), 0).status());
  c.set_output(0, element_shape(c));
  return absl::OkStatus();
}

absl::Status tensor_array_gather(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_array(c));
  TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(2), 0).status());
  TROUPE_ASSIGN_OR_RETURN(PartialShape element, c.attr<PartialShape>("element_shape"));
  if (c.input_handle(0) != nullptr) element = element_shape(c);
  c.set_output(0, concatenate(indices, element));
  return absl::OkStatus();
}

absl::Status tensor_array_scatter(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_array(c));
  TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(3), 0).status());
  const PartialShape& value = c.input(2);
  if (value.rank() == 0) return invalid("Shape must be at least rank 1 but is rank 0");
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(indices, 0), dim_of(value, 0)).status());
  TROUPE_RETURN_IF_ERROR(merge(element_shape(c), subshape(value, 1)).status());
  return scalar(c);
}

constexpr ShapeRow kRows[] = {
    // Queues by reference: a handle is two strings.
    {"FIFOQueue", rule<"-> [2]">},
    {"PaddingFIFOQueue", rule<"-> [2]">},
    {"PriorityQueue", rule<"-> [2]">},
    {"RandomShuffleQueue", rule<"-> [2]">},
    {"QueueEnqueue", no_outputs},
    {"QueueEnqueueMany", no_outputs},
    {"QueueDequeue", unknown},
    {"QueueDequeueMany", unknown},
    {"QueueDequeueUpTo", unknown},
    {"QueueClose", rule<"[2]">},
    {"QueueSize", rule<"[2] -> []">},
    {"QueueIsClosed", scalar},
    {"FIFOQueueV2", scalar},
    {"PaddingFIFOQueueV2", scalar},
    {"PriorityQueueV2", scalar},
    {"RandomShuffleQueueV2", scalar},
    {"QueueEnqueueV2", no_outputs},
    {"QueueEnqueueManyV2", no_outputs},
    {"QueueDequeueV2", dequeue},
    {"QueueDequeueManyV2", dequeue_many},
    {"QueueDequeueUpToV2", dequeue_many},
    {"QueueCloseV2", no_outputs},
    {"QueueSizeV2", unchanged},
    {"QueueIsClosedV2", scalar},
    // Barriers and accumulators.
    {"Barrier", rule<"-> [2]">},
    {"BarrierClose", rule<"[2]">},
    {"BarrierIncompleteSize", rule<"[2] -> []">},
    {"BarrierReadySize", rule<"[2] -> []">},
    {"BarrierInsertMany", rule<"[2] [n] [n,*]">},
    {"BarrierTakeMany", unknown},
    {"ConditionalAccumulator", rule<"-> [2]">},
    {"SparseConditionalAccumulator", rule<"-> [2]">},
    {"AccumulatorApplyGradient", rule<"* []">},
    {"AccumulatorNumAccumulated", scalar},
    {"AccumulatorSetGlobalStep", rule<"* []">},
    {"AccumulatorTakeGradient", rule<"* [] -> *">},
    // Tables.
    {"HashTable", rule<"-> [2]">},
    {"MutableHashTable", rule<"-> [2]">},
    {"HashTableV2", scalar},
    {"MutableHashTableV2", scalar},
    {"MutableDenseHashTableV2", scalar},
    {"InitializeTable", rule<"[2] [n] [n]">},
    {"InitializeTableV2", rule<"[] [n] [n]">},
    {"InitializeTableFromTextFile", rule<"[2] []">},
    {"InitializeTableFromTextFileV2", rule<"[] []">},
    {"LookupTableFind", rule<"[2] * <=1 -> *">},
    {"LookupTableFindV2", rule<"[] * * -> *">},
    {"LookupTableInsertV2", rule<"[]">},
    {"LookupTableRemoveV2", rule<"[]">},
    {"LookupTableImportV2", rule<"[] [n] [n,*]">},
    {"LookupTableExportV2", rule<"[] -> * *">},
    {"LookupTableSize", rule<"[2] -> []">},
    {"LookupTableSizeV2", rule<"[] -> []">},
    // Stacks.
    {"Stack", rule<"-> [2]">},
    {"StackV2", rule<"* -> [2]">},
    {"StackPush", rule<"* S -> S">},
    {"StackPushV2", rule<"* S -> S">},
    {"StackPop", unknown},
    {"StackPopV2", unknown},
    {"StackClose", rule<"[2]">},
    {"StackCloseV2", rule<"[2]">},
    // Tensor arrays.
    {"TensorArrayV3", tensor_array},
    {"TensorArrayGradV3", tensor_array_grad},
    {"TensorArrayWriteV3", tensor_array_write},
    {"TensorArrayReadV3", tensor_array_read},
    {"TensorArrayGatherV3", tensor_array_gather},
    {"TensorArrayScatterV3", tensor_array_scatter},
    {"TensorArrayConcatV3", rule<"[2] [] -> * [?]">},
    {"TensorArraySplitV3", rule<"[2] * [?] [] -> []">},
    {"TensorArraySizeV3", rule<"[2] * -> []">},
    {"TensorArrayCloseV3", rule<"[2]">},
    // Staging areas.
    {"Stage", no_outputs},
    {"StageClear", no_outputs},
    {"StageSize", scalar},
    {"StagePeek", unknown},
    {"Unstage", unknown},
    // Partitions.
    {"DynamicPartition", dynamic_partition},
    {"DynamicStitch", dynamic_stitch},
    {"ParallelDynamicStitch", dynamic_stitch},
    // Session tensors.
    {"GetSessionHandle", scalar},
    {"GetSessionHandleV2", scalar},
    {"GetSessionTensor", rule<"[] -> *">},
    {"DeleteSessionTensor", rule<"[]">},
};

}  // namespace

absl::Status register_data_flow_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
