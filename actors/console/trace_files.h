#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace troupe {

/// Events in Chrome's trace format, in files of a folder that are bounded in size and number. After each `add` every file is whole JSON. For one
/// thread.
class TraceFiles {
 public:
  TraceFiles(std::string folder, int max_files, int64_t max_file_bytes)
      : folder_(std::move(folder)), max_files_(max_files), max_file_bytes_(max_file_bytes) {}

  /// Makes the folder, and sees that files can be written there.
  absl::Status open();
  /// Whether what comes next begins a file: then it must name its processes and threads again.
  bool at_begin() const { return file_ == nullptr || bytes_ >= max_file_bytes_; }
  /// Events, with a comma between each two, none at the end. What could not be written is lost; the next call begins another file.
  absl::Status add(absl::string_view events);

 private:
  struct Closer {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  absl::Status begin_file();
  /// The oldest of the folder, until there is room for another.
  void remove_old() const;

  const std::string folder_;
  const int max_files_;
  const int64_t max_file_bytes_;
  std::unique_ptr<std::FILE, Closer> file_;
  /// Without the end that each `add` writes anew.
  int64_t bytes_ = 0;
  bool has_events_ = false;
};

}  // namespace troupe
