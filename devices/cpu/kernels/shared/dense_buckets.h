#pragma once

#include "devices/kernel.h"

namespace troupe {

/// The entries of a dense table: keys in buckets by open addressing, laid out bucket for bucket as TensorFlow lays
/// them out, since tables are exported and saved as they lie. Not thread-safe.
class DenseBuckets {
 public:
  struct Options {
    DataType key_dtype = DataType::kInvalid;
    DataType value_dtype = DataType::kInvalid;
    /// Elements of a key and of a value.
    int64_t key_size = 1;
    int64_t value_size = 1;
    /// Marks buckets that never held an entry, and those whose entry was removed; the latter may be uninitialised.
    Tensor empty_key;
    Tensor deleted_key;
    double max_load_factor = 0.8;
    /// A power of two, at least 4.
    int64_t initial_buckets = 131072;
  };

  static absl::StatusOr<DenseBuckets> make(Options options);

  int64_t size() const { return size_; }
  /// [buckets, elements of a key] and [buckets, elements of a value].
  const Tensor& keys() const { return keys_; }
  const Tensor& values() const { return values_; }

  // Each takes key i of a tensor. Those that may fail say InvalidArgument of a reserved key.

  /// Its bucket; -1 when there is none.
  absl::StatusOr<int64_t> find(const Tensor& keys, int64_t i) const;
  absl::Status insert(const Tensor& keys, const Tensor& values, int64_t i);
  absl::Status remove(const Tensor& keys, int64_t i);
  /// Makes room for so many more entries.
  absl::Status reserve(int64_t entries);
  /// Replaces everything by the buckets of an export, reserved keys included, or by any entries.
  absl::Status import(const Tensor& keys, const Tensor& values, int64_t count);

 private:
  explicit DenseBuckets(Options options) : options_(std::move(options)) {}

  absl::Status allocate(int64_t buckets);
  uint64_t hash(const Tensor& keys, int64_t i) const;
  bool same(const Tensor& a, int64_t i, const Tensor& b, int64_t j) const;
  bool is_empty(const Tensor& keys, int64_t i) const { return same(keys, i, options_.empty_key, 0); }
  bool is_deleted(const Tensor& keys, int64_t i) const {
    return options_.deleted_key.initialized() && same(keys, i, options_.deleted_key, 0);
  }
  absl::Status check_key(const Tensor& keys, int64_t i) const;
  /// The bucket of the key, or the first where it may be put; -1 when all are taken. With `past_deleted`, only an
  /// empty bucket ends the search.
  int64_t probe(const Tensor& keys, int64_t i, bool past_deleted) const;
  void set_key(int64_t bucket, const Tensor& keys, int64_t i);
  bool is_well_laid_out() const;

  Options options_;
  int64_t buckets_ = 0;
  int64_t size_ = 0;
  Tensor keys_;
  Tensor values_;
};

}  // namespace troupe
