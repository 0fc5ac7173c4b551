#include "actors/c_api/callable_cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "actors/options.h"

namespace troupe::c_api {
namespace {

std::atomic<uint64_t> next_id{1};

struct Recent {
  uint64_t cache = 0;
  CallableHandle handle = 0;
  std::vector<uint64_t> words;
};

/// What this thread ran last, of whatever session.
struct RecentCallables {
  std::array<Recent, 4> slots;
  size_t next = 0;
};

thread_local RecentCallables recent;

}  // namespace

CallableCache::CallableCache(Session* session) : session_(session), id_(next_id.fetch_add(1)) {}

std::optional<CallableHandle> CallableCache::find(SignatureWords words,
                                                  absl::FunctionRef<CallableOptions()> options) {
  RecentCallables& mine = recent;
  for (const Recent& r : mine.slots) {
    if (r.cache == id_ && std::equal(words.begin(), words.end(), r.words.begin(), r.words.end()))
      return r.handle;
  }
  absl::string_view key(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  std::optional<CallableHandle> handle = find_shared(key, options);
  if (handle.has_value()) {
    Recent& r = mine.slots[mine.next++ % mine.slots.size()];
    r.cache = id_;
    r.handle = *handle;
    r.words.assign(words.begin(), words.end());
  }
  return handle;
}

std::optional<CallableHandle> CallableCache::find_shared(absl::string_view key,
                                                         absl::FunctionRef<CallableOptions()> options) {
  {
    std::lock_guard lock(mu_);
    auto it = entries_.find(key);
    if (it == entries_.end()) {
      if (entries_.size() >= kMaxSeenOnce) {
        absl::erase_if(entries_, [](const auto& e) { return e.second.state != State::kReady; });
      }
      entries_.emplace(std::string(key), Entry());
      return std::nullopt;
    }
    if (it->second.state == State::kReady) return it->second.handle;
    if (it->second.state == State::kRefused || num_ready_ >= kMaxCallables) return std::nullopt;
    // Until it is there, other threads run by name.
    it->second.state = State::kRefused;
    ++num_ready_;
  }
  // The error, if it is one, is for the run by name to find, in its own words.
  absl::StatusOr<CallableHandle> made = session_->make_callable(options());
  std::lock_guard lock(mu_);
  if (!made.ok()) {
    --num_ready_;
    return std::nullopt;
  }
  entries_[key] = Entry{State::kReady, *made};
  return *made;
}

}  // namespace troupe::c_api
