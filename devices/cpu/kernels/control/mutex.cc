// MutexV2: a lock that steps take by MutexLock, and hold as long as the value that it outputs lives.

#include <deque>

#include "devices/common/variable/resource_access.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

class Mutex final : public Resource {
 public:
  static constexpr const char* kTypeName = "Mutex";
  using Granted = std::function<void(absl::Status)>;

  std::string type_name() const override { return kTypeName; }

  /// Calls `granted` when the lock is the caller's, at once or from release. Returns the waiter's number, or 0.
  uint64_t acquire(Granted granted) {
    std::unique_lock lock(mu_);
    if (held_) {
      waiting_.emplace_back(++last_, std::move(granted));
      return last_;
    }
    held_ = true;
    lock.unlock();
    granted(absl::OkStatus());
    return 0;
  }
  void release() {
    std::unique_lock lock(mu_);
    if (waiting_.empty()) {
      held_ = false;
      return;
    }
    Granted next = std::move(waiting_.front().second);
    waiting_.pop_front();
    lock.unlock();
    next(absl::OkStatus());
  }
  /// Gives up waiting; the callback hears the status.
  void abandon(uint64_t waiter, const absl::Status& status) {
    Granted found;
    {
      std::lock_guard lock(mu_);
      for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
        if (it->first != waiter) continue;
        found = std::move(it->second);
        waiting_.erase(it);
        break;
      }
    }
    if (found) found(status);
  }

 private:
  std::mutex mu_;
  bool held_ = false;
  uint64_t last_ = 0;
  std::deque<std::pair<uint64_t, Granted>> waiting_;
};

/// Holds the mutex while it lives.
class MutexHold final : public VariantValue {
 public:
  explicit MutexHold(std::shared_ptr<Mutex> mutex) : mutex_(std::move(mutex)) {}
  ~MutexHold() override { mutex_->release(); }
  std::string type_name() const override { return "MutexLock"; }

 private:
  const std::shared_ptr<Mutex> mutex_;
};

class MutexKernel final : public ResourceKernel<Mutex> {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    return std::make_unique<MutexKernel>(c, std::move(name));
  }
  MutexKernel(const KernelConstruction& c, ResourceName name) : ResourceKernel(c, std::move(name)) {}
  absl::StatusOr<std::shared_ptr<Mutex>> make(Allocator*) override { return std::make_shared<Mutex>(); }
};

class MutexLockKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<MutexLockKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    auto found = lookup_resource<Mutex>(context, 0);
    if (!found.ok()) return done(found.status());
    std::shared_ptr<Mutex> mutex = *found;
    struct State {
      std::mutex mu;
      bool finished = false;
      uint64_t waiter = 0;
      std::optional<CancellationToken::Id> callback;
    };
    auto state = std::make_shared<State>();
    CancellationToken* token = &context.cancellation();
    auto granted = [&context, mutex, state, token, done](absl::Status status) {
      std::optional<CancellationToken::Id> callback;
      {
        std::lock_guard lock(state->mu);
        state->finished = true;
        callback = std::exchange(state->callback, std::nullopt);
      }
      if (callback) token->deregister(*callback);
      if (status.ok()) {
        Tensor out(DataType::kVariant, Shape());
        out.flat<Variant>()[0] = Variant(std::make_shared<MutexHold>(mutex));
        context.set_output(0, std::move(out));
      }
      done(std::move(status));
    };
    // The callback may run before acquire returns, so it finds the waiter's number under the state's lock.
    std::unique_lock lock(state->mu);
    auto cancelled = absl::CancelledError("Lock acquisition cancelled.");
    state->callback = token->register_callback([mutex, state, cancelled] {
      uint64_t waiter;
      {
        std::lock_guard inner(state->mu);
        waiter = state->waiter;
      }
      mutex->abandon(waiter, cancelled);
    });
    const bool registered = state->callback.has_value();
    lock.unlock();
    if (!registered) return done(cancelled);
    const uint64_t waiter = mutex->acquire(granted);
    if (waiter == 0) return;
    lock.lock();
    state->waiter = waiter;
    const bool missed = token->cancelled() && !state->finished;
    lock.unlock();
    if (missed) mutex->abandon(waiter, cancelled);
  }
};

absl::Status consume_mutex_lock(KernelContext& context) {
  Tensor t = context.take_input(0);
  if (t.num_elements() != 1 || t.value<Variant>().get<MutexHold>() == nullptr) {
    return absl::InvalidArgumentError("Expected input to contain a MutexLock");
  }
  return absl::OkStatus();
}

}  // namespace

void register_control_mutex(KernelRegistry* registry) {
  registry->add(KernelDef("MutexV2").kernel<MutexKernel>());
  registry->add(KernelDef("MutexLock").kernel<MutexLockKernel>());
  registry->add(KernelDef("ConsumeMutexLock").fn(consume_mutex_lock, /*cheap=*/true));
}

}  // namespace troupe
