#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "devices/checkpoint/file.h"

namespace troupe {

/// Writes a table of strings sorted by key, as LevelDB lays it out: blocks of entries that share prefixes
/// with the entry before, each with a checksum, then an index of the blocks, then a footer. Blocks are not
/// compressed.
class TableWriter {
 public:
  /// The file must outlive the writer, and be empty.
  explicit TableWriter(OutputFile* file) : file_(file) {}
  /// Keys must rise: InvalidArgument otherwise.
  absl::Status add(absl::string_view key, absl::string_view value);
  /// Writes what is left; the caller commits the file.
  absl::Status finish();

 private:
  struct Block {
    std::string bytes;
    std::vector<uint32_t> restarts;
    int since_restart = 0;
    std::string last_key;

    void add(absl::string_view key, absl::string_view value);
    std::string finish();
  };
  absl::Status end_block();
  /// Appends a block and its trailer; returns its place as the index stores it.
  absl::StatusOr<std::string> write_block(const std::string& bytes);

  OutputFile* const file_;
  Block data_;
  Block index_;
  bool is_empty_ = true;
};

/// Reads such a table, compressed by Snappy or not. Blocks are read when needed and the last one is kept.
/// Every block's checksum is verified. DataLoss, with the file's name, for whatever is not as it must be.
/// Used by one thread.
class TableReader {
 public:
  absl::Status open(const std::string& path);
  /// The value of a key, or nothing.
  absl::StatusOr<std::optional<std::string>> find(absl::string_view key);
  /// Calls `fn` for all entries in order, until it fails.
  absl::Status for_each(
      const std::function<absl::Status(absl::string_view key, absl::string_view value)>& fn);
  const std::string& path() const { return file_.path(); }

 private:
  using Entries = std::vector<std::pair<std::string, std::string>>;
  struct Handle {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  struct IndexEntry {
    std::string last_key;
    Handle handle;
  };
  absl::Status corrupt(absl::string_view what) const;
  absl::StatusOr<std::string> read_block(Handle handle) const;
  absl::StatusOr<Entries> read_entries(Handle handle) const;
  static bool take_handle(absl::string_view* bytes, Handle* handle);
  absl::Status load(size_t block);

  InputFile file_;
  std::vector<IndexEntry> index_;
  std::optional<size_t> loaded_;
  Entries entries_;
};

}  // namespace troupe
