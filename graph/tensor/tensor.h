#pragma once

#include <cassert>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/buffer.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/resource_handle.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tstring.h"
#include "graph/tensor/variant.h"

namespace troupe {

/// A dense array: dtype, shape and shared memory, row-major. Copying shares the memory; whoever writes makes
/// sure that he holds the only reference (`unique`). A default-constructed Tensor has dtype kInvalid and no
/// memory; that is what "uninitialised" means for variables.
class Tensor {
 public:
  Tensor() noexcept = default;
  /// Uninitialised elements (strings empty) from `allocator`; ends the program when memory is short: for
  /// sizes that the caller chose. Sizes from outside go through `make`.
  Tensor(DataType dtype, const Shape& shape, Allocator* allocator = plain_allocator());
  /// Takes over one reference to `buffer`, which must hold at least shape.num_elements() elements.
  Tensor(DataType dtype, Shape shape, Buffer* buffer)
      : buffer_(buffer), shape_(std::move(shape)), dtype_(dtype) {}
  Tensor(const Tensor& o) : buffer_(o.buffer_), shape_(o.shape_), dtype_(o.dtype_) {
    if (buffer_ != nullptr) buffer_->ref();
  }
  Tensor(Tensor&& o) noexcept : buffer_(o.buffer_), shape_(std::move(o.shape_)), dtype_(o.dtype_) {
    o.buffer_ = nullptr;
    o.dtype_ = DataType::kInvalid;
  }
  Tensor& operator=(const Tensor& o) {
    if (this != &o) *this = Tensor(o);
    return *this;
  }
  Tensor& operator=(Tensor&& o) noexcept {
    if (this != &o) {
      if (buffer_ != nullptr) buffer_->unref();
      buffer_ = std::exchange(o.buffer_, nullptr);
      shape_ = std::move(o.shape_);
      dtype_ = std::exchange(o.dtype_, DataType::kInvalid);
    }
    return *this;
  }
  ~Tensor() {
    if (buffer_ != nullptr) buffer_->unref();
  }

  /// ResourceExhausted "OOM when allocating tensor with shape[..] and type T on ... by allocator A".
  static absl::StatusOr<Tensor> make(DataType dtype, const Shape& shape,
                                     Allocator* allocator = plain_allocator());
  template <class T>
  static Tensor scalar(const T& value) {
    Tensor t(dtype_of<T>(), Shape());
    t.flat<T>()[0] = value;
    return t;
  }
  static Tensor string_scalar(absl::string_view s) { return scalar<TString>(TString(s)); }
  template <class T>
  static Tensor from(const Shape& shape, std::span<const T> values) {
    Tensor t(dtype_of<T>(), shape);
    assert(static_cast<int64_t>(values.size()) == t.num_elements());
    for (size_t i = 0; i < values.size(); ++i) t.flat<T>()[i] = values[i];
    return t;
  }
  template <class T>
  static Tensor from(const Shape& shape, std::initializer_list<T> values) {
    return from<T>(shape, std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Tensor vector(std::initializer_list<T> values) {
    return from<T>(Shape{static_cast<int64_t>(values.size())}, values);
  }

  DataType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return shape_.num_elements(); }
  /// Bytes of the elements.
  size_t bytes() const { return static_cast<size_t>(num_elements()) * dtype_size(dtype_); }
  /// False for a default-constructed (or moved-from) tensor.
  bool initialized() const { return buffer_ != nullptr; }

  const void* raw() const { return buffer_ == nullptr ? nullptr : buffer_->data(); }
  void* raw() { return buffer_ == nullptr ? nullptr : buffer_->data(); }

  /// The elements in row-major order. T must be the element type of dtype().
  template <class T>
  std::span<const T> flat() const {
    assert(dtype_of<T>() == dtype_);
    return {static_cast<const T*>(raw()), static_cast<size_t>(num_elements())};
  }
  template <class T>
  std::span<T> flat() {
    assert(dtype_of<T>() == dtype_);
    return {static_cast<T*>(raw()), static_cast<size_t>(num_elements())};
  }
  template <class T>
  const T& value() const {
    return flat<T>()[0];
  }

  /// The same memory under another shape of as many elements.
  Tensor reshaped(Shape shape) const;
  /// The same memory under another dtype of the same element size (Bitcast).
  Tensor with_dtype(DataType dtype, Shape shape) const;
  /// The rows [begin, end) of dimension 0, copied.
  Tensor slice_rows(int64_t begin, int64_t end) const;
  /// As many elements as `shape` has, from `offset` on, in this memory, which nobody may write as long as it is there.
  Tensor part(int64_t offset, Shape shape) const;
  /// Own memory with the same elements.
  Tensor deep_copy(Allocator* allocator = plain_allocator()) const;

  /// True when nobody else refers to the memory, so that it may be written or reused.
  bool unique() const { return buffer_ != nullptr && buffer_->unique(); }
  bool shares_buffer_with(const Tensor& o) const { return buffer_ == o.buffer_; }
  Buffer* buffer() const { return buffer_; }

  /// "Tensor<type: float shape: [2,3] values: ...>" with at most `max_entries` values.
  std::string to_string(int max_entries = 10) const;

 private:
  Buffer* buffer_ = nullptr;
  Shape shape_;
  DataType dtype_ = DataType::kInvalid;
};

/// Copies elements, constructing strings, resources and variants; `to` and `from` are of the same dtype and
/// hold `count` elements from the given offsets on.
void copy_elements(const Tensor& from, int64_t from_offset, Tensor& to, int64_t to_offset, int64_t count);

/// All elements zero, or empty strings.
Tensor zeros(DataType dtype, const Shape& shape, Allocator* allocator = plain_allocator());

}  // namespace troupe
