/* Loads the plug-in that is named on the command line, and runs a graph with its op. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

static void check(const TF_Status* status, const char* what) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "%s: %s\n", what, TF_Message(status));
  exit(1);
}

static TF_Output add_clip(TF_Graph* graph, const char* name, TF_Output x, float limit, TF_Status* status) {
  TF_OperationDescription* clip = TF_NewOperation(graph, "ExampleClipNorm", name);
  TF_AddInput(clip, x);
  TF_SetAttrFloat(clip, "limit", limit);
  TF_Output y = {TF_FinishOperation(clip, status), 0};
  check(status, name);
  return y;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s libclip_norm_op.so\n", argv[0]);
    return 2;
  }
  TF_Status* status = TF_NewStatus();
  TF_Library* library = TF_LoadLibrary(argv[1], status);
  check(status, "load");
  printf("loaded: %zu bytes of op definitions\n", TF_GetOpList(library).length);
  TF_DeleteLibraryHandle(library);

  TF_Graph* graph = TF_NewGraph();
  TF_OperationDescription* placeholder = TF_NewOperation(graph, "Placeholder", "x");
  TF_SetAttrType(placeholder, "dtype", TF_FLOAT);
  TF_Output x = {TF_FinishOperation(placeholder, status), 0};
  check(status, "x");
  TF_Output fetches[2] = {add_clip(graph, "to_one", x, 1, status), add_clip(graph, "to_ten", x, 10, status)};
  TF_Output bad = add_clip(graph, "to_nothing", x, 0, status);

  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  check(status, "session");
  const int64_t two = 2;
  TF_Tensor* feed = TF_AllocateTensor(TF_FLOAT, &two, 1, 2 * sizeof(float));
  memcpy(TF_TensorData(feed), (const float[]){3, 4}, 2 * sizeof(float));
  TF_Tensor* y[2] = {NULL, NULL};
  TF_SessionRun(session, NULL, &x, &feed, 1, fetches, y, 2, NULL, 0, NULL, status);
  check(status, "run");
  const float* one = TF_TensorData(y[0]);
  const float* ten = TF_TensorData(y[1]);
  printf("[3 4] clipped to 1: [%g %g], to 10: [%g %g]\n", (double)one[0], (double)one[1], (double)ten[0],
         (double)ten[1]);
  const bool right = fabsf(one[0] - 0.6f) < 1e-6f && fabsf(one[1] - 0.8f) < 1e-6f && ten[0] == 3 && ten[1] == 4;

  TF_Tensor* none = NULL;
  TF_SessionRun(session, NULL, &x, &feed, 1, &bad, &none, 1, NULL, 0, NULL, status);
  printf("clipped to 0: %s\n", TF_Message(status));
  const bool refused = TF_GetCode(status) == TF_INVALID_ARGUMENT;

  TF_DeleteTensor(feed);
  TF_DeleteTensor(y[0]);
  TF_DeleteTensor(y[1]);
  TF_DeleteTensor(none);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return right && refused ? 0 : 1;
}
