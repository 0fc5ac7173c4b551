#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AudioSpectrogram", "input:float", "spectrogram:float",
     "window_size:int; stride:int; magnitude_squared:bool = False", ""},
    {"BatchFFT", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchFFT2D", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchFFT3D", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchIFFT", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchIFFT2D", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"BatchIFFT3D", "input:complex64", "output:complex64", "", "deprecated_since_15"},
    {"DecodeWav", "contents:string", "audio:float, sample_rate:int32",
     "desired_channels:int = -1; desired_samples:int = -1", ""},
    {"EncodeWav", "audio:float, sample_rate:int32", "contents:string", "", ""},
    {"FFT", "input:Tcomplex", "output:Tcomplex", "Tcomplex:complexes = complex64", ""},
    {"FFT2D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:complexes = complex64", ""},
    {"FFT3D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:complexes = complex64", ""},
    {"FFTND", "input:Tcomplex, fft_length:int32, axes:int32", "output:Tcomplex",
     "Tcomplex:complexes = complex64", ""},
    {"IFFT", "input:Tcomplex", "output:Tcomplex", "Tcomplex:complexes = complex64", ""},
    {"IFFT2D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:complexes = complex64", ""},
    {"IFFT3D", "input:Tcomplex", "output:Tcomplex", "Tcomplex:complexes = complex64", ""},
    {"IFFTND", "input:Tcomplex, fft_length:int32, axes:int32", "output:Tcomplex",
     "Tcomplex:complexes = complex64", ""},
    {"IRFFT", "input:Tcomplex, fft_length:int32", "output:Treal",
     "Treal:wide_floats = float; Tcomplex:complexes = complex64", ""},
    {"IRFFT2D", "input:Tcomplex, fft_length:int32", "output:Treal",
     "Treal:wide_floats = float; Tcomplex:complexes = complex64", ""},
    {"IRFFT3D", "input:Tcomplex, fft_length:int32", "output:Treal",
     "Treal:wide_floats = float; Tcomplex:complexes = complex64", ""},
    {"IRFFTND", "input:Tcomplex, fft_length:int32, axes:int32", "output:Treal",
     "Treal:wide_floats = float; Tcomplex:complexes = complex64", ""},
    {"Mfcc", "spectrogram:float, sample_rate:int32", "output:float",
     "upper_frequency_limit:float = 4000.0; lower_frequency_limit:float = 20.0; "
     "filterbank_channel_count:int = 40; dct_coefficient_count:int = 13",
     ""},
    {"RFFT", "input:Treal, fft_length:int32", "output:Tcomplex",
     "Treal:wide_floats = float; Tcomplex:complexes = complex64", ""},
    {"RFFT2D", "input:Treal, fft_length:int32", "output:Tcomplex",
     "Treal:wide_floats = float; Tcomplex:complexes = complex64", ""},
    {"RFFT3D", "input:Treal, fft_length:int32", "output:Tcomplex",
     "Treal:wide_floats = float; Tcomplex:complexes = complex64", ""},
    {"RFFTND", "input:Treal, fft_length:int32, axes:int32", "output:Tcomplex",
     "Treal:wide_floats = float; Tcomplex:complexes = complex64", ""},
};

}  // namespace

absl::Status register_signal_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
