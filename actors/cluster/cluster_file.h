#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"

namespace troupe {

/// A cluster as JSON, alone or as the "cluster" of a TF_CONFIG: a list of addresses for each job, or an object of addresses by
/// task number: {"worker": ["a:1", "b:1"], "ps": {"2": "c:1"}}. InvalidArgument in one line.
absl::StatusOr<ClusterSpec> parse_cluster_json(absl::string_view text);

/// A cluster as a ClusterDef in text format. InvalidArgument in one line.
absl::StatusOr<ClusterSpec> parse_cluster_text(absl::string_view text);

/// A file that holds either, or the words that ClusterSpec::parse takes; errors name it. NotFound when it cannot be read;
/// InvalidArgument beyond kMaxClusterFileBytes. Blocks.
absl::StatusOr<ClusterSpec> read_cluster_file(const std::string& path);

/// A cluster of ten thousand tasks has a few hundred KiB.
inline constexpr size_t kMaxClusterFileBytes = size_t{16} << 20;

}  // namespace troupe
