#include "tests/actors/stress/player.h"

#include <algorithm>
#include <vector>

namespace troupe::test {
namespace {

constexpr size_t kMostWaits = 20;
constexpr size_t kMostKept = 3;

}  // namespace

Player::Player(const Surroundings& around, size_t number, unsigned seed)
    : around_(around), number_(number), random_(seed * 1000 + static_cast<unsigned>(number)) {}

void Player::play(std::span<const Act> acts, std::chrono::steady_clock::time_point until) {
  std::vector<unsigned> weights;
  std::vector<const Act*> first;
  for (const Act& a : acts) {
    weights.push_back(a.weight);
    first.push_back(&a);
  }
  std::shuffle(first.begin(), first.end(), random_);
  for (const Act* a : first) act(*a);
  std::discrete_distribution<size_t> lot(weights.begin(), weights.end());
  while (std::chrono::steady_clock::now() < until) act(acts[lot(random_)]);
  around_.watchdog->at(number_, "waiting for its runs");
  for (const auto& wait : waits_) wait();
  waits_.clear();
  kept_.clear();
  mine_.reset();
  around_.watchdog->at(number_, nullptr);
}

void Player::act(const Act& act) {
  choose_session();
  around_.watchdog->at(number_, act.name);
  act.play(*this);
}

void Player::choose_session() {
  // What is spent is used for a while, as others do not know.
  if (mine_ != nullptr && mine_->mark->spent && once_in(4)) {
    around_.watchdog->at(number_, "opening a session");
    stage().renew(mine_.get(), random());
    mine_ = nullptr;
  }
  if (mine_ == nullptr || once_in(20)) mine_ = stage().any(random());
}

void Player::wait_later(std::function<void()> wait) {
  waits_.push_back(std::move(wait));
  if (waits_.size() <= kMostWaits) return;
  waits_.front()();
  waits_.pop_front();
}

void Player::keep(std::shared_ptr<void> thing) {
  kept_.push_back(std::move(thing));
  if (kept_.size() > kMostKept) kept_.pop_front();
}

}  // namespace troupe::test
