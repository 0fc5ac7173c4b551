// Update rules of optimizers. Their signatures tell the shapes: variables and slots first, a gradient (with the indices of
// its rows when it is sparse), scalars.

#include "absl/strings/match.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/ops/shapes/state.h"

namespace troupe::shapes {
namespace {

absl::Status apply(ShapeContext& c) {
  const auto& args = c.op().inputs;
  const int n = std::min(c.num_inputs(), static_cast<int>(args.size()));
  const bool var_is_resource = c.input_dtype(0) == DataType::kResource;
  const PartialShape hidden;
  PartialShape var;
  for (int i = 0; i < n; ++i) {
    const ArgDef& arg = args[i];
    if (arg.is_ref || arg.type == DataType::kResource) {
      TROUPE_ASSIGN_OR_RETURN(var, merge(var, shape_behind(c, i)));
      continue;
    }
    if (arg.name != "grad" && arg.name != "delta") {
      // TensorFlow leaves this one out.
      if (arg.name == "lr_power" && absl::EndsWith(c.op().name, "V2")) continue;
      TROUPE_RETURN_IF_ERROR(with_rank(c.input(i), 0).status());
      continue;
    }
    // Of gradients for variables behind handles, TensorFlow looks for handles too, and finds nothing.
    const PartialShape& grad = var_is_resource && arg.name == "grad" ? hidden : c.input(i);
    if (i + 1 < n && args[i + 1].name == "indices") {
      TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(i + 1), 1));
      if (grad.rank() == 0) {
        return absl::InvalidArgumentError("Argument grad must not be a scalar. Got grad with rank 0");
      }
      TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(indices, 0), dim_of(grad, 0)).status());
      TROUPE_ASSIGN_OR_RETURN(var, merge(var, replace_dim(grad, 0, kUnknownDim)));
      ++i;
    } else {
      TROUPE_ASSIGN_OR_RETURN(var, merge(var, grad));
    }
  }
  c.set_output(0, std::move(var));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"ApplyAdaMax", apply},
    {"ApplyAdadelta", apply},
    {"ApplyAdagrad", apply},
    {"ApplyAdagradDA", apply},
    {"ApplyAdagradV2", apply},
    {"ApplyAdam", apply},
    {"ApplyAddSign", apply},
    {"ApplyCenteredRMSProp", apply},
    {"ApplyFtrl", apply},
    {"ApplyFtrlV2", apply},
    {"ApplyGradientDescent", apply},
    {"ApplyMomentum", apply},
    {"ApplyPowerSign", apply},
    {"ApplyProximalAdagrad", apply},
    {"ApplyProximalGradientDescent", apply},
    {"ApplyRMSProp", apply},
    {"ResourceApplyAdaMax", apply},
    {"ResourceApplyAdadelta", apply},
    {"ResourceApplyAdagrad", apply},
    {"ResourceApplyAdagradDA", apply},
    {"ResourceApplyAdagradV2", apply},
    {"ResourceApplyAdam", apply},
    {"ResourceApplyAdamWithAmsgrad", apply},
    {"ResourceApplyAddSign", apply},
    {"ResourceApplyCenteredRMSProp", apply},
    {"ResourceApplyFtrl", apply},
    {"ResourceApplyFtrlV2", apply},
    {"ResourceApplyGradientDescent", apply},
    {"ResourceApplyKerasMomentum", apply},
    {"ResourceApplyMomentum", apply},
    {"ResourceApplyPowerSign", apply},
    {"ResourceApplyProximalAdagrad", apply},
    {"ResourceApplyProximalGradientDescent", apply},
    {"ResourceApplyRMSProp", apply},
    {"ResourceSparseApplyAdadelta", apply},
    {"ResourceSparseApplyAdagrad", apply},
    {"ResourceSparseApplyAdagradDA", apply},
    {"ResourceSparseApplyAdagradV2", apply},
    {"ResourceSparseApplyCenteredRMSProp", apply},
    {"ResourceSparseApplyFtrl", apply},
    {"ResourceSparseApplyFtrlV2", apply},
    {"ResourceSparseApplyKerasMomentum", apply},
    {"ResourceSparseApplyMomentum", apply},
    {"ResourceSparseApplyProximalAdagrad", apply},
    {"ResourceSparseApplyProximalGradientDescent", apply},
    {"ResourceSparseApplyRMSProp", apply},
    {"SparseApplyAdadelta", apply},
    {"SparseApplyAdagrad", apply},
    {"SparseApplyAdagradDA", apply},
    {"SparseApplyAdagradV2", apply},
    {"SparseApplyCenteredRMSProp", apply},
    {"SparseApplyFtrl", apply},
    {"SparseApplyFtrlV2", apply},
    {"SparseApplyMomentum", apply},
    {"SparseApplyProximalAdagrad", apply},
    {"SparseApplyProximalGradientDescent", apply},
    {"SparseApplyRMSProp", apply},
};

}  // namespace

absl::Status register_training_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
