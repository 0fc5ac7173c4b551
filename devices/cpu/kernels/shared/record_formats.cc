// What readers read: whole files, names, lines, records of a fixed length, TFRecords, LMDB databases.

#include <snappy.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "devices/checkpoint/crc32c.h"
#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/lmdb_file.h"
#include "devices/cpu/kernels/shared/record_formats.h"

namespace troupe {
namespace {

absl::Status file_error(const std::string& path, int error) {
  const std::string text = absl::StrCat(path, "; ", std::strerror(error));
  if (error == EACCES) return absl::PermissionDeniedError(text);
  if (error == ENOENT) return absl::NotFoundError(text);
  return absl::FailedPreconditionError(text);
}

/// Inflates a whole file; windows of more than 15 bits stand for gzip.
absl::Status inflate_all(const std::string& path, const std::string& packed, bool gzip, std::string* out) {
  z_stream stream = {};
  if (inflateInit2(&stream, gzip ? 15 + 16 : 15) != Z_OK)
    return absl::ResourceExhaustedError("zlib cannot start");
  std::string buffer(256 << 10, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = inflate(&stream, Z_NO_FLUSH);
    out->append(buffer, 0, buffer.size() - stream.avail_out);
    // Gzip files may hold several streams, one behind the other.
    if (code == Z_STREAM_END && gzip && stream.avail_in > 0) code = inflateReset(&stream);
  }
  const std::string reason = stream.msg == nullptr ? path : std::string(stream.msg);
  inflateEnd(&stream);
  if (code == Z_STREAM_END || (packed.empty() && code == Z_BUF_ERROR)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("inflate() failed with error ", code, ": ", reason));
}

/// A whole file of Snappy's blocks, each behind its length.
absl::Status unsnap_all(const std::string& path, absl::string_view packed, std::string* out) {
  // No block grows by more when it is read.
  constexpr size_t kMaxExpansion = 32;
  while (!packed.empty()) {
    size_t length = 0, plain = 0;
    for (size_t i = 0; i < 4 && i < packed.size(); ++i)
      length = length << 8 | static_cast<uint8_t>(packed[i]);
    if (packed.size() < 4 || length > packed.size() - 4) {
      return absl::DataLossError(absl::StrCat(path, " ends within a Snappy block"));
    }
    const absl::string_view block = packed.substr(4, length);
    packed.remove_prefix(4 + length);
    if (!snappy::GetUncompressedLength(block.data(), block.size(), &plain) ||
        plain / kMaxExpansion > block.size()) {
      return absl::DataLossError(absl::StrCat("Snappy_GetUncompressedLength failed for ", path));
    }
    const size_t at = out->size();
    out->resize(at + plain);
    if (!snappy::RawUncompress(block.data(), block.size(), out->data() + at)) {
      return absl::DataLossError(absl::StrCat("Snappy_Uncompress failed for ", path));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReaderFile::open(const std::string& path, Compression compression) {
  path_ = path;
  inflated_.clear();
  in_memory_ = compression != Compression::kNone;
  file_ = std::ifstream();
  TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(path));
  errno = 0;
  file_.open(local, std::ios::binary);
  if (!file_) return file_error(path, errno == 0 ? ENOENT : errno);
  file_.seekg(0, std::ios::end);
  size_ = static_cast<int64_t>(file_.tellg());
  // A folder opens, but has no bytes.
  if (!file_ || size_ < 0 || size_ == std::numeric_limits<int64_t>::max()) return file_error(path, EISDIR);
  if (!in_memory_) return absl::OkStatus();
  if (size_ > std::numeric_limits<uInt>::max())
    return absl::ResourceExhaustedError(path + "; is too large to inflate");
  std::string packed;
  in_memory_ = false;
  TROUPE_RETURN_IF_ERROR(read(0, size_, &packed));
  in_memory_ = true;
  TROUPE_RETURN_IF_ERROR(compression == Compression::kSnappy
                             ? unsnap_all(path, packed, &inflated_)
                             : inflate_all(path, packed, compression == Compression::kGzip, &inflated_));
  size_ = static_cast<int64_t>(inflated_.size());
  return absl::OkStatus();
}

absl::Status ReaderFile::read(int64_t offset, int64_t count, std::string* out) {
  out->clear();
  if (offset >= size_) return absl::OkStatus();
  count = std::min(count, size_ - offset);
  if (in_memory_) {
    out->assign(inflated_, static_cast<size_t>(offset), static_cast<size_t>(count));
    return absl::OkStatus();
  }
  out->resize(static_cast<size_t>(count));
  file_.clear();
  file_.seekg(offset);
  file_.read(out->data(), count);
  out->resize(static_cast<size_t>(file_.gcount()));
  if (file_.bad()) return file_error(path_, EIO);
  return absl::OkStatus();
}

namespace {

class WholeFileFormat final : public RecordFormat {
 public:
  absl::Status start(const std::string& work) override {
    work_ = work;
    return absl::OkStatus();
  }
  absl::StatusOr<Outcome> next(Record* record) override {
    ReaderFile file;
    TROUPE_RETURN_IF_ERROR(file.open(work_, ReaderFile::Compression::kNone));
    record->key = work_;
    TROUPE_RETURN_IF_ERROR(file.read(0, file.size(), &record->value));
    return Outcome::kRecordAndEnd;
  }
  bool has_state() const override { return true; }

 private:
  std::string work_;
};

class IdentityFormat final : public RecordFormat {
 public:
  absl::Status start(const std::string& work) override {
    work_ = work;
    return absl::OkStatus();
  }
  absl::StatusOr<Outcome> next(Record* record) override {
    *record = {work_, work_};
    return Outcome::kRecordAndEnd;
  }
  bool has_state() const override { return true; }

 private:
  std::string work_;
};

/// Which carriage returns belong to no line: TensorFlow's readers and data sets differ.
enum class Returns { kDropLast, kDropAll };

/// Lines end with a newline or the file; an empty one that only the file ends is none.
class TextLineFormat final : public RecordFormat {
 public:
  TextLineFormat(int64_t skip, ReaderFile::Compression compression, Returns returns)
      : skip_(skip), compression_(compression), returns_(returns) {}

  absl::Status start(const std::string& work) override {
    work_ = work;
    line_ = 0;
    offset_ = 0;
    buffer_.clear();
    used_ = 0;
    TROUPE_RETURN_IF_ERROR(file_.open(work, compression_));
    std::string ignored;
    for (; line_ < skip_; ++line_) {
      TROUPE_ASSIGN_OR_RETURN(bool found, read_line(&ignored));
      if (!found) break;
    }
    return absl::OkStatus();
  }
  absl::StatusOr<Outcome> next(Record* record) override {
    TROUPE_ASSIGN_OR_RETURN(bool found, read_line(&record->value));
    if (!found) return Outcome::kEnd;
    record->key = absl::StrCat(work_, ":", ++line_);
    return Outcome::kRecord;
  }

 private:
  static constexpr int64_t kChunkBytes = 256 << 10;

  absl::StatusOr<bool> read_line(std::string* line) {
    line->clear();
    for (;;) {
      if (used_ == buffer_.size()) {
        TROUPE_RETURN_IF_ERROR(file_.read(offset_, kChunkBytes, &buffer_));
        offset_ += static_cast<int64_t>(buffer_.size());
        used_ = 0;
        if (buffer_.empty()) {
          drop_returns(line);
          return !line->empty();
        }
      }
      const size_t end = buffer_.find('\n', used_);
      const size_t stop = end == std::string::npos ? buffer_.size() : end;
      line->append(buffer_, used_, stop - used_);
      used_ = end == std::string::npos ? stop : stop + 1;
      if (end == std::string::npos) continue;
      drop_returns(line);
      return true;
    }
  }
  void drop_returns(std::string* line) const {
    if (returns_ == Returns::kDropAll) {
      line->erase(std::remove(line->begin(), line->end(), '\r'), line->end());
    } else if (!line->empty() && line->back() == '\r') {
      line->pop_back();
    }
  }

  const int64_t skip_;
  const ReaderFile::Compression compression_;
  const Returns returns_;
  std::string work_;
  ReaderFile file_;
  int64_t line_ = 0;
  int64_t offset_ = 0;
  std::string buffer_;
  size_t used_ = 0;
};

class FixedLengthFormat final : public RecordFormat {
 public:
  struct Sizes {
    int64_t header = 0;
    int64_t record = 0;
    int64_t footer = 0;
    int64_t hop = 0;
  };
  FixedLengthFormat(Sizes sizes, ReaderFile::Compression compression)
      : sizes_(sizes), compression_(compression) {}

  absl::Status start(const std::string& work) override {
    work_ = work;
    number_ = 0;
    offset_ = sizes_.header;
    return file_.open(work, compression_);
  }
  absl::StatusOr<Outcome> next(Record* record) override {
    const int64_t end = file_.size() - sizes_.footer;
    if (offset_ > end || sizes_.record > end - offset_) return Outcome::kEnd;
    TROUPE_RETURN_IF_ERROR(file_.read(offset_, sizes_.record, &record->value));
    record->key = absl::StrCat(work_, ":", number_++);
    // An offset beyond the end is the end, whatever the hop.
    offset_ = sizes_.hop > end - offset_ ? end + 1 : offset_ + sizes_.hop;
    return Outcome::kRecord;
  }

 private:
  const Sizes sizes_;
  const ReaderFile::Compression compression_;
  std::string work_;
  ReaderFile file_;
  int64_t number_ = 0;
  int64_t offset_ = 0;
};

/// Records of a length (8 bytes), its checksum (4), the bytes and their checksum (4).
class TfRecordFormat final : public RecordFormat {
 public:
  explicit TfRecordFormat(ReaderFile::Compression compression, int64_t first = 0)
      : compression_(compression), first_(first) {}

  absl::Status start(const std::string& work) override {
    work_ = work;
    offset_ = first_;
    return file_.open(work, compression_);
  }
  absl::StatusOr<Outcome> next(Record* record) override {
    constexpr int64_t kHeaderBytes = 12;
    std::string header;
    TROUPE_RETURN_IF_ERROR(file_.read(offset_, kHeaderBytes, &header));
    // TensorFlow takes a part of a header for the end, too.
    if (static_cast<int64_t>(header.size()) < kHeaderBytes) return Outcome::kEnd;
    if (!checked(header, 8)) return corrupted(offset_);
    uint64_t length = 0;
    for (int i = 7; i >= 0; --i)
      length = (length << 8) | static_cast<uint8_t>(header[static_cast<size_t>(i)]);
    const int64_t rest = file_.size() - offset_ - kHeaderBytes;
    if (rest < 4 || length > static_cast<uint64_t>(rest - 4)) return truncated();
    TROUPE_RETURN_IF_ERROR(
        file_.read(offset_ + kHeaderBytes, static_cast<int64_t>(length) + 4, &record->value));
    if (record->value.size() < length + 4) return truncated();
    if (!checked(record->value, length)) return corrupted(offset_ + kHeaderBytes);
    record->value.resize(length);
    record->key = absl::StrCat(work_, ":", offset_);
    offset_ += kHeaderBytes + static_cast<int64_t>(length) + 4;
    return Outcome::kRecord;
  }

 private:
  /// Whether the four bytes behind the first `count` are their checksum.
  static bool checked(const std::string& bytes, size_t count) {
    uint32_t stored = 0;
    for (int i = 3; i >= 0; --i)
      stored = (stored << 8) | static_cast<uint8_t>(bytes[count + static_cast<size_t>(i)]);
    return crc32c_unmask(stored) == crc32c({bytes.data(), count});
  }
  absl::Status truncated() const {
    return absl::DataLossError(
        absl::StrCat("truncated record at ", offset_, "' failed with Read less bytes than requested"));
  }
  static absl::Status corrupted(int64_t offset) {
    return absl::DataLossError(
        absl::StrCat("corrupted record at ", offset, offset == 0 ? " (Is this even a TFRecord file?)" : ""));
  }

  const ReaderFile::Compression compression_;
  const int64_t first_;
  std::string work_;
  ReaderFile file_;
  int64_t offset_ = 0;
};

class LmdbFormat final : public RecordFormat {
 public:
  absl::Status start(const std::string& work) override {
    file_ = std::make_unique<LmdbFile>();
    TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(work));
    return file_->open(local);
  }
  absl::StatusOr<Outcome> next(Record* record) override {
    TROUPE_ASSIGN_OR_RETURN(std::optional<LmdbFile::Pair> pair, file_->next());
    if (!pair.has_value()) return Outcome::kEnd;
    *record = {std::move(pair->first), std::move(pair->second)};
    return Outcome::kRecord;
  }

 private:
  std::unique_ptr<LmdbFile> file_;
};

absl::StatusOr<ReaderFile::Compression> compression_of(const KernelConstruction& c, const char* attr) {
  return compression_named(c.node().attrs.get_or<std::string>(attr, ""));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordFormat>> make_whole_file_format(const KernelConstruction&) {
  return std::make_unique<WholeFileFormat>();
}
absl::StatusOr<std::unique_ptr<RecordFormat>> make_identity_format(const KernelConstruction&) {
  return std::make_unique<IdentityFormat>();
}
absl::StatusOr<std::unique_ptr<RecordFormat>> make_text_line_format(const KernelConstruction& c) {
  const int64_t skip = c.node().attrs.get_or<int64_t>("skip_header_lines", 0);
  if (skip < 0) return invalid("skip_header_lines must be >= 0 not ", skip);
  return std::make_unique<TextLineFormat>(skip, ReaderFile::Compression::kNone, Returns::kDropLast);
}
absl::StatusOr<std::unique_ptr<RecordFormat>> make_fixed_length_format(const KernelConstruction& c) {
  const AttrMap& attrs = c.node().attrs;
  FixedLengthFormat::Sizes sizes;
  sizes.header = attrs.get_or<int64_t>("header_bytes", 0);
  sizes.record = attrs.get_or<int64_t>("record_bytes", 0);
  sizes.footer = attrs.get_or<int64_t>("footer_bytes", 0);
  sizes.hop = attrs.get_or<int64_t>("hop_bytes", 0);
  if (sizes.header < 0) return invalid("header_bytes must be >= 0 not ", sizes.header);
  if (sizes.record <= 0) return invalid("record_bytes must be > 0 not ", sizes.record);
  if (sizes.footer < 0) return invalid("footer_bytes must be >= 0 not ", sizes.footer);
  if (sizes.hop < 0) return invalid("hop_bytes must be >= 0 not ", sizes.hop);
  if (sizes.hop == 0) sizes.hop = sizes.record;
  TROUPE_ASSIGN_OR_RETURN(auto compression, compression_of(c, "encoding"));
  return std::make_unique<FixedLengthFormat>(sizes, compression);
}
absl::StatusOr<std::unique_ptr<RecordFormat>> make_tf_record_format(const KernelConstruction& c) {
  TROUPE_ASSIGN_OR_RETURN(auto compression, compression_of(c, "compression_type"));
  return std::make_unique<TfRecordFormat>(compression);
}
absl::StatusOr<std::unique_ptr<RecordFormat>> make_lmdb_format(const KernelConstruction&) {
  return std::make_unique<LmdbFormat>();
}

absl::StatusOr<ReaderFile::Compression> compression_named(const std::string& name) {
  if (name.empty()) return ReaderFile::Compression::kNone;
  if (name == "ZLIB") return ReaderFile::Compression::kZlib;
  if (name == "GZIP") return ReaderFile::Compression::kGzip;
  return invalid("Unsupported compression type: ", name);
}
std::unique_ptr<RecordFormat> line_format(ReaderFile::Compression compression) {
  return std::make_unique<TextLineFormat>(0, compression, Returns::kDropAll);
}
std::unique_ptr<RecordFormat> tf_record_format(ReaderFile::Compression compression, int64_t offset) {
  return std::make_unique<TfRecordFormat>(compression, offset);
}

}  // namespace troupe
