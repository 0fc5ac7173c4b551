#include "tools/troupe/cases.h"

#include <map>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/status.h"
#include "tools/troupe/files.h"
#include "tools/troupe/literal.h"
#include "tools/troupe/npy.h"

namespace troupe {
namespace {

constexpr absl::string_view kInline = "inline:";
constexpr size_t kColumns = 10;

constexpr std::pair<CaseKind, absl::string_view> kKinds[] = {
    {CaseKind::kOk, "ok"},
    {CaseKind::kSeededRng, "seeded_rng"},
    {CaseKind::kNondeterministic, "nondeterministic"},
    {CaseKind::kOrderUnspecified, "order_unspecified"},
    {CaseKind::kIlltyped, "illtyped_in_TF"},
    {CaseKind::kMissingFeed, "missing_feed"},
};

absl::StatusOr<CaseTensor> parse_tensor(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('|', 3));
  if (parts.size() != 4)
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not name|dtype|shape|value"));
  CaseTensor t;
  t.name = std::string(parts[0]);
  const std::optional<DataType> dtype = dtype_from_name(parts[1]);
  if (!dtype.has_value()) return absl::InvalidArgumentError(absl::StrCat("unknown dtype '", parts[1], "'"));
  t.dtype = *dtype;
  TROUPE_ASSIGN_OR_RETURN(t.shape, parse_shape_text(parts[2]));
  t.value = std::string(parts[3]);
  return t;
}

absl::StatusOr<std::vector<CaseTensor>> parse_tensors(absl::string_view text) {
  std::vector<CaseTensor> out;
  if (text == "-") return out;
  for (absl::string_view item : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    TROUPE_ASSIGN_OR_RETURN(CaseTensor tensor, parse_tensor(item));
    out.push_back(std::move(tensor));
  }
  return out;
}

absl::StatusOr<Case> parse_case(absl::string_view line) {
  const std::vector<absl::string_view> cells = absl::StrSplit(line, '\t');
  if (cells.size() != kColumns) {
    return absl::InvalidArgumentError(absl::StrCat(cells.size(), " columns instead of ", kColumns));
  }
  Case c;
  c.id = std::string(cells[0]);
  c.graph = std::string(cells[1]);
  bool known = false;
  for (const auto& [kind, name] : kKinds) {
    if (cells[2] == name) {
      c.kind = kind;
      known = true;
    }
  }
  if (!known) return absl::InvalidArgumentError(absl::StrCat("unknown status '", cells[2], "'"));
  if (!absl::SimpleAtod(cells[4], &c.rtol) || !absl::SimpleAtod(cells[5], &c.atol)) {
    return absl::InvalidArgumentError("a tolerance is no number");
  }
  TROUPE_ASSIGN_OR_RETURN(c.feeds, parse_tensors(cells[7]));
  TROUPE_ASSIGN_OR_RETURN(c.fetches, parse_tensors(cells[8]));
  c.notes = std::string(cells[9]);
  return c;
}

}  // namespace

absl::string_view case_kind_name(CaseKind kind) {
  for (const auto& [k, name] : kKinds) {
    if (k == kind) return name;
  }
  return "?";
}

absl::StatusOr<std::vector<Case>> parse_cases(absl::string_view text) {
  std::vector<Case> cases;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    if (++line_number == 1) {
      if (!absl::StartsWith(line, "case_id\t"))
        return absl::InvalidArgumentError("the list has no header line");
      continue;
    }
    if (line.empty()) continue;
    absl::StatusOr<Case> c = parse_case(line);
    if (!c.ok()) return annotate(c.status(), absl::StrCat("line ", line_number, ": "));
    cases.push_back(*std::move(c));
  }
  return cases;
}

std::string case_tensor_path(const CaseTensor& tensor, const std::string& root) {
  if (absl::StartsWith(tensor.value, kInline)) return "";
  return absl::StrCat(root, "/", absl::StrReplaceAll(tensor.value, {{"%20", " "}}));
}

absl::StatusOr<Tensor> load_case_tensor(const CaseTensor& tensor, const std::string& root) {
  absl::string_view value = tensor.value;
  if (absl::ConsumePrefix(&value, kInline)) {
    return parse_literal(value, tensor.dtype, tensor.shape, LiteralStyle::kExact);
  }
  const std::string path = case_tensor_path(tensor, root);
  if (absl::EndsWith(path, ".json")) {
    TROUPE_ASSIGN_OR_RETURN(std::string text, read_file(path));
    return parse_literal(text, tensor.dtype, tensor.shape, LiteralStyle::kExact);
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor loaded, read_npy(path, tensor.dtype));
  if (!(loaded.shape() == tensor.shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": holds shape ", loaded.shape().to_string(), ", not ", tensor.shape.to_string()));
  }
  return loaded;
}

}  // namespace troupe
