#include "tools/troupe/verify.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <regex>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/status.h"
#include "nlohmann/json.hpp"
#include "tools/troupe/files.h"
#include "tools/troupe/progress.h"
#include "tools/troupe/verify_script.h"
#include "tools/troupe/worker_process.h"

namespace troupe {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = CaseResult::Outcome;

/// So many workers that die before they answer anything end the whole run: the program itself is broken.
constexpr int kMostStillborn = 5;

void count(const CaseResult& result, VerifyCounts* counts) {
  switch (result.outcome) {
    case Outcome::kPassed: ++counts->passed; break;
    case Outcome::kFailed: ++counts->failed; break;
    case Outcome::kSkipped: ++counts->skipped; break;
  }
  counts->with_all_texts += result.outcome == Outcome::kPassed && result.text_difference.empty();
}

/// Reasons by id.
using KnownDifferences = std::map<std::string, std::string>;

absl::StatusOr<KnownDifferences> read_known_differences(const std::string& path) {
  KnownDifferences known;
  if (path.empty()) return known;
  TROUPE_ASSIGN_OR_RETURN(const std::string text, read_file(path));
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    if (line.front() == '#') continue;
    const std::pair<std::string, std::string> row = absl::StrSplit(line, absl::MaxSplits(' ', 1));
    if (row.second.empty())
      return absl::InvalidArgumentError(absl::StrCat(path, ": no reason for ", row.first));
    known.insert(row);
  }
  return known;
}

void apply(const KnownDifferences& known, const std::string& id, CaseResult* result) {
  const auto it = known.find(id);
  if (it == known.end()) return;
  if (result->outcome == Outcome::kFailed && result->kind != "crashed" && result->kind != "hung") {
    result->outcome = Outcome::kSkipped;
    result->kind = "known_difference";
    result->message = it->second;
  } else if (result->outcome == Outcome::kPassed) {
    result->outcome = Outcome::kFailed;
    result->kind = "no_difference";
    result->message = absl::StrCat("passes, though it should differ: ", it->second);
  }
}

/// One worker and the case that it is busy with.
struct Lane {
  std::unique_ptr<WorkerProcess> worker;
  int current = -1;
  /// Cases that this worker process has answered.
  int answered = 0;
  Clock::time_point asked;
};

class VerifyRun {
 public:
  VerifyRun(const VerifyOptions& options, KnownDifferences known, VerifySummary* out,
            const std::function<void(const VerifyItem&, const CaseResult&)>& on_result)
      : options_(options), known_(std::move(known)), out_(out), on_result_(on_result),
        progress_("verify", static_cast<int64_t>(out->items.size())), lanes_(std::max(options.jobs, 1)) {}

  absl::Status run() {
    out_->results.resize(out_->items.size());
    for (Lane& lane : lanes_) TROUPE_RETURN_IF_ERROR(feed(&lane));
    while (std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return l.current >= 0; })) {
      wait();
      for (Lane& lane : lanes_) {
        if (lane.current >= 0) TROUPE_RETURN_IF_ERROR(look_at(&lane));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status start(Lane* lane) {
    const VerifyList& list = options_.list;
    const std::string kind = list.is_scripts ? "--scripts" : "--cases";
    std::vector<std::string> args{"verify-worker", kind, list.path, "--root", list.root};
    if (list.as_written) args.push_back("--as-written");
    args.push_back("--answers");
    TROUPE_ASSIGN_OR_RETURN(lane->worker, WorkerProcess::start(args));
    lane->answered = 0;
    return absl::OkStatus();
  }

  /// Gives the lane its next case, if there is one.
  absl::Status feed(Lane* lane) {
    lane->current = -1;
    if (next_ >= static_cast<int>(out_->items.size())) return absl::OkStatus();
    if (lane->worker == nullptr) TROUPE_RETURN_IF_ERROR(start(lane));
    lane->current = next_++;
    lane->asked = Clock::now();
    // When the worker is gone already, the end of its answers says so.
    lane->worker->ask(absl::StrCat(out_->items[lane->current].line));
    return absl::OkStatus();
  }

  Clock::time_point deadline(const Lane& lane) const {
    return lane.asked +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.timeout_s));
  }

  void wait() {
    std::vector<pollfd> fds;
    Clock::time_point until = Clock::time_point::max();
    for (const Lane& lane : lanes_) {
      if (lane.current < 0) continue;
      fds.push_back({lane.worker->answers_fd(), POLLIN, 0});
      until = std::min(until, deadline(lane));
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    ::poll(fds.data(), fds.size(), static_cast<int>(std::clamp<int64_t>(left + 1, 0, 60000)));
  }

  absl::Status look_at(Lane* lane) {
    bool ended = false;
    const std::optional<std::string> answer = lane->worker->poll_answer(&ended);
    if (answer.has_value()) {
      ++lane->answered;
      record(lane->current, from_json_line(*answer));
      return feed(lane);
    }
    if (ended) {
      CaseResult result;
      result.kind = "crashed";
      result.message = lane->worker->reap(false);
      stillborn_ = lane->answered == 0 ? stillborn_ + 1 : 0;
      if (stillborn_ >= kMostStillborn) {
        return absl::InternalError(absl::StrCat("the workers do not start: ", result.message));
      }
      return replace(lane, std::move(result));
    }
    if (Clock::now() >= deadline(*lane)) {
      CaseResult result;
      result.kind = "hung";
      lane->worker->reap(true);
      result.message = absl::StrFormat("no answer within %g s", options_.timeout_s);
      return replace(lane, std::move(result));
    }
    return absl::OkStatus();
  }

  absl::Status replace(Lane* lane, CaseResult result) {
    result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - lane->asked).count();
    record(lane->current, std::move(result));
    lane->worker = nullptr;
    return feed(lane);
  }

  void record(int index, CaseResult result) {
    apply(known_, out_->items[index].id, &result);
    count(result, &out_->total);
    if (result.outcome == Outcome::kFailed || !result.text_difference.empty()) progress_.clear();
    on_result_(out_->items[index], result);
    out_->results[index] = std::move(result);
    ++done_;
    progress_.update(done_, absl::StrCat(out_->total.failed, " failed  ", out_->items[index].id));
  }

  const VerifyOptions& options_;
  const KnownDifferences known_;
  VerifySummary* const out_;
  const std::function<void(const VerifyItem&, const CaseResult&)>& on_result_;
  Progress progress_;
  std::vector<Lane> lanes_;
  int next_ = 0;
  int done_ = 0;
  int stillborn_ = 0;
};

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// std::regex reports a bad pattern by throwing.
absl::StatusOr<std::regex> make_regex(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& e) {
    return absl::InvalidArgumentError(absl::StrCat("bad regular expression '", pattern, "': ", e.what()));
  }
}

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed: return "passed";
    case Outcome::kFailed: return "failed";
    case Outcome::kSkipped: return "skipped";
  }
  return "?";
}

/// Errors name the list.
template <class T>
absl::StatusOr<std::vector<T>> read_list(const VerifyList& list,
                                         absl::StatusOr<std::vector<T>> (*parse)(absl::string_view)) {
  TROUPE_ASSIGN_OR_RETURN(const std::string text, read_file(list.path));
  absl::StatusOr<std::vector<T>> items = parse(text);
  if (!items.ok()) return annotate(items.status(), absl::StrCat(list.path, ": "));
  return items;
}

absl::StatusOr<std::vector<VerifyItem>> read_items(const VerifyList& list) {
  std::vector<VerifyItem> items;
  if (list.is_scripts) {
    TROUPE_ASSIGN_OR_RETURN(const std::vector<ScriptEntry> scripts, read_list(list, parse_script_list));
    for (const ScriptEntry& s : scripts) items.push_back({s.id, s.status, s.area, 0});
  } else {
    TROUPE_ASSIGN_OR_RETURN(const std::vector<Case> cases, read_list(list, parse_cases));
    for (const Case& c : cases) {
      items.push_back({c.id, std::string(case_kind_name(c.kind)), c.id.substr(0, c.id.find('/')), 0});
    }
  }
  for (size_t i = 0; i < items.size(); ++i) items[i].line = static_cast<int>(i);
  return items;
}

nlohmann::json to_json(const VerifyItem& item, const CaseResult& r, const char* key) {
  const char* const outcome = outcome_name(r.outcome);
  nlohmann::json one = {{key, item.id}, {"status", item.status}, {"result", outcome}, {"ms", r.milliseconds}};
  if (!r.kind.empty()) one["kind"] = r.kind;
  if (!r.message.empty()) one["message"] = r.message;
  if (!r.text_difference.empty()) one["text_difference"] = r.text_difference;
  if (!r.missing_op.empty()) one["missing_op"] = r.missing_op;
  if (!r.ops.empty()) one["ops"] = r.ops;
  if (item.status == "seeded_rng" && r.outcome == Outcome::kPassed) one["values_equal"] = r.exact;
  return one;
}

}  // namespace

std::map<std::string, VerifyCounts> VerifySummary::by_area() const {
  std::map<std::string, VerifyCounts> areas;
  for (size_t i = 0; i < items.size(); ++i) count(results[i], &areas[items[i].area]);
  return areas;
}

absl::StatusOr<VerifySummary> verify(
    const VerifyOptions& wanted, const std::function<void(const VerifyItem&, const CaseResult&)>& on_result) {
  VerifyOptions options = wanted;
  if (options.list.root.empty()) options.list.root = folder_of(options.list.path);
  TROUPE_ASSIGN_OR_RETURN(std::vector<VerifyItem> all, read_items(options.list));
  TROUPE_ASSIGN_OR_RETURN(KnownDifferences known, read_known_differences(options.known_differences));
  TROUPE_ASSIGN_OR_RETURN(const std::regex filter, make_regex(options.filter));
  VerifySummary summary;
  for (VerifyItem& item : all) {
    if (!options.filter.empty() && !std::regex_search(item.id, filter)) continue;
    summary.items.push_back(std::move(item));
  }
  // A worker that died must not take this process along when it is written to.
  std::signal(SIGPIPE, SIG_IGN);
  TROUPE_RETURN_IF_ERROR(VerifyRun(options, std::move(known), &summary, on_result).run());
  return summary;
}

std::string verify_report(const VerifySummary& summary, bool is_scripts) {
  nlohmann::json items = nlohmann::json::array();
  std::map<std::string, std::map<std::string, int>> by_status;
  for (size_t i = 0; i < summary.items.size(); ++i) {
    const CaseResult& r = summary.results[i];
    auto& counts = by_status[summary.items[i].status];
    ++counts[outcome_name(r.outcome)];
    if (r.outcome == Outcome::kPassed && r.exact && summary.items[i].status != "ok") {
      ++counts["with equal values"];
    }
    items.push_back(to_json(summary.items[i], r, is_scripts ? "script" : "case"));
  }
  nlohmann::json by_area = nlohmann::json::object();
  for (const auto& [area, n] : summary.by_area()) {
    by_area[area] = {{"passed", n.passed}, {"failed", n.failed}, {"skipped", n.skipped}};
    if (is_scripts) by_area[area]["with all texts"] = n.with_all_texts;
  }
  nlohmann::json report = {{"passed", summary.total.passed},
                           {"failed", summary.total.failed},
                           {"skipped", summary.total.skipped},
                           {"by_status", by_status},
                           {"by_area", by_area},
                           {is_scripts ? "scripts" : "cases", items}};
  if (is_scripts) report["with_all_texts"] = summary.total.with_all_texts;
  return report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

absl::Status VerifyWorker::load() {
  if (list_.is_scripts) {
    TROUPE_ASSIGN_OR_RETURN(scripts_, read_list(list_, parse_script_list));
  } else {
    TROUPE_ASSIGN_OR_RETURN(cases_, read_list(list_, parse_cases));
  }
  return absl::OkStatus();
}

std::string VerifyWorker::answer(const std::string& position) const {
  int index = -1;
  const size_t size = list_.is_scripts ? scripts_.size() : cases_.size();
  if (!absl::SimpleAtoi(position, &index) || index < 0 || static_cast<size_t>(index) >= size) {
    return absl::StrCat("no item ", position);
  }
  return to_json_line(list_.is_scripts ? run_script(scripts_[index], list_.root, runtime_, list_.as_written)
                                       : run_case(cases_[index], list_.root, runtime_, list_.as_written));
}

}  // namespace troupe
