#include "devices/cpu/kernels/shared/handle_signature.h"

#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {

absl::Status check_handle_signature(const KernelContext& context, std::vector<DataType> inputs,
                                    const std::vector<DataType>& outputs) {
  const KernelNode& node = context.node();
  inputs.insert(inputs.begin(), node.input_types[0]);
  if (node.input_types == inputs && node.output_types == outputs) [[likely]]
    return absl::OkStatus();
  auto list = [](const std::vector<DataType>& types) {
    return absl::StrJoin(types, ", ", [](std::string* out, DataType t) { out->append(dtype_name(t)); });
  };
  return invalid("Signature mismatch, have: ", list(node.input_types), "->", list(node.output_types),
                 " expected: ", list(inputs), "->", list(outputs));
}

absl::Status check_no_timeout(const KernelConstruction& c) {
  if (c.node().attrs.get_or<int64_t>("timeout_ms", -1) == -1) return absl::OkStatus();
  return invalid("Timeout not supported yet.");
}

}  // namespace troupe
