#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/remote_part.h"
#include "devices/compiled_partition.h"

namespace troupe {

/// A signature compiled: what all its steps share. Immutable.
struct SignatureCode {
  /// Of this task's devices.
  std::vector<std::shared_ptr<const CompiledPartition>> partitions;
  /// What other tasks run of it.
  std::vector<std::shared_ptr<const RemotePart>> remotes;
  /// In the order of the sorted feeds and fetches.
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<DataType> feed_types;
  std::vector<DataType> fetch_types;
  /// Feeds that must be in a device's memory, while the others must not; empty where all memory is the host's.
  std::vector<bool> device_feeds;
  bool has_transfers = false;
  /// Some of them with other tasks.
  bool crosses_tasks = false;
  bool runs_directly() const { return partitions.size() == 1 && remotes.empty() && !has_transfers; }
  /// How many EXECUTORs a step of it has: one for each partition, then one for each part elsewhere.
  size_t num_parts() const { return partitions.size() + remotes.size(); }
  /// A graph without nodes whose library holds the functions that are called at run time; null when there are none.
  std::shared_ptr<const Graph> functions;
  /// Of a partial run: its feeds and fetches pass through the rendezvous.
  bool partial = false;
};

}  // namespace troupe
