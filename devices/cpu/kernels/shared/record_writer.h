#pragma once

#include <memory>
#include <string>

#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/shared/record_formats.h"

namespace troupe {

/// A file of records, each with its length and checksums, as `tf_record_format` reads it. It gets its name by
/// `commit`; destroyed before, it leaves nothing behind. Used by one thread at a time.
class RecordWriter {
 public:
  RecordWriter();
  ~RecordWriter();

  absl::Status open(const std::string& path, ReaderFile::Compression compression);
  absl::Status write(absl::string_view record);
  absl::Status commit();

 private:
  struct Deflater;
  absl::Status append(absl::string_view bytes);
  absl::Status write_block();

  OutputFile file_;
  std::unique_ptr<Deflater> deflater_;  // null without zlib
  bool snappy_ = false;
  std::string block_;  // not yet compressed by Snappy
};

}  // namespace troupe
