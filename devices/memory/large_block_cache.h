#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace troupe {

/// Large blocks that were given back, kept for whoever asks for that size next: a fresh one costs a page fault for each 4 KiB, ten times
/// what writing to it does. What it keeps and what is in use never exceed the most that was in use at once by more than `spare_bytes`, so that it hardly
/// raises the peak of a process; what has been kept longest goes first. Thread-safe.
class LargeBlockCache {
 public:
  /// From this size on blocks are its business.
  static constexpr size_t kLeastBytes = size_t{256} << 10;

  using Take = void* (*)(size_t bytes);
  using Give = void (*)(void* block);

  /// Where blocks come from, and go to. `spare_bytes`: a step whose sizes at its peak are not those before and after it finds its blocks again in these.
  LargeBlockCache(Take take, Give give, int64_t spare_bytes)
      : take_(take), give_(give), spare_bytes_(spare_bytes) {}
  ~LargeBlockCache() { rest(); }
  LargeBlockCache(const LargeBlockCache&) = delete;

  /// A block of at least so many bytes, not fewer than kLeastBytes; null when there is none, and nothing is kept then.
  void* allocate(size_t bytes);
  /// `bytes` as in allocate.
  void deallocate(void* block, size_t bytes);
  /// Gives all that is kept back, and keeps nothing until the next allocate: nobody runs anything any more.
  void rest();

  int64_t kept_bytes() const;

 private:
  struct Kept {
    void* block = nullptr;
    size_t bytes = 0;
  };

  /// The youngest block of this size, whose pages are the warmest; null when none is kept. With mu_ held.
  void* find(size_t rounded);
  /// What is too much beside what is in use. With mu_ held.
  std::vector<Kept> evict();
  std::vector<Kept> take_kept();
  void give_back(const std::vector<Kept>& blocks) const;

  const Take take_;
  const Give give_;
  const int64_t spare_bytes_;
  mutable std::mutex mu_;
  // Guarded by mu_. The oldest first; tens, as a rule.
  std::vector<Kept> kept_;
  int64_t kept_bytes_ = 0;
  int64_t bytes_in_use_ = 0;
  int64_t peak_bytes_ = 0;
  bool resting_ = true;
};

}  // namespace troupe
