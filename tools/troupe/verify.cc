#include "tools/troupe/verify.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/status.h"
#include "nlohmann/json.hpp"
#include "tools/troupe/files.h"
#include "tools/troupe/progress.h"
#include "tools/troupe/worker_process.h"

namespace troupe {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = CaseResult::Outcome;

/// So many workers that die before they answer anything end the whole run: the program itself is broken.
constexpr int kMostStillborn = 5;

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
  VerifyRun(const VerifyOptions& options, std::string root, VerifySummary* out, const std::vector<int>& lines,
            const std::function<void(const Case&, const CaseResult&)>& on_failure)
      : options_(options), root_(std::move(root)), out_(out), lines_(lines), on_failure_(on_failure),
        progress_("verify", static_cast<int64_t>(out->cases.size())), lanes_(std::max(options.jobs, 1)) {}

  absl::Status run() {
    out_->results.resize(out_->cases.size());
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
    TROUPE_ASSIGN_OR_RETURN(lane->worker,
                            WorkerProcess::start({"verify-worker", "--cases", options_.cases_path, "--root",
                                                  root_, "--answers"}));
    lane->answered = 0;
    return absl::OkStatus();
  }

  /// Gives the lane its next case, if there is one.
  absl::Status feed(Lane* lane) {
    lane->current = -1;
    if (next_ >= static_cast<int>(out_->cases.size())) return absl::OkStatus();
    if (lane->worker == nullptr) TROUPE_RETURN_IF_ERROR(start(lane));
    lane->current = next_++;
    lane->asked = Clock::now();
    // When the worker is gone already, the end of its answers says so.
    lane->worker->ask(absl::StrCat(lines_[lane->current]));
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
    switch (result.outcome) {
      case Outcome::kPassed: ++out_->passed; break;
      case Outcome::kFailed: ++out_->failed; break;
      case Outcome::kSkipped: ++out_->skipped; break;
    }
    if (result.outcome == Outcome::kFailed) {
      progress_.clear();
      on_failure_(out_->cases[index], result);
    }
    out_->results[index] = std::move(result);
    ++done_;
    progress_.update(done_, absl::StrCat(out_->failed, " failed  ", out_->cases[index].id));
  }

  const VerifyOptions& options_;
  const std::string root_;
  VerifySummary* const out_;
  /// Of each case, its position in the list that the workers read.
  const std::vector<int>& lines_;
  const std::function<void(const Case&, const CaseResult&)>& on_failure_;
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

}  // namespace

absl::StatusOr<VerifySummary> verify(const VerifyOptions& options,
                                     const std::function<void(const Case&, const CaseResult&)>& on_failure) {
  TROUPE_ASSIGN_OR_RETURN(std::string text, read_file(options.cases_path));
  absl::StatusOr<std::vector<Case>> all = parse_cases(text);
  if (!all.ok()) return annotate(all.status(), absl::StrCat(options.cases_path, ": "));
  TROUPE_ASSIGN_OR_RETURN(const std::regex filter, make_regex(options.filter));

  VerifySummary summary;
  std::vector<int> lines;
  for (size_t i = 0; i < all->size(); ++i) {
    if (!options.filter.empty() && !std::regex_search((*all)[i].id, filter)) continue;
    summary.cases.push_back(std::move((*all)[i]));
    lines.push_back(static_cast<int>(i));
  }
  // A worker that died must not take this process along when it is written to.
  std::signal(SIGPIPE, SIG_IGN);
  const std::string root = options.root.empty() ? folder_of(options.cases_path) : options.root;
  TROUPE_RETURN_IF_ERROR(VerifyRun(options, root, &summary, lines, on_failure).run());
  return summary;
}

std::string verify_report(const VerifySummary& summary) {
  nlohmann::json cases = nlohmann::json::array();
  std::map<std::string, std::map<std::string, int>> by_status;
  for (size_t i = 0; i < summary.cases.size(); ++i) {
    const CaseResult& r = summary.results[i];
    const std::string outcome = r.outcome == Outcome::kPassed   ? "passed"
                                : r.outcome == Outcome::kFailed ? "failed"
                                                                : "skipped";
    const std::string status(case_kind_name(summary.cases[i].kind));
    ++by_status[status][outcome];
    if (r.outcome == Outcome::kPassed && r.exact && status != "ok") ++by_status[status]["with equal values"];
    nlohmann::json one = {
        {"case", summary.cases[i].id}, {"status", status}, {"result", outcome}, {"ms", r.milliseconds}};
    if (!r.kind.empty()) one["kind"] = r.kind;
    if (!r.message.empty()) one["message"] = r.message;
    if (!r.missing_op.empty()) one["missing_op"] = r.missing_op;
    if (!r.ops.empty()) one["ops"] = r.ops;
    if (status == "seeded_rng" && outcome == "passed") one["values_equal"] = r.exact;
    cases.push_back(std::move(one));
  }
  const nlohmann::json report = {{"passed", summary.passed},
                                 {"failed", summary.failed},
                                 {"skipped", summary.skipped},
                                 {"by_status", by_status},
                                 {"cases", cases}};
  return report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace troupe
