#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph/ops/op_def.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// What is known of the value behind a resource or variant handle: one entry per component.
using HandleShapes = std::vector<std::pair<DataType, PartialShape>>;

/// The elements of an integer tensor as far as they are known before anything runs, row-major. They come from constants
/// and from arithmetic on shapes; what is not known is kUnknown.
struct KnownInts {
  static constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();
  /// Longer tensors are not followed: none of them is a shape.
  static constexpr int64_t kMaxElements = 1024;

  Shape shape;
  std::vector<int64_t> values;

  bool all_known() const;
};

/// What is known of one tensor before anything runs. Cheap to copy; a default one knows nothing.
struct Known {
  PartialShape shape;
  /// The whole value, when the tensor is that of a Const node, perhaps behind identities; else not initialised.
  Tensor constant;
  /// Null when nothing is known of the elements, or the tensor is not one of integers.
  std::shared_ptr<const KnownInts> ints;
  /// Null when it is no handle, or nothing is known of what is behind.
  std::shared_ptr<const HandleShapes> handle;
};

/// The elements of an integer constant; null for other dtypes and for long tensors.
std::shared_ptr<const KnownInts> known_ints(const Tensor& constant);

/// The view that a shape function has of its node: what is known of the inputs, and the attrs; it says what is known of
/// the outputs. An output that it does not set has unknown rank. Input numbers that the node does not have read as
/// unknown, so that a function need not count first. Errors are InvalidArgument, without the node's name (the caller
/// adds it).
class ShapeContext {
 public:
  /// `outputs` is reset to what nothing is known of. All must outlive the context; a null input reads as unknown.
  ShapeContext(const OpDef* op, const AttrMap* attrs, std::span<const Known* const> inputs,
               std::span<Known> outputs);

  const OpDef& op() const { return *op_; }
  const AttrMap& attrs() const { return *attrs_; }
  template <class T>
  absl::StatusOr<T> attr(absl::string_view name) const {
    return attrs_->get<T>(name);
  }
  /// The element type of input i and of output i, without ref; kInvalid when there is none.
  DataType input_dtype(int i) const;
  DataType output_dtype(int i) const;

  /// The version of the GraphDef that the node is from: rules have changed.
  int producer() const { return producer_; }
  void set_producer(int version) { producer_ = version; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Known& known(int i) const;
  const PartialShape& input(int i) const { return known(i).shape; }
  /// Dimension d of input i, counted from the end when negative; unknown when there is none.
  int64_t input_dim(int i, int d) const;

  void set_output(int i, PartialShape shape);
  void set_output_ints(int i, std::shared_ptr<const KnownInts> ints);
  void set_output_handle(int i, HandleShapes shapes);
  /// Everything that is known: shape, value, handle.
  void set_output_known(int i, Known known);
  const PartialShape& output(int i) const { return outputs_[i].shape; }

  /// The value of input i when it is a constant, else null.
  const Tensor* constant(int i) const;
  /// What is known of the elements of an integer input, or null.
  const KnownInts* ints(int i) const;
  /// The elements of an integer input when all are known.
  std::optional<std::vector<int64_t>> all_ints(int i) const;
  /// The value of an integer scalar input.
  std::optional<int64_t> constant_int(int i) const;
  /// The elements of a 1-D integer input read as a shape; -1 and what is not known are unknown dimensions, and nothing
  /// known is unknown rank. InvalidArgument when it is known to be no shape. Some ops also take the scalar -1, for unknown
  /// rank.
  absl::StatusOr<PartialShape> input_as_shape(int i, bool scalar_is_unknown = false) const;
  /// Null when nothing is known.
  const HandleShapes* input_handle(int i) const { return known(i).handle.get(); }

  /// Which inputs' values the function asked for (bit i: input i), as elements and as shapes.
  struct Values {
    uint64_t elements = 0;
    uint64_t shapes = 0;
    friend bool operator==(const Values&, const Values&) = default;
  };
  Values asked() const { return asked_; }
  /// Hides all values but these. TensorFlow first runs a shape function without any, then with what it asked for: which of
  /// several errors it reports depends on it.
  void show_only(Values values) { shown_ = values; }

 private:
  const OpDef* const op_;
  const AttrMap* const attrs_;
  const std::span<const Known* const> inputs_;
  const std::span<Known> outputs_;

  mutable std::optional<std::pair<std::vector<DataType>, std::vector<DataType>>> types_;
  int producer_ = std::numeric_limits<int>::max();
  Values shown_{~uint64_t{0}, ~uint64_t{0}};
  mutable Values asked_;
};

}  // namespace troupe
