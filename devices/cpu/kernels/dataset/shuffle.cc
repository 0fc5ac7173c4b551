// Datasets in random order or of random numbers, with TensorFlow's own streams of numbers.

#include <deque>
#include <mutex>
#include <numeric>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/dataset/seeds.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"

namespace troupe {
namespace {

/// Draws each element from a buffer that the input keeps full, `count` times over. Elements of a pass stay
/// before those of the next one, which has its own numbers.
class Shuffler {
 public:
  Shuffler(DatasetPtr input, std::string name, int64_t buffer_size, int64_t count,
           std::shared_ptr<PassSeeds> seeds)
      : dataset_(std::move(input)), name_(std::move(name)), buffer_size_(buffer_size), count_(count),
        seeds_(std::move(seeds)), numbers_(seeds_->next()), input_(dataset_->iterate(name_)), passes_(1) {}

  NextElement next(const ElementContext& step) {
    TROUPE_RETURN_IF_ERROR(fill(step));
    while (passes_.size() > 1 && passes_.front().empty()) {
      passes_.pop_front();
      numbers_ = seeds_->next();
    }
    std::deque<Element>& pass = passes_.front();
    if (pass.empty()) return std::nullopt;
    // What was drawn gives its place to the oldest.
    std::swap(pass[numbers_.next() % pass.size()], pass.front());
    Element drawn = std::move(pass.front());
    pass.pop_front();
    --held_;
    return drawn;
  }

 private:
  absl::Status fill(const ElementContext& step) {
    while (input_ != nullptr && (buffer_size_ < 0 || held_ < buffer_size_)) {
      TROUPE_RETURN_IF_ERROR(step.check());
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(step));
      if (element.has_value()) {
        passes_.back().push_back(*std::move(element));
        ++held_;
        any_ = true;
        continue;
      }
      ++round_;
      const bool more = any_ && (count_ < 0 || round_ < count_);
      input_ = more ? dataset_->iterate(name_) : nullptr;
      if (more) passes_.emplace_back();
    }
    return absl::OkStatus();
  }

  const DatasetPtr dataset_;
  const std::string name_;
  const int64_t buffer_size_;
  const int64_t count_;
  const std::shared_ptr<PassSeeds> seeds_;
  Numbers numbers_;
  IteratorPtr input_;  // null behind the end
  std::deque<std::deque<Element>> passes_;
  int64_t held_ = 0;
  int64_t round_ = 0;
  bool any_ = false;
};

/// How many numbers an IndexedOrder keeps at most: 2 GiB of them.
constexpr int64_t kMaxIndexed = int64_t{1} << 28;

/// All elements of an input in one random order, by their numbers in it. Thread-safe.
class IndexedOrder {
 public:
  IndexedOrder(DatasetPtr input, const OrderSource::State& seeds)
      : input_(std::move(input)), numbers_(seeds.seed, seeds.seed2) {}
  absl::StatusOr<Element> at(const ElementContext& step, int64_t i) {
    if (input_->cardinality > kMaxIndexed) {
      return absl::ResourceExhaustedError(absl::StrCat("Random access to a shuffled dataset of ",
                                                       input_->cardinality, " elements, more than ",
                                                       kMaxIndexed));
    }
    std::call_once(made_, [this] {
      order_.resize(static_cast<size_t>(input_->cardinality));
      std::iota(order_.begin(), order_.end(), 0);
      for (size_t k = 0; k < order_.size(); ++k) {
        std::swap(order_[k], order_[k + numbers_.next() % (order_.size() - k)]);
      }
    });
    return input_->at(step, order_[static_cast<size_t>(i)]);
  }

 private:
  const DatasetPtr input_;
  std::once_flag made_;
  Numbers numbers_;
  std::vector<int64_t> order_;
};

absl::Status output_shuffled(KernelContext& context, const char* label, int64_t count,
                             std::shared_ptr<PassSeeds> seeds) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t buffer_size, input_count(context, 1, "buffer_size"));
  if (buffer_size <= 0 && buffer_size != kUnknownCardinality) {
    return invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  auto dataset = make_dataset(label, {input}, [input, buffer_size, count, seeds](const std::string& name) {
    auto shuffler = std::make_unique<Shuffler>(input, name, buffer_size, count, seeds);
    return iterator_of(
        [shuffler = std::move(shuffler)](const ElementContext& step) { return shuffler->next(step); });
  });
  dataset->orders.push_back(seeds);
  if (count == 1 && input->at != nullptr) {
    auto order = std::make_shared<IndexedOrder>(input, seeds->state());
    dataset->at = [order](const ElementContext& step, int64_t i) { return order->at(step, i); };
    dataset->indexable.Update(absl::FailedPreconditionError(
        absl::StrCat(context.node().op->name, " does not support random access.")));
  }
  const int64_t n = input->cardinality;
  dataset->batch_size = input->batch_size;
  dataset->cardinality = n < 0 || count == 1 ? n : n == 0 ? 0 : count < 0 ? kInfiniteCardinality : n * count;
  if (n > 0 && count > 0 && n > INT64_MAX / count) dataset->cardinality = INT64_MAX;
  return output_dataset(context, std::move(dataset));
}

/// ShuffleDataset, and V3 with a generator.
absl::Status make_shuffle(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed, input_count(context, 2, "seed"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed2, input_count(context, 3, "seed2"));
  if (context.num_inputs() > 4) {
    TROUPE_ASSIGN_OR_RETURN(auto shared, shared_seeds(context, 4, seed, seed2));
    return output_shuffled(context, "Shuffle", 1, std::move(shared));
  }
  const bool reshuffle = context.node().attrs.get_or("reshuffle_each_iteration", true);
  return output_shuffled(context, "Shuffle", 1, PassSeeds::make(seed, seed2, reshuffle));
}

absl::Status make_shuffle_v2(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto seeds, shared_seeds(context, 2, 0, 0));
  return output_shuffled(context, "Shuffle", 1, std::move(seeds));
}

/// ShuffleAndRepeatDataset, and V2 with a generator.
absl::Status make_shuffle_and_repeat(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed, input_count(context, 2, "seed"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed2, input_count(context, 3, "seed2"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t count, input_count(context, 4, "count"));
  if (count <= 0 && count != -1) return invalid("count must be greater than zero or equal to -1.");
  if (context.num_inputs() > 5) {
    TROUPE_ASSIGN_OR_RETURN(auto shared, shared_seeds(context, 5, seed, seed2));
    return output_shuffled(context, "ShuffleAndRepeat", count, std::move(shared));
  }
  const bool reshuffle = context.node().attrs.get_or("reshuffle_each_iteration", true);
  return output_shuffled(context, "ShuffleAndRepeat", count, PassSeeds::make(seed, seed2, reshuffle));
}

/// Numbers without end; V2 may have a generator of seeds.
absl::Status make_random(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed, input_count(context, 0, "seed"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed2, input_count(context, 1, "seed2"));
  std::shared_ptr<PassSeeds> seeds;
  if (context.num_inputs() > 2 && context.node().attrs.get_or("rerandomize_each_iteration", false)) {
    TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 2));
    auto found = lookup_handle<PassSeeds>(context, *handle);
    seeds = found.ok() ? *found : PassSeeds::make(seed, seed2, true);
  } else {
    seeds = PassSeeds::make(seed, seed2, false);
  }
  auto dataset = make_dataset("Random", {}, [seeds](const std::string&) {
    return iterator_of([numbers = seeds->next()](const ElementContext&) mutable -> NextElement {
      return Element{Tensor::scalar<int64_t>(numbers.next())};
    });
  });
  dataset->cardinality = kInfiniteCardinality;
  dataset->orders.push_back(seeds);
  return output_dataset(context, std::move(dataset));
}

/// Each element with the probability `rate`.
absl::Status make_sampling(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  if (!is_scalar(context.input(1))) return invalid("rate must be a scalar");
  const float rate = context.input(1).value<float>();
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed, input_count(context, 2, "seed"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed2, input_count(context, 3, "seed2"));
  const auto seeds = PassSeeds::make(seed, seed2, false);
  auto dataset = make_dataset("Sampling", {input}, [input, rate, seeds](const std::string& name) {
    return iterator_of([in = input->iterate(name), rate,
                        numbers = seeds->next()](const ElementContext& step) mutable -> NextElement {
      while (true) {
        TROUPE_RETURN_IF_ERROR(step.check());
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
        if (!element.has_value() || uniform_float(numbers.next()) < rate) return element;
      }
    });
  });
  dataset->orders.push_back(seeds);
  return output_dataset(context, std::move(dataset));
}

/// A generator that only its handle keeps.
template <bool kAlways>
absl::Status make_seed_generator(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed, input_count(context, 0, "seed"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed2, input_count(context, 1, "seed2"));
  bool reshuffle = true;
  if (!kAlways) {
    TROUPE_ASSIGN_OR_RETURN(reshuffle, input_flag(context, 2, "reshuffle"));
  }
  ResourceHandle handle = make_handle<PassSeeds>(*context.device(), "", "AnonymousSeedGenerator");
  handle.anonymous = std::shared_ptr<Resource>(PassSeeds::make(seed, seed2, reshuffle));
  context.set_output(0, handle_tensor(std::move(handle)));
  context.set_output(1, Tensor(DataType::kVariant, Shape()));
  return absl::OkStatus();
}

/// A handle that leads nowhere.
absl::Status make_empty_handle(KernelContext& context) {
  context.set_output(0, handle_tensor(make_handle<PassSeeds>(*context.device(), "", "DummySeedGenerator")));
  return absl::OkStatus();
}

/// What anonymous resources need at their end: nothing, they go with their last handle.
absl::Status do_nothing(KernelContext&) { return absl::OkStatus(); }

}  // namespace

void register_dataset_shuffle(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  add({"ShuffleDataset", "ShuffleDatasetV3"}, make_shuffle);
  add({"ShuffleDatasetV2"}, make_shuffle_v2);
  add({"ShuffleAndRepeatDataset", "ShuffleAndRepeatDatasetV2"}, make_shuffle_and_repeat);
  add({"RandomDataset", "RandomDatasetV2", "ExperimentalRandomDataset"}, make_random);
  add({"SamplingDataset"}, make_sampling);
  add({"AnonymousSeedGenerator"}, make_seed_generator<false>);
  add({"AnonymousRandomSeedGenerator"}, make_seed_generator<true>);
  add({"DummySeedGenerator"}, make_empty_handle);
  add({"DeleteSeedGenerator", "DeleteRandomSeedGenerator"}, do_nothing);
}

}  // namespace troupe
