#include "graph/ir/names.h"

#include <climits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

bool may_start(char c, bool internal) { return absl::ascii_isalnum(c) || c == '.' || (internal && c == '_'); }
bool may_follow(char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '/' || c == '-'; }

}  // namespace

TensorName parse_tensor_name(absl::string_view text) {
  size_t digits = text.size();
  while (digits > 0 && absl::ascii_isdigit(text[digits - 1])) --digits;
  if (digits < text.size() && digits > 1 && text[digits - 1] == ':') {
    int64_t slot = 0;
    for (char c : text.substr(digits)) slot = slot > INT_MAX ? slot : slot * 10 + (c - '0');
    return {text.substr(0, digits - 1), static_cast<int>(slot > INT_MAX ? INT_MAX : slot)};
  }
  if (!text.empty() && text[0] == '^') return {text.substr(1), -1};
  return {text, 0};
}

std::string input_text(absl::string_view node, int slot) {
  if (slot < 0) return absl::StrCat("^", node);
  return slot == 0 ? std::string(node) : absl::StrCat(node, ":", slot);
}

std::string tensor_text(absl::string_view node, int slot) { return absl::StrCat(node, ":", slot); }

bool is_valid_node_name(absl::string_view name, bool internal) {
  bool at_start = true;
  for (char c : name) {
    if (at_start) {
      if (!may_start(c, internal)) return false;
      at_start = false;
      internal = false;
    } else if (c == '>') {
      at_start = true;
    } else if (!may_follow(c)) {
      return false;
    }
  }
  return !at_start;
}

std::optional<BodyInputName> parse_body_input(absl::string_view text) {
  BodyInputName name;
  if (!text.empty() && text[0] == '^') {
    name.is_control = true;
    name.node = text.substr(1);
    return name;
  }
  size_t first = text.find(':');
  name.node = text.substr(0, first);
  if (first == absl::string_view::npos) return name;
  absl::string_view rest = text.substr(first + 1);
  size_t second = rest.find(':');
  name.output = rest.substr(0, second);
  if (second == absl::string_view::npos) return name;
  absl::string_view index = rest.substr(second + 1);
  if (index.empty() || !absl::ascii_isdigit(index[0]) || !absl::SimpleAtoi(index, &name.index))
    return std::nullopt;
  return name;
}

absl::string_view scope_of(absl::string_view name) {
  size_t slash = name.rfind('/');
  return slash == absl::string_view::npos ? absl::string_view() : name.substr(0, slash);
}

}  // namespace troupe
