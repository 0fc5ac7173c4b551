#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"BatchNormWithGlobalNormalization", "t:T, m:T, v:T, beta:T, gamma:T", "result:T",
     "T:numbers; variance_epsilon:float; scale_after_normalization:bool", "deprecated_since_9"},
    {"BatchNormWithGlobalNormalizationGrad", "t:T, m:T, v:T, gamma:T, backprop:T",
     "dx:T, dm:T, dv:T, db:T, dg:T", "T:numbers; variance_epsilon:float; scale_after_normalization:bool",
     "deprecated_since_9"},
    {"BiasAdd", "value:T, bias:T", "output:T", "T:numbers; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'",
     ""},
    {"BiasAddGrad", "out_backprop:T", "output:T",
     "T:numbers; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'", ""},
    {"BiasAddV1", "value:T, bias:T", "output:T", "T:numbers", ""},
    {"FusedBatchNorm", "x:T, scale:T, offset:T, mean:T, variance:T",
     "y:T, batch_mean:T, batch_variance:T, reserve_space_1:T, reserve_space_2:T",
     "T:type in [float]; epsilon:float = 9.999999747378752e-05; exponential_avg_factor:float "
     "= 1.0; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; is_training:bool = True",
     ""},
    {"FusedBatchNormGrad", "y_backprop:T, x:T, scale:T, reserve_space_1:T, reserve_space_2:T",
     "x_backprop:T, scale_backprop:T, offset_backprop:T, reserve_space_3:T, reserve_space_4:T",
     "T:type in [float]; epsilon:float = 9.999999747378752e-05; data_format:string in "
     "[b'NHWC',b'NCHW'] = 'NHWC'; is_training:bool = True",
     ""},
    {"FusedBatchNormGradV2", "y_backprop:T, x:T, scale:float, reserve_space_1:U, reserve_space_2:U",
     "x_backprop:T, scale_backprop:U, offset_backprop:U, reserve_space_3:U, reserve_space_4:U",
     "T:narrow_floats; U:type in [float]; epsilon:float = 9.999999747378752e-05; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; is_training:bool = True",
     ""},
    {"FusedBatchNormGradV3",
     "y_backprop:T, x:T, scale:float, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U",
     "x_backprop:T, scale_backprop:U, offset_backprop:U, reserve_space_4:U, reserve_space_5:U",
     "T:narrow_floats; U:type in [float]; epsilon:float = 9.999999747378752e-05; "
     "data_format:string in [b'NHWC',b'NCHW',b'NDHWC',b'NCDHW'] = 'NHWC'; is_training:bool = True",
     ""},
    {"FusedBatchNormV2", "x:T, scale:U, offset:U, mean:U, variance:U",
     "y:T, batch_mean:U, batch_variance:U, reserve_space_1:U, reserve_space_2:U",
     "T:narrow_floats; U:type in [float]; epsilon:float = 9.999999747378752e-05; "
     "exponential_avg_factor:float = 1.0; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; "
     "is_training:bool = True",
     ""},
    {"FusedBatchNormV3", "x:T, scale:U, offset:U, mean:U, variance:U",
     "y:T, batch_mean:U, batch_variance:U, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U",
     "T:narrow_floats; U:type in [bfloat16,float]; epsilon:float = 9.999999747378752e-05; "
     "exponential_avg_factor:float = 1.0; data_format:string in [b'NHWC',b'NCHW',b'NDHWC',b'NCDHW'] ="
     " 'NHWC'; is_training:bool = True",
     ""},
    {"L2Loss", "t:T", "output:T", "T:floats_half_first", ""},
    {"LRN", "input:T", "output:T",
     "depth_radius:int = 5; bias:float = 1.0; alpha:float = 1.0; beta:float = 0.5; T:narrow_floats = float",
     ""},
    {"LRNGrad", "input_grads:T, input_image:T, output_image:T", "output:T",
     "depth_radius:int = 5; bias:float = 1.0; alpha:float = 1.0; beta:float = 0.5; T:narrow_floats = float",
     ""},
    {"_FusedBatchNormEx", "x:T, scale:U, offset:U, mean:U, variance:U, side_input:num_side_inputs * T",
     "y:T, batch_mean:U, batch_variance:U, reserve_space_1:U, reserve_space_2:U, "
     "reserve_space_3:U",
     "T:type in [half,float,bfloat16]; U:type in [float]; epsilon:float = "
     "9.999999747378752e-05; exponential_avg_factor:float = 1.0; num_side_inputs:int >= 0 = "
     "0; activation_mode:string = 'Identity'; data_format:string in [b'NHWC',b'NCHW'] = "
     "'NHWC'; is_training:bool = True",
     ""},
    {"_FusedBatchNormGradEx",
     "y_backprop:T, x:T, scale:float, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U,"
     " offset:float, y:T",
     "x_backprop:T, scale_backprop:U, offset_backprop:U, reserve_space_4:U, reserve_space_5:U,"
     " side_input_backprop:num_side_inputs * T",
     "T:type in [half,float]; U:type in [float]; epsilon:float = 9.999999747378752e-05; "
     "num_side_inputs:int >= 0 = 0; activation_mode:string = 'Identity'; data_format:string "
     "in [b'NHWC',b'NCHW',b'NDHWC',b'NCDHW'] = 'NHWC'; is_training:bool = True",
     ""},
};

}  // namespace

absl::Status register_norm_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
