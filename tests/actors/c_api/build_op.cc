#include "build_op.h"

#include <cstring>

namespace c_test {

Attempt build(TF_Graph* graph, const char* op, const char* name, const std::vector<TF_Output>& inputs,
              const Setter& set) {
  Status status(TF_NewStatus());
  TF_OperationDescription* desc = TF_NewOperation(graph, op, name);
  for (TF_Output in : inputs) TF_AddInput(desc, in);
  if (set) set(desc);
  Attempt made;
  made.oper = TF_FinishOperation(desc, status.get());
  if (TF_GetCode(status.get()) != TF_OK) made.error = describe(status);
  EXPECT_EQ(made.oper == nullptr, !made.error.empty());
  return made;
}

Attempt placeholder(TF_Graph* graph, const char* name, TF_DataType type) {
  return build(graph, "Placeholder", name, {}, [&](auto* d) { TF_SetAttrType(d, "dtype", type); });
}

Attempt placeholder(TF_Graph* graph, const char* name, TF_DataType type, const std::vector<int64_t>& dims) {
  return build(graph, "Placeholder", name, {}, [&](auto* d) {
    TF_SetAttrType(d, "dtype", type);
    TF_SetAttrShape(d, "shape", dims.data(), static_cast<int>(dims.size()));
  });
}

Attempt int_constant(TF_Graph* graph, const char* name, const std::vector<int32_t>& values,
                     const std::vector<int64_t>& dims) {
  TensorPtr tensor(
      TF_AllocateTensor(TF_INT32, dims.data(), static_cast<int>(dims.size()), values.size() * 4));
  std::memcpy(TF_TensorData(tensor.get()), values.data(), values.size() * 4);
  return build(graph, "Const", name, {}, [&](auto* d) {
    Status status(TF_NewStatus());
    TF_SetAttrTensor(d, "value", tensor.get(), status.get());
    EXPECT_EQ(TF_GetCode(status.get()), TF_OK);
    TF_SetAttrType(d, "dtype", TF_INT32);
  });
}

std::string shape_of(TF_Graph* graph, TF_Output output) {
  Status status(TF_NewStatus());
  const int rank = TF_GraphGetTensorNumDims(graph, output, status.get());
  if (TF_GetCode(status.get()) != TF_OK) return describe(status);
  if (rank < 0) return "?";
  std::vector<int64_t> dims(rank);
  TF_GraphGetTensorShape(graph, output, dims.data(), rank, status.get());
  if (TF_GetCode(status.get()) != TF_OK) return describe(status);
  std::string out = "[";
  for (int64_t d : dims) out += (out.size() > 1 ? "," : "") + (d < 0 ? std::string("?") : std::to_string(d));
  return out + "]";
}

std::string graph_def(TF_Graph* graph) {
  Status status(TF_NewStatus());
  BufferPtr buffer(TF_NewBuffer());
  TF_GraphToGraphDef(graph, buffer.get(), status.get());
  EXPECT_EQ(TF_GetCode(status.get()), TF_OK);
  return bytes_of(buffer.get());
}

std::vector<std::string> listing(TF_Graph* graph) {
  std::vector<std::string> out;
  size_t position = 0;
  while (TF_Operation* oper = TF_GraphNextOperation(graph, &position)) {
    std::string line = std::string(TF_OperationName(oper)) + "(";
    const char* separator = "";
    for (int i = 0; i < TF_OperationNumInputs(oper); ++i) {
      const TF_Output in = TF_OperationInput({oper, i});
      line += separator + std::string(TF_OperationName(in.oper)) + ":" + std::to_string(in.index);
      separator = ", ";
    }
    std::vector<TF_Operation*> controls(TF_OperationNumControlInputs(oper));
    TF_OperationGetControlInputs(oper, controls.data(), static_cast<int>(controls.size()));
    for (TF_Operation* c : controls) {
      line += separator + ("^" + std::string(TF_OperationName(c)));
      separator = ", ";
    }
    out.push_back(line + ")");
  }
  return out;
}

}  // namespace c_test
