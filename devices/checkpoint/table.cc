#include "devices/checkpoint/table.h"

#include <algorithm>

#include <snappy.h>

#include "absl/strings/str_cat.h"
#include "devices/checkpoint/coding.h"
#include "devices/checkpoint/crc32c.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// A block is ended when it has grown to this.
constexpr size_t kBlockBytes = size_t{1} << 16;
/// Every so many entries the key is written in full, so that a search need not read the whole block.
constexpr int kRestartInterval = 16;
/// Behind each block: how it is compressed, and a checksum.
constexpr size_t kTrailerBytes = 5;
constexpr char kNoCompression = 0;
constexpr char kSnappy = 1;
/// Two handles of at most 20 bytes each, padded, and the magic number.
constexpr size_t kFooterBytes = 48;
constexpr size_t kMagicBytes = 8;
constexpr char kMagic[] = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
/// Snappy's longest copy is 64 bytes, from an element of at least two: no honest block grows more than this.
constexpr uint64_t kMaxExpansion = 64;
/// Honest tables restart at least this often, so that sharing prefixes shortens the keys of a block no more
/// than this.
constexpr uint64_t kMaxSharing = 256;

}  // namespace

void TableWriter::Block::add(absl::string_view key, absl::string_view value) {
  size_t shared = 0;
  if (since_restart < kRestartInterval && !restarts.empty()) {
    const size_t most = std::min(last_key.size(), key.size());
    while (shared < most && last_key[shared] == key[shared]) ++shared;
  } else {
    restarts.push_back(static_cast<uint32_t>(bytes.size()));
    since_restart = 0;
  }
  put_varint64(&bytes, shared);
  put_varint64(&bytes, key.size() - shared);
  put_varint64(&bytes, value.size());
  bytes.append(key.data() + shared, key.size() - shared);
  bytes.append(value.data(), value.size());
  last_key.assign(key.data(), key.size());
  ++since_restart;
}

std::string TableWriter::Block::finish() {
  if (restarts.empty()) restarts.push_back(0);
  for (uint32_t r : restarts) put_fixed32(&bytes, r);
  put_fixed32(&bytes, static_cast<uint32_t>(restarts.size()));
  std::string result = std::move(bytes);
  bytes.clear();
  restarts.clear();
  since_restart = 0;
  return result;
}

absl::Status TableWriter::add(absl::string_view key, absl::string_view value) {
  if (!is_empty_ && key <= absl::string_view(data_.last_key)) {
    return absl::InvalidArgumentError(
        absl::StrCat("keys of a table must rise: ", key, " after ", data_.last_key));
  }
  is_empty_ = false;
  data_.add(key, value);
  return data_.bytes.size() >= kBlockBytes ? end_block() : absl::OkStatus();
}

absl::Status TableWriter::end_block() {
  TROUPE_ASSIGN_OR_RETURN(std::string handle, write_block(data_.finish()));
  index_.add(data_.last_key, handle);
  return absl::OkStatus();
}

absl::StatusOr<std::string> TableWriter::write_block(const std::string& bytes) {
  std::string handle;
  put_varint64(&handle, static_cast<uint64_t>(file_->size()));
  put_varint64(&handle, bytes.size());
  TROUPE_RETURN_IF_ERROR(file_->append(bytes));
  std::string trailer(1, kNoCompression);
  put_fixed32(&trailer, crc32c_mask(crc32c_extend(crc32c(bytes), trailer)));
  TROUPE_RETURN_IF_ERROR(file_->append(trailer));
  return handle;
}

absl::Status TableWriter::finish() {
  if (!data_.restarts.empty()) TROUPE_RETURN_IF_ERROR(end_block());
  TROUPE_ASSIGN_OR_RETURN(std::string footer, write_block(Block().finish()));  // filters and the like: none
  TROUPE_ASSIGN_OR_RETURN(std::string index, write_block(index_.finish()));
  footer += index;
  footer.resize(kFooterBytes - kMagicBytes, '\0');
  footer.append(kMagic, kMagicBytes);
  return file_->append(footer);
}

absl::Status TableReader::corrupt(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat(what, ": ", file_.path()));
}

bool TableReader::take_handle(absl::string_view* bytes, Handle* handle) {
  return take_varint64(bytes, &handle->offset) && take_varint64(bytes, &handle->size);
}

absl::Status TableReader::open(const std::string& path) {
  TROUPE_RETURN_IF_ERROR(file_.open(path));
  if (file_.size() < static_cast<int64_t>(kFooterBytes)) return corrupt("file is too short to be an sstable");
  char bytes[kFooterBytes];
  TROUPE_RETURN_IF_ERROR(file_.read(file_.size() - static_cast<int64_t>(kFooterBytes), kFooterBytes, bytes));
  absl::string_view footer(bytes, kFooterBytes);
  if (footer.substr(kFooterBytes - kMagicBytes) != absl::string_view(kMagic, kMagicBytes)) {
    return corrupt("not an sstable (bad magic number)");
  }
  footer.remove_suffix(kMagicBytes);
  Handle unused, index;
  if (!take_handle(&footer, &unused) || !take_handle(&footer, &index)) return corrupt("bad block handle");
  TROUPE_ASSIGN_OR_RETURN(Entries entries, read_entries(index));
  for (auto& [key, value] : entries) {
    IndexEntry entry;
    absl::string_view rest = value;
    if (!take_handle(&rest, &entry.handle)) return corrupt("bad block handle");
    entry.last_key = std::move(key);
    index_.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> TableReader::read_block(Handle handle) const {
  const auto file_size = static_cast<uint64_t>(file_.size());
  if (handle.offset > file_size || handle.size > file_size - handle.offset ||
      file_size - handle.offset - handle.size < kTrailerBytes) {
    return corrupt("truncated block read");
  }
  std::string bytes(static_cast<size_t>(handle.size) + kTrailerBytes, '\0');
  TROUPE_RETURN_IF_ERROR(file_.read(static_cast<int64_t>(handle.offset), bytes.size(), bytes.data()));
  const size_t n = static_cast<size_t>(handle.size);
  if (crc32c_unmask(get_fixed32(bytes.data() + n + 1)) != crc32c(absl::string_view(bytes.data(), n + 1))) {
    return corrupt("block checksum mismatch");
  }
  const char type = bytes[n];
  bytes.resize(n);
  if (type == kNoCompression) return bytes;
  if (type != kSnappy) return corrupt("bad block type");
  size_t length = 0;
  if (!snappy::GetUncompressedLength(bytes.data(), n, &length) || length / kMaxExpansion > n) {
    return corrupt("corrupted compressed block contents");
  }
  std::string plain(length, '\0');
  if (!snappy::RawUncompress(bytes.data(), n, plain.data()))
    return corrupt("corrupted compressed block contents");
  return plain;
}

absl::StatusOr<TableReader::Entries> TableReader::read_entries(Handle handle) const {
  TROUPE_ASSIGN_OR_RETURN(const std::string block, read_block(handle));
  if (block.size() < 4) return corrupt("bad block contents");
  const uint64_t restarts = get_fixed32(block.data() + block.size() - 4);
  if (restarts > (block.size() - 4) / 4) return corrupt("bad block contents");
  absl::string_view rest(block.data(), block.size() - 4 - static_cast<size_t>(restarts) * 4);
  Entries entries;
  std::string key;
  uint64_t key_bytes = 0;
  while (!rest.empty()) {
    uint32_t shared, own, value;
    if (!take_varint32(&rest, &shared) || !take_varint32(&rest, &own) || !take_varint32(&rest, &value) ||
        shared > key.size() || own > rest.size() || value > rest.size() - own) {
      return corrupt("bad entry in block");
    }
    key.resize(shared);
    key.append(rest.data(), own);
    if (!entries.empty() && key <= entries.back().first) return corrupt("keys out of order in block");
    key_bytes += key.size();
    if (key_bytes / kMaxSharing > block.size()) return corrupt("keys in block are too long");
    entries.emplace_back(key, std::string(rest.substr(own, value)));
    rest.remove_prefix(size_t{own} + value);
  }
  return entries;
}

absl::Status TableReader::load(size_t block) {
  if (loaded_ == block) return absl::OkStatus();
  loaded_.reset();
  TROUPE_ASSIGN_OR_RETURN(entries_, read_entries(index_[block].handle));
  loaded_ = block;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> TableReader::find(absl::string_view key) {
  const auto block =
      std::lower_bound(index_.begin(), index_.end(), key, [](const IndexEntry& entry, absl::string_view k) {
        return absl::string_view(entry.last_key) < k;
      });
  if (block == index_.end()) return std::nullopt;
  TROUPE_RETURN_IF_ERROR(load(static_cast<size_t>(block - index_.begin())));
  const auto entry =
      std::lower_bound(entries_.begin(), entries_.end(), key,
                       [](const auto& e, absl::string_view k) { return absl::string_view(e.first) < k; });
  if (entry == entries_.end() || absl::string_view(entry->first) != key) return std::nullopt;
  return std::optional<std::string>(entry->second);
}

absl::Status TableReader::for_each(
    const std::function<absl::Status(absl::string_view key, absl::string_view value)>& fn) {
  for (size_t block = 0; block < index_.size(); ++block) {
    TROUPE_RETURN_IF_ERROR(load(block));
    for (const auto& [key, value] : entries_) TROUPE_RETURN_IF_ERROR(fn(key, value));
  }
  return absl::OkStatus();
}

}  // namespace troupe
