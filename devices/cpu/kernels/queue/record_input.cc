// RecordInput: batches of records of many files, in random order, for ever.

#include <algorithm>
#include <random>

#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/record_formats.h"
#include "devices/function_runner.h"
#include "devices/kernel_registry.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

/// Records of one round over all files after the other, each record once a round. Thread-safe; callers wait for one another.
class RecordSource {
 public:
  struct Options {
    std::string pattern;
    ReaderFile::Compression compression = ReaderFile::Compression::kNone;
    uint64_t seed = 0;
    double shift_ratio = 0;
    size_t buffer_size = 1;
    int64_t batch_size = 0;
  };

  explicit RecordSource(Options options) : options_(std::move(options)), random_(options_.seed) {}

  absl::StatusOr<Tensor> next_batch(const CancellationToken& token) {
    std::lock_guard lock(mu_);
    TROUPE_ASSIGN_OR_RETURN(Tensor batch, Tensor::make(DataType::kString, Shape{options_.batch_size}));
    for (TString& record : batch.flat<TString>()) {
      TROUPE_RETURN_IF_ERROR(fill(token));
      std::swap(buffer_[random_() % buffer_.size()], buffer_.back());
      record = TString(buffer_.back());
      buffer_.pop_back();
    }
    return batch;
  }

 private:
  /// Until the buffer is full, or holds the rest of a round.
  absl::Status fill(const CancellationToken& token) {
    while (buffer_.size() < options_.buffer_size) {
      if (token.cancelled()) return token.reason();
      if (format_ == nullptr) {
        if (at_ == files_.size() && !buffer_.empty()) return absl::OkStatus();
        TROUPE_RETURN_IF_ERROR(open_next());
      }
      RecordFormat::Record record;
      const auto outcome = format_->next(&record);
      if (!outcome.ok() || *outcome == RecordFormat::Outcome::kEnd) format_ = nullptr;
      TROUPE_RETURN_IF_ERROR(outcome.status());
      if (*outcome == RecordFormat::Outcome::kEnd) continue;
      buffer_.push_back(std::move(record.value));
      any_ = true;
    }
    return absl::OkStatus();
  }
  absl::Status open_next() {
    if (at_ == files_.size()) TROUPE_RETURN_IF_ERROR(begin_round());
    auto format = tf_record_format(options_.compression, 0);
    TROUPE_RETURN_IF_ERROR(format->start(files_[at_++]));
    format_ = std::move(format);
    return absl::OkStatus();
  }
  absl::Status begin_round() {
    if (round_ > 0 && !any_) return absl::NotFoundError("Found no records in files at " + options_.pattern);
    any_ = false;
    TROUPE_ASSIGN_OR_RETURN(files_, match_files(options_.pattern));
    at_ = 0;
    if (files_.empty()) return absl::NotFoundError("Found no files at " + options_.pattern);
    std::mt19937_64 order(options_.seed + static_cast<uint64_t>(++round_));
    std::shuffle(files_.begin(), files_.end(), order);
    const auto shift = static_cast<std::ptrdiff_t>(options_.shift_ratio * static_cast<double>(files_.size()));
    std::rotate(files_.begin(), files_.begin() + shift, files_.end());
    return absl::OkStatus();
  }

  const Options options_;
  std::mutex mu_;
  // Guarded by mu_.
  std::mt19937_64 random_;
  int64_t round_ = 0;
  /// Whether this round had a record.
  bool any_ = false;
  std::vector<std::string> files_;
  size_t at_ = 0;
  std::unique_ptr<RecordFormat> format_;
  std::vector<std::string> buffer_;
};

class RecordInputKernel final : public AsyncKernel {
 public:
  explicit RecordInputKernel(RecordSource::Options options)
      : source_(std::make_shared<RecordSource>(std::move(options))) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    RecordSource::Options options;
    TROUPE_ASSIGN_OR_RETURN(options.pattern, attrs.get<std::string>("file_pattern"));
    options.seed = static_cast<uint64_t>(attrs.get_or<int64_t>("file_random_seed", 301));
    const double ratio = attrs.get_or<float>("file_shuffle_shift_ratio", 0);
    options.shift_ratio = ratio >= 0 && ratio < 1 ? ratio : 0;
    options.buffer_size =
        static_cast<size_t>(std::max<int64_t>(attrs.get_or<int64_t>("file_buffer_size", 1), 1));
    options.batch_size = attrs.get_or<int64_t>("batch_size", 32);
    const auto parallelism = attrs.get_or<int64_t>("file_parallelism", 16);
    if (parallelism < 0) return invalid("file_parallelism should >= 0, got ", parallelism);
    if (options.batch_size < 0)
      return invalid("batch_size must be non-negative but got ", options.batch_size);
    TROUPE_ASSIGN_OR_RETURN(options.compression,
                            compression_named(attrs.get_or<std::string>("compression_type", "")));
    return std::make_unique<RecordInputKernel>(std::move(options));
  }
  void compute_async(KernelContext& context, Done done) override {
    const absl::Status begun = services_of(context.step()).blocking.run([source = source_, &context, done] {
      return [done, status = guarded("a kernel", [&] { return read(*source, context); })] { done(status); };
    });
    if (!begun.ok()) done(begun);
  }

 private:
  static absl::Status read(RecordSource& source, KernelContext& context) {
    TROUPE_ASSIGN_OR_RETURN(Tensor batch, source.next_batch(context.cancellation()));
    context.set_output(0, std::move(batch));
    return absl::OkStatus();
  }

  const std::shared_ptr<RecordSource> source_;
};

}  // namespace

void register_queue_record_input(KernelRegistry* registry) {
  registry->add(KernelDef("RecordInput").kernel<RecordInputKernel>());
}

}  // namespace troupe
