// Summaries: protos for a log of training, as strings.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/summary/values.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/summary.pb.h"
#include "proto/tensor.pb.h"

namespace troupe {

namespace {

template <class... Parts>
absl::Status invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

absl::Status set_summary(KernelContext& context, const pb::Summary& summary) {
  std::string bytes;
  if (!summary.SerializeToString(&bytes)) return absl::InternalError("a summary that cannot be written");
  context.set_output(0, Tensor::string_scalar(bytes));
  return absl::OkStatus();
}

/// Calls fn(double) for all elements of a tensor of real numbers, until it fails.
template <class T, class Fn>
absl::Status for_elements(const Tensor& t, const Fn& fn) {
  for (const T& v : t.flat<T>()) TROUPE_RETURN_IF_ERROR(fn(static_cast<double>(v)));
  return absl::OkStatus();
}
template <class Fn>
absl::Status for_numbers(const Tensor& t, const Fn& fn) {
  switch (t.dtype()) {
    case DataType::kFloat: return for_elements<float>(t, fn);
    case DataType::kDouble: return for_elements<double>(t, fn);
    case DataType::kHalf: return for_elements<Eigen::half>(t, fn);
    case DataType::kBfloat16: return for_elements<Eigen::bfloat16>(t, fn);
    case DataType::kInt8: return for_elements<int8_t>(t, fn);
    case DataType::kInt16: return for_elements<int16_t>(t, fn);
    case DataType::kInt32: return for_elements<int32_t>(t, fn);
    case DataType::kInt64: return for_elements<int64_t>(t, fn);
    case DataType::kUint8: return for_elements<uint8_t>(t, fn);
    case DataType::kUint16: return for_elements<uint16_t>(t, fn);
    case DataType::kUint32: return for_elements<uint32_t>(t, fn);
    case DataType::kUint64: return for_elements<uint64_t>(t, fn);
    case DataType::kBool: return for_elements<bool>(t, fn);
    default: return invalid("no summary for dtype ", dtype_name(t.dtype()));
  }
}

std::vector<DataType> real_numbers() {
  return {DataType::kFloat, DataType::kDouble, DataType::kHalf,   DataType::kBfloat16,
          DataType::kInt8,  DataType::kInt16,  DataType::kInt32,  DataType::kInt64,
          DataType::kUint8, DataType::kUint16, DataType::kUint32, DataType::kUint64};
}

absl::Status scalar_summary(KernelContext& context) {
  const Tensor& tags = context.input(0);
  const Tensor& values = context.input(1);
  if (!(tags.shape() == values.shape())) {
    const std::string single =
        tags.num_elements() == 1 ? absl::StrCat(" (tag '", tags.value<TString>().view(), "')") : "";
    return invalid("tags and values are not the same shape: ", tags.shape().to_string(),
                   " != ", values.shape().to_string(), single);
  }
  pb::Summary summary;
  size_t i = 0;
  TROUPE_RETURN_IF_ERROR(for_numbers(values, [&](double v) {
    auto* value = summary.add_value();
    value->set_tag(tags.flat<TString>()[i++].str());
    value->set_simple_value(static_cast<float>(v));
    return absl::OkStatus();
  }));
  return set_summary(context, summary);
}

}  // namespace

absl::Status scalar_value(const Tensor& t, float* out) {
  if (t.rank() != 0) return invalid("value must be scalar");
  return for_numbers(t, [&](double v) {
    *out = static_cast<float>(v);
    return absl::OkStatus();
  });
}

absl::Status fill_histogram(const Tensor& values, absl::string_view name, absl::string_view kind,
                            pb::HistogramProto* histogram) {
  RunningHistogram counted;
  TROUPE_RETURN_IF_ERROR(for_numbers(values, [&](double v) -> absl::Status {
    if (std::isnan(v)) return invalid("Nan in summary histogram for: ", name);
    if (std::isinf(v)) return invalid("Infinity in ", kind, " for: ", name);
    counted.add(v);
    return absl::OkStatus();
  }));
  counted.fill(histogram);
  return absl::OkStatus();
}

namespace {

absl::Status histogram_summary(KernelContext& context) {
  const Tensor& tag = context.input(0);
  if (tag.rank() != 0) return invalid("tags must be scalar");
  pb::Summary summary;
  auto* value = summary.add_value();
  value->set_tag(tag.value<TString>().str());
  TROUPE_RETURN_IF_ERROR(
      fill_histogram(context.input(1), context.node().name, "Histogram", value->mutable_histo()));
  return set_summary(context, summary);
}

absl::Status merge_summary(KernelContext& context) {
  pb::Summary merged;
  absl::flat_hash_set<std::string> tags;
  for (int i = 0; i < context.num_inputs(); ++i) {
    for (const TString& bytes : context.input(i).flat<TString>()) {
      pb::Summary summary;
      if (bytes.size() > std::numeric_limits<int>::max() ||
          !summary.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        return invalid("Could not parse one of the summary inputs");
      }
      for (const auto& value : summary.value()) {
        if (!value.tag().empty() && !tags.insert(value.tag()).second) {
          return invalid("Duplicate tag ", value.tag(), " found in summary inputs");
        }
        *merged.add_value() = value;
      }
    }
  }
  return set_summary(context, merged);
}

}  // namespace

void put_tensor(const Tensor& tensor, pb::TensorProto* out) {
  if (!is_trivial(tensor.dtype())) return to_proto(tensor, out);
  out->set_dtype(static_cast<pb::DataType>(tensor.dtype()));
  to_proto(PartialShape(tensor.shape()), out->mutable_tensor_shape());
  out->set_tensor_content(tensor.raw(), tensor.bytes());
}

namespace {

absl::Status tensor_summary(KernelContext& context) {
  pb::Summary summary;
  auto* value = summary.add_value();
  value->set_node_name(context.node().name);
  put_tensor(context.input(0), value->mutable_tensor());
  return set_summary(context, summary);
}

absl::Status tensor_summary_v2(KernelContext& context) {
  const Tensor& tag = context.input(0);
  const Tensor& metadata = context.input(2);
  if (tag.rank() != 0) return invalid("tag must be scalar");
  if (metadata.rank() != 0) return invalid("serialized_summary_metadata must be scalar");
  pb::Summary summary;
  auto* value = summary.add_value();
  value->set_tag(tag.value<TString>().str());
  put_tensor(context.input(1), value->mutable_tensor());
  // What does not parse is left out, as far as it does not.
  const std::string bytes = metadata.value<TString>().str();
  if (!value->mutable_metadata()->ParseFromString(bytes)) value->mutable_metadata()->Clear();
  return set_summary(context, summary);
}

void put_little_endian(std::string* out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

/// A RIFF file of 16-bit samples; frames hold one number between -1 and 1 for each channel.
absl::StatusOr<std::string> encode_wav(const float* samples, int64_t frames, int64_t channels,
                                       uint32_t rate) {
  constexpr int64_t kSampleBytes = 2, kHeaderBytes = 44;
  if (channels < 1 || channels > 0xffff / kSampleBytes) return invalid("Too many channels: ", channels);
  if (frames > (std::numeric_limits<int32_t>::max() - kHeaderBytes) / (channels * kSampleBytes)) {
    return invalid("Provided channels and frames cannot be encoded as a WAV.");
  }
  const auto data_bytes = static_cast<uint32_t>(frames * channels * kSampleBytes);
  const auto frame_bytes = static_cast<uint32_t>(channels * kSampleBytes);
  std::string out = "RIFF";
  put_little_endian(&out, static_cast<uint32_t>(kHeaderBytes) - 8 + data_bytes, 4);
  out += "WAVEfmt ";
  put_little_endian(&out, 16, 4);
  put_little_endian(&out, 1, 2);  // plain samples
  put_little_endian(&out, static_cast<uint32_t>(channels), 2);
  put_little_endian(&out, rate, 4);
  put_little_endian(&out, rate * frame_bytes, 4);
  put_little_endian(&out, frame_bytes, 2);
  put_little_endian(&out, 8 * kSampleBytes, 2);
  out += "data";
  put_little_endian(&out, data_bytes, 4);
  for (int64_t i = 0; i < frames * channels; ++i) {
    const float scaled = std::round(samples[i] * 32768.0f);
    const float clipped = std::isnan(scaled) ? 0.0f : std::clamp(scaled, -32768.0f, 32767.0f);
    put_little_endian(&out, static_cast<uint32_t>(static_cast<int32_t>(clipped)), 2);
  }
  return out;
}

/// The tag of one of several values: "t/audio/2"; of one alone "t/audio".
std::string numbered_tag(const std::string& tag, const char* kind, int64_t i, int64_t most) {
  return most > 1 ? absl::StrCat(tag, "/", kind, "/", i) : absl::StrCat(tag, "/", kind);
}

}  // namespace

absl::Status add_audio(const Tensor& tensor, const std::string& tag, int64_t most, float rate,
                       pb::Summary* summary) {
  if (tensor.rank() != 2 && tensor.rank() != 3) {
    return invalid("Tensor must be 3-D or 2-D, got: ", tensor.shape().to_string());
  }
  if (!(rate > 0) || !(rate < 2e9f)) return invalid("sample_rate must be > 0");
  const int64_t frames = tensor.dim(1), channels = tensor.rank() == 3 ? tensor.dim(2) : 1;
  for (int64_t i = 0; i < std::min(most, tensor.dim(0)); ++i) {
    auto* value = summary->add_value();
    value->set_tag(numbered_tag(tag, "audio", i, most));
    auto* audio = value->mutable_audio();
    audio->set_sample_rate(rate);
    audio->set_num_channels(channels);
    audio->set_length_frames(frames);
    audio->set_content_type("audio/wav");
    TROUPE_ASSIGN_OR_RETURN(std::string wav,
                            encode_wav(tensor.flat<float>().data() + i * frames * channels, frames, channels,
                                       static_cast<uint32_t>(std::lround(rate))));
    audio->set_encoded_audio_string(std::move(wav));
  }
  return absl::OkStatus();
}

namespace {

class AudioSummaryKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("max_outputs", &max_outputs_); }
  absl::Status init(const KernelConstruction& c) {
    has_rate_ = c.num_inputs() < 3;
    if (has_rate_) {
      TROUPE_ASSIGN_OR_RETURN(rate_, c.attr<float>("sample_rate"));
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& tag = context.input(0);
    const Tensor& tensor = context.input(1);
    if (tag.rank() != 0) return invalid("Tag must be a scalar");
    float rate = rate_;
    if (!has_rate_) {
      if (context.input(2).rank() != 0) {
        return invalid("sample_rate must be rank-0 or contain a single value: ",
                       context.input(2).shape().to_string());
      }
      rate = context.input(2).value<float>();
    }
    pb::Summary summary;
    TROUPE_RETURN_IF_ERROR(add_audio(tensor, tag.value<TString>().str(), max_outputs_, rate, &summary));
    return set_summary(context, summary);
  }

 private:
  int64_t max_outputs_ = 3;
  bool has_rate_ = false;
  float rate_ = 0;
};

}  // namespace

void register_summary_values(KernelRegistry* registry) {
  registry->add(KernelDef("ScalarSummary").types("T", real_numbers()).fn(scalar_summary));
  registry->add(KernelDef("HistogramSummary").types("T", real_numbers()).fn(histogram_summary));
  registry->add(KernelDef("MergeSummary").fn(merge_summary));
  registry->add(KernelDef("TensorSummary").fn(tensor_summary));
  registry->add(KernelDef("TensorSummaryV2").fn(tensor_summary_v2));
  registry->add(KernelDef("AudioSummary").kernel<AudioSummaryKernel>());
  registry->add(KernelDef("AudioSummaryV2").kernel<AudioSummaryKernel>());
}

}  // namespace troupe
