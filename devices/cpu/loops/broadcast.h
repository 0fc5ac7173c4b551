#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "graph/tensor/shape.h"

namespace troupe {

/// The shape of an element-wise result of operands of shapes `a` and `b`: aligned at the last dimension, where
/// dimensions of 1 repeat. False when they do not fit, or the result would have more than 2^63 elements.
bool broadcast_shape(const Shape& a, const Shape& b, Shape* out);

/// How to walk an output of a broadcast of up to three operands: neighbouring dimensions along which all operands
/// repeat, or do not, alike are merged, so that most broadcasts have one or two left.
class BroadcastWalk {
 public:
  static constexpr int kMaxOperands = 3;

  /// `out` must be the broadcast of all operands.
  BroadcastWalk(const Shape& out, std::initializer_list<const Shape*> operands);

  /// Elements of a row: of the innermost merged dimension.
  int64_t row() const { return dims_.back().size; }
  /// Rows of the whole output.
  int64_t num_rows() const { return num_rows_; }
  /// Whether operand k has one element for a whole row.
  bool repeats_in_row(int k) const { return dims_.back().stride[k] == 0; }
  /// Whether operand k repeats nowhere: its elements lie as the output's do.
  bool is_whole(int k) const;
  /// Whether operand k is the same in all rows.
  bool is_one_row(int k) const;

  /// Calls fn(offsets, out_offset) for the rows [begin, end): offsets[k] is where operand k starts, in elements.
  template <class F>
  void for_rows(int64_t begin, int64_t end, F&& fn) const;

 private:
  struct Dim {
    int64_t size;
    int64_t stride[kMaxOperands];
  };
  absl::InlinedVector<Dim, 4> dims_;
  int num_operands_;
  int64_t num_rows_ = 1;
};

template <class F>
void BroadcastWalk::for_rows(int64_t begin, int64_t end, F&& fn) const {
  const int outer = static_cast<int>(dims_.size()) - 1;
  int64_t offsets[kMaxOperands] = {0, 0, 0};
  absl::InlinedVector<int64_t, 4> index(outer, 0);
  int64_t rest = begin;
  for (int d = outer - 1; d >= 0; --d) {
    index[d] = rest % dims_[d].size;
    rest /= dims_[d].size;
    for (int k = 0; k < num_operands_; ++k) offsets[k] += index[d] * dims_[d].stride[k];
  }
  for (int64_t r = begin; r < end; ++r) {
    if (!fn(static_cast<const int64_t*>(offsets), r * row())) return;
    for (int d = outer - 1; d >= 0; --d) {
      for (int k = 0; k < num_operands_; ++k) offsets[k] += dims_[d].stride[k];
      if (++index[d] < dims_[d].size) break;
      for (int k = 0; k < num_operands_; ++k) offsets[k] -= dims_[d].stride[k] * dims_[d].size;
      index[d] = 0;
    }
  }
}

}  // namespace troupe
