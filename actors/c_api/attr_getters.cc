#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "actors/c_api/attr_values.h"
#include "actors/c_api/border.h"
#include "actors/c_api/graph_messages.h"

#include "graph/ir/attr_proto.h"

#include "proto/attr_value.pb.h"

using troupe::AttrValue;
using troupe::DataType;
using troupe::PartialShape;
using troupe::Tensor;
using troupe::c_api::find_attr;
using troupe::c_api::has_places;
using troupe::c_api::is_list;
using troupe::c_api::text;
using troupe::c_api::typed;
namespace c_api = troupe::c_api;
namespace pb = ::tensorflow;

namespace {

/// Copies the first values of a list of numbers; a list of another kind has none.
template <class T, class Out>
void copy_list(const TF_Operation* oper, const char* name, Out* values, int max_values, TF_Status* status) {
  const AttrValue* value = find_attr(oper, name, status);
  if (value == nullptr) return;
  if (!is_list(*value)) {
    c_api::set_invalid(status, absl::StrCat("Value for '", text(name), "' is not a list."));
    return;
  }
  const auto* list = value->get<std::vector<T>>();
  const int count = list == nullptr ? 0 : static_cast<int>(list->size());
  const int copied = std::min(max_values, count);
  if (!has_places(copied, status, values)) return;
  for (int i = 0; i < copied; ++i) values[i] = static_cast<Out>((*list)[i]);
}

/// What TF_AttrMetadata says of one kind of value.
struct MetadataOf {
  TF_AttrMetadata* out;

  bool single(TF_AttrType type, int64_t total = -1) const {
    *out = {0, -1, type, total};
    return true;
  }
  bool list(TF_AttrType type, size_t size, int64_t total = -1) const {
    *out = {1, static_cast<int64_t>(size), type, total};
    return true;
  }
  bool operator()(std::monostate) const { return false; }
  bool operator()(const std::string& v) const {
    return single(TF_ATTR_STRING, static_cast<int64_t>(v.size()));
  }
  bool operator()(int64_t) const { return single(TF_ATTR_INT); }
  bool operator()(float) const { return single(TF_ATTR_FLOAT); }
  bool operator()(bool) const { return single(TF_ATTR_BOOL); }
  bool operator()(DataType) const { return single(TF_ATTR_TYPE); }
  bool operator()(const PartialShape& v) const { return single(TF_ATTR_SHAPE, v.rank()); }
  bool operator()(const Tensor&) const { return single(TF_ATTR_TENSOR); }
  bool operator()(const troupe::FunctionRef&) const { return single(TF_ATTR_FUNC); }
  bool operator()(const troupe::AttrPlaceholder&) const { return single(TF_ATTR_PLACEHOLDER); }
  bool operator()(troupe::EmptyList) const { return list(TF_ATTR_STRING, 0); }
  bool operator()(const std::vector<std::string>& v) const {
    int64_t total = 0;
    for (const std::string& s : v) total += static_cast<int64_t>(s.size());
    return list(TF_ATTR_STRING, v.size(), v.empty() ? -1 : total);
  }
  bool operator()(const std::vector<int64_t>& v) const { return list(TF_ATTR_INT, v.size()); }
  bool operator()(const std::vector<float>& v) const { return list(TF_ATTR_FLOAT, v.size()); }
  bool operator()(const std::vector<bool>& v) const { return list(TF_ATTR_BOOL, v.size()); }
  bool operator()(const std::vector<DataType>& v) const { return list(TF_ATTR_TYPE, v.size()); }
  bool operator()(const std::vector<PartialShape>& v) const {
    int64_t total = 0;
    for (const PartialShape& s : v) total += std::max(0, s.rank());
    return list(TF_ATTR_SHAPE, v.size(), v.empty() ? -1 : total);
  }
  bool operator()(const std::vector<Tensor>& v) const { return list(TF_ATTR_TENSOR, v.size()); }
  bool operator()(const std::vector<troupe::FunctionRef>& v) const { return list(TF_ATTR_FUNC, v.size()); }
};

/// What an empty list would hold, by the kind that the op declares.
absl::Status type_empty_list(const troupe::OpDef& op, const char* name, TF_AttrMetadata* out) {
  const troupe::AttrDef* def = op.find_attr(text(name));
  if (def == nullptr) return absl::OkStatus();
  static constexpr std::pair<const char*, TF_AttrType> kKinds[] = {
      {"list(string)", TF_ATTR_STRING}, {"list(int)", TF_ATTR_INT},   {"list(float)", TF_ATTR_FLOAT},
      {"list(bool)", TF_ATTR_BOOL},     {"list(type)", TF_ATTR_TYPE}, {"list(shape)", TF_ATTR_SHAPE},
      {"list(tensor)", TF_ATTR_TENSOR}, {"list(func)", TF_ATTR_FUNC}};
  for (const auto& [kind, type] : kKinds) {
    if (def->kind != kind) continue;
    out->type = type;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "Attribute '", text(name), "' has an empty value of an unrecognized type '", def->kind, "'"));
}

}  // namespace

extern "C" {

TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation* oper, const char* attr_name,
                                            TF_Status* status) try {
  if (oper == nullptr) {
    c_api::set_invalid(status, "The operation is null");
    return {};
  }
  TF_AttrMetadata metadata = {};
  const AttrValue* value = find_attr(oper, attr_name, status);
  if (value == nullptr) return metadata;
  if (!std::visit(MetadataOf{&metadata}, value->variant())) {
    c_api::set_invalid(status, absl::StrCat("Attribute '", text(attr_name), "' has no value set"));
  } else if (metadata.is_list != 0 && metadata.list_size == 0) {
    c_api::set_status(status, type_empty_list(*oper->node->op, attr_name, &metadata));
  }
  return metadata;
}
TROUPE_BORDER_OR({}, status)

void TF_OperationGetAttrString(TF_Operation* oper, const char* attr_name, void* value, size_t max_length,
                               TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  const AttrValue* attr = find_attr(oper, attr_name, status);
  if (attr == nullptr) return;
  const std::string* s = attr->get<std::string>();
  if (s == nullptr) {
    c_api::set_invalid(status, absl::StrCat("Attribute '", text(attr_name), "' is not a string"));
  } else if (max_length > 0 && !s->empty() && has_places(1, status, value)) {
    std::memcpy(value, s->data(), std::min(s->size(), max_length));
  }
}
TROUPE_BORDER(status)

void TF_OperationGetAttrStringList(TF_Operation* oper, const char* attr_name, void** values, size_t* lengths,
                                   int max_values, void* storage, size_t storage_size,
                                   TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  const AttrValue* attr = find_attr(oper, attr_name, status);
  if (attr == nullptr) return;
  if (!is_list(*attr)) {
    c_api::set_invalid(status, absl::StrCat("Value for '", text(attr_name), "' is not a list"));
    return;
  }
  const auto* list = attr->get<std::vector<std::string>>();
  char* next = static_cast<char*>(storage);
  const int count = list == nullptr ? 0 : std::min(max_values, static_cast<int>(list->size()));
  if (!has_places(count, status, values, lengths)) return;
  for (int i = 0; i < count; ++i) {
    const std::string& s = (*list)[i];
    values[i] = next;
    lengths[i] = s.size();
    if (s.size() > storage_size || (storage == nullptr && !s.empty())) {
      c_api::set_invalid(status, "Not enough storage to hold the requested list of strings");
      return;
    }
    if (!s.empty()) std::memcpy(next, s.data(), s.size());
    next += s.size();
    storage_size -= s.size();
  }
}
TROUPE_BORDER(status)

void TF_OperationGetAttrInt(TF_Operation* oper, const char* attr_name, int64_t* value,
                            TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  if (!has_places(1, status, value)) return;
  if (const auto* v = typed<int64_t>(oper, attr_name, "int", status)) *value = *v;
}
TROUPE_BORDER(status)

void TF_OperationGetAttrIntList(TF_Operation* oper, const char* attr_name, int64_t* values, int max_values,
                                TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  copy_list<int64_t>(oper, attr_name, values, max_values, status);
}
TROUPE_BORDER(status)

void TF_OperationGetAttrFloat(TF_Operation* oper, const char* attr_name, float* value,
                              TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  if (!has_places(1, status, value)) return;
  if (const auto* v = typed<float>(oper, attr_name, "float", status)) *value = *v;
}
TROUPE_BORDER(status)

void TF_OperationGetAttrFloatList(TF_Operation* oper, const char* attr_name, float* values, int max_values,
                                  TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  copy_list<float>(oper, attr_name, values, max_values, status);
}
TROUPE_BORDER(status)

void TF_OperationGetAttrBool(TF_Operation* oper, const char* attr_name, unsigned char* value,
                             TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  if (!has_places(1, status, value)) return;
  if (const auto* v = typed<bool>(oper, attr_name, "bool", status)) *value = *v ? 1 : 0;
}
TROUPE_BORDER(status)

void TF_OperationGetAttrBoolList(TF_Operation* oper, const char* attr_name, unsigned char* values,
                                 int max_values, TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  copy_list<bool>(oper, attr_name, values, max_values, status);
}
TROUPE_BORDER(status)

void TF_OperationGetAttrType(TF_Operation* oper, const char* attr_name, TF_DataType* value,
                             TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  if (!has_places(1, status, value)) return;
  if (const auto* v = typed<DataType>(oper, attr_name, "type", status)) *value = static_cast<TF_DataType>(*v);
}
TROUPE_BORDER(status)

void TF_OperationGetAttrTypeList(TF_Operation* oper, const char* attr_name, TF_DataType* values,
                                 int max_values, TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  copy_list<DataType>(oper, attr_name, values, max_values, status);
}
TROUPE_BORDER(status)

void TF_OperationGetAttrValueProto(TF_Operation* oper, const char* attr_name, TF_Buffer* output_attr_value,
                                   TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  const AttrValue* attr = find_attr(oper, attr_name, status);
  if (attr == nullptr) return;
  pb::AttrValue proto;
  troupe::to_proto(*attr, &proto);
  c_api::set_status(status, c_api::message_to_buffer(proto, output_attr_value));
}
TROUPE_BORDER(status)

int TF_OperationGetNumAttrs(TF_Operation* oper) try {
  if (oper == nullptr) return 0;
  return static_cast<int>(oper->node->attrs.size());
}
TROUPE_BORDER_OR({}, nullptr)

int TF_OperationGetAttrNameLength(TF_Operation* oper, int i) try {
  if (oper == nullptr) return -1;
  const auto& attrs = oper->node->attrs;
  return i < 0 || i >= static_cast<int>(attrs.size()) ? -1 : static_cast<int>(attrs.begin()[i].first.size());
}
TROUPE_BORDER_OR(-1, nullptr)

void TF_OperationGetAttrName(TF_Operation* oper, int i, char* output, TF_Status* status) try {
  if (oper == nullptr) return c_api::set_invalid(status, "The operation is null");
  const auto& attrs = oper->node->attrs;
  if (i < 0 || i >= static_cast<int>(attrs.size())) {
    c_api::set_status(status, absl::OutOfRangeError(absl::StrCat("Operation only has ", attrs.size(),
                                                                 " attributes, can't get the ", i, "th")));
    return;
  }
  const std::string& name = attrs.begin()[i].first;
  if (!has_places(1, status, output)) return;
  std::memcpy(output, name.data(), name.size());
  c_api::set_status(status, absl::OkStatus());
}
TROUPE_BORDER(status)

}  // extern "C"
