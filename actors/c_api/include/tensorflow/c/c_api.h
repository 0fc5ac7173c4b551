#pragma once

#ifndef TENSORFLOW_C_C_API_H_
#define TENSORFLOW_C_C_API_H_

/* The C face of Troupe: the functions of TensorFlow's C API, binary compatible. A program that was written
   for libtensorflow links libtroupe_c instead. What a call hands out belongs to the caller when its name says
   New, Load, To, Import or Get...List, and is freed by the TF_Delete... of its type; everything else belongs
   to the object that was asked. Calls that take a TF_Status set it in any case; what they return on an error
   is null or zero. */

#include <stddef.h>
#include <stdint.h>

#include "c_api_macros.h"
#include "tf_attrtype.h"
#include "tf_buffer.h"
#include "tf_datatype.h"
#include "tf_status.h"
#include "tf_tensor.h"
#include "tf_tstring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version ---- */

/* The version of TensorFlow that this library answers for, as "2.21.0". */
TF_CAPI_EXPORT extern const char* TF_Version(void);

/* ---- Tensors from protobuf messages ---- */

/* Replaces `to`, whose memory is let go, by what the serialised TensorProto holds. */
TF_CAPI_EXPORT extern void TF_TensorFromProto(const TF_Buffer* from, TF_Tensor* to, TF_Status* status);

/* Bytes of somebody else. */
typedef struct TF_StringView {
  const char* data;
  size_t len;
} TF_StringView;

/* ---- Session options ---- */

typedef struct TF_SessionOptions TF_SessionOptions;

TF_CAPI_EXPORT extern TF_SessionOptions* TF_NewSessionOptions(void);
/* Where the session runs: "" in this process, else "grpc://host:port" or "caf://host:port". */
TF_CAPI_EXPORT extern void TF_SetTarget(TF_SessionOptions* options, const char* target);
/* A serialised ConfigProto. InvalidArgument "Unparseable ConfigProto" when it is none. */
TF_CAPI_EXPORT extern void TF_SetConfig(TF_SessionOptions* options, const void* proto, size_t proto_len,
                                        TF_Status* status);
TF_CAPI_EXPORT extern void TF_DeleteSessionOptions(TF_SessionOptions*);

/* ---- Graphs ---- */

/* A graph under construction. Its operations are only ever added to. Thread-safe, as the sessions that run it
   are. */
typedef struct TF_Graph TF_Graph;

TF_CAPI_EXPORT extern TF_Graph* TF_NewGraph(void);
/* The graph lives on until the last session on it is deleted. */
TF_CAPI_EXPORT extern void TF_DeleteGraph(TF_Graph*);

/* An operation that is being described, between TF_NewOperation and TF_FinishOperation. */
typedef struct TF_OperationDescription TF_OperationDescription;
/* A node of a graph. Belongs to the graph and stays where it is as long as the graph lives. */
typedef struct TF_Operation TF_Operation;

/* Where an edge ends: input `index` of an operation. */
typedef struct TF_Input {
  TF_Operation* oper;
  int index;
} TF_Input;

/* Where an edge begins: output `index` of an operation. */
typedef struct TF_Output {
  TF_Operation* oper;
  int index;
} TF_Output;

/* A function of graph operations, callable from the graphs that it is copied to. */
typedef struct TF_Function TF_Function;
typedef struct TF_FunctionOptions TF_FunctionOptions;

/* Merges a shape into what was inferred of an output; dimensions of -1 are unknown, `num_dims` -1 is an
   unknown rank. InvalidArgument when the two contradict each other. */
TF_CAPI_EXPORT extern void TF_GraphSetTensorShape(TF_Graph* graph, TF_Output output, const int64_t* dims,
                                                  const int num_dims, TF_Status* status);
/* The rank that was inferred, or -1. */
TF_CAPI_EXPORT extern int TF_GraphGetTensorNumDims(TF_Graph* graph, TF_Output output, TF_Status* status);
/* The dimensions that were inferred, -1 for unknown ones. InvalidArgument unless `num_dims` is the rank. */
TF_CAPI_EXPORT extern void TF_GraphGetTensorShape(TF_Graph* graph, TF_Output output, int64_t* dims,
                                                  int num_dims, TF_Status* status);

/* ---- Building operations ---- */

/* Begins an operation. Nothing is checked before it is finished. The Locked forms are for callers that hold
   the graph's lock, which only the library itself can. */
TF_CAPI_EXPORT extern TF_OperationDescription* TF_NewOperationLocked(TF_Graph* graph, const char* op_type,
                                                                     const char* oper_name);
TF_CAPI_EXPORT extern TF_OperationDescription* TF_NewOperation(TF_Graph* graph, const char* op_type,
                                                               const char* oper_name);
TF_CAPI_EXPORT extern void TF_SetDevice(TF_OperationDescription* desc, const char* device);
/* Inputs are added in the order of the op's arguments: one each, or a list. */
TF_CAPI_EXPORT extern void TF_AddInput(TF_OperationDescription* desc, TF_Output input);
TF_CAPI_EXPORT extern void TF_AddInputList(TF_OperationDescription* desc, const TF_Output* inputs,
                                           int num_inputs);
/* The operation waits for `input`. */
TF_CAPI_EXPORT extern void TF_AddControlInput(TF_OperationDescription* desc, TF_Operation* input);
/* The operation is placed where `op` is. */
TF_CAPI_EXPORT extern void TF_ColocateWith(TF_OperationDescription* desc, TF_Operation* op);

/* Attributes. All values are copied. */
TF_CAPI_EXPORT extern void TF_SetAttrString(TF_OperationDescription* desc, const char* attr_name,
                                            const void* value, size_t length);
TF_CAPI_EXPORT extern void TF_SetAttrStringList(TF_OperationDescription* desc, const char* attr_name,
                                                const void* const* values, const size_t* lengths,
                                                int num_values);
TF_CAPI_EXPORT extern void TF_SetAttrInt(TF_OperationDescription* desc, const char* attr_name, int64_t value);
TF_CAPI_EXPORT extern void TF_SetAttrIntList(TF_OperationDescription* desc, const char* attr_name,
                                             const int64_t* values, int num_values);
TF_CAPI_EXPORT extern void TF_SetAttrFloat(TF_OperationDescription* desc, const char* attr_name, float value);
TF_CAPI_EXPORT extern void TF_SetAttrFloatList(TF_OperationDescription* desc, const char* attr_name,
                                               const float* values, int num_values);
TF_CAPI_EXPORT extern void TF_SetAttrBool(TF_OperationDescription* desc, const char* attr_name,
                                          unsigned char value);
TF_CAPI_EXPORT extern void TF_SetAttrBoolList(TF_OperationDescription* desc, const char* attr_name,
                                              const unsigned char* values, int num_values);
TF_CAPI_EXPORT extern void TF_SetAttrType(TF_OperationDescription* desc, const char* attr_name,
                                          TF_DataType value);
TF_CAPI_EXPORT extern void TF_SetAttrTypeList(TF_OperationDescription* desc, const char* attr_name,
                                              const TF_DataType* values, int num_values);
/* The name of an attribute of the function that the operation is in the body of. */
TF_CAPI_EXPORT extern void TF_SetAttrPlaceholder(TF_OperationDescription* desc, const char* attr_name,
                                                 const char* placeholder);
TF_CAPI_EXPORT extern void TF_SetAttrFuncName(TF_OperationDescription* desc, const char* attr_name,
                                              const char* value, size_t length);
/* Dimensions of -1 are unknown; `num_dims` -1 is an unknown rank. */
TF_CAPI_EXPORT extern void TF_SetAttrShape(TF_OperationDescription* desc, const char* attr_name,
                                           const int64_t* dims, int num_dims);
TF_CAPI_EXPORT extern void TF_SetAttrShapeList(TF_OperationDescription* desc, const char* attr_name,
                                               const int64_t* const* dims, const int* num_dims,
                                               int num_shapes);
TF_CAPI_EXPORT extern void TF_SetAttrTensorShapeProto(TF_OperationDescription* desc, const char* attr_name,
                                                      const void* proto, size_t proto_len, TF_Status* status);
TF_CAPI_EXPORT extern void TF_SetAttrTensorShapeProtoList(TF_OperationDescription* desc,
                                                          const char* attr_name, const void* const* protos,
                                                          const size_t* proto_lens, int num_shapes,
                                                          TF_Status* status);
TF_CAPI_EXPORT extern void TF_SetAttrTensor(TF_OperationDescription* desc, const char* attr_name,
                                            TF_Tensor* value, TF_Status* status);
TF_CAPI_EXPORT extern void TF_SetAttrTensorList(TF_OperationDescription* desc, const char* attr_name,
                                                TF_Tensor* const* values, int num_values, TF_Status* status);
/* A serialised AttrValue: any attribute. */
TF_CAPI_EXPORT extern void TF_SetAttrValueProto(TF_OperationDescription* desc, const char* attr_name,
                                                const void* proto, size_t proto_len, TF_Status* status);

/* Adds the operation to its graph, or says what is wrong with it. Frees the description in either case. */
TF_CAPI_EXPORT extern TF_Operation* TF_FinishOperationLocked(TF_OperationDescription* desc,
                                                             TF_Status* status);
TF_CAPI_EXPORT extern TF_Operation* TF_FinishOperation(TF_OperationDescription* desc, TF_Status* status);

/* ---- Asking operations ---- */

TF_CAPI_EXPORT extern const char* TF_OperationName(TF_Operation* oper);
TF_CAPI_EXPORT extern const char* TF_OperationOpType(TF_Operation* oper);
TF_CAPI_EXPORT extern const char* TF_OperationDevice(TF_Operation* oper);

TF_CAPI_EXPORT extern int TF_OperationNumOutputs(TF_Operation* oper);
TF_CAPI_EXPORT extern TF_DataType TF_OperationOutputType(TF_Output oper_out);
/* How many outputs the argument of the op with this name stands for. */
TF_CAPI_EXPORT extern int TF_OperationOutputListLength(TF_Operation* oper, const char* arg_name,
                                                       TF_Status* status);
TF_CAPI_EXPORT extern int TF_OperationNumInputs(TF_Operation* oper);
TF_CAPI_EXPORT extern TF_DataType TF_OperationInputType(TF_Input oper_in);
TF_CAPI_EXPORT extern int TF_OperationInputListLength(TF_Operation* oper, const char* arg_name,
                                                      TF_Status* status);
/* Where an input comes from. */
TF_CAPI_EXPORT extern TF_Output TF_OperationInput(TF_Input oper_in);
/* The first `max_inputs` of them. */
TF_CAPI_EXPORT extern void TF_OperationAllInputs(TF_Operation* oper, TF_Output* inputs, int max_inputs);
TF_CAPI_EXPORT extern int TF_OperationOutputNumConsumers(TF_Output oper_out);
/* Writes up to `max_consumers` and returns how many there are in all. */
TF_CAPI_EXPORT extern int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input* consumers,
                                                      int max_consumers);
TF_CAPI_EXPORT extern int TF_OperationNumControlInputs(TF_Operation* oper);
TF_CAPI_EXPORT extern int TF_OperationGetControlInputs(TF_Operation* oper, TF_Operation** control_inputs,
                                                       int max_control_inputs);
TF_CAPI_EXPORT extern int TF_OperationNumControlOutputs(TF_Operation* oper);
TF_CAPI_EXPORT extern int TF_OperationGetControlOutputs(TF_Operation* oper, TF_Operation** control_outputs,
                                                        int max_control_outputs);

/* What room the value of an attribute takes. */
typedef struct TF_AttrMetadata {
  /* 1 for a list. */
  unsigned char is_list;
  /* Items; -1 when it is no list. */
  int64_t list_size;
  /* Kind of the value, or of the items. */
  TF_AttrType type;
  /* Strings: bytes in all; shapes: dimensions in all, or the rank, -1 when unknown; else not used. */
  int64_t total_size;
} TF_AttrMetadata;

/* InvalidArgument when there is no such attribute; so do all that follow. */
TF_CAPI_EXPORT extern TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation* oper, const char* attr_name,
                                                                  TF_Status* status);
/* Up to `max_length` bytes, without a zero at the end. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrString(TF_Operation* oper, const char* attr_name, void* value,
                                                     size_t max_length, TF_Status* status);
/* Up to `max_values` strings; their bytes go into `storage`, which `values` points into. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrStringList(TF_Operation* oper, const char* attr_name,
                                                         void** values, size_t* lengths, int max_values,
                                                         void* storage, size_t storage_size,
                                                         TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrInt(TF_Operation* oper, const char* attr_name, int64_t* value,
                                                  TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrIntList(TF_Operation* oper, const char* attr_name,
                                                      int64_t* values, int max_values, TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrFloat(TF_Operation* oper, const char* attr_name, float* value,
                                                    TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrFloatList(TF_Operation* oper, const char* attr_name,
                                                        float* values, int max_values, TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrBool(TF_Operation* oper, const char* attr_name,
                                                   unsigned char* value, TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrBoolList(TF_Operation* oper, const char* attr_name,
                                                       unsigned char* values, int max_values,
                                                       TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrType(TF_Operation* oper, const char* attr_name,
                                                   TF_DataType* value, TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrTypeList(TF_Operation* oper, const char* attr_name,
                                                       TF_DataType* values, int max_values,
                                                       TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrShape(TF_Operation* oper, const char* attr_name, int64_t* value,
                                                    int num_dims, TF_Status* status);
/* Up to `num_shapes` shapes; their dimensions go into `storage`, which `dims` points into. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrShapeList(TF_Operation* oper, const char* attr_name,
                                                        int64_t** dims, int* num_dims, int num_shapes,
                                                        int64_t* storage, int storage_size,
                                                        TF_Status* status);
/* A serialised TensorShapeProto. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorShapeProto(TF_Operation* oper, const char* attr_name,
                                                               TF_Buffer* value, TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorShapeProtoList(TF_Operation* oper, const char* attr_name,
                                                                   TF_Buffer** values, int max_values,
                                                                   TF_Status* status);
/* A tensor that the caller deletes. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensor(TF_Operation* oper, const char* attr_name,
                                                     TF_Tensor** value, TF_Status* status);
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorList(TF_Operation* oper, const char* attr_name,
                                                         TF_Tensor** values, int max_values,
                                                         TF_Status* status);
/* A serialised AttrValue. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrValueProto(TF_Operation* oper, const char* attr_name,
                                                         TF_Buffer* output_attr_value, TF_Status* status);

/* The attributes of an operation by number, in order of their names. */
TF_CAPI_EXPORT extern int TF_OperationGetNumAttrs(TF_Operation* oper);
TF_CAPI_EXPORT extern int TF_OperationGetAttrNameLength(TF_Operation* oper, int i);
/* Writes TF_OperationGetAttrNameLength bytes, and no zero. */
TF_CAPI_EXPORT extern void TF_OperationGetAttrName(TF_Operation* oper, int i, char* output,
                                                   TF_Status* status);

/* ---- Graphs: look up, write out, read in ---- */

/* Null when there is none. */
TF_CAPI_EXPORT extern TF_Operation* TF_GraphOperationByName(TF_Graph* graph, const char* oper_name);
/* One operation after another, in the order in which they were added; *pos begins at 0. Null at the end. */
TF_CAPI_EXPORT extern TF_Operation* TF_GraphNextOperation(TF_Graph* graph, size_t* pos);
/* A serialised GraphDef. */
TF_CAPI_EXPORT extern void TF_GraphToGraphDef(TF_Graph* graph, TF_Buffer* output_graph_def,
                                              TF_Status* status);
/* A serialised OpDef: of the graph's functions first, of the registered ops then. */
TF_CAPI_EXPORT extern void TF_GraphGetOpDef(TF_Graph* graph, const char* op_name, TF_Buffer* output_op_def,
                                            TF_Status* status);
/* A serialised VersionDef. */
TF_CAPI_EXPORT extern void TF_GraphVersions(TF_Graph* graph, TF_Buffer* output_version_def,
                                            TF_Status* status);

typedef struct TF_ImportGraphDefOptions TF_ImportGraphDefOptions;

TF_CAPI_EXPORT extern TF_ImportGraphDefOptions* TF_NewImportGraphDefOptions(void);
TF_CAPI_EXPORT extern void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions* opts);
/* Goes before the names of all imported nodes, with a slash. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions* opts,
                                                             const char* prefix);
/* For nodes that name none. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions* opts,
                                                                    const char* device);
/* Nodes whose names are taken get others. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions* opts,
                                                                    unsigned char uniquify_names);
/* A prefix that is taken becomes another. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions* opts,
                                                                     unsigned char uniquify_prefix);
/* Inputs from `src_name:src_index` (index -1: control inputs) come from `dst` of the graph. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions* opts,
                                                                   const char* src_name, int src_index,
                                                                   TF_Output dst);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions* opts,
                                                                          const char* src_name,
                                                                          TF_Operation* dst);
/* All imported nodes wait for `oper`. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions* opts,
                                                                        TF_Operation* oper);
/* What the results shall return, by the names of the GraphDef, or, mapped, of the graph. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions* opts,
                                                                   const char* oper_name, int index);
TF_CAPI_EXPORT extern int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions* opts);
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions* opts,
                                                                      const char* oper_name);
TF_CAPI_EXPORT extern int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions* opts);

/* What an import returned; the arrays that these calls hand out live as long as it. */
typedef struct TF_ImportGraphDefResults TF_ImportGraphDefResults;

TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults* results,
                                                                 int* num_outputs, TF_Output** outputs);
TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults* results,
                                                                    int* num_opers, TF_Operation*** opers);
/* Input mappings that no imported node used. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsMissingUnusedInputMappings(
    TF_ImportGraphDefResults* results, int* num_missing_unused_input_mappings, const char*** src_names,
    int** src_indexes);
TF_CAPI_EXPORT extern void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults* results);

/* Adds the nodes and functions of a serialised GraphDef; the graph is unchanged on an error. */
TF_CAPI_EXPORT extern TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResults(
    TF_Graph* graph, const TF_Buffer* graph_def, const TF_ImportGraphDefOptions* options, TF_Status* status);
/* The same for a buffer whose `data` is a GraphDef object of C++; Unimplemented, since no client can share
   ours. */
TF_CAPI_EXPORT extern TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResultsNoSerialization(
    TF_Graph* graph, const TF_Buffer* graph_def, const TF_ImportGraphDefOptions* options, TF_Status* status);
TF_CAPI_EXPORT extern void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph* graph,
                                                                   const TF_Buffer* graph_def,
                                                                   const TF_ImportGraphDefOptions* options,
                                                                   TF_Output* return_outputs,
                                                                   int num_return_outputs, TF_Status* status);
TF_CAPI_EXPORT extern void TF_GraphImportGraphDef(TF_Graph* graph, const TF_Buffer* graph_def,
                                                  const TF_ImportGraphDefOptions* options, TF_Status* status);

/* Copies a function, and with it the one that is its gradient, into the graph. */
TF_CAPI_EXPORT extern void TF_GraphCopyFunction(TF_Graph* g, const TF_Function* func, const TF_Function* grad,
                                                TF_Status* status);
TF_CAPI_EXPORT extern int TF_GraphNumFunctions(TF_Graph* g);
/* Up to `max_func` functions, each deleted by the caller; returns how many. */
TF_CAPI_EXPORT extern int TF_GraphGetFunctions(TF_Graph* g, TF_Function** funcs, int max_func,
                                               TF_Status* status);
/* A serialised NodeDef. */
TF_CAPI_EXPORT extern void TF_OperationToNodeDef(TF_Operation* oper, TF_Buffer* output_node_def,
                                                 TF_Status* status);

/* ---- Loops ---- */

/* A loop under construction. The caller builds condition and body in the two graphs, from their inputs on,
   then sets cond_output, body_outputs and name and calls TF_FinishWhile, or gives up by TF_AbortWhile. */
typedef struct TF_WhileParams {
  const int ninputs;
  TF_Graph* const cond_graph;
  const TF_Output* const cond_inputs;
  TF_Output cond_output; /* a boolean scalar */
  TF_Graph* const body_graph;
  const TF_Output* const body_inputs;
  TF_Output* const body_outputs;
  const char* name; /* of the loop; required */
} TF_WhileParams;

TF_CAPI_EXPORT extern TF_WhileParams TF_NewWhile(TF_Graph* g, TF_Output* inputs, int ninputs,
                                                 TF_Status* status);
/* Builds the loop and frees what `params` points to, in any case. `outputs` has room for ninputs values. */
TF_CAPI_EXPORT extern void TF_FinishWhile(const TF_WhileParams* params, TF_Status* status,
                                          TF_Output* outputs);
TF_CAPI_EXPORT extern void TF_AbortWhile(const TF_WhileParams* params);

/* ---- Gradients ---- */

/* Adds the derivatives of the sum of `y` by each of `x`. `dx`: derivatives of something by `y`, or null for
   ones. */
TF_CAPI_EXPORT extern void TF_AddGradients(TF_Graph* g, TF_Output* y, int ny, TF_Output* x, int nx,
                                           TF_Output* dx, TF_Status* status, TF_Output* dy);
/* The same under a name prefix, or a generated one when it is null. */
TF_CAPI_EXPORT extern void TF_AddGradientsWithPrefix(TF_Graph* g, const char* prefix, TF_Output* y, int ny,
                                                     TF_Output* x, int nx, TF_Output* dx, TF_Status* status,
                                                     TF_Output* dy);

/* ---- Functions ---- */

/* Makes a function of the operations `opers` of a graph, or of all when num_opers is -1. Its arguments are
   `inputs`, its results `outputs`, named by `output_names` or after their operations. Nothing is done to the
   graph. */
TF_CAPI_EXPORT extern TF_Function* TF_GraphToFunction(
    const TF_Graph* fn_body, const char* fn_name, unsigned char append_hash_to_fn_name, int num_opers,
    const TF_Operation* const* opers, int ninputs, const TF_Output* inputs, int noutputs,
    const TF_Output* outputs, const char* const* output_names, const TF_FunctionOptions* opts,
    const char* description, TF_Status* status);
/* With operations that run whenever the function does; their names as seen from outside. */
TF_CAPI_EXPORT extern TF_Function* TF_GraphToFunctionWithControlOutputs(
    const TF_Graph* fn_body, const char* fn_name, unsigned char append_hash_to_fn_name, int num_opers,
    const TF_Operation* const* opers, int ninputs, const TF_Output* inputs, int noutputs,
    const TF_Output* outputs, const char* const* output_names, int ncontrol_outputs,
    const TF_Operation* const* control_outputs, const char* const* control_output_names,
    const TF_FunctionOptions* opts, const char* description, TF_Status* status);
TF_CAPI_EXPORT extern const char* TF_FunctionName(TF_Function* func);
/* A serialised FunctionDef. */
TF_CAPI_EXPORT extern void TF_FunctionToFunctionDef(TF_Function* func, TF_Buffer* output_func_def,
                                                    TF_Status* status);
TF_CAPI_EXPORT extern TF_Function* TF_FunctionImportFunctionDef(const void* proto, size_t proto_len,
                                                                TF_Status* status);
/* Attributes of the function itself, as a serialised AttrValue. */
TF_CAPI_EXPORT extern void TF_FunctionSetAttrValueProto(TF_Function* func, const char* attr_name,
                                                        const void* proto, size_t proto_len,
                                                        TF_Status* status);
TF_CAPI_EXPORT extern void TF_FunctionGetAttrValueProto(TF_Function* func, const char* attr_name,
                                                        TF_Buffer* output_attr_value, TF_Status* status);
TF_CAPI_EXPORT extern void TF_DeleteFunction(TF_Function* func);

/* Computes an output that depends on constants only: 1 and a tensor that the caller deletes; 0 when it does
   not. */
TF_CAPI_EXPORT extern unsigned char TF_TryEvaluateConstant(TF_Graph* graph, TF_Output output,
                                                           TF_Tensor** result, TF_Status* status);

/* ---- Sessions ---- */

/* Runs a graph, from any number of threads. Operations that are added to the graph later are taken up by the
   next run. */
typedef struct TF_Session TF_Session;

TF_CAPI_EXPORT extern TF_Session* TF_NewSession(TF_Graph* graph, const TF_SessionOptions* opts,
                                                TF_Status* status);
/* Reads the MetaGraph with exactly these tags of a SavedModel into `graph`, which must be empty, restores its
   variables and runs its initialisers. `run_options` and `meta_graph_def` may be null. */
TF_CAPI_EXPORT extern TF_Session* TF_LoadSessionFromSavedModel(
    const TF_SessionOptions* session_options, const TF_Buffer* run_options, const char* export_dir,
    const char* const* tags, int tags_len, TF_Graph* graph, TF_Buffer* meta_graph_def, TF_Status* status);
/* Cancels what runs and refuses everything after. */
TF_CAPI_EXPORT extern void TF_CloseSession(TF_Session*, TF_Status* status);
/* Waits for the runs that are going on, and frees the session even on an error. */
TF_CAPI_EXPORT extern void TF_DeleteSession(TF_Session*, TF_Status* status);

/* Feeds `inputs` with `input_values`, runs what `outputs` and `target_opers` need, and writes a new tensor
   for each output, which the caller deletes. `run_options`: a serialised RunOptions, or null. `run_metadata`:
   an empty buffer that takes a serialised RunMetadata, or null. On an error no output is written. */
TF_CAPI_EXPORT extern void TF_SessionRun(TF_Session* session, const TF_Buffer* run_options,
                                         const TF_Output* inputs, TF_Tensor* const* input_values, int ninputs,
                                         const TF_Output* outputs, TF_Tensor** output_values, int noutputs,
                                         const TF_Operation* const* target_opers, int ntargets,
                                         TF_Buffer* run_metadata, TF_Status*);

/* Begins a partial run: the values of `inputs` are fed, and `outputs` fetched, in any number of turns. The
   handle is freed by TF_DeletePRunHandle. */
TF_CAPI_EXPORT extern void TF_SessionPRunSetup(TF_Session*, const TF_Output* inputs, int ninputs,
                                               const TF_Output* outputs, int noutputs,
                                               const TF_Operation* const* target_opers, int ntargets,
                                               const char** handle, TF_Status*);
TF_CAPI_EXPORT extern void TF_SessionPRun(TF_Session*, const char* handle, const TF_Output* inputs,
                                          TF_Tensor* const* input_values, int ninputs,
                                          const TF_Output* outputs, TF_Tensor** output_values, int noutputs,
                                          const TF_Operation* const* target_opers, int ntargets, TF_Status*);
TF_CAPI_EXPORT extern void TF_DeletePRunHandle(const char* handle);

/* ---- Sessions by names: the older interface ---- */

/* A session whose graph comes as GraphDefs, and whose runs name what they feed and fetch. */
typedef struct TF_DeprecatedSession TF_DeprecatedSession;

TF_CAPI_EXPORT extern TF_DeprecatedSession* TF_NewDeprecatedSession(const TF_SessionOptions*,
                                                                    TF_Status* status);
TF_CAPI_EXPORT extern void TF_CloseDeprecatedSession(TF_DeprecatedSession*, TF_Status* status);
TF_CAPI_EXPORT extern void TF_DeleteDeprecatedSession(TF_DeprecatedSession*, TF_Status* status);
/* Drops the variables of the named containers, or of all, at the options' target. */
TF_CAPI_EXPORT extern void TF_Reset(const TF_SessionOptions* opt, const char** containers, int ncontainers,
                                    TF_Status* status);
/* Adds the nodes of a serialised GraphDef. */
TF_CAPI_EXPORT extern void TF_ExtendGraph(TF_DeprecatedSession*, const void* proto, size_t proto_len,
                                          TF_Status*);
/* As TF_SessionRun. */
TF_CAPI_EXPORT extern void TF_Run(TF_DeprecatedSession*, const TF_Buffer* run_options,
                                  const char** input_names, TF_Tensor** inputs, int ninputs,
                                  const char** output_names, TF_Tensor** outputs, int noutputs,
                                  const char** target_oper_names, int ntargets, TF_Buffer* run_metadata,
                                  TF_Status*);
TF_CAPI_EXPORT extern void TF_PRunSetup(TF_DeprecatedSession*, const char** input_names, int ninputs,
                                        const char** output_names, int noutputs,
                                        const char** target_oper_names, int ntargets, const char** handle,
                                        TF_Status*);
TF_CAPI_EXPORT extern void TF_PRun(TF_DeprecatedSession*, const char* handle, const char** input_names,
                                   TF_Tensor** inputs, int ninputs, const char** output_names,
                                   TF_Tensor** outputs, int noutputs, const char** target_oper_names,
                                   int ntargets, TF_Status*);

/* ---- Devices ---- */

typedef struct TF_DeviceList TF_DeviceList;

TF_CAPI_EXPORT extern TF_DeviceList* TF_SessionListDevices(TF_Session* session, TF_Status* status);
TF_CAPI_EXPORT extern TF_DeviceList* TF_DeprecatedSessionListDevices(TF_DeprecatedSession* session,
                                                                     TF_Status* status);
TF_CAPI_EXPORT extern void TF_DeleteDeviceList(TF_DeviceList* list);
TF_CAPI_EXPORT extern int TF_DeviceListCount(const TF_DeviceList* list);
/* InvalidArgument when there is no such index; so do the following. */
TF_CAPI_EXPORT extern const char* TF_DeviceListName(const TF_DeviceList* list, int index, TF_Status* status);
TF_CAPI_EXPORT extern const char* TF_DeviceListType(const TF_DeviceList* list, int index, TF_Status* status);
TF_CAPI_EXPORT extern int64_t TF_DeviceListMemoryBytes(const TF_DeviceList* list, int index,
                                                       TF_Status* status);
TF_CAPI_EXPORT extern uint64_t TF_DeviceListIncarnation(const TF_DeviceList* list, int index,
                                                        TF_Status* status);

/* ---- Plug-ins and what is registered ---- */

typedef struct TF_Library TF_Library;

/* Loads a shared object that registers ops or kernels. */
TF_CAPI_EXPORT extern TF_Library* TF_LoadLibrary(const char* library_filename, TF_Status* status);
/* A serialised OpList of what it registered; the bytes belong to the library handle. */
TF_CAPI_EXPORT extern TF_Buffer TF_GetOpList(TF_Library* lib_handle);
/* Frees the handle; what was registered stays. */
TF_CAPI_EXPORT extern void TF_DeleteLibraryHandle(TF_Library* lib_handle);
/* A serialised OpList of all ops. */
TF_CAPI_EXPORT extern TF_Buffer* TF_GetAllOpList(void);

/* The documentation of ops: ApiDefs that are merged over what the ops say themselves. */
typedef struct TF_ApiDefMap TF_ApiDefMap;

/* For the ops of a serialised OpList. */
TF_CAPI_EXPORT extern TF_ApiDefMap* TF_NewApiDefMap(TF_Buffer* op_list_buffer, TF_Status* status);
TF_CAPI_EXPORT extern void TF_DeleteApiDefMap(TF_ApiDefMap* apimap);
/* Adds overrides: ApiDefs in text format. */
TF_CAPI_EXPORT extern void TF_ApiDefMapPut(TF_ApiDefMap* api_def_map, const char* text, size_t text_len,
                                           TF_Status* status);
/* A serialised ApiDef, or null when there is no such op. */
TF_CAPI_EXPORT extern TF_Buffer* TF_ApiDefMapGet(TF_ApiDefMap* api_def_map, const char* name, size_t name_len,
                                                 TF_Status* status);

/* A serialised KernelList. */
TF_CAPI_EXPORT extern TF_Buffer* TF_GetAllRegisteredKernels(TF_Status* status);
TF_CAPI_EXPORT extern TF_Buffer* TF_GetRegisteredKernelsForOp(const char* name, TF_Status* status);

/* Lets an input of an operation come from elsewhere. Sessions that have the operation already refuse to run
   on. */
TF_CAPI_EXPORT extern void TF_UpdateEdge(TF_Graph* graph, TF_Output new_src, TF_Input dst, TF_Status* status);

/* ---- Servers ---- */

typedef struct TF_Server TF_Server;

/* A server of a cluster, from a serialised ServerDef. */
TF_CAPI_EXPORT extern TF_Server* TF_NewServer(const void* proto, size_t proto_len, TF_Status* status);
TF_CAPI_EXPORT extern void TF_ServerStart(TF_Server* server, TF_Status* status);
TF_CAPI_EXPORT extern void TF_ServerStop(TF_Server* server, TF_Status* status);
/* Blocks until the server has stopped. */
TF_CAPI_EXPORT extern void TF_ServerJoin(TF_Server* server, TF_Status* status);
/* What a session's target must be to use it. */
TF_CAPI_EXPORT extern const char* TF_ServerTarget(TF_Server* server);
TF_CAPI_EXPORT extern void TF_DeleteServer(TF_Server* server);

/* ---- Logs and file systems ---- */

/* `listener` is called with every line that is logged, from any thread. There is no way to take it back. */
TF_CAPI_EXPORT extern void TF_RegisterLogListener(void (*listener)(const char*));
TF_CAPI_EXPORT extern void TF_RegisterFilesystemPlugin(const char* plugin_filename, TF_Status* status);

/* ---- For language bindings: changing what is in a graph ---- */

TF_CAPI_EXPORT extern void TF_AddOperationControlInput(TF_Graph* graph, TF_Operation* op,
                                                       TF_Operation* input);
/* A serialised AttrValue. */
TF_CAPI_EXPORT extern void TF_SetAttr(TF_Graph* graph, TF_Operation* op, const char* attr_name,
                                      TF_Buffer* attr_value_proto, TF_Status* status);
TF_CAPI_EXPORT extern void TF_ClearAttr(TF_Graph* graph, TF_Operation* op, const char* attr_name,
                                        TF_Status* status);
/* A serialised FullTypeDef. */
TF_CAPI_EXPORT extern void TF_SetFullType(TF_Graph* graph, TF_Operation* op,
                                          const TF_Buffer* full_type_proto);
TF_CAPI_EXPORT extern void TF_SetRequestedDevice(TF_Graph* graph, TF_Operation* op, const char* device);
TF_CAPI_EXPORT extern void TF_RemoveAllControlInputs(TF_Graph* graph, TF_Operation* op);
/* Whether ops without a shape function are an error. */
TF_CAPI_EXPORT extern void TF_SetRequireShapeInferenceFns(TF_Graph* graph, bool require);
/* Takes up what was added to the graph, as the next run would. Sessions for which this was called once no
   longer do it by themselves. */
TF_CAPI_EXPORT extern void TF_ExtendSession(TF_Session* session, TF_Status* status);
/* What is known of the values behind a resource or variant handle: a serialised
   CppShapeInferenceResult.HandleData. */
TF_CAPI_EXPORT extern TF_Buffer* TF_GetHandleShapeAndType(TF_Graph* graph, TF_Output output);
TF_CAPI_EXPORT extern void TF_SetHandleShapeAndType(TF_Graph* graph, TF_Output output, const void* proto,
                                                    size_t proto_len, TF_Status* status);
/* Adds an input to a While that is already in the graph. */
TF_CAPI_EXPORT extern void TF_AddWhileInputHack(TF_Graph* graph, TF_Output new_src, TF_Operation* dst,
                                                TF_Status* status);

#ifdef __cplusplus
}
#endif

#endif /* TENSORFLOW_C_C_API_H_ */
