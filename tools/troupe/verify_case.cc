#include "tools/troupe/verify_case.h"

#include <chrono>

#include "actors/runtime.h"
#include "actors/saved_model.h"
#include "actors/session.h"
#include "graph/ir/graph_file.h"
#include "graph/ir/names.h"
#include "proto/graph.pb.h"
#include "proto/node_def.pb.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tools/troupe/compare.h"
#include "tools/troupe/files.h"
#include "tools/troupe/messages.h"

namespace troupe {
namespace {

using Outcome = CaseResult::Outcome;

/// How TensorFlow's message for an op without a kernel goes on.
constexpr absl::string_view kNoKernel = "No OpKernel was registered to support Op '";
/// In the notes of a missing_feed case: the placeholders' names follow.
constexpr absl::string_view kUnfed = "placeholders without data:";

CaseResult failed(std::string kind, std::string message) {
  CaseResult r;
  r.kind = std::move(kind);
  r.message = std::move(message);
  return r;
}

CaseResult passed() {
  CaseResult r;
  r.outcome = Outcome::kPassed;
  return r;
}

/// Skipped when a file of the case is absent.
bool lacks_files(const Case& c, const std::string& root, CaseResult* result) {
  std::vector<std::string> paths = {absl::StrCat(root, "/", c.graph)};
  for (const CaseTensor& t : c.feeds) paths.push_back(case_tensor_path(t, root));
  for (const CaseTensor& t : c.fetches) paths.push_back(case_tensor_path(t, root));
  for (const std::string& path : paths) {
    if (path.empty() || file_exists(path)) continue;
    result->outcome = Outcome::kSkipped;
    result->kind = "no_file";
    result->message = absl::StrCat(path, " is absent");
    return true;
  }
  return false;
}

/// An error other than the one that the case is about tells nothing of it.
bool is_own_fault(const absl::Status& status) {
  return absl::IsInternal(status) || absl::IsUnimplemented(status) || absl::IsResourceExhausted(status);
}

CaseResult judge_refusal(const Case&, const absl::Status& created) {
  if (created.ok()) return failed("not_refused", "the graph was accepted");
  if (is_own_fault(created)) return result_of_error(created, "load_error");
  return passed();
}

CaseResult judge_missing_feed(const Case& c, const absl::Status& run) {
  if (run.ok()) return failed("not_refused", "the run succeeded without its feed");
  const size_t at = absl::string_view(c.notes).find(kUnfed);
  const std::string names = at == absl::string_view::npos ? "" : c.notes.substr(at + kUnfed.size());
  for (absl::string_view name : absl::StrSplit(names, absl::ByAnyChar(" ,"), absl::SkipEmpty())) {
    if (!absl::StrContains(run.message(), name)) {
      return failed("run_error", absl::StrCat("the error does not name '", name, "': ", one_line(run)));
    }
  }
  return passed();
}

CaseResult judge_values(const Case& c, const std::string& root, const std::vector<Tensor>& got) {
  CaseResult r = passed();
  r.exact = true;
  for (size_t i = 0; i < c.fetches.size(); ++i) {
    const CaseTensor& fetch = c.fetches[i];
    std::string difference = type_difference(got[i], fetch.dtype, fetch.shape);
    if (difference.empty() && c.kind != CaseKind::kNondeterministic) {
      const absl::StatusOr<Tensor> want = load_case_tensor(fetch, root);
      if (!want.ok()) return failed("load_error", one_line(want.status()));
      difference = first_difference(got[i], *want, {c.rtol, c.atol, c.kind == CaseKind::kOrderUnspecified});
      if (!difference.empty() && c.kind == CaseKind::kSeededRng) {
        r.exact = false;
        continue;
      }
    }
    if (!difference.empty()) return failed("wrong_result", absl::StrCat(fetch.name, " ", difference));
  }
  return r;
}

std::vector<std::string> fetched_ops(const Case& c, const pb::GraphDef& graph) {
  std::vector<std::string> ops;
  for (const CaseTensor& fetch : c.fetches) {
    const absl::string_view name = parse_tensor_name(fetch.name).node;
    for (const pb::NodeDef& node : graph.node()) {
      if (node.name() == name) ops.push_back(node.op());
    }
  }
  return ops;
}

CaseResult run_and_judge(const Case& c, const std::string& root, Runtime& runtime, bool as_written) {
  const absl::StatusOr<GraphFile> model = read_graph_file(absl::StrCat(root, "/", c.graph));
  if (!model.ok()) {
    return c.kind == CaseKind::kIlltyped ? judge_refusal(c, model.status())
                                         : result_of_error(model.status(), "load_error");
  }
  SessionOptions options;
  options.optimize = !as_written;
  absl::StatusOr<std::unique_ptr<Session>> session = Session::open(runtime, options);
  if (!session.ok()) return result_of_error(session.status(), "load_error");
  const absl::Status created = load_model(*model, session->get());
  if (c.kind == CaseKind::kIlltyped) return judge_refusal(c, created);

  CaseResult result;
  if (!created.ok()) {
    result = result_of_error(created, "load_error");
  } else {
    std::vector<NamedTensor> feeds;
    for (const CaseTensor& feed : c.feeds) {
      absl::StatusOr<Tensor> value = load_case_tensor(feed, root);
      if (!value.ok()) return failed("load_error", one_line(value.status()));
      feeds.emplace_back(feed.name, *std::move(value));
    }
    std::vector<std::string> fetches;
    for (const CaseTensor& fetch : c.fetches) fetches.push_back(fetch.name);
    const absl::StatusOr<std::vector<Tensor>> got = (*session)->run(feeds, fetches);
    if (c.kind == CaseKind::kMissingFeed) {
      result = judge_missing_feed(c, got.status());
    } else {
      result = got.ok() ? judge_values(c, root, *got) : result_of_error(got.status(), "run_error");
    }
  }
  if (result.outcome == Outcome::kFailed) result.ops = fetched_ops(c, model->graph_def());
  return result;
}

}  // namespace

CaseResult run_case(const Case& c, const std::string& root, Runtime& runtime, bool as_written) {
  CaseResult result;
  if (lacks_files(c, root, &result)) return result;
  const auto begin = std::chrono::steady_clock::now();
  result = run_and_judge(c, root, runtime, as_written);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  result.milliseconds = took.count();
  return result;
}

CaseResult result_of_error(const absl::Status& status, std::string kind) {
  CaseResult r = failed(std::move(kind), one_line(status));
  const absl::string_view message = status.message();
  const size_t at = message.find(kNoKernel);
  if (at != absl::string_view::npos) {
    const absl::string_view rest = message.substr(at + kNoKernel.size());
    r.kind = "missing_kernel";
    r.missing_op = std::string(rest.substr(0, rest.find('\'')));
  }
  return r;
}

std::string to_json_line(const CaseResult& r) {
  const nlohmann::json json = {{"outcome", static_cast<int>(r.outcome)},
                               {"kind", r.kind},
                               {"message", r.message},
                               {"ops", r.ops},
                               {"missing_op", r.missing_op},
                               {"exact", r.exact},
                               {"text_difference", r.text_difference},
                               {"ms", r.milliseconds}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

CaseResult from_json_line(const std::string& line) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return failed("crashed", absl::StrCat("the worker said: ", line));
  CaseResult r;
  r.outcome = static_cast<Outcome>(json.value("outcome", static_cast<int>(Outcome::kFailed)));
  r.kind = json.value("kind", "");
  r.message = json.value("message", "");
  r.ops = json.value("ops", std::vector<std::string>());
  r.missing_op = json.value("missing_op", "");
  r.exact = json.value("exact", false);
  r.text_difference = json.value("text_difference", "");
  r.milliseconds = json.value("ms", 0.0);
  return r;
}

}  // namespace troupe
