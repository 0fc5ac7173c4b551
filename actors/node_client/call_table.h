#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"

namespace troupe {

/// The questions that a node was asked, by number, and the answers that are to be told. Told they are by whoever takes them, who holds no lock then: who hears one may ask again. One
/// thread at a time.
class CallTable {
 public:
  using Clock = std::chrono::steady_clock;
  using Answered = std::function<void(absl::StatusOr<absl::Cord>)>;
  struct Told {
    Answered done;
    absl::StatusOr<absl::Cord> answer;
  };

  /// Its number. `deadline`: Clock::time_point::max() for none.
  uint64_t add(Answered done, Clock::time_point deadline);
  /// The node has answered question `id`, or it could not be asked. False when it was not asked, or has been answered.
  bool end(uint64_t id, absl::StatusOr<absl::Cord> answer);
  /// Nobody waits any more for what was due: DeadlineExceeded, which names `target`. Its answer may still come.
  void tell_late(Clock::time_point now, const std::string& target);
  /// All that somebody waits for ends with `why`; no answers come.
  void lose(const absl::Status& why);
  /// Of somebody who asked nobody.
  void tell(Answered done, absl::Status why) { told_.push_back({std::move(done), std::move(why)}); }

  /// How many somebody waits for.
  size_t waiting() const { return waiting_; }
  /// Clock::time_point::max() when nothing is due.
  Clock::time_point next_deadline() const;
  /// What is to be told, in order.
  std::vector<Told> take_told() { return std::exchange(told_, {}); }

 private:
  void answer(Answered* done, absl::StatusOr<absl::Cord> answer);

  /// Empty: nobody waits for it any more.
  absl::flat_hash_map<uint64_t, Answered> calls_;
  size_t waiting_ = 0;
  std::set<std::pair<Clock::time_point, uint64_t>> deadlines_;
  uint64_t last_ = 0;
  std::vector<Told> told_;
};

}  // namespace troupe
