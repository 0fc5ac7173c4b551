#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/troupe/cases.h"

namespace troupe {

class Runtime;

/// How one case went.
struct CaseResult {
  enum class Outcome { kPassed, kFailed, kSkipped };
  Outcome outcome = Outcome::kFailed;
  /// Why it failed or was skipped: "wrong_result", "missing_kernel", "load_error", "run_error",
  /// "not_refused", "crashed", "hung", "no_file", "known_difference", "no_difference"; for scripts also "wrong_code".
  std::string kind;
  /// One line: the first differing element, or the error.
  std::string message;
  /// Ops of the fetched nodes.
  std::vector<std::string> ops;
  /// For a missing kernel, the op that has none.
  std::string missing_op;
  /// The values were equal where dtype and shape would have been enough.
  bool exact = false;
  /// Of a script: the first text that an error message lacks; "" when all have what they should.
  std::string text_difference;
  double milliseconds = 0;
};

/// Runs one case in a session of its own and judges it by its kind. `root` is where its paths begin; `as_written`:
/// without any pass that rewrites the graph.
CaseResult run_case(const Case& c, const std::string& root, Runtime& runtime, bool as_written = false);

/// A failure, of this kind or "missing_kernel".
CaseResult result_of_error(const absl::Status& status, std::string kind);

/// One line of JSON and back.
std::string to_json_line(const CaseResult& result);
/// A failed result of kind "crashed" when the line is no result.
CaseResult from_json_line(const std::string& line);

}  // namespace troupe
