#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"CalibrationStatisticsSaver", "args:list(Tin)", "",
     "Tin:list(type) >= 0; ids:list(string) >= 1; calibration_methods:list(int) >= 1; "
     "output_file_path:string",
     "stateful"},
    {"CustomAggregator", "input:float", "output:float, min:float, max:float, histogram:int64",
     "id:string; calibration_method:int = 0; num_bins:int = 0; min_percentile:float = 0.0; "
     "max_percentile:float = 0.0",
     ""},
    {"Dequantize", "input:T, min_range:float, max_range:float", "output:dtype",
     "T:quantized; mode:string in [b'MIN_COMBINED',b'MIN_FIRST',b'SCALED'] = 'MIN_COMBINED'; "
     "narrow_range:bool = False; axis:int = -1; dtype:type in [bfloat16,float] = float",
     ""},
    {"FakeQuantWithMinMaxArgs", "inputs:float", "outputs:float",
     "min:float = -6.0; max:float = 6.0; num_bits:int = 8; narrow_range:bool = False", ""},
    {"FakeQuantWithMinMaxArgsGradient", "gradients:float, inputs:float", "backprops:float",
     "min:float = -6.0; max:float = 6.0; num_bits:int = 8; narrow_range:bool = False", ""},
    {"FakeQuantWithMinMaxVars", "inputs:float, min:float, max:float", "outputs:float",
     "num_bits:int = 8; narrow_range:bool = False", ""},
    {"FakeQuantWithMinMaxVarsGradient", "gradients:float, inputs:float, min:float, max:float",
     "backprops_wrt_input:float, backprop_wrt_min:float, backprop_wrt_max:float",
     "num_bits:int = 8; narrow_range:bool = False", ""},
    {"FakeQuantWithMinMaxVarsPerChannel", "inputs:float, min:float, max:float", "outputs:float",
     "num_bits:int = 8; narrow_range:bool = False", ""},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", "gradients:float, inputs:float, min:float, max:float",
     "backprops_wrt_input:float, backprop_wrt_min:float, backprop_wrt_max:float",
     "num_bits:int = 8; narrow_range:bool = False", ""},
    {"QuantizeAndDequantize", "input:T", "output:T",
     "signed_input:bool = True; num_bits:int = 8; range_given:bool = False; input_min:float = 0.0; "
     "input_max:float = 0.0; T:floats",
     "deprecated_since_22"},
    {"QuantizeAndDequantizeV2", "input:T, input_min:T, input_max:T", "output:T",
     "signed_input:bool = True; num_bits:int = 8; range_given:bool = False; T:floats; "
     "round_mode:string in [b'HALF_TO_EVEN',b'HALF_UP'] = 'HALF_TO_EVEN'; narrow_range:bool = False; "
     "axis:int = -1",
     ""},
    {"QuantizeAndDequantizeV3", "input:T, input_min:T, input_max:T, num_bits:int32", "output:T",
     "signed_input:bool = True; range_given:bool = True; T:floats; narrow_range:bool = False; "
     "axis:int = -1",
     ""},
    {"QuantizeAndDequantizeV4", "input:T, input_min:T, input_max:T", "output:T",
     "signed_input:bool = True; num_bits:int = 8; range_given:bool = False; T:floats; "
     "round_mode:string in [b'HALF_TO_EVEN',b'HALF_UP'] = 'HALF_TO_EVEN'; narrow_range:bool = False; "
     "axis:int = -1",
     ""},
    {"QuantizeAndDequantizeV4Grad", "gradients:T, input:T, input_min:T, input_max:T",
     "input_backprop:T, input_min_backprop:T, input_max_backprop:T", "T:floats; axis:int = -1", ""},
    {"QuantizeDownAndShrinkRange", "input:Tinput, input_min:float, input_max:float",
     "output:out_type, output_min:float, output_max:float", "Tinput:quantized; out_type:quantized", ""},
    {"QuantizeV2", "input:float, min_range:float, max_range:float",
     "output:T, output_min:float, output_max:float",
     "T:quantized; mode:string in [b'MIN_COMBINED',b'MIN_FIRST',b'SCALED'] = 'MIN_COMBINED'; "
     "round_mode:string in [b'HALF_AWAY_FROM_ZERO',b'HALF_TO_EVEN'] = 'HALF_AWAY_FROM_ZERO'; "
     "narrow_range:bool = False; axis:int = -1; ensure_minimum_range:float = 0.009999999776482582",
     ""},
    {"QuantizedAdd", "x:T1, y:T2, min_x:float, max_x:float, min_y:float, max_y:float",
     "z:Toutput, min_z:float, max_z:float", "T1:quantized; T2:quantized; Toutput:quantized = qint32", ""},
    {"QuantizedAvgPool", "input:T, min_input:float, max_input:float",
     "output:T, min_output:float, max_output:float",
     "T:quantized; ksize:list(int); strides:list(int); padding:string in [b'SAME',b'VALID']", ""},
    {"QuantizedBatchNormWithGlobalNormalization",
     "t:Tinput, t_min:float, t_max:float, m:Tinput, m_min:float, m_max:float, v:Tinput, v_min:float, "
     "v_max:float, beta:Tinput, beta_min:float, beta_max:float, gamma:Tinput, gamma_min:float, "
     "gamma_max:float",
     "result:out_type, result_min:float, result_max:float",
     "Tinput:quantized; out_type:quantized; variance_epsilon:float; scale_after_normalization:bool", ""},
    {"QuantizedBiasAdd",
     "input:T1, bias:T2, min_input:float, max_input:float, min_bias:float, max_bias:float",
     "output:out_type, min_out:float, max_out:float", "T1:quantized; T2:quantized; out_type:quantized", ""},
    {"QuantizedConcat", "concat_dim:int32, values:N * T, input_mins:N * float, input_maxes:N * float",
     "output:T, output_min:float, output_max:float", "N:int >= 2; T:type", ""},
    {"QuantizedConcatV2", "values:N * T, axis:Tidx, input_mins:N * float, input_maxes:N * float",
     "output:T, output_min:float, output_max:float", "N:int >= 2; T:type; Tidx:index = int32", ""},
    {"QuantizedConv2D",
     "input:Tinput, filter:Tfilter, min_input:float, max_input:float, min_filter:float, max_filter:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint32; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]",
     ""},
    {"QuantizedConv2DAndRelu",
     "input:Tinput, filter:Tfilter, min_input:float, max_input:float, min_filter:float, max_filter:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint32; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; padding_list:list(int) = []",
     ""},
    {"QuantizedConv2DAndReluAndRequantize",
     "input:Tinput, filter:Tfilter, min_input:float, max_input:float, min_filter:float, max_filter:float, "
     "min_freezed_output:float, max_freezed_output:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = quint8; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; padding_list:list(int) = []",
     ""},
    {"QuantizedConv2DAndRequantize",
     "input:Tinput, filter:Tfilter, min_input:float, max_input:float, min_filter:float, max_filter:float, "
     "min_freezed_output:float, max_freezed_output:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint8; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; padding_list:list(int) = []",
     ""},
    {"QuantizedConv2DPerChannel",
     "input:Tinput, filter:Tfilter, min_input:float, max_input:float, min_filter:float, max_filter:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint32; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]",
     ""},
    {"QuantizedConv2DWithBias",
     "input:Tinput, filter:Tfilter, bias:float, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint32; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; padding_list:list(int) = []",
     ""},
    {"QuantizedConv2DWithBiasAndRelu",
     "input:Tinput, filter:Tfilter, bias:float, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint32; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; padding_list:list(int) = []",
     ""},
    {"QuantizedConv2DWithBiasAndReluAndRequantize",
     "input:Tinput, filter:Tfilter, bias:Tbias, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float, min_freezed_output:float, max_freezed_output:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; Tbias:type in [float,qint32]; out_type:quantized = quint8; "
     "strides:list(int); padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; "
     "padding_list:list(int) = []",
     ""},
    {"QuantizedConv2DWithBiasAndRequantize",
     "input:Tinput, filter:Tfilter, bias:Tbias, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float, min_freezed_output:float, max_freezed_output:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; Tbias:type in [float,qint32]; out_type:quantized = qint8; "
     "strides:list(int); padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; "
     "padding_list:list(int) = []",
     ""},
    {"QuantizedConv2DWithBiasSignedSumAndReluAndRequantize",
     "input:Tinput, filter:Tfilter, bias:Tbias, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float, min_freezed_output:float, max_freezed_output:float, summand:Tsummand, "
     "min_summand:float, max_summand:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; Tbias:type in [float,qint32]; Tsummand:quantized; "
     "out_type:quantized = quint8; strides:list(int); padding:string in [b'SAME',b'VALID']; "
     "dilations:list(int) = [1,1,1,1]; padding_list:list(int) = []",
     ""},
    {"QuantizedConv2DWithBiasSumAndRelu",
     "input:Tinput, filter:Tfilter, bias:float, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float, summand:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint32; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; padding_list:list(int) = []",
     ""},
    {"QuantizedConv2DWithBiasSumAndReluAndRequantize",
     "input:Tinput, filter:Tfilter, bias:Tbias, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float, min_freezed_output:float, max_freezed_output:float, summand:Tsummand, "
     "min_summand:float, max_summand:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; Tbias:type in [float,qint32]; Tsummand:quantized; "
     "out_type:quantized = quint8; strides:list(int); padding:string in [b'SAME',b'VALID']; "
     "dilations:list(int) = [1,1,1,1]; padding_list:list(int) = []",
     ""},
    {"QuantizedDepthwiseConv2D",
     "input:Tinput, filter:Tfilter, min_input:float, max_input:float, min_filter:float, max_filter:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint32; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]",
     ""},
    {"QuantizedDepthwiseConv2DWithBias",
     "input:Tinput, filter:Tfilter, bias:float, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint32; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]",
     ""},
    {"QuantizedDepthwiseConv2DWithBiasAndRelu",
     "input:Tinput, filter:Tfilter, bias:float, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; out_type:quantized = qint32; strides:list(int); "
     "padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; padding_list:list(int) = []",
     ""},
    {"QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
     "input:Tinput, filter:Tfilter, bias:Tbias, min_input:float, max_input:float, min_filter:float, "
     "max_filter:float, min_freezed_output:float, max_freezed_output:float",
     "output:out_type, min_output:float, max_output:float",
     "Tinput:quantized; Tfilter:quantized; Tbias:type in [float,qint32]; out_type:quantized = quint8; "
     "strides:list(int); padding:string in [b'SAME',b'VALID']; dilations:list(int) = [1,1,1,1]; "
     "padding_list:list(int) = []",
     ""},
    {"QuantizedInstanceNorm", "x:T, x_min:float, x_max:float", "y:T, y_min:float, y_max:float",
     "T:quantized; output_range_given:bool = False; given_y_min:float = 0.0; given_y_max:float = 0.0; "
     "variance_epsilon:float = 9.999999747378752e-06; min_separation:float = 0.0010000000474974513",
     ""},
    {"QuantizedMatMul", "a:T1, b:T2, min_a:float, max_a:float, min_b:float, max_b:float",
     "out:Toutput, min_out:float, max_out:float",
     "T1:quantized; T2:quantized; Toutput:quantized = qint32; transpose_a:bool = False; "
     "transpose_b:bool = False; Tactivation:quantized = quint8",
     ""},
    {"QuantizedMatMulWithBias", "a:T1, b:T2, bias:Tbias, min_a:float, max_a:float, min_b:float, max_b:float",
     "out:Toutput, min_out:float, max_out:float",
     "T1:quantized; T2:quantized; Tbias:type in [float,qint32]; Toutput:quantized = qint32; "
     "transpose_a:bool = False; transpose_b:bool = False; "
     "input_quant_mode:string in [b'MIN_FIRST',b'SCALED'] = 'MIN_FIRST'",
     ""},
    {"QuantizedMatMulWithBiasAndDequantize",
     "a:T1, b:T2, bias:Tbias, min_a:float, max_a:float, min_b:float, max_b:float, min_freezed_output:float, "
     "max_freezed_output:float",
     "out:Toutput",
     "T1:quantized; T2:quantized; Tbias:type in [float,qint32]; Toutput:type in [float]; "
     "transpose_a:bool = False; transpose_b:bool = False; "
     "input_quant_mode:string in [b'MIN_FIRST',b'SCALED'] = 'MIN_FIRST'",
     ""},
    {"QuantizedMatMulWithBiasAndRelu",
     "a:T1, b:T2, bias:float, min_a:float, max_a:float, min_b:float, max_b:float",
     "out:Toutput, min_out:float, max_out:float",
     "T1:quantized; T2:quantized; Toutput:quantized = qint32; transpose_a:bool = False; "
     "transpose_b:bool = False; input_quant_mode:string in [b'MIN_FIRST',b'SCALED'] = 'MIN_FIRST'",
     ""},
    {"QuantizedMatMulWithBiasAndReluAndRequantize",
     "a:T1, b:T2, bias:Tbias, min_a:float, max_a:float, min_b:float, max_b:float, min_freezed_output:float, "
     "max_freezed_output:float",
     "out:Toutput, min_out:float, max_out:float",
     "T1:quantized; T2:quantized; Tbias:type in [float,qint32]; Toutput:quantized = quint8; "
     "transpose_a:bool = False; transpose_b:bool = False; "
     "input_quant_mode:string in [b'MIN_FIRST',b'SCALED'] = 'MIN_FIRST'",
     ""},
    {"QuantizedMatMulWithBiasAndRequantize",
     "a:T1, b:T2, bias:Tbias, min_a:float, max_a:float, min_b:float, max_b:float, min_freezed_output:float, "
     "max_freezed_output:float",
     "out:Toutput, min_out:float, max_out:float",
     "T1:quantized; T2:quantized; Tbias:type in [float,qint32]; Toutput:quantized = quint8; "
     "transpose_a:bool = False; transpose_b:bool = False; "
     "input_quant_mode:string in [b'MIN_FIRST',b'SCALED'] = 'MIN_FIRST'",
     ""},
    {"QuantizedMaxPool", "input:T, min_input:float, max_input:float",
     "output:T, min_output:float, max_output:float",
     "T:quantized; ksize:list(int); strides:list(int); padding:string in [b'SAME',b'VALID']", ""},
    {"QuantizedMul", "x:T1, y:T2, min_x:float, max_x:float, min_y:float, max_y:float",
     "z:Toutput, min_z:float, max_z:float", "T1:quantized; T2:quantized; Toutput:quantized = qint32", ""},
    {"QuantizedRelu", "features:Tinput, min_features:float, max_features:float",
     "activations:out_type, min_activations:float, max_activations:float",
     "Tinput:quantized; out_type:quantized = quint8", ""},
    {"QuantizedRelu6", "features:Tinput, min_features:float, max_features:float",
     "activations:out_type, min_activations:float, max_activations:float",
     "Tinput:quantized; out_type:quantized = quint8", ""},
    {"QuantizedReluX", "features:Tinput, max_value:float, min_features:float, max_features:float",
     "activations:out_type, min_activations:float, max_activations:float",
     "Tinput:quantized; out_type:quantized = quint8", ""},
    {"QuantizedReshape", "tensor:T, shape:Tshape, input_min:float, input_max:float",
     "output:T, output_min:float, output_max:float", "T:type; Tshape:index = int32", ""},
    {"QuantizedResizeBilinear", "images:T, size:int32, min:float, max:float",
     "resized_images:T, out_min:float, out_max:float",
     "T:type in [quint8,qint32,float]; align_corners:bool = False; half_pixel_centers:bool = "
     "False",
     ""},
    {"RequantizationRange", "input:Tinput, input_min:float, input_max:float",
     "output_min:float, output_max:float", "Tinput:quantized", ""},
    {"RequantizationRangePerChannel", "input:T, input_min:float, input_max:float",
     "output_min:float, output_max:float", "T:quantized = qint32; clip_value_max:float", ""},
    {"Requantize",
     "input:Tinput, input_min:float, input_max:float, requested_output_min:float, requested_output_max:float",
     "output:out_type, output_min:float, output_max:float", "Tinput:quantized; out_type:quantized", ""},
    {"RequantizePerChannel",
     "input:T, input_min:float, input_max:float, requested_output_min:float, requested_output_max:float",
     "output:out_type, output_min:float, output_max:float",
     "T:quantized = qint32; out_type:quantized = quint8", ""},
    {"UniformDequantize", "input:Tin, scales:float, zero_points:int32", "output:Tout",
     "Tin:type in [qint8,quint8,qint32]; Tout:type in [float]; quantization_axis:int = -1; "
     "quantization_min_val:int; quantization_max_val:int",
     ""},
    {"UniformQuantize", "input:Tin, scales:float, zero_points:int32", "output:Tout",
     "Tin:type in [float]; Tout:type in [qint8,quint8,qint32]; quantization_axis:int = -1; "
     "quantization_min_val:int; quantization_max_val:int",
     ""},
    {"UniformQuantizedAdd",
     "lhs:T, rhs:T, lhs_scales:float, lhs_zero_points:int32, rhs_scales:float, "
     "rhs_zero_points:int32, output_scales:float, output_zero_points:int32",
     "output:T",
     "lhs_quantization_axis:int = -1; lhs_quantization_min_val:int; "
     "lhs_quantization_max_val:int; rhs_quantization_axis:int = -1; "
     "rhs_quantization_min_val:int; rhs_quantization_max_val:int; "
     "output_quantization_axis:int = -1; output_quantization_min_val:int; "
     "output_quantization_max_val:int; T:type in [qint32]",
     ""},
    {"UniformQuantizedClipByValue", "operand:T, min:T, max:T, scales:float, zero_points:int32", "output:T",
     "T:type in [qint32]; quantization_axis:int = -1; quantization_min_val:int; "
     "quantization_max_val:int",
     ""},
    {"UniformQuantizedConvolution",
     "lhs:Tin, rhs:Tin, lhs_scales:float, lhs_zero_points:int32, rhs_scales:float, "
     "rhs_zero_points:int32, output_scales:float, output_zero_points:int32",
     "output:Tout",
     "Tin:type in [qint8]; Tout:type in [qint32]; window_strides:list(int) = []; "
     "padding:string; explicit_padding:list(int) = []; lhs_dilation:list(int) = []; "
     "rhs_dilation:list(int) = []; batch_group_count:int = 1; feature_group_count:int = 1; "
     "dimension_numbers:string = ''; lhs_quantization_axis:int = -1; "
     "lhs_quantization_min_val:int; lhs_quantization_max_val:int; rhs_quantization_axis:int = "
     "-1; rhs_quantization_min_val:int; rhs_quantization_max_val:int; "
     "output_quantization_axis:int = -1; output_quantization_min_val:int; "
     "output_quantization_max_val:int",
     ""},
    {"UniformQuantizedConvolutionHybrid", "lhs:Tlhs, rhs:Trhs, rhs_scales:float, rhs_zero_points:int32",
     "output:Tout",
     "Tlhs:type in [float]; Trhs:type in [qint8]; Tout:type in [float]; "
     "window_strides:list(int) = []; padding:string; explicit_padding:list(int) = []; "
     "lhs_dilation:list(int) = []; rhs_dilation:list(int) = []; batch_group_count:int = 1; "
     "feature_group_count:int = 1; dimension_numbers:string = ''; rhs_quantization_axis:int = "
     "-1; rhs_quantization_min_val:int; rhs_quantization_max_val:int",
     ""},
    {"UniformQuantizedDot",
     "lhs:Tin, rhs:Tin, lhs_scales:float, lhs_zero_points:int32, rhs_scales:float, "
     "rhs_zero_points:int32, output_scales:float, output_zero_points:int32",
     "output:Tout",
     "Tin:type in [qint8]; Tout:type in [qint32]; lhs_quantization_axis:int = -1; "
     "lhs_quantization_min_val:int; lhs_quantization_max_val:int; rhs_quantization_axis:int = "
     "-1; rhs_quantization_min_val:int; rhs_quantization_max_val:int; "
     "output_quantization_axis:int = -1; output_quantization_min_val:int; "
     "output_quantization_max_val:int",
     ""},
    {"UniformQuantizedDotHybrid", "lhs:Tlhs, rhs:Trhs, rhs_scales:float, rhs_zero_points:int32",
     "output:Tout",
     "Tlhs:type in [float]; Trhs:type in [qint8]; Tout:type in [float]; "
     "rhs_quantization_axis:int = -1; rhs_quantization_min_val:int; "
     "rhs_quantization_max_val:int",
     ""},
    {"UniformRequantize",
     "input:Tin, input_scales:float, input_zero_points:int32, output_scales:float, "
     "output_zero_points:int32",
     "output:Tout",
     "Tin:type in [qint8,qint32]; Tout:type in [qint8,qint32]; input_quantization_axis:int = "
     "-1; input_quantization_min_val:int; input_quantization_max_val:int; "
     "output_quantization_axis:int = -1; output_quantization_min_val:int; "
     "output_quantization_max_val:int",
     ""},
    {"_FusedQuantizedConv2D", "device_inputs:list(Tdevice_inputs), host_inputs:list(Thost_inputs)",
     "device_outputs:list(Tdevice_outputs), host_outputs:list(Thost_outputs)",
     "Tinput:quantized = quint8; Tfilter:quantized = qint8; Tbias:type in [float,qint32] = qint32; "
     "Tsummand:type in [float,quint8,qint8,qint32]; out_type:quantized = qint32; "
     "Tdevice_inputs:list(type) >= 0 = []; Thost_inputs:list(type) >= 0; "
     "Tdevice_outputs:list(type) >= 0 = []; Thost_outputs:list(type) >= 0; data_format:string = 'NHWC'; "
     "strides:list(int); is_filter_const:bool = True; is_bias_const:bool = True; "
     "padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; "
     "dilations:list(int) = [1,1,1,1]; fused_ops:list(string) = []; alpha:float = 0.0",
     ""},
    {"_FusedQuantizedDepthwiseConv2D", "device_inputs:list(Tdevice_inputs), host_inputs:list(Thost_inputs)",
     "device_outputs:list(Tdevice_outputs), host_outputs:list(Thost_outputs)",
     "Tinput:quantized = quint8; Tfilter:quantized = qint8; Tbias:type in [float,qint32] = qint32; "
     "Tsummand:type in [float,quint8,qint8,qint32]; out_type:quantized = qint32; "
     "Tdevice_inputs:list(type) >= 0 = []; Thost_inputs:list(type) >= 0; "
     "Tdevice_outputs:list(type) >= 0 = []; Thost_outputs:list(type) >= 0; data_format:string = 'NHWC'; "
     "strides:list(int); is_filter_const:bool = True; is_bias_const:bool = True; "
     "padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; "
     "dilations:list(int) = [1,1,1,1]; fused_ops:list(string) = []; alpha:float = 0.0",
     ""},
    {"_QuantizedMatMul", "device_inputs:list(Tdevice_inputs), host_inputs:list(Thost_inputs)",
     "device_outputs:list(Tdevice_outputs), host_outputs:list(Thost_outputs)",
     "Tdevice_inputs:list(type) >= 0 = []; Thost_inputs:list(type) >= 0 = []; "
     "Tdevice_outputs:list(type) >= 0 = []; Thost_outputs:list(type) >= 0 = []; T1:quantized; "
     "T2:quantized; Tbias:type in [bfloat16,float,qint8,quint8,qint32,qint16,quint16] = float; "
     "U:type in [bfloat16,float,qint8,quint8,qint32,qint16,quint16] = float; "
     "Tout:type in [bfloat16,float,qint8,quint8,qint32,qint16,quint16] = float; "
     "transpose_a:bool = False; transpose_b:bool = False; is_weight_const:bool = True; "
     "is_bias_const:bool = True; fused_ops:list(string) = []; "
     "input_quant_mode:string in [b'MIN_FIRST',b'SCALED'] = 'SCALED'; "
     "output_quant_mode:string in [b'MIN_FIRST',b'SCALED'] = 'SCALED'; "
     "leakyrelu_alpha:float = 0.20000000298023224",
     ""},
    {"_QuantizedMaxPool3D", "input:T, min_input:float, max_input:float",
     "output:T, min_output:float, max_output:float",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:quantized",
     ""},
};

}  // namespace

absl::Status register_quantized_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
