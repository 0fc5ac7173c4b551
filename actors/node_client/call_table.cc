#include "actors/node_client/call_table.h"

#include "absl/strings/str_cat.h"

namespace troupe {

uint64_t CallTable::add(Answered done, Clock::time_point deadline) {
  const uint64_t id = ++last_;
  calls_.emplace(id, std::move(done));
  ++waiting_;
  if (deadline != Clock::time_point::max()) deadlines_.emplace(deadline, id);
  return id;
}

void CallTable::answer(Answered* done, absl::StatusOr<absl::Cord> answer) {
  if (*done == nullptr) return;
  --waiting_;
  told_.push_back({std::exchange(*done, nullptr), std::move(answer)});
}

bool CallTable::end(uint64_t id, absl::StatusOr<absl::Cord> answer) {
  const auto call = calls_.find(id);
  if (call == calls_.end()) return false;
  this->answer(&call->second, std::move(answer));
  calls_.erase(call);
  return true;
}

void CallTable::tell_late(Clock::time_point now, const std::string& target) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto call = calls_.find(deadlines_.extract(deadlines_.begin()).value().second);
    if (call == calls_.end()) continue;
    answer(&call->second, absl::DeadlineExceededError(absl::StrCat(target, " has not answered in time")));
  }
}

void CallTable::lose(const absl::Status& why) {
  deadlines_.clear();
  for (auto& [id, done] : std::exchange(calls_, {})) answer(&done, why);
}

CallTable::Clock::time_point CallTable::next_deadline() const {
  return deadlines_.empty() ? Clock::time_point::max() : deadlines_.begin()->first;
}

}  // namespace troupe
