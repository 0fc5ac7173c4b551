#include "actors/turn_unit.h"

#include <utility>

namespace troupe {

std::shared_ptr<LentThread> TurnUnit::enter() {
  std::lock_guard lock(mu_);
  if (unit_ == nullptr || inside_ != nullptr) return nullptr;
  inside_ = unit_;
  inside_->open();
  return inside_;
}

void TurnUnit::leave() {
  std::function<void()> give_back;
  {
    std::lock_guard lock(mu_);
    inside_->close();
    inside_ = nullptr;
    give_back.swap(give_back_);
  }
  if (give_back) give_back();
}

void TurnUnit::retire(std::function<void()> give_back) {
  {
    std::lock_guard lock(mu_);
    unit_ = nullptr;
    if (inside_ != nullptr) {
      give_back_ = std::move(give_back);
      return;
    }
  }
  give_back();
}

bool TurnUnit::retired() const {
  std::lock_guard lock(mu_);
  return unit_ == nullptr;
}

}  // namespace troupe
