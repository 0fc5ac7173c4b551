#pragma once

#include <string>

#include "absl/status/status.h"
#include "graph/ops/op_def.h"

namespace troupe {

/// "Op<name=Concat; signature=concat_dim:int32, values:N*T -> output:T; attr=N:int,min=2; attr=T:type>": an op in a message,
/// as TensorFlow writes it.
std::string summarize_op(const OpDef& op);

/// Whether `value` may be the attr `def` of a node: its kind, the allowed values, the minimum. A placeholder always may.
/// InvalidArgument, with the name of the attr but not of the node.
absl::Status check_attr(const AttrDef& def, const AttrValue& value);

}  // namespace troupe
