// What a dataset gave once, kept in memory or in the files of a checkpoint.

#include <cstdio>

#include "absl/container/flat_hash_map.h"
#include "devices/checkpoint/bundle.h"
#include "devices/checkpoint/bundle_reader.h"
#include "devices/checkpoint/bundle_writer.h"
#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"

namespace troupe {
namespace {

/// All elements of a dataset, once somebody has seen them all. A resource, for those that several datasets
/// share. Thread-safe.
class MemoryCache final : public Resource {
 public:
  static constexpr const char* kTypeName = "tensorflow::data::MemoryCacheManager";
  using Elements = std::shared_ptr<const std::vector<Element>>;

  std::string type_name() const override { return kTypeName; }
  /// Null until they are complete.
  Elements elements() const {
    std::lock_guard lock(mu_);
    return elements_;
  }
  /// The first to come with all elements wins.
  void complete(std::vector<Element> elements) {
    std::lock_guard lock(mu_);
    if (elements_ == nullptr) elements_ = std::make_shared<const std::vector<Element>>(std::move(elements));
  }

 private:
  mutable std::mutex mu_;
  Elements elements_;  // guarded by mu_
};

/// Reads the cache when it is complete at the first call, else the input, which fills it.
class MemoryCacheIterator {
 public:
  MemoryCacheIterator(DatasetPtr input, std::string name, std::shared_ptr<MemoryCache> cache)
      : dataset_(std::move(input)), name_(std::move(name)), cache_(std::move(cache)) {}

  NextElement next(const ElementContext& step) {
    if (!started_) {
      started_ = true;
      kept_ = cache_->elements();
      if (kept_ == nullptr) input_ = dataset_->iterate(name_);
    }
    if (kept_ != nullptr) {
      if (at_ == kept_->size()) return std::nullopt;
      return (*kept_)[at_++];
    }
    if (input_ == nullptr) return std::nullopt;
    TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(step));
    if (element.has_value()) {
      seen_.push_back(*element);
    } else {
      cache_->complete(std::move(seen_));
      input_ = nullptr;
    }
    return element;
  }

 private:
  const DatasetPtr dataset_;
  const std::string name_;
  const std::shared_ptr<MemoryCache> cache_;
  bool started_ = false;
  MemoryCache::Elements kept_;
  size_t at_ = 0;
  IteratorPtr input_;  // null behind the end
  std::vector<Element> seen_;
};

/// The key of a component in the files.
std::string component_key(int64_t element, size_t component, size_t components) {
  const int digits = static_cast<int>(std::to_string(components).size());
  char key[64];
  std::snprintf(key, sizeof(key), "%7lld_%*zu", static_cast<long long>(element), digits, component);
  return key;
}

/// Reads the files when they are there at the first call, else the input, whose elements go into them; they
/// appear at the end of the input.
class FileCacheIterator {
 public:
  FileCacheIterator(DatasetPtr input, std::string name, std::string prefix)
      : dataset_(std::move(input)), name_(std::move(name)), prefix_(std::move(prefix)) {}

  NextElement next(const ElementContext& step) {
    if (!started_) TROUPE_RETURN_IF_ERROR(start());
    if (done_) return std::nullopt;
    return input_ != nullptr ? write_next(step) : read_next(step);
  }

 private:
  absl::Status start() {
    if (file_exists_at(bundle_index_path(prefix_))) {
      TROUPE_RETURN_IF_ERROR(reader_.open(prefix_));
    } else {
      TROUPE_RETURN_IF_ERROR(writer_.open(prefix_));
      input_ = dataset_->iterate(name_);
    }
    started_ = true;
    return absl::OkStatus();
  }
  NextElement write_next(const ElementContext& step) {
    TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(step));
    if (!element.has_value()) {
      done_ = true;
      input_ = nullptr;
      TROUPE_RETURN_IF_ERROR(writer_.finish());
      return std::nullopt;
    }
    for (size_t c = 0; c < element->size(); ++c) {
      TROUPE_RETURN_IF_ERROR(writer_.add(component_key(at_, c, element->size()), (*element)[c]));
    }
    ++at_;
    return element;
  }
  NextElement read_next(const ElementContext& step) {
    const size_t width = dataset_->types.size();
    Element element;
    for (size_t c = 0; c < width; ++c) {
      absl::StatusOr<Tensor> value = reader_.lookup(component_key(at_, c, width), step.allocator);
      if (c == 0 && absl::IsNotFound(value.status())) {
        done_ = true;
        return std::nullopt;
      }
      TROUPE_RETURN_IF_ERROR(value.status());
      if (value->dtype() != dataset_->types[c]) {
        return invalid("The cache ", prefix_, " holds elements of other types than the dataset's");
      }
      element.push_back(*std::move(value));
    }
    ++at_;
    return element;
  }

  const DatasetPtr dataset_;
  const std::string name_;
  const std::string prefix_;
  bool started_ = false;
  bool done_ = false;
  BundleReader reader_;
  BundleWriter writer_;
  IteratorPtr input_;  // null when elements come from the files
  int64_t at_ = 0;
};

/// Elements by their numbers, each made once. Thread-safe.
class IndexedCache {
 public:
  explicit IndexedCache(DatasetPtr input) : input_(std::move(input)) {}
  absl::StatusOr<Element> at(const ElementContext& step, int64_t i) {
    {
      std::lock_guard lock(mu_);
      if (const auto known = elements_.find(i); known != elements_.end()) return known->second;
    }
    TROUPE_ASSIGN_OR_RETURN(Element made, input_->at(step, i));
    std::lock_guard lock(mu_);
    // Who was first is right.
    return elements_.emplace(i, std::move(made)).first->second;
  }

 private:
  const DatasetPtr input_;
  std::mutex mu_;
  absl::flat_hash_map<int64_t, Element> elements_;  // guarded by mu_; as many as the dataset has
};

/// CacheDataset, and V2 with a cache, which may be a handle that leads nowhere.
absl::Status make_cache(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const std::string file, input_text(context, 1, "filename"));
  std::shared_ptr<Dataset> dataset;
  if (file.empty()) {
    std::shared_ptr<MemoryCache> cache;
    if (context.num_inputs() > 2) {
      TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 2));
      auto found = lookup_handle<MemoryCache>(context, *handle);
      if (found.ok()) cache = *found;
    }
    if (cache == nullptr) cache = std::make_shared<MemoryCache>();
    dataset = make_dataset("MemoryCache", {input}, [input, cache](const std::string& name) {
      auto state = std::make_unique<MemoryCacheIterator>(input, name, cache);
      return iterator_of(
          [state = std::move(state)](const ElementContext& step) { return state->next(step); });
    });
  } else {
    dataset = make_dataset("FileCache", {input}, [input, file](const std::string& name) {
      auto state = std::make_unique<FileCacheIterator>(input, name, file);
      return iterator_of(
          [state = std::move(state)](const ElementContext& step) { return state->next(step); });
    });
  }
  dataset->cardinality = input->cardinality;
  dataset->batch_size = input->batch_size;
  if (input->at != nullptr) {
    dataset->at = [all = std::make_shared<IndexedCache>(input)](const ElementContext& step, int64_t i) {
      return all->at(step, i);
    };
  }
  return output_dataset(context, std::move(dataset));
}

/// A cache that only its handle keeps.
absl::Status make_anonymous_cache(KernelContext& context) {
  ResourceHandle handle = make_handle<MemoryCache>(*context.device(), "", "AnonymousMemoryCache");
  handle.anonymous = std::shared_ptr<Resource>(std::make_shared<MemoryCache>());
  context.set_output(0, handle_tensor(std::move(handle)));
  context.set_output(1, Tensor(DataType::kVariant, Shape()));
  return absl::OkStatus();
}

absl::Status make_placeholder_cache(KernelContext& context) {
  context.set_output(0, handle_tensor(make_handle<MemoryCache>(*context.device(), "", "DummyMemoryCache")));
  return absl::OkStatus();
}

/// Anonymous caches go with their last handle.
absl::Status delete_cache(KernelContext&) { return absl::OkStatus(); }

}  // namespace

void register_dataset_cache(KernelRegistry* registry) {
  for (const char* op : {"CacheDataset", "CacheDatasetV2"})
    registry->add(KernelDef(op).fn(make_cache, /*cheap=*/true));
  registry->add(KernelDef("AnonymousMemoryCache").fn(make_anonymous_cache, /*cheap=*/true));
  registry->add(KernelDef("DummyMemoryCache").fn(make_placeholder_cache, /*cheap=*/true));
  registry->add(KernelDef("DeleteMemoryCache").fn(delete_cache, /*cheap=*/true));
}

}  // namespace troupe
