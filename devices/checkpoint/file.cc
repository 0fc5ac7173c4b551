#include "devices/checkpoint/file.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// Appended bytes are written to the file in blocks of about this size.
constexpr size_t kBufferBytes = size_t{1} << 18;

absl::StatusCode code_of(int error_number) {
  switch (error_number) {
    case ENOENT: return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS: return absl::StatusCode::kPermissionDenied;
    case EEXIST: return absl::StatusCode::kAlreadyExists;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EFBIG: return absl::StatusCode::kResourceExhausted;
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
    case EBUSY:
    case EXDEV:
    case ETXTBSY: return absl::StatusCode::kFailedPrecondition;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
    case EILSEQ: return absl::StatusCode::kInvalidArgument;
    default: return absl::StatusCode::kUnknown;
  }
}

std::string temporary_name(const std::string& path) {
  static std::atomic<uint64_t> next{0};
  return absl::StrCat(path, ".tempstate", getpid(), "_", next.fetch_add(1, std::memory_order_relaxed));
}

absl::Status write_all(int fd, absl::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return file_error(path, errno);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status file_error(absl::string_view path, int error_number) {
  return absl::Status(code_of(error_number),
                      absl::StrCat(path, "; ", std::generic_category().message(error_number)));
}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

absl::Status OutputFile::open(const std::string& path) {
  path_ = path;
  temporary_ = temporary_name(path);
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return fd_ < 0 ? file_error(path, errno) : absl::OkStatus();
}

absl::Status OutputFile::append(absl::string_view bytes) {
  size_ += static_cast<int64_t>(bytes.size());
  if (buffer_.size() + bytes.size() <= kBufferBytes) {
    buffer_.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  TROUPE_RETURN_IF_ERROR(flush());
  if (bytes.size() >= kBufferBytes) return write_all(fd_, bytes, path_);
  buffer_.append(bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::Status OutputFile::flush() {
  absl::Status status = write_all(fd_, buffer_, path_);
  buffer_.clear();
  return status;
}

absl::Status OutputFile::commit() {
  TROUPE_RETURN_IF_ERROR(flush());
  const int closed = ::close(fd_);
  fd_ = -1;
  absl::Status status = closed != 0 ? file_error(path_, errno) : rename_file(temporary_, path_);
  if (!status.ok()) ::unlink(temporary_.c_str());
  return status;
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

absl::Status InputFile::open(const std::string& path) {
  path_ = path;
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) return file_error(path, errno);
  struct stat info;
  if (::fstat(fd_, &info) != 0) return file_error(path, errno);
  if (S_ISDIR(info.st_mode)) return file_error(path, EISDIR);
  size_ = info.st_size;
  return absl::OkStatus();
}

absl::Status InputFile::read(int64_t offset, size_t size, char* out) const {
  while (size > 0) {
    const ssize_t n = ::pread(fd_, out, size, offset);
    if (n < 0) {
      if (errno == EINTR) continue;
      return file_error(path_, errno);
    }
    if (n == 0) {
      return absl::OutOfRangeError(absl::StrCat("Read less bytes than requested: ", path_,
                                                " ends before byte ", offset + static_cast<int64_t>(size)));
    }
    offset += n;
    out += n;
    size -= static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> read_whole_file(const std::string& path) {
  InputFile file;
  TROUPE_RETURN_IF_ERROR(file.open(path));
  std::string bytes;
  if (file.size() > 0) {
    bytes.resize(static_cast<size_t>(file.size()));
    TROUPE_RETURN_IF_ERROR(file.read(0, bytes.size(), bytes.data()));
    return bytes;
  }
  // Pipes and the files of /proc do not know their size.
  std::FILE* stream = std::fopen(path.c_str(), "rbe");
  if (stream == nullptr) return file_error(path, errno);
  char block[4096];
  size_t n;
  while ((n = std::fread(block, 1, sizeof(block), stream)) > 0) bytes.append(block, n);
  const bool failed = std::ferror(stream) != 0;
  std::fclose(stream);
  if (failed) return file_error(path, EIO);
  return bytes;
}

absl::Status write_whole_file(const std::string& path, absl::string_view bytes) {
  OutputFile file;
  TROUPE_RETURN_IF_ERROR(file.open(path));
  TROUPE_RETURN_IF_ERROR(file.append(bytes));
  return file.commit();
}

absl::Status make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return absl::OkStatus();
  return file_error(path, errno);
}

absl::Status make_folders(const std::string& path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    TROUPE_RETURN_IF_ERROR(make_folder(path.substr(0, at)));
  }
  return path.empty() ? absl::OkStatus() : make_folder(path);
}

absl::Status rename_file(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? absl::OkStatus() : file_error(from, errno);
}

bool file_exists_at(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::StatusOr<std::vector<std::string>> match_files(const std::string& pattern) {
  std::vector<std::string> result;
  // glob(3) would end at a zero byte, and no file has one in its name.
  if (pattern.find('\0') != std::string::npos) return result;
  glob_t found;
  std::memset(&found, 0, sizeof(found));
  const int code = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  if (code == 0) result.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (code == GLOB_NOSPACE) return absl::ResourceExhaustedError("too many files match " + pattern);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace troupe
