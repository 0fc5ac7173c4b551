#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AccumulatorApplyGradient", "handle:Ref(string), local_step:int64, gradient:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"AccumulatorNumAccumulated", "handle:Ref(string)", "num_accumulated:int32", "", ""},
    {"AccumulatorSetGlobalStep", "handle:Ref(string), new_global_step:int64", "", "", ""},
    {"AccumulatorTakeGradient", "handle:Ref(string), num_required:int32", "average:dtype",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"Barrier", "", "handle:Ref(string)",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"BarrierClose", "handle:Ref(string)", "", "cancel_pending_enqueues:bool = False", ""},
    {"BarrierIncompleteSize", "handle:Ref(string)", "size:int32", "", ""},
    {"BarrierInsertMany", "handle:Ref(string), keys:string, values:T", "", "T:type; component_index:int", ""},
    {"BarrierReadySize", "handle:Ref(string)", "size:int32", "", ""},
    {"BarrierTakeMany", "handle:Ref(string), num_elements:int32",
     "indices:int64, keys:string, values:list(component_types)",
     "component_types:list(type) >= 1; allow_small_batch:bool = False; "
     "wait_for_incomplete:bool = False; timeout_ms:int = -1",
     ""},
    {"BatchDatasetV2", "input_dataset:variant, batch_size:int64, drop_remainder:bool", "handle:variant",
     "parallel_copy:bool = False; output_types:list(type) >= 1; output_shapes:list(shape) >= "
     "1; metadata:string = ''",
     ""},
    {"ConditionalAccumulator", "", "handle:Ref(string)",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; shape:shape; "
     "container:string = ''; shared_name:string = ''; reduction_type:string in [b'MEAN',"
     "b'SUM'] = 'MEAN'",
     "stateful"},
    {"DeleteSessionTensor", "handle:string", "", "", "stateful"},
    {"DynamicPartition", "data:T, partitions:int32", "outputs:num_partitions * T",
     "num_partitions:int >= 1; T:type", ""},
    {"DynamicStitch", "indices:N * int32, data:N * T", "merged:T", "N:int >= 1; T:type", ""},
    {"EmptyTensorList", "element_shape:shape_type, max_num_elements:int32", "handle:variant",
     "element_dtype:type; shape_type:type in [int32,int64]", ""},
    {"FIFOQueue", "", "handle:Ref(string)",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"FIFOQueueV2", "", "handle:resource",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"GetSessionHandle", "value:T", "handle:string", "T:type", "stateful"},
    {"GetSessionHandleV2", "value:T", "handle:resource", "T:type", "stateful"},
    {"GetSessionTensor", "handle:string", "value:dtype", "dtype:type", "stateful"},
    {"IteratorGetNext", "iterator:resource", "components:list(output_types)",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"IteratorV2", "", "handle:resource",
     "shared_name:string; container:string; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     "stateful"},
    {"MakeIterator", "dataset:variant, iterator:resource", "", "", "stateful"},
    {"MapDataset", "input_dataset:variant, other_arguments:list(Targuments)", "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; use_inter_op_parallelism:bool = True; "
     "preserve_cardinality:bool = False; force_synchronous:bool = False; metadata:string = ''",
     ""},
    {"OneShotIterator", "", "handle:resource",
     "dataset_factory:func; output_types:list(type) >= 1; output_shapes:list(shape) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"PaddingFIFOQueue", "", "handle:Ref(string)",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"PaddingFIFOQueueV2", "", "handle:resource",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"ParallelDynamicStitch", "indices:N * int32, data:N * T", "merged:T", "N:int >= 1; T:type", ""},
    {"PrefetchDataset", "input_dataset:variant, buffer_size:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; slack_period:int = 0; "
     "legacy_autotune:bool = True; buffer_size_min:int = 0; metadata:string = ''",
     ""},
    {"PriorityQueue", "", "handle:Ref(string)",
     "component_types:list(type) >= 0 = []; shapes:list(shape) >= 0; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"PriorityQueueV2", "", "handle:resource",
     "component_types:list(type) >= 0 = []; shapes:list(shape) >= 0; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"QueueClose", "handle:Ref(string)", "", "cancel_pending_enqueues:bool = False", ""},
    {"QueueCloseV2", "handle:resource", "", "cancel_pending_enqueues:bool = False", "stateful"},
    {"QueueDequeue", "handle:Ref(string)", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueDequeueMany", "handle:Ref(string), n:int32", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueDequeueManyV2", "handle:resource, n:int32", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueDequeueUpTo", "handle:Ref(string), n:int32", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueDequeueUpToV2", "handle:resource, n:int32", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueDequeueV2", "handle:resource", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueEnqueue", "handle:Ref(string), components:list(Tcomponents)", "",
     "Tcomponents:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueEnqueueMany", "handle:Ref(string), components:list(Tcomponents)", "",
     "Tcomponents:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueEnqueueManyV2", "handle:resource, components:list(Tcomponents)", "",
     "Tcomponents:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueEnqueueV2", "handle:resource, components:list(Tcomponents)", "",
     "Tcomponents:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueIsClosed", "handle:Ref(string)", "is_closed:bool", "", ""},
    {"QueueIsClosedV2", "handle:resource", "is_closed:bool", "", "stateful"},
    {"QueueSize", "handle:Ref(string)", "size:int32", "", ""},
    {"QueueSizeV2", "handle:resource", "size:int32", "", "stateful"},
    {"RandomShuffleQueue", "", "handle:Ref(string)",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "min_after_dequeue:int = 0; seed:int = 0; seed2:int = 0; container:string = ''; "
     "shared_name:string = ''",
     "stateful"},
    {"RandomShuffleQueueV2", "", "handle:resource",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "min_after_dequeue:int = 0; seed:int = 0; seed2:int = 0; container:string = ''; "
     "shared_name:string = ''",
     "stateful"},
    {"RangeDataset", "start:int64, stop:int64, step:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''; "
     "replicate_on_split:bool = False",
     "stateful"},
    {"RepeatDataset", "input_dataset:variant, count:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
    {"ShuffleDataset", "input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64", "handle:variant",
     "reshuffle_each_iteration:bool = True; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"Stack", "", "handle:Ref(string)", "elem_type:type; stack_name:string = ''", "stateful"},
    {"StackClose", "handle:Ref(string)", "", "", ""},
    {"StackCloseV2", "handle:resource", "", "", "stateful"},
    {"StackPop", "handle:Ref(string)", "elem:elem_type", "elem_type:type", ""},
    {"StackPopV2", "handle:resource", "elem:elem_type", "elem_type:type", "stateful"},
    {"StackPush", "handle:Ref(string), elem:T", "output:T", "T:type; swap_memory:bool = False", ""},
    {"StackPushV2", "handle:resource, elem:T", "output:T", "T:type; swap_memory:bool = False", "stateful"},
    {"StackV2", "max_size:int32", "handle:resource", "elem_type:type; stack_name:string = ''", "stateful"},
    {"Stage", "values:list(dtypes)", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"StageClear", "", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"StagePeek", "index:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"StageSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"TensorArrayCloseV3", "handle:resource", "", "", "stateful"},
    {"TensorArrayConcatV3", "handle:resource, flow_in:float", "value:dtype, lengths:int64",
     "dtype:type; element_shape_except0:shape = unknown_rank", "stateful"},
    {"TensorArrayGatherV3", "handle:resource, indices:int32, flow_in:float", "value:dtype",
     "dtype:type; element_shape:shape = unknown_rank", "stateful"},
    {"TensorArrayGradV3", "handle:resource, flow_in:float", "grad_handle:resource, flow_out:float",
     "source:string", "stateful"},
    {"TensorArrayReadV3", "handle:resource, index:int32, flow_in:float", "value:dtype", "dtype:type",
     "stateful"},
    {"TensorArrayScatterV3", "handle:resource, indices:int32, value:T, flow_in:float", "flow_out:float",
     "T:type", "stateful"},
    {"TensorArraySizeV3", "handle:resource, flow_in:float", "size:int32", "", "stateful"},
    {"TensorArraySplitV3", "handle:resource, value:T, lengths:int64, flow_in:float", "flow_out:float",
     "T:type", "stateful"},
    {"TensorArrayV3", "size:int32", "handle:resource, flow:float",
     "dtype:type; element_shape:shape = unknown_rank; dynamic_size:bool = False; "
     "clear_after_read:bool = True; identical_element_shapes:bool = False; "
     "tensor_array_name:string = ''",
     "stateful"},
    {"TensorArrayWriteV3", "handle:resource, index:int32, value:T, flow_in:float", "flow_out:float", "T:type",
     "stateful"},
    {"TensorDataset", "components:list(Toutput_types)", "handle:variant",
     "Toutput_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", "stateful"},
    {"TensorListConcatV2", "input_handle:variant, element_shape:shape_type, leading_dims:int64",
     "tensor:element_dtype, lengths:int64", "element_dtype:type; shape_type:type in [int32,int64]", ""},
    {"TensorListElementShape", "input_handle:variant", "element_shape:shape_type",
     "shape_type:type in [int32,int64]", ""},
    {"TensorListFromTensor", "tensor:element_dtype, element_shape:shape_type", "output_handle:variant",
     "element_dtype:type; shape_type:type in [int32,int64]", ""},
    {"TensorListGather", "input_handle:variant, indices:int32, element_shape:int32", "values:element_dtype",
     "element_dtype:type", ""},
    {"TensorListGetItem", "input_handle:variant, index:int32, element_shape:Tshape", "item:element_dtype",
     "element_dtype:type; Tshape:type in [int32,int64] = int32", ""},
    {"TensorListLength", "input_handle:variant", "length:int32", "", ""},
    {"TensorListPopBack", "input_handle:variant, element_shape:int32",
     "output_handle:variant, tensor:element_dtype", "element_dtype:type", ""},
    {"TensorListPushBack", "input_handle:variant, tensor:element_dtype", "output_handle:variant",
     "element_dtype:type", ""},
    {"TensorListReserve", "element_shape:shape_type, num_elements:int32", "handle:variant",
     "element_dtype:type; shape_type:type in [int32,int64]", ""},
    {"TensorListResize", "input_handle:variant, size:int32", "output_handle:variant", "", ""},
    {"TensorListScatterV2",
     "tensor:element_dtype, indices:int32, element_shape:shape_type, num_elements:int32",
     "output_handle:variant", "element_dtype:type; shape_type:type in [int32,int64]", ""},
    {"TensorListSetItem", "input_handle:variant, index:int32, item:element_dtype", "output_handle:variant",
     "element_dtype:type; resize_if_index_out_of_bounds:bool = False", ""},
    {"TensorListSplit", "tensor:element_dtype, element_shape:shape_type, lengths:int64",
     "output_handle:variant", "element_dtype:type; shape_type:type in [int32,int64]", ""},
    {"TensorListStack", "input_handle:variant, element_shape:int32", "tensor:element_dtype",
     "element_dtype:type; num_elements:int = -1", ""},
    {"TensorSliceDataset", "components:list(Toutput_types)", "handle:variant",
     "Toutput_types:list(type) >= 1; output_shapes:list(shape) >= 1; is_files:bool = False; "
     "metadata:string = ''; replicate_on_split:bool = False",
     "stateful"},
    {"Unstage", "", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
};

}  // namespace

absl::Status register_data_flow_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
