#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "graph/ir/graph.h"

namespace troupe {

/// The machine of a PARTIAL RUN: which feeds have come, which fetches were taken, and whether a fetch can be computed from
/// what has been fed. Not thread-safe: the PARTIAL RUN actor calls it.
class PartialRunState {
 public:
  /// `graph` is the session's when the partial run was set up. Names are kept as the client wrote them.
  PartialRunState(std::shared_ptr<const Graph> graph, const std::vector<std::string>& feeds,
                  const std::vector<std::string>& fetches);

  /// Checks a turn, in TensorFlow's order and with its texts, and takes note of it. InvalidArgument for names that were not
  /// declared or that are done ("The feed x has already been fed."), and for a fetch that depends on a feed still to come
  /// ("Fetch a:0 can't be computed from the feeds that have been fed so far."); nothing has changed then.
  absl::Status take_turn(std::span<const std::string> feeds, std::span<const std::string> fetches);
  /// Every feed has come and every fetch was asked for.
  bool complete() const { return left_ == 0; }
  /// Names, sorted.
  std::vector<std::string> feeds_to_come() const { return not_done(feeds_); }
  std::vector<std::string> fetches_to_come() const { return not_done(fetches_); }

 private:
  static std::vector<std::string> not_done(const absl::flat_hash_map<std::string, bool>& names);
  absl::Status check_names(std::span<const std::string> names,
                           const absl::flat_hash_map<std::string, bool>& declared, absl::string_view kind,
                           absl::string_view done) const;
  absl::Status check_dependencies(std::span<const std::string> feeds,
                                  std::span<const std::string> fetches) const;

  const std::shared_ptr<const Graph> graph_;
  /// By name: done.
  absl::flat_hash_map<std::string, bool> feeds_;
  absl::flat_hash_map<std::string, bool> fetches_;
  size_t left_ = 0;
};

}  // namespace troupe
