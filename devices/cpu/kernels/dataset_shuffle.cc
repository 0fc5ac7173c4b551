// Datasets in random order, with TensorFlow's own streams of numbers.

#include <deque>
#include <random>

#include "devices/cpu/kernels/array_util.h"
#include "devices/cpu/kernels/dataset.h"
#include "devices/cpu/loops/philox.h"

namespace troupe {
namespace {

/// Numbers of a generator of its own, one at a time. A value type, unlike PhiloxStream.
class Numbers {
 public:
  Numbers(uint64_t seed, uint64_t seed2) : generator_(seed, seed2) {}
  uint32_t next() {
    if (used_ == block_.size()) {
      block_ = generator_();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox generator_;
  Philox::Block block_{};
  size_t used_ = block_.size();
};

/// The seeds of one pass after the other; all alike unless it reshuffles. Thread-safe.
class PassSeeds {
 public:
  PassSeeds(uint64_t seed, uint64_t seed2, bool reshuffle)
      : seed_(seed), seed2_(seed2), reshuffle_(reshuffle), numbers_(seed, seed2) {}
  Numbers next() {
    if (!reshuffle_) return Numbers(seed_, seed2_);
    std::lock_guard lock(mu_);
    const uint64_t first = numbers_.next();
    const uint64_t second = numbers_.next();
    return Numbers(first, second);
  }

 private:
  const uint64_t seed_;
  const uint64_t seed2_;
  const bool reshuffle_;
  std::mutex mu_;
  Numbers numbers_;  // guarded by mu_
};

/// Each element is drawn from a buffer that the input keeps full.
class ShuffleDataset final : public DerivedDataset {
 public:
  ShuffleDataset(DatasetPtr input, int64_t buffer_size, std::shared_ptr<PassSeeds> seeds)
      : DerivedDataset(std::move(input)), buffer_size_(buffer_size), seeds_(std::move(seeds)) {}
  std::string name() const override { return "Shuffle"; }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    return std::make_unique<Iterator>(iterate_input(prefix), buffer_size_, seeds_->next());
  }

 private:
  /// The buffer is a ring: what was drawn gives its place to the oldest, which begins the ring.
  class Iterator final : public DatasetIterator {
   public:
    Iterator(std::unique_ptr<DatasetIterator> input, int64_t buffer_size, Numbers numbers)
        : input_(std::move(input)), buffer_size_(buffer_size), numbers_(numbers) {}
    absl::StatusOr<std::optional<Element>> next(const ElementContext& context) override {
      while (!done_ && (buffer_size_ < 0 || static_cast<int64_t>(buffer_.size()) < buffer_size_)) {
        TROUPE_RETURN_IF_ERROR(context.check());
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(context));
        if (element.has_value()) {
          buffer_.push_back(*std::move(element));
        } else {
          done_ = true;
        }
      }
      if (buffer_.empty()) return std::nullopt;
      std::swap(buffer_[numbers_.next() % buffer_.size()], buffer_.front());
      Element drawn = std::move(buffer_.front());
      buffer_.pop_front();
      return drawn;
    }

   private:
    const std::unique_ptr<DatasetIterator> input_;
    const int64_t buffer_size_;
    Numbers numbers_;
    std::deque<Element> buffer_;
    bool done_ = false;
  };
  const int64_t buffer_size_;
  const std::shared_ptr<PassSeeds> seeds_;
};

absl::Status make_shuffle(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t buffer_size, input_count(context, 1, "buffer_size"));
  TROUPE_ASSIGN_OR_RETURN(int64_t seed, input_count(context, 2, "seed"));
  TROUPE_ASSIGN_OR_RETURN(int64_t seed2, input_count(context, 3, "seed2"));
  if (buffer_size < -1 || buffer_size == 0) {
    return invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  if (seed == 0 && seed2 == 0) {
    std::random_device device;
    seed = device();
    seed2 = device();
  }
  const bool reshuffle = context.node().attrs.get_or("reshuffle_each_iteration", true);
  auto seeds =
      std::make_shared<PassSeeds>(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2), reshuffle);
  return output_dataset(context,
                        std::make_shared<ShuffleDataset>(std::move(input), buffer_size, std::move(seeds)));
}

}  // namespace

void register_dataset_shuffle(KernelRegistry* registry) {
  registry->add(KernelDef("ShuffleDataset").fn(make_shuffle, /*cheap=*/true));
}

}  // namespace troupe
