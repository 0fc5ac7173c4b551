#include "devices/cpu/kernels/shared/random_scope.h"

#include <mutex>
#include <set>
#include <vector>

namespace troupe {
namespace {

/// The scopes of this process. Never destroyed, as threads may outlive static objects.
struct Scopes {
  std::mutex mu;
  // Guarded by mu.
  std::vector<std::shared_ptr<std::atomic<uint64_t>>> rounds;
  std::set<int64_t> free;

  static Scopes& instance() {
    static auto* const scopes = new Scopes;
    return *scopes;
  }
};

}  // namespace

RandomScope::RandomScope() {
  Scopes& all = Scopes::instance();
  std::lock_guard lock(all.mu);
  if (all.free.empty()) {
    id_ = static_cast<int64_t>(all.rounds.size());
    all.rounds.push_back(std::make_shared<std::atomic<uint64_t>>(1));
    return;
  }
  id_ = *all.free.begin();
  all.free.erase(all.free.begin());
  all.rounds[static_cast<size_t>(id_)]->fetch_add(1);
}

RandomScope::~RandomScope() {
  Scopes& all = Scopes::instance();
  std::lock_guard lock(all.mu);
  all.free.insert(id_);
}

void RandomScope::begin_anew() {
  Scopes& all = Scopes::instance();
  std::lock_guard lock(all.mu);
  all.rounds[static_cast<size_t>(id_)]->fetch_add(1);
}

RandomScope::Rounds RandomScope::rounds_of(int64_t id) {
  Scopes& all = Scopes::instance();
  std::lock_guard lock(all.mu);
  if (id < 0 || id >= static_cast<int64_t>(all.rounds.size())) return nullptr;
  return all.rounds[static_cast<size_t>(id)];
}

}  // namespace troupe
