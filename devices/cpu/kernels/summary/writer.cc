// Summaries written to event files, which TensorBoard reads.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "devices/checkpoint/crc32c.h"
#include "devices/checkpoint/file.h"
#include "devices/common/variable/resource_access.h"
#include "devices/cpu/kernels/summary/values.h"
#include "devices/kernel_registry.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

template <class... Parts>
absl::Status invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

double seconds_since_epoch() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// An event file and the events that wait for it. Written when they are many, when the oldest is old, on demand, and when it
/// goes away. Thread-safe.
class SummaryWriter final : public Resource {
 public:
  static constexpr const char* kTypeName = "N10tensorflow22SummaryWriterInterfaceE";

  /// Makes the directory and the file, which begins with the event that names its version.
  static absl::StatusOr<std::shared_ptr<SummaryWriter>> create(const std::string& logdir, int max_queue,
                                                               int flush_millis, std::string suffix) {
    TROUPE_ASSIGN_OR_RETURN(const std::string folder, local_path(logdir));
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      return absl::InternalError(absl::StrCat("Failed to create directory ", logdir, ": ", error.message()));
    auto writer = std::make_shared<SummaryWriter>(max_queue, flush_millis);
    if (!absl::StartsWith(suffix, ".")) suffix.insert(0, ".");
    writer->path_ = (std::filesystem::path(folder) / file_name(suffix)).string();
    writer->file_.open(writer->path_, std::ios::binary | std::ios::trunc);
    if (!writer->file_) return absl::UnknownError(absl::StrCat("Could not open events file ", writer->path_));
    pb::Event event;
    event.set_file_version("brain.Event:2");
    TROUPE_RETURN_IF_ERROR(writer->write(std::move(event)));
    TROUPE_RETURN_IF_ERROR(writer->flush());
    return writer;
  }

  SummaryWriter(int max_queue, int flush_millis) : max_queue_(max_queue), flush_(flush_millis) {}
  ~SummaryWriter() override { (void)flush(); }
  std::string type_name() const override { return kTypeName; }
  std::string debug_string() const override { return absl::StrCat("SummaryFileWriter ", path_); }

  /// Events without a time get the present one.
  absl::Status write(pb::Event event) {
    if (event.wall_time() == 0) event.set_wall_time(seconds_since_epoch());
    std::string bytes;
    if (!event.SerializeToString(&bytes)) return absl::InternalError("an event that cannot be written");
    std::lock_guard lock(mu_);
    append_record(bytes);
    const auto now = std::chrono::steady_clock::now();
    if (++waiting_ <= max_queue_ && now - last_flush_ < flush_) return absl::OkStatus();
    return flush_locked();
  }

  absl::Status flush() {
    std::lock_guard lock(mu_);
    return flush_locked();
  }

 private:
  /// Seconds, host, process and a number keep names apart.
  static std::string file_name(const std::string& suffix) {
    static std::atomic<int64_t> next{0};
    char host[256] = "localhost";
    if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "localhost");
    return absl::StrFormat("events.out.tfevents.%010d.%s.%d.%d%s",
                           static_cast<int64_t>(seconds_since_epoch()), host, static_cast<int64_t>(getpid()),
                           next.fetch_add(1), suffix);
  }

  /// A TFRecord: length, its checksum, bytes, theirs.
  void append_record(const std::string& bytes) {
    auto put = [&](uint64_t v, int n) {
      for (int i = 0; i < n; ++i) buffer_.push_back(static_cast<char>(v >> (8 * i) & 0xff));
    };
    const size_t start = buffer_.size();
    put(bytes.size(), 8);
    put(crc32c_mask(crc32c(absl::string_view(buffer_).substr(start))), 4);
    buffer_ += bytes;
    put(crc32c_mask(crc32c(bytes)), 4);
  }

  absl::Status flush_locked() {
    file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    file_.flush();
    buffer_.clear();
    waiting_ = 0;
    last_flush_ = std::chrono::steady_clock::now();
    if (!file_) return absl::InternalError(absl::StrCat("Could not flush events file ", path_));
    return absl::OkStatus();
  }

  const int64_t max_queue_;
  const std::chrono::milliseconds flush_;
  std::string path_;

  std::mutex mu_;
  // Guarded by mu_.
  std::ofstream file_;
  std::string buffer_;
  int64_t waiting_ = 0;
  std::chrono::steady_clock::time_point last_flush_ = std::chrono::steady_clock::now();
};

/// A handle to a writer that CreateSummaryFileWriter makes.
class SummaryWriterHandle final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const ResourceName name, resolve_resource_name(c, UnnamedResource::kNodeName));
    handle_ = handle_tensor(make_handle<SummaryWriter>(*c.device(), name.container, name.name));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    context.set_output(0, handle_);
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  Tensor handle_;
};

absl::Status check_scalars(const KernelContext& context,
                           std::initializer_list<std::pair<int, const char*>> inputs) {
  for (const auto& [i, name] : inputs) {
    if (context.input(i).rank() != 0)
      return invalid(name, " must be scalar, got shape ", context.input(i).shape().to_string());
  }
  return absl::OkStatus();
}

absl::Status create_file_writer(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(
      check_scalars(context, {{1, "logdir"}, {2, "max_queue"}, {3, "flush_millis"}, {4, "filename_suffix"}}));
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  return context.resources()
      .lookup_or_create<SummaryWriter>(
          handle->container, handle->name,
          [&] {
            return SummaryWriter::create(context.input(1).value<TString>().str(),
                                         context.input(2).value<int32_t>(), context.input(3).value<int32_t>(),
                                         context.input(4).value<TString>().str());
          })
      .status();
}

absl::Status flush_writer(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto writer, lookup_resource<SummaryWriter>(context, 0));
  return writer->flush();
}

absl::Status close_writer(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  return context.resources().remove<SummaryWriter>(handle->container, handle->name);
}

/// What an op puts into an event; the scalar step is set already.
using Fill = absl::Status (*)(KernelContext&, pb::Event*);

/// Input 0 is the writer, input 1 the step.
template <Fill kFill>
absl::Status write_event(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto writer, lookup_resource<SummaryWriter>(context, 0));
  TROUPE_RETURN_IF_ERROR(check_scalars(context, {{1, "step"}}));
  pb::Event event;
  event.set_step(context.input(1).value<int64_t>());
  TROUPE_RETURN_IF_ERROR(kFill(context, &event));
  return writer->write(std::move(event));
}

/// A new value under the tag in input `tag`.
pb::Summary::Value* add_value(KernelContext& context, int tag, pb::Event* event) {
  auto* value = event->mutable_summary()->add_value();
  value->set_tag(context.input(tag).value<TString>().str());
  return value;
}

absl::Status fill_scalar(KernelContext& context, pb::Event* event) {
  TROUPE_RETURN_IF_ERROR(check_scalars(context, {{2, "tag"}}));
  float v = 0;
  TROUPE_RETURN_IF_ERROR(scalar_value(context.input(3), &v));
  add_value(context, 2, event)->set_simple_value(v);
  return absl::OkStatus();
}

absl::Status fill_histogram_event(KernelContext& context, pb::Event* event) {
  TROUPE_RETURN_IF_ERROR(check_scalars(context, {{2, "tag"}}));
  auto* value = add_value(context, 2, event);
  return fill_histogram(context.input(3), value->tag(), "summary histogram", value->mutable_histo());
}

absl::Status fill_tensor(KernelContext& context, pb::Event* event) {
  TROUPE_RETURN_IF_ERROR(check_scalars(context, {{3, "tag"}, {4, "summary_metadata"}}));
  auto* value = add_value(context, 3, event);
  put_tensor(context.input(2), value->mutable_tensor());
  // What does not parse is left out.
  if (!value->mutable_metadata()->ParseFromString(context.input(4).value<TString>().str()))
    value->mutable_metadata()->Clear();
  return absl::OkStatus();
}

class WriteImages final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("max_images", &most_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(auto writer, lookup_resource<SummaryWriter>(context, 0));
    TROUPE_RETURN_IF_ERROR(check_scalars(context, {{1, "step"}, {2, "tag"}}));
    const Tensor& bad = context.input(4);
    if (bad.rank() != 1) return invalid("bad_color must be a vector, got shape ", bad.shape().to_string());
    const std::vector<uint8_t> bad_color(bad.flat<uint8_t>().begin(), bad.flat<uint8_t>().end());
    pb::Event event;
    event.set_step(context.input(1).value<int64_t>());
    TROUPE_RETURN_IF_ERROR(add_images(context.input(3), context.input(2).value<TString>().str(), bad_color,
                                      most_, event.mutable_summary()));
    return writer->write(std::move(event));
  }

 private:
  int64_t most_ = 3;
};

class WriteAudio final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("max_outputs", &most_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(auto writer, lookup_resource<SummaryWriter>(context, 0));
    TROUPE_RETURN_IF_ERROR(check_scalars(context, {{1, "step"}, {2, "tag"}, {4, "sample_rate"}}));
    pb::Event event;
    event.set_step(context.input(1).value<int64_t>());
    TROUPE_RETURN_IF_ERROR(add_audio(context.input(3), context.input(2).value<TString>().str(), most_,
                                     context.input(4).value<float>(), event.mutable_summary()));
    return writer->write(std::move(event));
  }

 private:
  int64_t most_ = 3;
};

absl::Status fill_summaries(KernelContext& context, pb::Event* event) {
  const auto all = context.input(2).flat<TString>();
  event->mutable_summary();
  for (size_t i = 0; i < all.size(); ++i) {
    pb::Summary summary;
    if (!summary.ParseFromString(all[i].str())) {
      return absl::DataLossError(
          absl::StrCat("Bad tf.compat.v1.Summary binary proto tensor string at index ", i));
    }
    event->mutable_summary()->MergeFrom(summary);
  }
  return absl::OkStatus();
}

absl::Status fill_graph(KernelContext& context, pb::Event* event) {
  TROUPE_RETURN_IF_ERROR(check_scalars(context, {{2, "tensor"}}));
  const std::string bytes = context.input(2).value<TString>().str();
  pb::GraphDef graph;
  if (!graph.ParseFromString(bytes)) return absl::DataLossError("Bad tf.GraphDef binary proto tensor string");
  event->set_graph_def(bytes);
  return absl::OkStatus();
}

absl::Status import_event(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto writer, lookup_resource<SummaryWriter>(context, 0));
  TROUPE_RETURN_IF_ERROR(check_scalars(context, {{1, "event"}}));
  pb::Event event;
  if (!event.ParseFromString(context.input(1).value<TString>().str()))
    return absl::DataLossError("Bad tf.Event binary proto tensor string");
  return writer->write(std::move(event));
}

}  // namespace

void register_summary_writer(KernelRegistry* r) {
  r->add(KernelDef("SummaryWriter").kernel<SummaryWriterHandle>());
  r->add(KernelDef("CreateSummaryFileWriter").fn(create_file_writer));
  r->add(KernelDef("FlushSummaryWriter").fn(flush_writer));
  r->add(KernelDef("CloseSummaryWriter").fn(close_writer));
  r->add(KernelDef("WriteScalarSummary").fn(write_event<fill_scalar>));
  r->add(KernelDef("WriteHistogramSummary").fn(write_event<fill_histogram_event>));
  r->add(KernelDef("WriteSummary").fn(write_event<fill_tensor>));
  r->add(KernelDef("WriteRawProtoSummary").fn(write_event<fill_summaries>));
  r->add(KernelDef("WriteGraphSummary").fn(write_event<fill_graph>));
  r->add(KernelDef("WriteImageSummary").kernel<WriteImages>());
  r->add(KernelDef("WriteAudioSummary").kernel<WriteAudio>());
  r->add(KernelDef("ImportEvent").fn(import_event));
}

}  // namespace troupe
