// Optional values: components, or their absence, as one variant.

#include <optional>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/optional_value.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor_proto.h"
#include "graph/tensor/variant.h"

namespace troupe {
namespace {

void output_optional(KernelContext& context, std::optional<std::vector<Tensor>> values) {
  context.set_output(0, optional_tensor(std::move(values)));
}

absl::StatusOr<const OptionalVariant*> input_optional(const KernelContext& context) {
  const Tensor& t = context.input(0);
  const OptionalVariant* optional = is_scalar(t) ? t.value<Variant>().get<OptionalVariant>() : nullptr;
  if (optional == nullptr) {
    return invalid("Input to ", context.node().op->name,
                   " must be a scalar tensor containing an OptionalVariant object.");
  }
  return optional;
}

absl::Status none(KernelContext& context) {
  output_optional(context, std::nullopt);
  return absl::OkStatus();
}

absl::Status from_value(KernelContext& context) {
  std::vector<Tensor> values;
  for (int i = 0; i < context.num_inputs(); ++i) values.push_back(context.input(i));
  output_optional(context, std::move(values));
  return absl::OkStatus();
}

absl::Status has_value(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const OptionalVariant* optional, input_optional(context));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<bool>()[0] = optional->values().has_value();
  return absl::OkStatus();
}

absl::Status get_value(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const OptionalVariant* optional, input_optional(context));
  if (!optional->values().has_value()) return invalid("The given optional does not have a value.");
  const std::vector<Tensor>& values = *optional->values();
  if (static_cast<int>(values.size()) != context.num_outputs()) {
    return invalid("The given optional has ", values.size(), " components, expected ", context.num_outputs(),
                   ".");
  }
  TROUPE_ASSIGN_OR_RETURN(const auto shapes,
                          context.node().attrs.get<std::vector<PartialShape>>("output_shapes"));
  if (shapes.size() != values.size()) {
    return invalid("output_shapes has ", shapes.size(), " entries, but there are ", values.size(),
                   " outputs");
  }
  for (int i = 0; i < context.num_outputs(); ++i) {
    const Tensor& value = values[static_cast<size_t>(i)];
    if (value.dtype() != context.output_type(i)) {
      return invalid("The given optional does not match the expected type for component ", i,
                     ". Expected: ", dtype_name(context.output_type(i)),
                     ". Actual: ", dtype_name(value.dtype()), ".");
    }
    const PartialShape& shape = shapes[static_cast<size_t>(i)];
    if (!shape.compatible_with(value.shape())) {
      return invalid("The given optional does not match the expected shape for component ", i,
                     ". Expected: ", shape.to_string(), ". Actual: ", value.shape().to_string(), ".");
    }
    context.set_output(i, value);
  }
  return absl::OkStatus();
}

}  // namespace

void register_list_optional(KernelRegistry* registry) {
  register_variant_decoder(OptionalVariant::kTypeName, decode_optional);
  registry->add(KernelDef("OptionalNone").fn(none, /*cheap=*/true));
  registry->add(KernelDef("OptionalFromValue").fn(from_value, /*cheap=*/true));
  registry->add(KernelDef("OptionalHasValue").fn(has_value, /*cheap=*/true));
  registry->add(KernelDef("OptionalGetValue").fn(get_value, /*cheap=*/true));
}

}  // namespace troupe
