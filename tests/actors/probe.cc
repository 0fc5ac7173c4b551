#include "tests/actors/probe.h"

namespace troupe::test {

Probe::Probe(caf::actor_system& system) {
  actor_ = system.spawn<caf::hidden>([mail = mail_](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(
        [self, mail](caf::scheduled_actor*, caf::message_view& m) -> caf::result<caf::message> {
          mail->messages.push_back(m.move_content_to_message());
          if (self->current_mailbox_element()->mid.is_request())
            mail->unanswered.push_back(self->make_response_promise());
          return caf::delegated<caf::message>();
        });
    self->set_down_handler(
        [mail](const caf::down_msg& down) { mail->messages.push_back(caf::make_message(down)); });
    return caf::behavior{[](const Probe*) {}};
  });
}

Probe::~Probe() {
  caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
  *mail_ = {};
}

}  // namespace troupe::test
