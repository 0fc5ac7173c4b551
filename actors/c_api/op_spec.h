#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/ops/op_def.h"

namespace troupe::c_api {

/// An op as a plug-in describes it: its arguments and attrs as text; see ops.h for the form.
struct OpSpec {
  std::string name;
  std::vector<std::string> attrs;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;
  int deprecated_since = 0;
  std::string deprecation;
};

/// Parses and checks it. InvalidArgument with TensorFlow's texts: all faults of the parts, a line each, or
/// else the first fault of the whole.
absl::StatusOr<OpDef> parse_op_spec(const OpSpec& spec);

}  // namespace troupe::c_api
