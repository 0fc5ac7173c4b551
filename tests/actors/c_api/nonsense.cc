#include "tests/actors/c_api/nonsense.h"

#include <algorithm>
#include <cstring>

#include "tests/actors/c_api/nonsense_calls.h"

namespace c_test {
namespace {

/// GraphDef { node { name: "imported" op: "NoOp" } }
const std::string kGraphDef("\x0a\x10\x0a\x08imported\x12\x04NoOp", 18);
/// FunctionDef { signature { name: "F" } }
const std::string kFunctionDef(
    "\x0a\x03\x0a\x01"
    "F",
    5);
const std::string kLongText(300, 'a');

TF_OperationDescription* add_placeholder(TF_Graph* graph, const char* name) {
  TF_OperationDescription* d = TF_NewOperation(graph, "Placeholder", name);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  return d;
}

}  // namespace

World::World()
    : status_(TF_NewStatus()), graph_(TF_NewGraph()), other_(TF_NewGraph()),
      options_(TF_NewSessionOptions()) {
  TF_Operation* x = TF_FinishOperation(add_placeholder(graph_, "x"), status_);
  TF_Operation* add = add_op(graph_, "AddV2", "add", {{x, 0}, {x, 0}});
  TF_Operation* none = add_op(graph_, "NoOp", "none", {});
  TF_Operation* far = TF_FinishOperation(add_placeholder(other_, "far"), status_);
  operations_ = {nullptr, x, add, none, far};
  session_ = TF_NewSession(graph_, options_, status_);
  closed_ = TF_NewSession(graph_, options_, status_);
  TF_CloseSession(closed_, status_);
  old_session_ = TF_NewDeprecatedSession(options_, status_);
  old_closed_ = TF_NewDeprecatedSession(options_, status_);
  TF_CloseDeprecatedSession(old_closed_, status_);
  function_ = TF_FunctionImportFunctionDef(kFunctionDef.data(), kFunctionDef.size(), status_);
  devices_ = TF_SessionListDevices(session_, status_);
  TF_Buffer* ops = TF_GetAllOpList();
  definitions_ = TF_NewApiDefMap(ops, status_);
  TF_DeleteBuffer(ops);
  BufferPtr graph_def = buffer_of(kGraphDef);
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  results_ = TF_GraphImportGraphDefWithResults(graph_, graph_def.get(), options, status_);
  TF_DeleteImportGraphDefOptions(options);
  EXPECT_EQ(TF_GetCode(status_), TF_OK) << TF_Message(status_);
}

World::~World() {
  TF_DeleteImportGraphDefResults(results_);
  TF_DeleteApiDefMap(definitions_);
  TF_DeleteDeviceList(devices_);
  TF_DeleteFunction(function_);
  for (TF_DeprecatedSession* s : {old_session_, old_closed_}) TF_DeleteDeprecatedSession(s, status_);
  for (TF_Session* s : {session_, closed_}) TF_DeleteSession(s, status_);
  TF_DeleteSessionOptions(options_);
  TF_DeleteGraph(graph_);
  TF_DeleteGraph(other_);
  TF_DeleteStatus(status_);
}

TF_Operation* World::add_op(TF_Graph* graph, const char* op, const char* name,
                            const std::vector<TF_Output>& inputs) {
  TF_OperationDescription* d = TF_NewOperation(graph, op, name);
  for (TF_Output in : inputs) TF_AddInput(d, in);
  return TF_FinishOperation(d, status_);
}

Draw::~Draw() {
  for (const auto& give : returned_) give();
  Status status(TF_NewStatus());
  for (TF_OperationDescription* d : descriptions_) TF_FinishOperation(d, status.get());
  for (TF_Tensor* t : tensors_) TF_DeleteTensor(t);
  for (TF_Buffer* b : buffers_) TF_DeleteBuffer(b);
  for (TF_ImportGraphDefOptions* o : import_options_) TF_DeleteImportGraphDefOptions(o);
}

void Draw::give_back(TF_Tensor* tensor) {
  // One of the inputs may have been put there.
  if (std::find(tensors_.begin(), tensors_.end(), tensor) == tensors_.end()) TF_DeleteTensor(tensor);
}

TF_Output Draw::output() { return {operation(), one_of<int>({-1, 0, 0, 1, 7, INT32_MIN})}; }

TF_Tensor* Draw::tensor() {
  if (null()) return nullptr;
  const int64_t two = 2;
  switch (next(3)) {
    case 0: tensors_.push_back(TF_AllocateTensor(TF_FLOAT, nullptr, 0, sizeof(float))); break;
    case 1: tensors_.push_back(TF_AllocateTensor(TF_INT32, &two, 1, 2 * sizeof(int32_t))); break;
    default: tensors_.push_back(TF_AllocateTensor(TF_STRING, &two, 1, 2 * sizeof(TF_TString))); break;
  }
  TF_Tensor* made = tensors_.back();
  if (TF_TensorType(made) != TF_STRING) std::memset(TF_TensorData(made), 0, TF_TensorByteSize(made));
  return made;
}

TF_Buffer* Draw::buffer() {
  if (null()) return nullptr;
  switch (next(3)) {
    case 0: buffers_.push_back(TF_NewBuffer()); break;
    case 1: buffers_.push_back(TF_NewBufferFromString(kGraphDef.data(), kGraphDef.size())); break;
    default: buffers_.push_back(TF_NewBufferFromString("\xff\xff\xff\xff", 4)); break;
  }
  return buffers_.back();
}

const char* Draw::text() {
  const char* text = one_of<const char*>(
      {nullptr, "", "x", "add", "T", "value", "dtype", "no such", "a/b:0", "\xff\xfe", kLongText.c_str()});
  if (text == nullptr) return nullptr;
  // Whatever length is said to go with it, there is that much.
  auto padded = std::make_shared<std::string>(text);
  padded->resize(std::max<size_t>(padded->size(), 64));
  kept_.push_back(padded);
  return padded->data();
}

const void* Draw::bytes() {
  if (null()) return nullptr;
  auto storage = std::make_shared<std::array<char, 64>>();
  storage->fill(static_cast<char>(next(2) * 255));
  kept_.push_back(storage);
  return storage->data();
}

void dispose(TF_Graph* graph) { TF_DeleteGraph(graph); }
void dispose(TF_Tensor* tensor) { TF_DeleteTensor(tensor); }
void dispose(TF_Buffer* buffer) { TF_DeleteBuffer(buffer); }
void dispose(TF_Function* function) { TF_DeleteFunction(function); }
void dispose(TF_SessionOptions* options) { TF_DeleteSessionOptions(options); }
void dispose(TF_ImportGraphDefOptions* options) { TF_DeleteImportGraphDefOptions(options); }
void dispose(TF_ImportGraphDefResults* results) { TF_DeleteImportGraphDefResults(results); }
void dispose(TF_DeviceList* list) { TF_DeleteDeviceList(list); }
void dispose(TF_ApiDefMap* map) { TF_DeleteApiDefMap(map); }
void dispose(TF_Library* library) { TF_DeleteLibraryHandle(library); }

void dispose(TF_Session* session) {
  Status status(TF_NewStatus());
  TF_DeleteSession(session, status.get());
}

void dispose(TF_DeprecatedSession* session) {
  Status status(TF_NewStatus());
  TF_DeleteDeprecatedSession(session, status.get());
}

void dispose(TF_OperationDescription* description) {
  Status status(TF_NewStatus());
  TF_FinishOperation(description, status.get());
}

void dispose(TF_WhileParams params) { TF_AbortWhile(&params); }

}  // namespace c_test
