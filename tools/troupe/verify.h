#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/troupe/script.h"
#include "tools/troupe/verify_case.h"

namespace troupe {

class Runtime;

/// A list of cases (one run each) or of scripts (several steps each).
struct VerifyList {
  std::string path;
  bool is_scripts = false;
  /// Where the paths of the items begin; "": the folder of the list.
  std::string root;
  /// The sessions run their graphs without any pass that rewrites (SessionOptions::optimize).
  bool as_written = false;
};

struct VerifyOptions {
  VerifyList list;
  /// Items whose id matches somewhere; "": all.
  std::string filter;
  int jobs = 1;
  double timeout_s = 30;
  /// A text file of items that differ on purpose, a line each: id, blank, reason; lines with '#' are comments. Such an item
  /// is skipped when it fails, and fails when it passes.
  std::string known_differences;
};

/// One case or script of the list.
struct VerifyItem {
  std::string id;
  /// "ok", "seeded_rng", ...
  std::string status;
  /// The first part of the id, or what the list of scripts says.
  std::string area;
  /// Its position in the list.
  int line = 0;
};

struct VerifyCounts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  /// Of those that passed: with every text that the messages should contain.
  int with_all_texts = 0;
};

struct VerifySummary {
  VerifyCounts total;
  /// In the order of the list, without those that the filter left out.
  std::vector<VerifyItem> items;
  std::vector<CaseResult> results;

  std::map<std::string, VerifyCounts> by_area() const;
};

/// Runs the items in child processes, so that one that crashes or hangs ends as a failure and nothing else.
/// `on_result` is called with each result as it comes; a progress bar is drawn when there is a terminal.
absl::StatusOr<VerifySummary> verify(
    const VerifyOptions& options, const std::function<void(const VerifyItem&, const CaseResult&)>& on_result);

/// The report as JSON: totals, totals by status and by area, and one object an item.
std::string verify_report(const VerifySummary& summary, bool is_scripts);

/// What a child process does: reads the list once, then runs items by position.
class VerifyWorker {
 public:
  VerifyWorker(VerifyList list, Runtime& runtime) : list_(std::move(list)), runtime_(runtime) {}
  absl::Status load();
  /// Answers a position with a line of JSON.
  std::string answer(const std::string& position) const;

 private:
  const VerifyList list_;
  Runtime& runtime_;
  std::vector<Case> cases_;
  std::vector<ScriptEntry> scripts_;
};

}  // namespace troupe
