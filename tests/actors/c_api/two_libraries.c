// Loads several libraries that each have the C API into one process, in the order given, and lets each of
// them compute.   two_libraries LIBRARY:local|global ... Prints a line "LIBRARY: VERSION: 1 + 2 = 3" for
// each, and exits with 1 when something goes wrong.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

#define LOOK_UP(name)                                   \
  __typeof__(&name) p_##name = dlsym(library, #name);   \
  if (p_##name == NULL) return printf("no %s\n", #name), 1

static void no_free(void* data, size_t length, void* arg) {
  (void)data, (void)length, (void)arg;
}

/// Adds 1 and 2 in a session of this library.
static int compute(void* library, const char* name) {
  LOOK_UP(TF_Version);
  LOOK_UP(TF_NewStatus);
  LOOK_UP(TF_GetCode);
  LOOK_UP(TF_Message);
  LOOK_UP(TF_DeleteStatus);
  LOOK_UP(TF_NewTensor);
  LOOK_UP(TF_TensorData);
  LOOK_UP(TF_DeleteTensor);
  LOOK_UP(TF_NewGraph);
  LOOK_UP(TF_DeleteGraph);
  LOOK_UP(TF_NewOperation);
  LOOK_UP(TF_SetAttrType);
  LOOK_UP(TF_AddInput);
  LOOK_UP(TF_FinishOperation);
  LOOK_UP(TF_NewSessionOptions);
  LOOK_UP(TF_DeleteSessionOptions);
  LOOK_UP(TF_NewSession);
  LOOK_UP(TF_SessionRun);
  LOOK_UP(TF_DeleteSession);
  static _Alignas(64) float values[2][16] = {{1}, {2}};
  TF_Status* status = p_TF_NewStatus();
  TF_Graph* graph = p_TF_NewGraph();
  TF_Output ends[3];
  TF_Tensor* in[2];
  for (int i = 0; i < 2; ++i) {
    TF_OperationDescription* d = p_TF_NewOperation(graph, "Placeholder", i == 0 ? "a" : "b");
    p_TF_SetAttrType(d, "dtype", TF_FLOAT);
    ends[i].oper = p_TF_FinishOperation(d, status);
    ends[i].index = 0;
    in[i] = p_TF_NewTensor(TF_FLOAT, NULL, 0, values[i], sizeof(float), no_free, NULL);
  }
  TF_OperationDescription* d = p_TF_NewOperation(graph, "AddV2", "sum");
  p_TF_AddInput(d, ends[0]);
  p_TF_AddInput(d, ends[1]);
  ends[2].oper = p_TF_FinishOperation(d, status);
  ends[2].index = 0;
  if (p_TF_GetCode(status) != TF_OK) return printf("%s: %s\n", name, p_TF_Message(status)), 1;
  TF_SessionOptions* options = p_TF_NewSessionOptions();
  TF_Session* session = p_TF_NewSession(graph, options, status);
  if (session == NULL) return printf("%s: %s\n", name, p_TF_Message(status)), 1;
  TF_Tensor* out = NULL;
  p_TF_SessionRun(session, NULL, ends, in, 2, &ends[2], &out, 1, NULL, 0, NULL, status);
  if (p_TF_GetCode(status) != TF_OK) return printf("%s: %s\n", name, p_TF_Message(status)), 1;
  printf("%s: %s: 1 + 2 = %g\n", name, p_TF_Version(), *(float*)p_TF_TensorData(out));
  p_TF_DeleteTensor(out);
  p_TF_DeleteSession(session, status);
  p_TF_DeleteSessionOptions(options);
  p_TF_DeleteGraph(graph);
  for (int i = 0; i < 2; ++i) p_TF_DeleteTensor(in[i]);
  p_TF_DeleteStatus(status);
  return 0;
}

int main(int argc, char** argv) {
  void* libraries[8] = {0};
  for (int i = 1; i < argc && i < 8; ++i) {
    char* mode = strrchr(argv[i], ':');
    if (mode == NULL) return printf("usage: two_libraries LIBRARY:local|global ...\n"), 2;
    *mode++ = 0;
    libraries[i] = dlopen(argv[i], RTLD_NOW | (strcmp(mode, "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
    if (libraries[i] == NULL) return printf("%s\n", dlerror()), 1;
  }
  // Twice, so that the first is also used after the second.
  for (int round = 0; round < 2; ++round) {
    for (int i = 1; i < argc && i < 8; ++i) {
      if (compute(libraries[i], argv[i]) != 0) return 1;
    }
  }
  return 0;
}
