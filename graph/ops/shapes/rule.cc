#include "graph/ops/shapes/rule.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace troupe::shapes {
namespace {

using Items = absl::InlinedVector<absl::string_view, 8>;

/// What the names of a rule stand for, as far as the inputs seen so far tell.
class Bindings {
 public:
  PartialShape& shape(absl::string_view name) { return find(shapes_, name, PartialShape()); }
  int64_t& dim(absl::string_view name) { return find(dims_, name, kUnknownDim); }

 private:
  template <class T>
  static T& find(absl::InlinedVector<std::pair<absl::string_view, T>, 4>& entries, absl::string_view name,
                 T fresh) {
    for (auto& e : entries) {
      if (e.first == name) return e.second;
    }
    entries.emplace_back(name, std::move(fresh));
    return entries.back().second;
  }
  absl::InlinedVector<std::pair<absl::string_view, PartialShape>, 4> shapes_;
  absl::InlinedVector<std::pair<absl::string_view, int64_t>, 4> dims_;
};

absl::Status malformed(absl::string_view item) {
  return absl::InternalError(absl::StrCat("Malformed shape rule: '", item, "'"));
}

/// "[a,B*,2]" without brackets, split.
Items split_dims(absl::string_view item) {
  item = item.substr(1, item.size() - 2);
  Items dims;
  if (item.empty()) return dims;
  for (absl::string_view d : absl::StrSplit(item, ',')) dims.push_back(d);
  return dims;
}

bool is_list(absl::string_view item) { return item.size() >= 2 && item.front() == '[' && item.back() == ']'; }
bool is_group(absl::string_view dim) { return !dim.empty() && dim.back() == '*'; }

absl::Status match_dim(absl::string_view text, int64_t dim, const ShapeContext& c, Bindings& bound) {
  int64_t number;
  if (text == "?") return absl::OkStatus();
  if (absl::ConsumePrefix(&text, "$")) {
    TROUPE_ASSIGN_OR_RETURN(number, c.attr<int64_t>(text));
    return number < 0 ? absl::OkStatus() : with_value(dim, number).status();
  }
  if (absl::SimpleAtoi(text, &number)) return with_value(dim, number).status();
  int64_t& known = bound.dim(text);
  TROUPE_ASSIGN_OR_RETURN(known, merge_dims(known, dim));
  return absl::OkStatus();
}

/// Which of the dimensions is a group; -1: none.
int group_of(const Items& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (is_group(dims[i])) return static_cast<int>(i);
  }
  return -1;
}

absl::Status check_rank(absl::string_view item, const PartialShape& shape) {
  int64_t rank;
  if (is_list(item)) {
    const Items dims = split_dims(item);
    const int size = static_cast<int>(dims.size());
    return group_of(dims) < 0 ? with_rank(shape, size).status() : check_rank_at_least(shape, size - 1);
  }
  if (absl::string_view number = item; absl::ConsumePrefix(&number, "<=")) {
    return absl::SimpleAtoi(number, &rank) ? check_rank_at_most(shape, rank) : malformed(item);
  }
  if (absl::string_view number = item; absl::ConsumePrefix(&number, ">=")) {
    return absl::SimpleAtoi(number, &rank) ? check_rank_at_least(shape, rank) : malformed(item);
  }
  return absl::OkStatus();
}

absl::Status match_list(absl::string_view item, const PartialShape& shape, const ShapeContext& c,
                        Bindings& bound) {
  const Items dims = split_dims(item);
  const int size = static_cast<int>(dims.size());
  const int group = group_of(dims);
  if (!shape.known_rank()) {
    for (absl::string_view d : dims) {
      if (!is_group(d)) TROUPE_RETURN_IF_ERROR(match_dim(d, kUnknownDim, c, bound));
    }
    return absl::OkStatus();
  }
  const int tail = group < 0 ? 0 : size - 1 - group;
  for (int i = 0; i < size; ++i) {
    if (i == group) continue;
    const int at = group < 0 || i < group ? i : shape.rank() - (size - i);
    TROUPE_RETURN_IF_ERROR(match_dim(dims[i], shape.dim(at), c, bound));
  }
  if (group >= 0 && dims[group] != "*") {
    PartialShape& known = bound.shape(absl::StripSuffix(dims[group], "*"));
    TROUPE_ASSIGN_OR_RETURN(known, merge(known, subshape(shape, group, shape.rank() - tail)));
  }
  return absl::OkStatus();
}

absl::Status match(absl::string_view item, const PartialShape& shape, const ShapeContext& c,
                   Bindings& bound) {
  if (item == "*" || absl::StartsWith(item, "<=") || absl::StartsWith(item, ">=")) return absl::OkStatus();
  if (is_list(item)) return match_list(item, shape, c, bound);
  if (absl::string_view name = item; absl::ConsumePrefix(&name, "$")) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape attr, c.attr<PartialShape>(name));
    return merge(shape, attr).status();
  }
  if (item.empty() || !absl::ascii_isupper(item[0])) return malformed(item);
  PartialShape& known = bound.shape(item);
  TROUPE_ASSIGN_OR_RETURN(known, merge(known, shape));
  return absl::OkStatus();
}

absl::StatusOr<PartialShape> build(absl::string_view item, const ShapeContext& c, Bindings& bound) {
  if (item == "*") return PartialShape();
  if (absl::string_view name = item; absl::ConsumePrefix(&name, "$")) return c.attr<PartialShape>(name);
  if (!is_list(item)) {
    if (item.empty() || !absl::ascii_isupper(item[0])) return malformed(item);
    return bound.shape(item);
  }
  PartialShape shape{Dims()};
  for (absl::string_view text : split_dims(item)) {
    int64_t number;
    if (is_group(text)) {
      shape = concatenate(shape, text == "*" ? PartialShape() : bound.shape(absl::StripSuffix(text, "*")));
    } else if (text == "?") {
      shape = append(shape, kUnknownDim);
    } else if (absl::string_view name = text; absl::ConsumePrefix(&name, "$")) {
      TROUPE_ASSIGN_OR_RETURN(number, c.attr<int64_t>(name));
      shape = append(shape, number < 0 ? kUnknownDim : number);
    } else if (absl::SimpleAtoi(text, &number)) {
      shape = append(shape, number);
    } else {
      shape = append(shape, bound.dim(text));
    }
  }
  return shape;
}

Items split_items(absl::string_view side) {
  Items items;
  for (absl::string_view item : absl::StrSplit(side, ' ', absl::SkipEmpty())) items.push_back(item);
  return items;
}

}  // namespace

absl::Status apply_rule(absl::string_view rule, ShapeContext& c) {
  const std::pair<absl::string_view, absl::string_view> sides =
      absl::StrSplit(rule, absl::MaxSplits("->", 1));
  const Items inputs = split_items(sides.first);
  const Items outputs = split_items(sides.second);
  if (inputs.size() > c.op().inputs.size() || outputs.size() > c.op().outputs.size()) return malformed(rule);

  Bindings bound;
  TROUPE_ASSIGN_OR_RETURN(auto in_ranges, arg_ranges(c.op().inputs, c.attrs()));
  // Ranks before dimensions: of several errors, that is TensorFlow's.
  for (size_t a = 0; a < inputs.size(); ++a) {
    for (int i = in_ranges[a].first; i < in_ranges[a].second; ++i) {
      TROUPE_RETURN_IF_ERROR(check_rank(inputs[a], c.input(i)));
    }
  }
  for (size_t a = 0; a < inputs.size(); ++a) {
    for (int i = in_ranges[a].first; i < in_ranges[a].second; ++i) {
      TROUPE_RETURN_IF_ERROR(match(inputs[a], c.input(i), c, bound));
    }
  }
  if (outputs.empty()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(auto out_ranges, arg_ranges(c.op().outputs, c.attrs()));
  for (size_t a = 0; a < outputs.size(); ++a) {
    for (int i = out_ranges[a].first; i < out_ranges[a].second; ++i) {
      TROUPE_ASSIGN_OR_RETURN(PartialShape shape, build(outputs[a], c, bound));
      c.set_output(i, std::move(shape));
    }
  }
  return absl::OkStatus();
}

}  // namespace troupe::shapes
