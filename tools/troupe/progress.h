#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace troupe {

/// A line that tells how far a long job is, on standard error and only when that is a terminal; elsewhere nothing. One
/// thread.
class Progress {
 public:
  /// `total` units of work.
  Progress(std::string label, int64_t total);
  /// Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;

  /// So much is done; `note` stands behind the bar. Draws at most ten times a second.
  void update(int64_t done, const std::string& note = "");
  /// Takes the line away, so that something else can be printed; the next update draws it again.
  void clear();

 private:
  const std::string label_;
  const int64_t total_;
  const bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_draw_{};
};

}  // namespace troupe
