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

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
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

/// Length of the scheme and "://" that a URI begins with; 0 for a mere path.
size_t scheme_length(absl::string_view path) {
  size_t n = 0;
  while (n < path.size() &&
         (absl::ascii_isalpha(path[n]) || (n > 0 && (absl::ascii_isdigit(path[n]) || path[n] == '.')))) {
    ++n;
  }
  return n > 0 && absl::StartsWith(path.substr(n), "://") ? n + 3 : 0;
}

}  // namespace

absl::StatusOr<std::string> local_path(const std::string& path) {
  const size_t n = scheme_length(path);
  if (n == 0) return path;
  const absl::string_view scheme = absl::string_view(path).substr(0, n - 3);
  if (scheme != "file") {
    return absl::UnimplementedError(
        absl::StrCat("File system scheme '", scheme, "' not implemented (file: '", path, "')"));
  }
  const size_t slash = path.find('/', n);
  return slash == std::string::npos ? "" : path.substr(slash);
}

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
  TROUPE_ASSIGN_OR_RETURN(local_, local_path(path));
  temporary_ = temporary_name(local_);
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
  absl::Status status = closed != 0 ? file_error(path_, errno) : rename_file(temporary_, local_);
  if (!status.ok()) ::unlink(temporary_.c_str());
  return status;
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

absl::Status InputFile::open(const std::string& path) {
  path_ = path;
  TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(path));
  fd_ = ::open(local.c_str(), O_RDONLY | O_CLOEXEC);
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
  TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(path));
  std::FILE* stream = std::fopen(local.c_str(), "rbe");
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
  TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(path));
  if (::mkdir(local.c_str(), 0777) == 0 || errno == EEXIST) return absl::OkStatus();
  return file_error(path, errno);
}

absl::Status make_folders(const std::string& path) {
  TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(path));
  for (size_t at = local.find('/', 1); at != std::string::npos; at = local.find('/', at + 1)) {
    TROUPE_RETURN_IF_ERROR(make_folder(local.substr(0, at)));
  }
  return local.empty() ? absl::OkStatus() : make_folder(local);
}

absl::Status rename_file(const std::string& from, const std::string& to) {
  TROUPE_ASSIGN_OR_RETURN(const std::string old_place, local_path(from));
  TROUPE_ASSIGN_OR_RETURN(const std::string new_place, local_path(to));
  return ::rename(old_place.c_str(), new_place.c_str()) == 0 ? absl::OkStatus() : file_error(from, errno);
}

void remove_file(const std::string& path) {
  if (const auto local = local_path(path); local.ok()) ::unlink(local->c_str());
}

void remove_folder(const std::string& path) {
  if (const auto local = local_path(path); local.ok()) ::rmdir(local->c_str());
}

bool file_exists_at(const std::string& path) {
  const auto local = local_path(path);
  return local.ok() && ::access(local->c_str(), F_OK) == 0;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::StatusOr<std::vector<std::string>> match_files(const std::string& pattern) {
  std::vector<std::string> result;
  // glob(3) would end at a zero byte, and no file has one in its name.
  if (pattern.find('\0') != std::string::npos) return result;
  TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(pattern));
  const std::string prefix = pattern.substr(0, pattern.size() - local.size());
  glob_t found;
  std::memset(&found, 0, sizeof(found));
  const int code = ::glob(local.c_str(), GLOB_NOSORT, nullptr, &found);
  for (size_t i = 0; code == 0 && i < found.gl_pathc; ++i) result.push_back(prefix + found.gl_pathv[i]);
  ::globfree(&found);
  if (code == GLOB_NOSPACE) return absl::ResourceExhaustedError("too many files match " + pattern);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace troupe
