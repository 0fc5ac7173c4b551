#include "actors/rendezvous_actor.h"

#include <caf/all.hpp>

#include "actors/step/rendezvous_table.h"

namespace troupe {
namespace {

class RendezvousImpl final : public RendezvousActor::base {
 public:
  RendezvousImpl(caf::actor_config& config, StepSlot* slot) : RendezvousActor::base(config), slot_(slot) {}

  const char* name() const override { return "rendezvous"; }

  using RendezvousActor::base::enqueue;
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    RendezvousActor::base::enqueue(std::move(what), &slot_->unit);
  }

  behavior_type make_behavior() override {
    return {
        [this](RendezvousBegin) { table_.begin(); },
        [this](const RendezvousSend& m) { table_.send(m.key, m.value, m.is_dead); },
        [this](const RendezvousRecv& m) { table_.recv(m.key, m.done); },
        [this](const RendezvousAbort& m) { table_.abort(m.status); },
    };
  }

 private:
  StepSlot* const slot_;
  RendezvousTable table_;
};

class ActorRendezvous final : public Rendezvous {
 public:
  ActorRendezvous(RendezvousActor actor, caf::execution_unit* unit) : actor_(std::move(actor)), unit_(unit) {}

  absl::Status send(const std::string& key, Tensor value, bool is_dead) override {
    post(RendezvousSend{key, std::move(value), is_dead});
    return absl::OkStatus();
  }
  void recv(const std::string& key, RecvDone done) override { post(RendezvousRecv{key, std::move(done)}); }

 private:
  template <class M>
  void post(M message) {
    caf::actor_cast<caf::abstract_actor*>(actor_)->enqueue(
        caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, std::move(message)), unit_);
  }
  const RendezvousActor actor_;
  caf::execution_unit* const unit_;
};

}  // namespace

RendezvousActor spawn_rendezvous(caf::actor_system& system, StepSlot* slot) {
  return system.spawn<RendezvousImpl, caf::lazy_init + caf::hidden>(slot);
}

std::unique_ptr<Rendezvous> make_rendezvous_face(RendezvousActor actor, caf::execution_unit* unit) {
  return std::make_unique<ActorRendezvous>(std::move(actor), unit);
}

}  // namespace troupe
