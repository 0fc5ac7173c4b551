#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AdjustContrastv2", "images:T, contrast_factor:float", "output:T", "T:type in [half,float] = float", ""},
    {"AdjustHue", "images:T, delta:float", "output:T", "T:type in [half,float] = float", ""},
    {"AdjustSaturation", "images:T, scale:float", "output:T", "T:type in [half,float] = float", ""},
    {"AvgPool", "value:T", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; T:type in [half,bfloat16,float,double]",
     ""},
    {"AvgPool3D", "input:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:type in [half,bfloat16,float,"
     "double]",
     ""},
    {"AvgPool3DGrad", "orig_input_shape:int32, grad:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:type in [half,bfloat16,float,"
     "double]",
     ""},
    {"AvgPoolGrad", "orig_input_shape:int32, grad:T", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; T:type in [half,bfloat16,float,double]",
     ""},
    {"BatchNormWithGlobalNormalization", "t:T, m:T, v:T, beta:T, gamma:T", "result:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; variance_epsilon:float; "
     "scale_after_normalization:bool",
     "deprecated_since_9"},
    {"BiasAdd", "value:T, bias:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; data_format:string in "
     "[b'NHWC',b'NCHW'] = 'NHWC'",
     ""},
    {"BiasAddGrad", "out_backprop:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; data_format:string in "
     "[b'NHWC',b'NCHW'] = 'NHWC'",
     ""},
    {"BiasAddV1", "value:T, bias:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"BlockLSTM", "seq_len_max:int64, x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T",
     "i:T, cs:T, f:T, o:T, ci:T, co:T, h:T",
     "forget_bias:float = 1.0; cell_clip:float = 3.0; use_peephole:bool = False; T:type in "
     "[half,float]",
     ""},
    {"CTCBeamSearchDecoder", "inputs:T, sequence_length:int32",
     "decoded_indices:top_paths * int64, decoded_values:top_paths * int64, "
     "decoded_shape:top_paths * int64, log_probability:T",
     "beam_width:int >= 1; top_paths:int >= 1; merge_repeated:bool = True; T:type in [float,"
     "double] = float",
     ""},
    {"CTCGreedyDecoder", "inputs:T, sequence_length:int32",
     "decoded_indices:int64, decoded_values:int64, decoded_shape:int64, log_probability:T",
     "merge_repeated:bool = False; blank_index:int = -1; T:type in [float,double] = float", ""},
    {"CTCLoss", "inputs:T, labels_indices:int64, labels_values:int32, sequence_length:int32",
     "loss:T, gradient:T",
     "preprocess_collapse_repeated:bool = False; ctc_merge_repeated:bool = True; "
     "ignore_longer_outputs_than_inputs:bool = False; T:type in [float,double] = float",
     ""},
    {"CombinedNonMaxSuppression",
     "boxes:float, scores:float, max_output_size_per_class:int32, max_total_size:int32, "
     "iou_threshold:float, score_threshold:float",
     "nmsed_boxes:float, nmsed_scores:float, nmsed_classes:float, valid_detections:int32",
     "pad_per_class:bool = False; clip_boxes:bool = True", ""},
    {"Conv2D", "input:T, filter:T", "output:T",
     "T:type in [half,bfloat16,float,double,int32]; strides:list(int); use_cudnn_on_gpu:bool "
     "= True; padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = "
     "[]; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv2DBackpropFilter", "input:T, filter_sizes:int32, out_backprop:T", "output:T",
     "T:type in [half,bfloat16,float,double]; strides:list(int); use_cudnn_on_gpu:bool = "
     "True; padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = "
     "[]; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv2DBackpropInput", "input_sizes:int32, filter:T, out_backprop:T", "output:T",
     "T:type in [half,bfloat16,float,double,int32]; strides:list(int); use_cudnn_on_gpu:bool "
     "= True; padding:string in [b'SAME',b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = "
     "[]; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Conv3D", "input:T, filter:T", "output:T",
     "T:type in [half,bfloat16,float,double]; strides:list(int) >= 5; padding:string in "
     "[b'SAME',b'VALID']; data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; "
     "dilations:list(int) = [1,1,1,1,1]",
     ""},
    {"Conv3DBackpropFilterV2", "input:T, filter_sizes:int32, out_backprop:T", "output:T",
     "T:type in [half,bfloat16,float,double]; strides:list(int) >= 5; padding:string in "
     "[b'SAME',b'VALID']; data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; "
     "dilations:list(int) = [1,1,1,1,1]",
     ""},
    {"Conv3DBackpropInputV2", "input_sizes:Tshape, filter:T, out_backprop:T", "output:T",
     "T:type in [half,bfloat16,float,double]; strides:list(int) >= 5; padding:string in "
     "[b'SAME',b'VALID']; data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; "
     "dilations:list(int) = [1,1,1,1,1]; Tshape:type in [int32,int64] = int32",
     ""},
    {"CropAndResize", "image:T, boxes:float, box_ind:int32, crop_size:int32", "crops:float",
     "T:type in [uint8,uint16,int8,int16,int32,int64,half,float,double]; method:string in "
     "[b'bilinear',b'nearest'] = 'bilinear'; extrapolation_value:float = 0.0",
     ""},
    {"CudnnRNNParamsSize", "num_layers:int32, num_units:int32, input_size:int32", "params_size:S",
     "T:type in [bfloat16,half,float,double]; S:type in [int32,int64]; rnn_mode:string in "
     "[b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; input_mode:string in "
     "[b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; direction:string in "
     "[b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; seed:int "
     "= 0; seed2:int = 0; num_proj:int = 0",
     ""},
    {"CudnnRNNV2", "input:T, input_h:T, input_c:T, params:T",
     "output:T, output_h:T, output_c:T, reserve_space:T, host_reserved:int8",
     "T:type in [bfloat16,half,float,double]; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',"
     "b'lstm',b'gru'] = 'lstm'; input_mode:string in [b'linear_input',b'skip_input',"
     "b'auto_select'] = 'linear_input'; direction:string in [b'unidirectional',"
     "b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; seed:int = 0; seed2:int = 0; "
     "is_training:bool = True",
     "stateful"},
    {"DecodeImage", "contents:string", "image:dtype",
     "channels:int = 0; dtype:type in [uint8,uint16,float] = uint8; expand_animations:bool = "
     "True",
     ""},
    {"DecodeJpeg", "contents:string", "image:uint8",
     "channels:int = 0; ratio:int = 1; fancy_upscaling:bool = True; "
     "try_recover_truncated:bool = False; acceptable_fraction:float = 1.0; dct_method:string "
     "= ''",
     ""},
    {"DecodePng", "contents:string", "image:dtype", "channels:int = 0; dtype:type in [uint8,uint16] = uint8",
     ""},
    {"DepthwiseConv2dNative", "input:T, filter:T", "output:T",
     "T:type in [half,bfloat16,float,double]; strides:list(int); padding:string in [b'SAME',"
     "b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; data_format:string in [b'NHWC',"
     "b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"DepthwiseConv2dNativeBackpropFilter", "input:T, filter_sizes:int32, out_backprop:T", "output:T",
     "T:type in [half,bfloat16,float,double]; strides:list(int); padding:string in [b'SAME',"
     "b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; data_format:string in [b'NHWC',"
     "b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"DepthwiseConv2dNativeBackpropInput", "input_sizes:int32, filter:T, out_backprop:T", "output:T",
     "T:type in [half,bfloat16,float,double]; strides:list(int); padding:string in [b'SAME',"
     "b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; data_format:string in [b'NHWC',"
     "b'NCHW'] = 'NHWC'; dilations:list(int) = [1,1,1,1]",
     ""},
    {"Dilation2D", "input:T, filter:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; strides:list(int) >= 4; rates:list(int) >= 4; padding:string in [b'SAME',"
     "b'VALID']",
     ""},
    {"DrawBoundingBoxes", "images:T, boxes:float", "output:T", "T:type in [float,half] = float", ""},
    {"Elu", "features:T", "activations:T", "T:type in [half,bfloat16,float,double]", ""},
    {"EluGrad", "gradients:T, outputs:T", "backprops:T", "T:type in [half,bfloat16,float,double]", ""},
    {"EncodeJpeg", "image:uint8", "contents:string",
     "format:string in [b'',b'grayscale',b'rgb'] = ''; quality:int = 95; progressive:bool = "
     "False; optimize_size:bool = False; chroma_downsampling:bool = True; density_unit:string "
     "in [b'in',b'cm'] = 'in'; x_density:int = 300; y_density:int = 300; xmp_metadata:string "
     "= ''",
     ""},
    {"EncodePng", "image:T", "contents:string", "compression:int = -1; T:type in [uint8,uint16] = uint8", ""},
    {"FractionalMaxPool", "value:T", "output:T, row_pooling_sequence:int64, col_pooling_sequence:int64",
     "pooling_ratio:list(float) >= 4; pseudo_random:bool = False; overlapping:bool = False; "
     "deterministic:bool = False; seed:int = 0; seed2:int = 0; T:type in [float,double,int32,"
     "int64]",
     ""},
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
     "T:type in [half,bfloat16,float]; U:type in [float]; epsilon:float = "
     "9.999999747378752e-05; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; "
     "is_training:bool = True",
     ""},
    {"FusedBatchNormGradV3",
     "y_backprop:T, x:T, scale:float, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U",
     "x_backprop:T, scale_backprop:U, offset_backprop:U, reserve_space_4:U, reserve_space_5:U",
     "T:type in [half,bfloat16,float]; U:type in [float]; epsilon:float = "
     "9.999999747378752e-05; data_format:string in [b'NHWC',b'NCHW',b'NDHWC',b'NCDHW'] = "
     "'NHWC'; is_training:bool = True",
     ""},
    {"FusedBatchNormV2", "x:T, scale:U, offset:U, mean:U, variance:U",
     "y:T, batch_mean:U, batch_variance:U, reserve_space_1:U, reserve_space_2:U",
     "T:type in [half,bfloat16,float]; U:type in [float]; epsilon:float = "
     "9.999999747378752e-05; exponential_avg_factor:float = 1.0; data_format:string in "
     "[b'NHWC',b'NCHW'] = 'NHWC'; is_training:bool = True",
     ""},
    {"FusedBatchNormV3", "x:T, scale:U, offset:U, mean:U, variance:U",
     "y:T, batch_mean:U, batch_variance:U, reserve_space_1:U, reserve_space_2:U, "
     "reserve_space_3:U",
     "T:type in [half,bfloat16,float]; U:type in [bfloat16,float]; epsilon:float = "
     "9.999999747378752e-05; exponential_avg_factor:float = 1.0; data_format:string in "
     "[b'NHWC',b'NCHW',b'NDHWC',b'NCDHW'] = 'NHWC'; is_training:bool = True",
     ""},
    {"GRUBlockCell", "x:T, h_prev:T, w_ru:T, w_c:T, b_ru:T, b_c:T", "r:T, u:T, c:T, h:T", "T:type in [float]",
     ""},
    {"HSVToRGB", "images:T", "output:T", "T:type in [half,bfloat16,float,double] = float", ""},
    {"L2Loss", "t:T", "output:T", "T:type in [half,bfloat16,float,double]", ""},
    {"LRN", "input:T", "output:T",
     "depth_radius:int = 5; bias:float = 1.0; alpha:float = 1.0; beta:float = 0.5; T:type in "
     "[half,bfloat16,float] = float",
     ""},
    {"LRNGrad", "input_grads:T, input_image:T, output_image:T", "output:T",
     "depth_radius:int = 5; bias:float = 1.0; alpha:float = 1.0; beta:float = 0.5; T:type in "
     "[half,bfloat16,float] = float",
     ""},
    {"LSTMBlockCell", "x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T",
     "i:T, cs:T, f:T, o:T, ci:T, co:T, h:T",
     "forget_bias:float = 1.0; cell_clip:float = 3.0; use_peephole:bool = False; T:type in "
     "[half,float]",
     ""},
    {"LeakyRelu", "features:T", "activations:T",
     "alpha:float = 0.20000000298023224; T:type in [half,bfloat16,float,double] = float", ""},
    {"LeakyReluGrad", "gradients:T, features:T", "backprops:T",
     "alpha:float = 0.20000000298023224; T:type in [half,bfloat16,float,double] = float", ""},
    {"LogSoftmax", "logits:T", "logsoftmax:T", "T:type in [half,bfloat16,float,double]", ""},
    {"MaxPool", "input:T", "output:T",
     "T:type in [half,bfloat16,float,double,int32,int64,uint8,int16,int8,uint16,qint8] = "
     "float; ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',"
     "b'VALID',b'EXPLICIT']; explicit_paddings:list(int) = []; data_format:string in [b'NHWC',"
     "b'NCHW',b'NCHW_VECT_C'] = 'NHWC'",
     ""},
    {"MaxPool3D", "input:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:type in [half,bfloat16,float]",
     ""},
    {"MaxPool3DGrad", "orig_input:TInput, orig_output:TInput, grad:T", "output:T",
     "ksize:list(int) >= 5; strides:list(int) >= 5; padding:string in [b'SAME',b'VALID']; "
     "data_format:string in [b'NDHWC',b'NCDHW'] = 'NDHWC'; T:type in [half,bfloat16,float] = "
     "float; TInput:type in [half,bfloat16,float] = float",
     ""},
    {"MaxPoolGrad", "orig_input:T, orig_output:T, grad:T", "output:T",
     "ksize:list(int) >= 4; strides:list(int) >= 4; padding:string in [b'SAME',b'VALID',"
     "b'EXPLICIT']; explicit_paddings:list(int) = []; data_format:string in [b'NHWC',b'NCHW'] "
     "= 'NHWC'; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,"
     "uint32,uint64] = float",
     ""},
    {"MaxPoolGradV2", "orig_input:T, orig_output:T, grad:T, ksize:int32, strides:int32", "output:T",
     "padding:string in [b'SAME',b'VALID']; data_format:string in [b'NHWC',b'NCHW'] = 'NHWC'; "
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64] = float",
     ""},
    {"MaxPoolV2", "input:T, ksize:int32, strides:int32", "output:T",
     "T:type in [half,bfloat16,float,double,int32,int64,uint8,int16,int8,uint16,qint8] = "
     "float; padding:string in [b'SAME',b'VALID']; data_format:string in [b'NHWC',b'NCHW',"
     "b'NCHW_VECT_C'] = 'NHWC'",
     ""},
    {"MaxPoolWithArgmax", "input:T", "output:T, argmax:Targmax",
     "ksize:list(int) >= 4; strides:list(int) >= 4; Targmax:type in [int32,int64] = int64; "
     "padding:string in [b'SAME',b'VALID']; include_batch_in_index:bool = False; T:type in "
     "[float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]",
     ""},
    {"NonMaxSuppression", "boxes:float, scores:float, max_output_size:int32", "selected_indices:int32",
     "iou_threshold:float = 0.5", ""},
    {"NonMaxSuppressionV3",
     "boxes:T, scores:T, max_output_size:int32, iou_threshold:T_threshold, "
     "score_threshold:T_threshold",
     "selected_indices:int32", "T:type in [half,float] = float; T_threshold:type in [half,float] = float",
     ""},
    {"NonMaxSuppressionV5",
     "boxes:T, scores:T, max_output_size:int32, iou_threshold:T, score_threshold:T, "
     "soft_nms_sigma:T",
     "selected_indices:int32, selected_scores:T, valid_outputs:int32",
     "T:type in [half,float] = float; pad_to_max_output_size:bool = False", ""},
    {"RGBToHSV", "images:T", "output:T", "T:type in [half,bfloat16,float,double] = float", ""},
    {"Relu", "features:T", "activations:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,"
     "qint8]",
     ""},
    {"Relu6", "features:T", "activations:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"Relu6Grad", "gradients:T, features:T", "backprops:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"ReluGrad", "gradients:T, features:T", "backprops:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"ResizeArea", "images:T, size:int32", "resized_images:float",
     "T:type in [int8,uint8,int16,uint16,int32,int64,half,float,double,bfloat16]; "
     "align_corners:bool = False",
     ""},
    {"ResizeBicubic", "images:T, size:int32", "resized_images:float",
     "T:type in [int8,uint8,int16,uint16,int32,int64,half,float,double,bfloat16]; "
     "align_corners:bool = False; half_pixel_centers:bool = False",
     ""},
    {"ResizeBilinear", "images:T, size:int32", "resized_images:float",
     "T:type in [int8,uint8,int16,uint16,int32,int64,bfloat16,half,float,double,bfloat16]; "
     "align_corners:bool = False; half_pixel_centers:bool = False",
     ""},
    {"ResizeBilinearGrad", "grads:float, original_image:T", "output:T",
     "T:type in [float,bfloat16,half,double]; align_corners:bool = False; "
     "half_pixel_centers:bool = False",
     ""},
    {"ResizeNearestNeighbor", "images:T, size:int32", "resized_images:T",
     "T:type in [int8,uint8,int16,uint16,int32,int64,half,float,double,bfloat16]; "
     "align_corners:bool = False; half_pixel_centers:bool = False",
     ""},
    {"ResizeNearestNeighborGrad", "grads:T, size:int32", "output:T",
     "T:type in [uint8,int8,int32,half,float,double,bfloat16]; align_corners:bool = False; "
     "half_pixel_centers:bool = False",
     ""},
    {"Selu", "features:T", "activations:T", "T:type in [half,bfloat16,float,double]", ""},
    {"SeluGrad", "gradients:T, outputs:T", "backprops:T", "T:type in [half,bfloat16,float,double]", ""},
    {"Softmax", "logits:T", "softmax:T", "T:type in [half,bfloat16,float,double]", ""},
    {"SoftmaxCrossEntropyWithLogits", "features:T, labels:T", "loss:T, backprop:T",
     "T:type in [half,bfloat16,float,double]", ""},
    {"Softplus", "features:T", "activations:T", "T:type in [half,bfloat16,float,double]", ""},
    {"SoftplusGrad", "gradients:T, features:T", "backprops:T", "T:type in [half,bfloat16,float,double]", ""},
    {"Softsign", "features:T", "activations:T", "T:type in [half,bfloat16,float,double]", ""},
    {"SoftsignGrad", "gradients:T, features:T", "backprops:T", "T:type in [half,bfloat16,float,double]", ""},
    {"SparseSoftmaxCrossEntropyWithLogits", "features:T, labels:Tlabels", "loss:T, backprop:T",
     "T:type in [half,bfloat16,float,double]; Tlabels:type in [int32,int64] = int64", ""},
    {"_FusedBatchNormEx", "x:T, scale:U, offset:U, mean:U, variance:U, side_input:num_side_inputs * T",
     "y:T, batch_mean:U, batch_variance:U, reserve_space_1:U, reserve_space_2:U, "
     "reserve_space_3:U",
     "T:type in [half,float,bfloat16]; U:type in [float]; epsilon:float = "
     "9.999999747378752e-05; exponential_avg_factor:float = 1.0; num_side_inputs:int >= 0 = "
     "0; activation_mode:string = 'Identity'; data_format:string in [b'NHWC',b'NCHW'] = "
     "'NHWC'; is_training:bool = True",
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
    {"_FusedMatMul", "a:T, b:T, args:num_args * T", "product:T",
     "transpose_a:bool = False; transpose_b:bool = False; T:type in [bfloat16,half,float]; "
     "num_args:int >= 0; fused_ops:list(string) = []; epsilon:float = 9.999999747378752e-05; "
     "leakyrelu_alpha:float = 0.20000000298023224",
     ""},
};

}  // namespace

absl::Status register_nn_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
