#include "graph/ops/op_def.h"

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

absl::StatusOr<int> list_length(const ArgDef& arg, const AttrMap& attrs) {
  TROUPE_ASSIGN_OR_RETURN(int64_t n, attrs.get<int64_t>(arg.number_attr));
  if (n < 0 || n > (1 << 24)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Attr '", arg.number_attr, "' is ", n, ", out of range for a list"));
  }
  return static_cast<int>(n);
}

template <class Types>
absl::Status append_types(const std::vector<ArgDef>& args, const AttrMap& attrs, Types* out) {
  for (const ArgDef& arg : args) {
    if (!arg.type_list_attr.empty()) {
      TROUPE_ASSIGN_OR_RETURN(std::vector<DataType> types,
                              attrs.get<std::vector<DataType>>(arg.type_list_attr));
      for (DataType t : types) out->push_back(arg.is_ref ? make_ref(t) : t);
      continue;
    }
    DataType t = arg.type;
    if (!arg.type_attr.empty()) {
      const AttrValue* v = attrs.find(arg.type_attr);
      const DataType* type = v == nullptr ? nullptr : v->get<DataType>();
      if (type == nullptr) return attrs.get<DataType>(arg.type_attr).status();
      t = *type;
    }
    if (arg.is_ref) t = make_ref(t);
    int count = 1;
    if (!arg.number_attr.empty()) {
      TROUPE_ASSIGN_OR_RETURN(count, list_length(arg, attrs));
    }
    out->insert(out->end(), count, t);
  }
  return absl::OkStatus();
}

}  // namespace

const AttrDef* OpDef::find_attr(absl::string_view attr) const {
  for (const AttrDef& a : attrs) {
    if (a.name == attr) return &a;
  }
  return nullptr;
}

absl::Status op_types(const OpDef& op, const AttrMap& attrs, std::vector<DataType>* inputs,
                      std::vector<DataType>* outputs) {
  auto named = [&](absl::Status s) {
    return s.ok() ? s : absl::InvalidArgumentError(absl::StrCat(s.message(), " for op '", op.name, "'"));
  };
  TROUPE_RETURN_IF_ERROR(named(append_types(op.inputs, attrs, inputs)));
  return named(append_types(op.outputs, attrs, outputs));
}

absl::StatusOr<std::vector<std::pair<int, int>>> arg_ranges(const std::vector<ArgDef>& args,
                                                            const AttrMap& attrs) {
  std::vector<std::pair<int, int>> ranges;
  int next = 0;
  for (const ArgDef& arg : args) {
    int count = 1;
    if (!arg.type_list_attr.empty()) {
      TROUPE_ASSIGN_OR_RETURN(std::vector<DataType> types,
                              attrs.get<std::vector<DataType>>(arg.type_list_attr));
      count = static_cast<int>(types.size());
    } else if (!arg.number_attr.empty()) {
      TROUPE_ASSIGN_OR_RETURN(count, list_length(arg, attrs));
    }
    ranges.emplace_back(next, next + count);
    next += count;
  }
  return ranges;
}

}  // namespace troupe
