// Strings.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

absl::Status reduce_join(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(1), 1));
  return reduce_axes(c).status();
}

/// All inputs that are no scalars have one shape.
absl::Status join(ShapeContext& c) {
  PartialShape out{Dims()};
  bool all_scalar = true, unknown_rank = false;
  PartialShape merged;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialShape& in = c.input(i);
    if (!in.known_rank()) unknown_rank = true;
    if (in.rank() == 0) continue;
    all_scalar = false;
    TROUPE_ASSIGN_OR_RETURN(merged, merge(merged, in));
  }
  if (all_scalar && !unknown_rank) merged = std::move(out);
  c.set_output(0, std::move(merged));
  return absl::OkStatus();
}

absl::Status substring(ShapeContext& c) {
  const PartialShape &in = c.input(0), &pos = c.input(1), &len = c.input(2);
  if (len.known_rank()) TROUPE_RETURN_IF_ERROR(with_rank(pos, len.rank()).status());
  for (int i = 0; i < pos.rank(); ++i) {
    if (pos.dim(i) != dim_of(len, i)) {
      return invalid(absl::StrCat("pos and len shapes must match: ", text(pos), " vs. ", text(len)));
    }
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape out, broadcast(in, pos));
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status print(ShapeContext& c) {
  if (c.input(0).rank() > 0)
    return invalid(absl::StrCat("input must be a scalar, but has rank: ", c.input(0).rank()));
  return absl::OkStatus();
}

absl::Status format(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(std::string pattern, c.attr<std::string>("template"));
  TROUPE_ASSIGN_OR_RETURN(std::string placeholder, c.attr<std::string>("placeholder"));
  const std::vector<std::string> pieces = absl::StrSplit(pattern, placeholder);
  if (static_cast<int>(pieces.size()) != c.num_inputs() + 1) {
    return invalid(absl::StrCat("num placeholders in template and num inputs must match: ", pieces.size() - 1,
                                " vs. ", c.num_inputs()));
  }
  return scalar(c);
}

absl::Status unicode_decode(ShapeContext& c) {
  const int64_t n = num_elements(c.input(0));
  TROUPE_ASSIGN_OR_RETURN(int64_t splits, add_dims(n, 1));
  c.set_output(0, PartialShape({splits}));
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, PartialShape({kUnknownDim}));
  return absl::OkStatus();
}

absl::Status decode_raw(ShapeContext& c) {
  if (c.input(0).known_rank()) c.set_output(0, append(c.input(0), kUnknownDim));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"AsString", unchanged},
    {"DecodeBase64", unchanged},
    {"EncodeBase64", unchanged},
    {"ReduceJoin", reduce_join},
    {"RegexFullMatch", rule<"S [] -> S">},
    {"RegexReplace", rule<"S [] [] -> S">},
    {"StaticRegexFullMatch", unchanged},
    {"StaticRegexReplace", unchanged},
    {"StringFormat", format},
    {"StringJoin", join},
    {"StringLength", unchanged},
    {"StringLower", unchanged},
    {"StringSplit", rule<"[?] [] -> [?,2] [?] [2]">},
    {"StringSplitV2", rule<"[?] [] -> [?,2] [?] [2]">},
    {"StringStrip", unchanged},
    {"StringToHashBucket", unchanged},
    {"StringToHashBucketFast", unchanged},
    {"_TensorToHashBucketFast", unchanged},
    {"StringToHashBucketStrong", unchanged},
    {"StringToNumber", unchanged},
    {"StringUpper", unchanged},
    {"Substr", substring},
    {"UnicodeDecode", unicode_decode},
    {"UnicodeScript", unchanged},
    {"DecodeRaw", decode_raw},
    {"PrintV2", print},
};

}  // namespace

absl::Status register_string_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
