#include "tools/troupe/files.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

absl::Status io_error(const std::string& path, int error) { return absl::ErrnoToStatus(error, path); }

}  // namespace

absl::StatusOr<std::string> read_file(const std::string& path) {
  if (is_folder(path)) return absl::FailedPreconditionError(absl::StrCat(path, ": is a folder"));
  File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return io_error(path, errno);
  std::string bytes;
  char block[1 << 16];
  while (size_t n = std::fread(block, 1, sizeof(block), file.get())) bytes.append(block, n);
  if (std::ferror(file.get()) != 0) return io_error(path, errno);
  return bytes;
}

absl::Status write_file(const std::string& path, absl::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return io_error(path, errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = errno;
  if (std::fclose(file) != 0) return io_error(path, errno);
  return written ? absl::OkStatus() : io_error(path, error);
}

bool file_exists(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0;
}

bool is_folder(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

}  // namespace troupe
