#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/dense_feature.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// Values of one feature, as they come: of any number of examples, one behind the other. Strings point into the
/// serialized examples.
struct FeatureColumn {
  explicit FeatureColumn(DataType type) : dtype(type) {}

  DataType dtype;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<absl::string_view> strings;

  int64_t size() const { return static_cast<int64_t>(ints.size() + floats.size() + strings.size()); }
  void clear();
  /// Writes the values [from, from + count) to the elements of `out` from `to` on.
  void copy_to(int64_t from, int64_t count, Tensor* out, int64_t to) const;
};

/// A Feature message whose values are still encoded; kInvalid when it has none of the three lists.
struct FeatureView {
  DataType dtype = DataType::kInvalid;
  absl::string_view list;

  bool present() const { return dtype != DataType::kInvalid; }
  /// Adds the values to a column of the same dtype. False when the bytes are no such list.
  bool append_to(FeatureColumn* column) const;
};

/// The keys that an op asks for, numbered. The names must outlive it.
class KeyIndex {
 public:
  /// The number of `key`, new or not.
  int add(absl::string_view key) {
    return index_.try_emplace(key, static_cast<int>(index_.size())).first->second;
  }
  /// -1 for a key that was not asked for.
  int find(absl::string_view key) const {
    auto it = index_.find(key);
    return it == index_.end() ? -1 : it->second;
  }
  size_t size() const { return index_.size(); }

 private:
  absl::flat_hash_map<absl::string_view, int> index_;
};

/// Reads the features of an Example (or the context of a SequenceExample) that `keys` names into `slots`, which is
/// resized. Of two features of one key the later counts. False when the bytes are no such message.
bool read_features_of(absl::string_view message, const KeyIndex& keys, std::vector<FeatureView>* slots);

/// A feature list: one Feature a step of time.
struct FeatureListView {
  bool present = false;
  std::vector<FeatureView> steps;
};

/// The same for the feature lists of a SequenceExample.
bool read_feature_lists_of(absl::string_view message, const KeyIndex& keys,
                           std::vector<FeatureListView>* slots);

/// Allocates output i with these leading dimensions, then the row.
absl::StatusOr<Tensor*> allocate_rows(KernelContext& context, int i, std::initializer_list<int64_t> leading,
                                      const Shape& row);

/// Output i: the running sums of `counts`, as int32 or int64.
absl::Status write_splits(KernelContext& context, int i, std::span<const int64_t> counts);

/// Output i: all values of a column.
absl::Status write_values(KernelContext& context, int i, const FeatureColumn& column);

/// Indices, values and shape of a sparse tensor, one row an example, to the outputs i, i + stride, i + 2 * stride.
/// A single example gives a vector.
absl::Status write_sparse(KernelContext& context, int i, int stride, const FeatureColumn& column,
                          std::span<const int64_t> counts, bool single);

/// "Could not parse example input, value: '...'", without more of the input than helps.
absl::Status malformed_example(absl::string_view bytes);

}  // namespace troupe
