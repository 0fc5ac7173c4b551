#include "graph/tensor/shape.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {

Shape::Shape(std::span<const int64_t> dims) {
  rank_ = static_cast<uint8_t>(dims.size());
  if (rank_ > kInline) heap_ = new int64_t[rank_];
  std::copy(dims.begin(), dims.end(), data());
}

Shape& Shape::operator=(const Shape& o) {
  if (this == &o) return *this;
  if (rank_ <= kInline && o.rank_ <= kInline) {
    rank_ = o.rank_;
    for (int i = 0; i < kInline; ++i) dims_[i] = o.dims_[i];
    return *this;
  }
  Shape copy(o.dims());
  release();
  steal(copy);
  return *this;
}

absl::StatusOr<Shape> Shape::make(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shape of rank ", dims.size(), " exceeds the maximum rank of ", kMaxRank));
  }
  int64_t n = 1;
  for (int64_t d : dims) {
    if (d < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Dimension ", d, " must be >= 0 in shape [", absl::StrJoin(dims, ","), "]"));
    }
    if (multiply_overflows(n, d, &n)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Shape [", absl::StrJoin(dims, ","), "] would have more than 2**63 - 1 elements"));
    }
  }
  return Shape(dims);
}

void Shape::add_dim(int64_t size) { insert_dim(rank_, size); }

void Shape::insert_dim(int i, int64_t size) {
  std::vector<int64_t> d = to_vector();
  d.insert(d.begin() + i, size);
  *this = Shape(d);
}

void Shape::remove_dim(int i) {
  std::vector<int64_t> d = to_vector();
  d.erase(d.begin() + i);
  *this = Shape(d);
}

std::string Shape::to_string() const { return absl::StrCat("[", absl::StrJoin(dims(), ","), "]"); }

bool operator==(const Shape& a, const Shape& b) {
  return a.rank_ == b.rank_ && std::equal(a.data(), a.data() + a.rank_, b.data());
}

bool PartialShape::fully_defined() const {
  return dims_ && std::all_of(dims_->begin(), dims_->end(), [](int64_t d) { return d >= 0; });
}

std::optional<Shape> PartialShape::to_shape() const {
  if (!fully_defined()) return std::nullopt;
  auto s = Shape::make(*dims_);
  if (!s.ok()) return std::nullopt;
  return *std::move(s);
}

bool PartialShape::compatible_with(const PartialShape& o) const {
  if (!known_rank() || !o.known_rank()) return true;
  if (rank() != o.rank()) return false;
  for (int i = 0; i < rank(); ++i) {
    if (dim(i) >= 0 && o.dim(i) >= 0 && dim(i) != o.dim(i)) return false;
  }
  return true;
}

std::string PartialShape::to_string() const {
  if (!known_rank()) return "<unknown>";
  return absl::StrCat("[",
                      absl::StrJoin(*dims_, ",",
                                    [](std::string* out, int64_t d) {
                                      absl::StrAppend(out, d < 0 ? std::string("?") : absl::StrCat(d));
                                    }),
                      "]");
}

bool multiply_overflows(int64_t a, int64_t b, int64_t* product) {
  return __builtin_mul_overflow(a, b, product);
}

}  // namespace troupe
