#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/tensor/allocator.h"

namespace troupe {

/// Blocks cut from large regions of memory that the host need not be able to read: the smallest free piece that is large enough, split; what
/// comes back is joined with its free neighbours. Regions come from the driver, which takes milliseconds and waits for the GPU, and so stay.
/// Thread-safe.
class BestFitPool {
 public:
  /// Blocks start at multiples of this, and have multiples of it: what CUDA's own allocations promise.
  static constexpr size_t kGrainBytes = 256;
  /// Regions are multiples of this, a large page of the GPU.
  static constexpr size_t kRegionGrainBytes = size_t{2} << 20;

  struct Source {
    /// Null when there is none.
    std::function<void*(size_t bytes)> take;
    std::function<void(void* region, size_t bytes)> give;
  };
  struct Options {
    /// Regions never have more bytes than this, together.
    size_t limit_bytes = 0;
    /// Regions as they are needed, each twice as large as the one before; else one of all that the limit allows, or as much of it as there
    /// is, with the first block.
    bool grows = true;
  };

  BestFitPool(Source source, Options options);
  /// Gives the regions back: all blocks are back, or of no use to anybody.
  ~BestFitPool();
  BestFitPool(const BestFitPool&) = delete;

  /// A block of at least so many bytes; null when neither a free piece nor a new region is large enough.
  void* allocate(size_t bytes);
  /// Gives back what allocate returned. `stamp`: what the next owner should know, the number of the last work that uses the memory.
  void deallocate(void* block, uint64_t stamp = 0);
  /// The highest stamp with which any of a block's memory came back before it was handed out: 0 for memory that was new, the highest number for
  /// what is no block.
  uint64_t stamp(const void* block) const;
  /// True for addresses in its regions.
  bool owns(const void* memory) const;

  /// `bytes_kept`: of regions, what is not in use.
  AllocatorStats stats() const;
  /// For errors and logs: how many bytes are in use and free, in which pieces and regions.
  std::string report() const;
  /// Checks that pieces cover their regions, that no two neighbours are free and that the counters are right; what is wrong, or empty.
  std::string fault() const;

 private:
  /// A stretch of a region, free or a block.
  struct Piece {
    char* start = nullptr;
    size_t bytes = 0;
    /// What was asked for; 0 for a block of nothing.
    size_t asked = 0;
    bool free = true;
    uint64_t stamp = 0;
    /// Its neighbours in the region.
    Piece* before = nullptr;
    Piece* behind = nullptr;
  };
  struct Region {
    char* start = nullptr;
    size_t bytes = 0;
    Piece* first = nullptr;
  };
  struct Smaller {
    using is_transparent = void;
    bool operator()(const Piece* a, const Piece* b) const {
      return a->bytes != b->bytes ? a->bytes < b->bytes : a->start < b->start;
    }
    bool operator()(const Piece* a, size_t bytes) const { return a->bytes < bytes; }
    bool operator()(size_t bytes, const Piece* b) const { return bytes < b->bytes; }
  };

  // All with mu_ held.
  Piece* find(size_t rounded);
  bool extend(size_t rounded);
  bool add_region(size_t bytes);
  /// Gives regions back in which nothing is in use.
  bool give_back_free_regions();
  void split(Piece* piece, size_t rounded);
  /// Joins `piece` with the one behind it.
  void join(Piece* piece);
  Piece* new_piece();
  void drop(Piece* piece);

  const Source source_;
  const Options options_;
  mutable std::mutex mu_;
  // Guarded by mu_.
  std::vector<Region> regions_;
  size_t region_bytes_ = 0;
  size_t next_region_bytes_;
  size_t block_bytes_ = 0;
  std::set<Piece*, Smaller> free_;
  absl::flat_hash_map<void*, Piece*> blocks_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::vector<Piece*> spare_;
  AllocatorStats stats_;
};

}  // namespace troupe
