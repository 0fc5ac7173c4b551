#pragma once

#include <mutex>
#include <random>
#include <utility>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/common/variable/resource_access.h"
#include "devices/cpu/loops/philox.h"

namespace troupe {

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
  /// Passes over numbers; only before the first is taken.
  void skip(uint64_t count) {
    generator_.skip(count / block_.size());
    for (uint64_t i = 0; i < count % block_.size(); ++i) next();
  }

 private:
  Philox generator_;
  Philox::Block block_{};
  size_t used_ = block_.size();
};

/// The seeds of one pass after the other; all alike unless it reshuffles. A resource, for those that several
/// datasets share. Thread-safe.
class PassSeeds final : public Resource, public OrderSource {
 public:
  static constexpr const char* kTypeName = "tensorflow::data::SeedGeneratorManager";

  PassSeeds(int64_t seed, int64_t seed2, bool reshuffle)
      : reshuffle_(reshuffle), state_{static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2), 0},
        numbers_(state_.seed, state_.seed2) {}
  /// Seeds of 0 and 0 stand for some that nobody knows.
  static std::shared_ptr<PassSeeds> make(int64_t seed, int64_t seed2, bool reshuffle) {
    if (seed == 0 && seed2 == 0) {
      std::random_device device;
      seed = device();
      seed2 = device();
    }
    return std::make_shared<PassSeeds>(seed, seed2, reshuffle);
  }
  std::string type_name() const override { return kTypeName; }

  /// The seeds of the next pass.
  std::pair<uint64_t, uint64_t> next_seeds() {
    std::lock_guard lock(mu_);
    ++state_.passes;
    if (!reshuffle_) return {state_.seed, state_.seed2};
    const uint64_t first = numbers_.next();
    const uint64_t second = numbers_.next();
    return {first, second};
  }
  Numbers next() {
    const auto [seed, seed2] = next_seeds();
    return Numbers(seed, seed2);
  }
  State state() const override {
    std::lock_guard lock(mu_);
    return state_;
  }
  void set_state(const State& state) override {
    std::lock_guard lock(mu_);
    state_ = state;
    numbers_ = Numbers(state.seed, state.seed2);
    numbers_.skip(2 * state.passes);
  }

 private:
  const bool reshuffle_;
  mutable std::mutex mu_;
  // Guarded by mu_.
  State state_;
  Numbers numbers_;
};

/// The generator that input i names, or one of these seeds when there is none.
inline absl::StatusOr<std::shared_ptr<PassSeeds>> shared_seeds(const KernelContext& context, int i,
                                                               int64_t seed, int64_t seed2) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, i));
  auto found = lookup_handle<PassSeeds>(context, *handle);
  if (found.ok()) return *found;
  const bool reshuffle = context.node().attrs.get_or("reshuffle_each_iteration", true);
  return PassSeeds::make(seed, seed2, reshuffle);
}

}  // namespace troupe
