// Features of sound: AudioSpectrogram and Mfcc.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/signal/fft_plan.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

constexpr double kPi = 3.14159265358979323846;
/// A window longer than this is no window of sound.
constexpr int64_t kMaxWindow = int64_t{1} << 24;

/// Magnitudes of the spectra of overlapping windows under a periodic Hann window: samples by channels in,
/// channels by slices by frequencies out.
class AudioSpectrogram final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("window_size", &window_)("stride", &stride_)("magnitude_squared", &squared_);
  }
  absl::Status init(const KernelConstruction&) {
    if (window_ > kMaxWindow) return invalid("window_size must be at most ", kMaxWindow, ", got ", window_);
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    if (input.rank() != 2) return invalid("input must be 2-dimensional", input.shape().to_string());
    if (window_ < 2 || stride_ < 1) {
      return invalid("Spectrogram initialization failed for window size ", window_, " and stride ", stride_);
    }
    const int64_t samples = input.dim(0), channels = input.dim(1);
    const int64_t slices = samples < window_ ? 0 : 1 + (samples - window_) / stride_;
    const auto length = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window_)));
    const int64_t bins = length / 2 + 1, dims[3] = {channels, slices, bins};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    std::vector<double> hann(static_cast<size_t>(window_));
    for (int64_t i = 0; i < window_; ++i)
      hann[i] = 0.5 - 0.5 * std::cos(2 * kPi * static_cast<double>(i) / static_cast<double>(window_));
    const auto plan = RealFftPlan::of(length);
    const float* sound = input.flat<float>().data();
    float* to = out->flat<float>().data();
    context.parallel().parallel_for(channels * slices, length * 20, [&](int64_t begin, int64_t end) {
      FftLines line;
      for (int64_t s = begin; s < end; ++s) {
        const float* from = sound + (s % slices) * stride_ * channels + s / slices;
        line.resize(length / 2, 1);
        for (int64_t i = 0; i < length; ++i) {
          std::vector<double>& part = i % 2 == 0 ? line.re : line.im;
          part[i / 2] = i < window_ ? hann[i] * static_cast<double>(from[i * channels]) : 0;
        }
        plan->forward(&line);
        for (int64_t k = 0; k < bins; ++k) {
          const double power = line.re[k] * line.re[k] + line.im[k] * line.im[k];
          to[s * bins + k] = static_cast<float>(squared_ ? power : std::sqrt(power));
        }
      }
    });
    return absl::OkStatus();
  }

 private:
  int64_t window_ = 0, stride_ = 0;
  bool squared_ = false;
};

double mel_of(double hertz) { return 1127.0 * std::log1p(hertz / 700.0); }

/// Triangles of equal width on the mel scale, each from the centre of its left neighbour to that of its right
/// one.
class MelFilterbank {
 public:
  /// For spectra of `bins` bins. False when the parameters make no filters.
  bool init(int64_t bins, double rate, int64_t channels, double low, double high) {
    if (bins < 2 || rate <= 0 || channels < 1 || low < 0 || !(high > low)) return false;
    channels_ = channels;
    const double mel_low = mel_of(low),
                 spacing = (mel_of(high) - mel_low) / static_cast<double>(channels + 1);
    auto centre = [&](int64_t i) { return mel_low + spacing * static_cast<double>(i + 1); };
    const double hertz = 0.5 * rate / static_cast<double>(bins - 1);
    // The constant part is always left out.
    first_ = static_cast<int64_t>(std::min(1.5 + low / hertz, static_cast<double>(bins)));
    last_ = static_cast<int64_t>(std::min(high / hertz, static_cast<double>(bins - 1)));
    bands_.assign(static_cast<size_t>(bins), -1);
    weights_.assign(static_cast<size_t>(bins), 0);
    int64_t channel = 0;
    for (int64_t i = first_; i <= last_; ++i) {
      const double mel = mel_of(static_cast<double>(i) * hertz);
      while (channel < channels && centre(channel) < mel) ++channel;
      bands_[i] = channel - 1;
      weights_[i] = (centre(channel) - mel) / spacing;
    }
    return true;
  }

  /// `out` has a place per channel; the input holds squared magnitudes.
  void run(const float* power, std::vector<double>* out) const {
    std::fill(out->begin(), out->end(), 0);
    for (int64_t i = first_; i <= last_; ++i) {
      const double magnitude = std::sqrt(static_cast<double>(power[i])), falling = magnitude * weights_[i];
      const int64_t band = bands_[i];
      if (band >= 0) (*out)[band] += falling;
      if (band + 1 < channels_) (*out)[band + 1] += magnitude - falling;
    }
  }

 private:
  int64_t channels_ = 0, first_ = 0, last_ = -1;
  std::vector<int64_t> bands_;
  std::vector<double> weights_;
};

/// Cepstral coefficients: the cosine transform of the logarithms of a mel filter bank.
class Mfcc final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("upper_frequency_limit", &high_)("lower_frequency_limit", &low_)(
        "filterbank_channel_count", &channels_)("dct_coefficient_count", &coefficients_);
  }
  absl::Status init(const KernelConstruction&) {
    if (channels_ > kMaxWindow) return invalid("filterbank_channel_count must be at most ", kMaxWindow);
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor &spectrogram = context.input(0), &rate = context.input(1);
    if (spectrogram.rank() != 3)
      return invalid("spectrogram must be 3-dimensional", spectrogram.shape().to_string());
    if (rate.num_elements() != 1 || rate.rank() != 0) {
      return invalid("Input sample_rate should be a scalar tensor, got ", rate.shape().to_string(),
                     " instead.");
    }
    const int64_t bins = spectrogram.dim(2), rows = count_dims(spectrogram.shape(), 0, 2);
    MelFilterbank bank;
    if (!bank.init(bins, rate.value<int32_t>(), channels_, low_, high_) || coefficients_ < 1 ||
        coefficients_ > channels_) {
      return invalid("Mfcc initialization failed for channel count ", bins, ", sample rate ",
                     rate.value<int32_t>(), " and filterbank_channel_count ", channels_);
    }
    const int64_t dims[3] = {spectrogram.dim(0), spectrogram.dim(1), coefficients_};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    const double scale = std::sqrt(2.0 / static_cast<double>(channels_)),
                 step = kPi / static_cast<double>(channels_);
    const float* from = spectrogram.flat<float>().data();
    float* to = out->flat<float>().data();
    std::vector<double> mel(static_cast<size_t>(channels_));
    for (int64_t r = 0; r < rows; ++r) {
      bank.run(from + r * bins, &mel);
      // Silence gets a floor in place of an infinite logarithm.
      for (double& m : mel) m = std::log(std::max(m, 1e-12));
      for (int64_t k = 0; k < coefficients_; ++k) {
        double sum = 0;
        for (int64_t j = 0; j < channels_; ++j)
          sum += std::cos(static_cast<double>(k) * step * (static_cast<double>(j) + 0.5)) * mel[j];
        to[r * coefficients_ + k] = static_cast<float>(scale * sum);
      }
    }
    return absl::OkStatus();
  }

 private:
  float high_ = 4000, low_ = 20;
  int64_t channels_ = 40, coefficients_ = 13;
};

}  // namespace

void register_signal_audio_features(KernelRegistry* registry) {
  registry->add(KernelDef("AudioSpectrogram").kernel<AudioSpectrogram>());
  registry->add(KernelDef("Mfcc").kernel<Mfcc>());
}

}  // namespace troupe
