#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

void report(Report* r, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(r->bytes + r->length, sizeof(r->bytes) - r->length, format, args);
  va_end(args);
  r->length += (size_t)n;
  if (r->length >= sizeof(r->bytes)) abort();
}

void report_status(Report* r, TF_Status* status) {
  if (TF_GetCode(status) == TF_OK) {
    report(r, " ok");
  } else {
    report(r, " %d:%s", (int)TF_GetCode(status), TF_Message(status));
  }
}

void output_report(TF_OpKernelContext* ctx, int i, const Report* r) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* out = TF_AllocateOutput(ctx, i, TF_STRING, NULL, 0, sizeof(TF_TString), status);
  if (out) {
    TF_TString* text = TF_TensorData(out);
    TF_StringDealloc(text);
    TF_StringInit(text);
    TF_StringCopy(text, r->bytes, r->length);
  } else {
    TF_OpKernelContext_Failure(ctx, status);
  }
  TF_DeleteTensor(out);
  TF_DeleteStatus(status);
}

/* ---- What create_func can learn. */

static void report_sizes(Report* r, TF_OpKernelConstruction* ctx, TF_Status* status) {
  const char* names[] = {"i",     "s",       "shape",  "types", "ints", "floats",
                         "bools", "strings", "shapes", "v",     "call", "absent"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    int32_t list = 77, total = 77;
    TF_OpKernelConstruction_GetAttrSize(ctx, names[i], &list, &total, status);
    report(r, "size %s %d %d", names[i], list, total);
    report_status(r, status);
    report(r, "\n");
  }
}

static void report_values(Report* r, TF_OpKernelConstruction* ctx, TF_Status* status) {
  TF_DataType type = 0;
  int32_t small = 0;
  int64_t large = 0;
  float f = 0;
  TF_Bool b = 0;
  char s[16] = {0};
  TF_Tensor* tensor = NULL;
  TF_OpKernelConstruction_GetAttrType(ctx, "t", &type, status);
  report(r, "t %d\n", (int)type);
  TF_OpKernelConstruction_GetAttrInt32(ctx, "i", &small, status);
  report(r, "i %d\n", small);
  TF_OpKernelConstruction_GetAttrInt64(ctx, "big", &large, status);
  report(r, "big %lld\n", (long long)large);
  TF_OpKernelConstruction_GetAttrFloat(ctx, "f", &f, status);
  report(r, "f %g\n", (double)f);
  TF_OpKernelConstruction_GetAttrBool(ctx, "b", &b, status);
  report(r, "b %d\n", (int)b);
  TF_OpKernelConstruction_GetAttrString(ctx, "s", s, 4, status);
  report(r, "s %s\n", s);
  TF_OpKernelConstruction_GetAttrTensor(ctx, "v", &tensor, status);
  report(r, "v %d %lld %g", (int)TF_TensorType(tensor), (long long)TF_Dim(tensor, 0),
         (double)((float*)TF_TensorData(tensor))[1]);
  report_status(r, status);
  report(r, "\n");
  TF_DeleteTensor(tensor);
  TF_Buffer* function = TF_OpKernelConstruction_GetAttrFunction(ctx, "call", status);
  report(r, "call %.*s", (int)function->length - 2, (const char*)function->data + 2);
  report_status(r, status);
  report(r, "\n");
  TF_DeleteBuffer(function);
}

static void report_lists(Report* r, TF_OpKernelConstruction* ctx, TF_Status* status) {
  TF_DataType types[2] = {0};
  int32_t small[3] = {0};
  int64_t large[2] = {0, 0};
  float floats[1] = {0};
  TF_Bool bools[2] = {0};
  char* strings[3] = {"", "", ""};
  size_t lengths[3] = {0};
  char storage[5] = {0};
  TF_OpKernelConstruction_GetAttrTypeList(ctx, "types", types, 2, status);
  report(r, "types %d %d\n", (int)types[0], (int)types[1]);
  TF_OpKernelConstruction_GetAttrInt32List(ctx, "ints", small, 3, status);
  report(r, "ints %d %d %d\n", small[0], small[1], small[2]);
  TF_OpKernelConstruction_GetAttrInt64List(ctx, "ints", large, 1, status);
  report(r, "ints %lld %lld\n", (long long)large[0], (long long)large[1]);
  TF_OpKernelConstruction_GetAttrFloatList(ctx, "floats", floats, 1, status);
  report(r, "floats %g\n", (double)floats[0]);
  TF_OpKernelConstruction_GetAttrBoolList(ctx, "bools", bools, 2, status);
  report(r, "bools %d %d\n", (int)bools[0], (int)bools[1]);
  TF_OpKernelConstruction_GetAttrStringList(ctx, "strings", strings, lengths, 3, storage, 5, status);
  report(r, "strings %zu %zu %zu %.*s", lengths[0], lengths[1], lengths[2], 3, strings[2]);
  report_status(r, status);
  report(r, "\n");
  TF_OpKernelConstruction_GetAttrStringList(ctx, "strings", strings, lengths, 3, storage, 4, status);
  report(r, "short");
  report_status(r, status);
  TF_Tensor* tensors[2] = {NULL, NULL};
  TF_OpKernelConstruction_GetAttrTensorList(ctx, "tensors", tensors, 2, status);
  report(r, "\ntensors");
  for (int i = 0; i < 2; ++i) {
    if (tensors[i] != NULL) report(r, " %d", (int)TF_TensorType(tensors[i]));
    TF_DeleteTensor(tensors[i]);
  }
  report_status(r, status);
  TF_OpKernelConstruction_GetAttrTensorList(ctx, "ints", tensors, 2, status);
  report(r, "\nno tensors");
  report_status(r, status);
  report(r, "\n");
}

static void report_faults(Report* r, TF_OpKernelConstruction* ctx, TF_Status* status) {
  int32_t small = 1;
  int64_t large = 1;
  float f = 1;
  TF_OpKernelConstruction_GetAttrInt32(ctx, "absent", &small, status);
  report(r, "absent");
  report_status(r, status);
  TF_OpKernelConstruction_GetAttrInt32(ctx, "big", &small, status);
  report(r, "\nbig %d", small);
  report_status(r, status);
  TF_OpKernelConstruction_GetAttrFloat(ctx, "i", &f, status);
  report(r, "\nwrong %g", (double)f);
  report_status(r, status);
  TF_OpKernelConstruction_GetAttrInt64(ctx, "ints", &large, status);
  report(r, "\nlist");
  report_status(r, status);
  report(r, "\nhas %d", (int)TF_OpKernelConstruction_HasAttr(ctx, "i", status));
  report(r, "\nhas %d", (int)TF_OpKernelConstruction_HasAttr(ctx, "absent", status));
  report_status(r, status);
  report(r, "\n");
}

static void* attrs_create(TF_OpKernelConstruction* ctx) {
  Report* r = calloc(1, sizeof(Report));
  TF_Status* status = TF_NewStatus();
  TF_StringView name = TF_OpKernelConstruction_GetName(ctx);
  report(r, "name %.*s\n", (int)name.len, name.data);
  TF_Buffer* node = TF_OpKernelConstruction_GetNodeDef(ctx, status);
  report(r, "node %d\n", node != NULL && memmem(node->data, node->length, "PlugAttrs", 9) != NULL);
  TF_DeleteBuffer(node);
  report_sizes(r, ctx, status);
  report_values(r, ctx, status);
  report_lists(r, ctx, status);
  report_faults(r, ctx, status);
  TF_DeleteStatus(status);
  return r;
}

static void attrs(void* self, TF_OpKernelContext* ctx) { output_report(ctx, 0, self); }

/* ---- What compute_func can learn. */

static void report_inputs(Report* r, TF_OpKernelContext* ctx, TF_Status* status) {
  TF_Tensor* tensor = NULL;
  report(r, "inputs %d outputs %d\n", TF_NumInputs(ctx), TF_NumOutputs(ctx));
  for (int i = 0; i < TF_NumInputs(ctx); ++i) report(r, "type %d\n", (int)TF_InputDatatype(ctx, i));
  for (int i = 0; i < TF_NumOutputs(ctx); ++i)
    report(r, "expected %d\n", (int)TF_ExpectedOutputDataType(ctx, i));
  TF_GetInput(ctx, TF_NumInputs(ctx), &tensor, status);
  report(r, "after");
  report_status(r, status);
  TF_GetInput(ctx, -1, &tensor, status);
  report(r, "\nbefore");
  report_status(r, status);
  const char* names[] = {"a", "rest", "mixed", "none"};
  for (size_t i = 0; i < 4; ++i) {
    TF_InputRange_Args range = {0};
    range.struct_size = TF_InputRange_Args_STRUCT_SIZE;
    range.status = status;
    TF_InputRange(ctx, names[i], &range);
    report(r, "\nrange %s %d %d", names[i], range.start, range.stop);
    report_status(r, status);
  }
  report(r, "\n");
}

static void report_bytes(Report* r, const char* what, TF_Buffer* bytes, TF_Status* status) {
  report(r, "%s", what);
  report_status(r, status);
  for (size_t i = 0; i < bytes->length; ++i) report(r, " %02x", ((const unsigned char*)bytes->data)[i]);
  report(r, "\n");
  TF_DeleteBuffer(bytes);
}

static void report_session(Report* r, TF_OpKernelContext* ctx, TF_Status* status) {
  for (size_t i = 0; i < 6; ++i) {
    TF_StringView input = TF_GetOpKernelRequestedInput(ctx, i);
    report(r, "from '%.*s'\n", (int)input.len, input.data);
  }
  TF_Buffer* config = TF_NewBuffer();
  TF_GetSerializedConfigProto(ctx, config, status);
  report_bytes(r, "config", config, status);
  TF_Buffer* library = TF_NewBuffer();
  TF_GetSerializedFunctionDefLibrary(ctx, library, status);
  report_bytes(r, "library", library, status);
  TF_Buffer* handle = TF_NewBuffer();
  TF_GetSerializedResourceHandleProto(ctx, 0, handle, status);
  report_bytes(r, "handle", handle, status);
  report(r, "rendezvous %d\n", TF_GetRendezvous(ctx).send_func != NULL);
}

static void report_surroundings(Report* r, TF_OpKernelContext* ctx, TF_Status* status) {
  TF_StringView name = TF_GetOpKernelName(ctx);
  TF_StringView device = TF_GetDeviceName(ctx);
  TF_StringView container = TF_GetResourceMgrDefaultContainerName(ctx);
  report(r, "name %.*s\n", (int)name.len, name.data);
  report(r, "device %.*s %d\n", (int)device.len, device.data, TF_GetDeviceId(ctx));
  report(r, "container %.*s\n", (int)container.len, container.data);
  report(r, "step %d %d\n", TF_StepId(ctx) == TF_GetStepId(ctx), TF_StepId(ctx) > 0);
  report(r, "frame %llu iteration %lld\n", (unsigned long long)TF_GetFrameId(ctx),
         (long long)TF_GetIterId(ctx));
  report(r, "producer %d\n", TF_GetGraphDefVersion(ctx) > 0);
  const char* what[] = {"in", "out"};
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < 3; ++i) {
      bool host = side == 0 ? TF_IsHostMemoryInput(ctx, i, status) : TF_IsHostMemoryOutput(ctx, i, status);
      report(r, "host %s %d %d", what[side], i, TF_GetCode(status) == TF_OK ? (int)host : -1);
      report_status(r, status);
      report(r, "\n");
    }
  }
  report_session(r, ctx, status);
  report(r, "stream %d", TF_GetStream(ctx, status) != NULL);
  report_status(r, status);
  report(r, "\n");
}

static void report_memory(Report* r, TF_OpKernelContext* ctx, TF_Status* status) {
  const int64_t dims[] = {2, 3};
  TF_AllocatorAttributes attributes = {TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, 1};
  TF_Tensor* temp = TF_AllocateTemp(ctx, TF_DOUBLE, dims, 2, &attributes, status);
  report(r, "temp %d %zu", (int)TF_TensorType(temp), TF_TensorByteSize(temp));
  report_status(r, status);
  TF_DeleteTensor(temp);
  attributes.struct_size = 0;
  temp = TF_AllocateTemp(ctx, TF_DOUBLE, dims, 2, &attributes, status);
  report(r, "\nno temp %d", temp == NULL);
  report_status(r, status);
  TF_Tensor* bad = TF_AllocateOutput(ctx, 9, TF_FLOAT, dims, 2, 24, status);
  report(r, "\nno output %d", bad == NULL);
  report_status(r, status);
  TF_Tensor* a = NULL;
  TF_GetInput(ctx, 0, &a, status);
  TF_SetOutput(ctx, 9, a, status);
  report(r, "\nset");
  report_status(r, status);
  TF_SetOutput(ctx, 1, a, status);
  report(r, "\nset");
  report_status(r, status);
  TF_Tensor* set = TF_GetMutableOutput(ctx, 1, status);
  report(r, "\nmutable %d", set != NULL && TF_TensorData(set) == TF_TensorData(a));
  report_status(r, status);
  TF_DeleteTensor(set);
  report(r, "\nmutable %d", TF_GetMutableOutput(ctx, 9, status) != NULL);
  report_status(r, status);
  report(r, "\n");
  TF_DeleteTensor(a);
}

static void context(void* self, TF_OpKernelContext* ctx) {
  (void)self;
  Report* r = calloc(1, sizeof(Report));
  TF_Status* status = TF_NewStatus();
  report_inputs(r, ctx, status);
  report_surroundings(r, ctx, status);
  report_memory(r, ctx, status);
  output_report(ctx, 0, r);
  TF_DeleteStatus(status);
  free(r);
}

void register_report_kernels(void) {
  TF_Status* status = TF_NewStatus();
  TF_RegisterKernelBuilder("PlugAttrs", TF_NewKernelBuilder("PlugAttrs", "CPU", attrs_create, attrs, free),
                           status);
  if (TF_GetCode(status) != TF_OK) abort();
  TF_KernelBuilder* kernel = TF_NewKernelBuilder("PlugContext", "CPU", NULL, context, NULL);
  TF_KernelBuilder_HostMemory(kernel, "rest");
  TF_KernelBuilder_HostMemory(kernel, "report");
  TF_RegisterKernelBuilder("PlugContext", kernel, status);
  if (TF_GetCode(status) != TF_OK) abort();
  TF_DeleteStatus(status);
}
