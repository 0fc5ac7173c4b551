#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/async_run.h"
#include "actors/run_values.h"

namespace troupe {

struct SessionCore;

/// A run whose fetches are told as soon as each is there (Session::run_streamed). Copies are the same run; thread-safe. It may outlive its
/// session, whose end ends the run.
class StreamedRun {
 public:
  /// One fetch: its place among those asked for, and its value.
  using Hear = std::function<void(size_t index, const Tensor& value)>;

  StreamedRun() = default;
  /// It ends with Cancelled, unless it is over.
  void cancel() const;

 private:
  friend class Session;
  class Teller;
  struct Handle;
  static StreamedRun begin(const SessionCore& core, std::vector<NamedTensor> feeds,
                           std::vector<std::string> fetches, std::vector<std::string> targets, Hear hear,
                           RunCallback done);
  std::shared_ptr<const Handle> handle_;
};

}  // namespace troupe
