#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"Abs", "x:T", "y:T", "T:type in [bfloat16,half,float,double,int8,int16,int32,int64]", ""},
    {"Acos", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Acosh", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"AdjustContrast", "images:T, contrast_factor:float, min_value:float, max_value:float", "output:float",
     "T:type in [uint8,int8,int16,int32,int64,float,double]", "deprecated_since_2"},
    {"AllCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; seed:int = 0; seed2:int = 0", "stateful"},
    {"AllToAll", "input:T, group_assignment:int32", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64,bool]; "
     "concat_dimension:int; split_dimension:int; split_count:int",
     "stateful"},
    {"AnonymousHashTable", "", "table_handle:resource", "key_dtype:type; value_dtype:type", "stateful"},
    {"AnonymousMemoryCache", "", "handle:resource, deleter:variant", "", "stateful"},
    {"AnonymousMutableDenseHashTable", "empty_key:key_dtype, deleted_key:key_dtype", "table_handle:resource",
     "key_dtype:type; value_dtype:type; value_shape:shape = []; initial_num_buckets:int = "
     "131072; max_load_factor:float = 0.800000011920929",
     "stateful"},
    {"AnonymousMutableHashTable", "", "table_handle:resource", "key_dtype:type; value_dtype:type",
     "stateful"},
    {"AnonymousMutableHashTableOfTensors", "", "table_handle:resource",
     "key_dtype:type; value_dtype:type; value_shape:shape = []", "stateful"},
    {"AnonymousSeedGenerator", "seed:int64, seed2:int64, reshuffle:bool", "handle:resource, deleter:variant",
     "", "stateful"},
    {"ApproxTopK", "input:T", "values:T, indices:int32",
     "k:int >= 0; reduction_dimension:int = -1; recall_target:float = 0.949999988079071; "
     "is_max_k:bool = True; reduction_input_size_override:int = -1; aggregate_to_topk:bool = "
     "True; T:type in [half,bfloat16,float]",
     ""},
    {"Asin", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Asinh", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Atan", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Atanh", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"BandedTriangularSolve", "matrix:T, rhs:T", "output:T",
     "lower:bool = True; adjoint:bool = False; T:type in [double,float,half,complex64,"
     "complex128]",
     ""},
    {"Batch", "in_tensors:list(T)", "batched_tensors:list(T), batch_index:int64, id:int64",
     "num_batch_threads:int; max_batch_size:int; max_enqueued_batches:int = 10; "
     "batch_timeout_micros:int; allowed_batch_sizes:list(int) = []; grad_timeout_micros:int; "
     "container:string = ''; shared_name:string = ''; batching_queue:string = ''; "
     "T:list(type) >= 1",
     "distributed"},
    {"BatchFunction", "in_tensors:list(Tin), captured_tensors:list(Tcaptured)", "out_tensors:list(Tout)",
     "f:func; num_batch_threads:int; max_batch_size:int; batch_timeout_micros:int; "
     "max_enqueued_batches:int = 10; allowed_batch_sizes:list(int) = []; container:string = "
     "''; shared_name:string = ''; batching_queue:string = ''; "
     "low_priority_max_batch_size:int = 0; low_priority_batch_timeout_micros:int = 0; "
     "low_priority_allowed_batch_sizes:list(int) = []; low_priority_max_enqueued_batches:int "
     "= 0; mixed_priority_policy:string in [b'low_priority_padding_with_max_batch_size',"
     "b'low_priority_padding_with_next_allowed_batch_size',b'priority_isolation',"
     "b'priority_merge'] = 'low_priority_padding_with_max_batch_size'; "
     "batch_padding_policy:string in [b'PAD_UP',b'BATCH_DOWN',"
     "b'MINIMIZE_TPU_COST_PER_REQUEST'] = 'PAD_UP'; Tin:list(type) >= 1; Tcaptured:list(type) "
     ">= 0; Tout:list(type) >= 1; enable_large_batch_splitting:bool = False",
     "distributed"},
    {"BatchMatMulV3", "x:Ta, y:Tb", "output:Tout",
     "Ta:type in [bfloat16,half,float,double,uint8,int8,int16,int32,int64,complex64,"
     "complex128]; Tb:type in [bfloat16,half,float,double,uint8,int8,int16,int32,int64,"
     "complex64,complex128]; Tout:type in [bfloat16,half,float,double,int16,int32,int64,"
     "complex64,complex128]; adj_x:bool = False; adj_y:bool = False; grad_x:bool = False; "
     "grad_y:bool = False",
     ""},
    {"BatchNormWithGlobalNormalizationGrad", "t:T, m:T, v:T, gamma:T, backprop:T",
     "dx:T, dm:T, dv:T, db:T, dg:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; variance_epsilon:float; "
     "scale_after_normalization:bool",
     "deprecated_since_9"},
    {"BatchToSpace", "input:T, crops:Tidx", "output:T",
     "T:type; block_size:int >= 2; Tidx:type in [int32,int64] = int32", ""},
    {"BesselI0", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselI0e", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselI1", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselI1e", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselJ0", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselJ1", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselK0", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselK0e", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselK1", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselK1e", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselY0", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BesselY1", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BlockLSTMGrad",
     "seq_len_max:int64, x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T, i:T, cs:T, "
     "f:T, o:T, ci:T, co:T, h:T, cs_grad:T, h_grad:T",
     "x_grad:T, cs_prev_grad:T, h_prev_grad:T, w_grad:T, wci_grad:T, wcf_grad:T, wco_grad:T, "
     "b_grad:T",
     "use_peephole:bool; T:type in [half,float]", ""},
    {"BlockLSTMGradV2",
     "seq_len_max:int64, x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T, i:T, cs:T, "
     "f:T, o:T, ci:T, co:T, h:T, cs_grad:T, h_grad:T",
     "x_grad:T, cs_prev_grad:T, h_prev_grad:T, w_grad:T, wci_grad:T, wcf_grad:T, wco_grad:T, "
     "b_grad:T",
     "use_peephole:bool; T:type in [half,float]", ""},
    {"BlockLSTMV2", "seq_len_max:int64, x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T",
     "i:T, cs:T, f:T, o:T, ci:T, co:T, h:T",
     "cell_clip:float = 0.0; use_peephole:bool = False; T:type in [half,float]", ""},
    {"Bucketize", "input:T", "output:int32", "T:type in [int32,int64,float,double]; boundaries:list(float)",
     ""},
    {"CTCLossV2", "inputs:float, labels_indices:int64, labels_values:int32, sequence_length:int32",
     "loss:float, gradient:float",
     "preprocess_collapse_repeated:bool = False; ctc_merge_repeated:bool = True; "
     "ignore_longer_outputs_than_inputs:bool = False",
     ""},
    {"Ceil", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"CheckPinned", "tensor:T", "output:T", "T:type", ""},
    {"CompressElement", "components:list(input_types)", "compressed:variant", "input_types:list(type) >= 1",
     ""},
    {"ComputeAccidentalHits", "true_classes:int64, sampled_candidates:int64",
     "indices:int32, ids:int64, weights:float", "num_true:int; seed:int = 0; seed2:int = 0", ""},
    {"ComputeBatchSize", "input_dataset:variant", "batch_size:int64", "", ""},
    {"ConsumeMutexLock", "mutex_lock:variant", "", "", "stateful"},
    {"Conv", "input:T, filter:T", "output:T",
     "T:type in [half,bfloat16,float,double,int32]; strides:list(int); padding:string in "
     "[b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; data_format:string in "
     "[b'CHANNELS_FIRST',b'CHANNELS_LAST'] = 'CHANNELS_LAST'; dilations:list(int) = []; "
     "batch_dims:int = 1; groups:int = 1",
     ""},
    {"Conv2DBackpropFilterV2", "input:T, filter:T, out_backprop:T", "output:T",
     "T:type in [half,bfloat16,float,double]; strides:list(int); use_cudnn_on_gpu:bool = "
     "True; padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = "
     "[]; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv2DBackpropInputV2", "input:T, filter:T, out_backprop:T", "output:T",
     "T:type in [half,bfloat16,float,double,int32]; strides:list(int); use_cudnn_on_gpu:bool "
     "= True; padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = "
     "[]; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv3DBackpropFilter", "input:T, filter:T, out_backprop:T", "output:T",
     "T:type in [half,float,double]; strides:list(int) >= 5; padding:string in [b'SAME',"
     "b'VALID']; dilations:list(int) = [1,1,1,1,1]",
     "deprecated_since_10"},
    {"Conv3DBackpropInput", "input:T, filter:T, out_backprop:T", "output:T",
     "T:type in [half,float,double]; strides:list(int) >= 5; padding:string in [b'SAME',"
     "b'VALID']; dilations:list(int) = [1,1,1,1,1]",
     "deprecated_since_10"},
    {"Copy", "input:T", "output:T", "T:type; tensor_name:string = ''; debug_ops_spec:list(string) = []",
     "uninitialized_ok"},
    {"CopyHost", "input:T", "output:T", "T:type; tensor_name:string = ''; debug_ops_spec:list(string) = []",
     "uninitialized_ok"},
    {"Cos", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Cosh", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"CrossReplicaSum", "input:T, group_assignment:int32", "output:T",
     "T:type in [half,bfloat16,float,double,int32,uint32]", "stateful"},
    {"CudnnRNN", "input:T, input_h:T, input_c:T, params:T",
     "output:T, output_h:T, output_c:T, reserve_space:T",
     "T:type in [bfloat16,half,float,double]; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',"
     "b'lstm',b'gru'] = 'lstm'; input_mode:string in [b'linear_input',b'skip_input',"
     "b'auto_select'] = 'linear_input'; direction:string in [b'unidirectional',"
     "b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; seed:int = 0; seed2:int = 0; "
     "is_training:bool = True",
     "stateful"},
    {"CudnnRNNBackprop",
     "input:T, input_h:T, input_c:T, params:T, output:T, output_h:T, output_c:T, "
     "output_backprop:T, output_h_backprop:T, output_c_backprop:T, reserve_space:T",
     "input_backprop:T, input_h_backprop:T, input_c_backprop:T, params_backprop:T",
     "T:type in [bfloat16,half,float,double]; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',"
     "b'lstm',b'gru'] = 'lstm'; input_mode:string in [b'linear_input',b'skip_input',"
     "b'auto_select'] = 'linear_input'; direction:string in [b'unidirectional',"
     "b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; seed:int = 0; seed2:int = 0",
     "stateful"},
    {"CudnnRNNBackpropV2",
     "input:T, input_h:T, input_c:T, params:T, output:T, output_h:T, output_c:T, "
     "output_backprop:T, output_h_backprop:T, output_c_backprop:T, reserve_space:T, "
     "host_reserved:int8",
     "input_backprop:T, input_h_backprop:T, input_c_backprop:T, params_backprop:T",
     "T:type in [bfloat16,half,float,double]; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',"
     "b'lstm',b'gru'] = 'lstm'; input_mode:string in [b'linear_input',b'skip_input',"
     "b'auto_select'] = 'linear_input'; direction:string in [b'unidirectional',"
     "b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; seed:int = 0; seed2:int = 0",
     "stateful"},
    {"CudnnRNNBackpropV3",
     "input:T, input_h:T, input_c:T, params:T, sequence_lengths:int32, output:T, output_h:T, "
     "output_c:T, output_backprop:T, output_h_backprop:T, output_c_backprop:T, "
     "reserve_space:T, host_reserved:int8",
     "input_backprop:T, input_h_backprop:T, input_c_backprop:T, params_backprop:T",
     "T:type in [bfloat16,half,float,double]; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',"
     "b'lstm',b'gru'] = 'lstm'; input_mode:string in [b'linear_input',b'skip_input',"
     "b'auto_select'] = 'linear_input'; direction:string in [b'unidirectional',"
     "b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; seed:int = 0; seed2:int = 0; "
     "num_proj:int = 0; time_major:bool = True",
     "stateful"},
    {"CudnnRNNCanonicalToParams",
     "num_layers:int32, num_units:int32, input_size:int32, weights:num_params * T, "
     "biases:num_params * T",
     "params:T",
     "T:type in [bfloat16,half,float,double]; num_params:int >= 1; rnn_mode:string in "
     "[b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; input_mode:string in "
     "[b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; direction:string in "
     "[b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; seed:int "
     "= 0; seed2:int = 0",
     ""},
    {"CudnnRNNCanonicalToParamsV2",
     "num_layers:int32, num_units:int32, input_size:int32, weights:num_params_weights * T, "
     "biases:num_params_biases * T",
     "params:T",
     "T:type in [bfloat16,half,float,double]; num_params_weights:int >= 1; "
     "num_params_biases:int >= 1; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] "
     "= 'lstm'; input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = "
     "'linear_input'; direction:string in [b'unidirectional',b'bidirectional'] = "
     "'unidirectional'; dropout:float = 0.0; seed:int = 0; seed2:int = 0; num_proj:int = 0",
     ""},
    {"CudnnRNNParamsToCanonical", "num_layers:int32, num_units:int32, input_size:int32, params:T",
     "weights:num_params * T, biases:num_params * T",
     "T:type in [bfloat16,half,float,double]; num_params:int >= 1; rnn_mode:string in "
     "[b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; input_mode:string in "
     "[b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; direction:string in "
     "[b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; seed:int "
     "= 0; seed2:int = 0",
     ""},
    {"CudnnRNNParamsToCanonicalV2", "num_layers:int32, num_units:int32, input_size:int32, params:T",
     "weights:num_params_weights * T, biases:num_params_biases * T",
     "T:type in [bfloat16,half,float,double]; num_params_weights:int >= 1; "
     "num_params_biases:int >= 1; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] "
     "= 'lstm'; input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = "
     "'linear_input'; direction:string in [b'unidirectional',b'bidirectional'] = "
     "'unidirectional'; dropout:float = 0.0; seed:int = 0; seed2:int = 0; num_proj:int = 0",
     ""},
    {"CudnnRNNV3", "input:T, input_h:T, input_c:T, params:T, sequence_lengths:int32",
     "output:T, output_h:T, output_c:T, reserve_space:T, host_reserved:int8",
     "T:type in [bfloat16,half,float,double]; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',"
     "b'lstm',b'gru'] = 'lstm'; input_mode:string in [b'linear_input',b'skip_input',"
     "b'auto_select'] = 'linear_input'; direction:string in [b'unidirectional',"
     "b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; seed:int = 0; seed2:int = 0; "
     "num_proj:int = 0; is_training:bool = True; time_major:bool = True",
     "stateful"},
    {"CumulativeLogsumexp", "x:T, axis:Tidx", "out:T",
     "exclusive:bool = False; reverse:bool = False; T:type in [bfloat16,half,float,double]; "
     "Tidx:type in [int32,int64] = int32",
     ""},
    {"CustomAggregator", "input:float", "output:float, min:float, max:float, histogram:int64",
     "id:string; calibration_method:int = 0; num_bins:int = 0; min_percentile:float = 0.0; "
     "max_percentile:float = 0.0",
     ""},
    {"DataFormatDimMap", "x:T", "y:T",
     "T:type in [int32,int64] = int32; src_format:string = 'NHWC'; dst_format:string = 'NCHW'", ""},
    {"DataFormatVecPermute", "x:T", "y:T",
     "T:type in [int32,int64] = int32; src_format:string = 'NHWC'; dst_format:string = 'NCHW'", ""},
    {"Dawsn", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"DebugGradientIdentity", "input:T", "output:T", "T:type", "uninitialized_ok"},
    {"DebugGradientRefIdentity", "input:Ref(T)", "output:Ref(T)", "T:type", "uninitialized_ok"},
    {"DebugIdentity", "input:T", "output:T",
     "T:type; device_name:string = ''; tensor_name:string = ''; debug_urls:list(string) = []; "
     "gated_grpc:bool = False",
     "uninitialized_ok"},
    {"DebugIdentityV2", "input:T", "output:T",
     "T:type; tfdbg_context_id:string = ''; op_name:string = ''; output_slot:int = -1; "
     "tensor_debug_mode:int = -1; debug_urls:list(string) = []; circular_buffer_size:int = "
     "1000; tfdbg_run_id:string = ''",
     "stateful"},
    {"DebugIdentityV3", "input:T", "output:T",
     "T:type; device_name:string = ''; tensor_name:string = ''; io_of_node:string = ''; "
     "is_input:bool = False; io_index:int = -1; debug_urls:list(string) = []; gated_grpc:bool "
     "= False",
     "stateful uninitialized_ok"},
    {"DebugNanCount", "input:T", "output:int64",
     "T:type; device_name:string = ''; tensor_name:string = ''; debug_urls:list(string) = []; "
     "gated_grpc:bool = False",
     "uninitialized_ok"},
    {"DeleteMemoryCache", "handle:resource, deleter:variant", "", "", "stateful"},
    {"DeleteRpcFutureResource", "handle:resource, deleter:variant", "", "", "stateful"},
    {"DeleteSeedGenerator", "handle:resource, deleter:variant", "", "", "stateful"},
    {"DenseBincount", "input:Tidx, size:Tidx, weights:T", "output:T",
     "Tidx:type in [int32,int64]; T:type in [int32,int64,float,double]; binary_output:bool = "
     "False",
     ""},
    {"DenseToDenseSetOperation", "set1:T, set2:T",
     "result_indices:int64, result_values:T, result_shape:int64",
     "set_operation:string; validate_indices:bool = True; T:type in [int8,int16,int32,int64,"
     "uint8,uint16,string]",
     ""},
    {"Dequantize", "input:T, min_range:float, max_range:float", "output:dtype",
     "T:type in [qint8,quint8,qint32,qint16,quint16]; mode:string in [b'MIN_COMBINED',"
     "b'MIN_FIRST',b'SCALED'] = 'MIN_COMBINED'; narrow_range:bool = False; axis:int = -1; "
     "dtype:type in [bfloat16,float] = float",
     ""},
    {"DeviceIndex", "", "index:int32", "device_names:list(string)", "stateful"},
    {"Digamma", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"Dilation2DBackpropFilter", "input:T, filter:T, out_backprop:T", "filter_backprop:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; strides:list(int) >= 4; rates:list(int) >= 4; padding:string in [b'SAME',"
     "b'VALID']",
     ""},
    {"Dilation2DBackpropInput", "input:T, filter:T, out_backprop:T", "in_backprop:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; strides:list(int) >= 4; rates:list(int) >= 4; padding:string in [b'SAME',"
     "b'VALID']",
     ""},
    {"DisableCopyOnRead", "resource:resource", "", "", "stateful"},
    {"DummyIterationCounter", "", "handle:resource", "", "stateful"},
    {"DummyMemoryCache", "", "handle:resource", "", "stateful"},
    {"DummySeedGenerator", "", "handle:resource", "", "stateful"},
    {"DumpTensor", "tensor_data:T", "",
     "log_dir_path:string; file_name:string; T:type; enabled:bool; func_name:string; "
     "node_name:string",
     "stateful"},
    {"Empty", "shape:int32", "output:dtype", "dtype:type; init:bool = False", "stateful"},
    {"Erf", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"Erfc", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"Erfinv", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"Exp", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"ExperimentalStatsAggregatorHandle", "", "handle:resource",
     "container:string = ''; shared_name:string = ''", "stateful"},
    {"ExperimentalThreadPoolHandle", "", "handle:resource",
     "num_threads:int; max_intra_op_parallelism:int = 1; display_name:string; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"Expint", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"Expm1", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"ExtractVolumePatches", "input:T", "patches:T",
     "ksizes:list(int) >= 5; strides:list(int) >= 5; T:type in [float,double,int32,uint8,"
     "int16,int8,int64,bfloat16,uint16,half,uint32,uint64]; padding:string in [b'SAME',"
     "b'VALID']",
     ""},
    {"Fact", "", "fact:string", "", ""},
    {"FakeQuantWithMinMaxArgsGradient", "gradients:float, inputs:float", "backprops:float",
     "min:float = -6.0; max:float = 6.0; num_bits:int = 8; narrow_range:bool = False", ""},
    {"FakeQueue", "resource:resource", "handle:Ref(string)", "", "stateful"},
    {"Fingerprint", "data:T, method:string", "fingerprint:uint8", "T:type", ""},
    {"FixedUnigramCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; range_max:int >= 1; "
     "vocab_file:string = ''; distortion:float = 1.0; num_reserved_ids:int = 0; "
     "num_shards:int >= 1 = 1; shard:int >= 0 = 0; unigrams:list(float) = []; seed:int = 0; "
     "seed2:int = 0",
     "stateful"},
    {"Floor", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"FractionalAvgPool", "value:T", "output:T, row_pooling_sequence:int64, col_pooling_sequence:int64",
     "pooling_ratio:list(float) >= 4; pseudo_random:bool = False; overlapping:bool = False; "
     "deterministic:bool = False; seed:int = 0; seed2:int = 0; T:type in [float,double,int32,"
     "int64]",
     ""},
    {"FractionalAvgPoolGrad",
     "orig_input_tensor_shape:int64, out_backprop:T, row_pooling_sequence:int64, "
     "col_pooling_sequence:int64",
     "output:T", "overlapping:bool = False; T:type in [float,double,int32,int64]", ""},
    {"FractionalMaxPoolGrad",
     "orig_input:T, orig_output:T, out_backprop:T, row_pooling_sequence:int64, "
     "col_pooling_sequence:int64",
     "output:T", "overlapping:bool = False; T:type in [float,double,int32,int64]", ""},
    {"FresnelCos", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"FresnelSin", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"FusedPadConv2D", "input:T, paddings:int32, filter:T", "output:T",
     "T:type in [half,bfloat16,float,double]; mode:string in [b'REFLECT',b'SYMMETRIC']; "
     "strides:list(int); padding:string in [b'SAME',b'VALID']",
     ""},
    {"GRUBlockCellGrad", "x:T, h_prev:T, w_ru:T, w_c:T, b_ru:T, b_c:T, r:T, u:T, c:T, d_h:T",
     "d_x:T, d_h_prev:T, d_c_bar:T, d_r_bar_u_bar:T", "T:type in [float]", ""},
    {"GenerateBoundingBoxProposals",
     "scores:float, bbox_deltas:float, image_info:float, anchors:float, nms_threshold:float, "
     "pre_nms_topn:int32, min_size:float",
     "rois:float, roi_probabilities:float", "post_nms_topn:int = 300", ""},
    {"GenerateVocabRemapping", "new_vocab_file:string, old_vocab_file:string",
     "remapping:int64, num_present:int32",
     "new_vocab_offset:int >= 0; num_new_vocab:int >= 0; old_vocab_size:int >= -1 = -1", ""},
    {"GetElementAtIndex", "dataset:variant, index:int64", "components:list(output_types)",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"GetOptions", "input_dataset:variant", "serialized_options:string", "", ""},
    {"HistogramFixedWidth", "values:T, value_range:T, nbins:int32", "out:dtype",
     "T:type in [int32,int64,float,double]; dtype:type in [int32,int64] = int32", ""},
    {"HostConst", "", "output:dtype", "value:tensor; dtype:type", ""},
    {"IgammaGradA", "a:T, x:T", "z:T", "T:type in [float,double]", ""},
    {"ImportEvent", "writer:resource, event:string", "", "", "stateful"},
    {"InplaceAdd", "x:T, i:int32, v:T", "y:T", "T:type", ""},
    {"InplaceSub", "x:T, i:int32, v:T", "y:T", "T:type", ""},
    {"InplaceUpdate", "x:T, i:int32, v:T", "y:T", "T:type", ""},
    {"Inv", "x:T", "y:T",
     "T:type in [bfloat16,half,float,double,int8,int16,int32,int64,complex64,complex128]", ""},
    {"InvGrad", "y:T, dy:T", "z:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Invert", "x:T", "y:T", "T:type in [int8,int16,int32,int64,uint8,uint16,uint32,uint64]", ""},
    {"IsFinite", "x:T", "y:bool", "T:type in [bfloat16,half,float,double]", ""},
    {"IsInf", "x:T", "y:bool", "T:type in [bfloat16,half,float,double]", ""},
    {"IsNan", "x:T", "y:bool", "T:type in [bfloat16,half,float,double]", ""},
    {"IsResourceHandleRefCounting", "handle:resource", "result:bool", "", "stateful"},
    {"IsotonicRegression", "input:T", "output:output_dtype, segments:int32",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; output_dtype:type in [half,bfloat16,float,double] = float",
     ""},
    {"KMC2ChainInitialization", "distances:float, seed:int64", "index:int64", "", ""},
    {"KmeansPlusPlusInitialization",
     "points:float, num_to_sample:int64, seed:int64, num_retries_per_sample:int64", "samples:float", "", ""},
    {"KthOrderStatistic", "input:float", "output:float", "k:int", ""},
    {"LSTMBlockCellGrad",
     "x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T, i:T, cs:T, f:T, o:T, ci:T, "
     "co:T, cs_grad:T, h_grad:T",
     "cs_prev_grad:T, dicfo:T, wci_grad:T, wcf_grad:T, wco_grad:T",
     "use_peephole:bool; T:type in [half,float]", ""},
    {"LearnedUnigramCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; range_max:int >= 1; seed:int = 0; "
     "seed2:int = 0",
     "stateful"},
    {"Lgamma", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"Log", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Log1p", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"LogicalNot", "x:bool", "y:bool", "", ""},
    {"LookupTableExport", "table_handle:Ref(string)", "keys:Tkeys, values:Tvalues",
     "Tkeys:type; Tvalues:type", ""},
    {"LookupTableImport", "table_handle:Ref(string), keys:Tin, values:Tout", "", "Tin:type; Tout:type", ""},
    {"LookupTableInsert", "table_handle:Ref(string), keys:Tin, values:Tout", "", "Tin:type; Tout:type", ""},
    {"LookupTableRemoveV2", "table_handle:resource, keys:Tin", "", "Tin:type", "stateful"},
    {"LowerBound", "sorted_inputs:T, values:T", "output:out_type",
     "T:type; out_type:type in [int32,int64] = int32", ""},
    {"MakeUnique", "input:float", "output:float", "", ""},
    {"MakeWeakResourceHandle", "handle:resource", "dup:resource", "", "stateful"},
    {"MapClear", "", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"MapIncompleteSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"MapPeek", "key:int64, indices:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"MapSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"MapStage", "key:int64, indices:int32, values:list(fake_dtypes)", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); "
     "fake_dtypes:list(type) >= 1; container:string = ''; shared_name:string = ''",
     "stateful"},
    {"MapUnstage", "key:int64, indices:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"MapUnstageNoKey", "indices:int32", "key:int64, values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"MaxPool3DGradGrad", "orig_input:T, orig_output:T, grad:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:type in [float,double,int32,"
     "uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]",
     ""},
    {"MaxPoolGradGrad", "orig_input:T, orig_output:T, grad:T", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; T:type in [float,double,int32,uint8,"
     "int16,int8,int64,bfloat16,uint16,half,uint32,uint64]",
     ""},
    {"MaxPoolGradGradV2", "orig_input:T, orig_output:T, grad:T, ksize:int32, strides:int32", "output:T",
     "padding:string in [b'SAME',b'VALID']; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; "
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]",
     ""},
    {"MaxPoolGradGradWithArgmax", "input:T, grad:T, argmax:Targmax", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "include_batch_in_index:bool = False; Targmax:type in [int32,int64]; T:type in [float,"
     "double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]",
     ""},
    {"MaxPoolGradWithArgmax", "input:T, grad:T, argmax:Targmax", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "include_batch_in_index:bool = False; Targmax:type in [int32,int64]; T:type in [float,"
     "double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]",
     ""},
    {"MutableDenseHashTable", "empty_key:key_dtype", "table_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type; value_shape:shape = []; initial_num_buckets:int = "
     "131072; max_load_factor:float = 0.800000011920929",
     "stateful"},
    {"MutableDenseHashTableV2", "empty_key:key_dtype, deleted_key:key_dtype", "table_handle:resource",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type; value_shape:shape = []; initial_num_buckets:int = "
     "131072; max_load_factor:float = 0.800000011920929",
     "stateful"},
    {"MutableHashTable", "", "table_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type",
     "stateful"},
    {"MutableHashTableOfTensors", "", "table_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type; value_shape:shape = []",
     "stateful"},
    {"MutableHashTableOfTensorsV2", "", "table_handle:resource",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type; value_shape:shape = []",
     "stateful"},
    {"MutexLock", "mutex:resource", "mutex_lock:variant", "", "stateful"},
    {"MutexV2", "", "resource:resource", "container:string = ''; shared_name:string = ''", "stateful"},
    {"Ndtri", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"NearestNeighbors", "points:float, centers:float, k:int64",
     "nearest_center_indices:int64, nearest_center_distances:float", "", ""},
    {"Neg", "x:T", "y:T",
     "T:type in [bfloat16,half,float,double,int8,int16,int32,int64,complex64,complex128]", ""},
    {"NegTrain", "w_in:Ref(float), w_out:Ref(float), examples:int32, labels:int32, lr:float", "",
     "vocab_count:list(int); num_negative_samples:int", "stateful deprecated_since_19"},
    {"NextAfter", "x1:T, x2:T", "output:T", "T:type in [double,float] = float", ""},
    {"NonDeterministicInts", "shape:shape_dtype", "output:dtype",
     "dtype:type = int64; shape_dtype:type = int64", "stateful"},
    {"NonMaxSuppressionV2", "boxes:T, scores:T, max_output_size:int32, iou_threshold:T_threshold",
     "selected_indices:int32", "T:type in [half,float] = float; T_threshold:type in [half,float] = float",
     ""},
    {"NonMaxSuppressionV4",
     "boxes:T, scores:T, max_output_size:int32, iou_threshold:T_threshold, "
     "score_threshold:T_threshold",
     "selected_indices:int32, valid_outputs:int32",
     "T:type in [half,float] = float; T_threshold:type in [half,float] = float; "
     "pad_to_max_output_size:bool = False",
     ""},
    {"NonMaxSuppressionWithOverlaps",
     "overlaps:float, scores:float, max_output_size:int32, overlap_threshold:float, "
     "score_threshold:float",
     "selected_indices:int32", "", ""},
    {"OrderedMapClear", "", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapIncompleteSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapPeek", "key:int64, indices:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapStage", "key:int64, indices:int32, values:list(fake_dtypes)", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); "
     "fake_dtypes:list(type) >= 1; container:string = ''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapUnstage", "key:int64, indices:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapUnstageNoKey", "indices:int32", "key:int64, values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"PopulationCount", "x:T", "y:uint8", "T:type in [int8,int16,int32,int64,uint8,uint16,uint32,uint64]",
     ""},
    {"Reciprocal", "x:T", "y:T",
     "T:type in [bfloat16,half,float,double,int8,int16,int32,int64,complex64,complex128]", ""},
    {"ReciprocalGrad", "y:T, dy:T", "z:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"RecordInput", "", "records:string",
     "file_pattern:string; file_random_seed:int = 301; file_shuffle_shift_ratio:float = 0.0; "
     "file_buffer_size:int = 10000; file_parallelism:int = 16; batch_size:int = 32; "
     "compression_type:string = ''",
     "stateful"},
    {"ResourceAccumulatorNumAccumulated", "handle:resource", "num_accumulated:int32", "", "stateful"},
    {"ResourceAccumulatorSetGlobalStep", "handle:resource, new_global_step:int64", "", "", "stateful"},
    {"ResourceAccumulatorTakeGradient", "handle:resource, num_required:int32", "average:dtype",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     "stateful"},
    {"ResourceConditionalAccumulator", "", "handle:resource",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; shape:shape; "
     "container:string = ''; shared_name:string = ''; reduction_type:string in [b'MEAN',"
     "b'SUM'] = 'MEAN'",
     "stateful"},
    {"ResourceCountUpTo", "resource:resource", "output:T", "limit:int; T:type in [int32,int64]", "stateful"},
    {"ResourceScatterNdMax", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"ResourceScatterNdMin", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"ResourceScatterNdSub", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"Rint", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"RngReadAndSkip", "resource:resource, alg:int32, delta:uint64", "value:int64", "", "stateful"},
    {"RngSkip", "resource:resource, algorithm:int64, delta:int64", "", "", "stateful"},
    {"Roll", "input:T, shift:Tshift, axis:Taxis", "output:T",
     "T:type; Tshift:type in [int32,int64]; Taxis:type in [int32,int64]", ""},
    {"Round", "x:T", "y:T",
     "T:type in [bfloat16,half,float,double,int8,int16,int32,int64,complex64,complex128]", ""},
    {"RpcCall", "client:resource, method_name:string, args:list(Tin), timeout_in_ms:int64",
     "future:resource, deleter:variant", "Tin:list(type) >= 0", "stateful"},
    {"RpcCheckStatus", "status_or:resource", "error_code:int64, error:string", "", "stateful"},
    {"RpcClient", "server_address:string, timeout_in_ms:int64", "client:resource, method_specs:string",
     "shared_name:string = ''; list_registered_methods:bool = False", "stateful"},
    {"RpcGetValue", "status_or:resource", "output:list(Tout)", "Tout:list(type) >= 0", "stateful"},
    {"RpcServer", "server_address:string", "server:resource", "", "stateful"},
    {"RpcServerRegister", "server:resource, method_name:string, captured_inputs:list(Tin)", "",
     "Tin:list(type) >= 0 = []; f:func; input_specs:string = ''; output_specs:string", "stateful"},
    {"RpcServerStart", "server:resource", "", "", "stateful"},
    {"Rsqrt", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"RsqrtGrad", "y:T, dy:T", "z:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"SampleDistortedBoundingBox", "image_size:T, bounding_boxes:float", "begin:T, size:T, bboxes:float",
     "T:type in [uint8,int8,int16,int32,int64]; seed:int = 0; seed2:int = 0; "
     "min_object_covered:float = 0.10000000149011612; aspect_ratio_range:list(float) = [0.75,"
     "1.3300000429153442]; area_range:list(float) = [0.05000000074505806,1.0]; "
     "max_attempts:int = 100; use_image_if_no_bounding_boxes:bool = False",
     "stateful"},
    {"SampleDistortedBoundingBoxV2", "image_size:T, bounding_boxes:float, min_object_covered:float",
     "begin:T, size:T, bboxes:float",
     "T:type in [uint8,int8,int16,int32,int64]; seed:int = 0; seed2:int = 0; "
     "aspect_ratio_range:list(float) = [0.75,1.3300000429153442]; area_range:list(float) = "
     "[0.05000000074505806,1.0]; max_attempts:int = 100; use_image_if_no_bounding_boxes:bool "
     "= False",
     "stateful"},
    {"ScaleAndTranslate", "images:T, size:int32, scale:float, translation:float", "resized_images:float",
     "T:type in [int8,uint8,int16,uint16,int32,int64,bfloat16,half,float,double]; "
     "kernel_type:string = 'lanczos3'; antialias:bool = True",
     ""},
    {"ScaleAndTranslateGrad", "grads:T, original_image:T, scale:float, translation:float", "output:T",
     "T:type in [float]; kernel_type:string = 'lanczos3'; antialias:bool = True", ""},
    {"ScatterNdMax", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; bad_indices_policy:string = ''",
     ""},
    {"ScatterNdMin", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; bad_indices_policy:string = ''",
     ""},
    {"ScatterNdNonAliasingAdd", "input:T, indices:Tindices, updates:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64,bool]; Tindices:type in "
     "[int32,int64]; bad_indices_policy:string = ''",
     ""},
    {"SdcaFprint", "input:string", "output:int64", "", ""},
    {"SdcaOptimizer",
     "sparse_example_indices:num_sparse_features * int64, "
     "sparse_feature_indices:num_sparse_features * int64, "
     "sparse_feature_values:num_sparse_features_with_values * float, "
     "dense_features:num_dense_features * float, example_weights:float, example_labels:float, "
     "sparse_indices:num_sparse_features * int64, sparse_weights:num_sparse_features * float, "
     "dense_weights:num_dense_features * float, example_state_data:float",
     "out_example_state_data:float, out_delta_sparse_weights:num_sparse_features * float, "
     "out_delta_dense_weights:num_dense_features * float",
     "loss_type:string in [b'logistic_loss',b'squared_loss',b'hinge_loss',"
     "b'smooth_hinge_loss',b'poisson_loss']; adaptative:bool = False; num_sparse_features:int "
     ">= 0; num_sparse_features_with_values:int >= 0; num_dense_features:int >= 0; l1:float; "
     "l2:float; num_loss_partitions:int >= 1; num_inner_iterations:int >= 1",
     ""},
    {"SdcaOptimizerV2",
     "sparse_example_indices:num_sparse_features * int64, "
     "sparse_feature_indices:num_sparse_features * int64, "
     "sparse_feature_values:num_sparse_features_with_values * float, "
     "dense_features:num_dense_features * float, example_weights:float, example_labels:float, "
     "sparse_indices:num_sparse_features * int64, sparse_weights:num_sparse_features * float, "
     "dense_weights:num_dense_features * float, example_state_data:float",
     "out_example_state_data:float, out_delta_sparse_weights:num_sparse_features * float, "
     "out_delta_dense_weights:num_dense_features * float",
     "loss_type:string in [b'logistic_loss',b'squared_loss',b'hinge_loss',"
     "b'smooth_hinge_loss',b'poisson_loss']; adaptive:bool = False; num_sparse_features:int "
     ">= 0; num_sparse_features_with_values:int >= 0; num_dense_features:int >= 0; l1:float; "
     "l2:float; num_loss_partitions:int >= 1; num_inner_iterations:int >= 1",
     ""},
    {"SdcaShrinkL1", "weights:Ref(num_features * float)", "", "num_features:int >= 0; l1:float; l2:float",
     ""},
    {"SegmentMaxV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tindices:type in [int32,int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"SegmentMinV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tindices:type in [int32,int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"SegmentProdV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"SegmentSumV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"SetSize", "set_indices:int64, set_values:T, set_shape:int64", "size:int32",
     "validate_indices:bool = True; T:type in [int8,int16,int32,int64,uint8,uint16,string]", ""},
    {"Sigmoid", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"SigmoidGrad", "y:T, dy:T", "z:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Sign", "x:T", "y:T",
     "T:type in [bfloat16,half,float,double,int8,int16,int32,int64,complex64,complex128]", ""},
    {"Sin", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Sinh", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Skipgram", "",
     "vocab_word:string, vocab_freq:int32, words_per_epoch:int64, current_epoch:int32, "
     "total_words_processed:int64, examples:int32, labels:int32",
     "filename:string; batch_size:int; window_size:int = 5; min_count:int = 5; "
     "subsample:float = 0.0010000000474974513",
     "stateful deprecated_since_19"},
    {"SobolSample", "dim:int32, num_results:int32, skip:int32", "samples:dtype",
     "dtype:type in [float,double] = float", ""},
    {"SpaceToBatch", "input:T, paddings:Tpaddings", "output:T",
     "T:type; Tpaddings:type in [int32,int64] = int32; block_size:int >= 2", ""},
    {"Spence", "x:T", "y:T", "T:type in [bfloat16,half,float,double]", ""},
    {"Sqrt", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"SqrtGrad", "y:T, dy:T", "z:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Square", "x:T", "y:T",
     "T:type in [bfloat16,half,float,double,int8,int16,int32,int64,uint8,uint16,uint32,uint64,"
     "complex64,complex128]",
     ""},
    {"StatefulStandardNormal", "resource:resource, shape:shape_dtype", "output:dtype",
     "dtype:type = float; shape_dtype:type = int64", "stateful deprecated_since_29"},
    {"StatefulStandardNormalV2", "resource:resource, algorithm:int64, shape:shape_dtype", "output:dtype",
     "dtype:type = float; shape_dtype:type = int64", "stateful"},
    {"StatefulTruncatedNormal", "resource:resource, algorithm:int64, shape:shape_dtype", "output:dtype",
     "dtype:type = float; shape_dtype:type = int64", "stateful"},
    {"StatsAggregatorHandle", "", "handle:resource", "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"StatsAggregatorHandleV2", "", "handle:resource", "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"StochasticCastToInt", "input:Tin, key:uint64, counter:uint64, alg:int32", "output:Tout",
     "Tin:type in [half,bfloat16,float,double]; Tout:type in [int8,int16,int32]", ""},
    {"Tan", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"Tanh", "x:T", "y:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"TanhGrad", "y:T, dy:T", "z:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"TensorArray", "size:int32", "handle:Ref(string)",
     "dtype:type; dynamic_size:bool = False; clear_after_read:bool = True; "
     "tensor_array_name:string = ''; element_shape:shape = unknown_rank",
     "stateful deprecated_since_16"},
    {"TensorArrayClose", "handle:Ref(string)", "", "", "deprecated_since_16"},
    {"TensorArrayCloseV2", "handle:string", "", "", "deprecated_since_26"},
    {"TensorArrayConcat", "handle:Ref(string), flow_in:float", "value:dtype, lengths:int64",
     "dtype:type; element_shape_except0:shape = unknown_rank", "deprecated_since_16"},
    {"TensorArrayConcatV2", "handle:string, flow_in:float", "value:dtype, lengths:int64",
     "dtype:type; element_shape_except0:shape = unknown_rank", ""},
    {"TensorArrayGather", "handle:Ref(string), indices:int32, flow_in:float", "value:dtype",
     "dtype:type; element_shape:shape = unknown_rank", "deprecated_since_16"},
    {"TensorArrayGatherV2", "handle:string, indices:int32, flow_in:float", "value:dtype",
     "dtype:type; element_shape:shape = unknown_rank", "deprecated_since_26"},
    {"TensorArrayGrad", "handle:string, flow_in:float", "grad_handle:Ref(string)", "source:string",
     "stateful deprecated_since_16"},
    {"TensorArrayGradV2", "handle:string, flow_in:float", "grad_handle:string", "source:string",
     "stateful deprecated_since_26"},
    {"TensorArrayGradWithShape", "handle:resource, flow_in:float, shape_to_prepend:int32",
     "grad_handle:resource, flow_out:float", "source:string", "stateful"},
    {"TensorArrayPack", "handle:Ref(string), flow_in:float", "value:dtype",
     "dtype:type; element_shape:shape = unknown_rank", "deprecated_since_16"},
    {"TensorArrayRead", "handle:Ref(string), index:int32, flow_in:float", "value:dtype", "dtype:type",
     "deprecated_since_16"},
    {"TensorArrayReadV2", "handle:string, index:int32, flow_in:float", "value:dtype", "dtype:type",
     "deprecated_since_26"},
    {"TensorArrayScatter", "handle:Ref(string), indices:int32, value:T, flow_in:float", "flow_out:float",
     "T:type", "deprecated_since_19"},
    {"TensorArrayScatterV2", "handle:string, indices:int32, value:T, flow_in:float", "flow_out:float",
     "T:type", "deprecated_since_26"},
    {"TensorArraySize", "handle:Ref(string), flow_in:float", "size:int32", "", "deprecated_since_16"},
    {"TensorArraySizeV2", "handle:string, flow_in:float", "size:int32", "", "deprecated_since_26"},
    {"TensorArraySplit", "handle:Ref(string), value:T, lengths:int64, flow_in:float", "flow_out:float",
     "T:type", "deprecated_since_16"},
    {"TensorArraySplitV2", "handle:string, value:T, lengths:int64, flow_in:float", "flow_out:float", "T:type",
     "deprecated_since_26"},
    {"TensorArrayUnpack", "handle:Ref(string), value:T, flow_in:float", "flow_out:float", "T:type",
     "deprecated_since_20"},
    {"TensorArrayV2", "size:int32", "handle:string",
     "dtype:type; element_shape:shape = unknown_rank; dynamic_size:bool = False; "
     "clear_after_read:bool = True; tensor_array_name:string = ''",
     "stateful deprecated_since_26"},
    {"TensorArrayWrite", "handle:Ref(string), index:int32, value:T, flow_in:float", "flow_out:float",
     "T:type", "deprecated_since_16"},
    {"TensorArrayWriteV2", "handle:string, index:int32, value:T, flow_in:float", "flow_out:float", "T:type",
     "deprecated_since_26"},
    {"TensorScatterMax", "tensor:T, indices:Tindices, updates:T", "output:T",
     "T:type; Tindices:type in [int32,int64]; bad_indices_policy:string = ''", ""},
    {"TensorScatterMin", "tensor:T, indices:Tindices, updates:T", "output:T",
     "T:type; Tindices:type in [int32,int64]; bad_indices_policy:string = ''", ""},
    {"TensorScatterSub", "tensor:T, indices:Tindices, updates:T", "output:T",
     "T:type; Tindices:type in [int32,int64]; bad_indices_policy:string = ''", ""},
    {"TensorStridedSliceUpdate", "input:T, begin:Index, end:Index, strides:Index, value:T", "output:T",
     "T:type; Index:type in [int32,int64]; begin_mask:int = 0; end_mask:int = 0; "
     "ellipsis_mask:int = 0; new_axis_mask:int = 0; shrink_axis_mask:int = 0",
     ""},
    {"ThreadPoolHandle", "", "handle:resource",
     "num_threads:int; max_intra_op_parallelism:int = 1; display_name:string; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"ThreadUnsafeUnigramCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; range_max:int >= 1; seed:int = 0; "
     "seed2:int = 0",
     "stateful"},
    {"TileGrad", "input:T, multiples:int32", "output:T", "T:type", "deprecated_since_3"},
    {"ToBool", "input:T", "output:bool", "T:type", ""},
    {"TopKUnique", "input:float", "topk:float, topk_indices:int32", "k:int", ""},
    {"TopKWithUnique", "input:float", "topk:float, topk_indices:int32", "k:int", ""},
    {"Unbatch", "batched_tensor:T, batch_index:int64, id:int64", "unbatched_tensor:T",
     "timeout_micros:int; container:string = ''; shared_name:string = ''; T:type", ""},
    {"UnbatchGrad", "original_input:T, batch_index:int64, grad:T, id:int64", "batched_grad:T",
     "container:string = ''; shared_name:string = ''; T:type", ""},
    {"UncompressElement", "compressed:variant", "components:list(output_types)",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"UniqueWithCountsV2", "x:T, axis:Taxis", "y:T, idx:out_idx, count:out_idx",
     "T:type; Taxis:type in [int32,int64] = int64; out_idx:type in [int32,int64] = int32", ""},
    {"UnravelIndex", "indices:Tidx, dims:Tidx", "output:Tidx", "Tidx:type in [int32,int64] = int32", ""},
    {"UnsortedSegmentJoin", "inputs:string, segment_ids:Tindices, num_segments:Tnumsegments", "output:string",
     "separator:string = ''; Tindices:type in [int32,int64]; Tnumsegments:type in [int32,"
     "int64] = int32",
     ""},
    {"UpperBound", "sorted_inputs:T, values:T", "output:out_type",
     "T:type; out_type:type in [int32,int64] = int32", ""},
    {"WindowOp", "inputs:list(Tinputs)", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; Tinputs:list(type) >= 1", ""},
    {"Xlog1py", "x:T, y:T", "z:T", "T:type in [half,bfloat16,float,double,complex64,complex128]", ""},
    {"_EagerConst", "input:T", "output:T", "T:type", ""},
    {"_FusedBatchNormGradEx",
     "y_backprop:T, x:T, scale:float, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U,"
     " offset:float, y:T",
     "x_backprop:T, scale_backprop:U, offset_backprop:U, reserve_space_4:U, reserve_space_5:U,"
     " side_input_backprop:num_side_inputs * T",
     "T:type in [half,float]; U:type in [float]; epsilon:float = 9.999999747378752e-05; "
     "num_side_inputs:int >= 0 = 0; activation_mode:string = 'Identity'; data_format:string "
     "in [b'NHWC',b'NCHW',b'NDHWC',b'NCDHW'] = 'NHWC'; is_training:bool = True",
     ""},
    {"_FusedConv3D", "input:T, filter:T, args:num_args * T", "output:T",
     "T:type in [bfloat16,float,half]; num_args:int >= 0; strides:list(int) >= 5; "
     "padding:string in [b'SAME',b'VALID']; data_format:string in [b'NDHWC',b'NCDHW'] = "
     "'NDHWC'; dilations:list(int) = [1,1,1,1,1]; padding_list:list(int) = []; "
     "fused_ops:list(string) = []; epsilon:float = 9.999999747378752e-05; "
     "leakyrelu_alpha:float = 0.20000000298023224",
     ""},
    {"_FusedDepthwiseConv2dNative", "input:T, filter:T, args:num_args * T", "output:T",
     "T:type in [half,bfloat16,float,double]; num_args:int >= 0; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; "
     "dilations:list(int) = [1,1,1,1]; fused_ops:list(string) = []; epsilon:float = "
     "9.999999747378752e-05; leakyrelu_alpha:float = 0.20000000298023224",
     ""},
    {"_If", "cond:Tcond, input:list(Tin)", "output:list(Tout)",
     "Tcond:type; Tin:list(type) >= 1; Tout:list(type) >= 1; then_branch:func; else_branch:func", "stateful"},
    {"_ParallelConcatStart", "", "output:dtype", "shape:shape; dtype:type", "stateful"},
    {"_ParallelConcatUpdate", "value:T, update:T", "output:T", "T:type; loc:int", ""},
    {"_ScopedAllocator", "", "output:T",
     "shapes:list(shape); shape:shape; T:type; sa_name:string; id:int; expected_call_count:int", "stateful"},
    {"_ScopedAllocatorConcat", "backing:T, inputs:N * T", "output:T",
     "shape:shape; T:type; reshape:bool = False; sa_name:string; id:int; N:int >= 2", "stateful"},
    {"_ScopedAllocatorSplit", "concat:T, split:N * T", "output:N * T",
     "T:type; sa_name:string; id:int; N:int >= 2; shapes:list(shape)", "stateful"},
    {"_TensorToHashBucketFast", "input:T", "output:int64",
     "T:type in [int8,uint8,int16,uint16,int32,uint32,int64,uint64]; num_buckets:int >= 1", ""},
    {"_UnaryOpsComposition", "x:T", "y:T", "T:type in [float,half,double]; op_names:list(string)", ""},
    {"_While", "input:list(T)", "output:list(T)", "T:list(type) >= 0; cond:func; body:func", "stateful"},
};

}  // namespace

absl::Status register_misc_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
