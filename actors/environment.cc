#include "actors/environment.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace troupe {
namespace {

/// More threads than any machine has cores: beyond it, a slip of the pen.
constexpr int kMaxThreads = 1024;

std::optional<int> read_int(const char* name, int least, int most) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  int value = 0;
  if (absl::SimpleAtoi(text, &value) && value >= least && value <= most) return value;
  spdlog::warn("{}={} is ignored: it is no whole number from {} to {}", name, text, least, most);
  return std::nullopt;
}

/// As TensorFlow reads them.
std::optional<bool> read_bool(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower == "1" || lower == "true") return true;
  if (lower == "0" || lower == "false") return false;
  spdlog::warn("{}={} is ignored: it is none of 0, 1, true and false", name, text);
  return std::nullopt;
}

}  // namespace

Environment Environment::read() {
  Environment out;
  out.inter_op_threads = read_int("TF_NUM_INTEROP_THREADS", -kMaxThreads, kMaxThreads).value_or(0);
  out.intra_op_threads = read_int("TF_NUM_INTRAOP_THREADS", 0, kMaxThreads).value_or(0);
  out.min_log_level = read_int("TF_CPP_MIN_LOG_LEVEL", 0, 99);
  out.sync_on_finish = read_bool("TF_SYNC_ON_FINISH").value_or(true);
  return out;
}

std::optional<int> console_port_of_environment() { return read_int("TROUPE_CONSOLE_PORT", 0, 65535); }

void quiet_log(const Environment& environment) {
  static std::once_flag once;
  std::call_once(once, [&] {
    constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::info, spdlog::level::warn,
                                                     spdlog::level::err, spdlog::level::critical};
    if (environment.min_log_level.has_value())
      spdlog::set_level(kLevels[std::min(*environment.min_log_level, 3)]);
  });
}

}  // namespace troupe
