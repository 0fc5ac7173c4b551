#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "actors/cluster/chunk_receiver.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/cluster/lease.h"
#include "actors/node/message.h"
#include "actors/tls/tls_context.h"

namespace troupe {

struct NodeCallerOptions {
  /// For errors: "caf://node7:7001".
  std::string target;
  TaskAddress address;
  /// Null: without TLS.
  std::shared_ptr<const TlsContext> tls;
  /// A node that is silent for longer is lost.
  LeaseOptions lease;
  /// How long an attempt to connect lasts.
  std::chrono::milliseconds connect_patience{2000};
  /// What the node may send.
  ChunkLimits limits = {};
};

/// Asks the node at one address, as a client that is no task, by one connection, which is there while somebody uses it. It has a thread, which
/// tells the answers. Thread-safe.
class NodeCaller {
 public:
  using Answered = std::function<void(absl::StatusOr<absl::Cord>)>;

  explicit NodeCaller(NodeCallerOptions options);
  /// As stop.
  ~NodeCaller();
  NodeCaller(const NodeCaller&) = delete;

  const std::string& target() const;

  /// A use of it: what belongs to the connection at the node is there until the last one goes, and all that was asked is answered. Keeps the
  /// caller alive.
  static std::shared_ptr<NodeCaller> use(const std::shared_ptr<NodeCaller>& caller);
  /// Written on this thread where the connection is open and free. `done` is called once, on the caller's thread or, when that has been stopped, on this one, and must not wait: with the answer's body; with the error that it says; Unavailable,
  /// which names the target, when nobody is there; DeadlineExceeded when it takes longer than `patience` (zero: no limit).
  void ask(Method method, absl::Cord body, Answered done,
           std::chrono::milliseconds patience = std::chrono::milliseconds(0));
  /// The same on a thread that may wait.
  absl::StatusOr<absl::Cord> ask_and_wait(Method method, absl::Cord body,
                                          std::chrono::milliseconds patience = std::chrono::milliseconds(0));
  /// Says goodbye; what waits, and what is asked from now on, is Cancelled. Waits for its thread.
  void stop();

 private:
  class Worker;
  const std::shared_ptr<Worker> worker_;
  std::mutex mu_;
  std::thread thread_;  // guarded by mu_; not joinable once it is stopped
};

}  // namespace troupe
