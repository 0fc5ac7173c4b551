#include "tests/actors/c_api/c_graph.h"

#include <cstring>

namespace c_test {

TensorPtr float_tensor(const std::vector<int64_t>& dims, const std::vector<float>& values) {
  TensorPtr t(
      TF_AllocateTensor(TF_FLOAT, dims.data(), static_cast<int>(dims.size()), values.size() * sizeof(float)));
  std::memcpy(TF_TensorData(t.get()), values.data(), values.size() * sizeof(float));
  return t;
}

TensorPtr float_scalar(float value) { return float_tensor({}, {value}); }

std::vector<float> floats(const TF_Tensor* t) {
  if (t == nullptr) return {};
  const float* data = static_cast<const float*>(TF_TensorData(t));
  return std::vector<float>(data, data + TF_TensorElementCount(t));
}

std::string bytes_of(const TF_Buffer* buffer) {
  return buffer == nullptr ? "" : std::string(static_cast<const char*>(buffer->data), buffer->length);
}

BufferPtr buffer_of(const std::string& bytes) {
  return BufferPtr(TF_NewBufferFromString(bytes.data(), bytes.size()));
}

TF_Output Graph::finish(TF_OperationDescription* description) {
  TF_Operation* oper = TF_FinishOperation(description, status_.get());
  EXPECT_EQ(TF_GetCode(status_.get()), TF_OK) << TF_Message(status_.get());
  return {oper, 0};
}

TF_Output Graph::placeholder(const char* name, TF_DataType type) {
  TF_OperationDescription* d = TF_NewOperation(get(), "Placeholder", name);
  TF_SetAttrType(d, "dtype", type);
  return finish(d);
}

TF_Output Graph::constant(const char* name, float value) {
  TensorPtr t = float_scalar(value);
  TF_OperationDescription* d = TF_NewOperation(get(), "Const", name);
  TF_SetAttrTensor(d, "value", t.get(), status_.get());
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  return finish(d);
}

TF_Output Graph::unary(const char* op, const char* name, TF_Output x) {
  TF_OperationDescription* d = TF_NewOperation(get(), op, name);
  TF_AddInput(d, x);
  return finish(d);
}

TF_Output Graph::binary(const char* op, const char* name, TF_Output x, TF_Output y) {
  TF_OperationDescription* d = TF_NewOperation(get(), op, name);
  TF_AddInput(d, x);
  TF_AddInput(d, y);
  return finish(d);
}

TF_Operation* Graph::no_op(const char* name, TF_Operation* after) {
  TF_OperationDescription* d = TF_NewOperation(get(), "NoOp", name);
  if (after != nullptr) TF_AddControlInput(d, after);
  return finish(d).oper;
}

TF_Output Graph::variable(const char* name, float initial) {
  const std::string base = name;
  TF_OperationDescription* d = TF_NewOperation(get(), "VarHandleOp", name);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", nullptr, 0);
  TF_SetAttrString(d, "shared_name", base.data(), base.size());
  TF_Output handle = finish(d);
  TF_Output value = constant(("value_" + base).c_str(), initial);
  d = TF_NewOperation(get(), "AssignVariableOp", ("init_" + base).c_str());
  TF_AddInput(d, handle);
  TF_AddInput(d, value);
  finish(d);
  d = TF_NewOperation(get(), "ReadVariableOp", ("read_" + base).c_str());
  TF_AddInput(d, handle);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  finish(d);
  return handle;
}

Session::Session(TF_Graph* graph, const std::string& config) : status_(TF_NewStatus()) {
  OptionsPtr options(TF_NewSessionOptions());
  if (!config.empty()) TF_SetConfig(options.get(), config.data(), config.size(), status_.get());
  session_ = TF_NewSession(graph, options.get(), status_.get());
  EXPECT_EQ(code(), TF_OK) << message();
}

Session::~Session() {
  Status status(TF_NewStatus());
  TF_DeleteSession(session_, status.get());
  EXPECT_EQ(TF_GetCode(status.get()), TF_OK) << TF_Message(status.get());
}

std::vector<TensorPtr> Session::run(const std::vector<std::pair<TF_Output, TF_Tensor*>>& feeds,
                                    const std::vector<TF_Output>& fetches,
                                    const std::vector<const TF_Operation*>& targets, const TF_Buffer* options,
                                    TF_Buffer* metadata) {
  std::vector<TF_Output> inputs;
  std::vector<TF_Tensor*> values;
  for (const auto& [end, value] : feeds) {
    inputs.push_back(end);
    values.push_back(value);
  }
  // Not null, so that a call which leaves them alone is found out.
  std::vector<TF_Tensor*> fetched(fetches.size(), reinterpret_cast<TF_Tensor*>(8));
  TF_SessionRun(session_, options, inputs.data(), values.data(), static_cast<int>(inputs.size()),
                fetches.data(), fetched.data(), static_cast<int>(fetches.size()), targets.data(),
                static_cast<int>(targets.size()), metadata, status_.get());
  std::vector<TensorPtr> out;
  if (code() != TF_OK) {
    for (TF_Tensor* t : fetched) EXPECT_EQ(t, nullptr);
    return out;
  }
  for (TF_Tensor* t : fetched) out.emplace_back(t);
  return out;
}

float Session::run_float(const std::vector<std::pair<TF_Output, TF_Tensor*>>& feeds, TF_Output fetch) {
  auto fetched = run(feeds, {fetch});
  EXPECT_EQ(code(), TF_OK) << message();
  std::vector<float> values = fetched.empty() ? std::vector<float>() : floats(fetched[0].get());
  return values.empty() ? 0 : values[0];
}

}  // namespace c_test
