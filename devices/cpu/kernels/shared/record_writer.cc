#include "devices/cpu/kernels/shared/record_writer.h"

#include <snappy.h>
#include <zlib.h>

#include "devices/checkpoint/coding.h"
#include "devices/checkpoint/crc32c.h"

namespace troupe {

struct RecordWriter::Deflater {
  z_stream stream{};
  bool begun = false;

  ~Deflater() {
    if (begun) deflateEnd(&stream);
  }
  absl::Status begin(bool gzip) {
    // 15 bits of window; 16 more ask for gzip's header and trailer.
    begun = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip ? 15 + 16 : 15, 9,
                         Z_DEFAULT_STRATEGY) == Z_OK;
    return begun ? absl::OkStatus() : absl::ResourceExhaustedError("zlib could not begin to compress");
  }
  /// Compresses the bytes, which are fewer than 4 GiB, into the file.
  absl::Status run(absl::string_view bytes, int flush, OutputFile* file) {
    char out[16 << 10];
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(out);
      stream.avail_out = sizeof out;
      if (deflate(&stream, flush) == Z_STREAM_ERROR) return absl::InternalError("zlib could not compress");
      TROUPE_RETURN_IF_ERROR(file->append({out, sizeof out - stream.avail_out}));
    } while (stream.avail_out == 0);
    return absl::OkStatus();
  }
};

RecordWriter::RecordWriter() = default;
RecordWriter::~RecordWriter() = default;

absl::Status RecordWriter::open(const std::string& path, ReaderFile::Compression compression) {
  snappy_ = compression == ReaderFile::Compression::kSnappy;
  if (compression != ReaderFile::Compression::kNone && !snappy_) {
    deflater_ = std::make_unique<Deflater>();
    TROUPE_RETURN_IF_ERROR(deflater_->begin(compression == ReaderFile::Compression::kGzip));
  }
  return file_.open(path);
}

absl::Status RecordWriter::write_block() {
  if (block_.empty()) return absl::OkStatus();
  std::string packed;
  snappy::Compress(block_.data(), block_.size(), &packed);
  block_.clear();
  // Big end first.
  std::string length;
  for (int shift = 24; shift >= 0; shift -= 8) length += static_cast<char>(packed.size() >> shift & 0xff);
  TROUPE_RETURN_IF_ERROR(file_.append(length));
  return file_.append(packed);
}

absl::Status RecordWriter::append(absl::string_view bytes) {
  // Readers have room for this much.
  constexpr size_t kBlock = 256 << 10;
  while (snappy_ && !bytes.empty()) {
    const size_t part = std::min(kBlock - block_.size(), bytes.size());
    block_.append(bytes.data(), part);
    bytes.remove_prefix(part);
    if (block_.size() == kBlock) TROUPE_RETURN_IF_ERROR(write_block());
  }
  if (bytes.empty()) return absl::OkStatus();
  if (deflater_ == nullptr) return file_.append(bytes);
  constexpr size_t kPart = size_t{1} << 30;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPart, bytes.size()))) {
    TROUPE_RETURN_IF_ERROR(deflater_->run(bytes.substr(0, kPart), Z_NO_FLUSH, &file_));
  }
  return absl::OkStatus();
}

absl::Status RecordWriter::write(absl::string_view record) {
  std::string header;
  put_fixed32(&header, static_cast<uint32_t>(record.size()));
  put_fixed32(&header, static_cast<uint32_t>(static_cast<uint64_t>(record.size()) >> 32));
  put_fixed32(&header, crc32c_mask(crc32c(header)));
  std::string footer;
  put_fixed32(&footer, crc32c_mask(crc32c(record)));
  TROUPE_RETURN_IF_ERROR(append(header));
  TROUPE_RETURN_IF_ERROR(append(record));
  return append(footer);
}

absl::Status RecordWriter::commit() {
  TROUPE_RETURN_IF_ERROR(write_block());
  if (deflater_ != nullptr) TROUPE_RETURN_IF_ERROR(deflater_->run("", Z_FINISH, &file_));
  return file_.commit();
}

}  // namespace troupe
