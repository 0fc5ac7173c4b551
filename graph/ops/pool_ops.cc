#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AvgPool", "value:T", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; T:floats_half_first",
     ""},
    {"AvgPool3D", "input:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:floats_half_first",
     ""},
    {"AvgPool3DGrad", "orig_input_shape:int32, grad:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:floats_half_first",
     ""},
    {"AvgPoolGrad", "orig_input_shape:int32, grad:T", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; T:floats_half_first",
     ""},
    {"FractionalAvgPool", "value:T", "output:T, row_pooling_sequence:int64, col_pooling_sequence:int64",
     "pooling_ratio:list(float) >= 4; pseudo_random:bool = False; overlapping:bool = False; "
     "deterministic:bool = False; seed:int = 0; seed2:int = 0; T:wide_reals",
     ""},
    {"FractionalAvgPoolGrad",
     "orig_input_tensor_shape:int64, out_backprop:T, row_pooling_sequence:int64, col_pooling_sequence:int64",
     "output:T", "overlapping:bool = False; T:wide_reals", ""},
    {"FractionalMaxPool", "value:T", "output:T, row_pooling_sequence:int64, col_pooling_sequence:int64",
     "pooling_ratio:list(float) >= 4; pseudo_random:bool = False; overlapping:bool = False; "
     "deterministic:bool = False; seed:int = 0; seed2:int = 0; T:wide_reals",
     ""},
    {"FractionalMaxPoolGrad",
     "orig_input:T, orig_output:T, out_backprop:T, row_pooling_sequence:int64, col_pooling_sequence:int64",
     "output:T", "overlapping:bool = False; T:wide_reals", ""},
    {"MaxPool", "input:T", "output:T",
     "T:type in [half,bfloat16,float,double,int32,int64,uint8,int16,int8,uint16,qint8] = "
     "float; ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',"
     "b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; data_format:string in [b'NHWC',"
     "b'NCHW',b'NCHW_VECT_C'] = 'NHWC'",
     ""},
    {"MaxPool3D", "input:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:narrow_floats",
     ""},
    {"MaxPool3DGrad", "orig_input:TInput, orig_output:TInput, grad:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:narrow_floats = float; "
     "TInput:narrow_floats = float",
     ""},
    {"MaxPool3DGradGrad", "orig_input:T, orig_output:T, grad:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:reals",
     ""},
    {"MaxPoolGrad", "orig_input:T, orig_output:T, grad:T", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID',b'EXPLICIT']; "
     "explicit_paddings:list(int) = []; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; T:reals = float",
     ""},
    {"MaxPoolGradGrad", "orig_input:T, orig_output:T, grad:T", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; T:reals",
     ""},
    {"MaxPoolGradGradV2", "orig_input:T, orig_output:T, grad:T, ksize:int32, strides:int32", "output:T",
     "padding:string in [b'SAME',b'VALID']; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; T:reals", ""},
    {"MaxPoolGradGradWithArgmax", "input:T, grad:T, argmax:Targmax", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "include_batch_in_index:bool = False; Targmax:index; T:reals",
     ""},
    {"MaxPoolGradV2", "orig_input:T, orig_output:T, grad:T, ksize:int32, strides:int32", "output:T",
     "padding:string in [b'SAME',b'VALID']; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; "
     "T:reals = float",
     ""},
    {"MaxPoolGradWithArgmax", "input:T, grad:T, argmax:Targmax", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "include_batch_in_index:bool = False; Targmax:index; T:reals",
     ""},
    {"MaxPoolV2", "input:T, ksize:int32, strides:int32", "output:T",
     "T:type in [half,bfloat16,float,double,int32,int64,uint8,int16,int8,uint16,qint8] = "
     "float; padding:string in [b'SAME',b'VALID']; data_format:string in [b'NHWC',b'NCHW',"
     "b'NCHW_VECT_C'] = 'NHWC'",
     ""},
    {"MaxPoolWithArgmax", "input:T", "output:T, argmax:Targmax",
     "ksize:list(int) >= 4; strides:list(int) >= 4; Targmax:index = int64; "
     "padding:string in [b'SAME',b'VALID']; include_batch_in_index:bool = False; T:reals",
     ""},
};

}  // namespace

absl::Status register_pool_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
