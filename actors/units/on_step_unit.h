#pragma once

#include <caf/all.hpp>

#include <memory>
#include <utility>

#include "actors/units/lent_thread.h"

namespace troupe {

/// An actor of a step: whoever sends it something, it runs on its step's unit, and the step's tally counts the message.
template <class Base>
class OnStepUnit : public Base {
 public:
  OnStepUnit(caf::actor_config& config, std::shared_ptr<LentThread> unit)
      : Base(config), unit_(std::move(unit)) {}

  using Base::enqueue;
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    if (unit_->tally.is_on()) [[unlikely]]
      count(what->content());
    Base::enqueue(std::move(what), unit_.get());
  }

 protected:
  const std::shared_ptr<LentThread>& unit() const { return unit_; }
  /// Whether the step's own unit resumes it: its lender, who looks for the end himself.
  bool is_own(const caf::execution_unit* unit) const { return unit == unit_.get(); }

 private:
  /// Those of ours; what CAF itself sends has numbers for types.
  void count(const caf::type_erased_tuple& content) {
    if (content.size() == 0) return;
    if (const std::type_info* type = content.type(0).second) unit_->tally.add(*type);
  }

  const std::shared_ptr<LentThread> unit_;
};

}  // namespace troupe
