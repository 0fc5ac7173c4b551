#include "tools/troupe/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr int kBarColumns = 30;

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::string label, int64_t total)
    : label_(std::move(label)), total_(total), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::update(int64_t done, const std::string& note) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_draw_ && done < total_) return;
  next_draw_ = now + kRedrawEvery;
  const int64_t filled =
      total_ > 0 ? std::clamp<int64_t>(done * kBarColumns / total_, 0, kBarColumns) : kBarColumns;
  std::string line = absl::StrCat(label_, " [", std::string(filled, '#'),
                                  std::string(kBarColumns - filled, '.'), "] ", done, "/", total_, " ", note);
  line.resize(std::min<size_t>(line.size(), terminal_columns() - 1));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace troupe
