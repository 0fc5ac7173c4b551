#pragma once

#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/async_run.h"
#include "actors/options.h"
#include "actors/run_values.h"
#include "actors/step_subscription.h"
#include "actors/streamed_run.h"
#include "graph/tensor/tensor.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

class DeviceSet;
class Graph;
class Runtime;
struct GraphIncrement;

/// A callable, compiled (actors/session_core.h).
struct CallableCode;

/// A session that blocks its caller: TensorFlow's Session over the SESSION actor. Its owner's, and not to outlive its runtime.
/// Thread-safe: any number of threads may run steps at once; each lends its thread to its own step. None of them should be a thread of an actor,
/// or that of a callback, which must not wait: these use run_async, or messages (actors/messages/FACE.md). Once it is closed, runs, changes
/// of the graph and what prepares runs are Cancelled: "Session has been closed." Destroying it closes it and waits for the steps that are
/// running, for as long as SessionOptions::close_patience: then the log names them, and what they use outlives the Session.
class Session {
 public:
  /// In the process's default runtime, which is made on first use and lives until the process ends.
  static absl::StatusOr<std::unique_ptr<Session>> open(const SessionOptions& options = {});
  /// In a runtime that must outlive the session, by the only one of its session factories that accepts the options; NotFound and Internal as
  /// SessionFactories::find has them, and whatever the factory says.
  static absl::StatusOr<std::unique_ptr<Session>> open(Runtime& runtime, const SessionOptions& options = {});
  /// The same for who does not ask why: null, and the error is logged.
  static std::unique_ptr<Session> open_or_null(Runtime& runtime, const SessionOptions& options = {});
  /// Has that factory drop the resources in these containers (none: in the default one) of all its sessions, and close them.
  static absl::Status reset(Runtime& runtime, const SessionOptions& options,
                            const std::vector<std::string>& containers = {});
  ~Session();
  Session(const Session&) = delete;

  /// Gives the session its graph. AlreadyExists when it has one; InvalidArgument, NotFound, ... as import says. After a failure
  /// the session lives, but has no graph. With RunOptions::timeout, as all that takes RunOptions here: DeadlineExceeded
  /// when it takes longer; it may still take place.
  absl::Status create(const tensorflow::GraphDef& graph, const RunOptions& options = {});
  absl::Status create(Graph graph, const RunOptions& options = {});
  /// Adds nodes; the session is unchanged when it fails.
  absl::Status extend(const tensorflow::GraphDef& graph, const RunOptions& options = {});
  /// The same for a graph that begins with all nodes that the session has, which it takes the place of.
  absl::Status extend(Graph graph, const RunOptions& options = {});
  /// The same at the cost of what is new: the nodes that follow those that the session has. FailedPrecondition when they
  /// do not.
  absl::Status extend(const GraphIncrement& increment);
  /// Gives the graph's memory back. What has run, and callables, run on; new signatures, partial runs, partition graphs and nodes are refused:
  /// FailedPrecondition "Session has been finalized." FailedPrecondition, too, without a graph and twice.
  absl::Status finalize();

  /// Runs one step: feeds tensors, executes what the fetches and targets need, and returns the fetches in order. Names are "node" or
  /// "node:1"; targets are nodes. Tensors are shared with the step, not copied: the memory of a feed is not to be written to while anybody
  /// has it. Errors are TensorFlow's: InvalidArgument and NotFound for names, for a feed whose dtype is not its node's and without a graph;
  /// the first root error of the step; Cancelled and DeadlineExceeded, which name the nodes not done. `stats`, unless null, is filled in
  /// also when the step failed.
  absl::StatusOr<std::vector<Tensor>> run(const std::vector<NamedTensor>& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets = {},
                                          const RunOptions& options = {}, RunStats* stats = nullptr);

  /// Begins one step and does not wait. `done` is called once, on the thread that ends the step (one of a pool's; this one when
  /// the run is refused), also when the run was cancelled, or its session closed or destroyed; it must not block, and may begin
  /// other runs. Any number may be outstanding.
  AsyncRun run_async(const std::vector<NamedTensor>& feeds, const std::vector<std::string>& fetches,
                     const std::vector<std::string>& targets, const RunOptions& options, RunCallback done);
  /// The same for who would rather wait later.
  std::future<absl::StatusOr<std::vector<Tensor>>> run_async(const std::vector<NamedTensor>& feeds,
                                                             const std::vector<std::string>& fetches,
                                                             const std::vector<std::string>& targets = {},
                                                             const RunOptions& options = {});

  /// Begins one step and does not wait. `hear` is called with each fetch as soon as it is there, then `done` with all or the error, once; both on
  /// a thread of the actor system, which they must not hold. Names of fetches must differ. The run is a partial run of one turn.
  StreamedRun run_streamed(const std::vector<NamedTensor>& feeds, const std::vector<std::string>& fetches,
                           const std::vector<std::string>& targets, StreamedRun::Hear hear, RunCallback done);

  /// Begins a partial run: a step whose feeds come, and whose fetches are taken, in any number of turns, from any thread.
  /// Its handle, which is a text. Errors are TensorFlow's; the step ends when every feed has come and every fetch was
  /// taken, with the first error, when it is cancelled, when nobody takes a turn for as long as `lease` says (unset:
  /// SessionOptions::partial_run_lease; zero: for ever), and with the session.
  absl::StatusOr<std::string> partial_run_setup(
      const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
      const std::vector<std::string>& targets = {},
      std::optional<std::chrono::milliseconds> lease = std::nullopt);
  /// One turn: feeds tensors, and waits for fetches. InvalidArgument for a handle that is not there, for what was fed or
  /// fetched before, and for a fetch that cannot be computed from what has been fed: the run goes on. Any other error is the run's end.
  absl::StatusOr<std::vector<Tensor>> partial_run(const std::string& handle,
                                                  const std::vector<NamedTensor>& feeds,
                                                  const std::vector<std::string>& fetches);
  /// Another that goes on from where that one is, once its turns are answered and its step can do no more before it is fed: what it
  /// has computed is not computed again, what was fed and fetched is so for both, and then each has feeds of its own. Its handle.
  /// Unimplemented when nodes have made resources that end with their step (TensorArrays).
  absl::StatusOr<std::string> partial_run_fork(const std::string& handle);
  /// How far those are that are not over, in no order; one of them; its end, which the next who takes a turn hears.
  absl::StatusOr<std::vector<PartialRunReport>> partial_runs();
  absl::StatusOr<PartialRunReport> inspect_partial_run(const std::string& handle);
  absl::Status cancel_partial_run(const std::string& handle, absl::string_view reason = "");

  /// Prepares a signature, so that its runs need not name it. Errors are those of `run` for names, and for devices of feeds and fetches.
  absl::StatusOr<CallableHandle> make_callable(const CallableOptions& options);
  /// Runs it: `feeds` and `fetches` in the order of CallableOptions, and as many; they may be the same tensors. InvalidArgument for a
  /// handle that is not there, and for another number.
  absl::Status run_callable(CallableHandle handle, std::span<const Tensor> feeds, std::span<Tensor> fetches,
                            RunStats* stats = nullptr);
  /// The callable itself, for a caller that would rather not look it up each time. Its runs end as those of its handle;
  /// must not outlive the session.
  absl::StatusOr<std::shared_ptr<const CallableCode>> pin_callable(CallableHandle handle) const;
  absl::Status run_callable(const CallableCode& callable, std::span<const Tensor> feeds,
                            std::span<Tensor> fetches, RunStats* stats = nullptr);
  /// As run_async above. InvalidArgument, to `done`, for a number of feeds that is not the callable's.
  AsyncRun run_async(const CallableCode& callable, std::vector<Tensor> feeds, RunCallback done);
  /// Runs of it that are under way end as they would have. InvalidArgument for a handle that never was.
  absl::Status release_callable(CallableHandle handle);

  /// Cancels all running steps; they end with Cancelled. Returns how many. Does not wait for them.
  absl::StatusOr<int> cancel(absl::string_view reason = "");
  /// Cancels one step by id; NotFound when it is not running.
  absl::Status cancel_step(int64_t step_id, absl::string_view reason = "");
  /// Blocks until no step runs, or the timeout: DeadlineExceeded.
  absl::Status wait_idle(std::chrono::milliseconds timeout);
  /// What the running steps are doing.
  absl::StatusOr<std::vector<StepReport>> inspect();

  /// Calls `hear` with each step that begins and ends from now on, and with those that run for longer than `slow_after` (zero: none),
  /// for as long as the subscription lives. InvalidArgument without a function and for a time below zero.
  absl::StatusOr<StepSubscription> subscribe(
      StepSubscription::Hear hear, std::chrono::milliseconds slow_after = std::chrono::milliseconds(0));

  /// Also when the session is closed.
  absl::StatusOr<std::vector<DeviceInfo>> list_devices();
  /// The devices themselves (devices/device_set.h), at least one: theirs are the resources of the session. They live as long as it does.
  const DeviceSet& local_devices() const;
  /// Of this moment, each by itself; asks no actor.
  SessionCounters counters() const;

  /// Cancels what runs, which it does not wait for, and refuses everything after. Twice is OK.
  absl::Status close(const RunOptions& options = {});
  /// Drops the resources of the named containers on the session's devices; none named: the default container.
  absl::Status clear_containers(const std::vector<std::string>& containers);

 private:
  friend struct SessionAccess;
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
