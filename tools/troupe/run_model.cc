#include "tools/troupe/run_model.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>

#include "actors/console/console.h"
#include "actors/console/step_tracing.h"
#include "actors/grpc_client/grpc_sessions.h"
#include "actors/node_client/caf_sessions.h"
#include "actors/runtime.h"
#include "actors/saved_model.h"
#include "actors/session.h"
#include "graph/ir/graph_file.h"
#include "graph/status.h"
#include "proto/meta_graph.pb.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "tools/troupe/feed_types.h"
#include "tools/troupe/files.h"
#include "tools/troupe/literal.h"
#include "tools/troupe/model_loader.h"
#include "tools/troupe/npy.h"
#include "tools/troupe/print_array.h"
#include "tools/troupe/progress.h"
#include "tools/troupe/start_console.h"
#include "tools/troupe/timeline.h"

namespace troupe {
namespace {

constexpr char kDefaultSignature[] = "serving_default";

/// "name=value" in two.
absl::StatusOr<std::pair<std::string, std::string>> split_assignment(const std::string& text,
                                                                     absl::string_view option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return absl::InvalidArgumentError(absl::StrCat(option, " '", text, "' is not NAME=VALUE"));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

absl::StatusOr<SessionOptions> session_options(const RunRequest& request) {
  if (!request.server.empty() && (request.raw || !request.device_counts.empty())) {
    return absl::InvalidArgumentError(
        "--raw and --device-count are for sessions of this process: with --server, say it in --config");
  }
  SessionOptions options;
  if (!request.config.empty()) {
    TROUPE_ASSIGN_OR_RETURN(options, SessionOptions::from_config_text(request.config));
  }
  for (const std::string& text : request.device_counts) {
    TROUPE_ASSIGN_OR_RETURN(const auto device, split_assignment(text, "--device-count"));
    int count = 0;
    if (!absl::SimpleAtoi(device.second, &count) || count < 0) {
      return absl::InvalidArgumentError(absl::StrCat("--device-count '", text, "' is not TYPE=N"));
    }
    options.device_count[device.first] = count;
  }
  if (request.raw) options.optimize = false;
  options.target = request.server;
  return options;
}

/// A feed as typed: from a file, or spelled out, in the dtype that the graph has there.
absl::StatusOr<Tensor> feed_value(const std::string& name, const std::string& value, FeedTypes* types) {
  const absl::StatusOr<DataType> dtype = types->of(name);
  if (absl::EndsWith(value, ".npy")) {
    if (dtype.ok()) {
      absl::StatusOr<Tensor> tensor = read_npy(value, *dtype);
      if (tensor.ok() || !file_exists(value)) return tensor;
    }
    // Another dtype, or an unknown tensor: the session tells what is wrong.
    return read_npy(value);
  }
  if (!dtype.ok()) return dtype.status();
  if (absl::StartsWith(value, "@")) {
    TROUPE_ASSIGN_OR_RETURN(const std::string bytes, read_file(value.substr(1)));
    if (*dtype == DataType::kString) return Tensor::string_scalar(bytes);
    return parse_literal(bytes, *dtype);
  }
  return parse_literal(value, *dtype);
}

/// Tensor names behind what the user calls feeds and fetches.
struct Names {
  std::map<std::string, std::string> inputs;
  std::map<std::string, std::string> outputs;

  static const std::string& resolve(const std::map<std::string, std::string>& names,
                                    const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  }
};

absl::StatusOr<Names> names_of_signature(const GraphFile& model, const std::string& signature) {
  Names names;
  if (signature.empty()) return names;
  TROUPE_ASSIGN_OR_RETURN(const pb::SignatureDef* def, find_signature(model, signature));
  for (const auto& [key, info] : def->inputs()) names.inputs[key] = info.name();
  for (const auto& [key, info] : def->outputs()) names.outputs[key] = info.name();
  return names;
}

/// "0.000123 s" in a unit that reads well.
std::string duration_text(double seconds) {
  if (seconds < 1e-3) return absl::StrFormat("%.1f us", seconds * 1e6);
  if (seconds < 1) return absl::StrFormat("%.2f ms", seconds * 1e3);
  return absl::StrFormat("%.2f s", seconds);
}

std::string timing_text(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return absl::StrCat(seconds.size(), " runs: median ", duration_text(seconds[seconds.size() / 2]),
                      ", fastest ", duration_text(seconds.front()), ", slowest ",
                      duration_text(seconds.back()), "\n");
}

/// Files for the fetches: by name, or all into a folder.
class Outputs {
 public:
  static absl::StatusOr<Outputs> parse(const std::vector<std::string>& texts) {
    Outputs out;
    for (const std::string& text : texts) {
      if (absl::StrContains(text, '=')) {
        TROUPE_ASSIGN_OR_RETURN(const auto file, split_assignment(text, "--out"));
        out.files_.insert(file);
      } else if (out.folder_.empty()) {
        out.folder_ = text;
      } else {
        return absl::InvalidArgumentError("--out names two folders");
      }
    }
    return out;
  }

  /// The file for a fetch; "" to print it.
  std::string file_for(const std::string& fetch) const {
    const auto found = files_.find(fetch);
    if (found != files_.end()) return found->second;
    if (folder_.empty()) return "";
    return absl::StrCat(folder_, "/", absl::StrReplaceAll(fetch, {{"/", "_"}, {":", "_"}}), ".npy");
  }

  absl::Status prepare(const std::vector<std::string>& fetches) const {
    for (const auto& [name, file] : files_) {
      if (std::find(fetches.begin(), fetches.end(), name) == fetches.end()) {
        return absl::InvalidArgumentError(absl::StrCat("--out names ", name, ", which is not fetched"));
      }
    }
    if (!folder_.empty() && !is_folder(folder_) && ::mkdir(folder_.c_str(), 0777) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot make folder ", folder_));
    }
    return absl::OkStatus();
  }

 private:
  std::map<std::string, std::string> files_;
  std::string folder_;
};

absl::StatusOr<std::string> show(const std::string& fetch, const Tensor& value, const std::string& file) {
  if (file.empty()) return absl::StrCat(fetch, ": ", describe(value), "\n", print_array(value), "\n");
  TROUPE_RETURN_IF_ERROR(write_npy(file, value));
  return absl::StrCat(fetch, ": ", describe(value), " -> ", file, "\n");
}

/// Everything that one run needs, resolved.
struct Prepared {
  std::vector<NamedTensor> feeds;
  std::vector<std::string> shown;
  std::vector<std::string> fetches;
};

absl::StatusOr<Prepared> prepare(const RunRequest& request, const GraphFile& model) {
  std::string signature = request.signature;
  const std::vector<std::string> known = signature_names(model);
  if (signature.empty() && request.fetches.empty() && request.targets.empty() &&
      std::find(known.begin(), known.end(), kDefaultSignature) != known.end()) {
    signature = kDefaultSignature;
  }
  TROUPE_ASSIGN_OR_RETURN(const Names names, names_of_signature(model, signature));
  Prepared out;
  FeedTypes types(model.graph_def());
  for (const std::string& text : request.feeds) {
    TROUPE_ASSIGN_OR_RETURN(const auto feed, split_assignment(text, "--feed"));
    const std::string& tensor = Names::resolve(names.inputs, feed.first);
    absl::StatusOr<Tensor> value = feed_value(tensor, feed.second, &types);
    if (!value.ok()) return annotate(value.status(), absl::StrCat("--feed ", feed.first, ": "));
    out.feeds.emplace_back(tensor, *std::move(value));
  }
  out.shown = request.fetches;
  if (out.shown.empty() && request.targets.empty()) {
    for (const auto& [key, tensor] : names.outputs) out.shown.push_back(key);
  }
  for (const std::string& fetch : out.shown) out.fetches.push_back(Names::resolve(names.outputs, fetch));
  return out;
}

/// What looks at the runs from outside, where it is wanted.
struct Watchers {
  std::unique_ptr<Console> console;
  std::unique_ptr<StepTracing> tracing;
};

absl::StatusOr<Watchers> watch(Runtime& runtime, const RunRequest& request) {
  Watchers out;
  if (!request.console.empty()) {
    TROUPE_ASSIGN_OR_RETURN(out.console, start_console(runtime, request.console));
  }
  if (request.trace_folder.empty()) return out;
  TraceOptions options;
  options.folder = request.trace_folder;
  options.slow_after = std::chrono::milliseconds(request.trace_slow_ms);
  options.every = request.trace_every == 0 && request.trace_slow_ms == 0 ? 1 : request.trace_every;
  TROUPE_ASSIGN_OR_RETURN(out.tracing, StepTracing::start(runtime, options));
  return out;
}

}  // namespace

absl::StatusOr<std::string> run_model(const RunRequest& request) {
  TROUPE_ASSIGN_OR_RETURN(const SessionOptions options, session_options(request));
  TROUPE_ASSIGN_OR_RETURN(const Outputs outputs, Outputs::parse(request.outputs));
  TROUPE_ASSIGN_OR_RETURN(const GraphFile model, read_graph_file(request.graph, request.tags));
  TROUPE_ASSIGN_OR_RETURN(const Prepared prepared, prepare(request, model));
  TROUPE_RETURN_IF_ERROR(outputs.prepare(prepared.shown));

  const std::unique_ptr<Runtime> runtime = Runtime::create();
  TROUPE_RETURN_IF_ERROR(add_grpc_sessions(*runtime, request.tls));
  TROUPE_RETURN_IF_ERROR(add_caf_sessions(*runtime, {.tls = request.tls}));
  TROUPE_ASSIGN_OR_RETURN(const Watchers watchers, watch(*runtime, request));
  TROUPE_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, open_model(*runtime, model, options));
  for (const std::string& target : request.before) {
    TROUPE_RETURN_IF_ERROR(session->run({}, {}, {target}).status());
  }
  if (!request.checkpoint.empty())
    TROUPE_RETURN_IF_ERROR(restore_checkpoint(model, request.checkpoint, session.get()));

  RunOptions run_options;
  run_options.timeout = std::chrono::milliseconds(request.timeout_ms);
  std::vector<Tensor> values;
  RunStats stats;
  std::vector<double> seconds;
  Progress progress("run", request.repeat);
  for (int i = 0; i < request.repeat; ++i) {
    run_options.collect_stats = !request.trace.empty() && i + 1 == request.repeat;
    const auto begin = std::chrono::steady_clock::now();
    TROUPE_ASSIGN_OR_RETURN(
        values, session->run(prepared.feeds, prepared.fetches, request.targets, run_options, &stats));
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (request.repeat > 1) progress.update(i + 1);
  }
  progress.clear();

  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(const std::string shown,
                            show(prepared.shown[i], values[i], outputs.file_for(prepared.shown[i])));
    text += shown;
  }
  if (request.repeat > 1) text += timing_text(seconds);
  if (!request.trace.empty()) {
    TROUPE_ASSIGN_OR_RETURN(const std::string timeline, timeline_json(stats.metadata));
    TROUPE_RETURN_IF_ERROR(write_file(request.trace, timeline));
    absl::StrAppend(&text, "timeline -> ", request.trace, "\n");
  }
  return text;
}

}  // namespace troupe
