// Unbatch: gives each execution its rows of a batch that one of them holds. UnbatchGrad: the way back.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "devices/cpu/kernels/control/batch_queue.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"
#include "devices/function_runner.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using Clock = Timer::Clock;

/// An execution that waits, and how it is cancelled.
struct Waiting {
  KernelContext* context = nullptr;
  AsyncKernel::Done done;
  CancellationToken::Id callback = 0;
};

/// What ended while a lock was held, to be told afterwards.
struct Ended {
  Waiting waiting;
  absl::Status status;
};

void tell(std::vector<Ended> ended) {
  for (Ended& e : ended) {
    e.waiting.context->cancellation().deregister(e.waiting.callback);
    e.waiting.done(std::move(e.status));
  }
}

absl::Status check_index(const Tensor& index) {
  if (index.rank() == 2 && index.dim(1) == 3) return absl::OkStatus();
  return invalid("batch_index must be a matrix of 3 columns, but its shape is ", index.shape().to_string());
}

/// Rows of batches by the id of the execution that they are for. Thread-safe.
class UnbatchResource final : public Resource, public std::enable_shared_from_this<UnbatchResource> {
 public:
  static constexpr const char* kTypeName = "UnbatchResource";
  explicit UnbatchResource(std::chrono::microseconds timeout) : timeout_(timeout) {}
  std::string type_name() const override { return kTypeName; }

  void run(KernelContext& context, AsyncKernel::Done done) {
    std::map<int64_t, Tensor> pieces;
    if (absl::Status s = split(context, &pieces); !s.ok()) return done(s);
    const auto deadline = Clock::now() + timeout_;
    absl::Status status = services_of(context.step()).timer.at(deadline, [resource = weak_from_this()] {
      if (auto self = resource.lock()) self->expire();
    });
    if (!status.ok()) return done(status);
    const int64_t id = context.input(2).value<int64_t>();
    std::vector<Ended> ended;
    bool waits = false;
    {
      std::lock_guard lock(mu_);
      if (auto mine = pieces.find(id); mine != pieces.end()) {
        context.set_output(0, std::move(mine->second));
        pieces.erase(mine);
      } else if (auto before = arrived_.find(id); before != arrived_.end()) {
        context.set_output(0, std::move(before->second.rows));
        arrived_.erase(before);
      } else {
        status = wait(context, id, deadline, &done, &waits);
      }
      for (auto& [key, rows] : pieces) deliver(key, std::move(rows), deadline, &ended);
    }
    tell(std::move(ended));
    if (!waits) done(status);
  }

 private:
  struct Arrived {
    Tensor rows;
    Clock::time_point deadline;
  };
  struct Waiter {
    Waiting waiting;
    Clock::time_point deadline;
  };

  /// The rows of each id, in the order of the index.
  static absl::Status split(const KernelContext& context, std::map<int64_t, Tensor>* pieces) {
    const Tensor &data = context.input(0), &index = context.input(1), &id = context.input(2);
    if (id.rank() != 0) return invalid("Input id should be scalar; Got: ", id.to_string(), ".");
    if (index.rank() > 0 && index.dim(0) == 0) return absl::OkStatus();
    TROUPE_RETURN_IF_ERROR(check_index(index));
    if (data.rank() == 0) return invalid("batched_tensor must have at least one dimension");
    const auto at = index.flat<int64_t>();
    int64_t begin = 0;
    for (int64_t r = 0; r < index.dim(0); ++r) {
      const size_t first = static_cast<size_t>(3 * r);
      int64_t rows = 0;
      if (__builtin_sub_overflow(at[first + 2], at[first + 1], &rows) || rows < 0)
        return invalid("batch_index: row ", r, " ends before it begins");
      if (rows > data.dim(0) - begin)
        return invalid("Sum of split sizes must not exceed dim0-size of input tensor");
      if (!pieces->emplace(at[first], data.slice_rows(begin, begin + rows)).second)
        return invalid("batch_index names the id ", at[first], " twice");
      begin += rows;
    }
    return absl::OkStatus();
  }

  /// Under mu_.
  absl::Status wait(KernelContext& context, int64_t id, Clock::time_point deadline, AsyncKernel::Done* done,
                    bool* waits) {
    if (waiters_.contains(id))
      return absl::AlreadyExistsError(absl::StrCat("Multiple callers wait for the id ", id));
    auto callback = context.cancellation().register_callback(
        [self = shared_from_this(), id, c = &context] { self->cancel(id, c); });
    if (!callback) return absl::CancelledError("Unbatch was cancelled");
    waiters_[id] = Waiter{Waiting{&context, std::move(*done), *callback}, deadline};
    *waits = true;
    return absl::OkStatus();
  }

  /// Under mu_.
  void deliver(int64_t id, Tensor rows, Clock::time_point deadline, std::vector<Ended>* ended) {
    if (auto it = waiters_.find(id); it != waiters_.end()) {
      it->second.waiting.context->set_output(0, std::move(rows));
      ended->push_back(Ended{std::move(it->second.waiting), absl::OkStatus()});
      waiters_.erase(it);
      return;
    }
    arrived_[id] = Arrived{std::move(rows), deadline};
  }

  void expire() {
    std::vector<Ended> ended;
    {
      std::lock_guard lock(mu_);
      const auto now = Clock::now();
      std::erase_if(arrived_, [&](const auto& a) { return a.second.deadline <= now; });
      for (auto it = waiters_.begin(); it != waiters_.end();) {
        auto next = std::next(it);
        if (it->second.deadline <= now) {
          ended.push_back(
              Ended{std::move(it->second.waiting),
                    absl::DeadlineExceededError("Batched data did not arrive within timeout window.")});
          waiters_.erase(it);
        }
        it = next;
      }
    }
    tell(std::move(ended));
  }

  void cancel(int64_t id, const KernelContext* context) {
    AsyncKernel::Done done;
    {
      std::lock_guard lock(mu_);
      auto it = waiters_.find(id);
      if (it == waiters_.end() || it->second.waiting.context != context) return;
      done = std::move(it->second.waiting.done);
      waiters_.erase(it);
    }
    done(absl::CancelledError("Unbatch was cancelled"));
  }

  const std::chrono::microseconds timeout_;
  std::mutex mu_;
  // Guarded by mu_.
  std::map<int64_t, Arrived> arrived_;
  std::map<int64_t, Waiter> waiters_;
};

/// Gradients of rows by id, until the execution that holds the batch has all. Thread-safe.
class UnbatchGradResource final : public Resource, public std::enable_shared_from_this<UnbatchGradResource> {
 public:
  static constexpr const char* kTypeName = "UnbatchGradResource";
  std::string type_name() const override { return kTypeName; }

  void run(KernelContext& context, AsyncKernel::Done done) {
    std::vector<Ended> ended;
    bool waits = false;
    absl::Status status;
    {
      std::lock_guard lock(mu_);
      status = take(context, &done, &waits, &ended);
    }
    tell(std::move(ended));
    if (!waits) done(status);
  }

 private:
  struct Holder {
    Waiting waiting;
    std::vector<int64_t> ids;
    std::set<int64_t> missing;
  };

  /// Under mu_.
  absl::Status take(KernelContext& context, AsyncKernel::Done* done, bool* waits, std::vector<Ended>* ended) {
    const Tensor &index = context.input(1), &grad = context.input(2), &key = context.input(3);
    if (key.rank() != 0) return invalid("Expected `id` to be scalar. Received ", key.to_string());
    if (grad.rank() == 0) return invalid("grad must have at least one dimension");
    const int64_t id = key.value<int64_t>();
    if (grads_.contains(id)) return invalid("Two runs with the same batch key.");
    const bool holds = index.rank() > 0 && index.dim(0) > 0;
    if (holds) TROUPE_RETURN_IF_ERROR(check_index(index));
    grads_[id] = grad;
    if (holds) return hold(context, id, done, waits);
    Shape none = grad.shape();
    none.set_dim(0, 0);
    TROUPE_RETURN_IF_ERROR(context.allocate_output(0, none).status());
    for (auto it = holders_.begin(); it != holders_.end(); ++it) {
      if (it->second.missing.erase(id) == 0) continue;
      if (it->second.missing.empty()) {
        absl::Status s = join(it->second.ids, *it->second.waiting.context);
        ended->push_back(Ended{std::move(it->second.waiting), std::move(s)});
        holders_.erase(it);
      }
      break;
    }
    return absl::OkStatus();
  }

  /// Under mu_.
  absl::Status hold(KernelContext& context, int64_t id, AsyncKernel::Done* done, bool* waits) {
    Holder holder;
    const auto at = context.input(1).flat<int64_t>();
    for (size_t r = 0; r < at.size(); r += 3) {
      holder.ids.push_back(at[r]);
      if (!grads_.contains(at[r])) holder.missing.insert(at[r]);
    }
    if (holder.missing.empty()) return join(holder.ids, context);
    auto callback =
        context.cancellation().register_callback([self = shared_from_this(), id] { self->cancel(id); });
    if (!callback) {
      grads_.erase(id);
      return absl::CancelledError("UnbatchGrad was cancelled");
    }
    holder.waiting = Waiting{&context, std::move(*done), *callback};
    holders_[id] = std::move(holder);
    *waits = true;
    return absl::OkStatus();
  }

  /// Output 0: the gradients of `ids`, which are forgotten. Under mu_.
  absl::Status join(const std::vector<int64_t>& ids, KernelContext& context) {
    Batch parts;
    for (int64_t id : ids) {
      auto part = std::make_shared<BatchTask>(nullptr, nullptr);
      const auto it = grads_.find(id);
      if (it == grads_.end()) return invalid("batch_index names the id ", id, " twice");
      part->inputs = {std::move(it->second)};
      part->rows = part->inputs[0].dim(0);
      grads_.erase(it);
      parts.push_back(BatchPart{part, 0, 0, part->rows});
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor joined, join_batch(parts, 0, 0, context.allocator()));
    context.set_output(0, std::move(joined));
    return absl::OkStatus();
  }

  void cancel(int64_t id) {
    AsyncKernel::Done done;
    {
      std::lock_guard lock(mu_);
      auto it = holders_.find(id);
      if (it == holders_.end()) return;
      for (int64_t other : it->second.ids) grads_.erase(other);
      done = std::move(it->second.waiting.done);
      holders_.erase(it);
    }
    done(absl::CancelledError("UnbatchGrad was cancelled"));
  }

  std::mutex mu_;
  // Guarded by mu_.
  std::map<int64_t, Tensor> grads_;
  std::map<int64_t, Holder> holders_;
};

/// Runs on the resource of its name.
template <class T>
class SharedKernel final : public AsyncKernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(name_, resolve_resource_name(c, UnnamedResource::kNodeName));
    constexpr int64_t kMaxMicros = int64_t{100} * 24 * 3600 * 1000000;
    timeout_ = std::chrono::microseconds(
        std::clamp<int64_t>(c.node().attrs.get_or<int64_t>("timeout_micros", 0), 0, kMaxMicros));
    return absl::OkStatus();
  }
  void compute_async(KernelContext& context, Done done) override {
    auto resource = context.resources().lookup_or_create<T>(
        name_.container, name_.name, [this]() -> absl::StatusOr<std::shared_ptr<T>> {
          if constexpr (std::is_constructible_v<T, std::chrono::microseconds>) {
            return std::make_shared<T>(timeout_);
          } else {
            return std::make_shared<T>();
          }
        });
    if (!resource.ok()) return done(resource.status());
    (*resource)->run(context, std::move(done));
  }

 private:
  ResourceName name_;
  std::chrono::microseconds timeout_{0};
};

}  // namespace

void register_control_unbatch(KernelRegistry* registry) {
  registry->add(KernelDef("Unbatch").kernel<SharedKernel<UnbatchResource>>());
  registry->add(KernelDef("UnbatchGrad").kernel<SharedKernel<UnbatchGradResource>>());
}

}  // namespace troupe
