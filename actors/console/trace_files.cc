#include "actors/console/trace_files.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "actors/step/node_timing.h"
#include "graph/status.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kPrefix = "troupe-trace-", kEnding = ".json";
constexpr absl::string_view kBegin = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", kEnd = "\n]}\n";

/// Names sort by their age; unlike any other of this machine.
std::string new_name() {
  static std::atomic<int> count{0};
  return absl::StrFormat("%s%020d-%d-%d%s", kPrefix, wall_clock_ns(), ::getpid(), count.fetch_add(1),
                         kEnding);
}

absl::Status put(std::FILE* file, absl::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file) == text.size()) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "cannot write a trace");
}

}  // namespace

absl::Status TraceFiles::open() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot make the trace folder ", folder_));
  return begin_file();
}

absl::Status TraceFiles::begin_file() {
  file_ = nullptr;
  remove_old();
  const std::string path = absl::StrCat(folder_, "/", new_name());
  file_.reset(std::fopen(path.c_str(), "wbe"));
  if (file_ == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("cannot make the trace ", path));
  bytes_ = static_cast<int64_t>(kBegin.size());
  has_events_ = false;
  TROUPE_RETURN_IF_ERROR(put(file_.get(), kBegin));
  return add("");
}

absl::Status TraceFiles::add(absl::string_view events) {
  if (at_begin()) TROUPE_RETURN_IF_ERROR(begin_file());
  // If anything goes wrong.
  auto file = std::move(file_);
  if (std::fseek(file.get(), static_cast<long>(bytes_), SEEK_SET) != 0)
    return absl::ErrnoToStatus(errno, "cannot go on with a trace");
  if (has_events_ && !events.empty()) TROUPE_RETURN_IF_ERROR(put(file.get(), ",\n"));
  TROUPE_RETURN_IF_ERROR(put(file.get(), events));
  bytes_ += static_cast<int64_t>(events.size()) + (has_events_ && !events.empty() ? 2 : 0);
  has_events_ = has_events_ || !events.empty();
  TROUPE_RETURN_IF_ERROR(put(file.get(), kEnd));
  if (std::fflush(file.get()) != 0) return absl::ErrnoToStatus(errno, "cannot write a trace");
  file_ = std::move(file);
  return absl::OkStatus();
}

void TraceFiles::remove_old() const {
  std::vector<fs::path> traces;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (absl::StartsWith(name, kPrefix) && absl::EndsWith(name, kEnding)) traces.push_back(entry.path());
  }
  std::sort(traces.begin(), traces.end());
  const size_t kept = static_cast<size_t>(max_files_) - 1;
  for (size_t i = 0; i + kept < traces.size(); ++i) fs::remove(traces[i], ignored);
}

}  // namespace troupe
