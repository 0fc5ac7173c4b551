#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/troupe/cases.h"

namespace troupe {

/// One row of a list of scripts.
struct ScriptEntry {
  std::string id;
  /// Of its file, below the root.
  std::string path;
  std::string area;
  std::string status;
};

/// Reads a tab-separated list with a header line. InvalidArgument names the line that is wrong.
absl::StatusOr<std::vector<ScriptEntry>> parse_script_list(absl::string_view text);

/// How a step has to end.
struct Expectation {
  absl::StatusCode code = absl::StatusCode::kOk;
  /// What the message has to contain.
  std::vector<std::string> texts;
};

/// One step of a script; which members mean something depends on `op`.
struct ScriptStep {
  enum class Op {
    kRun,
    kExtend,
    kPartialRunSetup,
    kPartialRun,
    kMakeCallable,
    kRunCallable,
    kReleaseCallable,
    kClose,
    kNewSession,
    kReset,
    kParallel,
    kWriteFile,
    kExpectFile,
  };
  Op op = Op::kRun;
  /// Slept before the step.
  int delay_ms = 0;
  Expectation expect;

  /// A tensor without a dtype is only a name; a fetch without a value is compared with nothing.
  std::vector<CaseTensor> feeds;
  std::vector<CaseTensor> fetches;
  std::vector<std::string> targets;
  double rtol = 0;
  double atol = 0;
  /// Equal as sets.
  bool as_sets = false;
  /// The script's own label of a partial run or callable.
  std::string handle;

  /// Of extend, below the root.
  std::string graph;
  /// Of reset.
  std::vector<std::string> containers;
  /// Of parallel: what each thread does.
  std::vector<std::vector<ScriptStep>> lanes;
  /// Of write_file and expect_file.
  std::string path;
  std::string bytes;
  bool exists = true;
};

/// A session with what is done to it.
struct Script {
  enum class GraphKind { kNone, kGraphDef, kMetaGraph, kSavedModel };
  GraphKind graph_kind = GraphKind::kNone;
  /// Below the root.
  std::string graph;
  /// Of the meta graph of a SavedModel; none: that which serves.
  std::vector<std::string> tags;
  /// A ConfigProto in text format.
  std::string config;
  /// Creating the session must end like this; when it must fail there are no steps.
  Expectation expect_create;
  /// The values of random streams are no reason to fail.
  bool seeded_rng = false;
  std::vector<ScriptStep> steps;
};

/// What ${TMP} and ${ROOT} stand for.
struct ScriptPlaces {
  std::string tmp;
  std::string root;
};

/// Reads a script, with the places put in. InvalidArgument says what is malformed, and in which step.
absl::StatusOr<Script> parse_script(absl::string_view json, const ScriptPlaces& places);

/// "run", "partial_run_setup", ...
absl::string_view script_op_name(ScriptStep::Op op);

}  // namespace troupe
