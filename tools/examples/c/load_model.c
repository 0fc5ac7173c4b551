/* Asks a SavedModel that holds variables, through the C API. load_model FOLDER INPUT OUTPUT X Y feeds the
   point (X, Y) to the operation INPUT, a batch of one, and prints the first output of OUTPUT. Compiles as C
   and links against libtroupe_c or libtensorflow alike. */
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/c/c_api.h"

static void check(const TF_Status* status, const char* doing) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "%s: %s\n", doing, TF_Message(status));
  exit(1);
}

static TF_Output operation(TF_Graph* graph, const char* name) {
  TF_Output output = {TF_GraphOperationByName(graph, name), 0};
  if (output.oper != NULL) return output;
  fprintf(stderr, "the model has no operation %s\n", name);
  exit(1);
}

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: load_model FOLDER INPUT OUTPUT X Y\n");
    return 2;
  }
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  TF_SessionOptions* options = TF_NewSessionOptions();
  const char* tags[] = {"serve"};
  TF_Session* session = TF_LoadSessionFromSavedModel(options, NULL, argv[1], tags, 1, graph, NULL, status);
  check(status, "loading the model");

  const int64_t dims[] = {1, 2};
  TF_Tensor* point = TF_AllocateTensor(TF_FLOAT, dims, 2, 2 * sizeof(float));
  ((float*)TF_TensorData(point))[0] = strtof(argv[4], NULL);
  ((float*)TF_TensorData(point))[1] = strtof(argv[5], NULL);
  const TF_Output input = operation(graph, argv[2]);
  const TF_Output output = operation(graph, argv[3]);
  TF_Tensor* answer = NULL;
  TF_SessionRun(session, NULL, &input, &point, 1, &output, &answer, 1, NULL, 0, NULL, status);
  check(status, "running the model");

  for (int64_t i = 0; i < TF_TensorElementCount(answer); ++i) {
    if (TF_TensorType(answer) == TF_FLOAT) printf("%.4f\n", ((float*)TF_TensorData(answer))[i]);
    if (TF_TensorType(answer) == TF_INT32) printf("%d\n", ((int32_t*)TF_TensorData(answer))[i]);
    if (TF_TensorType(answer) == TF_INT64) printf("%lld\n", (long long)((int64_t*)TF_TensorData(answer))[i]);
  }

  TF_DeleteTensor(answer);
  TF_DeleteTensor(point);
  TF_DeleteSession(session, status);
  check(status, "deleting the session");
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}
