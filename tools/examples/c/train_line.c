/* Builds a graph through the C API, lets the library add the gradients, and trains: finds the line through a
   few points. Prints its slope and height, and exits with 1 unless they are those of the points. Compiles as
   C and links against libtroupe_c or libtensorflow alike. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

#define POINTS 8
#define STEPS 300
#define SLOPE 3.0f
#define HEIGHT (-1.5f)

static TF_Graph* graph;
static TF_Status* status;

static void check(const char* doing) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "%s: %s\n", doing, TF_Message(status));
  exit(1);
}

static TF_Output finish(TF_OperationDescription* description, const char* name) {
  TF_Output output = {TF_FinishOperation(description, status), 0};
  check(name);
  return output;
}

static TF_Output placeholder(const char* name) {
  TF_OperationDescription* d = TF_NewOperation(graph, "Placeholder", name);
  const int64_t dims[] = {POINTS};
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", dims, 1);
  return finish(d, name);
}

static TF_Output constant(const char* name, TF_DataType type, const void* value, size_t length) {
  TF_Tensor* tensor = TF_AllocateTensor(type, NULL, 0, length);
  memcpy(TF_TensorData(tensor), value, length);
  TF_OperationDescription* d = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(d, "value", tensor, status);
  TF_SetAttrType(d, "dtype", type);
  TF_DeleteTensor(tensor);
  return finish(d, name);
}

static TF_Output operation(const char* op, const char* name, const TF_Output* inputs, int count) {
  TF_OperationDescription* d = TF_NewOperation(graph, op, name);
  for (int i = 0; i < count; ++i) TF_AddInput(d, inputs[i]);
  return finish(d, name);
}

/* A variable of the model. */
typedef struct Parameter {
  TF_Output handle;
  TF_Output value;
  TF_Output initialize;
} Parameter;

static Parameter parameter(const char* name) {
  char text[64];
  const float zero = 0;
  Parameter p;
  TF_OperationDescription* d = TF_NewOperation(graph, "VarHandleOp", name);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_SetAttrShape(d, "shape", NULL, 0);
  TF_SetAttrString(d, "shared_name", name, strlen(name));
  p.handle = finish(d, name);
  snprintf(text, sizeof(text), "%s_zero", name);
  TF_Output assign[] = {p.handle, constant(text, TF_FLOAT, &zero, sizeof(zero))};
  snprintf(text, sizeof(text), "%s_initialize", name);
  p.initialize = operation("AssignVariableOp", text, assign, 2);
  snprintf(text, sizeof(text), "%s_value", name);
  d = TF_NewOperation(graph, "ReadVariableOp", text);
  TF_AddInput(d, p.handle);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  p.value = finish(d, text);
  return p;
}

static TF_Tensor* values(float (*of)(float)) {
  const int64_t dims[] = {POINTS};
  TF_Tensor* tensor = TF_AllocateTensor(TF_FLOAT, dims, 1, POINTS * sizeof(float));
  for (int i = 0; i < POINTS; ++i) ((float*)TF_TensorData(tensor))[i] = of((float)i / POINTS - 0.5f);
  return tensor;
}
static float itself(float x) { return x; }
static float line(float x) { return SLOPE * x + HEIGHT; }

int main(void) {
  graph = TF_NewGraph();
  status = TF_NewStatus();
  const int32_t axis = 0;
  const float rate_value = 0.5f;
  const TF_Output x = placeholder("x"), y = placeholder("y");
  const Parameter w = parameter("w"), b = parameter("b");

  const TF_Output product = operation("Mul", "product", (TF_Output[]){x, w.value}, 2);
  const TF_Output guess = operation("AddV2", "guess", (TF_Output[]){product, b.value}, 2);
  const TF_Output error = operation("Sub", "error", (TF_Output[]){guess, y}, 2);
  const TF_Output squares = operation("Square", "squares", &error, 1);
  const TF_Output axes = constant("axes", TF_INT32, &axis, sizeof(axis));
  TF_Output loss = operation("Mean", "loss", (TF_Output[]){squares, axes}, 2);

  TF_Output parameters[] = {w.value, b.value}, gradients[2];
  TF_AddGradients(graph, &loss, 1, parameters, 2, NULL, status, gradients);
  check("adding the gradients");
  const TF_Output rate = constant("rate", TF_FLOAT, &rate_value, sizeof(rate_value));
  const TF_Output apply_w =
      operation("ResourceApplyGradientDescent", "apply_w", (TF_Output[]){w.handle, rate, gradients[0]}, 3);
  const TF_Output apply_b =
      operation("ResourceApplyGradientDescent", "apply_b", (TF_Output[]){b.handle, rate, gradients[1]}, 3);

  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  check("opening a session");
  const TF_Operation* initialize[] = {w.initialize.oper, b.initialize.oper};
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, initialize, 2, NULL, status);
  check("initializing");
  const TF_Output inputs[] = {x, y};
  TF_Tensor* fed[] = {values(itself), values(line)};
  const TF_Operation* apply[] = {apply_w.oper, apply_b.oper};
  for (int step = 0; step < STEPS; ++step) {
    TF_SessionRun(session, NULL, inputs, fed, 2, NULL, NULL, 0, apply, 2, NULL, status);
    check("training");
  }
  TF_Tensor* found[2] = {NULL, NULL};
  TF_SessionRun(session, NULL, NULL, NULL, 0, parameters, found, 2, NULL, 0, NULL, status);
  check("reading the parameters");
  const float slope = *(float*)TF_TensorData(found[0]), height = *(float*)TF_TensorData(found[1]);
  printf("slope %.3f height %.3f\n", slope, height);

  for (int i = 0; i < 2; ++i) TF_DeleteTensor(found[i]), TF_DeleteTensor(fed[i]);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return fabsf(slope - SLOPE) < 0.01f && fabsf(height - HEIGHT) < 0.01f ? 0 : 1;
}
