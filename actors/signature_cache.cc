#include "actors/signature_cache.h"

#include <algorithm>

namespace troupe {

std::shared_ptr<Signature> SignatureCache::find(const std::string& sorted_key) const {
  auto it = by_sorted_key_.find(sorted_key);
  return it == by_sorted_key_.end() ? nullptr : it->second;
}

void SignatureCache::add(const std::string& sorted_key, std::shared_ptr<Signature> signature) {
  signature->last_used = core_->misses.load();
  by_sorted_key_[sorted_key] = std::move(signature);
  const size_t bound = static_cast<size_t>(std::max(1, core_->options.max_signatures));
  while (by_sorted_key_.size() > bound) {
    auto gone = oldest();
    if (gone == by_sorted_key_.end()) return;
    std::shared_ptr<Signature> dropped = gone->second;
    by_sorted_key_.erase(gone);
    drop(dropped);
  }
}

void SignatureCache::publish(const std::string& key, const std::shared_ptr<const SignatureAlias>& alias) {
  auto next = std::make_shared<SessionCore::Snapshot>(*core_->signatures());
  (*next)[key] = alias;
  core_->publish(std::move(next));
}

/// The one used longest ago that no callable uses.
SignatureCache::Map::iterator SignatureCache::oldest() {
  auto oldest = by_sorted_key_.end();
  for (auto it = by_sorted_key_.begin(); it != by_sorted_key_.end(); ++it) {
    if (it->second->pins.load() > 0) continue;
    if (oldest == by_sorted_key_.end() || it->second->last_used.load() < oldest->second->last_used.load()) {
      oldest = it;
    }
  }
  return oldest;
}

/// With all its aliases and idle slots.
void SignatureCache::drop(const std::shared_ptr<Signature>& signature) {
  auto next = std::make_shared<SessionCore::Snapshot>(*core_->signatures());
  absl::erase_if(*next, [&](const auto& entry) { return entry.second->signature == signature; });
  core_->publish(std::move(next));
  core_->evictions.fetch_add(1, std::memory_order_relaxed);
  for (auto& slot : signature->drain()) stop_slot(slot);
}

}  // namespace troupe
