// Rows of op tables, read.
#include "graph/ops/op_def.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace troupe {
namespace {

using absl::string_view;

absl::Status bad_row(const OpRow& row, string_view text) {
  return absl::InternalError(absl::StrCat("op table: op ", row.name, ": cannot read '", text, "'"));
}

/// Splits at `separator` outside of brackets and quotes.
std::vector<string_view> split_top(string_view text, char separator) {
  std::vector<string_view> out;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '(' || c == '{') ++depth;
    if (c == ']' || c == ')' || c == '}') --depth;
    if (c == separator && depth == 0) {
      out.push_back(absl::StripAsciiWhitespace(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  string_view rest = absl::StripAsciiWhitespace(text.substr(begin));
  if (!rest.empty()) out.push_back(rest);
  return out;
}

bool is_none(string_view s) { return s.empty() || s == "-"; }

absl::StatusOr<ArgDef> parse_arg(const OpRow& row, string_view text) {
  ArgDef arg;
  size_t colon = text.find(':');
  if (colon == string_view::npos) return bad_row(row, text);
  arg.name = std::string(absl::StripAsciiWhitespace(text.substr(0, colon)));
  string_view type = absl::StripAsciiWhitespace(text.substr(colon + 1));
  auto take_ref = [&] {
    if (!absl::ConsumePrefix(&type, "Ref(")) return;
    arg.is_ref = true;
    type.remove_suffix(1);
  };
  take_ref();  // "Ref(N * T)" as well as "N * Ref(T)"
  size_t star = type.find('*');
  if (star != string_view::npos) {
    arg.number_attr = std::string(absl::StripAsciiWhitespace(type.substr(0, star)));
    type = absl::StripAsciiWhitespace(type.substr(star + 1));
    take_ref();
  }
  if (absl::ConsumePrefix(&type, "list(")) {
    type.remove_suffix(1);
    arg.type_list_attr = std::string(type);
  } else if (auto t = dtype_from_name(type)) {
    arg.type = *t;
  } else {
    arg.type_attr = std::string(type);
  }
  return arg;
}

absl::StatusOr<AttrValue> parse_value(string_view kind, string_view text) {
  auto bad = [&] { return absl::InvalidArgumentError(absl::StrCat("bad ", kind, " '", text, "'")); };
  if (absl::ConsumePrefix(&kind, "list(")) {
    kind.remove_suffix(1);
    if (!absl::ConsumePrefix(&text, "[") || !absl::ConsumeSuffix(&text, "]")) return bad();
    std::vector<string_view> items = split_top(text, ',');
    if (kind == "int") {
      std::vector<int64_t> v;
      for (string_view i : items) {
        TROUPE_ASSIGN_OR_RETURN(AttrValue x, parse_value(kind, i));
        v.push_back(*x.get<int64_t>());
      }
      return AttrValue(v);
    }
    if (kind == "float") {
      std::vector<float> v;
      for (string_view i : items) {
        TROUPE_ASSIGN_OR_RETURN(AttrValue x, parse_value(kind, i));
        v.push_back(*x.get<float>());
      }
      return AttrValue(v);
    }
    if (kind == "bool") {
      std::vector<bool> v;
      for (string_view i : items) v.push_back(absl::EqualsIgnoreCase(i, "true"));
      return AttrValue(v);
    }
    if (kind == "type") {
      std::vector<DataType> v;
      for (string_view i : items) {
        TROUPE_ASSIGN_OR_RETURN(AttrValue x, parse_value(kind, i));
        v.push_back(*x.get<DataType>());
      }
      return AttrValue(v);
    }
    if (kind == "string") {
      std::vector<std::string> v;
      for (string_view i : items) {
        TROUPE_ASSIGN_OR_RETURN(AttrValue x, parse_value(kind, i));
        v.push_back(*x.get<std::string>());
      }
      return AttrValue(v);
    }
    if (kind == "shape") {
      std::vector<PartialShape> v;
      for (string_view i : items) {
        TROUPE_ASSIGN_OR_RETURN(AttrValue x, parse_value(kind, i));
        v.push_back(*x.get<PartialShape>());
      }
      return AttrValue(v);
    }
    if (!items.empty()) return bad();
    return AttrValue(EmptyList());
  }
  if (kind == "int") {
    int64_t i;
    if (!absl::SimpleAtoi(text, &i)) return bad();
    return AttrValue(i);
  }
  if (kind == "float") {
    float f;
    if (!absl::SimpleAtof(text, &f)) return bad();
    return AttrValue(f);
  }
  if (kind == "bool") return AttrValue(absl::EqualsIgnoreCase(text, "true"));
  if (kind == "type") {
    auto t = dtype_from_name(text);
    if (!t) return bad();
    return AttrValue(*t);
  }
  if (kind == "string") {
    absl::ConsumePrefix(&text, "'");
    absl::ConsumeSuffix(&text, "'");
    std::string value;
    if (!absl::CUnescape(text, &value)) return bad();
    return AttrValue(std::move(value));
  }
  if (kind == "shape") {
    if (absl::StrContains(text, "unknown") || text == "?" || text == "<unknown>")
      return AttrValue(PartialShape());
    if (!absl::ConsumePrefix(&text, "[") || !absl::ConsumeSuffix(&text, "]")) return bad();
    std::vector<int64_t> dims;
    for (string_view d : split_top(text, ',')) {
      int64_t i = -1;
      if (d != "?" && !absl::SimpleAtoi(d, &i)) return bad();
      dims.push_back(i);
    }
    return AttrValue(PartialShape(dims));
  }
  if (kind == "tensor") {
    // "dtype[n]{v,v,...}": bytes are all that any op's default needs.
    size_t open = text.find('['), close = text.find(']');
    int64_t n;
    if (!absl::ConsumeSuffix(&text, "}") || open == string_view::npos || close == string_view::npos ||
        text.substr(0, open) != "uint8" || !absl::SimpleAtoi(text.substr(open + 1, close - open - 1), &n)) {
      return bad();
    }
    std::vector<string_view> items = split_top(text.substr(close + 2), ',');
    if (static_cast<int64_t>(items.size()) != n) return bad();
    Tensor t(DataType::kUint8, Shape{n});
    for (int64_t i = 0; i < n; ++i) {
      int v;
      if (!absl::SimpleAtoi(items[i], &v)) return bad();
      t.flat<uint8_t>()[i] = static_cast<uint8_t>(v);
    }
    return AttrValue(t);
  }
  if (kind == "func") {
    absl::ConsumePrefix(&text, "'");
    absl::ConsumeSuffix(&text, "'");
    return AttrValue(FunctionRef{std::string(text), nullptr});
  }
  return bad();
}

struct TypeSet {
  string_view name;
  string_view types;
};

constexpr TypeSet kTypeSets[] = {
#define TROUPE_TYPE_SET(name, types) {#name, types},
#include "graph/ops/type_sets.def"
#undef TROUPE_TYPE_SET
};

/// The types of a set, with commas; empty when there is none of that name.
string_view types_of_set(string_view name) {
  for (const TypeSet& set : kTypeSets) {
    if (set.name == name) return set.types;
  }
  return {};
}

/// "numbers" and "list(numbers)" are types, or lists of types, of a set.
absl::Status parse_type_set(const OpRow& row, AttrDef* attr) {
  string_view name = attr->kind;
  const bool list = absl::ConsumePrefix(&name, "list(") && absl::ConsumeSuffix(&name, ")");
  const string_view types = types_of_set(name);
  if (types.empty()) return absl::OkStatus();
  for (string_view type : split_top(types, ',')) {
    auto t = dtype_from_name(type);
    if (!t) return bad_row(row, type);
    attr->allowed_types.push_back(*t);
  }
  attr->kind = list ? "list(type)" : "type";
  return absl::OkStatus();
}

absl::Status parse_attr(const OpRow& row, string_view text, OpDef* op) {
  AttrDef attr;
  size_t colon = text.find(':');
  if (colon == string_view::npos) return bad_row(row, text);
  attr.name = std::string(absl::StripAsciiWhitespace(text.substr(0, colon)));
  string_view rest = absl::StripAsciiWhitespace(text.substr(colon + 1));
  size_t end = rest.find(' ');
  attr.kind = std::string(rest.substr(0, end));
  rest = end == string_view::npos ? string_view() : absl::StripAsciiWhitespace(rest.substr(end));
  TROUPE_RETURN_IF_ERROR(parse_type_set(row, &attr));
  if (absl::ConsumePrefix(&rest, "in ")) {
    size_t close = rest.find(']');
    if (close == string_view::npos || rest[0] != '[') return bad_row(row, text);
    for (string_view item : split_top(rest.substr(1, close - 1), ',')) {
      if (absl::EndsWith(attr.kind, "string") || absl::EndsWith(attr.kind, "string)")) {
        // Tables that a script wrote say b'...'.
        if (absl::StartsWith(item, "b'")) item.remove_prefix(1);
        absl::ConsumePrefix(&item, "'");
        absl::ConsumeSuffix(&item, "'");
        attr.allowed_strings.emplace_back(item);
      } else if (auto t = dtype_from_name(item)) {
        attr.allowed_types.push_back(*t);
      } else {
        return bad_row(row, item);
      }
    }
    rest = absl::StripAsciiWhitespace(rest.substr(close + 1));
  }
  if (absl::ConsumePrefix(&rest, ">= ")) {
    size_t stop = rest.find(' ');
    int64_t minimum;
    if (!absl::SimpleAtoi(rest.substr(0, stop), &minimum)) return bad_row(row, text);
    attr.minimum = minimum;
    rest = stop == string_view::npos ? string_view() : absl::StripAsciiWhitespace(rest.substr(stop));
  }
  if (absl::ConsumePrefix(&rest, "= ") || absl::ConsumePrefix(&rest, "=")) {
    auto value = parse_value(attr.kind, absl::StripAsciiWhitespace(rest));
    if (!value.ok()) return bad_row(row, text);
    attr.default_value = *std::move(value);
  } else if (!rest.empty()) {
    return bad_row(row, text);
  }
  op->attrs.push_back(std::move(attr));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OpDef> parse_op_row(const OpRow& row) {
  OpDef op;
  op.name = row.name;
  if (!is_none(row.inputs)) {
    for (string_view text : split_top(row.inputs, ',')) {
      TROUPE_ASSIGN_OR_RETURN(ArgDef arg, parse_arg(row, text));
      op.inputs.push_back(std::move(arg));
    }
  }
  if (!is_none(row.outputs)) {
    for (string_view text : split_top(row.outputs, ',')) {
      TROUPE_ASSIGN_OR_RETURN(ArgDef arg, parse_arg(row, text));
      op.outputs.push_back(std::move(arg));
    }
  }
  if (!is_none(row.attrs)) {
    for (string_view text : split_top(row.attrs, ';')) TROUPE_RETURN_IF_ERROR(parse_attr(row, text, &op));
  }
  if (!is_none(row.flags)) {
    for (string_view flag : absl::StrSplit(row.flags, ' ', absl::SkipEmpty())) {
      if (flag == "stateful") {
        op.is_stateful = true;
      } else if (flag == "commutative") {
        op.is_commutative = true;
      } else if (flag == "aggregate") {
        op.is_aggregate = true;
      } else if (flag == "uninitialized_ok") {
        op.allows_uninitialized_input = true;
      } else if (absl::ConsumePrefix(&flag, "deprecated_since_")) {
        if (!absl::SimpleAtoi(flag, &op.deprecated_since)) return bad_row(row, flag);
      } else if (flag == "distributed") {
        op.is_distributed_communication = true;
      } else {
        return bad_row(row, flag);
      }
    }
  }
  // A bare argument type that is an attr of kind list(type) is a list with a type each.
  for (auto* args : {&op.inputs, &op.outputs}) {
    for (ArgDef& arg : *args) {
      const AttrDef* attr = arg.type_attr.empty() ? nullptr : op.find_attr(arg.type_attr);
      if (attr != nullptr && attr->kind == "list(type)") {
        arg.type_list_attr = std::move(arg.type_attr);
        arg.type_attr.clear();
      }
    }
  }
  return op;
}

}  // namespace troupe
