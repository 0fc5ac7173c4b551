#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"_ToBool", "input:T", "output:bool", "T:type", ""},
};

}  // namespace

absl::Status register_runtime_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
