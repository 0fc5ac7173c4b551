#include "devices/cpu/kernels/shared/lookup_table.h"

#include <algorithm>

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

Shape joined(const Shape& outer, const Shape& inner) {
  std::vector<int64_t> dims = outer.to_vector();
  dims.insert(dims.end(), inner.dims().begin(), inner.dims().end());
  return Shape(dims);
}

/// One element for messages.
std::string element_text(const Tensor& t, int64_t i) {
  if (t.dtype() == DataType::kString) return t.flat<TString>()[i].str();
  if (is_integer(t.dtype())) return absl::StrCat(int_at(t, i));
  if (t.dtype() == DataType::kFloat) return absl::StrCat(t.flat<float>()[i]);
  if (t.dtype() == DataType::kDouble) return absl::StrCat(t.flat<double>()[i]);
  if (t.dtype() == DataType::kBool) return t.flat<bool>()[i] ? "1" : "0";
  return "?";
}

bool same_element(const Tensor& a, int64_t i, const Tensor& b, int64_t j) {
  if (a.dtype() == DataType::kString) return a.flat<TString>()[i] == b.flat<TString>()[j];
  if (a.dtype() == DataType::kFloat) return a.flat<float>()[i] == b.flat<float>()[j];
  if (a.dtype() == DataType::kDouble) return a.flat<double>()[i] == b.flat<double>()[j];
  if (!is_trivial(a.dtype())) return false;
  return std::memcmp(element_at(a, i), element_at(b, j), dtype_size(a.dtype())) == 0;
}

absl::Status unsupported(absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat(what, " not supported by InitializableLookupTable implementations"));
}

}  // namespace

LookupTable::LookupTable(Options options)
    : options_(std::move(options)), key_size_(options_.key_shape.num_elements()),
      value_size_(options_.value_shape.num_elements()),
      integer_keys_(options_.key_shape.rank() == 0 &&
                    (options_.key_dtype == DataType::kInt32 || options_.key_dtype == DataType::kInt64)) {}

absl::StatusOr<std::shared_ptr<LookupTable>> LookupTable::make(Options options) {
  auto table = std::make_shared<LookupTable>(std::move(options));
  const Options& o = table->options_;
  if (o.kind != Kind::kDense) return table;
  DenseBuckets::Options b;
  b.key_dtype = o.key_dtype;
  b.value_dtype = o.value_dtype;
  b.key_size = table->key_size_;
  b.value_size = table->value_size_;
  b.empty_key = o.empty_key;
  b.deleted_key = o.deleted_key;
  b.max_load_factor = o.max_load_factor;
  b.initial_buckets = o.initial_buckets;
  TROUPE_ASSIGN_OR_RETURN(table->buckets_, DenseBuckets::make(std::move(b)));
  return table;
}

void LookupTable::key_bytes(const Tensor& keys, int64_t entry, std::string* out) const {
  out->clear();
  if (keys.dtype() != DataType::kString) {
    const size_t bytes = static_cast<size_t>(key_size_) * dtype_size(keys.dtype());
    if (bytes > 0) out->assign(static_cast<const char*>(element_at(keys, entry * key_size_)), bytes);
    return;
  }
  for (int64_t i = 0; i < key_size_; ++i) {
    const TString& s = keys.flat<TString>()[entry * key_size_ + i];
    if (key_size_ > 1) absl::StrAppend(out, s.size(), ":");
    out->append(s.data(), s.size());
  }
}

int64_t LookupTable::lookup(const Tensor& keys, int64_t entry, std::string* scratch) const {
  if (integer_keys_) {
    auto it = integers_.find(int_at(keys, entry));
    return it == integers_.end() ? -1 : it->second;
  }
  key_bytes(keys, entry, scratch);
  auto it = others_.find(*scratch);
  return it == others_.end() ? -1 : it->second;
}

absl::StatusOr<Shape> LookupTable::batch_shape(const Tensor& keys) const {
  const Shape& own = options_.key_shape;
  const int outer = keys.rank() - own.rank();
  bool ends = outer >= 0;
  for (int i = 0; ends && i < own.rank(); ++i) ends = keys.dim(outer + i) == own.dim(i);
  if (!ends) {
    return invalid("Input key shape ", keys.shape().to_string(), " must end with the table's key shape ",
                   own.to_string());
  }
  return Shape(keys.shape().dims().first(static_cast<size_t>(outer)));
}

absl::Status LookupTable::check_pair(const Tensor& keys, const Tensor& values) const {
  TROUPE_ASSIGN_OR_RETURN(Shape batch, batch_shape(keys));
  const Shape expected = joined(batch, options_.value_shape);
  if (values.shape() == expected) return absl::OkStatus();
  return invalid("Expected shape ", expected.to_string(), " for value, got ", values.shape().to_string());
}

absl::StatusOr<int64_t> LookupTable::count_keys(const Tensor& keys) const {
  if (!buckets_) return key_size_ == 0 ? 0 : keys.num_elements() / key_size_;
  const int64_t n = keys.rank() == 0 ? 1 : keys.dim(0);
  if (keys.num_elements() == n * key_size_) return n;
  return invalid("Expected key shape ", joined(Shape{n}, options_.key_shape).to_string(), " got ",
                 keys.shape().to_string());
}

absl::StatusOr<Shape> LookupTable::found_shape(const Tensor& keys, const Tensor& default_value) const {
  TROUPE_ASSIGN_OR_RETURN(Shape batch, batch_shape(keys));
  TROUPE_RETURN_IF_ERROR(Shape::make(joined(batch, options_.value_shape).dims()).status());
  Shape full = joined(batch, options_.value_shape);
  if (default_value.shape() == options_.value_shape || default_value.shape() == full) return full;
  if (full == options_.value_shape) {
    return invalid("Expected shape ", full.to_string(), " for default value, got ",
                   default_value.shape().to_string());
  }
  return invalid("Expected shape ", options_.value_shape.to_string(), " or ", full.to_string(),
                 " for default value, got ", default_value.shape().to_string());
}

absl::Status LookupTable::find(const Tensor& keys, const Tensor& default_value, Tensor* values) const {
  TROUPE_ASSIGN_OR_RETURN(const int64_t n, count_keys(keys));
  const bool own_defaults = !(default_value.shape() == options_.value_shape);
  std::string scratch;
  std::shared_lock lock(mu_);
  if (options_.kind == Kind::kStatic && !initialized_)
    return absl::FailedPreconditionError("Table not initialized.");
  for (int64_t i = 0; i < n; ++i) {
    int64_t entry = -1;
    if (buckets_) {
      TROUPE_ASSIGN_OR_RETURN(entry, buckets_->find(keys, i));
    } else {
      entry = lookup(keys, i, &scratch);
    }
    if (entry >= 0) {
      copy_elements(buckets_ ? buckets_->values() : values_, entry * value_size_, *values, i * value_size_,
                    value_size_);
    } else {
      copy_elements(default_value, own_defaults ? i * value_size_ : 0, *values, i * value_size_, value_size_);
    }
  }
  return absl::OkStatus();
}

absl::Status LookupTable::reserve(int64_t entries) {
  if (entries <= capacity_) return absl::OkStatus();
  const int64_t wanted = std::max({entries, capacity_ * 2, int64_t{16}});
  auto grow = [&](Tensor* t, DataType dtype, const Shape& shape, int64_t size) -> absl::Status {
    std::vector<int64_t> dims = shape.to_vector();
    dims.insert(dims.begin(), wanted);
    TROUPE_ASSIGN_OR_RETURN(Shape larger, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor moved, Tensor::make(dtype, larger));
    if (size_ > 0) copy_elements(*t, 0, moved, 0, size_ * size);
    *t = std::move(moved);
    return absl::OkStatus();
  };
  TROUPE_RETURN_IF_ERROR(grow(&keys_, options_.key_dtype, options_.key_shape, key_size_));
  TROUPE_RETURN_IF_ERROR(grow(&values_, options_.value_dtype, options_.value_shape, value_size_));
  capacity_ = wanted;
  return absl::OkStatus();
}

absl::Status LookupTable::put(const Tensor& keys, const Tensor& values, int64_t i, bool replace,
                              std::string* scratch) {
  int64_t entry = lookup(keys, i, scratch);
  if (entry >= 0 && !replace) {
    for (int64_t k = 0; k < value_size_; ++k) {
      if (same_element(values_, entry * value_size_ + k, values, i * value_size_ + k)) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("HashTable has different value for same key. Key ", element_text(keys, i * key_size_),
                       " has ", element_text(values_, entry * value_size_ + k), " and trying to add value ",
                       element_text(values, i * value_size_ + k)));
    }
    return absl::OkStatus();
  }
  if (entry < 0) {
    entry = size_++;
    copy_elements(keys, i * key_size_, keys_, entry * key_size_, key_size_);
    if (integer_keys_) {
      integers_[int_at(keys, i)] = entry;
    } else {
      others_[*scratch] = entry;
    }
  }
  copy_elements(values, i * value_size_, values_, entry * value_size_, value_size_);
  return absl::OkStatus();
}

void LookupTable::clear() {
  size_ = 0;
  capacity_ = 0;
  keys_ = Tensor();
  values_ = Tensor();
  integers_.clear();
  others_.clear();
}

absl::Status LookupTable::insert(const Tensor& keys, const Tensor& values) {
  if (options_.kind == Kind::kStatic) return unsupported("Insert");
  TROUPE_RETURN_IF_ERROR(check_pair(keys, values));
  TROUPE_ASSIGN_OR_RETURN(const int64_t n, count_keys(keys));
  std::string scratch;
  std::lock_guard lock(mu_);
  if (buckets_) {
    TROUPE_RETURN_IF_ERROR(buckets_->reserve(n));
    for (int64_t i = 0; i < n; ++i) TROUPE_RETURN_IF_ERROR(buckets_->insert(keys, values, i));
    return absl::OkStatus();
  }
  TROUPE_RETURN_IF_ERROR(reserve(size_ + n));
  for (int64_t i = 0; i < n; ++i) TROUPE_RETURN_IF_ERROR(put(keys, values, i, /*replace=*/true, &scratch));
  return absl::OkStatus();
}

absl::Status LookupTable::remove(const Tensor& keys) {
  if (options_.kind == Kind::kStatic) return unsupported("Remove");
  TROUPE_RETURN_IF_ERROR(batch_shape(keys).status());
  TROUPE_ASSIGN_OR_RETURN(const int64_t n, count_keys(keys));
  std::string scratch;
  std::lock_guard lock(mu_);
  if (buckets_) {
    for (int64_t i = 0; i < n; ++i) TROUPE_RETURN_IF_ERROR(buckets_->remove(keys, i));
    return absl::OkStatus();
  }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t entry = lookup(keys, i, &scratch);
    if (entry < 0) continue;
    if (integer_keys_) {
      integers_.erase(int_at(keys, i));
    } else {
      others_.erase(scratch);
    }
    const int64_t last = --size_;
    if (entry == last) continue;
    copy_elements(keys_, last * key_size_, keys_, entry * key_size_, key_size_);
    copy_elements(values_, last * value_size_, values_, entry * value_size_, value_size_);
    if (integer_keys_) {
      integers_[int_at(keys_, entry)] = entry;
    } else {
      key_bytes(keys_, entry, &scratch);
      others_[scratch] = entry;
    }
  }
  return absl::OkStatus();
}

absl::Status LookupTable::import_buckets(const Tensor& keys, const Tensor& values) {
  const int64_t n = keys.rank() == 0 ? 0 : keys.dim(0);
  if (keys.rank() == 0 || values.rank() == 0 || keys.num_elements() != n * key_size_ || values.dim(0) != n ||
      values.num_elements() != n * value_size_) {
    return invalid("Expected ", key_size_, " elements for a key and ", value_size_,
                   " for its value, got shapes ", keys.shape().to_string(), " and ",
                   values.shape().to_string());
  }
  std::lock_guard lock(mu_);
  return buckets_->import(keys, values, n);
}

absl::Status LookupTable::import(const Tensor& keys, const Tensor& values) {
  if (options_.kind == Kind::kStatic) return initialize(keys, values);
  if (buckets_) return import_buckets(keys, values);
  TROUPE_RETURN_IF_ERROR(check_pair(keys, values));
  TROUPE_ASSIGN_OR_RETURN(const int64_t n, count_keys(keys));
  std::string scratch;
  std::lock_guard lock(mu_);
  clear();
  TROUPE_RETURN_IF_ERROR(reserve(n));
  for (int64_t i = 0; i < n; ++i) TROUPE_RETURN_IF_ERROR(put(keys, values, i, /*replace=*/true, &scratch));
  return absl::OkStatus();
}

absl::StatusOr<std::pair<Tensor, Tensor>> LookupTable::export_all() const {
  std::shared_lock lock(mu_);
  if (options_.kind == Kind::kStatic && !initialized_)
    return absl::AbortedError("HashTable is not initialized.");
  std::pair<Tensor, Tensor> result;
  if (buckets_) {
    const Tensor &keys = buckets_->keys(), &values = buckets_->values();
    TROUPE_ASSIGN_OR_RETURN(result.first, Tensor::make(keys.dtype(), keys.shape()));
    TROUPE_ASSIGN_OR_RETURN(result.second, Tensor::make(values.dtype(), values.shape()));
    copy_elements(keys, 0, result.first, 0, keys.num_elements());
    copy_elements(values, 0, result.second, 0, values.num_elements());
    return result;
  }
  TROUPE_ASSIGN_OR_RETURN(result.first,
                          Tensor::make(options_.key_dtype, joined(Shape{size_}, options_.key_shape)));
  TROUPE_ASSIGN_OR_RETURN(result.second,
                          Tensor::make(options_.value_dtype, joined(Shape{size_}, options_.value_shape)));
  if (size_ > 0) {
    copy_elements(keys_, 0, result.first, 0, size_ * key_size_);
    copy_elements(values_, 0, result.second, 0, size_ * value_size_);
  }
  return result;
}

int64_t LookupTable::size() const {
  std::shared_lock lock(mu_);
  if (buckets_) return buckets_->size();
  return options_.kind == Kind::kStatic && !initialized_ ? 0 : size_;
}

absl::Status LookupTable::initialize(const Tensor& keys, const Tensor& values) {
  TROUPE_RETURN_IF_ERROR(check_pair(keys, values));
  const int64_t n = keys.num_elements();
  std::string scratch;
  std::lock_guard lock(mu_);
  if (initialized_) {
    if (n == size_) return absl::OkStatus();
    return absl::FailedPreconditionError("Table was already initialized with different data.");
  }
  TROUPE_RETURN_IF_ERROR(reserve(n));
  for (int64_t i = 0; i < n; ++i) {
    if (absl::Status s = put(keys, values, i, /*replace=*/false, &scratch); !s.ok()) {
      clear();
      return s;
    }
  }
  initialized_ = true;
  return absl::OkStatus();
}

bool LookupTable::is_initialized() const {
  std::shared_lock lock(mu_);
  return options_.kind != Kind::kStatic || initialized_;
}

}  // namespace troupe
