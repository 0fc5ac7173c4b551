#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"ApplyAdaMax",
     "var:Ref(T), m:Ref(T), v:Ref(T), beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"ApplyAdadelta", "var:Ref(T), accum:Ref(T), accum_update:Ref(T), lr:T, rho:T, epsilon:T, grad:T",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"ApplyAdagrad", "var:Ref(T), accum:Ref(T), lr:T, grad:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; update_slots:bool = True",
     ""},
    {"ApplyAdagradDA",
     "var:Ref(T), gradient_accumulator:Ref(T), gradient_squared_accumulator:Ref(T), grad:T, "
     "lr:T, l1:T, l2:T, global_step:int64",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"ApplyAdagradV2", "var:Ref(T), accum:Ref(T), lr:T, epsilon:T, grad:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; update_slots:bool = True",
     ""},
    {"ApplyAdam",
     "var:Ref(T), m:Ref(T), v:Ref(T), beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, "
     "epsilon:T, grad:T",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; use_nesterov:bool = False",
     ""},
    {"ApplyAddSign", "var:Ref(T), m:Ref(T), lr:T, alpha:T, sign_decay:T, beta:T, grad:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"ApplyCenteredRMSProp",
     "var:Ref(T), mg:Ref(T), ms:Ref(T), mom:Ref(T), lr:T, rho:T, momentum:T, epsilon:T, grad:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"ApplyFtrl", "var:Ref(T), accum:Ref(T), linear:Ref(T), grad:T, lr:T, l1:T, l2:T, lr_power:T",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; multiply_linear_by_lr:bool = False",
     ""},
    {"ApplyFtrlV2",
     "var:Ref(T), accum:Ref(T), linear:Ref(T), grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T, "
     "lr_power:T",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; multiply_linear_by_lr:bool = False",
     ""},
    {"ApplyGradientDescent", "var:Ref(T), alpha:T, delta:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"ApplyMomentum", "var:Ref(T), accum:Ref(T), lr:T, grad:T, momentum:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; use_nesterov:bool = False",
     ""},
    {"ApplyPowerSign", "var:Ref(T), m:Ref(T), lr:T, logbase:T, sign_decay:T, beta:T, grad:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"ApplyProximalAdagrad", "var:Ref(T), accum:Ref(T), lr:T, l1:T, l2:T, grad:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"ApplyProximalGradientDescent", "var:Ref(T), alpha:T, l1:T, l2:T, delta:T", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"ApplyRMSProp", "var:Ref(T), ms:Ref(T), mom:Ref(T), lr:T, rho:T, momentum:T, epsilon:T, grad:T",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"Assign", "ref:Ref(T), value:T", "output_ref:Ref(T)",
     "T:type; validate_shape:bool = True; use_locking:bool = True", "uninitialized_ok"},
    {"AssignAdd", "ref:Ref(T), value:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"AssignAddVariableOp", "resource:resource, value:dtype", "", "dtype:type", "stateful"},
    {"AssignSub", "ref:Ref(T), value:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     ""},
    {"AssignSubVariableOp", "resource:resource, value:dtype", "", "dtype:type", "stateful"},
    {"AssignVariableOp", "resource:resource, value:dtype", "", "dtype:type; validate_shape:bool = False",
     "stateful"},
    {"CompositeTensorVariantFromComponents", "components:list(Tcomponents)", "encoded:variant",
     "metadata:string; Tcomponents:list(type) >= 0", ""},
    {"CompositeTensorVariantToComponents", "encoded:variant", "components:list(Tcomponents)",
     "metadata:string; Tcomponents:list(type) >= 0", ""},
    {"CountUpTo", "ref:Ref(T)", "output:T", "limit:int; T:type in [int32,int64]", ""},
    {"DestroyResourceOp", "resource:resource", "", "ignore_lookup_error:bool = True", "stateful"},
    {"DestroyTemporaryVariable", "ref:Ref(T)", "value:T", "T:type; var_name:string", ""},
    {"FakeQuantWithMinMaxVarsGradient", "gradients:float, inputs:float, min:float, max:float",
     "backprops_wrt_input:float, backprop_wrt_min:float, backprop_wrt_max:float",
     "num_bits:int = 8; narrow_range:bool = False", ""},
    {"FakeQuantWithMinMaxVarsPerChannel", "inputs:float, min:float, max:float", "outputs:float",
     "num_bits:int = 8; narrow_range:bool = False", ""},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", "gradients:float, inputs:float, min:float, max:float",
     "backprops_wrt_input:float, backprop_wrt_min:float, backprop_wrt_max:float",
     "num_bits:int = 8; narrow_range:bool = False", ""},
    {"HashTable", "", "table_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type",
     "stateful"},
    {"HashTableV2", "", "table_handle:resource",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type",
     "stateful"},
    {"InitializeTable", "table_handle:Ref(string), keys:Tkey, values:Tval", "", "Tkey:type; Tval:type", ""},
    {"InitializeTableFromTextFile", "table_handle:Ref(string), filename:string", "",
     "key_index:int >= -2; value_index:int >= -2; vocab_size:int >= -1 = -1; delimiter:string "
     "= '\\t'; offset:int = 0",
     ""},
    {"InitializeTableFromTextFileV2", "table_handle:resource, filename:string", "",
     "key_index:int >= -2; value_index:int >= -2; vocab_size:int >= -1 = -1; delimiter:string "
     "= '\\t'; offset:int = 0",
     "stateful"},
    {"InitializeTableV2", "table_handle:resource, keys:Tkey, values:Tval", "", "Tkey:type; Tval:type",
     "stateful"},
    {"IsVariableInitialized", "ref:Ref(dtype)", "is_initialized:bool", "dtype:type", "uninitialized_ok"},
    {"LookupTableExportV2", "table_handle:resource", "keys:Tkeys, values:Tvalues", "Tkeys:type; Tvalues:type",
     "stateful"},
    {"LookupTableFind", "table_handle:Ref(string), keys:Tin, default_value:Tout", "values:Tout",
     "Tin:type; Tout:type", ""},
    {"LookupTableFindV2", "table_handle:resource, keys:Tin, default_value:Tout", "values:Tout",
     "Tin:type; Tout:type", "stateful"},
    {"LookupTableImportV2", "table_handle:resource, keys:Tin, values:Tout", "", "Tin:type; Tout:type",
     "stateful"},
    {"LookupTableInsertV2", "table_handle:resource, keys:Tin, values:Tout", "", "Tin:type; Tout:type",
     "stateful"},
    {"LookupTableSize", "table_handle:Ref(string)", "size:int64", "", ""},
    {"LookupTableSizeV2", "table_handle:resource", "size:int64", "", "stateful"},
    {"MutableHashTableV2", "", "table_handle:resource",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type",
     "stateful"},
    {"RaggedTensorFromVariant", "encoded_ragged:variant",
     "output_nested_splits:output_ragged_rank * Tsplits, output_dense_values:Tvalues",
     "input_ragged_rank:int >= -1; output_ragged_rank:int >= 0; Tvalues:type; Tsplits:type in "
     "[int32,int64] = int64",
     ""},
    {"RaggedTensorToVariant", "rt_nested_splits:RAGGED_RANK * Tsplits, rt_dense_values:Tvalues",
     "encoded_ragged:variant",
     "RAGGED_RANK:int >= 0; Tvalues:type; Tsplits:type in [int32,int64] = int64; "
     "batched_input:bool",
     ""},
    {"RaggedTensorToVariantGradient",
     "encoded_ragged_grad:variant, row_splits:Tsplits, dense_values_shape:int32", "dense_values_grad:Tvalues",
     "Tvalues:type; Tsplits:type in [int32,int64] = int64", ""},
    {"ReadVariableOp", "resource:resource", "value:dtype", "dtype:type", "stateful"},
    {"ResourceAccumulatorApplyGradient", "handle:resource, local_step:int64, gradient:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     "stateful"},
    {"ResourceApplyAdaMax",
     "var:resource, m:resource, v:resource, beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, "
     "grad:T",
     "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyAdadelta",
     "var:resource, accum:resource, accum_update:resource, lr:T, rho:T, epsilon:T, grad:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyAdagrad", "var:resource, accum:resource, lr:T, grad:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; update_slots:bool = True",
     "stateful"},
    {"ResourceApplyAdagradDA",
     "var:resource, gradient_accumulator:resource, gradient_squared_accumulator:resource, "
     "grad:T, lr:T, l1:T, l2:T, global_step:int64",
     "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyAdagradV2", "var:resource, accum:resource, lr:T, epsilon:T, grad:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; update_slots:bool = True",
     "stateful"},
    {"ResourceApplyAdam",
     "var:resource, m:resource, v:resource, beta1_power:T, beta2_power:T, lr:T, beta1:T, "
     "beta2:T, epsilon:T, grad:T",
     "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; use_nesterov:bool = False",
     "stateful"},
    {"ResourceApplyAdamWithAmsgrad",
     "var:resource, m:resource, v:resource, vhat:resource, beta1_power:T, beta2_power:T, lr:T,"
     " beta1:T, beta2:T, epsilon:T, grad:T",
     "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyAddSign", "var:resource, m:resource, lr:T, alpha:T, sign_decay:T, beta:T, grad:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyCenteredRMSProp",
     "var:resource, mg:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, "
     "epsilon:T, grad:T",
     "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyFtrl",
     "var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, lr_power:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; multiply_linear_by_lr:bool = False",
     "stateful"},
    {"ResourceApplyFtrlV2",
     "var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T,"
     " lr_power:T",
     "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; multiply_linear_by_lr:bool = False",
     "stateful"},
    {"ResourceApplyGradientDescent", "var:resource, alpha:T, delta:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyKerasMomentum", "var:resource, accum:resource, lr:T, grad:T, momentum:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; use_nesterov:bool = False",
     "stateful"},
    {"ResourceApplyMomentum", "var:resource, accum:resource, lr:T, grad:T, momentum:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = "
     "False; use_nesterov:bool = False",
     "stateful"},
    {"ResourceApplyPowerSign", "var:resource, m:resource, lr:T, logbase:T, sign_decay:T, beta:T, grad:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyProximalAdagrad", "var:resource, accum:resource, lr:T, l1:T, l2:T, grad:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyProximalGradientDescent", "var:resource, alpha:T, l1:T, l2:T, delta:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceApplyRMSProp",
     "var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; use_locking:bool = False",
     "stateful"},
    {"ResourceGather", "resource:resource, indices:Tindices", "output:dtype",
     "batch_dims:int = 0; validate_indices:bool = True; dtype:type; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceGatherNd", "resource:resource, indices:Tindices", "output:dtype",
     "dtype:type; Tindices:type in [int32,int64]", "stateful"},
    {"ResourceScatterAdd", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterDiv", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterMax", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterMin", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterMul", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterNdAdd", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"ResourceScatterNdUpdate", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"ResourceScatterSub", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterUpdate", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type; Tindices:type in [int32,int64]", "stateful"},
    {"ResourceSparseApplyAdagrad", "var:resource, accum:resource, lr:T, grad:T, indices:Tindices", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; update_slots:bool = True",
     "stateful"},
    {"ResourceSparseApplyAdagradV2",
     "var:resource, accum:resource, lr:T, epsilon:T, grad:T, indices:Tindices", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; update_slots:bool = True",
     "stateful"},
    {"ResourceSparseApplyFtrl",
     "var:resource, accum:resource, linear:resource, grad:T, indices:Tindices, lr:T, l1:T, "
     "l2:T, lr_power:T",
     "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; multiply_linear_by_lr:bool = False",
     "stateful"},
    {"ResourceSparseApplyKerasMomentum",
     "var:resource, accum:resource, lr:T, grad:T, indices:Tindices, momentum:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; use_nesterov:bool = False",
     "stateful"},
    {"ResourceSparseApplyMomentum",
     "var:resource, accum:resource, lr:T, grad:T, indices:Tindices, momentum:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; use_nesterov:bool = False",
     "stateful"},
    {"ResourceSparseApplyRMSProp",
     "var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T, "
     "indices:Tindices",
     "",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     "stateful"},
    {"ScatterAdd", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"ScatterDiv", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"ScatterMax", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [half,bfloat16,float,double,int32,int64]; Tindices:type in [int32,int64]; "
     "use_locking:bool = False",
     ""},
    {"ScatterMin", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [half,bfloat16,float,double,int32,int64]; Tindices:type in [int32,int64]; "
     "use_locking:bool = False",
     ""},
    {"ScatterMul", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"ScatterNdAdd", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; bad_indices_policy:string = ''",
     ""},
    {"ScatterNdSub", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; bad_indices_policy:string = ''",
     ""},
    {"ScatterNdUpdate", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     ""},
    {"ScatterSub", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"ScatterUpdate", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True", ""},
    {"SparseApplyAdagrad", "var:Ref(T), accum:Ref(T), lr:T, grad:T, indices:Tindices", "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; update_slots:bool = True",
     ""},
    {"SparseApplyFtrl",
     "var:Ref(T), accum:Ref(T), linear:Ref(T), grad:T, indices:Tindices, lr:T, l1:T, l2:T, "
     "lr_power:T",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; multiply_linear_by_lr:bool = False",
     ""},
    {"SparseApplyMomentum", "var:Ref(T), accum:Ref(T), lr:T, grad:T, indices:Tindices, momentum:T",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; use_nesterov:bool = False",
     ""},
    {"SparseApplyProximalGradientDescent", "var:Ref(T), alpha:T, l1:T, l2:T, grad:T, indices:Tindices",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"SparseApplyRMSProp",
     "var:Ref(T), ms:Ref(T), mom:Ref(T), lr:T, rho:T, momentum:T, epsilon:T, grad:T, "
     "indices:Tindices",
     "out:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"TemporaryVariable", "", "ref:Ref(dtype)", "shape:shape; dtype:type; var_name:string = ''", "stateful"},
    {"VarHandleOp", "", "resource:resource",
     "container:string = ''; shared_name:string = ''; debug_name:string = ''; dtype:type; "
     "shape:shape; allowed_devices:list(string) = []",
     "stateful"},
    {"VarIsInitializedOp", "resource:resource", "is_initialized:bool", "", "stateful"},
    {"Variable", "", "ref:Ref(dtype)",
     "shape:shape; dtype:type; container:string = ''; shared_name:string = ''", "stateful"},
    {"VariableShape", "input:resource", "output:out_type", "out_type:type in [int32,int64] = int32",
     "stateful"},
    {"VariableV2", "", "ref:Ref(dtype)",
     "shape:shape; dtype:type; container:string = ''; shared_name:string = ''", "stateful"},
    {"_ReadVariablesOp", "resources:N * resource", "values:list(dtypes)",
     "N:int >= 0; dtypes:list(type) >= 1", "stateful"},
    {"_VarHandlesOp", "", "resources:N * resource",
     "containers:list(string); shared_names:list(string); N:int >= 0; dtypes:list(type); "
     "shapes:list(shape)",
     "stateful"},
};

}  // namespace

absl::Status register_state_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
