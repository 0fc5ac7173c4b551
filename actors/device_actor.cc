#include "actors/device_actor.h"

#include <caf/all.hpp>

#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/open_questions.h"
#include "actors/step_slot.h"
#include "actors/units/kernel_queue.h"
#include "actors/units/named_pool.h"
#include "actors/units/on_senders_thread.h"

namespace troupe {
namespace {

/// How long a report waits for an EXECUTOR whose thread may be inside a kernel.
constexpr std::chrono::milliseconds kReportPatience{20};

class DeviceImpl final : public OnSendersThread<DeviceActor::base> {
 public:
  DeviceImpl(caf::actor_config& config, std::shared_ptr<const Allocator> memory)
      : OnSendersThread(config), memory_(std::move(memory)) {}

  const char* name() const override { return "device"; }

  void on_exit() override { reports_.fail(absl::CancelledError("the device's actor has ended")); }

  behavior_type make_behavior() override {
    attach_functor([this](const caf::error& why) { tell_members(why); });
    return {
        [this](const JoinDevice& m) { members_[m.executor.id()] = m; },
        [this](LeaveDevice m) { members_.erase(m.executor); },
        [this](const LaunchKernels& m) { queue_kernels(m); },
        [this](const DropKernels& m) { drop(m); },
        [this](DeviceStatusRequest) -> caf::result<DeviceStatus> { return report(); },
    };
  }

 private:
  struct Member {
    ExecutorActor executor;
    std::shared_ptr<StepSlot> slot;
  };

  /// What a monitor would hear. CAF keeps the monitors of an actor in a list that it walks when one goes, and there are as many slots as all
  /// sessions have.
  void tell_members(const caf::error& why) {
    for (const auto& [id, member] : members_) {
      const auto slot = member.slot.has_value() ? member.slot->lock() : nullptr;
      if (slot != nullptr && slot->step)
        caf::anon_send(caf::actor_cast<caf::actor>(slot->step), caf::down_msg{address(), why});
    }
  }

  void queue_kernels(const LaunchKernels& m) {
    ++batches_;
    kernels_ += static_cast<int64_t>(m.tasks.size());
    const std::shared_ptr<KernelQueue> queue = queue_of(m.pool);
    queue->push(m.session, m.tasks, m.step, m.priority);
    m.pool->run_kernels(queue, m.tasks.size());
  }

  std::shared_ptr<KernelQueue> queue_of(NamedPool* pool) {
    if (const auto known = queues_.find(pool); known != queues_.end()) return known->second;
    forget_idle_queues();
    return queues_[pool] = std::make_shared<KernelQueue>();
  }

  /// Of pools that have no work, or are gone.
  void forget_idle_queues() {
    absl::erase_if(queues_, [](const auto& q) { return q.second->size() == 0; });
  }

  void drop(const DropKernels& m) {
    // Its token is tripped: run() gives them the reason and returns at once.
    for (const auto& [pool, queue] : queues_) {
      for (KernelQueue::Entry& e : queue->take_back(m.step)) e.task->run_to_end();
    }
  }

  caf::result<DeviceStatus> report() {
    DeviceStatus status;
    status.batches = batches_;
    status.kernels_launched = kernels_;
    for (const auto& [pool, queue] : queues_) status.kernels_waiting += static_cast<int64_t>(queue->size());
    status.memory = memory_->stats();
    const std::vector<Member> alive = members_alive();
    auto promise = make_response_promise<DeviceStatus>();
    const int64_t id = reports_.open(promise, std::move(status), alive.size());
    for (const Member& m : alive) ask(m, id);
    return promise;
  }

  /// Only while its step runs: a message to an idle EXECUTOR waits for a thread of a pool, and the next step behind it.
  void ask(const Member& m, int64_t id) {
    const auto ask_now = [&](int64_t) {
      request(m.executor, kReportPatience, InspectExecutor{})
          .then([this, id](const FrontierReply& r) { note(id, r.memory); },
                [this, id](caf::error&) { note(id, {}); });
    };
    if (m.slot == nullptr) return ask_now(0);
    bool asked = false;
    m.slot->life.token().while_running([&](int64_t step) {
      asked = true;
      ask_now(step);
    });
    if (!asked) reports_.one_answered(id);
  }

  void note(int64_t id, const StepMemory& held) {
    if (held.step_id != 0) reports_.answer(id).steps.push_back(held);
    reports_.one_answered(id);
  }

  std::vector<Member> members_alive() {
    std::vector<Member> alive;
    std::erase_if(members_, [&](const auto& known) {
      const JoinDevice& m = known.second;
      auto executor = caf::actor_cast<ExecutorActor>(m.executor);
      auto slot = m.slot.has_value() ? m.slot->lock() : nullptr;
      if (!executor || (m.slot.has_value() && slot == nullptr)) return true;
      alive.push_back({std::move(executor), std::move(slot)});
      return false;
    });
    return alive;
  }

  const std::shared_ptr<const Allocator> memory_;
  /// What waits, by the pool whose threads it is for.
  absl::flat_hash_map<NamedPool*, std::shared_ptr<KernelQueue>> queues_;
  /// By their EXECUTOR's id. A tree: no message takes as long as making a large table anew.
  std::map<caf::actor_id, JoinDevice> members_;
  /// Who asked what steps hold, while EXECUTORs are asked.
  OpenQuestions<DeviceStatus> reports_;
  int64_t batches_ = 0;
  int64_t kernels_ = 0;
};

}  // namespace

DeviceActor spawn_device(caf::actor_system& system, std::shared_ptr<const Allocator> memory) {
  return system.spawn<DeviceImpl, caf::hidden + caf::lazy_init>(std::move(memory));
}

}  // namespace troupe
