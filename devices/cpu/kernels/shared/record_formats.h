#pragma once

#include <fstream>
#include <memory>
#include <string>

#include "devices/kernel.h"

namespace troupe {

/// A file for readers, as a sequence of bytes: read as it is asked for, or inflated into memory.
class ReaderFile {
 public:
  enum class Compression { kNone, kZlib, kGzip, kSnappy };

  /// NotFound "path; No such file or directory"; DataLoss when it does not inflate.
  absl::Status open(const std::string& path, Compression compression);
  /// Up to `count` bytes from `offset` on; fewer at the end.
  absl::Status read(int64_t offset, int64_t count, std::string* out);
  int64_t size() const { return size_; }

 private:
  std::string path_;
  std::ifstream file_;
  std::string inflated_;
  bool in_memory_ = false;
  int64_t size_ = 0;
};

/// How one kind of reader turns a file into records. Used by one thread at a time.
class RecordFormat {
 public:
  struct Record {
    std::string key;
    std::string value;
  };
  enum class Outcome { kRecord, kEnd, kRecordAndEnd };

  virtual ~RecordFormat() = default;
  /// Begins with the file, or whatever `work` names.
  virtual absl::Status start(const std::string& work) = 0;
  /// The next record; after an error the same is tried again.
  virtual absl::StatusOr<Outcome> next(Record* record) = 0;
  virtual void reset() {}
  /// True when a reader's state may be saved and restored.
  virtual bool has_state() const { return false; }
};

absl::StatusOr<std::unique_ptr<RecordFormat>> make_whole_file_format(const KernelConstruction& c);
absl::StatusOr<std::unique_ptr<RecordFormat>> make_identity_format(const KernelConstruction& c);
absl::StatusOr<std::unique_ptr<RecordFormat>> make_text_line_format(const KernelConstruction& c);
absl::StatusOr<std::unique_ptr<RecordFormat>> make_fixed_length_format(const KernelConstruction& c);
absl::StatusOr<std::unique_ptr<RecordFormat>> make_tf_record_format(const KernelConstruction& c);
absl::StatusOr<std::unique_ptr<RecordFormat>> make_lmdb_format(const KernelConstruction& c);

/// "", "ZLIB" or "GZIP"; InvalidArgument for anything else.
absl::StatusOr<ReaderFile::Compression> compression_named(const std::string& name);
/// The same formats for files of any compression, without a node.
std::unique_ptr<RecordFormat> line_format(ReaderFile::Compression compression);
std::unique_ptr<RecordFormat> tf_record_format(ReaderFile::Compression compression, int64_t offset);

}  // namespace troupe
