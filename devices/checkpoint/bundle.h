#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tensorflow {
class BundleHeaderProto;
}  // namespace tensorflow

namespace troupe {

/// A V2 checkpoint is PREFIX.index, a table from tensor names to BundleEntryProto, and
/// PREFIX.data-SSSSS-of-NNNNN, the bytes. The entry under the empty key is the header.
inline constexpr absl::string_view kBundleHeaderKey = "";
/// The format's version.
inline constexpr int kBundleVersion = 1;

/// "prefix.index"
std::string bundle_index_path(absl::string_view prefix);
/// "prefix.data-00000-of-00001"
std::string bundle_data_path(absl::string_view prefix, int64_t shard, int64_t num_shards);

/// A header for this many data files.
void make_bundle_header(int num_shards, tensorflow::BundleHeaderProto* header);
/// InvalidArgument or Unimplemented for what this version cannot read; DataLoss for nonsense. `path` is for
/// messages.
absl::Status check_bundle_header(const tensorflow::BundleHeaderProto& header, absl::string_view path);

}  // namespace troupe
