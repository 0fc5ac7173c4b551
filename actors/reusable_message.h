#pragma once

#include <caf/all.hpp>

#include <atomic>
#include <memory>

namespace troupe {

/// A message that is sent again and again without being allocated again: CAF asks a mailbox element to delete itself, and this
/// one marks itself free instead. For messages of which at most one is under way by protocol; were one still in a mailbox,
/// `send` falls back to a fresh one. It may go while it is in a mailbox: the element goes with the last of the two, for an
/// actor that dies empties its mailbox after it has let go of what it owned.
template <class T>
class ReusableMessage {
 public:
  template <class Actor>
  void send(Actor* to, caf::execution_unit* unit, T value = T()) {
    if (element_->take()) {
      std::get<0>(element_->data()) = std::move(value);
      to->enqueue(caf::mailbox_element_ptr(element_.get()), unit);
    } else {
      to->enqueue(caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, std::move(value)), unit);
    }
  }

  /// Whether it is this message.
  bool is(const caf::mailbox_element* other) const { return other == element_.get(); }

 private:
  class Element final : public caf::mailbox_element,
                        public caf::detail::tuple_vals_impl<caf::type_erased_tuple, T> {
   public:
    using Base = caf::detail::tuple_vals_impl<caf::type_erased_tuple, T>;
    Element() : caf::mailbox_element(nullptr, caf::make_message_id(), {}), Base(T()) {}
    /// False while it is under way.
    bool take() {
      uint8_t idle = 0;
      if (!state_.compare_exchange_strong(idle, kInMailbox, std::memory_order_acquire)) return false;
      mid = caf::make_message_id();
      next = nullptr;
      return true;
    }
    void disown() {
      if (state_.fetch_or(kDisowned, std::memory_order_acq_rel) == 0) delete this;
    }
    void request_deletion(bool) const noexcept override {
      const uint8_t before = state_.fetch_and(static_cast<uint8_t>(~kInMailbox), std::memory_order_acq_rel);
      if ((before & kDisowned) != 0) delete this;
    }
    caf::type_erased_tuple& content() override { return *this; }
    const caf::type_erased_tuple& content() const override { return *this; }
    caf::message move_content_to_message() override { return copy_content_to_message(); }
    caf::message copy_content_to_message() const override {
      return caf::make_message(std::get<0>(this->data()));
    }

   private:
    static constexpr uint8_t kInMailbox = 1;
    static constexpr uint8_t kDisowned = 2;
    mutable std::atomic<uint8_t> state_{0};
  };
  struct Disown {
    void operator()(Element* element) const { element->disown(); }
  };
  std::unique_ptr<Element, Disown> element_{new Element};
};

}  // namespace troupe
