#include <algorithm>
#include <climits>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/c_api/border.h"
#include "actors/c_api/graph_messages.h"

#include "graph/ir/attr_proto.h"
#include "graph/tensor/tensor_proto.h"

#include "proto/attr_value.pb.h"
#include "proto/node_def.pb.h"
#include "proto/tensor_shape.pb.h"

// What language bindings change in a graph after it was made. A session that has taken over a node sees what changes in
// it afterwards when it is next extended.

using troupe::Endpoint;
using troupe::Node;
using troupe::c_api::text;
namespace c_api = troupe::c_api;
using c_api::check_operation;
using c_api::check_output;
namespace pb = ::tensorflow;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

namespace {

/// What sessions that have the node get only with the whole graph; so do those that lack it when its attrs, by which an
/// increment types it, may not fit any more.
void note_change(TF_Graph* graph, int id, bool retyped = false) {
  if (id < graph->num_extended || retyped) ++graph->num_changes;
}

Node& mutable_node(TF_Graph* graph, const TF_Operation* oper, bool retyped = false) {
  note_change(graph, oper->id, retyped);
  return graph->graph.node(oper->id);
}

/// Whether the op itself has this attr.
bool is_own_attr(const TF_Operation* oper, absl::string_view name) {
  return oper->node->op->find_attr(name) != nullptr;
}

void drop_use(TF_Graph* graph, int producer, int user, int slot) {
  auto& uses = graph->consumers[producer];
  uses.erase(std::remove_if(uses.begin(), uses.end(),
                            [&](const auto& u) { return u.node == user && u.slot == slot; }),
             uses.end());
}

/// The shape as a message, for errors.
std::string shape_text(const troupe::PartialShape& shape) {
  return shape.known_rank() ? shape.to_string() : "?";
}

absl::Status update_edge(TF_Graph* graph, const TF_Output& source, const TF_Input& target) {
  std::lock_guard lock(graph->mu);
  TROUPE_RETURN_IF_ERROR(check_operation(*graph, source.oper));
  TROUPE_RETURN_IF_ERROR(check_operation(*graph, target.oper));
  Node& n = mutable_node(graph, target.oper);
  const int outputs = source.oper->node->num_outputs();
  if (source.index < 0 || source.index >= outputs) {
    return absl::OutOfRangeError(absl::StrCat("Cannot update edge. Output index [", source.index,
                                              "] is greater than the number of total outputs [", outputs,
                                              "]."));
  }
  if (target.index < 0 || target.index >= n.num_inputs()) {
    return absl::OutOfRangeError(absl::StrCat("Cannot update edge. Input index [", target.index,
                                              "] is greater than the number of total inputs [",
                                              n.num_inputs(), "]."));
  }
  const Endpoint from = c_api::endpoint_of(source), before = n.inputs[target.index];
  if (!graph->shapes->shape(from).compatible_with(graph->shapes->shape(before))) {
    return absl::InvalidArgumentError(
        absl::StrCat("Cannot update edge, incompatible shapes: ", shape_text(graph->shapes->shape(from)),
                     " and ", shape_text(graph->shapes->shape(before)), "."));
  }
  const auto has = graph->graph.type_of(from), wants = n.input_types[target.index];
  if (base_type(has) != base_type(wants)) {
    return absl::InvalidArgumentError(absl::StrCat("Cannot update edge, input ", target.index, " of node ",
                                                   n.name, " is ", dtype_name(wants), ", not ",
                                                   dtype_name(has), "."));
  }
  drop_use(graph, before.node, n.id, target.index);
  n.inputs[target.index] = from;
  graph->updated_inputs.insert({n.id, target.index});
  graph->consumers[from.node].push_back({n.id, target.index, from.slot});
  return absl::OkStatus();
}

/// Another input for a While whose "T" tells of it already.
absl::Status add_while_input(TF_Graph* graph, const TF_Output& source, TF_Operation* loop) {
  std::lock_guard lock(graph->mu);
  TROUPE_RETURN_IF_ERROR(check_output(*graph, source));
  TROUPE_RETURN_IF_ERROR(check_operation(*graph, loop));
  Node& n = mutable_node(graph, loop);
  if (n.op->name != "While" && n.op->name != "StatelessWhile") {
    return absl::InternalError(
        absl::StrCat("dst argument to AddWhileEdgeHack should be a While op, got: ", n.op->name));
  }
  std::vector<troupe::DataType> inputs, outputs;
  TROUPE_RETURN_IF_ERROR(op_types(*n.op, n.attrs, &inputs, &outputs));
  const size_t slot = n.inputs.size();
  if (slot >= inputs.size() || base_type(graph->graph.type_of(c_api::endpoint_of(source))) != inputs[slot]) {
    return absl::InvalidArgumentError(
        absl::StrCat("The attr 'T' of node ", n.name, " does not tell of an input ", slot, " of type ",
                     dtype_name(graph->graph.type_of(c_api::endpoint_of(source)))));
  }
  n.inputs.push_back(c_api::endpoint_of(source));
  n.input_types.assign(inputs.begin(), inputs.begin() + slot + 1);
  n.output_types.assign(outputs.begin(), outputs.end());
  graph->consumers[source.oper->id].push_back({n.id, static_cast<int>(slot), source.index});
  graph->shapes->add(n).IgnoreError();
  return absl::OkStatus();
}

absl::Status set_attr(TF_Graph* graph, TF_Operation* oper, const char* name, const TF_Buffer* proto) {
  pb::AttrValue message;
  if (proto == nullptr || proto->length > INT_MAX ||
      !message.ParseFromArray(proto->data, static_cast<int>(proto->length))) {
    return absl::InvalidArgumentError("Invalid AttrValue proto");
  }
  TROUPE_ASSIGN_OR_RETURN(troupe::AttrValue value, troupe::from_proto(message));
  std::lock_guard lock(graph->mu);
  TROUPE_RETURN_IF_ERROR(check_operation(*graph, oper));
  mutable_node(graph, oper, is_own_attr(oper, text(name))).attrs.set(text(name), std::move(value));
  return absl::OkStatus();
}

// CppShapeInferenceResult.HandleData: 1 is_set (bool), 2 shape_and_type (repeated: 1 shape, 2 dtype).
constexpr uint32_t kVarint = 0, kBytes = 2;
constexpr uint32_t tag(uint32_t field, uint32_t wire) { return field << 3 | wire; }

std::string handle_to_bytes(const troupe::HandleShapes& shapes) {
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  CodedOutputStream coded(&stream);
  coded.WriteTag(tag(1, kVarint));
  coded.WriteVarint32(1);
  for (const auto& [dtype, shape] : shapes) {
    pb::TensorShapeProto proto;
    troupe::to_proto(shape, &proto);
    const std::string bytes = proto.SerializeAsString();
    const uint32_t number = static_cast<uint32_t>(dtype);
    const size_t length = 1 + CodedOutputStream::VarintSize32(static_cast<uint32_t>(bytes.size())) +
                          bytes.size() + 1 + CodedOutputStream::VarintSize32(number);
    coded.WriteTag(tag(2, kBytes));
    coded.WriteVarint32(static_cast<uint32_t>(length));
    coded.WriteTag(tag(1, kBytes));
    coded.WriteVarint32(static_cast<uint32_t>(bytes.size()));
    coded.WriteString(bytes);
    coded.WriteTag(tag(2, kVarint));
    coded.WriteVarint32(number);
  }
  return out;
}

/// Reads over a field that is of no interest here.
bool skip_field(CodedInputStream* in, uint32_t t) {
  uint64_t number;
  uint32_t length;
  switch (t & 7) {
    case 0: return in->ReadVarint64(&number);
    case 1: return in->Skip(8);
    case 2: return in->ReadVarint32(&length) && length <= INT_MAX && in->Skip(static_cast<int>(length));
    case 5: return in->Skip(4);
    default: return false;
  }
}

bool read_bytes(CodedInputStream* in, std::string* out) {
  uint32_t length;
  return in->ReadVarint32(&length) && length <= INT_MAX && in->ReadString(out, static_cast<int>(length));
}

/// One shape_and_type.
bool read_component(const std::string& bytes, pb::TensorShapeProto* shape, uint32_t* dtype) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  while (const uint32_t t = in.ReadTag()) {
    std::string inner;
    bool ok = true;
    if (t == tag(1, kBytes)) {
      ok = read_bytes(&in, &inner) && shape->ParseFromString(inner);
    } else if (t == tag(2, kVarint)) {
      ok = in.ReadVarint32(dtype);
    } else {
      ok = skip_field(&in, t);
    }
    if (!ok) return false;
  }
  return in.ConsumedEntireMessage();
}

/// Nothing when `is_set` is false.
absl::StatusOr<std::optional<troupe::HandleShapes>> handle_from_bytes(const void* data, size_t length) {
  const absl::Status unreadable = absl::InvalidArgumentError("Couldn't deserialize HandleData proto");
  if (length > INT_MAX) return unreadable;
  CodedInputStream in(static_cast<const uint8_t*>(data), static_cast<int>(length));
  uint32_t is_set = 0;
  troupe::HandleShapes shapes;
  while (const uint32_t t = in.ReadTag()) {
    if (t == tag(1, kVarint)) {
      if (!in.ReadVarint32(&is_set)) return unreadable;
    } else if (t == tag(2, kBytes)) {
      std::string bytes;
      pb::TensorShapeProto proto;
      uint32_t dtype = 0;
      if (!read_bytes(&in, &bytes) || !read_component(bytes, &proto, &dtype)) return unreadable;
      TROUPE_ASSIGN_OR_RETURN(troupe::PartialShape shape, troupe::from_proto(proto));
      TROUPE_ASSIGN_OR_RETURN(troupe::DataType type, troupe::dtype_from_wire(static_cast<int>(dtype)));
      shapes.emplace_back(type, std::move(shape));
    } else if (!skip_field(&in, t)) {
      return unreadable;
    }
  }
  if (!in.ConsumedEntireMessage()) return unreadable;
  if (is_set == 0) return std::optional<troupe::HandleShapes>();
  return std::make_optional(std::move(shapes));
}

absl::Status set_handle(TF_Graph* graph, const TF_Output& output, const void* proto, size_t length) {
  TROUPE_ASSIGN_OR_RETURN(auto shapes, handle_from_bytes(proto, length));
  std::lock_guard lock(graph->mu);
  TROUPE_RETURN_IF_ERROR(check_output(*graph, output));
  return shapes ? graph->shapes->set_handle(c_api::endpoint_of(output), *std::move(shapes))
                : absl::OkStatus();
}

}  // namespace

extern "C" {

void TF_UpdateEdge(TF_Graph* graph, TF_Output new_src, TF_Input dst, TF_Status* status) try {
  if (graph == nullptr) return c_api::set_invalid(status, "The graph is null");
  c_api::set_status(status, update_edge(graph, new_src, dst));
}
TROUPE_BORDER(status)

void TF_AddWhileInputHack(TF_Graph* graph, TF_Output new_src, TF_Operation* dst, TF_Status* status) try {
  if (graph == nullptr) return c_api::set_invalid(status, "The graph is null");
  c_api::set_status(status, add_while_input(graph, new_src, dst));
}
TROUPE_BORDER(status)

void TF_AddOperationControlInput(TF_Graph* graph, TF_Operation* op, TF_Operation* input) try {
  if (graph == nullptr) return;
  std::lock_guard lock(graph->mu);
  if (!graph->owns(op) || !graph->owns(input)) return;
  const size_t before = op->node->control_inputs.size();
  graph->graph.add_control_input(op->id, input->id);
  note_change(graph, op->id);
  if (op->node->control_inputs.size() > before) graph->consumers[input->id].push_back({op->id, -1, -1});
}
TROUPE_BORDER(nullptr)

void TF_RemoveAllControlInputs(TF_Graph* graph, TF_Operation* op) try {
  if (graph == nullptr) return;
  std::lock_guard lock(graph->mu);
  if (!graph->owns(op)) return;
  Node& n = mutable_node(graph, op);
  for (int c : n.control_inputs) drop_use(graph, c, n.id, -1);
  n.control_inputs.clear();
}
TROUPE_BORDER(nullptr)

void TF_SetAttr(TF_Graph* graph, TF_Operation* op, const char* attr_name, TF_Buffer* attr_value_proto,
                TF_Status* status) try {
  if (graph == nullptr) return c_api::set_invalid(status, "The graph is null");
  c_api::set_status(status, set_attr(graph, op, attr_name, attr_value_proto));
}
TROUPE_BORDER(status)

void TF_ClearAttr(TF_Graph* graph, TF_Operation* op, const char* attr_name, TF_Status* status) try {
  if (graph == nullptr) return c_api::set_invalid(status, "The graph is null");
  std::lock_guard lock(graph->mu);
  const absl::Status checked = check_operation(*graph, op);
  if (checked.ok()) {
    mutable_node(graph, op, is_own_attr(op, text(attr_name))).attrs.erase(text(attr_name));
  }
  c_api::set_status(status, checked);
}
TROUPE_BORDER(status)

void TF_SetFullType(TF_Graph* graph, TF_Operation* op, const TF_Buffer* full_type_proto) try {
  if (graph == nullptr) return;
  pb::NodeDef extras;
  if (full_type_proto == nullptr || full_type_proto->length > INT_MAX ||
      !extras.mutable_experimental_type()->ParseFromArray(full_type_proto->data,
                                                          static_cast<int>(full_type_proto->length))) {
    return;
  }
  std::lock_guard lock(graph->mu);
  if (!graph->owns(op)) return;
  pb::NodeDef all;
  std::string& carried = graph->carried[op->id];
  if (all.ParseFromString(carried) && all.has_experimental_debug_info())
    *extras.mutable_experimental_debug_info() = all.experimental_debug_info();
  carried = extras.SerializeAsString();
}
TROUPE_BORDER(nullptr)

void TF_SetRequestedDevice(TF_Graph* graph, TF_Operation* op, const char* device) try {
  if (graph == nullptr) return;
  std::lock_guard lock(graph->mu);
  if (graph->owns(op)) mutable_node(graph, op).requested_device = text(device);
}
TROUPE_BORDER(nullptr)

void TF_SetRequireShapeInferenceFns(TF_Graph* graph, bool require) try {
  if (graph == nullptr) return;
  std::lock_guard lock(graph->mu);
  graph->require_shape_functions = require;
}
TROUPE_BORDER(nullptr)

TF_Buffer* TF_GetHandleShapeAndType(TF_Graph* graph, TF_Output output) try {
  if (graph == nullptr) return nullptr;
  std::string bytes;
  {
    std::lock_guard lock(graph->mu);
    const auto* known =
        check_output(*graph, output).ok() ? &graph->shapes->known(c_api::endpoint_of(output)) : nullptr;
    if (known != nullptr && known->handle != nullptr) bytes = handle_to_bytes(*known->handle);
  }
  return TF_NewBufferFromString(bytes.data(), bytes.size());
}
TROUPE_BORDER_OR({}, nullptr)

void TF_SetHandleShapeAndType(TF_Graph* graph, TF_Output output, const void* proto, size_t proto_len,
                              TF_Status* status) try {
  if (graph == nullptr) return c_api::set_invalid(status, "The graph is null");
  if (proto == nullptr && proto_len > 0) return c_api::set_invalid(status, "The message is null");
  c_api::set_status(status, set_handle(graph, output, proto, proto_len));
}
TROUPE_BORDER(status)

}  // extern "C"
