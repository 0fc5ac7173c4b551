#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/checkpoint/file.h"

namespace troupe {

/// The keys and values of an LMDB database's main table (Howard Chu, Symas; data format 1, pages of the host), in order.
/// Reads pages as they are needed and trusts none of their numbers. Used by one thread at a time.
class LmdbFile {
 public:
  using Pair = std::pair<std::string, std::string>;

  /// `path` is the file, or a folder with "data.mdb". InvalidArgument when it is no database.
  absl::Status open(const std::string& path);
  /// Nothing at the end. DataLoss when a page is malformed.
  absl::StatusOr<std::optional<Pair>> next();

 private:
  /// A page on the way down, and the node of it that is next.
  struct Level {
    std::string page;
    size_t count = 0;
    size_t at = 0;
  };

  /// Fills `out` from there.
  absl::Status read(uint64_t offset, std::string* out) const;
  absl::Status read_meta();
  absl::Status descend(uint64_t page);
  /// The node's bytes, from its header on.
  absl::StatusOr<absl::string_view> node_of(const Level& level, size_t i) const;
  absl::StatusOr<Pair> pair_of(absl::string_view node) const;
  absl::StatusOr<std::string> read_overflow(uint64_t page, size_t size) const;
  absl::Status corrupt(absl::string_view what) const;

  InputFile file_;
  uint64_t page_bytes_ = 0;
  uint64_t root_ = 0;
  std::vector<Level> levels_;
};

}  // namespace troupe
