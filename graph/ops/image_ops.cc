#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AudioSpectrogram", "input:float", "spectrogram:float",
     "window_size:int; stride:int; magnitude_squared:bool = False", ""},
    {"AudioSummary", "tag:string, tensor:float", "summary:string",
     "sample_rate:float; max_outputs:int >= 1 = 3", "deprecated_since_15"},
    {"AudioSummaryV2", "tag:string, tensor:float, sample_rate:float", "summary:string",
     "max_outputs:int >= 1 = 3", ""},
    {"CropAndResizeGradBoxes", "grads:float, image:T, boxes:float, box_ind:int32", "output:float",
     "T:type in [uint8,uint16,int8,int16,int32,int64,half,float,double]; method:string in "
     "[b'bilinear'] = 'bilinear'",
     ""},
    {"CropAndResizeGradImage", "grads:float, boxes:float, box_ind:int32, image_size:int32", "output:T",
     "T:type in [float,half,double]; method:string in [b'bilinear',b'nearest'] = 'bilinear'", ""},
    {"DecodeAndCropJpeg", "contents:string, crop_window:int32", "image:uint8",
     "channels:int = 0; ratio:int = 1; fancy_upscaling:bool = True; "
     "try_recover_truncated:bool = False; acceptable_fraction:float = 1.0; dct_method:string "
     "= ''",
     ""},
    {"DecodeBmp", "contents:string", "image:uint8", "channels:int = 0", ""},
    {"DecodeGif", "contents:string", "image:uint8", "", ""},
    {"DecodeWav", "contents:string", "audio:float, sample_rate:int32",
     "desired_channels:int = -1; desired_samples:int = -1", ""},
    {"DrawBoundingBoxesV2", "images:T, boxes:float, colors:float", "output:T",
     "T:type in [float,half] = float", ""},
    {"EncodeJpegVariableQuality", "images:uint8, quality:int32", "contents:string", "", ""},
    {"EncodeWav", "audio:float, sample_rate:int32", "contents:string", "", ""},
    {"ExtractGlimpse", "input:float, size:int32, offsets:float", "glimpse:float",
     "centered:bool = True; normalized:bool = True; uniform_noise:bool = True; noise:string = "
     "'uniform'",
     ""},
    {"ExtractGlimpseV2", "input:float, size:int32, offsets:float", "glimpse:float",
     "centered:bool = True; normalized:bool = True; uniform_noise:bool = True; noise:string = "
     "'uniform'",
     ""},
    {"ExtractJpegShape", "contents:string", "image_shape:output_type",
     "output_type:type in [int32,int64] = int32", ""},
    {"FusedResizeAndPadConv2D", "input:T, size:int32, paddings:int32, filter:T", "output:T",
     "T:type in [half,float,double]; resize_align_corners:bool = False; mode:string in "
     "[b'REFLECT',b'SYMMETRIC']; strides:list(int); padding:string in [b'SAME',b'VALID']",
     ""},
    {"ImageProjectiveTransformV2", "images:dtype, transforms:float, output_shape:int32",
     "transformed_images:dtype",
     "dtype:type in [uint8,int32,int64,half,bfloat16,float,double]; interpolation:string; "
     "fill_mode:string = 'CONSTANT'",
     ""},
    {"ImageProjectiveTransformV3", "images:dtype, transforms:float, output_shape:int32, fill_value:float",
     "transformed_images:dtype",
     "dtype:type in [uint8,int32,int64,half,bfloat16,float,double]; interpolation:string; "
     "fill_mode:string = 'CONSTANT'",
     ""},
    {"Mfcc", "spectrogram:float, sample_rate:int32", "output:float",
     "upper_frequency_limit:float = 4000.0; lower_frequency_limit:float = 20.0; "
     "filterbank_channel_count:int = 40; dct_coefficient_count:int = 13",
     ""},
    {"RandomCrop", "image:T, size:int64", "output:T",
     "T:type in [uint8,int8,int16,int32,int64,float,double]; seed:int = 0; seed2:int = 0",
     "stateful deprecated_since_8"},
    {"ResizeBicubicGrad", "grads:float, original_image:T", "output:T",
     "T:type in [float,double]; align_corners:bool = False; half_pixel_centers:bool = False", ""},
    {"WriteAudioSummary", "writer:resource, step:int64, tag:string, tensor:float, sample_rate:float", "",
     "max_outputs:int >= 1 = 3", "stateful"},
    {"WriteImageSummary", "writer:resource, step:int64, tag:string, tensor:T, bad_color:uint8", "",
     "max_images:int >= 1 = 3; T:type in [uint8,double,float,half] = float", "stateful"},
};

}  // namespace

absl::Status register_image_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
