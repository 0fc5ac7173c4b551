#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "actors/c_api/callable_cache.h"
#include "actors/c_api/handles.h"
#include "actors/options.h"
#include "actors/session.h"

struct TF_SessionOptions {
  troupe::SessionOptions options;
};

/// Belongs to the client until TF_DeleteSession. Any number of threads may run it at once.
struct TF_Session {
  TF_Session(std::shared_ptr<troupe::Session> runs, TF_Graph* of)
      : session(std::move(runs)), graph(of), callables(session.get()) {}

  const std::shared_ptr<troupe::Session> session;
  TF_Graph* const graph;
  troupe::c_api::CallableCache callables;

  /// Whether runs take up what was added to the graph; TF_ExtendSession ends it.
  std::atomic<bool> extend_before_run{true};
  /// Nodes of the graph that the session has; written with graph->mu held.
  std::atomic<int> num_nodes{0};
  /// TF_Graph::num_changes when the session last got nodes; guarded by graph->mu.
  int64_t num_changes = 0;
};

struct TF_DeprecatedSession {
  std::shared_ptr<troupe::Session> session;
};

namespace troupe::c_api {

/// Opens a session in the process's runtime. Null options are the defaults.
absl::StatusOr<std::shared_ptr<Session>> open_session(const TF_SessionOptions* options);

/// Whether `n` may be the length of `array`. InvalidArgument otherwise.
absl::Status check_array(const void* array, int n, absl::string_view what);

/// What one run feeds and fetches by name, as Session::run takes it.
struct NamedRun {
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

/// Runs it with RunOptions and RunMetadata as bytes, either of which may be null, and hands the fetches out.
absl::Status run_by_name(Session& session, const NamedRun& run, const TF_Buffer* run_options,
                         TF_Tensor** outputs, TF_Buffer* run_metadata);
/// One turn of a partial run.
absl::Status partial_run_by_name(Session& session, const char* handle, const NamedRun& run,
                                 TF_Tensor** outputs);
/// Begins one; the text is freed by TF_DeletePRunHandle.
absl::Status setup_partial_run(Session& session, const NamedRun& run, const char** handle);

/// Makes a TF_Tensor of each; none when one of them fails.
absl::Status hand_out(std::span<Tensor> fetched, TF_Tensor** outputs);

}  // namespace troupe::c_api
