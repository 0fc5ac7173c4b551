#include "actors/c_api/op_spec_parts.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <span>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "graph/status.h"

namespace troupe::c_api {

using absl::string_view;

namespace {

constexpr DataType kRealNumbers[] = {DataType::kFloat, DataType::kDouble,   DataType::kInt32,
                                     DataType::kUint8, DataType::kInt16,    DataType::kInt8,
                                     DataType::kInt64, DataType::kBfloat16, DataType::kUint16,
                                     DataType::kHalf,  DataType::kUint32,   DataType::kUint64};
constexpr DataType kNumbers[] = {
    DataType::kFloat,      DataType::kDouble,    DataType::kInt32,  DataType::kUint8,   DataType::kInt16,
    DataType::kInt8,       DataType::kComplex64, DataType::kInt64,  DataType::kQint8,   DataType::kQuint8,
    DataType::kQint32,     DataType::kBfloat16,  DataType::kQint16, DataType::kQuint16, DataType::kUint16,
    DataType::kComplex128, DataType::kHalf,      DataType::kUint32, DataType::kUint64};
constexpr DataType kQuantized[] = {DataType::kQint8, DataType::kQuint8, DataType::kQint32, DataType::kQint16,
                                   DataType::kQuint16};

/// Reads a text from the front. All take_... leave it alone when they fail.
class Reader {
 public:
  explicit Reader(string_view text) : rest_(text) {}

  string_view rest() const { return rest_; }
  bool done() const { return rest_.empty(); }
  void skip_space() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool take(string_view literal) { return absl::ConsumePrefix(&rest_, literal); }
  bool next_is(string_view literal) const { return absl::StartsWith(rest_, literal); }

  /// One character that `first` accepts, then any that `others` accepts, then spaces.
  template <class First, class Others>
  std::optional<string_view> take_word(First first, Others others) {
    if (rest_.empty() || !first(static_cast<unsigned char>(rest_[0]))) return std::nullopt;
    size_t end = 1;
    while (end < rest_.size() && others(static_cast<unsigned char>(rest_[end]))) ++end;
    string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    skip_space();
    return word;
  }
  /// The same, then a colon and spaces.
  template <class First, class Others>
  std::optional<string_view> take_name(First first, Others others) {
    string_view before = rest_;
    auto name = take_word(first, others);
    if (name && take(":")) {
      skip_space();
      return name;
    }
    rest_ = before;
    return std::nullopt;
  }
  /// 'text' or "text" without the quotes, then spaces; a quote after a backslash is part of it.
  std::optional<string_view> take_quoted() {
    if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\'')) return std::nullopt;
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == rest_[0]) {
        string_view text = rest_.substr(1, i - 1);
        rest_.remove_prefix(i + 1);
        skip_space();
        return text;
      }
    }
    return std::nullopt;
  }
  /// An integer, then spaces.
  std::optional<int64_t> take_int() {
    size_t end = next_is("-") ? 1 : 0;
    while (end < rest_.size() && absl::ascii_isdigit(static_cast<unsigned char>(rest_[end]))) ++end;
    int64_t value;
    if (!absl::SimpleAtoi(rest_.substr(0, end), &value)) return std::nullopt;
    rest_.remove_prefix(end);
    skip_space();
    return value;
  }

 private:
  string_view rest_;
};

bool is_word_char(unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; }
bool is_small_char(unsigned char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_'; }
bool is_type_char(unsigned char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c); }

}  // namespace

std::optional<DataType> spec_dtype(string_view name) {
  if (absl::StartsWith(name, "DT_") || absl::StartsWith(name, "dt_")) return std::nullopt;
  for (char c : name) {
    if (absl::ascii_isupper(static_cast<unsigned char>(c))) return std::nullopt;
  }
  return dtype_from_name(name);
}

absl::Status fault(std::initializer_list<string_view> parts) {
  return absl::InvalidArgumentError(absl::StrJoin(parts, ""));
}

pb::OpDef::AttrDef* find_attr(string_view name, pb::OpDef* op) {
  for (auto& attr : *op->mutable_attr()) {
    if (attr.name() == name) return &attr;
  }
  return nullptr;
}

bool is_op_name(string_view name) {
  if (absl::StartsWith(name, "_")) return true;
  Reader in(name);
  auto is_capital = [](unsigned char c) { return absl::ascii_isupper(c); };
  do {
    string_view before = in.rest();
    auto word = in.take_word(is_capital, is_word_char);
    if (!word || word->size() + in.rest().size() != before.size()) return false;
  } while (in.take(">"));
  return in.done();
}

namespace {

/// Messages in messages that a default value may have; functions in attrs of functions are the only reason
/// for many.
constexpr int kMaxNesting = 100;

class SilentErrors final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
};

bool parse_text(const std::string& text, pb::AttrValue* out) {
  SilentErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(kMaxNesting);
  return parser.ParseFromString(text, out);
}

/// A value in text format; `kind` is "int", "list(type)", ...
bool parse_value(string_view kind, string_view text, pb::AttrValue* out) {
  const bool is_list = absl::ConsumePrefix(&kind, "list(") && absl::ConsumeSuffix(&kind, ")");
  const std::string field(
      kind == "type" || kind == "shape" || kind == "tensor" || kind == "func" ? kind : kind.substr(0, 1));
  if (!is_list) return parse_text(absl::StrCat(field, ": ", text), out);
  // The text format takes "i: 7" for "i: [7]".
  string_view trimmed = absl::StripAsciiWhitespace(text);
  if (trimmed.size() < 2 || trimmed.front() != '[' || trimmed.back() != ']') return false;
  if (absl::StripAsciiWhitespace(trimmed.substr(1, trimmed.size() - 2)).empty()) {
    out->mutable_list();
    return true;
  }
  return parse_text(absl::StrCat("list { ", field, ": ", text, " }"), out);
}

void allow(std::span<const DataType> types, pb::AttrValue* allowed) {
  for (DataType t : types) allowed->mutable_list()->add_type(static_cast<pb::DataType>(t));
}

/// "numbertype" and its like.
bool allow_family(string_view name, pb::AttrValue* allowed) {
  if (name == "numbertype") return allow(kNumbers, allowed), true;
  if (name == "realnumbertype") return allow(kRealNumbers, allowed), true;
  if (name == "quantizedtype") return allow(kQuantized, allowed), true;
  return false;
}

/// After each element of a {...}: true when there is another. `what`: for the message.
absl::StatusOr<bool> more_elements(Reader* in, string_view what) {
  if (in->take(",")) {
    in->skip_space();
    return !in->take("}");
  }
  if (in->take("}")) return false;
  return fault({"Expected , or } after ", what, " in list, not: '", in->rest(), "'"});
}

absl::Status parse_allowed_strings(Reader* in, pb::AttrValue* allowed) {
  for (bool more = true; more;) {
    string_view before = in->rest();
    auto text = in->take_quoted();
    if (!text) return fault({"Trouble parsing allowed string at '", before, "'"});
    std::string unescaped, error;
    if (!absl::CUnescape(*text, &unescaped, &error)) {
      return fault({"Trouble unescaping \"", *text, "\", got error: ", error});
    }
    allowed->mutable_list()->add_s(unescaped);
    TROUPE_ASSIGN_OR_RETURN(more, more_elements(in, "strings"));
  }
  return absl::OkStatus();
}

absl::Status parse_allowed_types(Reader* in, pb::AttrValue* allowed) {
  for (bool more = true; more;) {
    auto name = in->take_word(is_type_char, is_type_char);
    if (!name) return fault({"Trouble parsing type string at '", in->rest(), "'"});
    if (!allow_family(*name, allowed)) {
      auto dtype = spec_dtype(*name);
      if (!dtype) return fault({"Unrecognized type string '", *name, "'"});
      allow({&*dtype, 1}, allowed);
    }
    TROUPE_ASSIGN_OR_RETURN(more, more_elements(in, "types"));
  }
  return absl::OkStatus();
}

/// The kind of an attr or of a list's elements.
absl::StatusOr<std::string> parse_kind(Reader* in, pb::OpDef::AttrDef* attr) {
  for (string_view kind : {"string", "int", "float", "bool", "type", "shape", "tensor", "func"}) {
    if (in->take(kind)) return std::string(kind);
  }
  for (string_view family : {"numbertype", "realnumbertype", "quantizedtype"}) {
    if (in->take(family)) return allow_family(family, attr->mutable_allowed_values()), "type";
  }
  if (!in->take("{")) return fault({"Trouble parsing type string at '", in->rest(), "'"});
  in->skip_space();
  if (in->next_is("\"") || in->next_is("'")) {
    TROUPE_RETURN_IF_ERROR(parse_allowed_strings(in, attr->mutable_allowed_values()));
    return "string";
  }
  TROUPE_RETURN_IF_ERROR(parse_allowed_types(in, attr->mutable_allowed_values()));
  return "type";
}

bool take_list_prefix(Reader* in) {
  Reader ahead = *in;
  if (!ahead.take("list")) return false;
  ahead.skip_space();
  if (!ahead.take("(")) return false;
  ahead.skip_space();
  *in = ahead;
  return true;
}

}  // namespace

absl::Status parse_attr(string_view spec, pb::OpDef::AttrDef* attr) {
  Reader in(spec);
  auto name = in.take_name([](unsigned char c) { return absl::ascii_isalpha(c); }, is_word_char);
  if (!name) return fault({"Trouble parsing '<name>:'"});
  attr->set_name(std::string(*name));
  const bool is_list = take_list_prefix(&in);
  TROUPE_ASSIGN_OR_RETURN(std::string kind, parse_kind(&in, attr));
  in.skip_space();
  if (is_list) {
    if (!in.take(")")) return fault({"Expected ) to close 'list(', not: '", in.rest(), "'"});
    in.skip_space();
    kind = absl::StrCat("list(", kind, ")");
  }
  attr->set_type(kind);
  if ((is_list || kind == "int") && in.take(">=")) {
    string_view before = in.rest();
    in.skip_space();
    auto minimum = in.take_int();
    if (!minimum) {
      return fault({"Could not parse integer lower limit after '>=', found '", before, "' instead"});
    }
    attr->set_has_minimum(true);
    attr->set_minimum(*minimum);
  }
  if (in.take("=")) {
    in.skip_space();
    if (!parse_value(kind, in.rest(), attr->mutable_default_value())) {
      return fault({"Could not parse default value '", in.rest(), "'"});
    }
    return absl::OkStatus();
  }
  if (!in.done()) return fault({"Extra '", in.rest(), "' unparsed at the end"});
  return absl::OkStatus();
}

namespace {

absl::Status set_arg_type(string_view type, pb::OpDef* op, pb::OpDef::ArgDef* arg) {
  if (auto dtype = spec_dtype(type)) {
    arg->set_type(static_cast<pb::DataType>(*dtype));
    return absl::OkStatus();
  }
  const pb::OpDef::AttrDef* attr = find_attr(type, op);
  if (attr == nullptr) return fault({"Reference to unknown attr '", type, "'"});
  if (attr->type() == "type") {
    arg->set_type_attr(std::string(type));
  } else if (attr->type() == "list(type)") {
    arg->set_type_list_attr(std::string(type));
  } else {
    return fault(
        {"Reference to attr '", type, "' with type ", attr->type(), " that isn't type or list(type)"});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status parse_arg(string_view spec, pb::OpDef* op, pb::OpDef::ArgDef* arg) {
  Reader in(spec);
  auto is_small = [](unsigned char c) { return absl::ascii_islower(c); };
  auto is_letter = [](unsigned char c) { return absl::ascii_isalpha(c); };
  auto name = in.take_name(is_small, is_small_char);
  if (!name) return fault({"Trouble parsing 'name:'"});
  arg->set_name(std::string(*name));
  Reader ahead = in;
  if (ahead.take("Ref") && (ahead.skip_space(), ahead.take("("))) {
    ahead.skip_space();
    in = ahead;
    arg->set_is_ref(true);
  }
  auto type = in.take_word(is_letter, is_word_char);
  if (!type) return fault({"Trouble parsing either a type or an attr name at '", in.rest(), "'"});
  ahead = in;
  if (ahead.take("*")) {
    ahead.skip_space();
    if (auto second = ahead.take_word(is_letter, is_word_char)) {
      arg->set_number_attr(std::string(*type));
      type = second;
      in = ahead;
    }
  }
  TROUPE_RETURN_IF_ERROR(set_arg_type(*type, op, arg));
  if (arg->is_ref()) {
    if (!in.take(")"))
      return fault({"Did not find closing ')' for 'Ref(', instead found: '", in.rest(), "'"});
    in.skip_space();
  }
  if (!in.done()) return fault({"Extra '", in.rest(), "' unparsed at the end"});
  const std::string& counts = arg->number_attr().empty() ? arg->type_list_attr() : arg->number_attr();
  if (auto* attr = find_attr(counts, op); attr != nullptr && !attr->has_minimum()) {
    attr->set_has_minimum(true);
    attr->set_minimum(1);
  }
  if (arg->type() == pb::DT_RESOURCE) op->set_is_stateful(true);
  return absl::OkStatus();
}

}  // namespace troupe::c_api
