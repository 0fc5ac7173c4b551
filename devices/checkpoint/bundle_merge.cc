#include "devices/checkpoint/bundle_merge.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "devices/checkpoint/bundle.h"
#include "devices/checkpoint/bundle_reader.h"
#include "devices/checkpoint/file.h"
#include "devices/checkpoint/table.h"
#include "graph/status.h"
#include "proto/tensor_bundle.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

/// The tables of several checkpoints as one.
struct Merged {
  std::map<std::string, pb::BundleEntryProto> entries;
  /// Data files and the shards that they become.
  std::vector<std::pair<std::string, int>> shards;

  absl::Status add(BundleReader& reader) {
    const int first_shard = static_cast<int>(shards.size());
    for (int i = 0; i < reader.num_shards(); ++i) {
      shards.emplace_back(bundle_data_path(reader.prefix(), i, reader.num_shards()), first_shard + i);
    }
    return reader.for_each([&](absl::string_view key, const pb::BundleEntryProto& entry) -> absl::Status {
      auto [at, is_new] = entries.try_emplace(std::string(key), entry);
      if (is_new) {
        at->second.set_shard_id(entry.shard_id() + first_shard);
        return absl::OkStatus();
      }
      pb::BundleEntryProto& known = at->second;
      const bool agrees = known.dtype() == entry.dtype() &&
                          known.shape().SerializeAsString() == entry.shape().SerializeAsString();
      if (!agrees || known.slices().empty() || entry.slices().empty()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Duplicate tensor keyed by ", key, " encountered, when merging prefix: ", reader.prefix()));
      }
      known.mutable_slices()->MergeFrom(entry.slices());
      return absl::OkStatus();
    });
  }
};

}  // namespace

absl::Status merge_bundles(const std::vector<std::string>& prefixes, const std::string& destination,
                           bool allow_missing_files) {
  Merged merged;
  std::vector<std::string> old_tables;
  for (const std::string& prefix : prefixes) {
    BundleReader reader;
    if (absl::Status status = reader.open(prefix); !status.ok()) {
      if (!absl::IsNotFound(status)) return status;
      if (allow_missing_files) continue;
      return absl::InvalidArgumentError(absl::StrCat("allow_missing_files was set to false and ", prefix,
                                                     " did not exist.NOT_FOUND: ", prefix, " not found"));
    }
    TROUPE_RETURN_IF_ERROR(merged.add(reader));
    old_tables.push_back(bundle_index_path(prefix));
  }
  if (old_tables.empty()) {
    return absl::InvalidArgumentError("At least one prefix checkpoint file must exist, but none existed.");
  }
  if (const std::string folder = folder_of(destination); !folder.empty()) {
    TROUPE_RETURN_IF_ERROR(make_folder(folder));
  }
  // In two steps, since a new name may be the old one of a file that is still to be renamed.
  const auto num_shards = static_cast<int64_t>(merged.shards.size());
  std::vector<std::pair<std::string, std::string>> renames;
  for (const auto& [path, shard] : merged.shards) {
    const std::string target = bundle_data_path(destination, shard, num_shards);
    if (path == target) continue;
    const std::string between = absl::StrCat(target, ".merging");
    TROUPE_RETURN_IF_ERROR(rename_file(path, between));
    renames.emplace_back(between, target);
  }
  for (const auto& [between, target] : renames) TROUPE_RETURN_IF_ERROR(rename_file(between, target));
  OutputFile file;
  TROUPE_RETURN_IF_ERROR(file.open(bundle_index_path(destination)));
  TableWriter table(&file);
  pb::BundleHeaderProto header;
  make_bundle_header(static_cast<int>(num_shards), &header);
  TROUPE_RETURN_IF_ERROR(table.add(kBundleHeaderKey, header.SerializeAsString()));
  for (const auto& [key, entry] : merged.entries)
    TROUPE_RETURN_IF_ERROR(table.add(key, entry.SerializeAsString()));
  TROUPE_RETURN_IF_ERROR(table.finish());
  TROUPE_RETURN_IF_ERROR(file.commit());
  for (const std::string& path : old_tables) {
    if (path != bundle_index_path(destination)) remove_file(path);
  }
  return absl::OkStatus();
}

}  // namespace troupe
