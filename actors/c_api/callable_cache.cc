#include "actors/c_api/callable_cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "actors/options.h"
#include "graph/status.h"

namespace troupe::c_api {
namespace {

std::atomic<uint64_t> next_id{1};

struct Recent {
  uint64_t cache = 0;
  const CallableCode* callable = nullptr;
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

const CallableCode* CallableCache::find(SignatureWords words, absl::FunctionRef<CallableOptions()> options) {
  RecentCallables& mine = recent;
  for (const Recent& r : mine.slots) {
    if (r.cache == id_ && std::equal(words.begin(), words.end(), r.words.begin(), r.words.end()))
      return r.callable;
  }
  absl::string_view key(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  const CallableCode* callable = find_shared(key, options);
  if (callable != nullptr) {
    Recent& r = mine.slots[mine.next++ % mine.slots.size()];
    r.cache = id_;
    r.callable = callable;
    r.words.assign(words.begin(), words.end());
  }
  return callable;
}

absl::StatusOr<std::shared_ptr<const CallableCode>> CallableCache::make(const CallableOptions& options) {
  TROUPE_ASSIGN_OR_RETURN(const CallableHandle handle, session_->make_callable(options));
  return session_->pin_callable(handle);
}

const CallableCode* CallableCache::find_shared(absl::string_view key,
                                               absl::FunctionRef<CallableOptions()> options) {
  {
    std::lock_guard lock(mu_);
    auto it = entries_.find(key);
    if (it == entries_.end()) {
      if (entries_.size() >= kMaxSeenOnce) {
        absl::erase_if(entries_, [](const auto& e) { return e.second.state != State::kReady; });
      }
      entries_.emplace(std::string(key), Entry());
      return nullptr;
    }
    if (it->second.state == State::kReady) return it->second.callable.get();
    if (it->second.state == State::kRefused || num_ready_ >= kMaxCallables) return nullptr;
    // Until it is there, other threads run by name.
    it->second.state = State::kRefused;
    ++num_ready_;
  }
  // The error, if it is one, is for the run by name to find, in its own words.
  absl::StatusOr<std::shared_ptr<const CallableCode>> made = make(options());
  std::lock_guard lock(mu_);
  if (!made.ok()) {
    --num_ready_;
    return nullptr;
  }
  entries_[key] = Entry{State::kReady, *made};
  return made->get();
}

}  // namespace troupe::c_api
