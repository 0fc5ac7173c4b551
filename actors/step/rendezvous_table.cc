#include "actors/step/rendezvous_table.h"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

template <class Items>
auto take_first(Items* items) {
  auto first = std::move(items->front());
  items->erase(items->begin());
  return first;
}

}  // namespace

Receiver::~Receiver() {
  if (done_) answer(absl::CancelledError("the rendezvous has ended"), Tensor(), false);
}

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
  const auto at = slots_.try_emplace(key).first;
  Slot& slot = at->second;
  if (slot.receivers.empty()) {
    slot.values.push_back({std::move(value), is_dead});
    return;
  }
  const auto receiver = take_first(&slot.receivers);
  if (slot.receivers.empty()) slots_.erase(at);
  receiver->answer(absl::OkStatus(), std::move(value), is_dead);
}

void RendezvousTable::recv(const std::string& key, std::shared_ptr<Receiver> receiver) {
  ++events_;
  if (!status_.ok()) return receiver->answer(status_, Tensor(), false);
  const auto at = slots_.try_emplace(key).first;
  Slot& slot = at->second;
  if (slot.values.empty()) {
    slot.receivers.push_back(std::move(receiver));
    return;
  }
  Item item = take_first(&slot.values);
  if (slot.values.empty()) slots_.erase(at);
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
