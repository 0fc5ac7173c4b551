#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "actors/messages.h"
#include "actors/units/stripes.h"

namespace troupe {

class SlotStock;

/// The compiled signatures of a session, by key of their sorted names, and the orders in which callers write those names, so
/// that who asks again need not sort. SESSION adds signatures; anybody finds them. Thread-safe. Both are bounded: signatures
/// by their number, orders by what they take in memory; those used longest ago go, but for signatures that callables use.
class SignatureCache {
 public:
  /// How the names of `request` map to a compiled signature; null when there is none. `key` is signature_key of the request,
  /// which is asked for when that order of names is not known. Counts a hit.
  std::shared_ptr<const SignatureAlias> find(const std::string& key,
                                             absl::FunctionRef<LeaseRequest()> request);
  /// The same of a run's names, as its caller writes them.
  std::shared_ptr<const SignatureAlias> find(const std::vector<NamedTensor>& feeds,
                                             const std::vector<std::string>& fetches,
                                             const std::vector<std::string>& targets);
  /// Adds a signature. When there are more than `bound`, others go out of use: returned, for whoever has the time to free them.
  std::vector<std::shared_ptr<Signature>> add(const std::string& sorted_key,
                                              std::shared_ptr<Signature> signature, size_t bound);
  void count_miss() { misses_.fetch_add(1, std::memory_order_relaxed); }
  /// Puts all signatures out of use, with their idle slots.
  void clear();
  void for_each_stock(absl::FunctionRef<void(SlotStock&)> look);

  int64_t size() const;
  int64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  int64_t misses() const { return misses_.load(std::memory_order_relaxed); }
  int64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }
  /// Orders of names that are remembered now.
  int64_t orders() const;

 private:
  /// What all orders of a session may take. 40,320 orders of eight short names are 14 MB.
  static constexpr int64_t kMaxOrderBytes = 16 << 20;
  static constexpr int kStripes = 16;

  /// One order of names: the caller's.
  struct Order {
    std::string key;
    std::shared_ptr<const SignatureAlias> alias;
    int64_t bytes = 0;
    /// Its place among the orders of its signature.
    size_t at = 0;
  };
  using Orders = std::list<Order>;
  /// The orders that some threads asked for, the last first: from when threads have met, they do not wait for each other's.
  struct Stripe {
    mutable std::mutex mu;
    // Guarded by mu.
    Orders orders;
    absl::flat_hash_map<absl::string_view, Orders::iterator> by_key;
    absl::flat_hash_map<const Signature*, std::vector<Orders::iterator>> by_signature;
  };
  using Map = absl::flat_hash_map<std::string, std::shared_ptr<Signature>>;

  std::shared_ptr<const SignatureAlias> recall(Stripe& stripe, const std::string& key);
  void remember(Stripe& stripe, const std::string& key, std::shared_ptr<const SignatureAlias> alias);
  void forget(Stripe& stripe, Orders::iterator order, Orders* gone);
  void forget_oldest_orders();
  void put_out_of_use(Signature& signature);
  void touch(Signature& signature) const;
  Map::iterator oldest();

  Stripes<Stripe, kStripes> stripes_;
  std::atomic<int64_t> order_bytes_{0};
  std::atomic<unsigned> next_victim_{0};
  mutable std::mutex mu_;
  Map by_sorted_key_;  // guarded by mu_
  std::atomic<int64_t> hits_{0};
  /// Also the clock that eviction goes by.
  std::atomic<int64_t> misses_{0};
  std::atomic<int64_t> evictions_{0};
};

}  // namespace troupe
