#include "tools/troupe/script.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/status.h"
#include "nlohmann/json.hpp"
#include "tools/troupe/literal.h"

namespace troupe {
namespace {

using Json = nlohmann::json;
using Op = ScriptStep::Op;

constexpr size_t kListColumns = 5;

constexpr std::pair<Op, absl::string_view> kOps[] = {
    {Op::kRun, "run"},
    {Op::kExtend, "extend"},
    {Op::kPartialRunSetup, "partial_run_setup"},
    {Op::kPartialRun, "partial_run"},
    {Op::kMakeCallable, "make_callable"},
    {Op::kRunCallable, "run_callable"},
    {Op::kReleaseCallable, "release_callable"},
    {Op::kClose, "close"},
    {Op::kNewSession, "new_session"},
    {Op::kReset, "reset"},
    {Op::kParallel, "parallel"},
    {Op::kWriteFile, "write_file"},
    {Op::kExpectFile, "expect_file"},
};

constexpr std::pair<absl::string_view, Script::GraphKind> kGraphKinds[] = {
    {"graph_def", Script::GraphKind::kGraphDef},
    {"meta_graph", Script::GraphKind::kMetaGraph},
    {"saved_model", Script::GraphKind::kSavedModel},
};

/// Reads JSON into a script. The first thing that is malformed is kept; what is read after it means nothing.
class Reader {
 public:
  explicit Reader(const ScriptPlaces& places) : places_(places) {}

  Script script(const Json& json);
  const absl::Status& status() const { return status_; }

 private:
  void fail(const std::string& why) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(absl::StrCat(where_, why));
  }
  std::string with_places(absl::string_view text) const {
    return absl::StrReplaceAll(text, {{"${TMP}", places_.tmp}, {"${ROOT}", places_.root}});
  }

  std::string text(const Json& json, const char* key);
  double number(const Json& json, const char* key);
  const Json& list(const Json& json, const char* key);
  std::vector<std::string> texts(const Json& json, const char* key);
  Expectation expectation(const Json& json, const char* key);
  Json with_plain_texts(const Json& value) const;
  std::string value(const Json& json);
  CaseTensor tensor(const Json& json);
  std::vector<CaseTensor> tensors(const Json& json, const char* key);
  void own_fields(const Json& json, ScriptStep* step);
  ScriptStep step(const Json& json, bool in_parallel);
  std::vector<ScriptStep> steps(const Json& json, bool in_parallel);

  const ScriptPlaces& places_;
  std::string where_;
  absl::Status status_;
};

std::string Reader::text(const Json& json, const char* key) {
  const auto it = json.find(key);
  if (it == json.end() || it->is_null()) return "";
  if (it->is_string()) return it->get<std::string>();
  fail(absl::StrCat("'", key, "' is no text"));
  return "";
}

double Reader::number(const Json& json, const char* key) {
  const auto it = json.find(key);
  if (it == json.end() || it->is_null()) return 0;
  if (it->is_number()) return it->get<double>();
  fail(absl::StrCat("'", key, "' is no number"));
  return 0;
}

const Json& Reader::list(const Json& json, const char* key) {
  static const Json* const kEmpty = new Json(Json::array());
  const auto it = json.find(key);
  if (it == json.end() || it->is_null()) return *kEmpty;
  if (it->is_array()) return *it;
  fail(absl::StrCat("'", key, "' is no list"));
  return *kEmpty;
}

std::vector<std::string> Reader::texts(const Json& json, const char* key) {
  std::vector<std::string> out;
  for (const Json& item : list(json, key)) {
    if (!item.is_string()) {
      fail(absl::StrCat("'", key, "' holds what is no text"));
      return {};
    }
    out.push_back(with_places(item.get<std::string>()));
  }
  return out;
}

Expectation Reader::expectation(const Json& json, const char* key) {
  Expectation out;
  const auto it = json.find(key);
  if (it == json.end() || it->is_null()) return out;
  const std::string code = it->is_object() ? text(*it, "code") : "";
  for (int i = 0; i <= static_cast<int>(absl::StatusCode::kUnauthenticated); ++i) {
    if (absl::StatusCodeToString(static_cast<absl::StatusCode>(i)) != code) continue;
    out.code = static_cast<absl::StatusCode>(i);
    out.texts = texts(*it, "message_contains");
    return out;
  }
  fail(absl::StrCat("'", key, "' has no known code: '", code, "'"));
  return out;
}

/// {"t": text} becomes the base64 of the text, as the other strings are spelled.
Json Reader::with_plain_texts(const Json& value) const {
  if (value.is_object() && value.contains("t") && value["t"].is_string()) {
    return absl::Base64Escape(with_places(value["t"].get<std::string>()));
  }
  if (!value.is_array()) return value;
  Json out = Json::array();
  for (const Json& item : value) out.push_back(with_plain_texts(item));
  return out;
}

std::string Reader::value(const Json& json) {
  if (json.is_null()) return "";
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object() && json.contains("inline")) {
    return absl::StrCat("inline:", with_plain_texts(json["inline"]).dump());
  }
  fail("a value is neither a path nor inline");
  return "";
}

CaseTensor Reader::tensor(const Json& json) {
  CaseTensor out;
  if (json.is_string()) {
    out.name = json.get<std::string>();
    return out;
  }
  if (!json.is_array() || json.size() != 4 || !json[0].is_string()) {
    fail("a tensor is not [name, dtype, shape, value]");
    return out;
  }
  out.name = json[0].get<std::string>();
  if (json[1].is_null()) return out;
  const std::string name = json[1].is_string() ? json[1].get<std::string>() : json[1].dump();
  const std::optional<DataType> dtype = dtype_from_name(name);
  const absl::StatusOr<Shape> shape = parse_shape_text(json[2].dump());
  if (!dtype.has_value()) {
    fail(absl::StrCat(out.name, ": unknown dtype '", name, "'"));
  } else if (!shape.ok()) {
    fail(absl::StrCat(out.name, ": ", shape.status().message()));
  } else {
    out.dtype = *dtype;
    out.shape = *shape;
    out.value = value(json[3]);
  }
  return out;
}

std::vector<CaseTensor> Reader::tensors(const Json& json, const char* key) {
  std::vector<CaseTensor> out;
  for (const Json& item : list(json, key)) out.push_back(tensor(item));
  return out;
}

/// The fields that only some ops have.
void Reader::own_fields(const Json& json, ScriptStep* step) {
  switch (step->op) {
    case Op::kExtend: step->graph = text(json, "graph"); break;
    case Op::kReset: step->containers = texts(json, "containers"); break;
    case Op::kParallel:
      for (const Json& lane : list(json, "steps")) step->lanes.push_back(steps(lane, true));
      break;
    case Op::kWriteFile:
      step->path = with_places(text(json, "path"));
      if (!absl::Base64Unescape(text(json, "bytes_b64"), &step->bytes)) fail("'bytes_b64' is no base64");
      break;
    case Op::kExpectFile: {
      step->path = with_places(text(json, "path"));
      const auto exists = json.find("exists");
      if (exists != json.end() && !exists->is_boolean()) fail("'exists' is neither true nor false");
      step->exists = exists == json.end() || !exists->is_boolean() || exists->get<bool>();
      break;
    }
    default: break;
  }
}

ScriptStep Reader::step(const Json& json, bool in_parallel) {
  ScriptStep out;
  if (!json.is_object()) {
    fail("a step is no object");
    return out;
  }
  const std::string name = text(json, "op");
  bool known = false;
  for (const auto& [op, op_name] : kOps) {
    if (name != op_name) continue;
    out.op = op;
    known = true;
  }
  if (!known) fail(absl::StrCat("unknown step '", name, "'"));
  if (in_parallel && (out.op == Op::kParallel || out.op == Op::kNewSession)) {
    fail(absl::StrCat("'", name, "' inside 'parallel'"));
  }
  out.delay_ms = static_cast<int>(number(json, "delay_ms"));
  out.expect = expectation(json, "expect");
  out.feeds = tensors(json, "feeds");
  out.fetches = tensors(json, "fetches");
  out.targets = texts(json, "targets");
  out.rtol = number(json, "rtol");
  out.atol = number(json, "atol");
  out.as_sets = text(json, "compare") == "order";
  out.handle = text(json, "handle");
  own_fields(json, &out);
  return out;
}

std::vector<ScriptStep> Reader::steps(const Json& json, bool in_parallel) {
  std::vector<ScriptStep> out;
  if (!json.is_array()) {
    fail("the steps are no list");
    return out;
  }
  for (const Json& item : json) {
    if (!in_parallel) where_ = absl::StrCat("step ", out.size() + 1, ": ");
    out.push_back(step(item, in_parallel));
  }
  return out;
}

Script Reader::script(const Json& json) {
  Script out;
  out.graph = text(json, "graph");
  const std::string kind = text(json, "graph_kind");
  bool known = out.graph.empty();
  for (const auto& [name, graph_kind] : kGraphKinds) {
    if (out.graph.empty() || kind != name) continue;
    out.graph_kind = graph_kind;
    known = true;
  }
  if (!known) fail(absl::StrCat("unknown graph_kind '", kind, "'"));
  out.tags = texts(json, "saved_model_tags");
  out.config = text(json, "config");
  out.expect_create = expectation(json, "expect_create");
  out.seeded_rng = text(json, "status") == "seeded_rng";
  out.steps = steps(list(json, "steps"), false);
  return out;
}

}  // namespace

absl::StatusOr<std::vector<ScriptEntry>> parse_script_list(absl::string_view text) {
  std::vector<ScriptEntry> entries;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    if (++line_number == 1) {
      if (!absl::StartsWith(line, "script_id\t"))
        return absl::InvalidArgumentError("the list has no header line");
      continue;
    }
    if (line.empty()) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (cells.size() != kListColumns) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line_number, ": ", cells.size(), " columns instead of ", kListColumns));
    }
    entries.push_back({cells[0], cells[1], cells[2], cells[3]});
  }
  return entries;
}

absl::StatusOr<Script> parse_script(absl::string_view json, const ScriptPlaces& places) {
  const Json parsed = Json::parse(json.begin(), json.end(), nullptr, false);
  if (!parsed.is_object()) return absl::InvalidArgumentError("the script is no JSON object");
  Reader reader(places);
  Script script = reader.script(parsed);
  TROUPE_RETURN_IF_ERROR(reader.status());
  return script;
}

absl::string_view script_op_name(Op op) {
  for (const auto& [known, name] : kOps) {
    if (known == op) return name;
  }
  return "?";
}

}  // namespace troupe
