#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// How to walk the input of a reduction: neighbouring dimensions that are both reduced, or both kept, are merged and
/// those of size 1 dropped, so that kept and reduced ones alternate.
class ReducePlan {
 public:
  struct Dim {
    int64_t size;
    int64_t stride;
  };
  using Dims = absl::InlinedVector<Dim, 3>;

  /// To be called once. InvalidArgument "Invalid reduction dimension (3 for input with 2 dimension(s)", or "Invalid reduction arguments:
  /// Axes contains duplicate dimension: 1".
  absl::Status init(const Shape& input, const Tensor& axes, bool keep_dims);

  const Shape& output() const { return output_; }
  /// Nothing is reduced but dimensions of size 1: the output is the input.
  bool identity() const { return !inner_reduced_ && reduced_.empty(); }
  /// Whether the innermost merged dimension, of `inner()` contiguous elements, is reduced.
  bool inner_reduced() const { return inner_reduced_; }
  int64_t inner() const { return inner_; }
  /// The other merged dimensions, outermost first, and the products of their sizes.
  const Dims& kept() const { return kept_; }
  const Dims& reduced() const { return reduced_; }
  int64_t num_kept() const { return num_kept_; }
  int64_t num_reduced() const { return num_reduced_; }
  /// Elements that go into one element of the output.
  int64_t count() const { return num_reduced_ * (inner_reduced_ ? inner_ : 1); }

  /// Where the i-th combination of `dims` starts, in elements.
  static int64_t offset(const Dims& dims, int64_t i) {
    if (dims.size() == 1) return i * dims[0].stride;
    int64_t at = 0;
    for (size_t d = dims.size(); d-- > 0;) {
      at += i % dims[d].size * dims[d].stride;
      i /= dims[d].size;
    }
    return at;
  }

 private:
  Shape output_;
  Dims kept_;
  Dims reduced_;
  int64_t num_kept_ = 1;
  int64_t num_reduced_ = 1;
  int64_t inner_ = 1;
  bool inner_reduced_ = false;
};

}  // namespace troupe
