#include <stdio.h>

#include "tensorflow/c/c_api.h"

int main(void) {
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  TF_Session* session = TF_NewSession(graph, NULL, status);
  printf("%s: %d\n", TF_Version(), TF_GetCode(status));
  TF_DeleteSession(session, status);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return session == NULL;
}
