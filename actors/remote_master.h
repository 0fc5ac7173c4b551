#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/options.h"
#include "actors/run_values.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

/// A session that is elsewhere: what a SESSION of this process has it do, and what it answers. Thread-safe; nothing here waits. Answers come
/// once, on any thread, and must not block it: Unavailable, which names the target, when nobody is there. Calls that are under way when it is
/// destroyed are answered all the same.
class RemoteMaster {
 public:
  virtual ~RemoteMaster() = default;
  /// "grpc://localhost:2222"
  const std::string& target() const { return target_; }

  template <class T>
  using Answer = std::function<void(absl::StatusOr<T>)>;
  using Ended = std::function<void(const absl::Status&)>;

  /// Opens the session with this graph, once; adds to it, one after the other.
  virtual void create(tensorflow::GraphDef graph, Ended done) = 0;
  virtual void extend(tensorflow::GraphDef graph, Ended done) = 0;

  /// A step, or a turn of a partial run, by names.
  struct Step {
    std::vector<NamedTensor> feeds;
    /// Each once.
    std::vector<std::string> fetches;
    std::vector<std::string> targets;
    /// Of a turn: which partial run it is of.
    std::string partial_run = {};
    /// Zero: none.
    std::chrono::milliseconds timeout{0};
    bool collect_stats = false;
  };
  struct StepEnd {
    absl::Status status;
    /// As they were asked for, when the status is OK.
    std::vector<Tensor> fetches;
    /// Serialized StepStats, when they were asked for.
    std::string step_stats;
  };
  using StepEnded = std::function<void(StepEnd)>;
  /// `id`, not below 0, is unlike that of any other step or turn under way.
  virtual void run(int64_t id, Step step, StepEnded done) = 0;
  /// `feeds` and `fetches` in the order of its options.
  virtual void run_callable(int64_t id, int64_t callable, const std::vector<Tensor>& feeds,
                            size_t num_fetches, StepEnded done) = 0;
  /// Ends the step or turn of that id, if it is under way: Cancelled.
  virtual void cancel(int64_t id) = 0;

  /// The master's name for it.
  virtual void set_up_partial_run(const std::vector<std::string>& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets, Answer<std::string> done) = 0;
  virtual void make_callable(const CallableOptions& options, Answer<int64_t> done) = 0;
  virtual void release_callable(int64_t callable) = 0;
  virtual void list_devices(Answer<std::vector<DeviceInfo>> done) = 0;
  /// Ends the session; what else is asked for then is refused, but for devices. DeadlineExceeded when it takes longer.
  virtual void close(std::chrono::milliseconds patience, Ended done) = 0;

 protected:
  explicit RemoteMaster(std::string target) : target_(std::move(target)) {}

 private:
  const std::string target_;
};

}  // namespace troupe
