#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <span>

#include "tests/actors/stress/answers.h"
#include "tests/actors/stress/stage.h"
#include "tests/actors/stress/watchdog.h"

namespace troupe::test {

class Player;

/// Something that a player does now and then.
struct Act {
  const char* name;
  /// How often, compared with others.
  unsigned weight;
  void (*play)(Player&);
};

/// What is held by callbacks, listeners and client actors of the play: none is left at the end.
struct Prop {
  Prop() { ++count; }
  Prop(const Prop&) = delete;
  ~Prop() { --count; }
  static inline std::atomic<int> count{0};
};

/// One of the threads: does random acts to random sessions, which all others cancel, close and end as they like.
class Player {
 public:
  struct Surroundings {
    Stage* stage;
    Answers* answers;
    Watchdog* watchdog;
  };
  Player(const Surroundings& around, size_t number, unsigned seed);

  /// Until then; each act once at the beginning, in an order of his own.
  void play(std::span<const Act> acts, std::chrono::steady_clock::time_point until);

  /// @name What acts use
  Stage& stage() { return *around_.stage; }
  const std::shared_ptr<SharedSession>& shared() const { return mine_; }
  Session& session() { return *mine_->session; }
  Answers& answers() { return *around_.answers; }
  /// As Answers::good, of the player's session.
  bool good(Asked what, const absl::Status& answer) {
    return answers().good(what, mine_->mark.get(), answer);
  }
  unsigned random() { return static_cast<unsigned>(random_()); }
  unsigned below(size_t bound) { return static_cast<unsigned>(random_() % bound); }
  bool once_in(unsigned times) { return below(times) == 0; }
  /// Whole, so that sums are right to the last bit.
  float number() { return static_cast<float>(below(1000)); }
  /// To be waited for, some acts from now.
  void wait_later(std::function<void()> wait);
  /// To be let go of, some acts from now.
  void keep(std::shared_ptr<void> thing);

 private:
  void act(const Act& act);
  void choose_session();

  const Surroundings around_;
  const size_t number_;
  std::mt19937 random_;
  std::shared_ptr<SharedSession> mine_;
  std::deque<std::function<void()>> waits_;
  std::deque<std::shared_ptr<void>> kept_;
};

inline Tensor scalar(float value) { return Tensor::scalar<float>(value); }

/// @name All acts, a group a file
std::span<const Act> run_acts();
std::span<const Act> turn_acts();
std::span<const Act> session_acts();
std::span<const Act> watching_acts();
std::span<const Act> client_acts();

}  // namespace troupe::test
