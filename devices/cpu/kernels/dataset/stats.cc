// Statistics of datasets: how long elements took and how large they were, by tags, as a summary.

#include <chrono>
#include <map>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"
#include "devices/cpu/kernels/shared/running_histogram.h"

namespace troupe {
namespace {

/// Histograms by tag: as many as there are datasets with tags. Thread-safe.
class StatsAggregator final : public Resource {
 public:
  static constexpr const char* kTypeName = "tensorflow::data::StatsAggregatorResource";

  std::string type_name() const override { return kTypeName; }
  void add(const std::string& tag, double value) {
    std::lock_guard lock(mu_);
    histograms_[tag].add(value);
  }
  std::string summary() const {
    tensorflow::Summary summary;
    std::lock_guard lock(mu_);
    for (const auto& [tag, histogram] : histograms_) {
      auto* value = summary.add_value();
      value->set_tag(tag);
      histogram.fill(value->mutable_histo());
    }
    return summary.SerializeAsString();
  }

 private:
  mutable std::mutex mu_;
  std::map<std::string, RunningHistogram> histograms_;  // guarded by mu_
};

class StatsAggregatorKernel final : public ResourceKernel<StatsAggregator> {
 public:
  StatsAggregatorKernel(const KernelConstruction& c, ResourceName name)
      : ResourceKernel(c, std::move(name)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    return std::make_unique<StatsAggregatorKernel>(c, std::move(name));
  }

 protected:
  absl::StatusOr<std::shared_ptr<StatsAggregator>> make(Allocator*) override {
    return std::make_shared<StatsAggregator>();
  }
};

absl::Status summarize(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const auto stats, lookup_resource<StatsAggregator>(context, 0));
  context.set_output(0, Tensor::string_scalar(stats->summary()));
  return absl::OkStatus();
}

/// Where elements put their numbers, and before which names.
class TaggedStats final : public DatasetStats {
 public:
  TaggedStats(std::shared_ptr<StatsAggregator> to, std::string tag)
      : to_(std::move(to)), tag_(std::move(tag)) {}
  void add(const std::string& name, double value) override {
    to_->add(tag_.empty() ? name : absl::StrCat(tag_, "::", name), value);
  }

 private:
  const std::shared_ptr<StatsAggregator> to_;
  const std::string tag_;
};

/// A dataset whose elements are the input's, each made by `next(input, step)`.
template <class Next>
absl::Status output_same(KernelContext& context, const char* label, Next next) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  auto dataset = make_dataset(label, {input}, [input, next](const std::string& name) {
    return iterator_of(
        [in = input->iterate(name), next](const ElementContext& step) { return next(*in, step); });
  });
  dataset->cardinality = input->cardinality;
  return output_dataset(context, std::move(dataset));
}

absl::Status make_set_stats(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto aggregator, lookup_resource<StatsAggregator>(context, 1));
  TROUPE_ASSIGN_OR_RETURN(std::string tag, input_text(context, 2, "tag"));
  TROUPE_RETURN_IF_ERROR(input_text(context, 3, "counter_prefix").status());
  auto stats = std::make_shared<TaggedStats>(std::move(aggregator), std::move(tag));
  return output_same(context, "SetStatsAggregator", [stats](DatasetIterator& in, const ElementContext& step) {
    ElementContext with_stats = step;
    with_stats.stats = stats.get();
    return in.next(with_stats);
  });
}

absl::Status make_latency_stats(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const std::string tag, input_text(context, 1, "tag"));
  return output_same(context, "LatencyStats", [tag](DatasetIterator& in, const ElementContext& step) {
    if (step.stats == nullptr) return in.next(step);
    const auto begin = std::chrono::steady_clock::now();
    NextElement element = in.next(step);
    const auto took_us =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    if (element.ok() && element->has_value()) step.stats->add(tag, static_cast<double>(took_us.count()));
    return element;
  });
}

absl::Status make_bytes_stats(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const std::string tag, input_text(context, 1, "tag"));
  return output_same(context, "BytesProducedStats", [tag](DatasetIterator& in, const ElementContext& step) {
    NextElement element = in.next(step);
    if (step.stats != nullptr && element.ok() && element->has_value()) {
      double bytes = 0;
      for (const Tensor& component : **element) {
        bytes += static_cast<double>(component.bytes());
        if (component.dtype() != DataType::kString) continue;
        for (const TString& text : component.flat<TString>()) bytes += static_cast<double>(text.size());
      }
      step.stats->add(tag, bytes);
    }
    return element;
  });
}

}  // namespace

void register_dataset_stats(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  for (const char* op :
       {"StatsAggregatorHandle", "StatsAggregatorHandleV2", "ExperimentalStatsAggregatorHandle"}) {
    registry->add(KernelDef(op).kernel<StatsAggregatorKernel>());
  }
  add({"StatsAggregatorSummary", "ExperimentalStatsAggregatorSummary"}, summarize);
  add({"SetStatsAggregatorDataset", "ExperimentalSetStatsAggregatorDataset"}, make_set_stats);
  add({"LatencyStatsDataset", "ExperimentalLatencyStatsDataset"}, make_latency_stats);
  add({"BytesProducedStatsDataset", "ExperimentalBytesProducedStatsDataset"}, make_bytes_stats);
}

}  // namespace troupe
