#include "devices/checkpoint/bundle.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/tensor_bundle.pb.h"

namespace troupe {

namespace pb = ::tensorflow;

std::string bundle_index_path(absl::string_view prefix) { return absl::StrCat(prefix, ".index"); }

std::string bundle_data_path(absl::string_view prefix, int64_t shard, int64_t num_shards) {
  return absl::StrFormat("%s.data-%05d-of-%05d", prefix, shard, num_shards);
}

void make_bundle_header(int num_shards, pb::BundleHeaderProto* header) {
  header->Clear();
  header->set_num_shards(num_shards);
  header->set_endianness(pb::BundleHeaderProto::LITTLE);
  header->mutable_version()->set_producer(kBundleVersion);
}

absl::Status check_bundle_header(const pb::BundleHeaderProto& header, absl::string_view path) {
  if (header.num_shards() <= 0) {
    return absl::DataLossError(
        absl::StrCat("Bad number of shards in the header of ", path, ": ", header.num_shards()));
  }
  if (header.endianness() != pb::BundleHeaderProto::LITTLE) {
    return absl::UnimplementedError(
        absl::StrCat("Reading a bundle with different endianness from the reader: ", path));
  }
  const auto& bad = header.version().bad_consumers();
  if (header.version().min_consumer() > kBundleVersion ||
      std::find(bad.begin(), bad.end(), kBundleVersion) != bad.end()) {
    return absl::InvalidArgumentError(absl::StrCat("Checkpoint ", path, " needs a reader of version ",
                                                   header.version().min_consumer(),
                                                   ", and this one has version ", kBundleVersion));
  }
  return absl::OkStatus();
}

}  // namespace troupe
