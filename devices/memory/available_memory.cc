#include "devices/memory/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// The number behind a word at a line's begin; nothing where there is no such line.
std::optional<int64_t> number_of(const std::string& file, const std::string& word) {
  std::ifstream in(file);
  std::string name;
  int64_t value = 0;
  while (in >> name) {
    if (name == word) return in >> value ? std::optional(value) : std::nullopt;
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

/// The number that is a file's all; nothing where there is none ("max").
std::optional<int64_t> number_in(const std::string& file) {
  std::ifstream in(file);
  int64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

/// Of control groups version 2: the line "0::PATH".
std::string group_of_process(const std::string& proc) {
  std::ifstream in(absl::StrCat(proc, "/self/cgroup"));
  for (std::string line; std::getline(in, line);) {
    if (absl::StartsWith(line, "0::")) return line.substr(3);
  }
  return "";
}

/// What is left to a group, whose own cache of files goes first.
int64_t left_to_group(const std::string& folder) {
  const std::optional<int64_t> limit = number_in(absl::StrCat(folder, "/memory.max"));
  const std::optional<int64_t> used = number_in(absl::StrCat(folder, "/memory.current"));
  if (!limit || !used) return std::numeric_limits<int64_t>::max();
  const int64_t cache = number_of(absl::StrCat(folder, "/memory.stat"), "inactive_file").value_or(0);
  return std::max<int64_t>(0, *limit - *used + cache);
}

}  // namespace

int64_t available_memory(const std::string& proc, const std::string& cgroups) {
  const std::string meminfo = absl::StrCat(proc, "/meminfo");
  const std::optional<int64_t> kilobytes = number_of(meminfo, "MemAvailable:");
  int64_t available = std::numeric_limits<int64_t>::max();
  if (kilobytes) available = (*kilobytes + number_of(meminfo, "SwapFree:").value_or(0)) * 1024;
  // Each group around another has a limit of its own.
  for (std::string group = group_of_process(proc); !group.empty();) {
    available = std::min(available, left_to_group(cgroups + group));
    group.resize(group == "/" ? 0 : std::max<size_t>(1, group.rfind('/')));
  }
  return available;
}

int64_t available_memory() { return available_memory("/proc", "/sys/fs/cgroup"); }

}  // namespace troupe
