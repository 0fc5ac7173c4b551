#pragma once

#include "absl/status/statusor.h"
#include "graph/ops/op_def.h"

namespace tensorflow {
class AttrValue;
class NameAttrList;
class OpDef;
}  // namespace tensorflow

namespace troupe {

namespace pb = ::tensorflow;

/// InvalidArgument for a dtype, shape or tensor that is none, and for a list of several kinds. No value reads as
/// std::monostate, DT_INVALID as DataType::kInvalid.
absl::StatusOr<AttrValue> from_proto(const pb::AttrValue& proto);
void to_proto(const AttrValue& value, pb::AttrValue* out);

absl::StatusOr<FunctionRef> from_proto(const pb::NameAttrList& proto);
void to_proto(const FunctionRef& function, pb::NameAttrList* out);

/// A signature, of a function above all; without a shape function.
absl::StatusOr<OpDef> from_proto(const pb::OpDef& proto);
void to_proto(const OpDef& op, pb::OpDef* out);

}  // namespace troupe
