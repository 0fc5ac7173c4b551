#pragma once

#include <initializer_list>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/dtype.h"
#include "proto/op_def.pb.h"
#include "proto/pb.h"

namespace troupe::c_api {

// The texts that an op's attrs and arguments are described with; see ops.h for the form. Errors are InvalidArgument.

/// "name: type >= 1 = 2", into `attr`.
absl::Status parse_attr(absl::string_view spec, pb::OpDef::AttrDef* attr);
/// "name: T", into `arg`; `op` has the attrs that it may name.
absl::Status parse_arg(absl::string_view spec, pb::OpDef* op, pb::OpDef::ArgDef* arg);

/// "float", "float_ref", but not "DT_FLOAT".
std::optional<DataType> spec_dtype(absl::string_view name);
/// "Pro>Be": parts that are words with a capital first.
bool is_op_name(absl::string_view name);
/// Null when `op` has none of that name.
pb::OpDef::AttrDef* find_attr(absl::string_view name, pb::OpDef* op);
/// InvalidArgument with the parts as its text.
absl::Status fault(std::initializer_list<absl::string_view> parts);

}  // namespace troupe::c_api
