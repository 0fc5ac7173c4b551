#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"Conv", "input:T, filter:T", "output:T",
     "T:convolved; strides:list(int); padding:string in [b'SAME',b'VALID',b'EXPLICIT']; "
     "explicit_paddings:list(int) = []; data_format:string in [b'CHANNELS_FIRST',b'CHANNELS_LAST'] ="
     " 'CHANNELS_LAST'; dilations:list(int) = []; batch_dims:int = 1; groups:int = 1",
     ""},
    {"Conv2D", "input:T, filter:T", "output:T",
     "T:convolved; strides:list(int); use_cudnn_on_gpu:bool = True; "
     "padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv2DBackpropFilter", "input:T, filter_sizes:int32, out_backprop:T", "output:T",
     "T:floats_half_first; strides:list(int); use_cudnn_on_gpu:bool = True; "
     "padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv2DBackpropFilterV2", "input:T, filter:T, out_backprop:T", "output:T",
     "T:floats_half_first; strides:list(int); use_cudnn_on_gpu:bool = True; "
     "padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv2DBackpropInput", "input_sizes:int32, filter:T, out_backprop:T", "output:T",
     "T:convolved; strides:list(int); use_cudnn_on_gpu:bool = True; "
     "padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv2DBackpropInputV2", "input:T, filter:T, out_backprop:T", "output:T",
     "T:convolved; strides:list(int); use_cudnn_on_gpu:bool = True; "
     "padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv3D", "input:T, filter:T", "output:T",
     "T:floats_half_first; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; dilations:list(int) = [1,1,1,1,1]",
     ""},
    {"Conv3DBackpropFilter", "input:T, filter:T, out_backprop:T", "output:T",
     "T:ieee_floats; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "dilations:list(int) = [1,1,1,1,1]",
     "deprecated_since_10"},
    {"Conv3DBackpropFilterV2", "input:T, filter_sizes:int32, out_backprop:T", "output:T",
     "T:floats_half_first; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; dilations:list(int) = [1,1,1,1,1]",
     ""},
    {"Conv3DBackpropInput", "input:T, filter:T, out_backprop:T", "output:T",
     "T:ieee_floats; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "dilations:list(int) = [1,1,1,1,1]",
     "deprecated_since_10"},
    {"Conv3DBackpropInputV2", "input_sizes:Tshape, filter:T, out_backprop:T", "output:T",
     "T:floats_half_first; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; dilations:list(int) = [1,1,1,1,1]; "
     "Tshape:index = int32",
     ""},
    {"DepthwiseConv2dNative", "input:T, filter:T", "output:T",
     "T:floats_half_first; strides:list(int); padding:string in [b'SAME',b'VALID',b'EXPLICIT']; "
     "explicit_paddings:list(int) = []; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; "
     "dilations:list(int) = [1,1,1,1]",
     ""},
    {"DepthwiseConv2dNativeBackpropFilter", "input:T, filter_sizes:int32, out_backprop:T", "output:T",
     "T:floats_half_first; strides:list(int); padding:string in [b'SAME',b'VALID',b'EXPLICIT']; "
     "explicit_paddings:list(int) = []; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; "
     "dilations:list(int) = [1,1,1,1]",
     ""},
    {"DepthwiseConv2dNativeBackpropInput", "input_sizes:int32, filter:T, out_backprop:T", "output:T",
     "T:floats_half_first; strides:list(int); padding:string in [b'SAME',b'VALID',b'EXPLICIT']; "
     "explicit_paddings:list(int) = []; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; "
     "dilations:list(int) = [1,1,1,1]",
     ""},
    {"Dilation2D", "input:T, filter:T", "output:T",
     "T:reals; strides:list(int) >= 4; rates:list(int) >= 4; padding:string in [b'SAME',b'VALID']", ""},
    {"Dilation2DBackpropFilter", "input:T, filter:T, out_backprop:T", "filter_backprop:T",
     "T:reals; strides:list(int) >= 4; rates:list(int) >= 4; padding:string in [b'SAME',b'VALID']", ""},
    {"Dilation2DBackpropInput", "input:T, filter:T, out_backprop:T", "in_backprop:T",
     "T:reals; strides:list(int) >= 4; rates:list(int) >= 4; padding:string in [b'SAME',b'VALID']", ""},
    {"FusedPadConv2D", "input:T, paddings:int32, filter:T", "output:T",
     "T:floats_half_first; mode:string in [b'REFLECT',b'SYMMETRIC']; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']",
     ""},
    {"FusedResizeAndPadConv2D", "input:T, size:int32, paddings:int32, filter:T", "output:T",
     "T:ieee_floats; resize_align_corners:bool = False; mode:string in [b'REFLECT',b'SYMMETRIC']; "
     "strides:list(int); padding:string in [b'SAME',b'VALID']",
     ""},
    {"_FusedConv2D", "input:T, filter:T, args:list(TArgs), host_args:num_host_args * float", "output:T",
     "T:type in [half,float,double,int8,qint8]; TArgs:list(type) >= 1; num_args:int >= 0; "
     "num_host_args:int >= 0 = 0; strides:list(int); padding:string in [b'SAME',b'VALID',"
     "b'EXPLICIT']; explicit_paddings:list(int) = []; data_format:string in [b'NHWC',b'NCHW',"
     "b'NCHW_VECT_C'] = 'NHWC'; filter_format:string in [b'HWIO',b'OIHW',b'OIHW_VECT_I'] = "
     "'HWIO'; dilations:list(int) = [1,1,1,1]; use_cudnn_on_gpu:bool = True; "
     "fused_ops:list(string) = []; epsilon:float = 9.999999747378752e-05; "
     "leakyrelu_alpha:float = 0.20000000298023224",
     ""},
    {"_FusedConv3D", "input:T, filter:T, args:num_args * T", "output:T",
     "T:type in [bfloat16,float,half]; num_args:int >= 0; strides:list(int) >= 5; "
     "padding:string in [b'SAME',b'VALID']; data_format:string in [b'NDHWC',b'NCDHW'] = "
     "'NDHWC'; dilations:list(int) = [1,1,1,1,1]; padding_list:list(int) = []; "
     "fused_ops:list(string) = []; epsilon:float = 9.999999747378752e-05; "
     "leakyrelu_alpha:float = 0.20000000298023224",
     ""},
    {"_FusedDepthwiseConv2dNative", "input:T, filter:T, args:num_args * T", "output:T",
     "T:floats_half_first; num_args:int >= 0; strides:list(int); padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]; "
     "fused_ops:list(string) = []; epsilon:float = 9.999999747378752e-05; "
     "leakyrelu_alpha:float = 0.20000000298023224",
     ""},
};

}  // namespace

absl::Status register_conv_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
