// Variables, by reference and by resource handle.

#include "graph/ops/shapes/state.h"

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/index.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/tensor/dtype.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

/// Variable: a scalar shape may mean that nothing is known.
absl::Status legacy_variable(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  if (shape.rank() > 0) c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status assign(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(bool validate, c.attr<bool>("validate_shape"));
  if (validate) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape shape, merge(c.input(0), c.input(1)));
    c.set_output(0, std::move(shape));
  } else {
    c.set_output(0, c.input(1));
  }
  return absl::OkStatus();
}

/// Rows of a variable at `indices` change by `updates`, which are as many rows or one scalar.
absl::Status check_rows(const PartialShape& var, const PartialShape& indices, const PartialShape& updates) {
  if (updates.rank() == 0) return absl::OkStatus();
  return merge(updates, concatenate(indices, subshape(var, 1))).status();
}

absl::Status scatter(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rows(c.input(0), c.input(1), c.input(2)));
  return unchanged(c);
}

absl::Status scatter_nd_update(ShapeContext& c) {
  const PartialShape var = shape_behind(c, 0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(2), 1));
  TROUPE_RETURN_IF_ERROR(check_scatter_nd(c.input(1), c.input(2), var));
  if (c.num_outputs() > 0) c.set_output(0, var);
  return absl::OkStatus();
}

absl::Status var_handle(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("dtype"));
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, PartialShape(Dims()));
  c.set_output_handle(0, {{dtype, std::move(shape)}});
  return absl::OkStatus();
}

/// What the handle tells of its variable, when it is known to be one of attr "dtype".
absl::StatusOr<PartialShape> checked_variable(const ShapeContext& c) {
  const HandleShapes* handle = c.input_handle(0);
  if (handle == nullptr || handle->empty()) return PartialShape();
  TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("dtype"));
  if ((*handle)[0].first != dtype) {
    return invalid(absl::StrCat("Trying to read variable with wrong dtype. Expected ",
                                dtype_name((*handle)[0].first), " got ", dtype_name(dtype)));
  }
  return (*handle)[0].second;
}

absl::Status read_variable(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, checked_variable(c));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status read_variables(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape_behind(c, i));
  return absl::OkStatus();
}

absl::Status assign_variable(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, checked_variable(c));
  return merge(shape, c.input(1)).status();
}

absl::Status variable_shape(ShapeContext& c) {
  const HandleShapes* handle = c.input_handle(0);
  const bool known = handle != nullptr && !handle->empty() && (*handle)[0].second.known_rank();
  c.set_output(0, PartialShape({known ? (*handle)[0].second.rank() : kUnknownDim}));
  return absl::OkStatus();
}

absl::Status resource_gather(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape params, checked_variable(c));
  TROUPE_ASSIGN_OR_RETURN(int64_t batch, c.attr<int64_t>("batch_dims"));
  const PartialShape& indices = c.input(1);
  if (batch < 0) return invalid(absl::StrCat("batch_dims is negative (", batch, ")"));
  if (batch > Shape::kMaxRank) return invalid(absl::StrCat("batch_dims is out of range (", batch, ")"));
  const int b = static_cast<int>(batch);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(params, b + 1));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(indices, b));
  const PartialShape out = concatenate(subshape(params, 0, b), subshape(indices, b));
  c.set_output(0, concatenate(out, subshape(params, b + 1)));
  return absl::OkStatus();
}

absl::Status resource_gather_nd(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape params, checked_variable(c));
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, gather_nd_shape(params, c.input(1)));
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status resource_scatter(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape var, checked_variable(c));
  return check_rows(var, c.input(1), c.input(2));
}

absl::Status count_up_to(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 0).status());
  return scalar(c);
}

constexpr ShapeRow kRows[] = {
    {"Variable", legacy_variable},
    {"VariableV2", shape_attr},
    {"TemporaryVariable", shape_attr},
    {"DestroyTemporaryVariable", unchanged},
    {"IsVariableInitialized", scalar},
    {"Assign", assign},
    {"AssignAdd", merged_pair},
    {"AssignSub", merged_pair},
    {"CountUpTo", count_up_to},
    {"ScatterAdd", scatter},
    {"ScatterDiv", scatter},
    {"ScatterMax", scatter},
    {"ScatterMin", scatter},
    {"ScatterMul", scatter},
    {"ScatterSub", scatter},
    {"ScatterUpdate", scatter},
    {"ScatterNdAdd", scatter_nd_update},
    {"ScatterNdSub", scatter_nd_update},
    {"ScatterNdMax", scatter_nd_update},
    {"ScatterNdMin", scatter_nd_update},
    {"ScatterNdUpdate", scatter_nd_update},
    {"VarHandleOp", var_handle},
    {"VarIsInitializedOp", scalar},
    {"VariableShape", variable_shape},
    {"ReadVariableOp", read_variable},
    {"_ReadVariablesOp", read_variables},
    {"AssignVariableOp", assign_variable},
    {"AssignAddVariableOp", assign_variable},
    {"AssignSubVariableOp", assign_variable},
    {"ResourceCountUpTo", unknown},
    {"DestroyResourceOp", no_outputs},
    {"ResourceGather", resource_gather},
    {"ResourceGatherNd", resource_gather_nd},
    {"ResourceScatterAdd", resource_scatter},
    {"ResourceScatterDiv", resource_scatter},
    {"ResourceScatterMax", resource_scatter},
    {"ResourceScatterMin", resource_scatter},
    {"ResourceScatterMul", resource_scatter},
    {"ResourceScatterSub", resource_scatter},
    {"ResourceScatterUpdate", resource_scatter},
    {"ResourceScatterNdAdd", scatter_nd_update},
    {"ResourceScatterNdSub", scatter_nd_update},
    {"ResourceScatterNdMax", scatter_nd_update},
    {"ResourceScatterNdMin", scatter_nd_update},
    {"ResourceScatterNdUpdate", scatter_nd_update},
};

}  // namespace

PartialShape shape_behind(const ShapeContext& c, int i) {
  if (c.input_dtype(i) != DataType::kResource) return c.input(i);
  const HandleShapes* handle = c.input_handle(i);
  return handle == nullptr || handle->empty() ? PartialShape() : (*handle)[0].second;
}

absl::Status register_state_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
