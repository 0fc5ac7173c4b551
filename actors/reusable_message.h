#pragma once

#include <caf/all.hpp>

#include <atomic>

namespace troupe {

/// A message that is sent again and again without being allocated again: CAF asks a mailbox element to delete itself, and this
/// one marks itself free instead. For messages of which at most one is under way by protocol; were one still in a mailbox,
/// `send` falls back to a fresh one. Must outlive the actors that it is sent to.
template <class T>
class ReusableMessage {
 public:
  explicit ReusableMessage(T value = T()) : element_(std::move(value)) {}

  template <class Actor>
  void send(Actor* to, caf::execution_unit* unit) {
    bool expected = false;
    if (element_.busy.compare_exchange_strong(expected, true, std::memory_order_acquire)) {
      element_.mid = caf::make_message_id();
      element_.next = nullptr;
      to->enqueue(caf::mailbox_element_ptr(&element_), unit);
    } else {
      to->enqueue(
          caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, std::get<0>(element_.data())), unit);
    }
  }

  /// Whether it is this message.
  bool is(const caf::mailbox_element* other) const { return other == &element_; }

 private:
  class Element final : public caf::mailbox_element,
                        public caf::detail::tuple_vals_impl<caf::type_erased_tuple, T> {
   public:
    using Base = caf::detail::tuple_vals_impl<caf::type_erased_tuple, T>;
    explicit Element(T value)
        : caf::mailbox_element(nullptr, caf::make_message_id(), {}), Base(std::move(value)) {}
    void request_deletion(bool) const noexcept override {
      const_cast<Element*>(this)->busy.store(false, std::memory_order_release);
    }
    caf::type_erased_tuple& content() override { return *this; }
    const caf::type_erased_tuple& content() const override { return *this; }
    caf::message move_content_to_message() override { return copy_content_to_message(); }
    caf::message copy_content_to_message() const override {
      return caf::make_message(std::get<0>(this->data()));
    }
    std::atomic<bool> busy{false};
  };
  Element element_;
};

}  // namespace troupe
