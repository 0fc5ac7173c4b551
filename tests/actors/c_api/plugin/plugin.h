#ifndef PLUG_PLUGIN_H_
#define PLUG_PLUGIN_H_

/* A plug-in for the tests, in plain C against the plug-in headers alone. TensorFlow's own ops.h needs these
   names in C. */
typedef struct TF_DimensionHandle TF_DimensionHandle;
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TF_ShapeHandle TF_ShapeHandle;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_tstring.h"

/* A text that grows. */
typedef struct {
  char bytes[8192];
  size_t length;
} Report;

__attribute__((format(printf, 2, 3))) void report(Report* r, const char* format, ...);
/* " ok", or " <code>:<message>". */
void report_status(Report* r, TF_Status* status);
/* Output `i` of the kernel becomes the scalar string of the report. */
void output_report(TF_OpKernelContext* ctx, int i, const Report* r);

void register_ops(void);
void register_kernels(void);
void register_report_kernels(void);

#endif
