#include "actors/step/rendezvous_table.h"

#include <algorithm>

namespace troupe {

Receiver::~Receiver() { answer(absl::CancelledError("the rendezvous has ended"), Tensor(), false); }

void Receiver::answer(absl::Status status, Tensor value, bool is_dead) {
  if (auto done = std::exchange(done_, nullptr)) done(std::move(status), std::move(value), is_dead);
}

void RendezvousTable::begin() {
  if (!slots_.empty()) abort(absl::CancelledError("the step has ended"));
  status_ = absl::OkStatus();
}

void RendezvousTable::send(const std::string& key, Tensor value, bool is_dead) {
  ++events_;
  if (!status_.ok()) return;
  Slot& slot = slots_[key];
  if (slot.receivers.empty()) {
    slot.values.push_back({std::move(value), is_dead});
    return;
  }
  const auto receiver = std::move(slot.receivers.front());
  slot.receivers.pop_front();
  if (slot.receivers.empty()) slots_.erase(key);
  receiver->answer(absl::OkStatus(), std::move(value), is_dead);
}

void RendezvousTable::recv(const std::string& key, std::shared_ptr<Receiver> receiver) {
  ++events_;
  if (!status_.ok()) return receiver->answer(status_, Tensor(), false);
  Slot& slot = slots_[key];
  if (slot.values.empty()) {
    slot.receivers.push_back(std::move(receiver));
    return;
  }
  Item item = std::move(slot.values.front());
  slot.values.pop_front();
  if (slot.values.empty()) slots_.erase(key);
  receiver->answer(absl::OkStatus(), std::move(item.value), item.is_dead);
}

void RendezvousTable::abort(const absl::Status& status) {
  if (status_.ok()) status_ = status;
  auto slots = std::move(slots_);
  slots_.clear();
  for (auto& [key, slot] : slots) {
    for (auto& receiver : slot.receivers) receiver->answer(status_, Tensor(), false);
  }
}

std::vector<std::string> RendezvousTable::waiting() const {
  std::vector<std::string> keys;
  for (const auto& [key, slot] : slots_) {
    if (!slot.receivers.empty()) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<RendezvousTable::Kept> RendezvousTable::kept() const {
  std::vector<Kept> values;
  for (const auto& [key, slot] : slots_) {
    for (const Item& item : slot.values) values.push_back({key, item.value, item.is_dead});
  }
  return values;
}

size_t RendezvousTable::num_receivers() const {
  size_t number = 0;
  for (const auto& [key, slot] : slots_) number += slot.receivers.size();
  return number;
}

}  // namespace troupe
