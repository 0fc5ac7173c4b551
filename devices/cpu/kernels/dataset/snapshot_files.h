#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/record_formats.h"
#include "devices/cpu/kernels/shared/record_writer.h"

namespace troupe {

/// The version of the files that are written here, and the only one that is read.
inline constexpr uint64_t kSnapshotVersion = 2;

/// What stands in FOLDER/snapshot.metadata, a message: which run of writing counts, and whether it came to its end.
struct SnapshotMetadata {
  std::string graph_hash;
  std::string run;
  uint64_t created_us = 0;
  uint64_t version = kSnapshotVersion;
  std::vector<DataType> types;
  uint64_t count = 0;
  bool finalized = false;

  std::string encode() const;
  /// False when the bytes are no such message. Types are not read: the records say what they are.
  bool decode(absl::string_view in);
};

/// Nothing when there is no such file; DataLoss when it is malformed, Unimplemented when it is of another version.
absl::StatusOr<std::optional<SnapshotMetadata>> read_snapshot_metadata(const std::string& folder);
/// Sets the time of `metadata` to now. Makes the folder.
absl::Status write_snapshot_metadata(const std::string& folder, SnapshotMetadata* metadata);
/// A number that no other run has.
std::string new_snapshot_run();

/// Of the node's attr: "GZIP", "SNAPPY", or "AUTO", which is Snappy. As in TensorFlow, what is no compression's name asks for none.
ReaderFile::Compression snapshot_compression(const KernelContext& context);

/// Writes elements as records, a tensor message each component, into files that get their names at `commit`. Used by one
/// thread at a time.
class SnapshotFile {
 public:
  /// Makes the folder.
  absl::Status open(const std::string& path, ReaderFile::Compression compression);
  absl::Status add(const Element& element);
  absl::Status commit() { return writer_.commit(); }
  /// Bytes of messages so far.
  int64_t bytes() const { return bytes_; }

 private:
  RecordWriter writer_;
  int64_t bytes_ = 0;
};

/// One run of writing: RUN/00000000.shard/00000000.snapshot and its like. Used by one thread at a time.
class SnapshotRun {
 public:
  SnapshotRun(std::string folder, ReaderFile::Compression compression)
      : folder_(std::move(folder)), compression_(compression) {}

  absl::Status add(int64_t shard, const Element& element);
  absl::Status commit();

 private:
  const std::string folder_;
  const ReaderFile::Compression compression_;
  std::map<int64_t, std::unique_ptr<SnapshotFile>> shards_;
};

/// The files' elements, one file after the other; DataLoss when the last one of a file is cut. Waits for files.
DatasetPtr snapshot_files_dataset(std::vector<std::string> files, ReaderFile::Compression compression,
                                  std::vector<DataType> types, std::vector<PartialShape> shapes);
/// The same of a folder, in the order of the files' names; listed when an iterator begins. Leaves out `skip` elements.
DatasetPtr snapshot_shard_dataset(const std::string& folder, int64_t skip,
                                  ReaderFile::Compression compression, std::vector<DataType> types,
                                  std::vector<PartialShape> shapes);
/// The datasets of all shards of a run, as elements.
absl::StatusOr<DatasetPtr> snapshot_shards(const std::string& run_folder, ReaderFile::Compression compression,
                                           const std::vector<DataType>& types,
                                           const std::vector<PartialShape>& shapes);

}  // namespace troupe
