#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* TensorFlow's kernels.h defines this constant in every file that includes it. */
#define TF_InputRange_Args_STRUCT_SIZE input_range_size_of_kernels
#include "plugin.h"

static void scalar_output(TF_OpKernelContext* ctx, int i, int32_t value) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* out = TF_AllocateOutput(ctx, i, TF_INT32, NULL, 0, sizeof(value), status);
  if (out) *(int32_t*)TF_TensorData(out) = value;
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(out);
  TF_DeleteStatus(status);
}

static void shape_of(const TF_Tensor* t, int64_t* dims) {
  for (int i = 0; i < TF_NumDims(t); ++i) dims[i] = TF_Dim(t, i);
}

/* y = factor * x, into a new output. */
static void scale(TF_OpKernelContext* ctx, int factor) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_Tensor* y = NULL;
  int64_t dims[8];
  TF_GetInput(ctx, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) {
    shape_of(x, dims);
    y = TF_AllocateOutput(ctx, 0, TF_TensorType(x), dims, TF_NumDims(x), TF_TensorByteSize(x), status);
  }
  if (TF_GetCode(status) == TF_OK) {
    for (int64_t i = 0; i < TF_TensorElementCount(x); ++i) {
      if (TF_TensorType(x) == TF_FLOAT) {
        ((float*)TF_TensorData(y))[i] = (float)factor * ((const float*)TF_TensorData(x))[i];
      } else {
        ((int32_t*)TF_TensorData(y))[i] = factor * ((const int32_t*)TF_TensorData(x))[i];
      }
    }
  } else {
    TF_OpKernelContext_Failure(ctx, status);
  }
  TF_DeleteTensor(y);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

static void twice(void* self, TF_OpKernelContext* ctx) {
  (void)self;
  scale(ctx, 2);
}

/* y = x + 1 in the memory of x or else of other, if one may be written. */
static void forward(void* self, TF_OpKernelContext* ctx) {
  (void)self;
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  const int candidates[] = {0, 1, 99};
  int64_t dims[8];
  int from = -2;
  TF_GetInput(ctx, 0, &x, status);
  shape_of(x, dims);
  const int rank = TF_NumDims(x);
  const int64_t n = TF_TensorElementCount(x);
  float* copy = malloc((size_t)(n + 1) * sizeof(float));
  memcpy(copy, TF_TensorData(x), (size_t)n * sizeof(float));
  TF_DeleteTensor(x); /* While it is held, nobody may write to the input. */
  TF_Tensor* y = TF_ForwardInputOrAllocateOutput(ctx, candidates, 2, 0, dims, rank, &from, status);
  if (y) {
    for (int64_t i = 0; i < n; ++i) ((float*)TF_TensorData(y))[i] = copy[i] + 1;
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  scalar_output(ctx, 1, from);
  free(copy);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

/* ---- Failing. */

static void* fail_create(TF_OpKernelConstruction* ctx) {
  char where[16] = {0};
  TF_Status* status = TF_NewStatus();
  TF_OpKernelConstruction_GetAttrString(ctx, "where", where, sizeof(where) - 1, status);
  if (strcmp(where, "create") == 0) {
    TF_SetStatus(status, TF_FAILED_PRECONDITION, "told to fail when made");
    TF_OpKernelConstruction_Failure(ctx, status);
  }
  TF_DeleteStatus(status);
  return strdup(where);
}

static void fail(void* self, TF_OpKernelContext* ctx) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  if (strcmp(self, "compute") == 0) {
    TF_SetStatus(status, TF_DATA_LOSS, "told to fail");
  } else if (strcmp(self, "twice") == 0) {
    TF_SetStatus(status, TF_ABORTED, "first");
    TF_OpKernelContext_Failure(ctx, status);
    TF_SetStatus(status, TF_INTERNAL, "second");
  } else if (strcmp(self, "bad_output") == 0) {
    TF_GetInput(ctx, 0, &x, status);
    TF_SetOutput(ctx, 1, x, status);
  } else {
    /* An output of a type that is not the declared one. */
    TF_Tensor* wrong = TF_AllocateTensor(TF_INT32, NULL, 0, 4);
    memset(TF_TensorData(wrong), 0, 4);
    TF_SetOutput(ctx, 0, wrong, status);
    TF_DeleteTensor(wrong);
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

/* ---- Counting. */

static atomic_int made, run, deleted;

static void* count_create(TF_OpKernelConstruction* ctx) {
  (void)ctx;
  atomic_fetch_add(&made, 1);
  return malloc(1);
}

static void count(void* self, TF_OpKernelContext* ctx) {
  (void)self;
  atomic_fetch_add(&run, 1);
  scalar_output(ctx, 0, atomic_load(&made));
  scalar_output(ctx, 1, atomic_load(&run));
  scalar_output(ctx, 2, atomic_load(&deleted));
}

static void count_delete(void* self) {
  free(self);
  atomic_fetch_add(&deleted, 1);
}

/* ---- Asynchronous kernels. */

typedef struct {
  TF_OpKernelContext* ctx;
  TF_AsyncOpKernelDoneCallback* done;
  bool fail;
} Later;

static void* later_create(TF_OpKernelConstruction* ctx) {
  TF_Status* status = TF_NewStatus();
  Later* self = calloc(1, sizeof(Later));
  TF_Bool value = 0;
  TF_OpKernelConstruction_GetAttrBool(ctx, "fail", &value, status);
  self->fail = value;
  TF_DeleteStatus(status);
  return self;
}

static void* finish_later(void* argument) {
  Later* work = argument;
  usleep(2000);
  scale(work->ctx, 3);
  if (work->fail) {
    TF_Status* status = TF_NewStatus();
    TF_SetStatus(status, TF_UNAVAILABLE, "told to fail later");
    TF_OpKernelContext_Failure(work->ctx, status);
    TF_DeleteStatus(status);
  }
  TF_RunAsyncOpKernelDoneCallback(work->done);
  free(work);
  return NULL;
}

static void start(void* (*function)(void*), Later work) {
  Later* own = malloc(sizeof(Later));
  *own = work;
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, own) != 0) abort();
  pthread_detach(thread);
}

static void later(void* self, TF_OpKernelContext* ctx, TF_AsyncOpKernelDoneCallback* done) {
  start(finish_later, (Later){ctx, done, ((Later*)self)->fail});
}

/* ---- Work that goes on after the kernel has returned. */

static void* finish_deferred(void* argument) {
  Later* work = argument;
  usleep(2000);
  scale(work->ctx, 4);
  TF_DecNumDeferredOps(work->ctx);
  free(work);
  return NULL;
}

static void defer(void* self, TF_OpKernelContext* ctx) {
  (void)self;
  TF_IncNumDeferredOps(ctx);
  start(finish_deferred, (Later){ctx, NULL, false});
}

/* ---- Which of several kernels is taken. */

static void choose_1(void* self, TF_OpKernelContext* ctx) {
  (void)self;
  scalar_output(ctx, 0, 1);
}
static void choose_2(void* self, TF_OpKernelContext* ctx) {
  (void)self;
  scalar_output(ctx, 0, 2);
}
static void choose_3(void* self, TF_OpKernelContext* ctx) {
  (void)self;
  scalar_output(ctx, 0, 3);
}
static void choose_4(void* self, TF_OpKernelContext* ctx) {
  (void)self;
  scalar_output(ctx, 0, 4);
}

static void finish(TF_KernelBuilder* kernel, const char* name) {
  TF_Status* status = TF_NewStatus();
  TF_RegisterKernelBuilder(name, kernel, status);
  if (TF_GetCode(status) != TF_OK) abort();
  TF_DeleteStatus(status);
}

static void constrain(TF_KernelBuilder* kernel, const char* attr, TF_DataType type) {
  TF_Status* status = TF_NewStatus();
  TF_KernelBuilder_TypeConstraint(kernel, attr, type, status);
  if (TF_GetCode(status) != TF_OK) abort();
  TF_DeleteStatus(status);
}

static void register_choices(void) {
  TF_KernelBuilder* kernel = TF_NewKernelBuilder("PlugChoice", "CPU", NULL, choose_1, NULL);
  finish(kernel, "PlugChoice1");
  kernel = TF_NewKernelBuilder("PlugChoice", "CPU", NULL, choose_2, NULL);
  constrain(kernel, "T", TF_FLOAT);
  TF_KernelBuilder_Priority(kernel, 2);
  finish(kernel, "PlugChoice2");
  kernel = TF_NewKernelBuilder("PlugChoice", "CPU", NULL, choose_3, NULL);
  TF_KernelBuilder_Label(kernel, "third");
  finish(kernel, "PlugChoice3");
  kernel = TF_NewKernelBuilder("PlugChoice", "PLUG_DEVICE", NULL, choose_4, NULL);
  TF_KernelBuilder_Priority(kernel, 9);
  finish(kernel, "PlugChoice4");
  kernel = TF_NewKernelBuilder("PlugChoice", "CPU", NULL, choose_4, NULL);
  TF_DeleteKernelBuilder(kernel);
}

void register_kernels(void) {
  TF_KernelBuilder* kernel = TF_NewKernelBuilder("PlugTwice", "CPU", NULL, twice, NULL);
  constrain(kernel, "T", TF_FLOAT);
  finish(kernel, "PlugTwiceFloat");
  kernel = TF_NewKernelBuilder("PlugTwice", "CPU", NULL, twice, NULL);
  constrain(kernel, "T", TF_INT32);
  finish(kernel, "PlugTwiceInt32");
  finish(TF_NewKernelBuilder("PlugForward", "CPU", NULL, forward, NULL), "PlugForward");
  finish(TF_NewKernelBuilder("PlugFail", "CPU", fail_create, fail, free), "PlugFail");
  finish(TF_NewKernelBuilder("PlugCount", "CPU", count_create, count, count_delete), "PlugCount");
  finish(TF_NewAsyncKernelBuilder("PlugLater", "CPU", later_create, later, free), "PlugLater");
  finish(TF_NewKernelBuilder("PlugDefer", "CPU", NULL, defer, NULL), "PlugDefer");
  register_choices();
}
