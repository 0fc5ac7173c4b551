#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "actors/grpc_door/call.h"
#include "actors/interfaces.h"

namespace troupe {

struct SessionCore;

/// A session that clients have opened through a door. Shared by its table, the DOOR and the calls that use it.
struct DoorSession {
  /// What clients call it: 16 hexadecimal digits, random.
  std::string handle;
  /// AnyCall::client of who opened it.
  std::string client;
  SessionActor actor;
  std::shared_ptr<SessionCore> core;

  /// @name The DOOR's own
  int64_t graph_version = 0;
  /// Extensions of its graph; the first is under way.
  std::deque<std::shared_ptr<ExtendSessionCall>> extensions;

  /// @name How long nobody has used it
  std::atomic<int> calls{0};
  /// When the last call ended, by the actor system's clock.
  std::atomic<std::chrono::steady_clock::time_point> last_used{};
};

/// A call's use of a session: while there is one, the session is not idle.
class SessionUse {
 public:
  explicit SessionUse(std::shared_ptr<DoorSession> session);
  ~SessionUse();
  SessionUse(const SessionUse&) = delete;

  DoorSession* operator->() const { return session_.get(); }
  const std::shared_ptr<DoorSession>& session() const { return session_; }

 private:
  const std::shared_ptr<DoorSession> session_;
};

/// The sessions of a door by handle, and the calls that are not answered. Thread-safe.
class DoorSessions {
 public:
  DoorSessions(size_t max_sessions, size_t max_sessions_per_client)
      : max_sessions_(max_sessions), max_sessions_per_client_(max_sessions_per_client) {}

  /// Aborted "Session h is not found.", as TensorFlow's: so that clients open a new one.
  absl::StatusOr<std::shared_ptr<SessionUse>> use(const std::string& handle) const;

  /// Keeps a place for a session that this client opens. ResourceExhausted when there are as many as the server takes, of all or of him.
  absl::Status reserve(const std::string& client);
  /// In a place that was kept.
  void add(std::shared_ptr<DoorSession> session);
  void unreserve(const std::string& client);
  /// Null when it is not there.
  std::shared_ptr<DoorSession> remove(const std::string& handle);
  std::vector<std::shared_ptr<DoorSession>> all() const;

  /// Aborted "The same X (Master) request was received twice. ..." for an id that a call has had; 0 is none.
  absl::Status track(const char* what, int64_t request_id);

  /// The server is being stopped: calls that come are refused.
  void stop() { stopping_.store(true); }
  bool stopping() const { return stopping_.load(); }
  /// What a client hears in its place. While the server stops, Cancelled is Aborted: it was not the client who cancelled.
  absl::Status told(const absl::Status& status) const;

 private:
  /// So many ids of calls are remembered, the last ones: as TensorFlow's.
  static constexpr size_t kRememberedIds = 100'000;

  void count_out(const std::string& client);

  const size_t max_sessions_;
  const size_t max_sessions_per_client_;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mu_;
  // Guarded by mu_.
  absl::flat_hash_map<std::string, std::shared_ptr<DoorSession>> by_handle_;
  size_t opening_ = 0;
  /// Open or being opened, of clients that are told apart.
  absl::flat_hash_map<std::string, size_t> by_client_;
  absl::flat_hash_set<int64_t> ids_;
  std::deque<int64_t> ids_in_order_;
};

}  // namespace troupe
