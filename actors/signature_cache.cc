#include "actors/signature_cache.h"

#include <algorithm>

#include "actors/run_gate.h"
#include "actors/signature_key.h"
#include "actors/signature.h"

namespace troupe {

std::shared_ptr<const SignatureAlias> SignatureCache::find(const std::string& key,
                                                           absl::FunctionRef<LeaseRequest()> request) {
  Stripe& stripe = stripes_.at(RunGate::stripe_of_thread() % kStripes);
  if (auto known = recall(stripe, key)) {
    touch(*known->signature);
    hits_.fetch_add(1, std::memory_order_relaxed);
    return known;
  }
  LeaseRequest sorted = request();
  std::shared_ptr<SignatureAlias> alias = sort_signature(&sorted);
  const std::string sorted_key = signature_key(sorted);
  {
    std::lock_guard lock(mu_);
    auto it = by_sorted_key_.find(sorted_key);
    if (it == by_sorted_key_.end()) return nullptr;
    alias->signature = it->second;
  }
  touch(*alias->signature);
  hits_.fetch_add(1, std::memory_order_relaxed);
  remember(stripe, key, alias);
  return alias;
}

std::shared_ptr<const SignatureAlias> SignatureCache::find(const std::vector<NamedTensor>& feeds,
                                                           const std::vector<std::string>& fetches,
                                                           const std::vector<std::string>& targets) {
  static thread_local std::string key;
  key.clear();
  append_signature_key(feeds, fetches, targets, &key);
  return find(key, [&] { return signature_of(feeds, fetches, targets); });
}

void SignatureCache::touch(Signature& signature) const {
  const int64_t now = misses();
  if (signature.last_used.load(std::memory_order_relaxed) != now)
    signature.last_used.store(now, std::memory_order_relaxed);
}

std::vector<std::shared_ptr<Signature>> SignatureCache::add(const std::string& sorted_key,
                                                            std::shared_ptr<Signature> signature,
                                                            size_t bound) {
  std::vector<std::shared_ptr<Signature>> gone;
  {
    std::lock_guard lock(mu_);
    signature->last_used = misses();
    by_sorted_key_[sorted_key] = signature;
    ++signature->pins;  // not the one that has just come
    while (by_sorted_key_.size() > bound) {
      auto it = oldest();
      if (it == by_sorted_key_.end()) break;
      gone.push_back(std::move(it->second));
      by_sorted_key_.erase(it);
    }
    --signature->pins;
  }
  for (const auto& s : gone) put_out_of_use(*s);
  return gone;
}

void SignatureCache::clear() {
  Map all;
  {
    std::lock_guard lock(mu_);
    all.swap(by_sorted_key_);
  }
  for (const auto& [key, signature] : all) {
    signature->slots.stop();
  }
  stripes_.for_each([this](Stripe& s) {
    Orders gone;  // freed outside the lock
    std::lock_guard lock(s.mu);
    s.by_key.clear();
    s.by_signature.clear();
    for (const Order& o : s.orders) order_bytes_.fetch_sub(o.bytes, std::memory_order_relaxed);
    gone.swap(s.orders);
  });
}

void SignatureCache::for_each_stock(absl::FunctionRef<void(SlotStock&)> look) {
  std::lock_guard lock(mu_);
  for (const auto& [key, signature] : by_sorted_key_) look(signature->slots);
}

int64_t SignatureCache::size() const {
  std::lock_guard lock(mu_);
  return static_cast<int64_t>(by_sorted_key_.size());
}

int64_t SignatureCache::orders() const {
  int64_t n = 0;
  stripes_.for_each([&](const Stripe& s) {
    std::lock_guard lock(s.mu);
    n += static_cast<int64_t>(s.orders.size());
  });
  return n;
}

std::shared_ptr<const SignatureAlias> SignatureCache::recall(Stripe& stripe, const std::string& key) {
  if (!stripe.mu.try_lock()) [[unlikely]] {
    if (stripes_.is_first(stripe)) stripes_.spread();
    stripe.mu.lock();
  }
  const std::lock_guard lock(stripe.mu, std::adopt_lock);
  auto it = stripe.by_key.find(key);
  if (it == stripe.by_key.end()) return nullptr;
  if (it->second != stripe.orders.begin())
    stripe.orders.splice(stripe.orders.begin(), stripe.orders, it->second);
  return it->second->alias;
}

void SignatureCache::remember(Stripe& stripe, const std::string& key,
                              std::shared_ptr<const SignatureAlias> alias) {
  // The entry, its nodes and the alias, beside what is as long as the names are many.
  constexpr int64_t kEntryBytes = 256;
  const int64_t bytes =
      kEntryBytes +
      static_cast<int64_t>(key.size() + sizeof(int) * (alias->feed_at.size() + alias->fetch_at.size()));
  {
    std::lock_guard lock(stripe.mu);
    // Who puts it out of use looks here after.
    if (alias->signature->slots.stopped() || stripe.by_key.contains(key)) return;
    auto& same_signature = stripe.by_signature[alias->signature.get()];
    stripe.orders.push_front({key, std::move(alias), bytes, same_signature.size()});
    same_signature.push_back(stripe.orders.begin());
    stripe.by_key.emplace(stripe.orders.front().key, stripe.orders.begin());
  }
  if (order_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes > kMaxOrderBytes)
    forget_oldest_orders();
}

/// With the stripe's lock held.
void SignatureCache::forget(Stripe& stripe, Orders::iterator order, Orders* gone) {
  auto group = stripe.by_signature.find(order->alias->signature.get());
  auto& same_signature = group->second;
  same_signature.back()->at = order->at;
  same_signature[order->at] = same_signature.back();
  same_signature.pop_back();
  if (same_signature.empty()) stripe.by_signature.erase(group);
  stripe.by_key.erase(order->key);
  order_bytes_.fetch_sub(order->bytes, std::memory_order_relaxed);
  gone->splice(gone->begin(), stripe.orders, order);
}

/// Of each stripe in turn, until the rest fits.
void SignatureCache::forget_oldest_orders() {
  for (int tries = 0; tries < kStripes && order_bytes_.load(std::memory_order_relaxed) > kMaxOrderBytes;
       ++tries) {
    Stripe& s =
        stripes_.at(static_cast<int>(next_victim_.fetch_add(1, std::memory_order_relaxed) % kStripes));
    Orders gone;  // freed outside the lock
    std::lock_guard lock(s.mu);
    if (!s.orders.empty()) forget(s, std::prev(s.orders.end()), &gone);
  }
}

/// With all its orders and idle slots.
void SignatureCache::put_out_of_use(Signature& signature) {
  evictions_.fetch_add(1, std::memory_order_relaxed);
  // Before its orders go: `remember` takes none of it after.
  signature.slots.stop();
  stripes_.for_each([&](Stripe& s) {
    Orders gone;  // freed outside the lock
    std::lock_guard lock(s.mu);
    for (auto it = s.by_signature.find(&signature); it != s.by_signature.end();
         it = s.by_signature.find(&signature)) {
      forget(s, it->second.back(), &gone);
    }
  });
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

}  // namespace troupe
