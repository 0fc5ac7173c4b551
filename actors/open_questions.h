#pragma once

#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "actors/errors.h"

namespace troupe {

/// Those who asked an actor something that it has to ask others about first. The actor's own, called in its turns; it answers what is left
/// in `on_exit` (`fail`), since CAF drops the promises of an actor that ends without a word.
template <class Answer>
class OpenQuestions {
 public:
  using Promise = caf::typed_response_promise<Answer>;

  /// A question that `asked` others are asked about; its number. `so_far`: what is known without them. Answered at once when there are none.
  int64_t open(Promise promise, Answer so_far, size_t asked) {
    const int64_t id = next_++;
    questions_[id] = {std::move(promise), std::move(so_far), asked + 1};
    one_answered(id);
    return id;
  }
  /// What is known: for whoever has answered. Until one_answered, and while no other question is opened.
  Answer& answer(int64_t id) { return questions_[id].answer; }
  /// Another is asked, before the last of the others has answered.
  void ask_another(int64_t id) { ++questions_[id].left; }
  /// One of those asked has answered, or never will.
  void one_answered(int64_t id) {
    if (--questions_[id].left > 0) return;
    Question whole = std::move(questions_[id]);
    questions_.erase(id);
    whole.promise.deliver(std::move(whole.answer));
  }
  size_t num_open() const { return questions_.size(); }
  void fail(const absl::Status& status) {
    for (auto& [id, question] : std::exchange(questions_, {})) question.promise.deliver(to_error(status));
  }

 private:
  struct Question {
    Promise promise;
    Answer answer;
    size_t left = 0;
  };
  absl::flat_hash_map<int64_t, Question> questions_;
  int64_t next_ = 0;
};

}  // namespace troupe
