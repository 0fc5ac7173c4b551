// Control flow by dead and alive tensors.

#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status enter(ShapeContext& c) {
  // What enters a loop may come back in another shape, unless it never changes.
  if (const HandleShapes* handle = c.input_handle(0)) {
    c.set_output_handle(0, *handle);
    if (c.input_dtype(0) == DataType::kResource) c.set_output(0, c.input(0));
  }
  if (c.attrs().get_or<bool>("is_constant", false)) c.set_output_known(0, c.known(0));
  return absl::OkStatus();
}

absl::Status handed_on(ShapeContext& c) {
  c.set_output(0, c.input(0));
  if (const HandleShapes* handle = c.input_handle(0)) c.set_output_handle(0, *handle);
  return absl::OkStatus();
}

absl::Status merge_inputs(ShapeContext& c) {
  PartialShape out = c.input(0);
  for (int i = 1; i < c.num_inputs() && out.known_rank(); ++i) {
    const PartialShape& in = c.input(i);
    if (in.rank() != out.rank()) {
      out = PartialShape();
      break;
    }
    for (int d = 0; d < out.rank(); ++d) {
      if (in.dim(d) != out.dim(d)) out = replace_dim(out, d, kUnknownDim);
    }
  }
  c.set_output(0, std::move(out));
  c.set_output(1, PartialShape(Dims()));
  if (const HandleShapes* handle = c.input_handle(0)) c.set_output_handle(0, *handle);
  return absl::OkStatus();
}

absl::Status switch_on(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(0));
    if (const HandleShapes* handle = c.input_handle(0)) c.set_output_handle(i, *handle);
  }
  return absl::OkStatus();
}

absl::Status ref_select(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 0).status());
  const PartialShape& first = c.input(1);
  if (!first.fully_defined()) return absl::OkStatus();
  for (int i = 2; i < c.num_inputs(); ++i) {
    if (!c.input(i).fully_defined() || !(c.input(i) == first)) return absl::OkStatus();
  }
  c.set_output(0, first);
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"Abort", no_outputs},
    {"Assert", no_outputs},
    {"ControlTrigger", no_outputs},
    {"Enter", enter},
    {"Exit", handed_on},
    {"LoopCond", rule<"[] -> []">},
    {"Merge", merge_inputs},
    {"NextIteration", handed_on},
    {"NoOp", no_outputs},
    {"Print", unchanged},
    {"RefEnter", handed_on},
    {"RefExit", handed_on},
    {"RefMerge", merge_inputs},
    {"RefNextIteration", handed_on},
    {"RefSelect", ref_select},
    {"RefSwitch", switch_on},
    {"Switch", switch_on},
    {"_SwitchN", switch_on},
};

}  // namespace

absl::Status register_control_flow_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
