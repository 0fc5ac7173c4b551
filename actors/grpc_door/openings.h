#pragma once

#include <memory>

#include "absl/container/flat_hash_set.h"
#include "actors/grpc_door/call.h"
#include "devices/cancellation.h"

namespace troupe {

/// The sessions that a DOOR has others make, by SessionOptions::given_up. Its own, as many as calls ask for.
class Openings {
 public:
  using GivenUp = std::shared_ptr<CancellationToken>;

  /// One for a call: given up when its client does not wait for it any more.
  GivenUp add(AnyCall& call) {
    auto given_up = std::make_shared<CancellationToken>();
    open_.insert(given_up);
    call.when_cancelled([given_up] { given_up->cancel(absl::CancelledError("The client is gone.")); });
    return given_up;
  }
  /// It is made, or will not be.
  void remove(const GivenUp& given_up) { open_.erase(given_up); }
  void give_up_all(const absl::Status& why) {
    for (const GivenUp& given_up : open_) given_up->cancel(why);
  }

 private:
  absl::flat_hash_set<GivenUp> open_;
};

}  // namespace troupe
