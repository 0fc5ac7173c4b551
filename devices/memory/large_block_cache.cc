#include "devices/memory/large_block_cache.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace troupe {
namespace {

/// To one of eight sizes between two powers of two: a block is at most an eighth larger than what was asked for. 0: there is no such size.
size_t round_up(size_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max() / 2) return 0;
  const size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

}  // namespace

void* LargeBlockCache::allocate(size_t bytes) {
  const size_t rounded = round_up(bytes);
  if (rounded == 0) return nullptr;
  std::vector<Kept> evicted;
  {
    std::lock_guard lock(mu_);
    resting_ = false;
    bytes_in_use_ += static_cast<int64_t>(rounded);
    if (void* known = find(rounded); known != nullptr) return known;
    peak_bytes_ = std::max(peak_bytes_, bytes_in_use_);
    evicted = evict();
  }
  // Before a block is taken, so that the peak is not exceeded.
  give_back(evicted);
  void* block = take_(rounded);
  if (block == nullptr) {
    // What is kept goes before anybody hears that there is none.
    give_back(take_kept());
    block = take_(rounded);
  }
  if (block == nullptr) {
    std::lock_guard lock(mu_);
    bytes_in_use_ -= static_cast<int64_t>(rounded);
  }
  return block;
}

void LargeBlockCache::deallocate(void* block, size_t bytes) {
  const size_t rounded = round_up(bytes);
  {
    std::lock_guard lock(mu_);
    bytes_in_use_ -= static_cast<int64_t>(rounded);
    if (!resting_) {
      kept_.push_back({block, rounded});
      kept_bytes_ += static_cast<int64_t>(rounded);
      return;
    }
  }
  give_(block);
}

void LargeBlockCache::rest() {
  {
    std::lock_guard lock(mu_);
    resting_ = true;
    peak_bytes_ = bytes_in_use_;
  }
  give_back(take_kept());
}

int64_t LargeBlockCache::kept_bytes() const {
  std::lock_guard lock(mu_);
  return kept_bytes_;
}

void* LargeBlockCache::find(size_t rounded) {
  const auto found =
      std::find_if(kept_.rbegin(), kept_.rend(), [&](const Kept& k) { return k.bytes == rounded; });
  if (found == kept_.rend()) return nullptr;
  void* const block = found->block;
  kept_.erase(std::next(found).base());
  kept_bytes_ -= static_cast<int64_t>(rounded);
  return block;
}

std::vector<LargeBlockCache::Kept> LargeBlockCache::evict() {
  auto first = kept_.begin();
  for (; first != kept_.end() && kept_bytes_ + bytes_in_use_ > peak_bytes_ + spare_bytes_; ++first)
    kept_bytes_ -= static_cast<int64_t>(first->bytes);
  std::vector<Kept> evicted(kept_.begin(), first);
  kept_.erase(kept_.begin(), first);
  return evicted;
}

std::vector<LargeBlockCache::Kept> LargeBlockCache::take_kept() {
  std::lock_guard lock(mu_);
  kept_bytes_ = 0;
  return std::exchange(kept_, {});
}

void LargeBlockCache::give_back(const std::vector<Kept>& blocks) const {
  for (const Kept& k : blocks) give_(k.block);
}

}  // namespace troupe
