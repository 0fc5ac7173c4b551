// Partition and stitch, tensor arrays, lists, maps, optionals.

#include "absl/strings/str_cat.h"
#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

void dynamic_partition(Rule& r) {
  GradientScope& scope = r.scope();
  const int n = r.num_outputs();
  Val partitions = r.x(1);
  Val all = scope.op("Range", {scope.int_scalar(0), unary("Size", partitions), scope.int_scalar(1)});
  const std::vector<Val> from = scope.op_outputs(
      "DynamicPartition", {reshape_like(all, partitions), partitions}, {{"num_partitions", n}});
  if (static_cast<int>(from.size()) != n) return;
  r.dx(0, reshape_like(scope.op("ParallelDynamicStitch", {from, r.dys(0, n)}), r.x(0)));
}

void dynamic_stitch(Rule& r) {
  const int n = r.num_inputs() / 2;
  for (int i = 0; i < n; ++i) {
    if (r.wants(n + i)) r.dx(n + i, r.op("GatherV2", {r.dy(), r.x(i), r.int_scalar(0)}));
  }
}

// ---- tensor arrays ----
// The gradient of an array is another array, which the array knows by the name of who asks; gradients of flows say when.

struct ArrayGradient {
  Val handle;
  Val flow;
};

/// The op of that name, of the version that the node has: "", "V2", "V3".
std::string versioned(const Rule& r, absl::string_view name) {
  const std::string& op = r.node().op->name;
  const bool first = op[op.size() - 2] != 'V';
  return absl::StrCat(name, first ? "" : op.substr(op.size() - 2));
}

ArrayGradient gradient_array(Rule& r, Val flow) {
  Val g = r.op(versioned(r, "TensorArrayGrad"), {r.x(0), flow}, {{"source", r.scope().prefix()}});
  if (r.node().op->name.back() == '3') return {g, g[1]};
  // Older ones say only by the order of control edges when they are there.
  return {g, flow};
}

/// Of what takes values out: `op` puts their gradients in.
void array_output(Rule& r, absl::string_view op) {
  const ArrayGradient g = gradient_array(r, r.x(2));
  r.dx(2, r.op(versioned(r, op), {g.handle, r.x(1), r.dy(), g.flow}));
}

/// Of what puts values in: `op` takes their gradients out.
void array_input(Rule& r, absl::string_view op) {
  const ArrayGradient g = gradient_array(r, r.dy());
  if (r.wants(2)) {
    r.dx(2, r.op(versioned(r, op), {g.handle, r.x(1), g.flow}, {{"dtype", r.x(2).dtype()}}));
  }
  r.dx(3, r.dy());
}

void array_read(Rule& r) { array_output(r, "TensorArrayWrite"); }
void array_write(Rule& r) { array_input(r, "TensorArrayRead"); }
void array_gather(Rule& r) { array_output(r, "TensorArrayScatter"); }
void array_scatter(Rule& r) { array_input(r, "TensorArrayGather"); }

void array_concat(Rule& r) {
  const ArrayGradient g = gradient_array(r, r.x(1));
  r.dx(1, r.op(versioned(r, "TensorArraySplit"), {g.handle, r.dy(0), r.y(1), g.flow}));
}

void array_split(Rule& r) {
  const ArrayGradient g = gradient_array(r, r.dy());
  if (r.wants(1)) {
    r.dx(1, r.op(versioned(r, "TensorArrayConcat"), {g.handle, g.flow}, {{"dtype", r.x(1).dtype()}}));
  }
  r.dx(3, r.dy());
}

// ---- lists ----

AttrMap element(const Rule& r) { return {{"element_dtype", r.attr<DataType>("element_dtype")}}; }
Val length(Val list) { return unary("TensorListLength", list); }
Val item_shape(Rule& r, Val list) {
  return r.op("TensorListElementShape", {list}, {{"shape_type", DataType::kInt32}});
}

void list_push_back(Rule& r) {
  Val popped = r.op("TensorListPopBack", {r.dy(), unary("Shape", r.x(1))}, element(r));
  r.dx(0, popped);
  r.dx(1, popped[1]);
}

void list_pop_back(Rule& r) { r.dx(0, r.op("TensorListPushBack", {r.dy(0), r.dy(1)}, element(r))); }

void list_stack(Rule& r) {
  Val shape = r.op("StridedSlice", {unary("Shape", r.dy()), r.ints({1}), r.ints({0}), r.ints({1})},
                   {{"end_mask", 1}});
  r.dx(0, r.op("TensorListFromTensor", {r.dy(), shape}, element(r)));
}

void list_from_tensor(Rule& r) {
  r.dx(0, r.op("TensorListStack", {r.dy(), item_shape(r, r.dy())}, element(r)));
}

void list_get_item(Rule& r) {
  Val empty = r.op("TensorListReserve", {unary("Shape", r.dy()), length(r.x(0))}, element(r));
  r.dx(0, r.op("TensorListSetItem", {empty, r.x(1), r.dy()}, element(r)));
}

void list_set_item(Rule& r) {
  if (r.wants(0)) r.dx(0, r.op("TensorListSetItem", {r.dy(), r.x(1), zeros_like(r.x(2))}, element(r)));
  if (r.wants(2)) r.dx(2, r.op("TensorListGetItem", {r.dy(), r.x(1), unary("Shape", r.x(2))}, element(r)));
}

void list_gather(Rule& r) {
  Val shape = r.op("StridedSlice", {unary("Shape", r.dy()), r.ints({1}), r.ints({0}), r.ints({1})},
                   {{"end_mask", 1}});
  r.dx(0, r.op("TensorListScatterV2", {r.dy(), r.x(1), shape, length(r.x(0))}, element(r)));
}

void list_scatter(Rule& r) {
  r.dx(0, r.op("TensorListGather", {r.dy(), r.x(1), item_shape(r, r.dy())}, element(r)));
}

void list_scatter_into(Rule& r) {
  if (r.wants(0)) {
    r.dx(0, r.op("TensorListScatterIntoExistingList", {r.dy(), zeros_like(r.x(1)), r.x(2)}, element(r)));
  }
  if (r.wants(1)) r.dx(1, r.op("TensorListGather", {r.dy(), r.x(2), item_shape(r, r.dy())}, element(r)));
}

void list_resize(Rule& r) { r.dx(0, r.op("TensorListResize", {r.dy(), length(r.x(0))})); }

/// Outputs: all items one behind the other, their lengths.
void list_concat(Rule& r) {
  Val lengths = r.y(1);
  Val row = r.op("StridedSlice", {unary("Shape", r.dy(0)), r.ints({1}), r.ints({0}), r.ints({1})},
                 {{"end_mask", 1}});
  Val shape = r.op("ConcatV2", {std::vector<Val>{r.ints({-1}), row}, r.int_scalar(0)});
  r.dx(0, r.op("TensorListSplit", {r.dy(0), shape, lengths}, element(r)));
}

void list_split(Rule& r) {
  AttrMap attrs = element(r);
  Val none = r.scope().constant(Tensor(DataType::kInt64, Shape{0}));
  Val row = r.op("StridedSlice", {unary("Shape", r.x(0)), r.ints({1}), r.ints({0}), r.ints({1})},
                 {{"end_mask", 1}});
  Val shape = r.op("ConcatV2", {std::vector<Val>{r.ints({-1}), row}, r.int_scalar(0)});
  r.dx(0, r.op("TensorListConcatV2", {r.dy(), shape, none}, std::move(attrs)));
}

// ---- maps and optionals ----

void map_lookup(Rule& r) {
  Val empty = r.op("EmptyTensorMap", {});
  r.dx(0, r.op("TensorMapInsert", {empty, r.x(1), r.dy()}));
}

void map_insert(Rule& r) {
  Val key = r.x(1);
  if (r.wants(2)) {
    r.dx(2, r.op("TensorMapLookup", {r.dy(), key}, {{"value_dtype", r.x(2).dtype()}}));
  }
  if (r.wants(0)) r.dx(0, r.op("TensorMapErase", {r.dy(), key}, {{"value_dtype", r.x(2).dtype()}}));
}

void map_erase(Rule& r) { r.dx(0, r.dy()); }

void optional_from_value(Rule& r) {
  std::vector<DataType> types;
  std::vector<PartialShape> shapes;
  for (Val v : r.xs(0, r.num_inputs())) {
    types.push_back(v.dtype());
    shapes.push_back(r.shape(v));
  }
  Val parts = r.op("OptionalGetValue", {r.dy()}, {{"output_types", types}, {"output_shapes", shapes}});
  for (int i = 0; i < r.num_inputs(); ++i) r.dx(i, parts[i]);
}

void optional_get_value(Rule& r) { r.dx(0, r.op("OptionalFromValue", {r.dys(0, r.num_outputs())})); }

bool carries_gradient(DataType t) { return is_floating(t) || is_complex(t) || t == DataType::kVariant; }

/// Components that are no numbers of a continuum come back as they were.
void to_components(Rule& r) {
  std::vector<Val> components;
  for (int i = 0; i < r.num_outputs(); ++i) {
    components.push_back(carries_gradient(r.y(i).dtype()) ? r.dy(i) : r.y(i));
  }
  r.dx(0, r.op("CompositeTensorVariantFromComponents", {components}, r.attrs({"metadata"})));
}

void from_components(Rule& r) {
  const Val g = r.op("CompositeTensorVariantToComponents", {r.dy()}, r.attrs({"metadata", "Tcomponents"}));
  for (int i = 0; i < r.num_inputs(); ++i) {
    if (carries_gradient(r.x(i).dtype())) r.dx(i, g[i]);
  }
}

const RuleRow kRows[] = {
    {"CompositeTensorVariantFromComponents", from_components},
    {"CompositeTensorVariantToComponents", to_components},
    {"DynamicPartition", dynamic_partition},
    {"DynamicStitch", dynamic_stitch},
    {"ParallelDynamicStitch", dynamic_stitch},
    {"TensorArrayRead", array_read},
    {"TensorArrayReadV2", array_read},
    {"TensorArrayReadV3", array_read},
    {"TensorArrayWrite", array_write},
    {"TensorArrayWriteV2", array_write},
    {"TensorArrayWriteV3", array_write},
    {"TensorArrayGather", array_gather},
    {"TensorArrayGatherV2", array_gather},
    {"TensorArrayGatherV3", array_gather},
    {"TensorArrayScatter", array_scatter},
    {"TensorArrayScatterV2", array_scatter},
    {"TensorArrayScatterV3", array_scatter},
    {"TensorArrayConcat", array_concat},
    {"TensorArrayConcatV2", array_concat},
    {"TensorArrayConcatV3", array_concat},
    {"TensorArraySplit", array_split},
    {"TensorArraySplitV2", array_split},
    {"TensorArraySplitV3", array_split},
    {"TensorListPushBack", list_push_back},
    {"TensorListPopBack", list_pop_back},
    {"TensorListStack", list_stack},
    {"TensorListFromTensor", list_from_tensor},
    {"TensorListGetItem", list_get_item},
    {"TensorListSetItem", list_set_item},
    {"TensorListGather", list_gather},
    {"TensorListScatter", list_scatter},
    {"TensorListScatterV2", list_scatter},
    {"TensorListScatterIntoExistingList", list_scatter_into},
    {"TensorListResize", list_resize},
    {"TensorListConcat", list_concat},
    {"TensorListConcatV2", list_concat},
    {"TensorListSplit", list_split},
    {"TensorMapLookup", map_lookup},
    {"TensorMapInsert", map_insert},
    {"TensorMapErase", map_erase},
    {"OptionalFromValue", optional_from_value},
    {"OptionalGetValue", optional_get_value},
};

}  // namespace

std::span<const RuleRow> data_flow_rules() { return kRows; }

}  // namespace troupe
