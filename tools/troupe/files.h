#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troupe {

/// The whole file. NotFound, PermissionDenied or Unknown, naming the path; FailedPrecondition for a folder.
absl::StatusOr<std::string> read_file(const std::string& path);
/// Replaces the file.
absl::Status write_file(const std::string& path, absl::string_view bytes);
bool file_exists(const std::string& path);
bool is_folder(const std::string& path);

}  // namespace troupe
