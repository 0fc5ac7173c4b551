#include "devices/first_answer.h"

namespace troupe {

std::shared_ptr<FirstAnswer> FirstAnswer::expect(CancellationToken& token, Done done) {
  std::shared_ptr<FirstAnswer> answer(new FirstAnswer(&token, std::move(done)));
  // Nobody else has the answer yet, but for the cancellation, which does not look at the callback's number.
  answer->callback_ = token.register_callback([answer] {
    if (answer->claim()) answer->done_(answer->token_->reason());
  });
  if (!answer->callback_ && answer->claim()) answer->done_(token.reason());
  return answer;
}

void FirstAnswer::give(const absl::Status& status, const std::function<void()>& take) {
  // The token may be gone when the step was told something before.
  if (!claim()) return;
  if (callback_) token_->deregister(*callback_);
  if (take) take();
  done_(status);
}

}  // namespace troupe
