#include <algorithm>
#include <climits>

#include "absl/strings/str_cat.h"
#include "actors/c_api/border.h"
#include "actors/c_api/function.h"
#include "actors/c_api/graph_messages.h"
#include "actors/c_api/graph_to_function.h"
#include "actors/c_api/include/tensorflow/c/c_api_experimental.h"

#include "graph/ir/function_library.h"

#include "proto/function.pb.h"

using troupe::c_api::text;
namespace c_api = troupe::c_api;
namespace pb = ::tensorflow;

namespace {

/// Graphs with functions are for readers that know them.
constexpr int kFunctionsVersion = 12;

template <class Message>
bool parse(const void* proto, size_t length, Message* out) {
  if (proto == nullptr) return length == 0;
  return length <= INT_MAX && out->ParseFromArray(proto, static_cast<int>(length));
}

std::vector<std::string> names_of(const char* const* names, int count) {
  std::vector<std::string> out;
  for (int i = 0; names != nullptr && i < count; ++i) out.emplace_back(text(names[i]));
  return out;
}

template <class T>
std::vector<T> list_of(const T* values, int count) {
  return values == nullptr || count <= 0 ? std::vector<T>() : std::vector<T>(values, values + count);
}

absl::Status copy_function(TF_Graph* graph, const TF_Function* function, const TF_Function* gradient) {
  if (function == nullptr)
    return absl::InvalidArgumentError("'func' argument to TF_GraphCopyFunction cannot be null");
  pb::FunctionDefLibrary added;
  *added.add_function() = function->def;
  if (gradient != nullptr) {
    *added.add_function() = gradient->def;
    auto* link = added.add_gradient();
    link->set_function_name(function->def.signature().name());
    link->set_gradient_func(gradient->def.signature().name());
  }
  std::lock_guard lock(graph->mu);
  for (const pb::FunctionDef& f : added.function()) {
    if (graph->graph.ops().find(f.signature().name()) == nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat("Cannot add function '", f.signature().name(),
                                                   "' because an op with the same name already exists."));
  }
  auto library = std::make_shared<troupe::FunctionLibrary>(*graph->graph.library());
  TROUPE_RETURN_IF_ERROR(library->add(added));
  graph->graph.set_library(std::move(library));
  auto& min_consumer = graph->graph.versions().min_consumer;
  min_consumer = std::max(min_consumer, kFunctionsVersion);
  return absl::OkStatus();
}

/// With the gradient that it has. Operations that call it stay.
absl::Status remove_function(TF_Graph* graph, const std::string& name) {
  std::lock_guard lock(graph->mu);
  if (graph->graph.library()->find(name) == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("Tried to remove non-existent function '", name, "'."));
  pb::FunctionDefLibrary all;
  graph->graph.library()->to_proto(&all);
  auto* functions = all.mutable_function();
  functions->erase(std::remove_if(functions->begin(), functions->end(),
                                  [&](const auto& f) { return f.signature().name() == name; }),
                   functions->end());
  auto* gradients = all.mutable_gradient();
  gradients->erase(std::remove_if(gradients->begin(), gradients->end(),
                                  [&](const auto& g) { return g.function_name() == name; }),
                   gradients->end());
  auto library = std::make_shared<troupe::FunctionLibrary>();
  TROUPE_RETURN_IF_ERROR(library->add(all));
  graph->graph.set_library(std::move(library));
  return absl::OkStatus();
}

}  // namespace

extern "C" {

TF_Function* TF_GraphToFunctionWithControlOutputs(
    const TF_Graph* fn_body, const char* fn_name, unsigned char append_hash_to_fn_name, int num_opers,
    const TF_Operation* const* opers, int ninputs, const TF_Output* inputs, int noutputs,
    const TF_Output* outputs, const char* const* output_names, int ncontrol_outputs,
    const TF_Operation* const* control_outputs, const char* const* control_output_names,
    const TF_FunctionOptions*, const char* description, TF_Status* status) try {
  if (fn_body == nullptr) {
    c_api::set_invalid(status, "The graph is null");
    return nullptr;
  }
  c_api::FunctionRequest request;
  request.name = text(fn_name);
  request.append_hash = append_hash_to_fn_name != 0;
  request.description = text(description);
  request.whole_graph = num_opers == -1;
  request.body = list_of(opers, num_opers);
  request.inputs = list_of(inputs, ninputs);
  request.outputs = list_of(outputs, noutputs);
  request.output_names = names_of(output_names, noutputs);
  request.control_outputs = list_of(control_outputs, ncontrol_outputs);
  request.control_output_names = names_of(control_output_names, ncontrol_outputs);
  auto function = std::make_unique<TF_Function>();
  absl::Status made;
  {
    std::lock_guard lock(const_cast<TF_Graph*>(fn_body)->mu);
    made = graph_to_function(*fn_body, request, &function->def);
  }
  c_api::set_status(status, made);
  return made.ok() ? function.release() : nullptr;
}
TROUPE_BORDER_OR({}, status)

TF_Function* TF_GraphToFunction(const TF_Graph* fn_body, const char* fn_name,
                                unsigned char append_hash_to_fn_name, int num_opers,
                                const TF_Operation* const* opers, int ninputs, const TF_Output* inputs,
                                int noutputs, const TF_Output* outputs, const char* const* output_names,
                                const TF_FunctionOptions* opts, const char* description,
                                TF_Status* status) try {
  return TF_GraphToFunctionWithControlOutputs(fn_body, fn_name, append_hash_to_fn_name, num_opers, opers,
                                              ninputs, inputs, noutputs, outputs, output_names, 0, nullptr,
                                              nullptr, opts, description, status);
}
TROUPE_BORDER_OR({}, status)

const char* TF_FunctionName(TF_Function* func) try {
  if (func == nullptr) return "";
  return func->def.signature().name().c_str();
}
TROUPE_BORDER_OR({}, nullptr)

void TF_FunctionToFunctionDef(TF_Function* func, TF_Buffer* output_func_def, TF_Status* status) try {
  if (func == nullptr) return c_api::set_invalid(status, "The function is null");
  c_api::set_status(status, c_api::message_to_buffer(func->def, output_func_def));
}
TROUPE_BORDER(status)

TF_Function* TF_FunctionImportFunctionDef(const void* proto, size_t proto_len, TF_Status* status) try {
  auto function = std::make_unique<TF_Function>();
  if (!parse(proto, proto_len, &function->def)) {
    c_api::set_invalid(status, "Invalid FunctionDef given to TF_FunctionImportFunctionDef");
    return nullptr;
  }
  c_api::set_status(status, absl::OkStatus());
  return function.release();
}
TROUPE_BORDER_OR({}, status)

void TF_FunctionSetAttrValueProto(TF_Function* func, const char* attr_name, const void* proto,
                                  size_t proto_len, TF_Status* status) try {
  if (func == nullptr) return c_api::set_invalid(status, "The function is null");
  pb::AttrValue value;
  if (!parse(proto, proto_len, &value)) {
    c_api::set_invalid(status, "Unparseable AttrValue proto passed to TF_FunctionSetAttrValueProto");
    return;
  }
  (*func->def.mutable_attr())[text(attr_name)] = std::move(value);
  c_api::set_status(status, absl::OkStatus());
}
TROUPE_BORDER(status)

void TF_FunctionGetAttrValueProto(TF_Function* func, const char* attr_name, TF_Buffer* output_attr_value,
                                  TF_Status* status) try {
  if (func == nullptr) return c_api::set_invalid(status, "The function is null");
  auto it = func->def.attr().find(text(attr_name));
  if (it == func->def.attr().end()) {
    c_api::set_invalid(status, absl::StrCat("Function '", func->def.signature().name(),
                                            "' has no attr named '", text(attr_name), "'."));
    return;
  }
  c_api::set_status(status, c_api::message_to_buffer(it->second, output_attr_value));
}
TROUPE_BORDER(status)

void TF_DeleteFunction(TF_Function* func) { delete func; }

void TF_GraphCopyFunction(TF_Graph* g, const TF_Function* func, const TF_Function* grad,
                          TF_Status* status) try {
  if (g == nullptr) return c_api::set_invalid(status, "The graph is null");
  c_api::set_status(status, copy_function(g, func, grad));
}
TROUPE_BORDER(status)

void TF_GraphRemoveFunction(TF_Graph* g, const char* func_name, TF_Status* status) try {
  if (g == nullptr) return c_api::set_invalid(status, "The graph is null");
  c_api::set_status(status, remove_function(g, text(func_name)));
}
TROUPE_BORDER(status)

int TF_GraphNumFunctions(TF_Graph* g) try {
  if (g == nullptr) return 0;
  std::lock_guard lock(g->mu);
  return static_cast<int>(g->graph.library()->size());
}
TROUPE_BORDER_OR({}, nullptr)

int TF_GraphGetFunctions(TF_Graph* g, TF_Function** funcs, int max_func, TF_Status* status) try {
  if (g == nullptr) {
    c_api::set_invalid(status, "The graph is null");
    return 0;
  }
  std::lock_guard lock(g->mu);
  const auto& library = *g->graph.library();
  int count = 0;
  for (const std::string& name : library.names()) {
    if (funcs == nullptr || count >= max_func) break;
    funcs[count++] = new TF_Function{*library.find(name)};
  }
  c_api::set_status(status, absl::OkStatus());
  return count;
}
TROUPE_BORDER_OR({}, status)

}  // extern "C"
