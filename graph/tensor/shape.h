#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace troupe {

/// The shape of a tensor that exists: every dimension is known and >= 0. Rank 0 is a scalar. A value type of
/// 40 bytes: up to four dimensions inline, more on the heap. Construction from numbers that came from outside
/// goes through `make`, which refuses negative dimensions, products that overflow 63 bits and ranks over 254.
class Shape {
 public:
  static constexpr int kMaxRank = 254;
  static constexpr int kInline = 4;

  Shape() noexcept = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims);
  explicit Shape(const std::vector<int64_t>& dims) : Shape(std::span<const int64_t>(dims)) {}
  Shape(const Shape& o) : Shape() { *this = o; }
  Shape(Shape&& o) noexcept { steal(o); }
  Shape& operator=(const Shape& o);
  Shape& operator=(Shape&& o) noexcept {
    if (this != &o) {
      release();
      steal(o);
    }
    return *this;
  }
  ~Shape() { release(); }

  /// InvalidArgument when a dimension is negative, the element count overflows or the rank is too high.
  static absl::StatusOr<Shape> make(std::span<const int64_t> dims);

  int rank() const { return rank_; }
  int64_t dim(int i) const { return data()[i]; }
  std::span<const int64_t> dims() const { return {data(), rank_}; }
  std::vector<int64_t> to_vector() const { return {data(), data() + rank_}; }
  /// Product of the dimensions; 1 for a scalar.
  int64_t num_elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= data()[i];
    return n;
  }
  /// Product of the dimensions [begin, end).
  int64_t num_elements(int begin, int end) const {
    int64_t n = 1;
    for (int i = begin; i < end; ++i) n *= data()[i];
    return n;
  }
  bool is_scalar() const { return rank_ == 0; }

  void set_dim(int i, int64_t size) { data()[i] = size; }
  void add_dim(int64_t size);
  void insert_dim(int i, int64_t size);
  void remove_dim(int i);

  /// "[2,3]", "[]".
  std::string to_string() const;

  friend bool operator==(const Shape& a, const Shape& b);

 private:
  int64_t* data() { return rank_ <= kInline ? dims_ : heap_; }
  const int64_t* data() const { return rank_ <= kInline ? dims_ : heap_; }
  void release() {
    if (rank_ > kInline) delete[] heap_;
    rank_ = 0;
  }
  void steal(Shape& o) noexcept {
    rank_ = o.rank_;
    if (rank_ > kInline) {
      heap_ = o.heap_;
    } else {
      for (int i = 0; i < kInline; ++i) dims_[i] = o.dims_[i];
    }
    o.rank_ = 0;
  }

  union {
    int64_t dims_[kInline] = {0, 0, 0, 0};
    int64_t* heap_;
  };
  uint8_t rank_ = 0;
};

/// What is known of a shape before the tensor exists: unknown rank, or a rank with dimensions of which some
/// are kUnknownDim.
class PartialShape {
 public:
  static constexpr int64_t kUnknownDim = -1;

  /// Unknown rank.
  PartialShape() = default;
  PartialShape(std::initializer_list<int64_t> dims) : dims_(std::vector<int64_t>(dims)) {}
  explicit PartialShape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}
  PartialShape(const Shape& s) : dims_(s.to_vector()) {}  // NOLINT: every Shape is a PartialShape

  bool known_rank() const { return dims_.has_value(); }
  int rank() const { return dims_ ? static_cast<int>(dims_->size()) : -1; }
  int64_t dim(int i) const { return (*dims_)[i]; }
  const std::vector<int64_t>& dims() const { return *dims_; }
  bool fully_defined() const;
  /// Nothing unless fully defined and valid.
  std::optional<Shape> to_shape() const;
  /// True when some shape fits both.
  bool compatible_with(const PartialShape& o) const;
  /// "[2,?]", "[]", "<unknown>".
  std::string to_string() const;

  friend bool operator==(const PartialShape&, const PartialShape&) = default;

 private:
  std::optional<std::vector<int64_t>> dims_;
};

/// True when a * b does not fit in 63 bits; otherwise *product is set. Both must be >= 0.
bool multiply_overflows(int64_t a, int64_t b, int64_t* product);

}  // namespace troupe
