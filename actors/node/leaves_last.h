#pragma once

#include <caf/error.hpp>
#include <caf/system_messages.hpp>

#include <optional>

namespace troupe {

/// An actor that has SESSIONs made. Asked to exit, it ends those that it has, and itself when none is being made any more: such a one would stay.
template <class Base>
class LeavesLast : public Base {
 protected:
  using Base::Base;

  virtual void end_sessions() = 0;
  /// Whether a SESSION is being made.
  virtual bool is_opening() const = 0;

  /// Of make_behavior.
  void leave_when_asked() {
    this->set_exit_handler([this](const caf::exit_msg& m) {
      leaving_ = m.reason;
      end_sessions();
      quit_if_left();
    });
  }
  /// When one that was being made is there, or will not be.
  void quit_if_left() {
    if (leaving_ && !is_opening()) this->quit(*leaving_);
  }
  bool is_leaving() const { return leaving_.has_value(); }

 private:
  /// Why it ends, once it does.
  std::optional<caf::error> leaving_;
};

}  // namespace troupe
