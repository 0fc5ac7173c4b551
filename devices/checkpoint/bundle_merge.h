#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace troupe {

/// Makes one V2 checkpoint of several: their data files are renamed to be its shards, and the tables of
/// contents joined. The old tables are deleted; tensors kept in parts may have them in different checkpoints.
/// With `allow_missing_files`, prefixes without an index are passed over, unless there is none at all.
/// InvalidArgument when two hold the same key; no file has been changed then.
absl::Status merge_bundles(const std::vector<std::string>& prefixes, const std::string& destination,
                           bool allow_missing_files);

}  // namespace troupe
