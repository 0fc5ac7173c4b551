#include "tools/troupe/verify_script.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "actors/runtime.h"
#include "actors/saved_model.h"
#include "actors/session.h"
#include "graph/ir/graph_file.h"
#include "graph/status.h"
#include "proto/graph.pb.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/troupe/compare.h"
#include "tools/troupe/files.h"
#include "tools/troupe/messages.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using Op = ScriptStep::Op;
using Outcome = CaseResult::Outcome;

/// An empty folder that is removed, with what is in it, at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "troupe-script-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  /// "" when it could not be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// How a step ended.
struct StepEnd {
  absl::Status status;
  std::vector<Tensor> fetched;
};

std::vector<std::string> names_of(const std::vector<CaseTensor>& tensors) {
  std::vector<std::string> names;
  for (const CaseTensor& t : tensors) names.push_back(t.name);
  return names;
}

class ScriptRun {
 public:
  ScriptRun(const Script& script, const std::string& root, Runtime& runtime, bool as_written)
      : script_(script), root_(root), runtime_(runtime), as_written_(as_written) {
    result_.outcome = Outcome::kPassed;
    result_.exact = true;
  }

  CaseResult run();

 private:
  absl::Status open();
  void run_steps(const std::vector<ScriptStep>& steps, const std::string& where);
  void run_lanes(const ScriptStep& step, const std::string& where);

  StepEnd take(const ScriptStep& step);
  StepEnd take_run(const ScriptStep& step);
  StepEnd take_partial(const ScriptStep& step);
  StepEnd take_callable(const ScriptStep& step);
  absl::Status take_other(const ScriptStep& step);
  absl::Status reset(const std::vector<std::string>& containers);
  absl::StatusOr<std::vector<NamedTensor>> load_feeds(const ScriptStep& step);

  /// False when the script cannot go on.
  bool judge(const Expectation& expect, const absl::Status& status, const std::string& where);
  bool judge_values(const ScriptStep& step, const std::vector<Tensor>& got, const std::string& where);
  void fail(std::string kind, std::string message);
  bool failed();

  const Script& script_;
  const std::string& root_;
  Runtime& runtime_;
  const bool as_written_;
  std::vector<std::unique_ptr<Session>> sessions_;

  /// The threads of a parallel step share what is below.
  std::mutex mutex_;
  std::map<std::string, std::string> partial_runs_;
  std::map<std::string, CallableHandle> callables_;
  CaseResult result_;
};

void ScriptRun::fail(std::string kind, std::string message) {
  const std::scoped_lock lock(mutex_);
  if (result_.outcome == Outcome::kFailed) return;
  result_.outcome = Outcome::kFailed;
  result_.kind = std::move(kind);
  result_.message = std::move(message);
}

bool ScriptRun::failed() {
  const std::scoped_lock lock(mutex_);
  return result_.outcome == Outcome::kFailed;
}

bool ScriptRun::judge(const Expectation& expect, const absl::Status& status, const std::string& where) {
  if (status.code() != expect.code) {
    const std::string wanted(absl::StatusCodeToString(expect.code));
    if (status.ok()) {
      fail("not_refused", absl::StrCat(where, "succeeded instead of ", wanted));
      return false;
    }
    CaseResult why =
        result_of_error(status, expect.code == absl::StatusCode::kOk ? "run_error" : "wrong_code");
    fail(why.kind, absl::StrCat(where, why.message, " instead of ", wanted));
    const std::scoped_lock lock(mutex_);
    result_.missing_op = why.missing_op;
    return false;
  }
  for (const std::string& text : expect.texts) {
    if (absl::StrContains(status.message(), text)) continue;
    const std::scoped_lock lock(mutex_);
    if (!result_.text_difference.empty()) break;
    result_.text_difference = absl::StrCat(where, "'", text, "' is not in ", one_line(status));
  }
  return true;
}

bool ScriptRun::judge_values(const ScriptStep& step, const std::vector<Tensor>& got,
                             const std::string& where) {
  for (size_t i = 0; i < step.fetches.size(); ++i) {
    const CaseTensor& fetch = step.fetches[i];
    if (fetch.value.empty()) continue;
    std::string difference =
        i < got.size() ? type_difference(got[i], fetch.dtype, fetch.shape) : "was not fetched";
    if (difference.empty()) {
      const absl::StatusOr<Tensor> want = load_case_tensor(fetch, root_);
      if (!want.ok()) {
        fail("load_error", absl::StrCat(where, one_line(want.status())));
        return false;
      }
      difference = first_difference(got[i], *want, {step.rtol, step.atol, step.as_sets});
      if (!difference.empty() && script_.seeded_rng) {
        const std::scoped_lock lock(mutex_);
        result_.exact = false;
        continue;
      }
    }
    if (difference.empty()) continue;
    fail("wrong_result", absl::StrCat(where, fetch.name, " ", difference));
    return false;
  }
  return true;
}

absl::StatusOr<std::vector<NamedTensor>> ScriptRun::load_feeds(const ScriptStep& step) {
  std::vector<NamedTensor> feeds;
  for (const CaseTensor& feed : step.feeds) {
    TROUPE_ASSIGN_OR_RETURN(Tensor value, load_case_tensor(feed, root_));
    feeds.emplace_back(feed.name, std::move(value));
  }
  return feeds;
}

StepEnd ScriptRun::take_run(const ScriptStep& step) {
  auto feeds = load_feeds(step);
  if (!feeds.ok()) return {feeds.status(), {}};
  auto fetched = sessions_.back()->run(*feeds, names_of(step.fetches), step.targets);
  if (!fetched.ok()) return {fetched.status(), {}};
  return {absl::OkStatus(), *std::move(fetched)};
}

StepEnd ScriptRun::take_partial(const ScriptStep& step) {
  Session& session = *sessions_.back();
  if (step.op == Op::kPartialRunSetup) {
    auto handle = session.partial_run_setup(names_of(step.feeds), names_of(step.fetches), step.targets);
    if (!handle.ok()) return {handle.status(), {}};
    const std::scoped_lock lock(mutex_);
    partial_runs_[step.handle] = *handle;
    return {};
  }
  auto feeds = load_feeds(step);
  if (!feeds.ok()) return {feeds.status(), {}};
  std::string handle = step.handle;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto it = partial_runs_.find(handle); it != partial_runs_.end()) handle = it->second;
  }
  auto fetched = session.partial_run(handle, *feeds, names_of(step.fetches));
  if (!fetched.ok()) return {fetched.status(), {}};
  return {absl::OkStatus(), *std::move(fetched)};
}

StepEnd ScriptRun::take_callable(const ScriptStep& step) {
  Session& session = *sessions_.back();
  if (step.op == Op::kMakeCallable) {
    CallableOptions options;
    options.feeds = names_of(step.feeds);
    options.fetches = names_of(step.fetches);
    options.targets = step.targets;
    const auto handle = session.make_callable(options);
    if (!handle.ok()) return {handle.status(), {}};
    const std::scoped_lock lock(mutex_);
    callables_[step.handle] = *handle;
    return {};
  }
  CallableHandle handle = -1;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto it = callables_.find(step.handle); it != callables_.end()) handle = it->second;
  }
  if (step.op == Op::kReleaseCallable) return {session.release_callable(handle), {}};
  auto feeds = load_feeds(step);
  if (!feeds.ok()) return {feeds.status(), {}};
  std::vector<Tensor> values;
  for (NamedTensor& feed : *feeds) values.push_back(std::move(feed.second));
  StepEnd end;
  end.fetched.resize(step.fetches.size());
  end.status = session.run_callable(handle, values, end.fetched);
  return end;
}

/// What TF_Reset does to a process: the containers are cleared, and every session is closed.
absl::Status ScriptRun::reset(const std::vector<std::string>& containers) {
  for (const std::unique_ptr<Session>& session : sessions_) {
    TROUPE_RETURN_IF_ERROR(session->clear_containers(containers));
    TROUPE_RETURN_IF_ERROR(session->close());
  }
  return absl::OkStatus();
}

absl::Status ScriptRun::take_other(const ScriptStep& step) {
  switch (step.op) {
    case Op::kExtend: {
      TROUPE_ASSIGN_OR_RETURN(const GraphFile more, read_graph_file(absl::StrCat(root_, "/", step.graph)));
      return sessions_.back()->extend(more.graph_def());
    }
    case Op::kClose: return sessions_.back()->close();
    case Op::kNewSession: return open();
    case Op::kReset: return reset(step.containers);
    case Op::kWriteFile: {
      std::error_code error;
      fs::create_directories(fs::path(step.path).parent_path(), error);
      return write_file(step.path, step.bytes);
    }
    case Op::kExpectFile:
      if (file_exists(step.path) == step.exists) return absl::OkStatus();
      return absl::FailedPreconditionError(absl::StrCat(step.path, step.exists ? " is absent" : " is there"));
    default: return absl::InternalError(absl::StrCat("no way to take step ", script_op_name(step.op)));
  }
}

StepEnd ScriptRun::take(const ScriptStep& step) {
  switch (step.op) {
    case Op::kRun: return take_run(step);
    case Op::kPartialRunSetup:
    case Op::kPartialRun: return take_partial(step);
    case Op::kMakeCallable:
    case Op::kRunCallable:
    case Op::kReleaseCallable: return take_callable(step);
    default: return {take_other(step), {}};
  }
}

void ScriptRun::run_lanes(const ScriptStep& step, const std::string& where) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < step.lanes.size(); ++i) {
    threads.emplace_back(
        [this, &step, &where, i] { run_steps(step.lanes[i], absl::StrCat(where, "thread ", i + 1, ", ")); });
  }
  for (std::thread& thread : threads) thread.join();
}

void ScriptRun::run_steps(const std::vector<ScriptStep>& steps, const std::string& where) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const ScriptStep& step = steps[i];
    if (step.delay_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(step.delay_ms));
    const std::string here = absl::StrCat(where, "step ", i + 1, " (", script_op_name(step.op), "): ");
    if (step.op == Op::kParallel) {
      run_lanes(step, here);
      if (failed()) return;
      continue;
    }
    const StepEnd end = take(step);
    if (!judge(step.expect, end.status, here)) return;
    if (end.status.ok() && !judge_values(step, end.fetched, here)) return;
  }
}

absl::Status ScriptRun::open() {
  SessionOptions options;
  if (!script_.config.empty()) {
    TROUPE_ASSIGN_OR_RETURN(options, SessionOptions::from_config_text(script_.config));
  }
  options.optimize = options.optimize && !as_written_;
  TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::open(runtime_, options));
  if (script_.graph_kind != Script::GraphKind::kNone) {
    const std::string path = absl::StrCat(root_, "/", script_.graph);
    const bool saved_model = script_.graph_kind == Script::GraphKind::kSavedModel;
    TROUPE_ASSIGN_OR_RETURN(const GraphFile model,
                            saved_model ? read_saved_model(path, script_.tags) : read_graph_file(path));
    TROUPE_RETURN_IF_ERROR(load_model(model, session.get()));
  }
  sessions_.push_back(std::move(session));
  return absl::OkStatus();
}

CaseResult ScriptRun::run() {
  const absl::Status opened = open();
  if (judge(script_.expect_create, opened, "create: ") && opened.ok()) run_steps(script_.steps, "");
  sessions_.clear();
  return std::move(result_);
}

CaseResult run_file(const ScriptEntry& entry, const std::string& root, Runtime& runtime, bool as_written) {
  CaseResult result;
  const std::string path = absl::StrCat(root, "/", entry.path);
  if (!file_exists(path)) {
    result.outcome = Outcome::kSkipped;
    result.kind = "no_file";
    result.message = absl::StrCat(path, " is absent");
    return result;
  }
  const absl::StatusOr<std::string> text = read_file(path);
  if (!text.ok()) return result_of_error(text.status(), "load_error");
  const TemporaryFolder folder;
  if (folder.path().empty()) {
    return result_of_error(absl::UnavailableError("cannot make a temporary folder"), "load_error");
  }
  const absl::StatusOr<Script> script = parse_script(*text, {folder.path(), root});
  if (!script.ok()) return result_of_error(script.status(), "load_error");
  return ScriptRun(*script, root, runtime, as_written).run();
}

}  // namespace

CaseResult run_script(const ScriptEntry& entry, const std::string& root, Runtime& runtime, bool as_written) {
  const auto begin = std::chrono::steady_clock::now();
  CaseResult result = run_file(entry, root, runtime, as_written);
  result.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace troupe
