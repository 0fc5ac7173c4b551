#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/tensor.h"

namespace tensorflow {
class TensorSliceProto;
}  // namespace tensorflow

namespace troupe {

/// A rectangular part of a tensor: a range of every dimension, written "0,2:-:1,3" (from 0 two, all, from 1
/// three).
class TensorSlice {
 public:
  /// The length that stands for the whole dimension.
  static constexpr int64_t kFull = -1;

  TensorSlice() = default;
  /// All of a tensor of this rank.
  explicit TensorSlice(int rank);

  /// InvalidArgument "Expected a pair of numbers or '-' ..." and its like.
  static absl::StatusOr<TensorSlice> parse(absl::string_view text);
  static absl::StatusOr<TensorSlice> from_proto(const tensorflow::TensorSliceProto& proto);
  void to_proto(tensorflow::TensorSliceProto* out) const;
  std::string to_string() const;

  int rank() const { return static_cast<int>(starts_.size()); }
  int64_t start(int d) const { return starts_[static_cast<size_t>(d)]; }
  /// May be kFull.
  int64_t length(int d) const { return lengths_[static_cast<size_t>(d)]; }
  /// True when every dimension is taken whole.
  bool is_full() const;
  /// The shape of this part of a tensor of `shape`. InvalidArgument when the ranks differ or it reaches
  /// beyond.
  absl::StatusOr<Shape> shape_in(const Shape& shape) const;

  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;

 private:
  std::vector<int64_t> starts_;
  std::vector<int64_t> lengths_;
};

/// What a saver says of one tensor: "4 2 0,2:-", the shape of the whole and the part that is meant.
struct ShapeAndSlice {
  Shape shape;
  TensorSlice slice;
  Shape slice_shape;
};
absl::StatusOr<ShapeAndSlice> parse_shape_and_slice(absl::string_view text);

/// The key under which checkpoints of both versions keep a part of a tensor; sorts by name, then by place.
std::string slice_key(absl::string_view name, const TensorSlice& slice);

/// Copies the elements that two parts of a tensor of `shape` have in common; `from` and `to` are their
/// values. Returns how many there were. Both parts must fit the shape, and the values the parts.
int64_t copy_common(const Shape& shape, const TensorSlice& from_slice, const Tensor& from,
                    const TensorSlice& to_slice, Tensor* to);
/// How many elements two parts of a tensor of `shape` have in common.
int64_t count_common(const Shape& shape, const TensorSlice& a, const TensorSlice& b);

}  // namespace troupe
