#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/ops/op_def.h"

namespace troupe {

/// What is known of the value behind a resource or variant handle: one entry per component.
using HandleShapes = std::vector<std::pair<DataType, PartialShape>>;

/// The view that a shape function has of its node: known input shapes, constant inputs, attrs; it sets the output
/// shapes. An unset output has unknown rank. Errors are InvalidArgument, without the node's name (the caller adds it).
class ShapeContext {
 public:
  ShapeContext(const OpDef* op, const AttrMap* attrs, std::vector<PartialShape> inputs, int num_outputs)
      : op_(op), attrs_(attrs), inputs_(std::move(inputs)), outputs_(num_outputs), constants_(inputs_.size()),
        values_(inputs_.size()), input_handles_(inputs_.size()), output_handles_(num_outputs) {}

  const OpDef& op() const { return *op_; }
  const AttrMap& attrs() const { return *attrs_; }
  template <class T>
  absl::StatusOr<T> attr(absl::string_view name) const {
    return attrs_->get<T>(name);
  }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return inputs_[i]; }
  void set_output(int i, PartialShape shape) { outputs_[i] = std::move(shape); }
  const PartialShape& output(int i) const { return outputs_[i]; }

  /// The value of input i when it is a constant, else null.
  const Tensor* constant(int i) const { return constants_[i]; }
  /// The elements of a 1-D integer input read as a shape, -1 where unknown; unknown rank when nothing is known.
  /// InvalidArgument when it is a constant that is no shape.
  absl::StatusOr<PartialShape> input_as_shape(int i) const;
  /// The value of a constant integer scalar input (int32 or int64).
  std::optional<int64_t> constant_int(int i) const;

  const std::optional<HandleShapes>& input_handle(int i) const { return input_handles_[i]; }
  void set_output_handle(int i, HandleShapes shapes) { output_handles_[i] = std::move(shapes); }
  const std::optional<HandleShapes>& output_handle(int i) const { return output_handles_[i]; }

  /// For the inference pass, before the shape function runs.
  void set_constant(int i, const Tensor* value) { constants_[i] = value; }
  void set_input_value(int i, PartialShape value) { values_[i] = std::move(value); }
  void set_input_handle(int i, HandleShapes shapes) { input_handles_[i] = std::move(shapes); }

 private:
  const OpDef* op_;
  const AttrMap* attrs_;
  std::vector<PartialShape> inputs_;
  std::vector<PartialShape> outputs_;
  std::vector<const Tensor*> constants_;
  std::vector<std::optional<PartialShape>> values_;
  std::vector<std::optional<HandleShapes>> input_handles_;
  std::vector<std::optional<HandleShapes>> output_handles_;
};

}  // namespace troupe
