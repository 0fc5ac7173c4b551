#include <limits.h>
#include <stdlib.h>

/* TensorFlow's kernels.h defines this constant in every file that includes it. */
#define TF_InputRange_Args_STRUCT_SIZE input_range_size_of_ops
#include "plugin.h"

typedef void (*ShapeFunction)(TF_ShapeInferenceContext*, TF_Status*);

/* y has the shape of x. */
static void same_shape(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

/* rows: dimension 0 of a matrix, as a vector's size; rest: the other dimensions; both: rows of a, then all of
   b. */
static void many_shapes(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* a = TF_NewShapeHandle();
  TF_ShapeHandle* b = TF_NewShapeHandle();
  TF_ShapeHandle* part = TF_NewShapeHandle();
  TF_DimensionHandle* rows = TF_NewDimensionHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, a, status);
  if (TF_GetCode(status) != TF_OK) goto end;
  TF_ShapeInferenceContextGetInput(ctx, (int)TF_ShapeInferenceContextNumInputs(ctx) - 1, b, status);
  if (TF_GetCode(status) != TF_OK) goto end;
  TF_ShapeInferenceContextWithRank(ctx, a, 2, a, status);
  if (TF_GetCode(status) != TF_OK) goto end;
  TF_ShapeInferenceContextWithRankAtLeast(ctx, b, 1, b, status);
  if (TF_GetCode(status) != TF_OK) goto end;
  TF_ShapeInferenceContextWithRankAtMost(ctx, b, 3, b, status);
  if (TF_GetCode(status) != TF_OK) goto end;
  TF_ShapeInferenceContextDim(ctx, a, 0, rows);
  if (TF_DimensionHandleValueKnown(rows)) {
    TF_ShapeHandle* vector =
        TF_ShapeInferenceContextVectorFromSize(ctx, (size_t)TF_DimensionHandleValue(rows));
    TF_ShapeInferenceContextSetOutput(ctx, 0, vector, status);
    TF_DeleteShapeHandle(vector);
  }
  TF_ShapeInferenceContextSubshape(ctx, a, 1, LLONG_MAX, part, status);
  if (TF_GetCode(status) != TF_OK) goto end;
  TF_ShapeInferenceContextSetOutput(ctx, 1, part, status);
  TF_ShapeInferenceContextSubshape(ctx, a, 0, -1, part, status);
  if (TF_GetCode(status) != TF_OK) goto end;
  TF_ShapeInferenceContextConcatenateShapes(ctx, part, b, part, status);
  if (TF_GetCode(status) != TF_OK) goto end;
  TF_ShapeInferenceContextSetOutput(ctx, 2, part, status);
  /* Only when ranks are told as they are is the last output known. */
  if (!TF_ShapeInferenceContextRankKnown(ctx, a) || TF_ShapeInferenceContextRank(ctx, a) != 2) goto end;
  TF_ShapeInferenceContextGetInput(ctx, 1, b, status);
  if (!TF_ShapeInferenceContextRankKnown(ctx, b)) goto end;
  TF_ShapeHandle* scalar = TF_ShapeInferenceContextScalar(ctx);
  if (TF_ShapeInferenceContextRank(ctx, scalar) == 0)
    TF_ShapeInferenceContextSetOutput(ctx, 3, scalar, status);
  TF_DeleteShapeHandle(scalar);
end:
  TF_DeleteDimensionHandle(rows);
  TF_DeleteShapeHandle(part);
  TF_DeleteShapeHandle(b);
  TF_DeleteShapeHandle(a);
}

/* A scalar for floats, else not known. */
static void shape_by_type(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_DataType type;
  TF_ShapeInferenceContext_GetAttrType(ctx, "T", &type, status);
  if (TF_GetCode(status) != TF_OK) return;
  if (type != TF_FLOAT) {
    TF_ShapeInferenceContextSetUnknownShape(ctx, status);
    return;
  }
  TF_ShapeHandle* scalar = TF_ShapeInferenceContextScalar(ctx);
  TF_ShapeInferenceContextSetOutput(ctx, 0, scalar, status);
  TF_DeleteShapeHandle(scalar);
}

/* TensorFlow takes no node of an op without a function. */
static void unknown_shapes(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeInferenceContextSetUnknownShape(ctx, status);
}

/* There is no output 7. */
static void bad_output(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextSetOutput(ctx, 7, shape, status);
  TF_DeleteShapeHandle(shape);
}

/* Specs of attrs, inputs and outputs, each ended by a null. */
typedef struct {
  const char* name;
  const char* attrs[18];
  const char* inputs[4];
  const char* outputs[8];
  ShapeFunction shape;
  bool stateful;
} Op;

static const Op kOps[] = {
    {"PlugTwice", {"T: {float, int32}"}, {"x: T"}, {"y: T"}, same_shape, false},
    {"PlugForward", {NULL}, {"x: float", "other: float"}, {"y: float", "from: int32"}, same_shape, false},
    {"PlugAttrs",
     {"t: type = DT_INT64", "i: int = 5", "f: float = 2.5", "b: bool = true", "s: string = 'words'",
      "v: tensor = { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1 float_val: 2 }",
      "shape: shape = { dim { size: 3 } dim { size: -1 } }", "call: func = { name: 'f' }",
      "types: list(type) = [DT_FLOAT, DT_STRING]", "ints: list(int) = [1, 2, 3]",
      "floats: list(float) = [0.5]", "bools: list(bool) = [true, false]",
      "strings: list(string) = ['ab', '', 'cde']", "shapes: list(shape) = [{ dim { size: 1 } }, { }]",
      "big: int = 9876543210",
      "tensors: list(tensor) = [{ dtype: DT_FLOAT tensor_shape { } float_val: 4 }, "
      "{ dtype: DT_INT32 tensor_shape { } int_val: 5 }]"},
     {NULL},
     {"report: string"},
     unknown_shapes,
     false},
    {"PlugContext",
     {"N: int", "L: list(type)"},
     {"a: float", "rest: N * int32", "mixed: L"},
     {"report: string", "copy: float"},
     unknown_shapes,
     false},
    {"PlugFail",
     {"where: {'create', 'compute', 'twice', 'bad_output', 'type'}"},
     {"x: float"},
     {"y: float"},
     unknown_shapes,
     false},
    {"PlugShapes",
     {NULL},
     {"a: float", "b: float"},
     {"rows: float", "rest: float", "both: float", "scalar: float"},
     many_shapes,
     false},
    {"PlugShapeByType", {"T: type"}, {"x: T"}, {"y: T"}, shape_by_type, false},
    {"PlugBadShape", {NULL}, {"x: float"}, {"y: float"}, bad_output, false},
    {"PlugCount", {NULL}, {NULL}, {"made: int32", "run: int32", "deleted: int32"}, unknown_shapes, true},
    {"PlugLater",
     {"fail: bool = false", "defer: bool = false"},
     {"x: float"},
     {"y: float"},
     same_shape,
     false},
    {"PlugDefer", {NULL}, {"x: float"}, {"y: float"}, same_shape, false},
    {"PlugChoice", {"T: type = DT_FLOAT"}, {NULL}, {"which: int32"}, unknown_shapes, true},
    {"PlugNoKernel", {NULL}, {NULL}, {"y: int32"}, unknown_shapes, false},
};

static void finish(TF_OpDefinitionBuilder* op) {
  TF_Status* status = TF_NewStatus();
  TF_RegisterOpDefinition(op, status);
  if (TF_GetCode(status) != TF_OK) abort();
  TF_DeleteStatus(status);
}

static void register_flags(void) {
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("PlugFlags");
  TF_OpDefinitionBuilderAddInput(op, "x: Ref(float)");
  TF_OpDefinitionBuilderAddOutput(op, "y: Ref(float)");
  TF_OpDefinitionBuilderSetIsCommutative(op, true);
  TF_OpDefinitionBuilderSetIsAggregate(op, true);
  TF_OpDefinitionBuilderSetAllowsUninitializedInput(op, true);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
  TF_OpDefinitionBuilderDeprecated(op, 8, "it is a test");
  finish(op);
  TF_DeleteOpDefinitionBuilder(TF_NewOpDefinitionBuilder("PlugNever"));
}

void register_ops(void) {
  for (size_t i = 0; i < sizeof(kOps) / sizeof(kOps[0]); ++i) {
    const Op* o = &kOps[i];
    TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder(o->name);
    for (const char* const* s = o->attrs; *s; ++s) TF_OpDefinitionBuilderAddAttr(op, *s);
    for (const char* const* s = o->inputs; *s; ++s) TF_OpDefinitionBuilderAddInput(op, *s);
    for (const char* const* s = o->outputs; *s; ++s) TF_OpDefinitionBuilderAddOutput(op, *s);
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, o->shape);
    if (o->stateful) TF_OpDefinitionBuilderSetIsStateful(op, true);
    finish(op);
  }
  register_flags();
}

__attribute__((constructor)) static void register_all(void) {
  register_ops();
  register_kernels();
  register_report_kernels();
}
