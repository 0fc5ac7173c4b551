#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "actors/session.h"

namespace troupe::c_api {

/// What a run feeds, fetches and targets as plain words, operations by address: equal words, equal signature.
using SignatureWords = std::span<const uint64_t>;

/// The callables of a session, so that TF_SessionRun need not name what it feeds and fetches every time. A
/// signature gets one when it is run for the second time. Each thread remembers those that it used last and
/// finds them without a lock. Thread-safe; must not outlive the session.
class CallableCache {
 public:
  explicit CallableCache(Session* session);
  CallableCache(const CallableCache&) = delete;

  /// The callable of a signature; `options` is asked for its names when it is to get one. Null: run it by
  /// its names. Valid as long as this cache.
  const CallableCode* find(SignatureWords words, absl::FunctionRef<CallableOptions()> options);

 private:
  /// A session is full of signatures at some point: what comes then is run by name.
  static constexpr size_t kMaxCallables = 256;
  /// Signatures that were seen once and are remembered.
  static constexpr size_t kMaxSeenOnce = 4096;

  enum class State { kSeenOnce, kReady, kRefused };
  struct Entry {
    State state = State::kSeenOnce;
    std::shared_ptr<const CallableCode> callable = {};
  };

  absl::StatusOr<std::shared_ptr<const CallableCode>> make(const CallableOptions& options);
  const CallableCode* find_shared(absl::string_view key, absl::FunctionRef<CallableOptions()> options);

  Session* const session_;
  /// Unlike any other cache's in this process, dead ones included.
  const uint64_t id_;
  std::mutex mu_;
  // Guarded by mu_.
  absl::flat_hash_map<std::string, Entry> entries_;
  size_t num_ready_ = 0;
};

}  // namespace troupe::c_api
