#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/options.h"
#include "actors/tls/tls_options.h"

namespace troupe {

/// What `troupe run` was asked for, as text.
struct RunRequest {
  std::string graph;
  std::vector<std::string> tags;
  /// Call this signature; feeds and fetches are its keys then (tensor names are understood too).
  std::string signature;
  /// "NAME=FILE.npy", "NAME=@FILE" (the bytes of a string, or a literal), "NAME=literal".
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  /// Nodes to run once before, one after the other: initialisers.
  std::vector<std::string> before;
  /// Prefix of a checkpoint that the model's saver restores.
  std::string checkpoint;
  /// "NAME=FILE.npy", or a folder for all.
  std::vector<std::string> outputs;
  /// Where the graph runs, "grpc://HOST:PORT" or "caf://HOST:PORT"; "" for here.
  std::string server;
  /// What it is shown there.
  TlsOptions tls;
  /// "CPU=2".
  std::vector<std::string> device_counts;
  /// ConfigProto in text format.
  std::string config;
  bool raw = false;
  int64_t timeout_ms = 0;
  int repeat = 1;
  /// Where the timeline of the last run goes, as JSON; "" for none.
  std::string trace;
  /// "PORT" or "HOST:PORT" of a console that shows the runs while they go on; "" for none.
  std::string console;
  /// Where timelines of every `trace_every`-th run, and of those longer than `trace_slow_ms`, go; "" for none.
  std::string trace_folder;
  int64_t trace_every = 0;
  int64_t trace_slow_ms = 0;
};

/// Loads, runs, and returns what is to be printed.
absl::StatusOr<std::string> run_model(const RunRequest& request);

}  // namespace troupe
