#include "devices/cuda/best_fit_pool.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "devices/memory/step_allocations.h"

namespace troupe {
namespace {

/// 0: there is no such size.
size_t round_up(size_t bytes, size_t grain) {
  if (bytes > std::numeric_limits<size_t>::max() / 2) return 0;
  return std::max(grain, (bytes + grain - 1) / grain * grain);
}

std::string readable(size_t bytes) { return human_readable_bytes(static_cast<int64_t>(bytes)); }

}  // namespace

BestFitPool::BestFitPool(Source source, Options options)
    : source_(std::move(source)), options_(options),
      next_region_bytes_(options.grows ? kRegionGrainBytes : options.limit_bytes) {}

BestFitPool::~BestFitPool() {
  for (const Region& region : regions_) source_.give(region.start, region.bytes);
}

void* BestFitPool::allocate(size_t bytes) {
  const size_t rounded = round_up(bytes, kGrainBytes);
  if (rounded == 0) return nullptr;
  std::lock_guard lock(mu_);
  Piece* piece = find(rounded);
  if (piece == nullptr && extend(rounded)) piece = find(rounded);
  if (piece == nullptr) return nullptr;
  free_.erase(piece);
  split(piece, rounded);
  piece->free = false;
  piece->asked = bytes;
  blocks_[piece->start] = piece;
  block_bytes_ += rounded;
  ++stats_.num_allocations;
  stats_.bytes_in_use += static_cast<int64_t>(bytes);
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  stats_.largest_allocation = std::max(stats_.largest_allocation, static_cast<int64_t>(bytes));
  return piece->start;
}

void BestFitPool::deallocate(void* block, uint64_t stamp) {
  std::lock_guard lock(mu_);
  const auto found = blocks_.find(block);
  Piece* piece = found->second;
  blocks_.erase(found);
  stats_.bytes_in_use -= static_cast<int64_t>(piece->asked);
  block_bytes_ -= piece->bytes;
  piece->free = true;
  piece->asked = 0;
  // What it had from before may be later, when nothing was done with it.
  piece->stamp = std::max(piece->stamp, stamp);
  if (piece->behind != nullptr && piece->behind->free) {
    free_.erase(piece->behind);
    join(piece);
  }
  if (piece->before != nullptr && piece->before->free) {
    piece = piece->before;
    free_.erase(piece);
    join(piece);
  }
  free_.insert(piece);
}

uint64_t BestFitPool::stamp(const void* block) const {
  std::lock_guard lock(mu_);
  const auto found = blocks_.find(const_cast<void*>(block));
  return found == blocks_.end() ? std::numeric_limits<uint64_t>::max() : found->second->stamp;
}

bool BestFitPool::owns(const void* memory) const {
  std::lock_guard lock(mu_);
  return std::any_of(regions_.begin(), regions_.end(), [memory](const Region& region) {
    return std::less_equal<>()(region.start, memory) && std::less<>()(memory, region.start + region.bytes);
  });
}

BestFitPool::Piece* BestFitPool::find(size_t rounded) {
  const auto found = free_.lower_bound(rounded);
  return found == free_.end() ? nullptr : *found;
}

bool BestFitPool::extend(size_t rounded) {
  if (rounded > options_.limit_bytes) return false;
  const size_t left = options_.limit_bytes - region_bytes_;
  // As much as is wished for, then less, down to what is needed.
  for (size_t wished = std::max(next_region_bytes_, round_up(rounded, kRegionGrainBytes));;
       wished = wished / 10 * 9) {
    const size_t bytes = std::max(std::min(wished, left) / kRegionGrainBytes * kRegionGrainBytes, rounded);
    if (bytes > left) break;
    if (add_region(bytes)) {
      next_region_bytes_ = std::max(next_region_bytes_, 2 * bytes);
      return true;
    }
    if (bytes == rounded) break;
  }
  if (!give_back_free_regions()) return false;
  const size_t now_left = options_.limit_bytes - region_bytes_;
  const size_t bytes = round_up(rounded, kRegionGrainBytes);
  return rounded <= now_left && add_region(bytes <= now_left ? bytes : rounded);
}

bool BestFitPool::add_region(size_t bytes) {
  void* start = bytes == 0 ? nullptr : source_.take(bytes);
  if (start == nullptr) return false;
  Piece* piece = new_piece();
  piece->start = static_cast<char*>(start);
  piece->bytes = bytes;
  free_.insert(piece);
  regions_.push_back({piece->start, bytes, piece});
  region_bytes_ += bytes;
  return true;
}

bool BestFitPool::give_back_free_regions() {
  const size_t before = regions_.size();
  std::erase_if(regions_, [this](const Region& region) {
    if (!region.first->free || region.first->bytes != region.bytes) return false;
    free_.erase(region.first);
    drop(region.first);
    source_.give(region.start, region.bytes);
    region_bytes_ -= region.bytes;
    return true;
  });
  return regions_.size() < before;
}

void BestFitPool::split(Piece* piece, size_t rounded) {
  if (piece->bytes == rounded) return;
  Piece* rest = new_piece();
  rest->start = piece->start + rounded;
  rest->bytes = piece->bytes - rounded;
  rest->stamp = piece->stamp;
  rest->before = piece;
  rest->behind = piece->behind;
  if (rest->behind != nullptr) rest->behind->before = rest;
  piece->behind = rest;
  piece->bytes = rounded;
  free_.insert(rest);
}

void BestFitPool::join(Piece* piece) {
  Piece* gone = piece->behind;
  piece->bytes += gone->bytes;
  piece->stamp = std::max(piece->stamp, gone->stamp);
  piece->behind = gone->behind;
  if (piece->behind != nullptr) piece->behind->before = piece;
  drop(gone);
}

BestFitPool::Piece* BestFitPool::new_piece() {
  if (spare_.empty()) return pieces_.emplace_back(std::make_unique<Piece>()).get();
  Piece* piece = spare_.back();
  spare_.pop_back();
  *piece = Piece();
  return piece;
}

void BestFitPool::drop(Piece* piece) { spare_.push_back(piece); }

AllocatorStats BestFitPool::stats() const {
  std::lock_guard lock(mu_);
  AllocatorStats stats = stats_;
  stats.bytes_limit = static_cast<int64_t>(options_.limit_bytes);
  stats.bytes_kept = static_cast<int64_t>(region_bytes_ - block_bytes_);
  return stats;
}

std::string BestFitPool::report() const {
  std::lock_guard lock(mu_);
  size_t free_bytes = 0;
  for (const Piece* piece : free_) free_bytes += piece->bytes;
  const size_t largest = free_.empty() ? 0 : (*free_.rbegin())->bytes;
  std::string text = absl::StrCat(
      "Limit: ", readable(options_.limit_bytes), "\nInUse: ", human_readable_bytes(stats_.bytes_in_use),
      " in ", blocks_.size(), " blocks\nMaxInUse: ", human_readable_bytes(stats_.peak_bytes_in_use),
      "\nMaxAllocSize: ", human_readable_bytes(stats_.largest_allocation), "\nFree: ", readable(free_bytes),
      " in ", free_.size(), " pieces, the largest of ", readable(largest), "\n");
  for (const Region& region : regions_) {
    size_t in_use = 0;
    for (const Piece* piece = region.first; piece != nullptr; piece = piece->behind)
      in_use += piece->free ? 0 : piece->bytes;
    absl::StrAppend(&text, "Region of ", readable(region.bytes), ": ", readable(in_use), " in use\n");
  }
  return text;
}

std::string BestFitPool::fault() const {
  std::lock_guard lock(mu_);
  size_t num_free = 0;
  size_t num_blocks = 0;
  size_t total = 0;
  size_t in_blocks = 0;
  int64_t asked = 0;
  for (const Region& region : regions_) {
    char* next = region.start;
    total += region.bytes;
    for (const Piece* piece = region.first; piece != nullptr; piece = piece->behind) {
      if (piece->start != next) return "pieces do not follow each other";
      next += piece->bytes;
      if (piece->behind != nullptr && piece->behind->before != piece)
        return "neighbours do not know each other";
      if (piece->free && piece->behind != nullptr && piece->behind->free) return "two free neighbours";
      if (piece->bytes == 0 || piece->bytes % kGrainBytes != 0) return "a piece of an odd size";
      if (piece->free != (free_.count(const_cast<Piece*>(piece)) == 1))
        return "a free piece that is not listed, or a block that is";
      if (!piece->free && !blocks_.contains(piece->start)) return "a block that is not listed";
      (piece->free ? num_free : num_blocks) += 1;
      in_blocks += piece->free ? 0 : piece->bytes;
      asked += static_cast<int64_t>(piece->asked);
    }
    if (next != region.start + region.bytes) return "pieces do not cover their region";
  }
  if (num_free != free_.size() || num_blocks != blocks_.size()) return "lists of other sizes";
  if (total != region_bytes_ || total > options_.limit_bytes) return "the bytes of regions";
  if (in_blocks != block_bytes_) return "the bytes of blocks";
  if (asked != stats_.bytes_in_use) return "the bytes in use";
  return "";
}

}  // namespace troupe
