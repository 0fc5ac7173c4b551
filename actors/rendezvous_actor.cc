#include "actors/rendezvous_actor.h"

#include <caf/all.hpp>

#include "actors/errors.h"
#include "actors/step/rendezvous_table.h"
#include "actors/units/on_step_unit.h"
#include "graph/passes/rendezvous_key.h"

namespace troupe {
namespace {

class RendezvousImpl final : public OnStepUnit<RendezvousActor::base> {
 public:
  RendezvousImpl(caf::actor_config& config, const std::shared_ptr<StepSlot>& slot)
      : OnStepUnit(config, slot->unit), exchange_(slot->exchange) {}

  const char* name() const override { return "rendezvous"; }

  /// Kernels may wait here, and hold what they belong to until they hear.
  void on_exit() override { table_.abort(absl::CancelledError("the rendezvous has ended")); }

  behavior_type make_behavior() override {
    return {
        [this](const RendezvousBegin& m) {
          step_id_ = m.step_id;
          shared_id_ = m.shared_id;
          table_.begin();
        },
        [this](const RendezvousSend& m) { send(m); },
        [this](const RendezvousRecv& m) { table_.recv(m.key, m.receiver); },
        [this](const RendezvousBatch& m) {
          for (const RendezvousSend& value : m.values) send(value);
          for (const RendezvousRecv& r : m.receivers) table_.recv(r.key, r.receiver);
        },
        [this](const RendezvousAbort& m) {
          if (m.step_id == step_id_) table_.abort(m.status);
        },
        [this](const CopyRendezvous& m) { return copy(m); },
    };
  }

 private:
  /// To whoever waits here, or to the RENDEZVOUS of the task that the value is for.
  void send(const RendezvousSend& m) {
    if (exchange_ != nullptr) [[unlikely]] {
      const absl::string_view to = RendezvousKey::dst_device_of(m.key);
      if (exchange_->is_elsewhere(to)) return exchange_->push(to, shared_id_, m.key, m.value, m.is_dead);
    }
    table_.send(m.key, m.value, m.is_dead);
  }

  caf::result<RendezvousCopy> copy(const CopyRendezvous& m) const {
    if (m.step_id != step_id_) return to_error(absl::CancelledError("the step has ended"));
    if (!table_.status().ok()) return to_error(table_.status());
    return RendezvousCopy{table_.kept(), table_.num_receivers(), table_.events()};
  }

  const std::shared_ptr<StepExchange> exchange_;
  /// Of the step that began last.
  int64_t step_id_ = 0;
  int64_t shared_id_ = 0;
  RendezvousTable table_;
};

template <class M>
void post(const RendezvousActor& to, M message) {
  caf::actor_cast<caf::abstract_actor*>(to)->enqueue(
      caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, std::move(message)), nullptr);
}

class ActorRendezvous final : public Rendezvous {
 public:
  explicit ActorRendezvous(RendezvousActor actor) : actor_(std::move(actor)) {}

  absl::Status send(const std::string& key, Tensor value, bool is_dead) override {
    RendezvousSend message{key, std::move(value), is_dead};
    if (RendezvousTurn* turn = RendezvousTurn::of(actor_)) {
      turn->add(std::move(message));
    } else {
      post(actor_, std::move(message));
    }
    return absl::OkStatus();
  }
  void recv(const std::string& key, RecvDone done) override {
    RendezvousRecv message{key, std::make_shared<Receiver>(std::move(done))};
    if (RendezvousTurn* turn = RendezvousTurn::of(actor_)) {
      turn->add(std::move(message));
    } else {
      post(actor_, std::move(message));
    }
  }

 private:
  const RendezvousActor actor_;
};

}  // namespace

constinit thread_local RendezvousTurn* RendezvousTurn::of_thread_ = nullptr;

void RendezvousTurn::add(RendezvousSend value) {
  batch_.values.push_back(std::move(value));
  if (size() == kMost) leave();
}

void RendezvousTurn::add(RendezvousRecv receiver) {
  batch_.receivers.push_back(std::move(receiver));
  if (size() == kMost) leave();
}

void RendezvousTurn::leave() {
  if (size() > 1) return post(actor_, std::exchange(batch_, {}));
  for (RendezvousSend& value : batch_.values) post(actor_, std::move(value));
  for (RendezvousRecv& receiver : batch_.receivers) post(actor_, std::move(receiver));
  batch_ = {};
}

RendezvousActor spawn_rendezvous(caf::actor_system& system, std::shared_ptr<StepSlot> slot) {
  return system.spawn<RendezvousImpl, caf::lazy_init + caf::hidden>(slot);
}

std::unique_ptr<Rendezvous> make_rendezvous_face(RendezvousActor actor) {
  return std::make_unique<ActorRendezvous>(std::move(actor));
}

}  // namespace troupe
