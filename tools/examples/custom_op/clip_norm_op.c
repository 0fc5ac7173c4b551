/* A custom op: y = x * min(1, limit / |x|), where |x| is the Euclidean norm of all elements. A shared object in plain C
   against the plug-in headers; it links to nothing. TensorFlow loads it as well. */

/* TensorFlow's own ops.h wants these names from a C program. */
typedef struct TF_DimensionHandle TF_DimensionHandle;
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TF_ShapeHandle TF_ShapeHandle;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

/* ---- The op: what it takes, what comes out, and of what shape. */

static void clip_shape(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

static void register_op(TF_Status* status) {
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("ExampleClipNorm");
  TF_OpDefinitionBuilderAddAttr(op, "limit: float = 1.0");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, clip_shape);
  TF_RegisterOpDefinition(op, status);
}

/* ---- The kernel: made once for a node, run by any number of steps at once. */

typedef struct {
  float limit;
} Clip;

static void* clip_create(TF_OpKernelConstruction* ctx) {
  TF_Status* status = TF_NewStatus();
  Clip* self = calloc(1, sizeof(Clip));
  TF_OpKernelConstruction_GetAttrFloat(ctx, "limit", &self->limit, status);
  if (TF_GetCode(status) == TF_OK && !(self->limit > 0)) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "limit must be greater than 0");
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(ctx, status);
  TF_DeleteStatus(status);
  return self;
}

static void clip(const Clip* self, const TF_Tensor* x, TF_Tensor* y) {
  const float* in = TF_TensorData(x);
  float* out = TF_TensorData(y);
  const int64_t n = TF_TensorElementCount(x);
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += (double)in[i] * in[i];
  const double norm = sqrt(squares);
  const float factor = norm > self->limit ? (float)(self->limit / norm) : 1.0f;
  for (int64_t i = 0; i < n; ++i) out[i] = in[i] * factor;
}

static void clip_compute(void* self, TF_OpKernelContext* ctx) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_Tensor* y = NULL;
  TF_GetInput(ctx, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) {
    const int rank = TF_NumDims(x);
    int64_t* dims = malloc(((size_t)rank + 1) * sizeof(int64_t));
    for (int i = 0; i < rank; ++i) dims[i] = TF_Dim(x, i);
    y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, rank, TF_TensorByteSize(x), status);
    free(dims);
  }
  if (TF_GetCode(status) == TF_OK) {
    clip(self, x, y);
  } else {
    TF_OpKernelContext_Failure(ctx, status);
  }
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static void register_kernel(TF_Status* status) {
  TF_KernelBuilder* kernel = TF_NewKernelBuilder("ExampleClipNorm", "CPU", clip_create, clip_compute, free);
  TF_RegisterKernelBuilder("ExampleClipNorm", kernel, status);
}

/* Runs when the object is loaded. */
__attribute__((constructor)) static void register_all(void) {
  TF_Status* status = TF_NewStatus();
  register_op(status);
  if (TF_GetCode(status) == TF_OK) register_kernel(status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "ExampleClipNorm: %s\n", TF_Message(status));
  TF_DeleteStatus(status);
}
