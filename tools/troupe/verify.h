#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/troupe/verify_case.h"

namespace troupe {

struct VerifyOptions {
  std::string cases_path;
  /// Where the paths of the cases begin; "": the folder of the list.
  std::string root;
  /// Cases whose id matches somewhere; "": all.
  std::string filter;
  int jobs = 1;
  double timeout_s = 30;
};

struct VerifySummary {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  /// In the order of the list, without those that the filter left out.
  std::vector<Case> cases;
  std::vector<CaseResult> results;
};

/// Runs the cases in child processes, so that one that crashes or hangs ends as a failed case and nothing else. `on_failure`
/// is called with each failure as it comes; a progress bar is drawn when there is a terminal.
absl::StatusOr<VerifySummary> verify(const VerifyOptions& options,
                                     const std::function<void(const Case&, const CaseResult&)>& on_failure);

/// The report as JSON: totals, totals by status of the case, and one object a case.
std::string verify_report(const VerifySummary& summary);

}  // namespace troupe
