#include "devices/cpu/kernels/shared/dense_buckets.h"

#include <cstring>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/hash_string.h"
#include "devices/cpu/loops/copy.h"

namespace troupe {

absl::StatusOr<DenseBuckets> DenseBuckets::make(Options options) {
  DenseBuckets made(std::move(options));
  TROUPE_RETURN_IF_ERROR(made.allocate(made.options_.initial_buckets));
  return made;
}

absl::Status DenseBuckets::allocate(int64_t buckets) {
  TROUPE_ASSIGN_OR_RETURN(Shape keys, Shape::make(std::vector<int64_t>{buckets, options_.key_size}));
  TROUPE_ASSIGN_OR_RETURN(Shape values, Shape::make(std::vector<int64_t>{buckets, options_.value_size}));
  TROUPE_ASSIGN_OR_RETURN(Tensor new_keys, Tensor::make(options_.key_dtype, keys));
  TROUPE_ASSIGN_OR_RETURN(Tensor new_values, Tensor::make(options_.value_dtype, values));
  for (int64_t i = 0; i < buckets; ++i) {
    copy_elements(options_.empty_key, 0, new_keys, i * options_.key_size, options_.key_size);
  }
  fill_zero(*serial_runner(), new_values.dtype(), new_values.raw(), new_values.num_elements());
  keys_ = std::move(new_keys);
  values_ = std::move(new_values);
  buckets_ = buckets;
  size_ = 0;
  return absl::OkStatus();
}

/// TensorFlow's: integers are their own, strings are MurmurHash64A's, and several are combined.
uint64_t DenseBuckets::hash(const Tensor& keys, int64_t i) const {
  const auto one = [&](int64_t at) {
    if (keys.dtype() == DataType::kString) return murmur_hash64(keys.flat<TString>()[at].view());
    return static_cast<uint64_t>(int_at(keys, at));
  };
  const int64_t n = options_.key_size;
  if (n == 1) return one(i);
  uint64_t result = 0;
  for (int64_t k = 0; k < n; ++k) {
    result ^= one(i * n + k) + 0x9e3779b97f4a7800u + (result << 10) + (result >> 4);
  }
  return result;
}

bool DenseBuckets::same(const Tensor& a, int64_t i, const Tensor& b, int64_t j) const {
  const int64_t n = options_.key_size;
  if (a.dtype() == DataType::kString) {
    for (int64_t k = 0; k < n; ++k) {
      if (!(a.flat<TString>()[i * n + k] == b.flat<TString>()[j * n + k])) return false;
    }
    return true;
  }
  return n == 0 || std::memcmp(element_at(a, i * n), element_at(b, j * n),
                               static_cast<size_t>(n) * dtype_size(a.dtype())) == 0;
}

absl::Status DenseBuckets::check_key(const Tensor& keys, int64_t i) const {
  if (is_empty(keys, i)) return invalid("Using the empty_key as a table key is not allowed");
  if (is_deleted(keys, i)) return invalid("Using the deleted_key as a table key is not allowed");
  return absl::OkStatus();
}

int64_t DenseBuckets::probe(const Tensor& keys, int64_t i, bool past_deleted) const {
  const int64_t mask = buckets_ - 1;
  int64_t bucket = static_cast<int64_t>(hash(keys, i) & static_cast<uint64_t>(mask));
  for (int64_t probes = 1; probes <= buckets_; ++probes) {
    if (same(keys_, bucket, keys, i) || is_empty(keys_, bucket)) return bucket;
    if (!past_deleted && is_deleted(keys_, bucket)) return bucket;
    bucket = (bucket + probes) & mask;
  }
  return -1;
}

void DenseBuckets::set_key(int64_t bucket, const Tensor& keys, int64_t i) {
  copy_elements(keys, i * options_.key_size, keys_, bucket * options_.key_size, options_.key_size);
}

absl::StatusOr<int64_t> DenseBuckets::find(const Tensor& keys, int64_t i) const {
  TROUPE_RETURN_IF_ERROR(check_key(keys, i));
  const int64_t bucket = probe(keys, i, /*past_deleted=*/true);
  return bucket >= 0 && same(keys_, bucket, keys, i) ? bucket : -1;
}

absl::Status DenseBuckets::insert(const Tensor& keys, const Tensor& values, int64_t i) {
  TROUPE_RETURN_IF_ERROR(check_key(keys, i));
  // An entry that lies behind a removed one gets a second bucket, as in TensorFlow.
  const int64_t bucket = probe(keys, i, /*past_deleted=*/false);
  if (bucket < 0) return absl::InternalError("Internal error in MutableDenseHashTable insert");
  if (!same(keys_, bucket, keys, i)) {
    ++size_;
    set_key(bucket, keys, i);
  }
  copy_elements(values, i * options_.value_size, values_, bucket * options_.value_size, options_.value_size);
  return absl::OkStatus();
}

absl::Status DenseBuckets::remove(const Tensor& keys, int64_t i) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t bucket, find(keys, i));
  if (bucket < 0) return absl::OkStatus();
  if (!options_.deleted_key.initialized()) return invalid("The table has no deleted_key");
  --size_;
  set_key(bucket, options_.deleted_key, 0);
  return absl::OkStatus();
}

absl::Status DenseBuckets::reserve(int64_t entries) {
  const double wanted = static_cast<double>(size_ + entries);
  int64_t buckets = buckets_;
  while (wanted > static_cast<double>(buckets) * options_.max_load_factor) {
    if (buckets > (int64_t{1} << 60)) return absl::ResourceExhaustedError("Too many buckets");
    buckets *= 2;
  }
  if (buckets == buckets_) return absl::OkStatus();
  const Tensor old_keys = keys_, old_values = values_;
  const int64_t old_buckets = buckets_;
  TROUPE_RETURN_IF_ERROR(allocate(buckets));
  for (int64_t i = 0; i < old_buckets; ++i) {
    if (is_empty(old_keys, i) || is_deleted(old_keys, i)) continue;
    TROUPE_RETURN_IF_ERROR(insert(old_keys, old_values, i));
  }
  return absl::OkStatus();
}

bool DenseBuckets::is_well_laid_out() const {
  if (buckets_ < 4 || (buckets_ & (buckets_ - 1)) != 0) return false;
  for (int64_t i = 0; i < buckets_; ++i) {
    if (!is_empty(keys_, i) && !is_deleted(keys_, i) && probe(keys_, i, /*past_deleted=*/true) != i)
      return false;
  }
  return true;
}

absl::Status DenseBuckets::import(const Tensor& keys, const Tensor& values, int64_t count) {
  TROUPE_ASSIGN_OR_RETURN(DenseBuckets fresh, make(options_));
  int64_t entries = 0;
  for (int64_t i = 0; i < count; ++i) entries += !is_empty(keys, i) && !is_deleted(keys, i);
  DenseBuckets given(options_);
  given.buckets_ = count;
  given.size_ = entries;
  TROUPE_ASSIGN_OR_RETURN(given.keys_, Tensor::make(options_.key_dtype, Shape{count, options_.key_size}));
  TROUPE_ASSIGN_OR_RETURN(given.values_,
                          Tensor::make(options_.value_dtype, Shape{count, options_.value_size}));
  copy_elements(keys, 0, given.keys_, 0, count * options_.key_size);
  copy_elements(values, 0, given.values_, 0, count * options_.value_size);
  if (given.is_well_laid_out()) {
    *this = std::move(given);
    return absl::OkStatus();
  }
  TROUPE_RETURN_IF_ERROR(fresh.reserve(entries));
  for (int64_t i = 0; i < count; ++i) {
    if (is_empty(keys, i) || is_deleted(keys, i)) continue;
    TROUPE_RETURN_IF_ERROR(fresh.insert(keys, values, i));
  }
  *this = std::move(fresh);
  return absl::OkStatus();
}

}  // namespace troupe
