// DecodeWav, EncodeWav: 16-bit PCM.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// Reads little-endian fields one behind the other.
class WavReader {
 public:
  explicit WavReader(absl::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<absl::string_view> take(size_t n) {
    if (n > bytes_.size() - at_) return invalid("Data too short when trying to read string");
    absl::string_view part = bytes_.substr(at_, n);
    at_ += n;
    return part;
  }
  absl::StatusOr<uint32_t> number(size_t n) {
    TROUPE_ASSIGN_OR_RETURN(absl::string_view part, take(n));
    uint32_t v = 0;
    for (size_t i = n; i-- > 0;) v = v << 8 | static_cast<unsigned char>(part[i]);
    return v;
  }
  absl::Status expect(absl::string_view word) {
    TROUPE_ASSIGN_OR_RETURN(absl::string_view got, take(word.size()));
    if (got != word) return invalid("Header mismatch: Expected ", word, " but found ", got);
    return absl::OkStatus();
  }
  bool at_end() const { return at_ >= bytes_.size(); }

 private:
  absl::string_view bytes_;
  size_t at_ = 0;
};

struct Wav {
  uint32_t sample_rate = 0;
  int64_t channels = 0;
  int64_t samples = 0;
  absl::string_view data;
};

absl::StatusOr<Wav> read_wav(absl::string_view bytes) {
  Wav wav;
  WavReader reader(bytes);
  TROUPE_RETURN_IF_ERROR(reader.expect("RIFF"));
  TROUPE_RETURN_IF_ERROR(reader.number(4).status());
  TROUPE_RETURN_IF_ERROR(reader.expect("WAVE"));
  TROUPE_RETURN_IF_ERROR(reader.expect("fmt "));
  TROUPE_ASSIGN_OR_RETURN(uint32_t format_size, reader.number(4));
  if (format_size != 16 && format_size != 18) {
    return invalid("Bad format chunk size for WAV: Expected 16 or 18, but got", format_size);
  }
  TROUPE_ASSIGN_OR_RETURN(uint32_t format, reader.number(2));
  if (format != 1) return invalid("Bad audio format for WAV: Expected 1 (PCM), but got", format);
  TROUPE_ASSIGN_OR_RETURN(uint32_t channels, reader.number(2));
  if (channels < 1) return invalid("Bad number of channels for WAV: Expected at least 1, but got ", channels);
  TROUPE_ASSIGN_OR_RETURN(wav.sample_rate, reader.number(4));
  TROUPE_ASSIGN_OR_RETURN(uint32_t bytes_per_second, reader.number(4));
  TROUPE_ASSIGN_OR_RETURN(uint32_t bytes_per_sample, reader.number(2));
  TROUPE_ASSIGN_OR_RETURN(uint32_t bits, reader.number(2));
  if (bits != 16) return invalid("Can only read 16-bit WAV files, but received ", bits);
  if (bytes_per_sample != channels * 2) {
    return invalid("Bad bytes per sample in WAV header: Expected ", channels * 2, " but got ",
                   bytes_per_sample);
  }
  if (uint64_t{bytes_per_second} != uint64_t{bytes_per_sample} * wav.sample_rate) {
    return invalid("Bad bytes per second in WAV header: Expected ",
                   uint64_t{bytes_per_sample} * wav.sample_rate, " but got ", bytes_per_second,
                   " (sample_rate=", wav.sample_rate, ", bytes_per_sample=", bytes_per_sample, ")");
  }
  TROUPE_RETURN_IF_ERROR(reader.take(format_size - 16).status());
  wav.channels = channels;
  while (!reader.at_end()) {
    TROUPE_ASSIGN_OR_RETURN(absl::string_view id, reader.take(4));
    TROUPE_ASSIGN_OR_RETURN(uint32_t size, reader.number(4));
    TROUPE_ASSIGN_OR_RETURN(absl::string_view chunk, reader.take(size));
    if (id == "data") {
      wav.data = chunk;
      wav.samples = size / bytes_per_sample;
      return wav;
    }
  }
  return invalid("No data chunk found in WAV");
}

class DecodeWavKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("desired_channels", &channels_)("desired_samples", &samples_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& contents = context.input(0);
    if (contents.rank() != 0)
      return invalid("contents must be scalar, got shape ", contents.shape().to_string());
    TROUPE_ASSIGN_OR_RETURN(Wav wav, read_wav(contents.value<TString>().view()));
    const int64_t channels = channels_ < 0 ? wav.channels : channels_,
                  samples = samples_ < 0 ? wav.samples : samples_;
    const std::array<int64_t, 2> dims = {samples, channels};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * audio, context.allocate_output(0, shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * rate, context.allocate_output(1, Shape()));
    rate->flat<int32_t>()[0] = static_cast<int32_t>(wav.sample_rate);
    float* out = audio->flat<float>().data();
    for (int64_t s = 0; s < samples; ++s) {
      for (int64_t c = 0; c < channels; ++c) {
        // Further channels repeat the last, further samples are silent.
        const size_t at = static_cast<size_t>(s * wav.channels + std::min(c, wav.channels - 1)) * 2;
        int16_t sample = 0;
        if (s < wav.samples) {
          sample = static_cast<int16_t>(static_cast<unsigned char>(wav.data[at]) |
                                        static_cast<unsigned char>(wav.data[at + 1]) << 8);
        }
        *out++ = static_cast<float>(sample) / 32768.0f;
      }
    }
    return absl::OkStatus();
  }

 private:
  int64_t channels_ = -1;
  int64_t samples_ = -1;
};

void put(uint32_t value, int bytes, std::string* out) {
  for (int i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i) & 255));
}

absl::Status encode_wav(KernelContext& context) {
  const Tensor& audio = context.input(0);
  const Tensor& rate = context.input(1);
  if (audio.rank() != 2) return invalid("audio must be 2-dimensional", audio.shape().to_string());
  if (rate.rank() != 0) {
    return invalid("Input sample_rate should be a scalar tensor, got ", rate.shape().to_string(),
                   " instead.");
  }
  const int64_t samples = audio.dim(0), channels = audio.dim(1), sample_rate = rate.value<int32_t>();
  if (channels <= 0 || channels >= 1 << 16)
    return invalid("num_channels must be in (0, 2^16), got: ", channels);
  if (sample_rate <= 0)
    return invalid("sample_rate must be in (0, 2^32), got: ", static_cast<uint64_t>(sample_rate));
  const uint64_t bytes_per_second = static_cast<uint64_t>(sample_rate * channels) * 2;
  if (bytes_per_second > UINT32_MAX)
    return invalid("bytes_per_second does not fit in a WAV header: ", bytes_per_second);
  constexpr int64_t kHeaderBytes = 44;
  if (audio.num_elements() > (int64_t{INT32_MAX} - kHeaderBytes) / 2) {
    return invalid("audio of ", audio.shape().to_string(), " is too large for a WAV file");
  }
  const uint32_t data_size = static_cast<uint32_t>(samples * channels * 2);
  std::string out;
  out.reserve(kHeaderBytes + data_size);
  out.append("RIFF");
  put(data_size + kHeaderBytes - 8, 4, &out);
  out.append("WAVEfmt ");
  put(16, 4, &out);
  put(1, 2, &out);
  put(static_cast<uint32_t>(channels), 2, &out);
  put(static_cast<uint32_t>(sample_rate), 4, &out);
  put(static_cast<uint32_t>(bytes_per_second), 4, &out);
  put(static_cast<uint32_t>(channels * 2), 2, &out);
  put(16, 2, &out);
  out.append("data");
  put(data_size, 4, &out);
  for (float x : audio.flat<float>()) {
    const float scaled = std::isnan(x) ? 0.0f : std::clamp(x * 32768.0f, -32768.0f, 32767.0f);
    put(static_cast<uint32_t>(std::lround(scaled)), 2, &out);
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * contents, context.allocate_output(0, Shape()));
  contents->flat<TString>()[0].assign(out);
  return absl::OkStatus();
}

}  // namespace

void register_signal_wav(KernelRegistry* registry) {
  registry->add(KernelDef("DecodeWav").kernel<DecodeWavKernel>());
  registry->add(KernelDef("EncodeWav").fn(encode_wav));
}

}  // namespace troupe
