#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "devices/cpu/kernels/shared/dense_buckets.h"
#include "devices/kernel.h"

namespace troupe {

/// A lookup table: from keys of one dtype and shape to values of one dtype and shape. Thread-safe: readers
/// share.
///
/// Keys and values lie in two tensors, entry after entry; an index leads from a key to its entry. A removed
/// entry is filled by the last one. A dense table is as its buckets lie, and is exported so.
class LookupTable final : public Resource {
 public:
  static constexpr const char* kTypeName = "tensorflow::lookup::LookupInterface";

  enum class Kind {
    /// Filled once, then only read: HashTable.
    kStatic,
    kMutable,
    /// Mutable, with two keys that no entry may have.
    kDense,
  };
  struct Options {
    Kind kind = Kind::kStatic;
    DataType key_dtype = DataType::kInvalid;
    DataType value_dtype = DataType::kInvalid;
    Shape key_shape;
    Shape value_shape;
    // Dense only; deleted_key may be uninitialised.
    Tensor empty_key;
    Tensor deleted_key;
    double max_load_factor = 0.8;
    int64_t initial_buckets = 131072;
  };

  explicit LookupTable(Options options);
  /// Makes room for a dense table's buckets; errors of the allocation.
  static absl::StatusOr<std::shared_ptr<LookupTable>> make(Options options);

  std::string type_name() const override { return kTypeName; }
  const Options& options() const { return options_; }

  // Keys and values come with the right dtypes (check_types); shapes are checked here.

  /// Writes to `values` the value of each key, or the default. FailedPrecondition "Table not initialized.".
  absl::Status find(const Tensor& keys, const Tensor& default_value, Tensor* values) const;
  /// The shape that `values` of find must have. InvalidArgument when the default or the keys do not fit.
  absl::StatusOr<Shape> found_shape(const Tensor& keys, const Tensor& default_value) const;
  absl::Status insert(const Tensor& keys, const Tensor& values);
  absl::Status remove(const Tensor& keys);
  /// Replaces all entries.
  absl::Status import(const Tensor& keys, const Tensor& values);
  absl::StatusOr<std::pair<Tensor, Tensor>> export_all() const;
  int64_t size() const;

  /// Fills a static table. A second time it must be as many entries; FailedPrecondition otherwise, or when a
  /// key comes twice with different values.
  absl::Status initialize(const Tensor& keys, const Tensor& values);
  bool is_initialized() const;

 private:
  /// A key as the index holds it: its bytes, strings with their lengths when there are several.
  void key_bytes(const Tensor& keys, int64_t entry, std::string* out) const;
  int64_t lookup(const Tensor& keys, int64_t entry, std::string* scratch) const;
  absl::StatusOr<Shape> batch_shape(const Tensor& keys) const;
  absl::Status check_pair(const Tensor& keys, const Tensor& values) const;
  /// The number of keys; a dense table takes them in one dimension only. InvalidArgument.
  absl::StatusOr<int64_t> count_keys(const Tensor& keys) const;
  absl::Status import_buckets(const Tensor& keys, const Tensor& values);
  absl::Status reserve(int64_t entries);
  absl::Status put(const Tensor& keys, const Tensor& values, int64_t entry, bool replace,
                   std::string* scratch);
  void clear();

  const Options options_;
  const int64_t key_size_;
  const int64_t value_size_;
  /// Scalar integer keys go into the first index, all others into the second.
  const bool integer_keys_;
  mutable std::shared_mutex mu_;
  // Guarded by mu_.
  bool initialized_ = false;
  int64_t size_ = 0;
  int64_t capacity_ = 0;
  Tensor keys_;
  Tensor values_;
  absl::flat_hash_map<int64_t, int64_t> integers_;
  absl::flat_hash_map<std::string, int64_t> others_;
  /// Dense tables instead of all these.
  std::optional<DenseBuckets> buckets_;
};

}  // namespace troupe
