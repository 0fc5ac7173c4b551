#include "devices/cpu/kernels/shared/lmdb_file.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

// A page: number (8 bytes), unused (2), flags (2), then the end of the list of nodes and the begin of the nodes (2 each), or
// for pages that hold one large value how many they are (4).
constexpr size_t kPageHeader = 16;
constexpr uint16_t kBranch = 1, kLeaf = 2, kOverflow = 4, kMeta = 8;
// A node: size or page number (4 bytes), flags or the page number's rest (2), size of the key (2).
constexpr size_t kNodeHeader = 8;
constexpr uint16_t kLargeValue = 1, kTable = 2, kManyValues = 4;
constexpr uint32_t kMagic = 0xBEEFC0DE;
constexpr uint32_t kVersion = 1;
constexpr uint64_t kNoPage = ~uint64_t{0};
// From the begin of a meta page: magic, version, address, map size, then two tables of 48 bytes: page size or unused (4),
// flags (2), depth (2), counts (4 times 8), root (8); last page, transaction.
constexpr size_t kMagicAt = 16, kVersionAt = 20, kPageBytesAt = 40, kTableFlagsAt = 92, kRootAt = 128,
                 kTransactionAt = 144, kMetaBytes = 152;
constexpr uint16_t kManyValuesForAKey = 4;
/// Deeper than any tree of 2^64 bytes.
constexpr size_t kMaxDepth = 32;

template <class T>
T at(absl::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

absl::Status LmdbFile::corrupt(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat(file_.path(), " is no sound LMDB database: ", what));
}

absl::Status LmdbFile::read(uint64_t offset, std::string* out) const {
  const absl::Status status = file_.read(static_cast<int64_t>(offset), out->size(), out->data());
  // The end of the file is not the end of the elements.
  return absl::IsOutOfRange(status) ? corrupt(status.message()) : status;
}

absl::Status LmdbFile::open(const std::string& path) {
  levels_.clear();
  absl::Status opened = file_.open(path);
  if (absl::IsFailedPrecondition(opened)) opened = file_.open(path + "/data.mdb");
  if (!opened.ok()) return absl::InvalidArgumentError(opened.message());
  TROUPE_RETURN_IF_ERROR(read_meta());
  return root_ == kNoPage ? absl::OkStatus() : descend(root_);
}

absl::Status LmdbFile::read_meta() {
  uint64_t newest = 0;
  page_bytes_ = 0;
  // Of the two meta pages the one of the later transaction counts.
  for (int i = 0; i < 2; ++i) {
    std::string meta(kMetaBytes, '\0');
    const int64_t offset = i == 0 ? 0 : static_cast<int64_t>(page_bytes_);
    if (const absl::Status read = file_.read(offset, meta.size(), meta.data()); !read.ok()) {
      if (i == 1) break;
      return absl::InvalidArgumentError(absl::StrCat(file_.path(), " is no LMDB database"));
    }
    if (at<uint32_t>(meta, kMagicAt) != kMagic || at<uint32_t>(meta, kVersionAt) != kVersion) {
      if (i == 1) break;
      return absl::InvalidArgumentError(absl::StrCat(file_.path(), " is no LMDB database of version 1"));
    }
    const uint64_t transaction = at<uint64_t>(meta, kTransactionAt);
    if (i == 1 && transaction <= newest) break;
    newest = transaction;
    if (i == 0) page_bytes_ = at<uint32_t>(meta, kPageBytesAt);
    root_ = at<uint64_t>(meta, kRootAt);
    if ((at<uint16_t>(meta, kTableFlagsAt) & kManyValuesForAKey) != 0) {
      return absl::UnimplementedError(absl::StrCat(file_.path(), " has several values for a key"));
    }
  }
  if (page_bytes_ < 256 || page_bytes_ > 65536) return corrupt("its page size");
  return absl::OkStatus();
}

absl::Status LmdbFile::descend(uint64_t page) {
  while (true) {
    if (levels_.size() >= kMaxDepth) return corrupt("its depth");
    if (page > static_cast<uint64_t>(file_.size()) / page_bytes_) return corrupt("a page beyond the end");
    Level level;
    level.page.resize(page_bytes_);
    TROUPE_RETURN_IF_ERROR(read(page * page_bytes_, &level.page));
    const auto flags = at<uint16_t>(level.page, 10);
    const auto end = at<uint16_t>(level.page, 12);
    if (end < kPageHeader || end > page_bytes_ || (flags & (kBranch | kLeaf)) == 0 ||
        (flags & (kOverflow | kMeta)) != 0) {
      return corrupt("a page's header");
    }
    level.count = (end - kPageHeader) / 2;
    levels_.push_back(std::move(level));
    if ((flags & kLeaf) != 0) return absl::OkStatus();
    Level& branch = levels_.back();
    if (branch.count == 0) return corrupt("an empty branch");
    TROUPE_ASSIGN_OR_RETURN(const absl::string_view node, node_of(branch, branch.at++));
    page = at<uint32_t>(node, 0) | uint64_t{at<uint16_t>(node, 4)} << 32;
  }
}

absl::StatusOr<absl::string_view> LmdbFile::node_of(const Level& level, size_t i) const {
  const size_t offset = at<uint16_t>(level.page, kPageHeader + 2 * i);
  if (offset < kPageHeader || offset + kNodeHeader > level.page.size()) return corrupt("a node's place");
  return absl::string_view(level.page).substr(offset);
}

absl::StatusOr<std::optional<LmdbFile::Pair>> LmdbFile::next() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.at == level.count) {
      levels_.pop_back();
      continue;
    }
    const bool leaf = (at<uint16_t>(level.page, 10) & kLeaf) != 0;
    TROUPE_ASSIGN_OR_RETURN(const absl::string_view node, node_of(level, level.at++));
    if (!leaf) {
      TROUPE_RETURN_IF_ERROR(descend(at<uint32_t>(node, 0) | uint64_t{at<uint16_t>(node, 4)} << 32));
      continue;
    }
    TROUPE_ASSIGN_OR_RETURN(Pair pair, pair_of(node));
    return pair;
  }
  return std::nullopt;
}

absl::StatusOr<LmdbFile::Pair> LmdbFile::pair_of(absl::string_view node) const {
  const size_t size = at<uint32_t>(node, 0);
  const auto flags = at<uint16_t>(node, 4);
  const size_t key = at<uint16_t>(node, 6);
  if ((flags & (kTable | kManyValues)) != 0) {
    return absl::UnimplementedError(absl::StrCat(file_.path(), " has tables within its table"));
  }
  const bool large = (flags & kLargeValue) != 0;
  if (kNodeHeader + key + (large ? 8 : size) > node.size()) return corrupt("a node's size");
  Pair pair(node.substr(kNodeHeader, key), "");
  if (large) {
    TROUPE_ASSIGN_OR_RETURN(pair.second, read_overflow(at<uint64_t>(node, kNodeHeader + key), size));
  } else {
    pair.second = std::string(node.substr(kNodeHeader + key, size));
  }
  return pair;
}

absl::StatusOr<std::string> LmdbFile::read_overflow(uint64_t page, size_t size) const {
  const auto bytes = static_cast<uint64_t>(file_.size());
  if (page > bytes / page_bytes_ || size > bytes) return corrupt("a value beyond the end");
  std::string value(size, '\0');
  TROUPE_RETURN_IF_ERROR(read(page * page_bytes_ + kPageHeader, &value));
  return value;
}

}  // namespace troupe
